"""Options that may be left to survtree: the numbers that their words stand for."""

from collections.abc import Mapping
from typing import Any

from survtree._data.table import EventTable


def auto_min_events(n_rows: int, n_events: int) -> int:
    """The fewest events per leaf that "auto" stands for, on so many rows and events."""
    return 3


def resolved_min_events(options: Mapping[str, Any], events: EventTable) -> int:
    """The fewest events per leaf; "default" is "auto" if the regularization is, and 0 otherwise."""
    given = options["min_events_leaf"]
    if given == "default":
        given = "auto" if options["regularization"] == "auto" else 0
    return auto_min_events(len(events), int(events.event.sum())) if given == "auto" else int(given)
