"""Groups of rows that resampling must not part, such as the rows of one subject."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from survtree._base.words import did_you_mean, list_names
from survtree._data.read_array import as_objects
from survtree._data.read_index import matched_to
from survtree._data.read_table import as_frame, is_missing_value
from survtree._data.table import Bools, Places


class Groups(NamedTuple):
    """The group of each row by number, and the column of X that says so, if one does."""

    of_rows: Places
    column: str | None = None


def read_groups(groups: Any, X: Any, y: Any = None) -> Groups | None:
    """What a user passed as ``groups``: values, one per row, or the name of a column of X."""
    if groups is None:
        return None
    if isinstance(groups, str):
        return Groups(_numbers(_column(groups, X)), groups)
    if isinstance(groups, (bytes, dict)) or not isinstance(groups, Iterable):
        raise TypeError(
            "groups must be a value per row, or the name of a column of X; got "
            f"{type(groups).__name__}. Pass groups='subject', or an array."
        )
    values = as_objects(matched_to(X, y, "groups", groups))
    if values.ndim != 1:
        raise ValueError(
            "groups must be a value per row, or the name of a column of X; got an array of shape "
            f"{values.shape}. Pass one column."
        )
    return Groups(_numbers(values))


def check_groups(groups: Groups, is_kept: Bools) -> Places:
    """The group of each row that is kept, if there is one for each row."""
    n_rows, n = len(is_kept), len(groups.of_rows)
    if n != n_rows:
        raise ValueError(
            f"X and groups must have the same number of rows; X has {n_rows:,}, groups has {n:,}. "
            "Pass the group of each row of X."
        )
    # Numbered anew: rows that are left out must not matter.
    return _numbers(groups.of_rows[is_kept])


def _column(name: str, X: Any) -> Any:
    frame = as_frame(X)
    if frame is None:
        raise ValueError(
            f"groups must be a value per row where X has no names of columns; got {name!r}. Pass "
            "an array, or X as a frame."
        )
    if name not in frame.columns:
        raise ValueError(
            f"groups must name a column of X; there is no {name!r}. The columns are "
            f"{list_names(frame.columns)}.{did_you_mean(name, frame.columns)}"
        )
    return np.array(frame[name].to_list(), dtype=object)


def _numbers(values: Any) -> Places:
    """The groups by number, in the order of their first rows."""
    numbers: dict[Any, int] = {}
    out = np.empty(len(values), dtype=np.intp)
    for row, value in enumerate(values.tolist()):
        if is_missing_value(value) or value != value:
            raise ValueError(
                f"groups must not have missing values; row {row} has none. Give each row whose "
                "group is not known a group of its own, or leave it out."
            )
        out[row] = numbers.setdefault(value, len(numbers))
    return out
