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


def matched(
    X: Any, y: Any, sample_weight: Any, role: str = "y", weights: str = "sample_weight"
) -> tuple[Any, Any]:
    """Outcome and weights in the order of the rows of X, as far as both carry labels.

    Where X has no labels they are matched to each other. ``role`` and ``weights`` are the names of
    the arguments.
    """
    if isinstance(y, CausedOutcome):
        inner, sample_weight = matched(X, y.y, sample_weight, role, weights)
        return y._replace(y=inner), sample_weight
    of_rows, named = _labels_of_rows(X, y, role)
    if _is_pair(y):
        names = _names_of_pair(role)
        y = tuple(
            _in_order(name, part, of_rows, named) for name, part in zip(names, y, strict=True)
        )
    else:
        y = _in_order(role, y, of_rows, named)
    return y, _in_order(weights, sample_weight, of_rows, named)


def matched_to(X: Any, y: Any, role: str, values: Any) -> Any:
    """Values in the order of the rows of X, or of y where X has no labels."""
    return _in_order(role, values, *_labels_of_rows(X, y, "y"))


def _labels_of_rows(X: Any, y: Any, role: str) -> tuple[Any, str]:
    """The labels of the rows, if there are some, and the name of what has them."""
    if _labels(X) is not None:
        return _labels(X), "X"
    if isinstance(y, CausedOutcome):
        return _labels_of_rows(None, y.y, role)
    if not _is_pair(y):
        return _labels(y), role
    pairs = zip(map(_labels, y), _names_of_pair(role), strict=True)
    return next((pair for pair in pairs if pair[0] is not None), (None, role))


def _is_pair(y: Any) -> bool:
    return isinstance(y, (tuple, list)) and len(y) == 2


def _names_of_pair(role: str) -> tuple[str, str]:
    return ("event", "time") if role == "y" else (f"event of {role}", f"time of {role}")


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
