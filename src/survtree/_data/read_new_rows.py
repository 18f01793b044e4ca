"""New rows against the columns of the fit: the same kinds of cells, and values seen before."""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._base.words import list_names
from survtree._data.read_columns import text_of
from survtree._data.table import Column, Kind, Table, table_of

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
        row = int(np.argmax(~column.is_missing()))
        wanted = "numbers" if seen.kind == "number" else "flags (True/False or 1/0)"
        raise ValueError(
            f"column {column.name!r} must hold {wanted} as at fit; row {row} has text: "
            f"{column.levels[column.values[row]]!r}. Convert the column to {wanted.split()[0]}."
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
            f"rows hold values that the fit did not see: {'; '.join(told)}. Check their spelling "
            "and coding, or fit on rows that have them.",
            UserWarning,
            stacklevel=callers_level(),
        )


def callers_level() -> int:
    """The stack level of who called the package, through whatever methods of it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level


def _is_inside(module: str) -> bool:
    return module.split(".")[0] in ("survtree", "sklearn")  # scikit-learn wraps transform


def _unseen(column: Column, seen: Seen) -> Iterator[str]:
    """What is new in a column and how it is treated."""
    has = f"column {column.name!r} has"
    is_missing = column.is_missing()
    if is_missing.any() and not seen.has_missing:
        n = int(is_missing.sum())
        cells = "1 missing cell, which answers" if n == 1 else f"{n:,} missing cells, which answer"
        yield f"{has} {cells} no to its questions"
    if column.levels:
        is_new = np.array([level not in seen.levels for level in column.levels])
        rows = ~is_missing & is_new[column.values]
        new = [column.levels[k] for k in np.unique(column.values[rows])]
        if new:
            answer = "answers" if len(new) == 1 else "answer"
            which = f"{list_names(new, MOST_SHOWN)} ({_rows(rows)}), which {answer}"
            yield f"{has} {which} no to its questions"
    elif (seen.is_zero_one or seen.kind == "flag") and column.kind == "number":
        is_odd = ~is_missing & (column.values != 0) & (column.values != 1)
        if is_odd.any():
            odd = f"{column.values[is_odd][0]:g} ({_rows(is_odd)})"
            yield f"{has} {odd} instead of 0 or 1; above 0.5 counts as 1"


def _rows(is_here: NDArray[np.bool_]) -> str:
    n = int(is_here.sum())
    return "1 row" if n == 1 else f"{n:,} rows"
