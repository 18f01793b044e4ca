"""What the words "default" and "auto" of an option stand for, given the rows of a fit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from survtree._data.table import EventTable
from survtree._model.checks import check_horizon_has_events

SHARE_ENDED = 0.9


def auto_min_events(n_rows: int, n_events: int) -> int:
    """The fewest events per leaf that "auto" stands for, on so many rows and events."""
    return 3


def resolved_min_events(options: Mapping[str, Any], events: EventTable) -> int:
    """The fewest events per leaf; "default" is "auto" if the regularization is, and 0 otherwise."""
    given = options["min_events_leaf"]
    if given == "default":
        given = "auto" if options["regularization"] == "auto" else 0
    return auto_min_events(len(events), int(events.event.sum())) if given == "auto" else int(given)


def resolved_horizon(
    horizon: float | str | None, regularization: float | str, events: EventTable
) -> float | None:
    """The time up to which the loss of these rows is integrated, at most their largest time."""
    if horizon == "default":
        horizon = "auto" if regularization == "auto" else None
    if horizon is None:
        return None
    time = auto_horizon(events) if isinstance(horizon, str) else horizon
    time = min(time, float(events.time.max()))
    check_horizon_has_events(time, events)
    return time


def auto_horizon(events: EventTable) -> float:
    """The time by which most rows, by weight, have ended, but not past the last event.

    If no event was seen before that, it is the largest time.
    """
    order = np.argsort(events.time, kind="stable")
    ended = events.weight[order].cumsum()
    place = np.searchsorted(ended, SHARE_ENDED * ended[-1])
    time = min(events.time[order[place]], events.time[events.event].max())
    has_events = (events.time[events.event] < time).any()
    return float(time if has_events else events.time.max())


def auto_shrinkage(n_rows: int, n_events: int) -> float:
    """The shrinkage of predicted curves, in rows."""
    return 60.0


def resolved_shrinkage(options: dict[str, Any], events: EventTable) -> float:
    """The shrinkage as a number; "default" follows ``regularization``, whose numbers have none."""
    given = options["shrinkage"]
    if given == "default":
        given = "auto" if options["regularization"] == "auto" else 0.0
    if given == "auto":
        return auto_shrinkage(len(events), int(np.count_nonzero(events.event)))
    return float(given)
