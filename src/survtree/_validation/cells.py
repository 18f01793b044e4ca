"""New rows against the columns of the fit: the same kinds of cells, and values seen before."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from survtree._table import Column, Kind, Table, table_of
from survtree._validation.columns import text_of

MOST_SHOWN = 5


class Seen(NamedTuple):
    """What the fit saw of a column: its kind, its levels, whether it was 0/1 or had gaps."""

    kind: Kind
    levels: frozenset[str] = frozenset()
    is_zero_one: bool = False
    has_missing: bool = False


def check_kinds(table: Table, seen: Sequence[Seen]) -> Table:
    """The table with each column of the kind it had at fit, or an error that names it."""
    if table.matrix is not None and all(s.is_zero_one for s in seen):
        return table
    columns = [_as_seen(column, s) for column, s in zip(table.columns, seen, strict=True)]
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    return table_of(columns)


def _as_seen(column: Column, seen: Seen) -> Column:
    if column.kind == seen.kind or {column.kind, seen.kind} == {"level", "ordered"}:
        return column
    if column.is_missing().all():
        return _all_missing(column, seen)
    if seen.kind in ("number", "flag"):
        if column.kind in ("number", "flag"):
            return column._replace(kind="number", values=_numbers(column))
        raise ValueError(
            f"column {column.name!r} must hold numbers as at fit; row "
            f"{int(np.argmax(~column.is_missing()))} has text. Convert the column."
        )
    return _as_levels(column)


def _all_missing(column: Column, seen: Seen) -> Column:
    n = len(column.values)
    if seen.kind == "number":
        return Column(column.name, "number", np.full(n, np.nan))
    return Column(column.name, seen.kind, np.full(n, -1))


def _numbers(column: Column) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.where(column.is_missing(), np.nan, column.values.astype(np.float64))


def _as_levels(column: Column) -> Column:
    """Numbers where the fit had categories: 2 and 2.0 are the level "2"."""
    is_missing = column.is_missing()
    distinct, places = np.unique(column.values[~is_missing], return_inverse=True)
    to_value = bool if column.kind == "flag" else float
    out = np.full(len(is_missing), -1)
    out[~is_missing] = places
    return Column(column.name, "level", out, tuple(text_of(to_value(v)) for v in distinct.tolist()))


def warn_of_unseen(table: Table, seen: Mapping[int, Seen]) -> None:
    """One warning for all values that the fit did not see in the columns (by place) of ``seen``."""
    if table.matrix is not None:
        return
    told = [text for j, s in seen.items() for text in _unseen(table.columns[j], s)]
    if told:
        warnings.warn(
            f"rows hold values that the fit did not see: {'; '.join(told)}.",
            UserWarning,
            stacklevel=4,
        )


def _unseen(column: Column, seen: Seen) -> Iterator[str]:
    """What is new in a column and how it is treated; nothing if nothing is."""
    is_missing = column.is_missing()
    if is_missing.any() and not seen.has_missing:
        n = int(is_missing.sum())
        yield f"column {column.name!r} has {n:,} missing, which answer no to its questions"
    if column.levels:
        is_new = np.array([level not in seen.levels for level in column.levels])
        rows = ~is_missing & is_new[column.values]
        new = [repr(column.levels[k]) for k in np.unique(column.values[rows])]
        if new:
            shown = ", ".join(new[:MOST_SHOWN]) + (", ..." if len(new) > MOST_SHOWN else "")
            yield (
                f"column {column.name!r} has {shown} ({int(rows.sum()):,} rows), which answer no "
                "to its questions"
            )
    elif seen.is_zero_one and column.kind == "number":
        is_odd = ~is_missing & (column.values != 0) & (column.values != 1)
        if is_odd.any():
            yield (
                f"column {column.name!r} has {column.values[is_odd][0]:g} ({int(is_odd.sum()):,} "
                "rows) instead of 0 or 1; above 0.5 counts as 1"
            )
