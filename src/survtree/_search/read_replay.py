"""Replay files: reading one, and every complaint about a file that does not keep to the format.

A file comes from somebody else, so nothing in it is trusted: not its sizes, types or words. Numbers
are held to the ranges of a fit.
"""

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from survtree._base.checks import (
    BY_NAME,
    check_option,
    check_value,
    convert_json,
    parse_json,
    require,
)
from survtree._base.words import one_line_message
from survtree._data.causes import Causes
from survtree._data.read_events import check_outcome
from survtree._data.read_outcome import read_outcome
from survtree._data.table import EventTable, Outcome
from survtree._questions.coded_answers import Answers, CodedAnswers
from survtree._questions.questions import RecordedQuestions
from survtree._search.problem import Problem, SearchSettings
from survtree._search.replay import (
    ANSWERS,
    BITS,
    CODED,
    CODES,
    COPIES,
    DATA,
    FLOATS,
    FORMAT,
    OF_SETTINGS,
    OTHERS,
    TARGETS,
)

# Unpacked, in memory: a hundred times what the largest table of the paper takes.
MOST_BYTES = 2**32
MOST_HEADER_BYTES = 2**25  # a list of empty lists takes thirty times as much when it is read
LARGEST_COUNT = 2**63 - 1  # what the core can hold
MOST_ROWS = 2**32 - 2  # likewise
NOT_A_REPLAY = "Pass a file that SURVTREE_REPLAY or an InternalError left behind."
IF_TRUSTED = (
    "If you trust it, call survtree._search.read_replay.read_replay with a larger most_bytes."
)
COPY_AGAIN = "Ask for the file again, or copy it as binary."
IN_FORMAT_1 = {"features": "answers", "limits": "settings"}  # what they are called now

Arrays = dict[str, NDArray[Any]]


class Replay(NamedTuple):
    """A fit to run again: problem, settings, and the version of survtree that wrote both."""

    problem: Problem
    settings: SearchSettings
    version: str


class Origin(Struct):
    """What every version of the format tells."""

    format: int
    survtree: Annotated[str, Meta(max_length=40, pattern=r"^[\w.+!-]+\Z")]


class Asked(Struct):
    """The questions: in words, their places in ties, and names if they are the columns."""

    texts: list[str]
    ranks: list[int]
    columns: list[str]
    about: list[str] = []  # the column of each, where a rule is about columns

    def __post_init__(self) -> None:
        n = len(self.texts)
        is_shown = all(text.isprintable() for text in self.texts)
        require(is_shown, "texts must be printable", self.texts)
        is_order = sorted(self.ranks) == list(range(n))
        require(is_order, f"ranks must be 0, 1, ..., {n - 1}, each once", self.ranks)
        for name in ("columns", "about"):
            given = getattr(self, name)
            require(len(given) in (0, n), f"{name} must be none or {n} names", given)


class Header(Struct):
    """All that is not an array."""

    problem: dict[str, Any]
    questions: Asked
    settings: dict[str, Any]


def read_replay(path: Path, most_bytes: int = MOST_BYTES) -> Replay:
    """The fit that a file holds, or an error that says what is wrong with the file.

    What would take more than ``most_bytes`` in memory is refused before it is unpacked.
    """
    try:
        arrays = _arrays(path, most_bytes)
        header, writer = _header(arrays)
        names = [name for name in arrays if name.startswith(OF_SETTINGS)]
        given = {name.removeprefix(OF_SETTINGS): _taken(arrays, name, FLOATS) for name in names}
        problem = _problem(header, arrays, most_bytes)
        settings = _settings({**header.settings, **given}, len(problem.answers), writer)
        return Replay(problem, settings, writer)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{path} must be a replay file; {one_line_message(error)}") from error


def with_time_limit(found: Replay, time_limit: float) -> Replay:
    """The same fit with another time limit, all of it for the search."""
    seconds = check_option("time_limit", time_limit)
    return found._replace(settings=replace(found.settings, time_limit=seconds, seconds_gone=0.0))


def _arrays(path: Path, most_bytes: int) -> Arrays:
    """All arrays by name, if they unpack to no more than so many bytes."""
    with _as_damage("it cannot be read as an .npz file"):
        file = zipfile.ZipFile(path)
    with file:
        members = file.infolist()
        names = [_name(info.filename) for info in members]
        require(
            len({*names}) == len(names), "its arrays must have different names", names, COPY_AGAIN
        )
        # zipfile keeps to declared sizes while it reads, but of other methods it unpacks more.
        methods = {info.compress_type for info in members}
        is_known = methods <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        require(is_known, "its arrays must be stored or deflated", methods, COPY_AGAIN)
        n_bytes = sum(info.file_size for info in members)
        wanted = f"it must unpack to at most {most_bytes:,} bytes"
        require(n_bytes <= most_bytes, wanted, n_bytes, IF_TRUSTED)
        return {name: _array(file, name, info) for name, info in zip(names, members, strict=True)}


def _name(filename: str) -> str:
    first, *rest = filename.removesuffix(".npy").split(".", 1)
    return ".".join([IN_FORMAT_1.get(first, first), *rest])


def _array(file: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> NDArray[Any]:
    with _as_damage(f"its array {name!r} cannot be read"), file.open(info) as stream:
        # No more than the directory declares: read() without a number would unpack everything
        # first, and so would NumPy with an .npy header that declares gigabytes.
        content = io.BytesIO(stream.read(info.file_size))
        array: NDArray[Any] = np.lib.format.read_array(content, allow_pickle=False)
        require(not content.read(1), "its shape must need all of its bytes", array.shape)
        return array


@contextmanager
def _as_damage(what: str) -> Iterator[None]:
    # Damaged files make zipfile, zlib and NumPy raise eight kinds of errors, and all mean the same.
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"{what}: {reason}. Check the path and its permissions.") from error
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        raise ValueError(f"{what} ({reason}). {COPY_AGAIN}") from error


def _header(arrays: Arrays) -> tuple[Header, str]:
    """The header, and the version that wrote it."""
    raw = _taken(arrays, "header", BITS)
    wanted = f"its header must have at most {MOST_HEADER_BYTES:,} bytes"
    require(len(raw) <= MOST_HEADER_BYTES, wanted, len(raw), "Ask fewer questions.")
    given = parse_json(raw.tobytes(), COPY_AGAIN, "its header")
    origin = convert_json(given, Origin, COPY_AGAIN, "header")
    remedy = f"Run it with survtree {origin.survtree}, which wrote it."
    require(
        1 <= origin.format <= FORMAT, f"its format must be 1 to {FORMAT}", origin.format, remedy
    )
    given = {IN_FORMAT_1.get(name, name): each for name, each in given.items()}
    return convert_json(given, Header, COPY_AGAIN, "header"), origin.survtree


def _taken(arrays: Arrays, name: str, dtype: "np.dtype[Any]") -> NDArray[Any]:
    """An array of one dimension and this type, which is removed from the others."""
    require(name in arrays, f"it must hold an array {name!r}", list(arrays), NOT_A_REPLAY)
    array = arrays.pop(name)
    wanted = f"its array {name!r} must have one dimension and the type {dtype}"
    is_right = array.ndim == 1 and array.dtype == dtype
    require(is_right, wanted, (array.shape, str(array.dtype)), COPY_AGAIN)
    return array


def _settings(given: dict[str, Any], n_rows: int, writer: str) -> SearchSettings:
    unknown = sorted(set(given) - {field.name for field in fields(SearchSettings)})
    remedy = f"Run it with survtree {writer}, which wrote it."
    require(not unknown, "it must have no settings that are not known here", unknown, remedy)
    settings = convert_json(given, SearchSettings, COPY_AGAIN, "header.settings")
    for field in fields(settings):
        _check_setting(field.name, getattr(settings, field.name), field.metadata, n_rows)
    return settings


def _check_setting(name: str, value: Any, metadata: Mapping[str, Any], n_rows: int) -> None:
    """Types are right already; what remains are ranges."""
    if name in BY_NAME:
        check_option(name, value)
        return
    wanted, is_right = f"a number from 0 to {LARGEST_COUNT}", True
    if "choices" in metadata:
        wanted = f"among {', '.join(map(repr, metadata['choices']))}"
        is_right = {*([value] if isinstance(value, str) else value)} <= {*metadata["choices"]}
    elif isinstance(value, np.ndarray):
        wanted = f"{n_rows} finite numbers >= 0, one a row"
        is_right = len(value) == n_rows and bool((np.isfinite(value) & (value >= 0)).all())
    elif value is not None:
        is_right = 0 <= value <= LARGEST_COUNT
    require(is_right, f"header.settings.{name} must be {wanted}", value, COPY_AGAIN)


def _problem(header: Header, arrays: Arrays, most_bytes: int) -> Problem:
    given = _arrays_of_answers(arrays)
    event = _taken(arrays, "event", BITS)
    others = _taken(arrays, OTHERS, BITS) if OTHERS in arrays else None
    time, weight = _taken(arrays, "time", FLOATS), _taken(arrays, "weight", FLOATS)
    copies = _taken(arrays, COPIES, CODES) if COPIES in arrays else None
    n = len(time)
    require(n > 0, "it must have at least one row", n, COPY_AGAIN)
    targets = _targets(arrays, n) if TARGETS in arrays else None
    require(not arrays, "it must hold no other arrays", list(arrays), COPY_AGAIN)
    p = len(header.questions.texts)
    is_coded = ANSWERS not in given
    answers = _coded(given, n, p) if is_coded else _answers(given[ANSWERS], n, p, most_bytes)
    flags = _unpacked("event", event, n).astype(bool)
    y = (flags, time) if others is None else _competing(flags, time, _unpacked(OTHERS, others, n))
    events: EventTable = check_outcome(y, weight, n)
    require(events.counts.all(), "its weights must be above 0", float(weight.min()), COPY_AGAIN)
    if copies is not None:
        events = replace(events, copies=_checked_copies(copies, n))
    asked = header.questions
    questions = RecordedQuestions.of(asked.texts, asked.ranks, asked.columns, asked.about)
    return Problem(answers, events, questions, **_numbers(header.problem), targets=targets)


def _checked_copies(copies: NDArray[np.uint32], n: int) -> NDArray[np.uint32]:
    """How many rows each one stands for."""
    wanted = f"its array {COPIES!r} must have a number from 1 on for each of {n} rows"
    is_right = len(copies) == n and bool((copies > 0).all())
    require(is_right, wanted, len(copies), COPY_AGAIN)
    n_rows = int(copies.sum(dtype=np.int64))
    wanted = f"its array {COPIES!r} must add up to at most {MOST_ROWS:,} rows"
    require(n_rows <= MOST_ROWS, wanted, n_rows, COPY_AGAIN)
    return copies


def _competing(flags: NDArray[np.bool_], time: NDArray[np.float64], others: Any) -> Outcome:
    """The outcome of rows of which some ended by another cause, which has no name here."""
    is_both = flags & others.astype(bool)
    require(not is_both.any(), "no row must end by two causes", int(is_both.sum()), COPY_AGAIN)
    flags, time = read_outcome((flags, time))
    cause = np.where(flags, np.uint8(1), np.where(others, np.uint8(2), np.uint8(0)))
    return Outcome(flags, time, cause, Causes(("1", "2"), 1))


def _arrays_of_answers(arrays: Arrays) -> Arrays:
    """The bits of all answers, or the three arrays of codes."""
    if CODED[0] in arrays:
        return {name: _taken(arrays, name, CODES) for name in CODED}
    return {ANSWERS: _taken(arrays, ANSWERS, BITS)}


def _answers(packed: NDArray[np.uint8], n: int, p: int, most_bytes: int) -> Answers:
    wanted = f"its answers, rows x questions, must unpack to at most {most_bytes:,} bytes"
    require(n * p <= most_bytes, wanted, (n, p), IF_TRUSTED)
    return _unpacked(ANSWERS, packed, n * p).reshape(n, p)


def _coded(given: Arrays, n: int, p: int) -> CodedAnswers:
    codes, column, cut = (given[name] for name in CODED)
    wanted = f"its array {CODED[0]!r} must have equally many codes for each of {n} rows"
    require(len(codes) % n == 0, wanted, len(codes), COPY_AGAIN)
    for name in CODED[1:]:
        wanted = f"its array {name!r} must have a number for each of {p} questions"
        require(len(given[name]) == p, wanted, len(given[name]), COPY_AGAIN)
    n_columns, most = len(codes) // n, int(column.max(initial=0))
    wanted = f"its array {CODED[1]!r} must have numbers below {n_columns}, the code columns"
    require(most < n_columns or p == 0, wanted, most, COPY_AGAIN)
    return CodedAnswers(codes.reshape(n_columns, n), column, cut)


def _targets(arrays: Arrays, n_rows: int) -> NDArray[np.float64]:
    """A vector per row, of a teacher."""
    numbers = _taken(arrays, TARGETS, FLOATS)
    wanted = (
        f"its array {TARGETS!r} must have finite numbers, equally many for each of {n_rows} rows"
    )
    is_right = len(numbers) > 0 and len(numbers) % n_rows == 0 and np.isfinite(numbers).all()
    require(bool(is_right), wanted, len(numbers), COPY_AGAIN)
    return numbers.reshape(n_rows, -1)


def _unpacked(name: str, packed: NDArray[np.uint8], n_bits: int) -> NDArray[np.uint8]:
    n = -(-n_bits // 8)
    wanted = f"its array {name!r} must have {n:,} bytes, a bit an answer"
    require(len(packed) == n, wanted, len(packed), COPY_AGAIN)
    return np.unpackbits(packed, count=n_bits)


def _numbers(given: dict[str, Any]) -> dict[str, Any]:
    """What a problem consists of beside its data."""
    numbers = [field for field in fields(Problem) if field.name not in DATA]
    wanted = [field.name for field in numbers]
    # What a file of an earlier version does not say has its default.
    defaults = {f.name: f.default for f in numbers if f.default is not MISSING}
    found = {**defaults, **given}
    names = ", ".join(wanted)
    # First what is not known: a long list is shown in part.
    told = sorted(given, key=lambda name: name in wanted)
    require(set(found) == set(wanted), f"its problem must tell {names}", told, COPY_AGAIN)
    # A problem has numbers where an option may have a word that stands for one.
    options = [
        replace(BY_NAME[name], default=defaults.get(name, MISSING), words=()) for name in wanted
    ]
    return {option.name: check_value(option, found[option.name]) for option in options}
