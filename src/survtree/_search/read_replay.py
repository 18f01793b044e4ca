"""Replay files: the format, and every complaint about a file that does not keep to it.

A file comes from somebody else, so nothing in it is trusted: not its sizes, types or words. Numbers
are held to the ranges of a fit.
"""

import json
import reprlib
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import Field, fields
from importlib.metadata import version
from pathlib import Path
from types import NoneType
from typing import IO, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from survtree._base.checks import BY_NAME, check_option
from survtree._base.words import one_line_message
from survtree._data.read_outcome import check_outcome
from survtree._data.table import EventTable
from survtree._questions.questions import RecordedQuestions
from survtree._search.problem import Problem
from survtree._search.settings import SearchSettings

FORMAT = 1
BITS, FLOATS = np.dtype("u1"), np.dtype("<f8")
ARRAYS: "dict[str, np.dtype[Any]]" = {
    "header": BITS,
    "features": BITS,
    "event": BITS,
    "time": FLOATS,
    "weight": FLOATS,
}
OF_LIMITS = "limits."  # what the names of arrays among the limits start with
DATA = ("answers", "events", "questions")  # of a problem; the rest of it are numbers
# Unpacked, in memory: a hundred times what the largest table of the paper takes.
MOST_BYTES = 2**32
MOST_HEADER_BYTES = 2**25  # a list of empty lists takes thirty times as much when it is read
LONGEST_VERSION = 40
LARGEST_COUNT = 2**63 - 1  # what the core can hold
LARGEST_FLOAT = sys.float_info.max


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


class Replay(NamedTuple):
    """A fit to run again: its problem, its limits, and the version of survtree that wrote both."""

    problem: Problem
    limits: SearchSettings
    version: str


def check_replay(path: Path, most_bytes: int = MOST_BYTES) -> Replay:
    """What a file holds, or an error that says what is wrong with it."""
    try:
        with opened(path, most_bytes) as archive:
            return _read(archive, most_bytes)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{path} must be a replay file; {one_line_message(error)}") from error


def _read(archive: Archive, most_bytes: int) -> Replay:
    if "header" not in archive.names:
        raise ValueError(
            f"it holds no 'header', but {reprlib.repr(archive.names)}. Pass a file that "
            "SURVTREE_REPLAY or an InternalError left behind."
        )
    header = _header(archive)
    writer = _check_version(header)
    of_limits = _check_names(archive.names)
    arrays = {name: archive.read(name, dtype) for name, dtype in ARRAYS.items()}
    n_rows = len(arrays["time"])
    given = _part(header, "limits")
    given |= {name: archive.read(OF_LIMITS + name, FLOATS).astype(float) for name in of_limits}
    limits = _limits(given, n_rows, writer)
    return Replay(_problem(header, arrays, most_bytes), limits, writer)


def _header(archive: Archive) -> dict[str, Any]:
    raw = archive.read("header", BITS)
    if len(raw) > MOST_HEADER_BYTES:
        raise ValueError(
            f"its header must have at most {MOST_HEADER_BYTES:,} bytes; it has {len(raw):,}. Ask "
            "fewer questions."
        )
    try:
        header = json.loads(raw.tobytes().decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its header must be JSON; {error}. {COPY_AGAIN}") from error
    if not isinstance(header, dict):
        raise ValueError(f"its header must be a JSON object; it is {_shown(header)}. {COPY_AGAIN}")
    return header


def _check_version(header: dict[str, Any]) -> str:
    """The version that wrote the file, if this one can read it."""
    writer, form = header.get("survtree"), header.get("format")
    is_plain = isinstance(writer, str) and writer.isprintable() and len(writer) <= LONGEST_VERSION
    if not is_plain or type(form) is not int:
        raise ValueError(
            "its header must tell a 'format' and the version of 'survtree' that wrote it; it has "
            f"{_shown(form)} and {_shown(writer)}. {COPY_AGAIN}"
        )
    if form != FORMAT:
        raise ValueError(
            f"survtree {version('survtree')} reads format {FORMAT}; it has format {_shown(form)} "
            f"of survtree {writer}. Run it with that version."
        )
    return str(writer)


def _check_names(names: list[str]) -> list[str]:
    """Names of the limits that are arrays, if all other arrays are there and nothing else is."""
    missing = [name for name in ARRAYS if name not in names]
    if missing:
        raise ValueError(f"its array {missing[0]!r} is missing. {COPY_AGAIN}")
    others = [name for name in names if name not in ARRAYS]
    odd = [name for name in others if not name.startswith(OF_LIMITS)]
    if odd:
        raise ValueError(
            f"it must hold the arrays {', '.join(ARRAYS)} and those of limits; {_shown(odd[0])} is "
            f"none of them. {COPY_AGAIN}"
        )
    return [name.removeprefix(OF_LIMITS) for name in others]


def _part(header: dict[str, Any], name: str) -> dict[str, Any]:
    part = header.get(name)
    if not isinstance(part, dict):
        raise ValueError(
            f"its header must have an object {name!r}; it has {_shown(part)}. {COPY_AGAIN}"
        )
    return part


def _problem(header: dict[str, Any], arrays: dict[str, NDArray[Any]], most_bytes: int) -> Problem:
    questions = _questions(_part(header, "questions"))
    n, p = len(arrays["time"]), len(questions)
    if n * p > most_bytes:
        raise ValueError(
            f"it must unpack to at most {most_bytes:,} bytes; {n:,} rows of {p:,} answers are "
            "more. If you trust it, call survtree._replay.load with a larger most_bytes."
        )
    answers = _unpacked("features", arrays["features"], n * p)
    return Problem(
        answers=answers.reshape(n, p),
        events=_events(arrays, n),
        questions=questions,
        **_numbers(_part(header, "problem")),
    )


def _events(arrays: dict[str, NDArray[Any]], n: int) -> EventTable:
    if n == 0:
        raise ValueError(f"there must be at least one row; it has none. {COPY_AGAIN}")
    event = _unpacked("event", arrays["event"], n).astype(bool)
    return check_outcome((event, arrays["time"]), arrays["weight"], n)


def _unpacked(name: str, packed: NDArray[np.uint8], n_bits: int) -> NDArray[np.uint8]:
    wanted = -(-n_bits // 8)
    if len(packed) != wanted:
        raise ValueError(
            f"its array {name!r} must have {wanted:,} bytes, a bit an answer; it has "
            f"{len(packed):,}. {COPY_AGAIN}"
        )
    return np.unpackbits(packed, count=n_bits)


def _numbers(given: dict[str, Any]) -> dict[str, Any]:
    """What a problem consists of beside its data."""
    wanted = [field.name for field in fields(Problem) if field.name not in DATA]
    if set(given) != set(wanted):
        raise ValueError(
            f"its problem must tell {', '.join(wanted)}; it tells {reprlib.repr(list(given))}. "
            f"{COPY_AGAIN}"
        )
    return {name: check_option(name, given[name]) for name in wanted}


def _questions(given: dict[str, Any]) -> RecordedQuestions:
    texts, ranks, columns = (_list(given, name) for name in ("texts", "ranks", "columns"))
    if not _are_words(texts) or not all(text.isprintable() for text in texts):
        raise ValueError(
            f"the texts of its questions must be words; got {_shown(texts)}. {COPY_AGAIN}"
        )
    n = len(texts)
    if not all(type(rank) is int for rank in ranks) or sorted(ranks) != list(range(n)):
        raise ValueError(
            f"the ranks of its {n:,} questions must be 0, 1, ..., each once; got {_shown(ranks)}. "
            f"{COPY_AGAIN}"
        )
    if not _are_words(columns) or len(columns) not in (0, n):
        raise ValueError(
            f"the columns of its questions must be none or {n:,} names; got {_shown(columns)}. "
            f"{COPY_AGAIN}"
        )
    return RecordedQuestions.of(texts, ranks, columns)


def _list(given: dict[str, Any], name: str) -> list[Any]:
    values = given.get(name)
    if not isinstance(values, list):
        raise ValueError(
            f"the {name} of its questions must be a list; got {_shown(values)}. {COPY_AGAIN}"
        )
    return values


def _are_words(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _limits(given: dict[str, Any], n_rows: int, writer: str) -> SearchSettings:
    known = {field.name: field for field in fields(SearchSettings)}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(
            f"survtree {version('survtree')} knows no limit {_shown(unknown[0])}; it was written "
            f"by survtree {writer}. Run it with that version."
        )
    hints = get_type_hints(SearchSettings)
    return SearchSettings(
        **{name: _limit(known[name], hints[name], given[name], n_rows) for name in given}
    )


def _limit(field: "Field[Any]", hint: Any, value: Any, n_rows: int) -> Any:
    if field.name in BY_NAME:
        return check_option(field.name, value)
    kinds = get_args(hint) if NoneType in get_args(hint) else (hint,)
    choices = field.metadata.get("choices", ())
    if not any(_is_of_kind(value, kind, choices, n_rows) for kind in kinds):
        wanted = " or ".join(_in_words(kind, choices, n_rows) for kind in kinds)
        raise ValueError(
            f"the limit {field.name!r} must be {wanted}; got {_shown(value)}. {COPY_AGAIN}"
        )
    return tuple(value) if isinstance(value, list) else value


def _is_of_kind(value: Any, kind: Any, choices: tuple[str, ...], n_rows: int) -> bool:
    if isinstance(value, np.ndarray):
        is_wanted = get_origin(kind) is np.ndarray and len(value) == n_rows
        return is_wanted and bool(((value >= 0) & np.isfinite(value)).all())
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(each in choices for each in value)
    if kind is float:
        return type(value) in (int, float) and 0 <= value <= LARGEST_FLOAT
    if type(value) is not kind:  # True is no number here
        return False
    return value in choices if kind is str else kind is not int or 0 <= value <= LARGEST_COUNT


def _in_words(kind: Any, choices: tuple[str, ...], n_rows: int) -> str:
    if get_origin(kind) is np.ndarray:
        return f"an array of {n_rows:,} finite numbers >= 0, one a row"
    if get_origin(kind) is tuple:
        return f"a list of some of {', '.join(map(repr, choices))}"
    if kind is str:
        return f"one of {', '.join(map(repr, choices))}"
    words = {float: "a finite number >= 0", bool: "true or false", NoneType: "null"}
    return words.get(kind, f"an integer from 0 to {LARGEST_COUNT}")


def _shown(value: Any) -> str:
    """A value as it came, but not all of it if it is long."""
    return reprlib.repr(value)


COPY_AGAIN = "Ask for the file again, or copy it as binary."
