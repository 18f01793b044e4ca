"""Checks of rows that are not in memory: the same messages, found by passes over all rows.

``check_lazy`` reads what a user passes as a lazy frame, ``read_lazy_outcome`` what its columns of
the outcome mean.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from survtree._base.words import list_names, row_named, with_other_rows
from survtree._data.causes import Causes, with_cause, with_known_causes
from survtree._data.column_summaries import Facts, facts_of
from survtree._data.lazy_rows import ROW, LazyRows, as_query, collected
from survtree._data.read_events import read_events
from survtree._data.read_files import (
    check_columns_of_model,
    check_event_values,
    check_own_column,
)
from survtree._data.read_outcome import (
    check_differ,
    check_is_column,
    check_time,
    numbers_of,
)
from survtree._data.read_roles import Roles
from survtree._data.read_rows import Seen, check_kinds, missing_message, with_rows
from survtree._data.read_table import column_of_numbers, column_of_series
from survtree._data.read_weight import check_weight
from survtree._data.table import Codes, Table, table_of

ROWS_LOOKED_AT = 1000  # for what the type of a column tells
MOST_EVENT_VALUES = 1000


def check_lazy(
    X: Any,
    y: Any,
    sample_weight: Any,
    duration_col: Any,
    event_col: Any,
    cause: Any = None,
    censored: Any = None,
) -> LazyRows:
    """A lazy frame and the columns that hold its outcome."""
    if isinstance(X, LazyRows):
        return X
    frame = nw.from_native(X, pass_through=True)
    query = as_query(frame)
    if query is None:
        raise TypeError(
            "a lazy X must be a polars LazyFrame, a duckdb relation or a dask frame; it is of "
            f"{type(X).__module__}.{type(X).__name__}. Write it to a Parquet file and pass "
            "polars.scan_parquet(file)."
        )
    if y is not None or duration_col is None or event_col is None:
        raise ValueError(
            "a lazy X must hold its outcome: pass duration_col and event_col, and no y; got "
            f"{_came(y, duration_col, event_col)}. Name the two columns, or collect X first."
        )
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise TypeError(
            "sample_weight must be the name of a column where X is lazy; it is of type "
            f"{type(sample_weight).__name__}. Add the weights to the frame as a column."
        )
    names = query.collect_schema().names()
    roles = {"duration_col": duration_col, "event_col": event_col, "sample_weight": sample_weight}
    for role, name in roles.items():
        if name is not None:
            check_is_column(role, name, names)
    check_differ(duration_col, event_col)
    check_own_column("sample_weight", sample_weight, {duration_col: "times", event_col: "events"})
    return LazyRows(query, duration_col, event_col, sample_weight, cause, censored)


def check_lazy_again(
    X: Any, y: Any, sample_weight: Any, roles: Roles | None, *, needs_weight: bool
) -> LazyRows:
    """Lazy rows for a model that is fitted: their outcome is in the columns of the fit."""
    if isinstance(X, LazyRows):
        return X
    if roles is None:
        raise ValueError(
            "a lazy X must hold its outcome in the columns from which the fit took it; this fit "
            "was given y. Collect X, and pass y."
        )
    if not needs_weight:
        roles = roles.in_columns(nw.from_native(X).collect_schema().names())
    weight = roles.weight if sample_weight is None else sample_weight
    rows = check_lazy(X, y, weight, roles.time, roles.event)
    return replace(rows, event_values=roles.event_values)


def _came(y: Any, duration_col: Any, event_col: Any) -> str:
    given = {"y": y, "duration_col": duration_col, "event_col": event_col}
    return list_names([name for name, value in given.items() if value is not None]) or "none"


@dataclass(frozen=True)
class LazyOutcome:
    """What the event column of lazy rows means: a code for each of its values.

    Codes are those of causes; without competing risks 1 is an event, and 0 censored. ``causes`` are
    the labels of the one cause then, if flags do not tell it.
    """

    values: pl.Series
    codes: Codes
    is_event: tuple[bool, ...]  # by code
    causes: Causes | None
    time: Facts  # of all rows


def read_lazy_outcome(rows: LazyRows, known: Causes | None = None) -> LazyOutcome:
    """The meaning of the event column; times and weights are checked as well."""
    frame = rows.frame
    _check_type(frame, rows.time, lambda values: check_time(values, "time"))
    n_rows, (time, *_) = facts_of(frame, [rows.time])
    if n_rows == 0:
        raise ValueError(
            "X must have at least one row; it has none. Look at what filtered its rows."
        )
    bad = pl.col(rows.time).is_null()
    if time.dtype.is_float():
        bad = bad | pl.col(rows.time).is_nan()
    for which, occurs in (
        (bad, time.n_missing > 0),
        (pl.col(rows.time).cast(pl.Float64).is_infinite(), _is_infinite(time)),
        (pl.col(rows.time) < 0, time.low is not None and time.low < 0),
    ):
        if occurs:
            _refuse_first(frame, rows.time, which, lambda values: check_time(values, "time"))
    if rows.weight is not None:
        _check_weights(rows)
    return _event_codes(rows, known, time)


def _is_infinite(facts: Facts) -> bool:
    return any(value is not None and np.isinf(float(value)) for value in (facts.low, facts.high))


def _check_type(frame: pl.LazyFrame, name: str, check: Any) -> None:
    """Of the first rows: whether a column is of a type at all that can be read."""
    check(collected(frame.select(name).head(ROWS_LOOKED_AT))[name])


def _refuse_first(frame: pl.LazyFrame, name: str, which: pl.Expr, check: Any) -> None:
    """What a check says of the first such row."""
    where = frame.select(name).with_row_index(ROW).filter(which).head(1)
    found = collected(where)
    with_rows(found[ROW].to_list(), lambda: check(found[name]))


def _check_weights(rows: LazyRows) -> None:
    name, frame = str(rows.weight), rows.frame
    _check_type(frame, name, lambda values: numbers_of("sample_weight", values))
    weight = pl.col(name).cast(pl.Float64)
    is_bad = weight.is_null() | weight.is_nan() | weight.is_infinite() | (weight < 0)
    above = weight.filter(weight > 0)
    asked = is_bad.any().alias("bad"), above.min().alias("low"), above.max().alias("high")
    found = collected(frame.select(*asked)).row(0, named=True)
    if found["bad"]:
        _refuse_first(frame, name, is_bad, lambda values: check_weight(values, 1))
    check_weight(np.array([found["low"] or 0.0, found["high"] or 0.0]), 2)


def _event_codes(rows: LazyRows, known: Causes | None, time: Facts) -> LazyOutcome:
    """The codes of all values of the event column."""
    name = rows.event
    found = collected(rows.frame.select(name).group_by(name, maintain_order=True).len("rows of it"))
    if rows.event_values and len(found) > MOST_EVENT_VALUES:
        raise ValueError(
            f"the event column must have at most {MOST_EVENT_VALUES:,} different values where rows "
            f"are read in passes; {name!r} has {len(found):,}. Make a column of flags first."
        )
    values = found[name].head(MOST_EVENT_VALUES)

    def read() -> Any:
        flags = values
        if rows.event_values:
            flags = check_event_values(values, rows.event_values, "the table")
        # Times that no cause can be taken for. Values of an event say themselves what they mean.
        pair = flags, np.arange(len(values)) + 0.5
        of_fit = None if rows.event_values else known
        return read_events(with_known_causes(with_cause(pair, rows.cause, rows.censored), of_fit))

    try:
        outcome = read()
    except ValueError as error:
        at = row_named(str(error))
        if at is None:
            raise
        value = values[at]
        which = pl.col(name).is_null() if value is None else pl.col(name).eq_missing(value)
        row = _first_row(rows.frame, [name], which)
        raise ValueError(with_other_rows(str(error), lambda _: f"row {row}")) from None
    codes = outcome.event.astype(np.uint8) if outcome.cause is None else outcome.cause
    n_codes = 2 if outcome.causes is None else len(outcome.causes.names) + 1
    target = 1 if outcome.causes is None else outcome.causes.target
    is_event = tuple(code == target for code in range(n_codes))
    return LazyOutcome(values, codes, is_event, outcome.causes, time)


def check_covariate_types(frame: pl.LazyFrame, names: Sequence[str]) -> None:
    """Refuse columns that hold neither numbers nor flags nor categories."""
    schema = frame.collect_schema()
    for name in names:
        column_of_series(name, nw.from_native(pl.Series(name, [], schema[name]), series_only=True))


def check_finite(frame: pl.LazyFrame, facts: Sequence[Facts]) -> None:
    """Refuse infinite numbers."""
    for each in facts:
        if each.dtype.is_float() and _is_infinite(each):
            which = pl.col(each.name).is_infinite()
            _refuse_first(
                frame,
                each.name,
                which,
                lambda values, name=each.name: column_of_numbers(name, values.to_numpy()),
            )


def check_as_seen(frame: pl.LazyFrame, seen: Mapping[str, Seen]) -> pl.LazyFrame:
    """The columns of a fit, by name, in a frame that has them with the kinds they had there."""
    schema = frame.collect_schema()
    check_columns_of_model(list(seen), schema.names(), "the table")
    check_covariate_types(frame, list(seen))
    flags = []
    for name, each in seen.items():
        dtype = schema[name]
        if each.kind not in ("number", "flag") or dtype.is_numeric():
            continue
        if dtype == pl.Boolean:
            flags += [name] if each.kind == "number" else []
        elif dtype != pl.Null:
            # Rather a text that is no number, which made all others text.
            is_text = pl.col(name).is_not_null()
            is_odd = is_text & pl.col(name).cast(pl.Float64, strict=False).is_null()
            has_odd = dtype == pl.String and collected(frame.select(is_odd.any())).item()
            _refuse_first(frame, name, is_odd if has_odd else is_text, _refusal(name, each))
    return frame.with_columns(pl.col(flags).cast(pl.Int8)) if flags else frame


def _refusal(name: str, seen: Seen) -> Callable[[pl.Series], Table]:
    """What is said of the first text in a column that had numbers or flags."""

    def check(values: pl.Series) -> Table:
        column = column_of_series(name, nw.from_native(values, series_only=True))
        return check_kinds(table_of([column]), [seen])

    return check


def check_no_gaps(rows: LazyRows, facts: Sequence[Facts], n_rows: int) -> None:
    """Refuse missing values; the facts are those of the rows, so many, that have a weight."""
    found = [each for each in facts if each.n_missing]
    if found:
        counts = [(each.name, each.n_missing, _first_gap(rows, each)) for each in found]
        raise ValueError(missing_message(counts, n_rows, "error"))


def _first_gap(rows: LazyRows, facts: Facts) -> int:
    """The number, among all rows, of the first one that has a weight and no value."""
    which = is_gap(facts.name, facts.dtype)
    if rows.weight is None:
        return _first_row(rows.frame, [facts.name], which)
    return _first_row(rows.frame, [facts.name, rows.weight], which & (pl.col(rows.weight) > 0))


def _first_row(frame: pl.LazyFrame, names: Sequence[str], which: pl.Expr) -> int:
    """The number of the first such row, looking at these columns."""
    found = collected(frame.select(names).with_row_index(ROW).filter(which).head(1))
    return int(found[ROW][0])


def is_gap(name: str, dtype: pl.DataType) -> pl.Expr:
    """Where a column has no value."""
    gap = pl.col(name).is_null()
    return gap | pl.col(name).is_nan() if dtype.is_float() else gap
