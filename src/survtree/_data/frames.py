"""Tables for the user, in the library of the frame that the user passed."""

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from survtree._data.read_table import as_frame

LIBRARIES = ("polars", "pandas", "pyarrow")


def is_lazy(X: Any) -> bool:
    """Whether X is a query, a lazy frame of any library, whose rows are read in passes."""
    if X is None or isinstance(X, (np.ndarray, list, tuple, str)):  # asking narwhals takes a while
        return False
    try:
        return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)
    except ValueError:  # of repeated names, which the check of a table refuses
        return False


def is_streamed(X: Any) -> bool:
    """Whether rows are read in passes: a lazy frame, or one with the columns of its outcome."""
    # LazyRows has no attribute ``columns``; a frame may have a column called event_values.
    return (hasattr(X, "event_values") and not hasattr(X, "columns")) or is_lazy(X)


def library_of(X: Any) -> str:
    """The library of a frame; polars if it is none, which is always there."""
    frame = None if X is None else as_frame(X)
    if frame is None:
        return "polars"
    if frame.implementation.is_pandas_like():
        return "pandas"
    return "pyarrow" if frame.implementation.is_pyarrow() else "polars"


def frame_in(library: Any, columns: Mapping[str, Any], like: Any = None) -> Any:
    """A table in one of the libraries; in pandas with the index of the frame ``like``, if given."""
    table: Any = nw.from_dict(dict(columns), backend=library).to_native()
    if library == "pandas" and like is not None:
        table.index = like.index
    return table
