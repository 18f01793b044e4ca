"""Downloads a pinned source archive with the pip of this interpreter.

pip knows the index, proxy, certificates and passwords of the machine, and compares the archive with
its pinned checksum before it opens it.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from ._published import OSRT, OSST, Archive

_N_LINES_SHOWN = 4

# pip asks every source archive for its metadata, even if it only downloads it. That would run the
# archive's setup.py, and first install what that needs: half of the scientific Python stack, from
# source where there are no wheels. Both archives name setuptools as their build backend; in the
# process that pip starts, this stands in for it and says the little that pip wants to know.
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


def download(archive: Archive, scratch: Path) -> None:
    """Puts the archive into the folder `scratch`, where other files are made too."""
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
        raise FetchError(_refusal(archive, run.stdout))


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
    """The environment of the user, with the backend that stands in for setuptools."""
    package = scratch / f"backend-{archive.name}" / "setuptools"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    backend = _BACKEND.format(folder=archive.folder, name=archive.name, version=archive.version)
    (package / "build_meta.py").write_text(backend, encoding="utf-8")
    paths = [str(package.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _refusal(archive: Archive, output: str) -> str:
    said = "\n".join(f"    {line}" for line in output.strip().splitlines()[-_N_LINES_SHOWN:])
    return (
        f"pip could not download {archive.file}. It said last:\n{said}\n"
        f"Check the connection and 'pip config list'{_or_archives()}"
    )


def _or_archives() -> str:
    return (
        f", or get {OSST.file} and {OSRT.file} (source archives of these two packages) on another "
        "machine and pass their folder as archives (--archives)."
    )
