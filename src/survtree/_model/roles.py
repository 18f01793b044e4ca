"""Which columns of the user's table hold the outcome."""

from typing import Any, NamedTuple


class Roles(NamedTuple):
    """Which columns of a table hold the outcome; ``event_values`` are those of an event, if given.

    Predictions do not need them. They help when the same table is given to the model again.
    """

    time: str
    event: str
    event_values: tuple[str, ...] = ()
    weight: str | None = None


def roles_of(duration_col: Any, event_col: Any) -> Roles | None:
    """The roles of columns that were named in a fit."""
    return None if event_col is None else Roles(str(duration_col), str(event_col))
