"""One frame with covariates and outcome: which columns hold what, and the parts of such a frame.

A fit that took its outcome from columns of a frame remembers their names. Later the same frame, or
another one with these columns, can be passed whole.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from survtree._base.words import list_names
from survtree._data.read_table import as_frame, text_of


class Roles(NamedTuple):
    """Which columns of a table hold the outcome; ``event_values`` are those of an event, if given.

    Predictions do not need them, nor the columns that a command ``left_out`` of its table before
    the fit. They help when the same table is given to the model again.
    """

    time: str
    event: str
    event_values: tuple[str, ...] = ()
    weight: str | None = None
    left_out: tuple[str, ...] = ()

    def in_columns(self, columns: Collection[str]) -> "Roles":
        """Without the weights if no column holds them: rows that are scored need none."""
        return self if self.weight in columns else self._replace(weight=None)


def roles_of(duration_col: Any, event_col: Any) -> Roles | None:
    """The roles of columns that were named in a fit."""
    return None if event_col is None else Roles(str(duration_col), str(event_col))


def covariates_of(X: Any, roles: Roles | None) -> Any:
    """X without the columns of the outcome, its weight and those left out, if it has some."""
    frame = None if roles is None else as_frame(X)
    if roles is None or frame is None:
        return X
    found = [name for name in frame.columns if str(name) in (*_names(roles), *roles.left_out)]
    return frame.drop(found).to_native() if found else X


def rows_of(
    X: Any, y: Any, sample_weight: Any, roles: Roles | None, *, needs_weight: bool
) -> tuple[Any, Any, Any]:
    """Covariates, outcome and weights; what is not given is taken from the columns of the fit."""
    frame = None if roles is None or y is not None else as_frame(X)
    if roles is not None and frame is not None:
        by_name = {str(name): frame.get_column(name) for name in frame.columns}
        if sample_weight is not None or not needs_weight:
            roles = roles.in_columns(by_name)
        check_has_outcome(roles, list(by_name))
        y = _flags(by_name[roles.event], roles.event_values), by_name[roles.time]
        if sample_weight is None and roles.weight is not None:
            sample_weight = by_name[roles.weight]
    return covariates_of(X, roles), y, sample_weight


def check_has_outcome(roles: Roles, columns: Sequence[str]) -> None:
    """Refuse a frame without the columns from which the fit took the outcome."""
    absent = [name for name in _names(roles) if name not in columns]
    if absent:
        raise ValueError(
            "the outcome must come as y, or in the columns from which the fit took it, "
            f"{list_names(_names(roles))}; the frame has no {list_names(absent)}. Pass y, or a "
            "frame with these columns."
        )


def _names(roles: Roles) -> list[str]:
    return [roles.time, roles.event, *([] if roles.weight is None else [roles.weight])]


def _flags(event: nw.Series[Any], values: Sequence[str]) -> Any:
    """The event flags; where values stand for the event, whether a row has one of them."""
    if not values:
        return event
    wanted = {value.removesuffix(".0") for value in values}
    cells = zip(event.to_list(), event.is_null().to_list(), strict=True)
    return np.array([None if is_gone else _spelled(cell) in wanted for cell, is_gone in cells])


def _spelled(cell: Any) -> str:
    """A value as the command line reads it from a file, which knows flags as true and false."""
    return str(bool(cell)).lower() if isinstance(cell, (bool, np.bool_)) else text_of(cell)
