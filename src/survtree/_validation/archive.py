"""An .npz file from a stranger: arrays of one dimension, read within a limit.

What a zip archive declares is looked at before anything is unpacked, and no more is unpacked than
it declares: a few kilobytes can stand for gigabytes. Nothing is ever unpickled.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

COPY_AGAIN = "Ask for the file again, or copy it as binary."


class Archive:
    """The arrays of a file by name, each read when it is asked for."""

    def __init__(self, file: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> None:
        self._file, self._members = file, members

    @property
    def names(self) -> list[str]:
        """Names of the arrays, in the order of the file."""
        return list(self._members)

    def read(self, name: str, dtype: "np.dtype[Any]") -> NDArray[Any]:
        """An array of one dimension and this type."""
        info = self._members[name]
        with _as_damage(f"its array {name!r} cannot be read"), self._file.open(info) as stream:
            shape, found = _shape_and_type(stream)
            if len(shape) == 1 and found == dtype:
                n_bytes = shape[0] * dtype.itemsize
                return np.frombuffer(_content(stream, n_bytes, info.file_size), dtype)
        raise ValueError(
            f"its array {name!r} must have one dimension and the type {dtype}; it has the shape "
            f"{shape} and the type {found}. {COPY_AGAIN}"
        )


@contextmanager
def opened(path: Path, most_bytes: int) -> Iterator[Archive]:
    """The arrays of a file that unpacks to no more than so many bytes."""
    if not path.is_file():
        what = "it is a folder" if path.is_dir() else "there is no such file"
        raise ValueError(f"{what}. Pass the path of an .npz file.")
    with _as_damage("it cannot be read as an .npz file"):
        file = zipfile.ZipFile(path)
    with file:
        yield Archive(file, _members(file.infolist(), most_bytes))


def _members(infos: list[zipfile.ZipInfo], most_bytes: int) -> dict[str, zipfile.ZipInfo]:
    members = {info.filename.removesuffix(".npy"): info for info in infos}
    if len(members) < len(infos):
        raise ValueError(f"each of its arrays must have a name of its own. {COPY_AGAIN}")
    n_bytes = sum(info.file_size for info in infos)
    if n_bytes > most_bytes:
        raise ValueError(
            f"it must unpack to at most {most_bytes:,} bytes; its directory declares {n_bytes:,}. "
            "If you trust it, call survtree._replay.load with a larger most_bytes."
        )
    return members


def _shape_and_type(stream: IO[bytes]) -> "tuple[tuple[int, ...], np.dtype[Any]]":
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):  # what NumPy writes; later ones may declare headers of gigabytes
        raise ValueError(f"its .npy version must be 1.0, not {version[0]}.{version[1]}")
    # The order of axes says nothing of a single one.
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    return shape, dtype


def _content(stream: IO[bytes], n_bytes: int, most: int) -> bytes:
    # Never read(): it unpacks all there is before it cuts off what the directory did not declare.
    content = stream.read(n_bytes) if 0 <= n_bytes <= most else b""
    if len(content) != n_bytes or stream.read(1):
        raise ValueError(f"its shape needs {n_bytes:,} bytes, and others are there")
    return content


@contextmanager
def _as_damage(what: str) -> Iterator[None]:
    # Damaged files make zipfile, zlib and NumPy raise eight kinds of errors, and all mean the same.
    try:
        yield
    except OSError as error:
        raise ValueError(f"{what}: {error.strerror or error}. Check its permissions.") from error
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        raise ValueError(f"{what} ({reason}). {COPY_AGAIN}") from error
