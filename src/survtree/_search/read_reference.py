"""Reference models: what a user passes as ``reference``, turned into one loss per training row.

The losses are in the units of the search and add up to the loss of the model. A search uses them
as a guess; no proof depends on them.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from survtree._base.options import REFERENCES
from survtree._base.words import did_you_mean
from survtree._data.read_outcome import numbers_of
from survtree._data.read_table import as_frame
from survtree._data.table import EventTable
from survtree._scoring.curves import Curves
from survtree._scoring.losses import RowLosses, added_up
from survtree._scoring.read_curves import LEFT_OUT, PAIR, check_curves, check_pair, predicted_curves

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

NAMES = ("forest", "boosting")

# The paper's forest. Each of its nodes keeps a number for every time: 4,000 rows with as many times
# take gigabytes, and a guess does not need every time.
N_TREES, DEPTH, MOST_FOREST_TIMES = 100, 9, 500


def reference_losses(
    reference: Any,
    X: Any,
    answers: NDArray[np.uint8],
    events: EventTable,
    random_state: Any = None,
) -> Floats:
    """The loss of a reference on each training row; never negative.

    A name is a model of scikit-survival, which is fitted on the answers with this random state. A
    fitted model predicts a step function (``x``, ``y``) for each row of X, which is as the user has
    it. A pair has survival probabilities (row, time) and the times of the columns. A curve is 1
    before its first time and constant after its last. Losses, one per row, are used as they are:
    they must add up to the loss of the model, so 1 / (sum of weights x largest time) is part of
    each. The events are those that the search sees.
    """
    kind = check_reference(reference)
    score = RowLosses(events)
    if kind == "losses":
        return check_losses(reference, score.most())
    if kind == "name":
        return _losses_of_named(reference, answers, score, random_state)
    n_rows = len(events)
    if kind == "model":
        return added_up(_predicted(reference, X, n_rows), np.arange(n_rows), score)
    times, survival = check_pair(reference, n_rows)
    return added_up(
        lambda first, last: check_curves(
            times[np.newaxis], survival[first:last], range(first, last)
        ),
        np.arange(n_rows),
        score,
    )


def name_of(reference: Any) -> str:
    """The name of a reference in a report."""
    kind = check_reference(reference)
    if kind == "name":
        return str(reference)
    if kind == "model":
        return type(reference).__name__
    return "survival curves" if kind == "curves" else "losses of rows"


def _predicted(model: Any, X: Any, n_rows: int) -> Callable[[int, int], Curves]:
    """The curves of rows from the first to the last, as the model predicts them."""
    frame = as_frame(X)
    if frame is None and not isinstance(X, np.ndarray):  # rows cannot be taken from it
        return predicted_curves(model, X, n_rows).part

    def curves_of(first: int, last: int) -> Curves:
        part = X[first:last] if frame is None else frame[first:last].to_native()
        return predicted_curves(model, part, last - first, first)

    return curves_of


def _losses_of_named(
    name: str, answers: NDArray[np.uint8], score: RowLosses, random_state: Any
) -> Floats:
    events = score.events
    if len(events.unique_times) == 1:  # curves are 1 until then, so no loss is possible
        return np.zeros(len(events))
    if answers.shape[1] == 0:  # no questions: a model of a constant
        answers = np.zeros((len(events), 1), dtype=np.uint8)
    model = _fitted(name, answers, events, random_state)
    first_row, curve_of_row = _distinct_rows(answers)
    distinct = answers[first_row]
    return added_up(_predicted(model, distinct, len(distinct)), curve_of_row, score)


def _distinct_rows(answers: NDArray[np.uint8]) -> tuple[Places, Places]:
    """The distinct rows, often far fewer than all, and which of these each row equals."""
    packed = np.ascontiguousarray(np.packbits(answers, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which


def _fitted(name: str, answers: NDArray[np.uint8], events: EventTable, random_state: Any) -> Any:
    """The model of that name, fitted to the answers. scikit-survival is GPL, hence optional."""
    try:
        from sksurv import ensemble
    except ImportError as error:
        raise ImportError(
            f"reference={name!r} needs scikit-survival, which is not installed. Run pip install "
            "'survtree[reference]', or pass a model that you fitted."
        ) from error
    if name == "forest":
        model = ensemble.RandomSurvivalForest(N_TREES, max_depth=DEPTH, random_state=random_state)
        if len(events.unique_times) > MOST_FOREST_TIMES:
            events = events.on_grid(MOST_FOREST_TIMES)
    else:
        model = ensemble.GradientBoostingSurvivalAnalysis(random_state=random_state)
    outcome = np.empty(len(events), dtype=[("event", bool), ("time", float)])
    outcome["event"], outcome["time"] = events.event, events.time
    weight = None if (events.weight == 1).all() else events.weight
    return model.fit(answers, outcome, sample_weight=weight)


def check_reference(reference: Any) -> Literal["name", "model", "curves", "losses"]:
    """What kind of reference this is, or an error that lists the kinds."""
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
    """One loss per row, given the largest loss of any curve on each row."""
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
