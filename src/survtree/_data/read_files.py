"""Checks of files, of their columns, and of which columns hold the outcome."""

import csv
import difflib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from survtree._base.words import list_names, one_line_message, plain_name, with_other_rows

if TYPE_CHECKING:
    import polars as pl


FORMATS = {
    "csv": (".csv", ".csv.gz"),
    "tsv": (".tsv", ".tab", ".tsv.gz"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
}
ZIPPED = ".gz"  # read, but not written
STREAMS = ("-", "standard input")
FIRST_BYTES = {b"PAR1": "parquet", b"ARROW1": "arrow"}
# Names under which the outcome is found in published tables, without case and signs.
TIME_NAMES = frozenset(
    (
        *("time", "times", "duration", "durations", "survivaltime", "survtime", "futime"),
        *("followup", "followuptime", "timetoevent", "tte", "ostime", "dtime", "stime", "tenure"),
        *("t", "days", "weeks", "months", "years", "week", "month"),
    )
)
EVENT_NAMES = frozenset(
    (
        *("event", "events", "eventobserved", "eventflag", "osevent", "status", "fustat"),
        *("observed", "death", "died", "dead", "deceased", "failure", "failed", "relapse"),
        *("arrest", "churn", "churned"),
    )
)
LEAST_NUMBERS, MOST_ODD_TEXTS = 10, 3
MOST_CODES = 10  # distinct numbers; with more they may be times
MOST_NEAREST = 3
# As polars writes regular expressions: one comma between digits.
DECIMAL_COMMA = r"^([+-]?\d+),(\d+)$"


@contextmanager
def read_of(name: str, encoding: str) -> Iterator[None]:
    """Errors while a file is read become one line that names the file."""
    import polars.exceptions as pe

    try:
        yield
    except LookupError as error:
        raise ValueError(
            f"the encoding must be one that Python knows; got {encoding!r}. Pass utf-8 or latin-1."
        ) from error
    except UnicodeError as error:
        raise ValueError(
            f"{name} must be text in the encoding {encoding}; {one_line_message(error)}. "
            "Pass the encoding it has, often latin-1, with --text-encoding."
        ) from error
    except (pe.PolarsError, csv.Error) as error:
        message = one_line_message(error).split(" You might want to try")[0].rstrip(".")
        if "found more fields" in message:  # what polars advises is not to be had here
            message = "a line has more cells than the first one"
        raise ValueError(
            f"{name} must be a whole table; its reader says: {message}. Copy or write it again."
        ) from error


def format_of(name: str, given: str | None, first: bytes = b"", *, is_written: bool = False) -> str:
    """The format of a table: as given, by its first bytes, or by its name; a stream is CSV."""
    if given is not None:
        if given in FORMATS:
            return given
        raise ValueError(
            f"the format must be one of {', '.join(FORMATS)}; got {given!r}. Leave it out to go by "
            "the name of the file."
        )
    for start, kind in FIRST_BYTES.items():
        if first.startswith(start):
            return kind
    if name in STREAMS or name.startswith("/dev/"):
        return "csv"
    endings = {ending: kind for kind, endings in FORMATS.items() for ending in endings}
    known = [ending for ending in endings if not (is_written and ending.endswith(ZIPPED))]
    for ending in known:
        if name.lower().endswith(ending):
            return endings[ending]
    raise ValueError(
        f"{name} must end in one of {', '.join(known)}; it ends in {Path(name).suffix!r}. Rename "
        "it, or name its format."
    )


def check_header(name: str, header: Sequence[str]) -> None:
    """Refuse names that occur twice, which a reader would change."""
    seen: set[str] = set()
    for column in header:
        if column in seen:
            raise ValueError(
                f"{name} must have columns whose names differ; {column!r} occurs twice in its "
                "first line. Rename one of them."
            )
        seen.add(column)


def check_columns(what: str, names: Iterable[str], columns: Sequence[str], file: str) -> None:
    """Refuse names that a table does not have, and name the nearest that it has."""
    _check_all(names, columns, f"{what} must name a column of {file}")


def check_has_columns(model: Any, names: Sequence[str], schema: Any, file: str) -> list[str]:
    """The columns of a model that a table has; it must have all but those that were left out."""
    needed = [name for name in names if name not in model.excluded_]
    check_columns_of_model(needed, list(schema), file)
    return [name for name in names if name in schema]


def check_columns_of_model(names: Sequence[str], columns: Sequence[str], file: str) -> None:
    """Refuse a table without some columns that a model needs."""
    _check_all(names, columns, f"{file} must have the columns of the model")


def _check_all(names: Iterable[str], columns: Sequence[str], need: str) -> None:
    for name in names:
        if name not in columns:
            raise ValueError(f"{need}; there is no {name!r}. {_nearest(name, columns)}")


def _nearest(name: str, columns: Sequence[str]) -> str:
    by_lower = {column.lower(): column for column in reversed(columns)}
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=MOST_NEAREST)
    nearest = [by_lower[each] for each in close]
    if len(nearest) == 1:
        return f"The nearest is {nearest[0]!r}."
    return (
        f"The nearest are {list_names(nearest)}." if nearest else f"It has {list_names(columns)}."
    )


def guessed_role(what: str, names: frozenset[str], frame: "pl.DataFrame", file: str) -> str:
    """The only column that has one of the usual names."""
    columns = frame.columns
    found = [column for column in columns if plain_name(column) in names]
    if len(found) == 1:
        return found[0]
    came = f"{list_names(found)} could be meant" if found else "no column has a usual name for it"
    likely = "" if found else _likely(what, frame)
    raise ValueError(
        f"{what} must name a column of {file}; it was not passed, and {came}. {likely}Its columns "
        f"are {list_names(columns, 30)}."
    )


def _likely(what: str, frame: "pl.DataFrame") -> str:
    """Columns whose values could be event flags or times, in a sentence."""
    numbers = [s for s in frame if s.dtype.is_numeric() and s.null_count() < len(s)]
    if what == "--event":
        found = [s.name for s in frame if _holds_flags(s)]
        return f"Of 0 and 1, or true and false, are {list_names(found)}. " if found else ""
    found = [s.name for s in numbers if s.null_count() == 0 and s.n_unique() > MOST_CODES]
    found = [name for name in found if (frame[name] >= 0).all()]
    return f"Of numbers that are not negative are {list_names(found)}. " if found else ""


def _holds_flags(column: "pl.Series") -> bool:
    import polars as pl

    if column.dtype == pl.Boolean:
        return True
    is_number = column.dtype.is_numeric() and column.null_count() == 0
    return is_number and set(column.unique().head(3).to_list()) == {0, 1}


def check_event_values(column: "pl.Series", values: Sequence[str], file: str) -> "pl.Series":
    """Event flags of a column: 0/1, True/False, or whether it has one of some values."""
    import polars as pl

    if column.null_count():
        line = int(column.is_null().arg_true()[0])
        raise ValueError(
            f"{file}: the event column {column.name!r} must have a value in each row; row {line} "
            "has none. Remove the row."
        )
    if values:
        texts = column.cast(pl.Float64).cast(pl.String) if column.dtype.is_float() else column
        texts = texts.cast(pl.String).str.strip_suffix(".0")
        wanted = [value.removesuffix(".0") for value in values]
        known = sorted(texts.unique().to_list())
        check_values(column.name, wanted, known, file)
        return texts.is_in(wanted).alias(column.name)
    if column.dtype == pl.Boolean:
        return column
    known = column.unique().sort().head(10).to_list()
    if column.dtype.is_numeric() and set(known) <= {0, 1}:
        return (column == 1).alias(column.name)
    raise ValueError(
        f"{file}: the event column {column.name!r} must hold 1 (the event was seen) and 0 "
        f"(censored), or true and false; it holds {list_names(known, 5)}. Pass "
        "--event-value with the value that means the event; or, if they are competing causes, "
        "--cause with the one that the tree is about."
    )


def check_no_event_values(values: Sequence[str]) -> None:
    """Refuse values of an event beside a cause: the other causes would count as censored."""
    if values:
        raise ValueError(
            f"--event-value must be left out beside --cause; got {list_names(values)}. Name the "
            "cause that the tree is about with --cause alone."
        )


def check_value_is_told(event: str | None, values: Sequence[str], model: Any) -> None:
    """Refuse to read another column by the label that one cause had in the column of the fit."""
    causes, known = model.binarizer_.known_causes, model.roles_
    is_other = known is not None and event not in (None, known.event)
    if is_other and not values and causes is not None and not causes.are_several:
        raise ValueError(
            f"--event-value must say what the event is in the column {event!r}; the fit read "
            f"{known.event!r}, where it is {causes.target_name}. Pass --event-value with the value "
            f"of {event!r}."
        )


def check_no_cause(cause: str | None, censored: str | None) -> None:
    """Refuse a cause where a model is given, which knows the one it is about."""
    if cause is not None or censored is not None:
        raise ValueError(
            "--cause and --censored must be left out where a model is given, which knows its "
            f"causes; got {list_names([v for v in (cause, censored) if v is not None])}. Leave "
            "them out."
        )


def check_no_report(report: str | None) -> None:
    """Refuse a report of rows that are read in passes."""
    if report is not None:
        raise ValueError(
            "--report must be left out beside --stream, since it compares models on all rows; got "
            f"{report}. Leave it out, or pass --in-memory."
        )


def check_values(name: str, wanted: Sequence[str], known: Sequence[str], file: str) -> None:
    """Refuse event values that do not occur."""
    for value in wanted:
        if value not in known:
            raise ValueError(
                f"--event-value must be a value of the column {name!r} of {file}; there is no "
                f"{value!r}. It holds {list_names(known, 5)}."
            )


def check_odd_texts(frame: "pl.DataFrame", file: str, *, is_text: bool) -> None:
    """Refuse a text in a column of numbers, which would make levels of all of them."""
    import polars as pl

    for name, dtype in frame.schema.items():
        if dtype != pl.String:
            continue
        odd = _no_numbers(frame[name])
        n_numbers = frame[name].drop_nulls().n_unique() - len(odd)
        if 0 < len(odd) <= MOST_ODD_TEXTS and n_numbers > LEAST_NUMBERS:
            row, text = _first_of(odd, frame[name])
            where = f"{file}:{row + 2}" if is_text else f"{file}, row {row}"
            raise ValueError(
                f"{where}: column {name!r} must hold numbers; it has {text!r}. Pass --na "
                f"{shlex.quote(text)} if it means missing, or --categorical {shlex.quote(name)} if "
                "these are codes of categories, or clean the file."
            )


def check_still_numbers(frame: "pl.DataFrame", names: Iterable[str]) -> None:
    """Refuse a text in a column that had numbers or flags at the fit."""
    import polars as pl

    for name in names:
        odd = _no_numbers(frame[name]) if frame.schema[name] == pl.String else []
        odd = [text for text in odd if text.lower() not in ("true", "false")]
        if odd:
            row, text = _first_of(odd, frame[name])
            raise ValueError(
                f"column {name!r} must hold numbers or flags as at fit; row {row} has text: "
                f"{text!r}. Pass --na {shlex.quote(text)} if it means missing, or clean the file."
            )


def _no_numbers(column: "pl.Series") -> list[str]:
    """The distinct texts of a column that are no numbers, even with decimal commas."""
    import polars as pl

    distinct = column.drop_nulls().unique()
    numbers = distinct.str.strip_chars().str.replace(DECIMAL_COMMA, "${1}.${2}")
    odd: list[str] = distinct.filter(numbers.cast(pl.Float64, strict=False).is_null()).to_list()
    return odd


def _first_of(texts: Sequence[str], column: "pl.Series") -> tuple[int, str]:
    """The first row that has one of some texts, and which."""
    row = int(column.is_in(texts).fill_null(False).arg_true()[0])
    return row, column[row]


def check_has_names(model: Any, file: str) -> list[str]:
    """The columns that a model was fitted on."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            f"{file} must be a model of named columns; it was fitted on an array without names. "
            "Fit it on a frame."
        )
    return list(names)


def check_not_excluded(excluded: Iterable[str], outcome: Sequence[str]) -> None:
    """Refuse to leave out the outcome."""
    for name in outcome:
        if name in excluded:
            raise ValueError(
                "--exclude must not name time or event, which are never split on; got "
                f"{name!r}. Leave it out of --exclude."
            )


def check_own_column(role: str, name: str | None, taken: Mapping[Any, str]) -> None:
    """Refuse a column of weights or groups that holds something else already."""
    if name is not None and name in taken:
        raise ValueError(
            f"{role} must be a column of its own; {name!r} holds the {taken[name]}. Name another "
            f"column, or leave out {role}."
        )


def check_kept(kept: Sequence[str], made: Sequence[str]) -> None:
    """Refuse a column to copy that has the name of one that is made."""
    for name in kept:
        if name in made:
            raise ValueError(
                f"--keep must not name a column that predictions have too; {name!r} is one of "
                f"{list_names(made)}. Rename it in the file."
            )


@contextmanager
def in_rows(first: int, last: int) -> Iterator[None]:
    """Errors about part of a file say which part, and number its rows as those of the file."""
    try:
        yield
    except ValueError as error:
        message = with_other_rows(str(error), lambda row: f"row {first + row}")
        raise ValueError(f"rows {first + 1:,} to {last:,} of the file: {message}") from error


def check_can_write(path: str) -> None:
    """Refuse a file that cannot be written, before the work is done."""
    folder = Path(path).parent
    if Path(path).is_dir():
        raise ValueError(f"{path} must be a file; it is a folder. Name a file in it.")
    if not folder.is_dir():
        raise ValueError(f"{path} must be in a folder that exists; {folder} does not. Make it.")
    if not os.access(folder, os.W_OK):
        raise ValueError(
            f"{path} must be in a folder that can be written to; {folder} cannot. Choose another."
        )
