"""What the columns of a table are: left out, categories, or not covariates at all.

``roles_of_columns`` looks at the columns of a fit once. What it finds that must be said, but is no
error, is kept as sentences: whoever fits says them, as a ``DataWarning``, and the model keeps them.
"""

import re
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from survtree._base import DataWarning
from survtree._base.numbers import format_exact
from survtree._base.warn import warn
from survtree._base.words import did_you_mean, list_names, plain_name
from survtree._data.identifiers import (
    STARTS,
    STOPS,
    are_interval,
    begin_where_others_end,
    is_identifier,
    repeats_subjects,
)
from survtree._data.read_table import not_a_covariate, reads_as_number, text_of
from survtree._data.table import Column, Floats, Table, table_of

DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)?\s*")
DATE = re.compile(r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?")
# Text with more numbers than this is taken for numbers; a few others among them stand for gaps.
MOST_CODES, MOST_ODD = 10, 3
NUMBERS_ROWS = "is left out: it {} the rows, each of which has another value. To split on it, pass "


class ColumnRoles(NamedTuple):
    """Columns with categories where they were declared, those left out, and what must be said."""

    table: Table
    left_out: tuple[str, ...]
    cautions: tuple[str, ...]


def roles_of_columns(estimator: Any, table: Table) -> ColumnRoles:
    """The columns of a fit as the options ``categorical``, ``exclude`` and ``thresholds`` want."""
    categorical = check_names("categorical", estimator.categorical, table.names)
    exclude = check_names("exclude", estimator.exclude, table.names)
    first = check_rules_about_columns(estimator, table.names, exclude)
    if table.matrix is not None and not categorical and not exclude:
        return ColumnRoles(table, (), ())
    table = declared(table, categorical)
    thresholds = estimator.thresholds if isinstance(estimator.thresholds, dict) else {}
    named = {*categorical, *thresholds, *first}
    left_out, said = identifiers_among(table.columns, exclude, named)
    check_some_left(table.names, left_out)
    rest = [column for column in table.columns if column.name not in {*left_out, *named}]
    check_no_dates(rest)
    texts = [text for column in rest for text in cautions_of_levels(column)]
    return ColumnRoles(table, left_out, (*said, *texts))


def identifiers_among(
    columns: Sequence[Column], exclude: Iterable[str], named: Container[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns to leave out beside the excluded ones, unless they are named; and what to say."""
    excluded = list(exclude)
    numbering = [
        column
        for column in columns
        if column.name not in excluded and column.name not in named and is_identifier(column)
    ]
    repeated = [c for c in columns if c.name not in named and repeats_subjects(c)]
    found = [*excluded, *(column.name for column in (*numbering, *repeated))]
    said = (*(numbers_rows(c.name, c.kind) for c in numbering), *map(_repeats, repeated))
    return tuple(dict.fromkeys(found)), said


def without_repeats_of(column: str, cautions: Iterable[str]) -> tuple[str, ...]:
    """What is still to be said where the rows of each subject are kept together."""
    told = f"column {column!r} has "
    return tuple(text for text in cautions if not (text.startswith(told) and "groups=" in text))


def is_only_note(caution: str) -> bool:
    """Is all it says that a column is left out which numbers the rows, as nobody would split on?"""
    return any(NUMBERS_ROWS.format(what) in caution for what in ("numbers", "names"))


def warn_of_data(cautions: Iterable[str]) -> None:
    """A warning for each sentence."""
    for text in cautions:
        warn(text, DataWarning)


def names_in(value: Any) -> list[str]:
    """Names of columns, as an option holds them: in a list, a set, an array, an index of pandas."""
    if value is None:
        return []
    names: list[str] = value.tolist() if hasattr(value, "tolist") else list(value)
    return names


def check_names(option: str, names: Any, columns: Sequence[str]) -> list[str]:
    """Refuse names of columns that X does not have."""
    listed = names_in(names)
    for name in listed:
        if name not in columns:
            raise ValueError(
                f"{option} must name columns of X; there is no {name!r}. The columns are "
                f"{list_names(columns)}.{did_you_mean(name, columns)}"
            )
    return listed


def check_rules_about_columns(
    estimator: Any, columns: Sequence[str], exclude: Sequence[str]
) -> list[str]:
    """Refuse rules about columns that X does not have; the column of the first split, if any."""
    penalties = getattr(estimator, "column_penalties", None) or {}
    check_names("column_penalties", list(penalties), columns)
    wanted = getattr(estimator, "first_split", None)
    first = check_names("first_split", None if wanted is None else [wanted], columns)
    if wanted in exclude:
        raise ValueError(
            f"first_split must name a column that the tree may split on; {wanted!r} is in "
            "exclude. Leave it out of one of the two."
        )
    return first


def check_some_left(names: Sequence[str], left_out: Sequence[str]) -> None:
    """Refuse to leave out every column."""
    if set(names) <= set(left_out):
        raise ValueError(
            "X must have a column to split on; all are left out, because they are excluded or "
            f"number the rows: {list_names(names)}. Add the covariates."
        )


def declared(table: Table, categorical: Sequence[str]) -> Table:
    """The same table; the numbers of some columns are codes of categories."""
    if not categorical:
        return table
    return table_of(
        [
            as_levels(column)
            if column.name in categorical and column.kind in ("number", "flag")
            else column
            for column in table.columns
        ]
    )


def as_levels(column: Column) -> Column:
    """Numbers that are codes of categories: 2 and 2.0 are the level "2"."""
    is_missing = column.is_missing()
    distinct, places = np.unique(column.values[~is_missing], return_inverse=True)
    to_value = bool if column.kind == "flag" else float
    out = np.full(len(is_missing), -1)
    out[~is_missing] = places
    return Column(column.name, "level", out, tuple(text_of(to_value(v)) for v in distinct.tolist()))


def check_no_dates(columns: Sequence[Column]) -> None:
    """Refuse text that is all dates, as columns of the type of dates are refused."""
    for column in columns:
        levels = [column.levels[place] for place in column.occurring()] if column.is_text else []
        if len(levels) > 1 and all(DATE.fullmatch(level) for level in levels):
            raise ValueError(not_a_covariate(column.name, f"dates as text, such as {levels[0]!r}"))


def check_one_row_per_subject(table: Table, time: Floats, name: str) -> None:
    """Refuse start-stop data: rows that are intervals of a subject's time."""
    if table.matrix is not None:
        return
    numbers = {c.name: c for c in table.columns if c.kind == "number" and not c.is_missing().any()}
    ends = {n: np.asarray(c.values, dtype=np.float64) for n, c in numbers.items()}
    starts = [n for n in ends if plain_name(n) in STARTS]
    stops = [n for n in ends if plain_name(n) in STOPS]
    outcome = name or "time"
    for start in starts:
        for stop in stops:
            if are_interval(ends[start], ends[stop]):
                raise ValueError(_intervals(start, stop, ends[start], ends[stop]))
        is_named = plain_name(name) in STOPS
        chains = begin_where_others_end(ends[start], time)
        if (is_named or chains) and are_interval(ends[start], time):
            raise ValueError(_intervals(start, outcome, ends[start], time))
    is_start = plain_name(name) in {*STARTS, "time"}
    for stop in stops if is_start else ():
        is_pair = plain_name(stop) == "time2" or begin_where_others_end(time, ends[stop])
        if is_pair and are_interval(time, ends[stop]):
            raise ValueError(_intervals(outcome, stop, time, ends[stop]))


def _intervals(start: str, stop: str, starts: Floats, stops: Floats) -> str:
    row = int(np.argmax(starts > 0))
    ends = f"{format_exact(float(starts[row]))} to {format_exact(float(stops[row]))}"
    return (
        "X must have one row per subject, whose time counts from the subject's start; columns "
        f"{start!r} and {stop!r} are the ends of intervals (row {row}: {ends}), as in start-stop "
        "data. Neither late entry nor covariates that change can be fitted. Keep the first row of "
        "each subject, with the time from its first start to its last stop and whether that ended "
        f"in the event, and leave {start!r} out."
    )


def numbers_rows(name: str, kind: str) -> str:
    """What to say of a column that is left out because it numbers the rows, or names them."""
    keep, what = f"thresholds={{{name!r}: 'auto'}}", "numbers"
    if kind == "level":
        keep, what = f"categorical=[{name!r}]", "names"
    return f"column {name!r} {NUMBERS_ROWS.format(what)}{keep}."


def _repeats(column: Column) -> str:
    n = len(column.occurring() if column.kind == "level" else np.unique(column.values))
    return repeats_text(column.name, n, len(column.values))


def repeats_text(name: str, n: int, n_rows: int) -> str:
    """What to say of a column that seems to name subjects with several rows."""
    return (
        f"column {name!r} has {n:,} values in {n_rows:,} rows: if it names "
        "subjects, some have several rows, which the fit takes for different subjects, and all "
        "limits are too narrow, and folds that part them make scores too good. Keep one row per "
        f"subject, or pass groups={name!r} to the cross-validation and to bootstrap, which "
        "then keep the rows of a subject together. The column itself is left out."
    )


def cautions_of_levels(column: Column) -> list[str]:
    """What must be said of the levels of a column."""
    return [*reads_as_numbers(column), *levels_alike(column)]


def levels_alike(column: Column) -> list[str]:
    """What to say of levels that people write in more than one way, such as Male and male."""
    alike: dict[str, list[str]] = {}
    for place in column.occurring() if column.levels else ():
        level = column.levels[place]
        alike.setdefault(" ".join(level.casefold().split()), []).append(level)
    doubtful = [list_names(levels) for levels in alike.values() if len(levels) > 1]
    if not doubtful:
        return []
    n_more = len(doubtful) - 1
    more = f" (and {n_more:,} more such {'group' if n_more == 1 else 'groups'})" if n_more else ""
    return [
        f"column {column.name!r} has levels that differ only in upper and lower case or in spaces: "
        f"{doubtful[0]}{more}; each is a level of its own now. Make those that mean the same one "
        f"level, or pass categorical=[{column.name!r}] if all are meant."
    ]


def reads_as_numbers(column: Column) -> list[str]:
    """What to say of text that holds numbers; nothing if it does not, or only a few codes."""
    if not column.is_text:
        return []
    levels = [column.levels[place] for place in column.occurring()]
    numbers = [level for level in levels if is_numeric_text(level)]
    n_odd = len(levels) - len(numbers)
    if len(numbers) <= MOST_CODES or n_odd > MOST_ODD:
        return []
    comma = next((level for level in numbers if "," in level), None)
    how = " with decimal points" if comma else ""
    odd = [level for level in levels if not is_numeric_text(level)]
    also = f", and {list_names(odd)} missing" if odd else ""
    return [
        f"column {column.name!r} is text that reads as numbers, such as {comma or numbers[0]!r}; "
        f"each of its {len(levels):,} values is a level now. Make it numbers{how}{also}, or pass "
        f"categorical=[{column.name!r}] if they are codes."
    ]


def is_numeric_text(level: str) -> bool:
    """Does a text read as a number, perhaps with a decimal comma?"""
    return reads_as_number(level) or bool(DECIMAL_COMMA.fullmatch(level))
