"""Rows that carry labels (the index of pandas): outcome and weights are matched to X by them.

Two frames of the same length are not yet of the same rows. Where labels say that rows are in
another order they are put in order; where labels do not fit, nothing is guessed.
"""

import sys
from typing import Any

import narwhals as nw

from survtree._base import DataWarning
from survtree._base.warn import warn
from survtree._data.causes import CausedOutcome

MOST_SHOWN = 3


def matched(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Outcome and weights in the order of the rows of X, as far as both carry labels."""
    if isinstance(y, CausedOutcome):
        inner, sample_weight = matched(X, y.y, sample_weight)
        return y._replace(y=inner), sample_weight
    of_rows = _labels(X)
    if isinstance(y, (tuple, list)) and len(y) == 2:
        event = _in_order("event", y[0], of_rows, "X")
        base, named = (of_rows, "X") if of_rows is not None else (_labels(event), "event")
        y = (event, _in_order("time", y[1], base, named))
    else:
        y = _in_order("y", y, of_rows, "X")
    return y, _in_order("sample_weight", sample_weight, of_rows, "X")


def matched_to(X: Any, role: str, values: Any) -> Any:
    """Values in the order of the rows of X, as far as both carry labels."""
    return _in_order(role, values, _labels(X), "X")


def _labels(values: Any) -> Any:
    """The index of a frame or series of pandas; None of anything else."""
    pandas = sys.modules.get("pandas")
    native = values.to_native() if isinstance(values, nw.Series) else values
    is_labelled = pandas and isinstance(native, (pandas.DataFrame, pandas.Series))
    return native.index if is_labelled else None


def _in_order(role: str, values: Any, of_rows: Any, named: str) -> Any:
    """The values in the order of the labels of the rows; an error if these are other rows."""
    own = _labels(values)
    if own is None or of_rows is None or len(own) != len(of_rows) or own.equals(of_rows):
        return values
    is_same_set = own.is_unique and of_rows.is_unique and of_rows.isin(own).all()
    if not is_same_set:
        raise ValueError(
            f"{named} and {role} must have the same index, by which their rows belong together; "
            f"that of {named} is {_shown(of_rows)}, that of {role} is {_shown(own)}. Take both "
            "from the same rows; if they are in the same order, drop both indexes with "
            "reset_index(drop=True)."
        )
    warn(
        f"the rows of {role} are in another order than those of {named}: they are matched by their "
        "index. To match them by place, drop both indexes with reset_index(drop=True).",
        DataWarning,
    )
    native = values.to_native() if isinstance(values, nw.Series) else values
    return native.loc[of_rows]


def _shown(index: Any) -> str:
    first = ", ".join(map(str, index[:MOST_SHOWN]))
    return f"{first} and {len(index) - MOST_SHOWN:,} more" if len(index) > MOST_SHOWN else first
