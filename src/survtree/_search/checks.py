"""Reference models: of what kind one is, and whether what it says are curves or losses of rows."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from survtree._base.options import REFERENCES
from survtree._base.words import did_you_mean
from survtree._data.read_outcome import numbers_of
from survtree._scoring.read_curves import LEFT_OUT, PAIR

Floats = NDArray[np.float64]

NAMES = ("forest", "boosting")


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
