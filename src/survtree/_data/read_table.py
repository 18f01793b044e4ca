"""The covariates: any array or frame as a Table."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from survtree._data.read_columns import column_of_array, column_of_series
from survtree._data.table import Table, table_of


def check_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """X as a Table; with ``reset`` the estimator gets its column names and count."""
    if _is_clean_array(X) and (reset or X.shape[1] == estimator.n_features_in_):
        # scikit-learn's checks find nothing here, and take longer than a small fit.
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
        if not hasattr(estimator, "feature_names_in_") and _holds_only_0_and_1(X):
            # A copy: what happens to X after the fit must not reach the model.
            matrix = np.array(X, dtype=np.uint8, order="C")
            return Table(default_names(X.shape[1]), len(X), matrix=matrix)
    frame = as_frame(X)
    if frame is not None:
        _check_names(frame.columns)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if len(frame) == 0:
            raise ValueError(
                "X must have at least one row; it has none. Look at what filtered its rows."
            )
        series = [frame.get_column(name) for name in frame.columns]  # [name] may take rows
        return table_of(list(map(column_of_series, _names(estimator), series)))
    _check_is_table(X)
    array = check_array(_as_array(X), dtype=None, ensure_all_finite=False, estimator=estimator)
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    return table_of(list(map(column_of_array, _names(estimator), array.T)))


def _is_clean_array(X: Any) -> bool:
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"


def _holds_only_0_and_1(array: NDArray[Any]) -> bool:
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind == "f":
        # A look at some rows first: most tables of numbers are found out there.
        return all(bool(((a == 0) | (a == 1)).all()) for a in (array[:64], array))
    return bool(array.min() >= 0 and array.max() <= 1)


def as_frame(table: Any) -> nw.DataFrame[Any] | None:
    """X as a narwhals frame, or None if it is no frame."""
    if isinstance(table, (np.ndarray, list, tuple)):  # asking narwhals takes a while
        return None
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
    except ValueError as error:  # of repeated names; its class depends on the version
        names = getattr(table, "column_names", None) or table.columns  # pyarrow's, the others'
        _check_names(list(names))
        raise ValueError(str(error)) from error
    return frame if isinstance(frame, nw.DataFrame) else None


def _check_is_table(X: Any) -> None:
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


def _as_array(X: Any) -> Any:
    """An array whose masked cells are missing, and in which numbers do not become text."""
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biuf":
        return np.ma.filled(X.astype(np.float64), np.nan)
    if isinstance(X, (list, tuple)):
        return _of_rows(X)
    return X


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


def _names(estimator: Any) -> tuple[str, ...]:
    """The user's names of the columns, or x0, x1, ... where there are none."""
    named = getattr(estimator, "feature_names_in_", None)
    return tuple(named) if named is not None else default_names(estimator.n_features_in_)


def default_names(n_columns: int) -> tuple[str, ...]:
    """Names of unnamed columns."""
    return tuple(f"x{j}" for j in range(n_columns))


def _check_names(names: Sequence[Any]) -> None:
    if len(names) == 0:
        raise ValueError(
            "X must have at least one column besides event and time; it has none. Add the columns "
            "to split on."
        )
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"column names must differ; {name!r} occurs twice. Rename one of the columns."
            )
        seen.add(name)


def rows_at(X: Any, places: NDArray[np.intp]) -> Any:
    """Some rows of the user's table, in its own kind."""
    frame = as_frame(X)
    if frame is not None:
        return frame[places.tolist()].to_native()
    if isinstance(X, (list, tuple)):
        return [X[place] for place in places.tolist()]
    return np.asanyarray(X)[places]
