"""Files that are written completely or not at all."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: str | os.PathLike[str], *, is_private: bool = False) -> Iterator[IO[bytes]]:
    """A file to write; it appears under its name only when all of it is on the disk.

    What is not an ordinary file, such as /dev/stdout or a pipe, is written to directly.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    if target.exists() and not target.is_file():
        with open(target, "wb") as stream:
            yield stream
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    handle, part = tempfile.mkstemp(prefix=".survtree-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if not is_private:  # a new temporary file is readable by its owner only
            os.chmod(part, _rights(target))
        os.replace(part, target)
    finally:
        with suppress(OSError):
            os.unlink(part)


def _rights(target: Path) -> int:
    """The rights of the file that is replaced, or those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)  # it can only be read by setting it
    os.umask(mask)
    return 0o666 & ~mask
