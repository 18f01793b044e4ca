"""Every complaint about user input is raised here, and only here.

Messages say what is needed, what came, where, and what to do next.
"""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, validate_data

from survtree._event_table import EventTable
from survtree._options import OPTIONS, Option
from survtree._problem import Problem

Features = NDArray[np.uint8]
MAX_WEIGHT_RATIO = 1e12


def check_options(estimator: Any) -> dict[str, Any]:
    """Its options with numbers of the right type, or an error that says what is allowed."""
    # Read off one by one: get_params would look at the constructor's signature again.
    return {
        option.name: _check_option(option, getattr(estimator, option.name)) for option in OPTIONS
    }


def _check_option(option: Option, value: Any) -> int | float | None:
    if value is None and option.none_means:
        return None
    default: int | float | None = option.default
    if type(value) is type(default) and value == default:
        return default
    wanted = numbers.Integral if option.kind == "int" else numbers.Real
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, wanted):
        raise TypeError(f"{option.name} must be {option.range_text}; got {value!r}.")
    number: int | float = int(value) if isinstance(value, numbers.Integral) else float(value)
    if option.kind == "float":
        number = float(number)
    is_below = option.low is not None and (
        number < option.low or (option.is_low_open and number == option.low)
    )
    is_above = option.high is not None and (
        number > option.high or (option.is_high_open and number == option.high)
    )
    is_refused = option.is_zero_refused and number == 0
    if is_below or is_above or is_refused or (option.kind == "float" and not np.isfinite(number)):
        raise ValueError(f"{option.name} must be {option.range_text}; got {value!r}.")
    return number


def check_features(estimator: Any, X: Any, *, reset: bool) -> Features:
    """X as a row-major 0/1 matrix; notes names and column count on the estimator when resetting."""
    if reset and _is_clean_array(X):
        # scikit-learn's checks find nothing here, and take longer than a small fit.
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        return _binary_array(X)
    frame = _as_frame(X)
    if frame is not None:
        _check_names(frame.columns)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        columns = {name: _frame_column(frame, name) for name in frame.columns}
        return _binary_matrix(columns, len(frame))
    array = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    if array.dtype.kind == "O":
        return _binary_matrix({f"x{j}": array[:, j] for j in range(array.shape[1])}, len(array))
    return _binary_array(array)


def _is_clean_array(X: Any) -> bool:
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"


def _as_frame(table: Any) -> nw.DataFrame[Any] | None:
    if isinstance(table, (np.ndarray, list, tuple)):  # asking narwhals takes a while
        return None
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def column_names(estimator: Any) -> tuple[str, ...]:
    """The user's names of the columns, or x0, x1, ... where there are none."""
    named = getattr(estimator, "feature_names_in_", None)
    return tuple(named) if named is not None else default_names(estimator.n_features_in_)


def default_names(n_columns: int) -> tuple[str, ...]:
    """Names of unnamed columns."""
    return tuple(f"x{j}" for j in range(n_columns))


def _check_names(names: Sequence[Any]) -> None:
    if len(names) == 0:
        raise ValueError("X must have at least one column; it has 0 feature(s).")
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"column names must differ; {name!r} occurs twice. Rename one.")
        seen.add(name)


def _frame_column(frame: nw.DataFrame[Any], name: Any) -> NDArray[Any]:
    # get_column, since frame[name] takes rows when pandas columns are numbered.
    column = frame.get_column(name)
    is_missing = column.is_null().to_numpy()
    if is_missing.any():
        raise ValueError(_missing(str(name), is_missing))
    return column.to_numpy()


def _binary_matrix(columns: Mapping[str, NDArray[Any]], n_rows: int) -> Features:
    if n_rows == 0:
        raise ValueError("X must have at least one row; it has 0 sample(s).")
    out = np.empty((n_rows, len(columns)), dtype=np.uint8)
    for j, (name, values) in enumerate(columns.items()):
        out[:, j] = _binary_column(str(name), values)
    return out


def _binary_column(name: str, values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "O":
        values = _from_objects(name, values)
    if values.dtype.kind not in "biuf":
        raise ValueError(_not_binary(name, 0, values[0]))
    is_missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if is_missing.any():
        raise ValueError(_missing(name, is_missing))
    is_odd = (values != 0) & (values != 1)
    if is_odd.any():
        row = int(np.argmax(is_odd))
        raise ValueError(_not_binary(name, row, values[row]))
    return np.asarray(values == 1)


def _from_objects(name: str, values: NDArray[Any]) -> NDArray[Any]:
    is_missing = np.array([v is None or v != v for v in values], dtype=bool)
    if is_missing.any():
        raise ValueError(_missing(name, is_missing))
    for row, value in enumerate(values):
        if not isinstance(value, (numbers.Real, np.bool_)):
            raise ValueError(_not_binary(name, row, value))
    return values.astype(np.float64)


def _missing(name: str, is_missing: NDArray[np.bool_]) -> str:
    return (
        f"column {name!r} must not have missing values; {int(is_missing.sum())} of "
        f"{len(is_missing)} rows are NaN or null, the first is row {int(np.argmax(is_missing))}. "
        "Drop the rows or fill the values."
    )


def _not_binary(name: str, row: int, value: Any) -> str:
    shown = value.item() if isinstance(value, np.generic) else value
    return (
        f"column {name!r} must hold only 0/1 or False/True; row {row} has {shown!r}. "
        "Turn it into yes/no columns first, for example age > 62."
    )


def _binary_array(array: NDArray[Any]) -> Features:
    """The fast road: one check for the whole matrix, details only when it fails."""
    if array.dtype.kind == "b" or (array.dtype.kind in "iuf" and _holds_only_0_and_1(array)):
        # A copy: what happens to X after the fit must not reach the model.
        return np.array(array, dtype=np.uint8, order="C")
    names = default_names(array.shape[1])
    return _binary_matrix(dict(zip(names, array.T, strict=True)), len(array))


def _holds_only_0_and_1(array: NDArray[Any]) -> bool:
    if array.dtype.kind == "f":
        return bool(((array == 0) | (array == 1)).all())
    return bool(array.min() >= 0 and array.max() <= 1)


def check_outcome(y: Any, sample_weight: Any, n_rows: int) -> EventTable:
    """Y and weights as an EventTable with as many rows as X."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: pass a structured array "
            "(event, time), a two-column frame, or a pair (event, time)."
        )
    event_values, time_values = _event_and_time(y)
    event = _check_event(event_values)
    time = _check_time(time_values)
    if len(event) != len(time):
        raise ValueError(
            f"event and time must have the same length; got {len(event)} and {len(time)}."
        )
    if len(time) != n_rows:
        raise ValueError(
            "X and y must have the same number of rows (inconsistent numbers of samples); "
            f"X has {n_rows}, y has {len(time)}."
        )
    if not event.any():
        raise ValueError(
            f"no event was observed ({n_rows} of {n_rows} rows are censored), so all trees score "
            "the same. Is the event flag inverted?"
        )
    return EventTable(event, time, _check_weight(sample_weight, n_rows))


def _event_and_time(y: Any) -> tuple[Any, Any]:
    frame = _as_frame(y)
    if frame is not None:
        return _of_two_columns([_frame_column(frame, name) for name in frame.columns])
    if isinstance(y, (tuple, list)) and len(y) == 2 and all(np.ndim(part) == 1 for part in y):
        return y[0], y[1]
    array = np.asarray(y)
    if array.dtype.names is not None:
        return _of_two_columns([array[name] for name in array.dtype.names])
    if array.ndim == 2 and array.shape[1] == 2:
        return _of_two_columns([array[:, 0], array[:, 1]])
    raise ValueError(
        "y must tell event and time of each row: a structured array (event, time), a two-column "
        f"frame, or a pair (event, time); got {type(y).__name__} of shape {array.shape}."
    )


def _of_two_columns(columns: list[Any]) -> tuple[Any, Any]:
    """(event, time); whichever column alone holds only 0/1 or bool is the event."""
    if len(columns) != 2:
        raise ValueError(
            f"y must have two columns, the event flag and the time; it has {len(columns)}."
        )
    first, second = columns
    is_swapped = _is_flag(second) and not _is_flag(first)
    return (second, first) if is_swapped else (first, second)


def _is_flag(values: Any) -> bool:
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return True
    return array.dtype.kind in "iuf" and bool(((array == 0) | (array == 1)).all())


def _check_event(values: Any) -> NDArray[np.bool_]:
    array = _column("event", values)
    if array.dtype.kind == "b":
        return array.copy()  # what happens to y after the fit must not reach the model
    is_odd = (array != 0) & (array != 1)
    if is_odd.any():
        row = int(np.argmax(is_odd))
        raise ValueError(
            "event must be True/False or 1/0 (1: the event was seen, 0: censored); "
            f"row {row} has {array[row].item()!r}. {_event_hint(array)}"
        )
    return np.asarray(array == 1)


def _event_hint(array: NDArray[Any]) -> str:
    if np.isin(array, (1, 2)).all():
        return "For 1 = censored, 2 = event pass event == 2."
    if np.isnan(array.astype(np.float64)).any():
        return "Drop the rows with a missing flag."
    return "Are event and time swapped? A pair is (event, time)."


def _check_time(values: Any) -> NDArray[np.float64]:
    time = _column("time", values).astype(np.float64)
    for is_bad, what, remedy in (
        (~np.isfinite(time), "finite", "Remove the row, or censor it at the last known time."),
        (time < 0, "not negative", "Remove the row or move the time origin."),
    ):
        if is_bad.any():
            row = int(np.argmax(is_bad))
            need = "must be finite" if what == "finite" else "must not be negative"
            raise ValueError(f"times {need}; row {row} has {time[row]}. {remedy}")
    if len(time) and time.max() == 0:
        raise ValueError("times must not all be 0: there is no time over which to judge a curve.")
    return time


def _column(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            array = np.asarray([str(v) for v in array.ravel()])
    if array.ndim != 1:
        raise ValueError(f"{name} must be one column; got shape {array.shape}.")
    if array.dtype.kind not in "biuf":
        shown = array[0].item() if len(array) else array.dtype
        raise ValueError(f"{name} must hold numbers; got {shown!r}. Convert the column first.")
    return array


def _check_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = _column("sample_weight", sample_weight).astype(np.float64)
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight must have one entry per row; X has {n_rows}, it has {len(weight)}."
        )
    is_bad = ~(np.isfinite(weight) & (weight > 0))
    if is_bad.any():
        row = int(np.argmax(is_bad))
        raise ValueError(
            f"sample_weight must be positive and finite; row {row} has {weight[row]}. "
            "To leave a row out, remove it."
        )
    if weight.max() > MAX_WEIGHT_RATIO * weight.min():
        raise ValueError(
            f"sample_weight must not span more than a factor of {MAX_WEIGHT_RATIO:g}, beyond which "
            f"losses lose digits; got {weight.min():g} to {weight.max():g}. Rescale or clip it."
        )
    return weight


def check_times(times: ArrayLike) -> NDArray[np.float64]:
    """Times at which curves are asked for: ascending, finite."""
    array = _column("times", np.atleast_1d(np.asarray(times))).astype(np.float64)
    if not np.isfinite(array).all() or (np.diff(array) < 0).any():
        raise ValueError("times must be finite and ascending. Sort them first.")
    return array


def check_share(quantile: Any) -> float:
    """A share strictly between 0 and 1."""
    if not isinstance(quantile, numbers.Real) or not 0 < float(quantile) < 1:
        raise ValueError(
            f"quantile must be a number between 0 and 1, both excluded; got {quantile!r}."
        )
    return float(quantile)


def check_limit(limit: Any) -> int:
    """A positive count."""
    if isinstance(limit, bool) or not isinstance(limit, numbers.Integral) or limit < 1:
        raise ValueError(f"limit must be a positive integer; got {limit!r}.")
    return int(limit)


def check_trees_can_be_listed(problem: Problem | None, status: str) -> Problem:
    """The problem, if the fit was proven optimal and still has its rows."""
    if problem is None:
        raise ValueError(
            "optimal_trees needs the training rows, and this model was unpickled without them. "
            "Fit it again."
        )
    if status != "optimal":
        raise ValueError(
            f"optimal_trees needs a proven optimum; the status of this fit is {status!r}. "
            "Fit again without limits."
        )
    return problem
