"""Which columns of a lazy table are left out, and what must be said of its columns.

The rules are those of ``identifiers``; here passes over all rows find what they ask about.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from survtree._base.words import plain_name
from survtree._data.column_summaries import MOST_SORTED, TEXTS, Facts
from survtree._data.identifiers import (
    FEWEST_NAMED,
    FEWEST_ROWS,
    MEASURED,
    MOST_ROWS_OF_ONE,
    STARTS,
    STOPS,
    is_named_as_identifier,
    is_named_as_subject,
)
from survtree._data.lazy_rows import ROW, LazyRows, collected
from survtree._data.read_columns import (
    check_names,
    check_one_row_per_subject,
    check_rules_about_columns,
    check_some_left,
    names_in,
    numbers_rows,
    repeats_text,
)
from survtree._data.read_lazy import is_gap
from survtree._data.read_table import column_of_array
from survtree._data.table import table_of

ROWS_LOOKED_AT = 100_000  # for intervals of time
NEARLY_ALL = 0.95  # of the rows, where distinct values are only estimated


class LazyRoles(NamedTuple):
    """Columns that are left out, those that hold categories, and what must be said of columns."""

    left_out: tuple[str, ...]
    categorical: tuple[str, ...]
    cautions: tuple[str, ...]


def named_columns(estimator: Any, names: Sequence[str]) -> tuple[list[str], set[str]]:
    """The columns that a user excludes, and those that the user names in other options."""
    categorical = check_names("categorical", estimator.categorical, names)
    exclude = check_names("exclude", estimator.exclude, names)
    first = check_rules_about_columns(estimator, names, exclude)
    thresholds = estimator.thresholds if isinstance(estimator.thresholds, dict) else {}
    return exclude, {*categorical, *thresholds, *first}


def lazy_roles(
    estimator: Any, frame: pl.LazyFrame, facts: Sequence[Facts], n_rows: int, names: Sequence[str]
) -> LazyRoles:
    """The roles of columns, of which the excluded ones are not among the facts."""
    exclude, named = named_columns(estimator, names)
    said, left_out = [], list(exclude)
    for each in facts:
        text = "" if each.name in named else _caution(frame, each, n_rows)
        if text:
            said.append(text)
            left_out.append(each.name)
    check_some_left(names, left_out)
    return LazyRoles(tuple(left_out), tuple(names_in(estimator.categorical)), tuple(said))


def _caution(frame: pl.LazyFrame, facts: Facts, n_rows: int) -> str:
    """Why a column is left out, if it is."""
    is_text, name = facts.dtype in TEXTS, facts.name
    is_named, is_subject = is_named_as_identifier(name), is_named_as_subject(name)
    n_known = n_rows - facts.n_missing
    # A subject may be unknown; what numbers rows has no gaps.
    if n_known < FEWEST_NAMED or (facts.n_missing and not is_subject):
        return ""
    if not is_text and not is_named and not is_subject:
        is_numbering = n_rows >= FEWEST_ROWS and _counts_up(frame, facts, n_rows)
        return numbers_rows(name, "number") if is_numbering else ""
    if not is_text and not (facts.dtype.is_numeric() and _is_whole(frame, facts)):
        return ""
    n_values = _n_distinct(frame, facts, n_known)
    kind = "level" if is_text else "number"
    if n_values == n_known and (is_named or n_rows >= FEWEST_ROWS):
        is_measured = is_text and not is_named and _is_measured(frame, name)
        return "" if is_measured else numbers_rows(name, kind)
    is_long = is_subject and not facts.n_missing and n_rows >= FEWEST_ROWS
    is_repeated = is_long and n_rows / MOST_ROWS_OF_ONE <= n_values
    return repeats_text(name, n_values, n_rows) if is_repeated else ""


def _n_distinct(frame: pl.LazyFrame, facts: Facts, n_known: int) -> int:
    """How many values occur in so many rows that have one.

    Exact for tables that could be sorted; an estimate near all rows counts as all.
    """
    is_few = facts.dtype in TEXTS and facts.n_distinct < n_known / (2 * MOST_ROWS_OF_ONE)
    if not is_few and n_known <= MOST_SORTED:
        known = pl.col(facts.name).filter(~is_gap(facts.name, facts.dtype))
        return int(collected(frame.select(known.n_unique())).item())
    return n_known if facts.n_distinct >= NEARLY_ALL * n_known else facts.n_distinct


def _is_whole(frame: pl.LazyFrame, facts: Facts) -> bool:
    if facts.dtype.is_integer():
        return True
    x = pl.col(facts.name)
    return bool(collected(frame.select((x == x.floor()).all())).item())


def _is_measured(frame: pl.LazyFrame, name: str) -> bool:
    text = pl.col(name).cast(pl.String)
    return bool(collected(frame.select(text.str.contains(f"^{MEASURED.pattern}$").any())).item())


def _counts_up(frame: pl.LazyFrame, facts: Facts, n_rows: int) -> bool:
    """Whether each value is by the same above the one before."""
    if not facts.dtype.is_integer() or facts.high is None:
        return False
    step, rest = divmod(int(facts.high) - int(facts.low), n_rows - 1)
    if rest or step == 0:
        return False
    wanted = pl.col(ROW).cast(pl.Int64) * step + int(facts.low)
    numbered = frame.select(pl.col(facts.name).cast(pl.Int64)).with_row_index(ROW)
    return bool(collected(numbered.select((pl.col(facts.name) == wanted).all())).item())


def check_no_intervals(rows: LazyRows, names: Sequence[str]) -> None:
    """Refuse start-stop data, by the first rows, where names of columns suggest it."""
    schema = rows.frame.collect_schema()
    maybe = [n for n in names if plain_name(n) in STARTS | STOPS and schema[n].is_numeric()]
    if not maybe:
        return
    some = collected(rows.frame.select(rows.time, *maybe).head(ROWS_LOOKED_AT))
    columns = [column_of_array(name, some[name].cast(pl.Float64).to_numpy()) for name in maybe]
    time = some[rows.time].cast(pl.Float64).to_numpy()
    check_one_row_per_subject(table_of(columns), time, rows.time)
