"""Rows of a study, read and checked: for a fit, or later against the columns of the fit.

``read_study`` reads covariates and outcomes, of a fit or of other rows whose outcome is known;
``read_new_rows`` reads rows to predict.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import narwhals as nw
import numpy as np

from survtree._base.warn import warn
from survtree._base.words import list_names, with_other_rows
from survtree._data.read_columns import (
    ColumnRoles,
    as_levels,
    check_one_row_per_subject,
    names_in,
    roles_of_columns,
)
from survtree._data.read_events import cautions_of_censored, check_outcome
from survtree._data.read_index import matched
from survtree._data.read_outcome import cautions_of_event, check_events, name_of_time
from survtree._data.read_table import as_frame, check_table, default_names, reads_as_number
from survtree._data.table import Bools, Column, EventTable, Kind, Places, Table, table_of

T = TypeVar("T")
MOST_SHOWN = 5
CountOf: TypeAlias = Callable[[Bools], int]  # how many rows some entries are
TAKE_MISSING = ("question", "better")  # values of ``missing`` with which rows may have gaps


class Seen(NamedTuple):
    """What the fit saw of a column: its kind and levels, if it was 0/1, if values were missing."""

    kind: Kind
    levels: frozenset[str] = frozenset()
    is_zero_one: bool = False
    has_missing: bool = False
    is_left_out: bool = False  # no tree splits on it, and no teacher sees it

    @classmethod
    def of(cls, column: Column, *, is_left_out: bool = False) -> "Seen":
        """What there is to see of a column; levels of one that is left out are not kept."""
        if is_left_out:
            return cls(column.kind, is_left_out=True)
        is_zero_one = column.kind == "flag"
        if column.kind == "number":
            # Most columns are found out by their first rows; NaN is neither 0 nor 1.
            is_zero_one = all(
                bool(((v == 0) | (v == 1) | np.isnan(v)).all())
                for v in (column.values[:64], column.values)
            )
        levels = column.levels
        if column.kind == "level":
            levels = tuple(levels[place] for place in column.occurring())
        return cls(column.kind, frozenset(levels), is_zero_one, bool(column.is_missing().any()))


class Study(NamedTuple):
    """Rows with covariates and outcomes, and which of the user's rows they are.

    Columns that are ``left_out`` are in the table, but nobody looks at them. ``cautions`` are
    sentences about the columns that the user of a fit should be told.
    """

    table: Table
    events: EventTable
    is_kept: Bools
    left_out: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def some_kept(self) -> Bools | None:
        """Which of the user's rows these are; None: all of them."""
        return None if self.is_kept.all() else self.is_kept

    @property
    def covariates(self) -> Table:
        """Without the columns that are left out."""
        return self.table.without(self.left_out)


def read_study(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    missing: str,
    seen: Sequence[Seen] | None = None,
) -> Study:
    """Rows whose outcome is known, without those of weight 0; missing values may leave out more.

    With ``seen`` they must have the columns of the fit. Without, they are the rows to fit on, and
    the estimator gets ``n_features_in_`` and ``feature_names_in_``.
    """
    table, left_out, cautions = read_columns(estimator, X, seen)
    y, sample_weight = matched(X, y, sample_weight)
    events = check_outcome(y, sample_weight, table.n_rows)
    if seen is None:
        check_one_row_per_subject(table, events.time, name_of_time(y))
        cautions = (*cautions, *cautions_of_event(y), *cautions_of_censored(y, events))
    is_kept = events.counts
    if not is_kept.all():
        table, events = table.take(is_kept), check_events(events.counted())
    covariates, rows = table.without(left_out), np.flatnonzero(is_kept)
    is_complete = with_rows(rows, lambda: rows_kept(covariates, missing, events.event))
    if not is_complete.all():
        table, events = table.take(is_complete), check_events(events.take(is_complete))
        is_kept[is_kept] = is_complete
    if seen is not None:
        table = with_rows(np.flatnonzero(is_kept), lambda: check_kinds(table, seen))
    return Study(table, events, is_kept, left_out, cautions)


def with_rows(rows: Sequence[int] | Places, check: Callable[[], T]) -> T:
    """What a check returns; an error that names one of these rows by its place has its number."""
    try:
        return check()
    except ValueError as error:
        raise ValueError(with_other_rows(str(error), lambda at: f"row {rows[at]}")) from None


def read_columns(estimator: Any, X: Any, seen: Sequence[Seen] | None = None) -> ColumnRoles:
    """The columns of a fit, or later those that it saw, and which of them are left out."""
    if seen is None:
        excluded = tuple(names_in(getattr(estimator, "exclude", None)))
        return roles_of_columns(estimator, check_table(estimator, X, reset=True, left_out=excluded))
    names = getattr(estimator, "feature_names_in_", default_names(len(seen)))
    left_out = left_out_by(seen, list(names))
    X = _with_left_out(estimator, X, seen)
    table = check_table(estimator, X, reset=False, left_out=left_out)
    return ColumnRoles(table, left_out, ())


def _with_left_out(estimator: Any, X: Any, seen: Sequence[Seen]) -> Any:
    """X; if it is a frame that lacks columns that the fit left out, with empty ones there."""
    names = list(getattr(estimator, "feature_names_in_", ()))
    left_out = left_out_by(seen, names) if names else ()
    frame = as_frame(X) if left_out else None
    if frame is None or set(left_out) <= set(frame.columns):
        return X
    order = list(frame.columns)
    absent = [name for name in left_out if name not in order]
    for name in absent:
        order.insert(names.index(name), name)
    empty = (nw.lit(None, nw.Float64).alias(name) for name in absent)
    return frame.with_columns(*empty).select(order).to_native()


def left_out_by(seen: Sequence[Seen], names: Sequence[str]) -> tuple[str, ...]:
    """The columns that the fit left out."""
    return tuple(name for name, each in zip(names, seen, strict=True) if each.is_left_out)


def texts_by(seen: Sequence[Seen], names: Sequence[str]) -> dict[str, frozenset[str]]:
    """The levels of columns that were text or categories at the fit, without those left out.

    Flags that were declared to be categories can be read as flags again.
    """
    return {
        name: each.levels
        for name, each in zip(names, seen, strict=True)
        if each.kind in ("level", "ordered") and not each.levels <= {"True", "False"}
    }


def numbers_by(seen: Sequence[Seen], names: Sequence[str]) -> list[str]:
    """The columns that had numbers or flags at the fit, without those that it left out."""
    pairs = zip(names, seen, strict=True)
    kinds = ("number", "flag")
    return [name for name, each in pairs if each.kind in kinds and not each.is_left_out]


def read_new_rows(estimator: Any, X: Any, seen: Sequence[Seen], missing: str) -> Table:
    """Rows to predict, with the columns of the fit."""
    table, left_out, _ = read_columns(estimator, X, seen)
    check_missing(table.without(left_out), missing, is_fit=False)
    return check_kinds(table, seen)


def rows_kept(table: Table, missing: str, event: Bools | None = None) -> Bools:
    """The rows to fit on: all, or with ``missing="drop"`` those without a missing value."""
    if missing != "drop":
        check_missing(table, missing)
        return np.ones(table.n_rows, dtype=bool)
    is_complete = ~table.is_missing_anywhere()
    check_some_rows(is_complete, event)
    return is_complete


def check_missing(table: Table, policy: str, *, is_fit: bool = True) -> None:
    """Refuse missing values unless the policy has a use for them."""
    if policy in TAKE_MISSING or table.matrix is not None:
        return
    found = [(column.name, column.is_missing()) for column in table.columns]
    counts = [(name, int(gone.sum()), int(np.argmax(gone))) for name, gone in found if gone.any()]
    if counts:
        raise ValueError(missing_message(counts, table.n_rows, policy, is_fit=is_fit))


def missing_message(
    counts: Sequence[tuple[str, int, int]], n_rows: int, policy: str, *, is_fit: bool = True
) -> str:
    """About columns with missing values: their names, how many, and the first row that has one."""
    listed = ", ".join(f"{name!r} ({n:,}, the first in row {row})" for name, n, row in counts[:10])
    more = f" and {len(counts) - 10} more" if len(counts) > 10 else ""
    remedy = (
        "Fill them, or pass missing='question' (the tree may split on being missing) or "
        "missing='drop' (leave these rows out)."
        if is_fit
        else "Fill them as before the fit, or fit with missing='question'."
    )
    if policy == "drop":
        remedy = (
            "missing='drop' leaves rows out of the fit; a row to predict must be filled, or the "
            "model fitted with missing='question'."
        )
    return (
        f"X must not have missing values (NaN or null); of {n_rows:,} rows, values "
        f"are missing in {listed}{more}. {remedy}"
    )


def check_some_rows(is_complete: Bools, event: Bools | None) -> None:
    """Refuse to leave out so many rows that none is left, or none with an event."""
    has_events = event is None or bool(event[is_complete].any())
    check_rows_left(len(is_complete), int(is_complete.sum()), has_events=has_events)


def check_rows_left(n: int, n_left: int, *, has_events: bool) -> None:
    """The same, of so many rows of which so many are left."""
    if n_left > 0 and has_events:
        return
    problem = (
        f"missing='drop' leaves no row: each of {n:,} has a missing value"
        if n_left == 0
        else f"no event was observed in the rows that missing='drop' leaves ({n_left:,} of {n:,}, "
        "all censored)"
    )
    raise ValueError(
        f"{problem}. Leave out the columns that are mostly missing, or pass missing='question'."
    )


def check_kinds(table: Table, seen: Sequence[Seen]) -> Table:
    """The table with each column of the kind it had at fit, or an error that names it."""
    if table.matrix is not None and all(s.is_zero_one for s in seen):
        return table
    columns = [_as_seen(column, s) for column, s in zip(table.columns, seen, strict=True)]
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    return table_of(columns)


def _as_seen(column: Column, seen: Seen) -> Column:
    is_alike = column.kind == seen.kind or {column.kind, seen.kind} == {"level", "ordered"}
    if seen.is_left_out or is_alike:
        return column
    is_missing = column.is_missing()
    if is_missing.all():
        gone = np.nan if seen.kind == "number" else -1
        return Column(column.name, seen.kind, np.full(len(column.values), gone))
    if seen.kind in ("number", "flag"):
        if column.kind in ("number", "flag"):
            numbers = np.where(is_missing, np.nan, column.values.astype(np.float64))
            return column._replace(kind="number", values=numbers)
        row = _first_odd_row(column, ~is_missing)
        wanted = "numbers" if seen.kind == "number" else "flags (True/False or 1/0)"
        raise ValueError(
            f"column {column.name!r} must hold {wanted} as at fit; row {row} has text: "
            f"{column.levels[column.values[row]]!r}. Convert the column to {wanted.split()[0]}."
        )
    return as_levels_seen(column, seen)


def as_levels_seen(column: Column, seen: Seen) -> Column:
    """Numbers or flags as levels, which are spelled as those of the fit.

    Of levels such as TRUE, FALSE and UNKNOWN some rows may have only the first two.
    """
    found = as_levels(column)
    spelled = {level.lower(): level for level in seen.levels} if column.kind == "flag" else {}
    levels = (spelled.get(level.lower(), level) for level in found.levels)
    return found._replace(levels=tuple(levels))


def _first_odd_row(column: Column, is_present: Bools) -> int:
    """The first row with a text that is no number; if there is none, the first with a text."""
    is_odd = np.array([not reads_as_number(level) for level in column.levels])
    is_here = is_present & is_odd[column.values]
    return int(np.argmax(is_here if is_here.any() else is_present))


def warn_of_unseen(
    table: Table, seen: Mapping[int, Seen], count: CountOf = np.count_nonzero
) -> None:
    """One warning for all values that the fit did not see in the columns (by place) of ``seen``.

    ``count`` says how many rows some of the table's rows are, which may be groups.
    """
    if table.matrix is not None:
        return
    looked_at = ((j, each) for j, each in seen.items() if not each.is_left_out)
    found = [text for j, each in looked_at for text in _unseen(table.columns[j], each, count)]
    if found:
        warn(
            f"rows hold values that the fit did not see: {'; '.join(found)}. Check their spelling "
            "and coding, or fit on rows that have them."
        )


def _unseen(column: Column, seen: Seen, count: CountOf) -> Iterator[str]:
    """What is new in a column, and how it is treated."""
    has = f"column {column.name!r} has"
    is_missing = column.is_missing()
    if is_missing.any() and not seen.has_missing:
        n = count(is_missing)
        values = "value, which answers" if n == 1 else "values, which answer"
        yield f"{has} {n:,} missing {values} no to its questions"
    if column.levels:
        is_new = np.array([level not in seen.levels for level in column.levels])
        rows = ~is_missing & is_new[column.values]
        new = [column.levels[k] for k in np.unique(column.values[rows])]
        if new:
            answer = "answers" if len(new) == 1 else "answer"
            which = f"{list_names(new, MOST_SHOWN)} ({_rows(count(rows))}), which {answer}"
            yield f"{has} {which} no to its questions"
    elif (seen.is_zero_one or seen.kind == "flag") and column.kind == "number":
        is_odd = ~is_missing & (column.values != 0) & (column.values != 1)
        if is_odd.any():
            odd = f"{column.values[is_odd][0]:g} ({_rows(count(is_odd))})"
            yield f"{has} {odd} instead of 0 or 1; above 0.5 counts as 1"


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"
