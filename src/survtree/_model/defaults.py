"""What the word "auto" stands for in options: values that hold up on new rows."""

from typing import Any

import numpy as np

from survtree._data.table import EventTable


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
