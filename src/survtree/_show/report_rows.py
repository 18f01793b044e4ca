"""What a report says of the rows it is given: their outcome and their columns."""

from typing import Any

import numpy as np

from survtree._base.numbers import json_number
from survtree._data.table import Column, EventTable, Table
from survtree._scoring.curves import leaf_curves

# A page is for reading: so many columns that the tree does not use, and levels of one column.
MOST_COLUMNS, MOST_LEVELS = 100, 12
KINDS = {"number": "number", "flag": "yes or no", "level": "levels", "ordered": "ordered levels"}


def data_facts(
    table: Table, events: EventTable, used: list[int], n_given: int, left_out: tuple[str, ...]
) -> dict[str, Any]:
    """Outcome and columns of the rows; the columns that the tree uses come first.

    The page goes to others: it shows no value of a column that was left out of the fit, and names
    no level that a single row has.
    """
    others = [j for j in range(len(table.names)) if j not in set(used)]
    shown = [*used, *others[:MOST_COLUMNS]]
    n_events = int(np.count_nonzero(events.event))
    return {
        "rows": len(events),
        "left_out": n_given - len(events),
        "events": n_events,
        "others": int(np.count_nonzero(events.is_other)),
        "censored": int(np.count_nonzero(events.is_censored)),
        "weight": json_number(events.weight.sum()) if (events.weight != 1).any() else None,
        "first": json_number(events.time.min()),
        "last": json_number(events.time.max()),
        "follow_up": _follow_up(events),
        "columns": [
            {
                **_column(table.columns[j], is_left_out=table.names[j] in left_out),
                "is_used": place < len(used),
            }
            for place, j in enumerate(shown)
        ],
        "more_columns": max(0, len(others) - MOST_COLUMNS),
    }


def _follow_up(events: EventTable) -> float | None:
    """Median follow-up by the reverse Kaplan-Meier method: censoring counts as the event."""
    reverse = EventTable(events.is_censored, events.time, events.weight)
    everybody = np.zeros(len(events), dtype=np.intp)
    median: float | None = json_number(leaf_curves(reverse, everybody, 1)[0].quantile(0.5))
    return median


def _column(column: Column, *, is_left_out: bool) -> dict[str, Any]:
    is_missing = column.is_missing()
    values = column.values[~is_missing]
    facts: dict[str, Any] = {
        "name": column.name,
        "kind": KINDS[column.kind],
        "missing": int(is_missing.sum()),
        "quartiles": [],
        "levels": [],
        "more_levels": 0,
        "is_left_out": is_left_out,
    }
    if is_left_out:
        return facts
    if column.kind in ("level", "ordered"):
        return facts | _levels(column, values)
    if column.kind == "flag" or not ((values != 0) & (values != 1)).any():
        names = ("False", "True") if column.kind == "flag" else ("0", "1")
        counts = np.bincount(values.astype(np.intp), minlength=2)
        return facts | {"levels": _named(names, counts.tolist())}
    quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
    return facts | {"quartiles": list(map(json_number, quartiles))}


def _levels(column: Column, values: Any) -> dict[str, Any]:
    """The levels that occur: in their order, or the most common first."""
    counts = np.bincount(values, minlength=len(column.levels)).tolist()
    found = [pair for pair in _named(column.levels, counts) if pair["n"] > 1]
    if column.kind == "level":
        found.sort(key=lambda pair: (-pair["n"], pair["level"]))
    shown = found[:MOST_LEVELS]
    return {"levels": shown, "more_levels": int(np.count_nonzero(counts)) - len(shown)}


def _named(levels: Any, counts: list[int]) -> list[dict[str, Any]]:
    return [{"level": level, "n": n} for level, n in zip(levels, counts, strict=True)]
