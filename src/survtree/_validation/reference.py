"""Reference models: of what kind one is, and whether what it says are curves or losses of rows."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from survtree._options import REFERENCES
from survtree._validation.outcome import numbers_of
from survtree._validation.predictions import check_times
from survtree._validation.words import did_you_mean

Floats = NDArray[np.float64]

NAMES = ("forest", "boosting")
PAIR = "a pair (survival probabilities by row and time, times)"
LEFT_OUT = "Rows that missing='drop' leaves out of the fit have none."
# Probabilities are often products of many factors, which round.
ROUNDING = 1e-9


class Curves(NamedTuple):
    """Survival curves as rows of a matrix; one row of times for all of them, or one for each."""

    times: Floats
    survival: Floats

    def part(self, first: int, last: int) -> "Curves":
        """Some of the curves."""
        is_shared = len(self.times) == 1
        return Curves(
            self.times if is_shared else self.times[first:last], self.survival[first:last]
        )


def check_reference(reference: Any) -> Literal["name", "model", "curves", "losses"]:
    """What kind of reference this is, or an error that tells the kinds there are."""
    if isinstance(reference, str):
        if reference in NAMES:
            return "name"
        raise ValueError(_not_a_reference(repr(reference)) + did_you_mean(reference, NAMES))
    if isinstance(reference, type):
        what = f"the class {reference.__name__}"
        raise TypeError(f"{_not_a_reference(what)} Pass an instance that was fitted.")
    if hasattr(reference, "predict_survival_function"):
        return "model"
    n_dims = _n_dims(reference)
    if isinstance(reference, tuple) or (n_dims is None and len(reference) == 2):
        return "curves"
    if n_dims == 1 and not _are_functions(reference):
        return "losses"
    raise _refusal(reference, n_dims)


def _not_a_reference(came: str) -> str:
    return f"reference must be {REFERENCES}; got {came}."


def _n_dims(reference: Any) -> int | None:
    """Dimensions of an array or a list, None of a list of uneven parts, 0 of anything else."""
    if not isinstance(reference, list) and not hasattr(reference, "__array__"):
        return 0
    try:
        return np.ndim(reference)
    except ValueError:
        return None


def _are_functions(reference: Iterable[Any]) -> bool:
    return callable(next(iter(reference), None))


def _refusal(reference: Any, n_dims: int | None) -> Exception:
    what, remedy = type(reference).__name__, "Pass one of these."
    if hasattr(reference, "best_estimator_"):
        remedy = "Pass its best_estimator_."
    elif hasattr(reference, "fit"):
        what += ", which has no predict_survival_function"
        remedy = f"Pass {PAIR} that you computed from it."
    elif n_dims is None:
        what += " of uneven parts"
    elif n_dims == 1:
        what = f"functions of type {type(next(iter(reference))).__name__}"
        remedy = "Pass the model that predicted them."
    elif n_dims == 2:
        what += f" of shape {np.shape(reference)}"
        remedy = "If these are survival probabilities, pass them in a pair with their times."
    elif n_dims > 2:
        what += f" of {n_dims} dimensions"
    error = TypeError if n_dims == 0 else ValueError
    return error(f"{_not_a_reference(what)} {remedy}")


def check_losses(reference: Any, most: Floats) -> Floats:
    """One loss a row, given the most that any curve loses on each."""
    losses = numbers_of("reference", reference)
    if len(losses) != len(most):
        raise ValueError(
            f"reference must have one loss for each row of the fit; there are {len(most):,} rows, "
            f"it has {len(losses):,}. {LEFT_OUT}"
        )
    is_bad = ~(np.isfinite(losses) & (losses >= 0))
    if is_bad.any():
        row = int(np.argmax(is_bad))
        raise ValueError(
            f"losses of reference must be finite and not negative; row {row} has {losses[row]}. "
            "Pass weight x integrated Brier score of each row, divided by (sum of the weights x "
            "largest time)."
        )
    # Twice: losses on exact times may be given where the search is over rounded ones.
    is_large = losses > 2 * most + np.finfo(float).eps
    if is_large.any():
        row = int(np.argmax(is_large))
        raise ValueError(
            "losses of reference must add up to the loss of the model; row "
            f"{row} has {losses[row]:g}, where no curve loses more than {most[row]:g}. Divide them "
            "by (sum of the weights x largest time)."
        )
    return losses


def check_pair(reference: Any, n_rows: int) -> tuple[Floats, NDArray[Any]]:
    """Times, and a matrix with a row for each row and a column for each time.

    The probabilities are for ``check_curves``, some rows at a time.
    """
    if len(reference) != 2:
        raise ValueError(
            f"a tuple as reference must be {PAIR}; it has {len(reference)} parts. Pass losses of "
            "rows as an array."
        )
    matrix = _matrix(reference[0])
    times = _curve_times(np.atleast_1d(np.asarray(reference[1])))
    if len(matrix) != n_rows:
        raise ValueError(
            f"the probabilities of reference must have one row for each row of the fit; there are "
            f"{n_rows:,} rows, they have shape {matrix.shape}. {LEFT_OUT}"
        )
    if matrix.shape[1] != len(times):
        raise ValueError(
            "the probabilities of reference must have one column for each of its times; there are "
            f"{len(times):,} times, they have shape {matrix.shape}. Pass the times at which they "
            "were predicted."
        )
    return times, matrix


def _matrix(values: Any) -> NDArray[Any]:
    need = "the probabilities of reference must be an array of numbers, rows x times"
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


def _curve_times(values: NDArray[Any]) -> Floats:
    times = check_times(values, "times of reference")
    if len(times) and times[0] < 0:
        raise ValueError(
            f"times of reference must not be negative; the first is {times[0]:g}. Leave out what "
            "is before time 0."
        )
    return times


def check_curves(times: Floats, survival: NDArray[Any], first_row: int) -> Curves:
    """The curves, if they are survival curves; ``first_row`` is the number of the first."""
    survival = survival.astype(np.float64, copy=False)
    is_bad = ~((survival >= -ROUNDING) & (survival <= 1 + ROUNDING))
    if is_bad.any():
        row, place = _first(is_bad)
        raise ValueError(
            "reference must give survival probabilities between 0 and 1; row "
            f"{first_row + row} has {survival[row, place]:g} at time {_at(times, row, place)}. "
            "Pass probabilities, not hazards or percentages, and no missing values."
        )
    is_rise = survival[:, 1:] > survival[:, :-1] + ROUNDING
    if is_rise.any():
        row, place = _first(is_rise)
        before, after = survival[row, place : place + 2]
        raise ValueError(
            f"survival probabilities of reference must not rise with time; row {first_row + row} "
            f"goes from {before:g} to {after:g} at time {_at(times, row, place + 1)}. If they are "
            "probabilities of the event, pass 1 minus them."
        )
    return Curves(times, np.clip(survival, 0.0, 1.0))


def _first(is_bad: NDArray[np.bool_]) -> tuple[int, int]:
    row, place = np.unravel_index(int(np.argmax(is_bad)), is_bad.shape)
    return int(row), int(place)


def _at(times: Floats, row: int, place: int) -> str:
    return f"{times[row if len(times) > 1 else 0, place]:g}"


def predicted_curves(model: Any, X: Any, n_rows: int, first_row: int = 0) -> Curves:
    """What a model says of the rows of X, which are a part that starts at ``first_row``."""
    call = f"{type(model).__name__}.predict_survival_function(X)"
    try:
        functions = model.predict_survival_function(X)
    except NotFittedError as error:
        raise ValueError(
            f"reference must be a fitted model; this {type(model).__name__} was not fitted. Call "
            "its fit first."
        ) from error
    except Warning:  # where the user made errors of warnings
        raise
    except Exception as error:  # whatever it is, the user needs to know who was asked for what
        why = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"reference must predict curves for the rows of X; {call} failed with "
            f"{type(error).__name__}: {why}. Pass a model fitted on the columns of X, or {PAIR}."
        ) from error
    xs, ys = _steps(functions, call, first_row)
    if len(xs) != n_rows:
        raise ValueError(
            f"reference must predict one curve for each row; {call} gave {len(xs):,} for "
            f"{n_rows:,} rows. Pass {PAIR} instead."
        )
    times, survival = _even(xs, ys)
    is_right = np.isfinite(times).all(axis=1) & (times[:, 0] >= 0)
    is_right &= (times[:, 1:] >= times[:, :-1]).all(axis=1)
    _curve_times(times[int(np.argmin(is_right))])  # the first that is wrong, if any
    return check_curves(times, survival, first_row)


def _steps(functions: Any, call: str, first_row: int) -> tuple[list[Floats], list[Floats]]:
    """Times and values of step functions."""
    xs: list[Floats] = []
    ys: list[Floats] = []
    try:
        for function in functions:
            x, y = _step(function)
            xs.append(x)
            ys.append(y)
    except (AttributeError, TypeError, ValueError) as error:
        came = type(functions).__name__
        if len(getattr(functions, "shape", ())) > 1:
            came += f" of shape {functions.shape}"
        elif hasattr(functions, "__iter__"):
            came = f"{type(function).__name__} for row {first_row + len(ys)}"
        raise TypeError(
            "reference must predict step functions, with times x and as many values y; "
            f"{call} gave {came}. Pass {PAIR} instead."
        ) from error
    return xs, ys


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
