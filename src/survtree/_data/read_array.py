"""What is passed as covariates and is no frame: is it a table, and which array is it?"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_is_table(X: Any) -> None:
    """Refuse what scikit-learn would call a scalar, or print in full."""
    found = _not_a_table(X)
    if found is not None:
        raise ValueError(
            "X must be a table: a frame (pandas, polars, pyarrow), or an array of rows and "
            f"columns; got {found[0]}. {found[1]}"
        )
    if isinstance(X, (list, tuple)):
        _check_is_even(X)


def _not_a_table(X: Any) -> tuple[str, str] | None:
    """What X is instead, and what to do about it."""
    what, make_a_frame = type(X).__name__, "Make a frame of it, as polars.DataFrame does."
    if hasattr(X, "to_frame"):
        return what, (
            "For one column pass its to_frame(); for one row of a pandas frame, frame.iloc[[row]]."
        )
    if getattr(getattr(X, "dtype", None), "names", None) is not None:
        return "a structured array", make_a_frame
    if isinstance(X, (list, tuple)):
        return (f"{what} of dicts", make_a_frame) if X and isinstance(X[0], Mapping) else None
    if hasattr(X, "__array__") or hasattr(X, "shape") or _holds_cells(X):
        return None
    if isinstance(X, str):
        return repr(X), "Read the file first, for example with polars.read_csv."
    if isinstance(X, Mapping):
        return what, make_a_frame
    if hasattr(X, "collect"):
        return what, "Call its collect() first."
    return ("None" if X is None else what), "Pass the rows, with a column for each covariate."


def _holds_cells(X: Any) -> bool:
    try:
        return np.asarray(X).ndim > 0
    except ValueError:  # of things that are iterated over, of unequal shapes
        return False


def as_array(X: Any) -> Any:
    """An array whose masked cells are missing, and in which numbers do not become text."""
    if isinstance(X, (list, tuple)):
        return _of_rows(X)
    return unmasked(X) if isinstance(X, np.ma.MaskedArray) else X


def unmasked(array: NDArray[Any]) -> NDArray[Any]:
    """A masked array of numbers, flags or text with NaN or None where a cell is masked."""
    if array.dtype.kind in "biuf":
        return np.asarray(np.ma.filled(array.astype(np.float64), np.nan))
    return as_objects(array) if array.dtype.kind in "OSU" else array


def as_objects(values: Any) -> NDArray[Any]:
    """An array of Python objects, None where a cell is masked."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values, dtype=object)
    cells = np.array(values, dtype=object)
    cells[np.ma.getmaskarray(values)] = None
    return cells


def _of_rows(rows: Sequence[Any]) -> NDArray[Any]:
    try:
        array = np.asarray(rows)
    except ValueError:  # a cell is a sequence, which the check of its column refuses
        cells = np.empty((len(rows), len(rows[0])), dtype=object)
        for row, column in np.ndindex(cells.shape):
            cells[row, column] = rows[row][column]
        return cells
    # NumPy would make text of [1, "a"], numbers and all.
    return np.array(rows, dtype=object) if array.dtype.kind in "US" else array


def _check_is_even(X: Sequence[Any]) -> None:
    """Refuse rows with different numbers of cells."""
    lengths = [1 if np.isscalar(row) or not hasattr(row, "__len__") else len(row) for row in X]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            raise ValueError(
                "the rows of X must have equally many cells; "
                f"row 0 has {lengths[0]}, row {row} has {length}. Fill short rows with None."
            )
