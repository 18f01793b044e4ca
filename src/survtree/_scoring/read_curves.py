"""Survival curves of rows, as matrices, step functions or predictions of a model."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from survtree._data.causes import causes_of
from survtree._data.read_outcome import numbers_of
from survtree._data.table import Bools, Floats, Places
from survtree._scoring.curves import Curves

PAIR = "a pair (survival probabilities by row and time, times)"
LEFT_OUT = "Rows that missing='drop' leaves out of the fit have none."
# Probabilities are often products of many factors, which round.
ROUNDING = 1e-9


class Role(NamedTuple):
    """What messages call the curves and their rows, and what to pass instead."""

    name: str
    rows: str
    row_remedy: str
    tuple_remedy: str


REFERENCE = Role("reference", "the fit", LEFT_OUT, "Pass losses of rows as an array.")
TEACHER = Role("teacher", "the fit", LEFT_OUT, "Pass the probabilities first, then the times.")
CURVES = Role("curves", "y", "Take both from the same rows.", "Pass step functions as a list.")


def check_times(times: ArrayLike, role: str = "times") -> Floats:
    """Times of curves, or times at which to read them: ascending and finite."""
    array = numbers_of(role, np.atleast_1d(np.asarray(times)))
    if not np.isfinite(array).all():
        place = int(np.argmax(~np.isfinite(array)))
        raise ValueError(f"{role} must be finite; place {place} has {array[place]}. Leave it out.")
    if (np.diff(array) < 0).any():
        place = int(np.argmax(np.diff(array) < 0))
        raise ValueError(
            f"{role} must be ascending; {array[place + 1]:g} comes after {array[place]:g}. Sort "
            "them first."
        )
    return array


def check_pair(pair: Any, n_rows: int, role: Role = REFERENCE) -> tuple[Floats, NDArray[Any]]:
    """Times, and a matrix with a row for each row and a column for each time.

    The probabilities are for ``check_curves``, some rows at a time.
    """
    name = role.name
    if len(pair) != 2:
        raise ValueError(
            f"a tuple as {name} must be {PAIR}; it has {len(pair)} parts. {role.tuple_remedy}"
        )
    matrix = _matrix(pair[0], name)
    times = _curve_times(np.atleast_1d(np.asarray(pair[1])), name)
    if len(matrix) != n_rows:
        raise ValueError(
            f"the probabilities of {name} must have one row for each row of {role.rows}; there are "
            f"{n_rows:,} rows, they have shape {matrix.shape}. {role.row_remedy}"
        )
    if matrix.shape[1] != len(times):
        raise ValueError(
            f"the probabilities of {name} must have one column for each of its times; there are "
            f"{len(times):,} times, they have shape {matrix.shape}. Pass the times at which they "
            "were predicted."
        )
    return times, matrix


def _matrix(values: Any, name: str) -> NDArray[Any]:
    need = f"the probabilities of {name} must be an array of numbers, rows x times"
    try:
        matrix = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{need}; got uneven rows. Predict all rows at the same times.") from error
    if matrix.ndim != 2:
        remedy = "A pair is (probabilities, times), in this order."
        raise ValueError(f"{need}; got an array of shape {matrix.shape}. {remedy}")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{need}; got the type {matrix.dtype}. Convert it to floats.")
    return matrix


def _curve_times(values: NDArray[Any], name: str) -> Floats:
    times = check_times(values, f"times of {name}")
    if len(times) and times[0] < 0:
        raise ValueError(
            f"times of {name} must not be negative; the first is {times[0]:g}. Leave out what is "
            "before time 0."
        )
    return times


def check_curves(
    times: Floats, survival: NDArray[Any], rows: Sequence[int] | Places, role: Role = REFERENCE
) -> Curves:
    """The curves, if they are survival curves; ``rows`` are the numbers of the rows they are of."""
    survival = survival.astype(np.float64, copy=False)
    is_bad = ~((survival >= -ROUNDING) & (survival <= 1 + ROUNDING))
    if is_bad.any():
        row, place = _first(is_bad)
        raise ValueError(
            f"{role.name} must give survival probabilities between 0 and 1; row {rows[row]} has "
            f"{survival[row, place]:g} at time {_at(times, row, place)}. Pass probabilities, not "
            "hazards or percentages, and no missing values."
        )
    is_rise = survival[:, 1:] > survival[:, :-1] + ROUNDING
    if is_rise.any():
        row, place = _first(is_rise)
        before, after = survival[row, place : place + 2]
        raise ValueError(
            f"survival probabilities of {role.name} must not rise with time; row {rows[row]} goes "
            f"from {before:g} to {after:g} at time {_at(times, row, place + 1)}. If they are "
            "probabilities of the event, pass 1 minus them."
        )
    return Curves(times, np.clip(survival, 0.0, 1.0))


def _first(is_bad: Bools) -> tuple[int, int]:
    row, place = np.unravel_index(int(np.argmax(is_bad)), is_bad.shape)
    return int(row), int(place)


def _at(times: Floats, row: int, place: int) -> str:
    return f"{times[row if len(times) > 1 else 0, place]:g}"


def predicted_curves(
    model: Any, X: Any, n_rows: int, first_row: int = 0, role: Role = REFERENCE
) -> Curves:
    """What a model predicts for the rows of X, a part that starts at ``first_row``."""
    functions = predicted_functions(model, X, n_rows, role, first_row)
    rows = range(first_row, first_row + n_rows)
    return curves_of_functions(functions, rows, role, prediction_call(model))


def prediction_call(model: Any) -> str:
    """The call by which a model predicts its curves."""
    return f"{type(model).__name__}.predict_survival_function(X)"


def _curves_of_target(model: Any, X: Any) -> Any:
    """The survival curves of the rows; of a model of competing risks 1 - the target's incidence."""
    if causes_of(model) is None:
        return model.predict_survival_function(X)
    functions = model.predict_cumulative_incidence(X)
    reversed_by_id = {id(each): each.reversed() for each in functions}  # rows of a leaf share one
    return [reversed_by_id[id(each)] for each in functions]


def predicted_functions(
    model: Any, X: Any, n_rows: int, role: Role, first_row: int = 0
) -> list[Any]:
    """What a model predicts for the rows of X, one per row; not yet known to be functions."""
    call, name = prediction_call(model), role.name
    try:
        predicted = _curves_of_target(model, X)
    except NotFittedError as error:
        raise ValueError(
            f"{name} must be a fitted model; this {type(model).__name__} was not fitted. Call its "
            "fit first."
        ) from error
    except Warning:  # where the user made errors of warnings
        raise
    except Exception as error:  # whatever it is, the user needs to know which call failed
        why = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"{name} must predict curves for the rows of X; {call} failed with "
            f"{type(error).__name__}: {why}. Pass a model fitted on the columns of X, or {PAIR}."
        ) from error
    n_dims = len(getattr(predicted, "shape", ()))
    if n_dims > 1 or not hasattr(predicted, "__iter__"):
        shape = f" of shape {predicted.shape}" if n_dims > 1 else ""
        raise TypeError(_no_functions(role, call, f"{type(predicted).__name__}{shape}"))
    functions = list(predicted)
    if len(functions) != n_rows:
        if functions:  # what is no function is refused first: the wrong count may come of it
            curves_of_functions(functions, range(first_row, first_row + len(functions)), role, call)
        raise ValueError(
            f"{name} must predict one curve for each row; {call} gave {len(functions):,} for "
            f"{n_rows:,} rows. Pass {PAIR} instead."
        )
    return functions


def _no_functions(role: Role, call: str, came: str) -> str:
    need = "step functions, with times x and as many values y"
    if call:
        return f"{role.name} must predict {need}; {call} gave {came}. Pass {PAIR} instead."
    return f"{role.name} must hold {need}; it has {came}. Pass {PAIR} instead."


def curves_of_functions(
    functions: list[Any], rows: Sequence[int] | Places, role: Role, call: str = ""
) -> Curves:
    """Curves of step functions; ``call`` is what predicted them."""
    xs: list[Floats] = []
    ys: list[Floats] = []
    for row, function in zip(rows, functions, strict=True):
        try:
            x, y = _step(function)
        except (AttributeError, TypeError, ValueError) as error:
            came = f"{type(function).__name__} for row {row}"
            raise TypeError(_no_functions(role, call, came)) from error
        xs.append(x)
        ys.append(y)
    times, survival = _even(xs, ys)
    is_right = np.isfinite(times).all(axis=1) & (times[:, 0] >= 0)
    is_right &= (times[:, 1:] >= times[:, :-1]).all(axis=1)
    _curve_times(times[int(np.argmin(is_right))], role.name)  # the first that is wrong, if any
    return check_curves(times, survival, rows, role)


def _step(function: Any) -> tuple[Floats, Floats]:
    """Times and values of one function; one that never steps is 1 from time 0 on."""
    x = np.asarray(function.x, dtype=np.float64)
    y = np.asarray(function.y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"{x.shape} times, {y.shape} values")
    # scikit-survival's functions have a slope and an intercept, hardly ever other than these.
    slope, intercept = getattr(function, "a", 1.0), getattr(function, "b", 0.0)
    if slope != 1.0 or intercept != 0.0:
        y = slope * y + intercept
    return (x, y) if len(x) else (np.zeros(1), np.ones(1))


def _even(xs: list[Floats], ys: list[Floats]) -> tuple[Floats, Floats]:
    """Times and values as matrices; times as one row if all curves have the same."""
    if all(x is xs[0] or np.array_equal(x, xs[0]) for x in xs):
        return xs[0][np.newaxis], np.stack(ys)
    # A curve stays where it is after its last step, so that step can be repeated.
    lengths = np.array([len(x) for x in xs])[:, np.newaxis]
    starts = np.cumsum(lengths)[:, np.newaxis] - lengths
    place = starts + np.minimum(np.arange(lengths.max()), lengths - 1)
    return np.concatenate(xs)[place], np.concatenate(ys)[place]
