"""The rows in numbers: their outcome, and each column."""

from typing import Any

import numpy as np

from survtree._base.numbers import json_number
from survtree._data.table import Column, EventTable, Table
from survtree._scoring.curves import leaf_curves

# A page is for reading: so many columns that the tree does not ask about, and levels of one.
MOST_COLUMNS, MOST_LEVELS = 100, 12
KINDS = {"number": "number", "flag": "yes or no", "level": "levels", "ordered": "ordered levels"}


def data_facts(table: Table, events: EventTable, asked: list[int], n_given: int) -> dict[str, Any]:
    """Outcome and columns of the rows; the columns that the tree asks about come first."""
    others = [j for j in range(len(table.names)) if j not in set(asked)]
    shown = [*asked, *others[:MOST_COLUMNS]]
    n_events = int(np.count_nonzero(events.event))
    return {
        "rows": len(events),
        "left_out": n_given - len(events),
        "events": n_events,
        "censored": len(events) - n_events,
        "weight": json_number(events.weight.sum()) if (events.weight != 1).any() else None,
        "first": json_number(events.time.min()),
        "last": json_number(events.time.max()),
        "follow_up": _follow_up(events),
        "columns": [
            {**_column(table.columns[j]), "is_asked": place < len(asked)}
            for place, j in enumerate(shown)
        ],
        "more_columns": max(0, len(others) - MOST_COLUMNS),
    }


def _follow_up(events: EventTable) -> float | None:
    """Median time to the end of follow-up, events being what hides it (reverse Kaplan-Meier)."""
    hidden = EventTable(~events.event, events.time, events.weight)
    everybody = np.zeros(len(events), dtype=np.intp)
    median: float | None = json_number(leaf_curves(hidden, everybody, 1)[0].quantile(0.5))
    return median


def _column(column: Column) -> dict[str, Any]:
    is_missing = column.is_missing()
    values = column.values[~is_missing]
    facts: dict[str, Any] = {
        "name": column.name,
        "kind": KINDS[column.kind],
        "missing": int(is_missing.sum()),
        "quartiles": [],
        "levels": [],
        "more_levels": 0,
    }
    if column.kind in ("level", "ordered"):
        return facts | _levels(column, values)
    if column.kind == "flag" or not ((values != 0) & (values != 1)).any():
        words = ("False", "True") if column.kind == "flag" else ("0", "1")
        counts = np.bincount(values.astype(np.intp), minlength=2)
        return facts | {"levels": _named(words, counts.tolist())}
    return facts | {
        "quartiles": list(map(json_number, np.quantile(values, (0, 0.25, 0.5, 0.75, 1))))
    }


def _levels(column: Column, values: Any) -> dict[str, Any]:
    """The levels that occur: in their order, or the most common first."""
    counts = np.bincount(values, minlength=len(column.levels)).tolist()
    found = [pair for pair in _named(column.levels, counts) if pair["n"]]
    if column.kind == "level":
        found.sort(key=lambda pair: (-pair["n"], pair["level"]))
    return {"levels": found[:MOST_LEVELS], "more_levels": max(0, len(found) - MOST_LEVELS)}


def _named(levels: Any, counts: list[int]) -> list[dict[str, Any]]:
    return [{"level": level, "n": n} for level, n in zip(levels, counts, strict=True)]
