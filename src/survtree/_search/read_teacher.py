"""Teachers: what a user passes as ``teacher``, turned into the curves that a tree is fitted to.

A reference (``read_reference.py``) only tells the search where it need not look; a teacher is the
target itself. Both take the same kinds of models and curves.
"""

import numbers
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from survtree._base.options import TEACHERS
from survtree._base.words import did_you_mean
from survtree._data.table import EventTable, Floats, Table
from survtree._scoring.curves import Curves
from survtree._scoring.read_curves import TEACHER, check_curves, check_pair, predicted_curves
from survtree._scoring.teachers import BUILT_IN, Pace, TeacherCurves, built_in_curves

# Curves that step more often are read at so many times, with about equally many steps between.
MOST_TIMES = 100


def teacher_curves(
    teacher: Any,
    X: Any,
    table: Table,
    events: EventTable,
    seed: int | None,
    pace: Pace | None = None,
) -> TeacherCurves | None:
    """The curves of a teacher for the training rows, up to the last time of the events.

    A name is a built-in teacher, which is fitted here so that no row's curve has seen the row. A
    fitted model predicts the rows of X, which are as the user has them. A pair has survival
    probabilities (row, time) and the times of the columns.
    """
    if teacher is None:
        return None
    kind = check_teacher(teacher)
    if kind == "name":
        assert seed is not None
        return built_in_curves(teacher, table, events, seed, pace)
    if kind == "model":
        return _on_times(predicted_curves(teacher, X, len(events), role=TEACHER), events)
    times, survival = check_pair(teacher, len(events), TEACHER)
    curves = check_curves(times[np.newaxis], survival, range(len(events)), TEACHER)
    return _on_times(curves, events)


def teacher_name(teacher: Any) -> str | None:
    """The name of a teacher in a certificate or a report."""
    if teacher is None:
        return None
    kind = check_teacher(teacher)
    if kind == "name":
        return str(teacher)
    return type(teacher).__name__ if kind == "model" else "survival curves"


def seed_needed(teacher: Any, reference: Any, random_state: Any) -> int | None:
    """The seed of a teacher or reference that is fitted here; with any other nothing is random."""
    is_built_in = teacher is not None and check_teacher(teacher) == "name"
    return seed_of(random_state) if is_built_in or isinstance(reference, str) else None


def seed_of(random_state: Any) -> int:
    """An integer, drawn from a random state if none was given."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def _on_times(curves: Curves, events: EventTable) -> TeacherCurves:
    """The curves at the times at which they step, or at as many as can be handled."""
    horizon = float(events.time.max())
    times = np.unique(curves.times)
    times = times[times < horizon]
    if len(times) > MOST_TIMES:
        shares = (np.arange(MOST_TIMES) + 0.5) / MOST_TIMES
        times = np.unique(np.quantile(times, shares, method="inverted_cdf"))
    if len(times) == 0:  # nobody differs before the horizon
        times = np.zeros(1)
    survival: Floats = curves.on(times).T
    return TeacherCurves(times, survival, horizon)


def check_teacher(teacher: Any) -> Literal["name", "model", "curves"]:
    """What kind of teacher this is, or an error that lists the kinds."""
    if isinstance(teacher, str):
        if teacher in BUILT_IN:
            return "name"
        raise ValueError(f"{_needed(repr(teacher))}{did_you_mean(teacher, BUILT_IN)}")
    if isinstance(teacher, type):
        what = f"the class {teacher.__name__}"
        raise TypeError(f"{_needed(what)} Pass an instance that was fitted.")
    if hasattr(teacher, "predict_survival_function"):
        return "model"
    if isinstance(teacher, tuple):
        return "curves"
    what = type(teacher).__name__
    if hasattr(teacher, "fit"):
        what += ", which has no predict_survival_function"
        raise TypeError(f"{_needed(what)} Pass the curves that you computed from it.")
    raise TypeError(f"{_needed(what)} Pass survival probabilities in a pair with their times.")


def _needed(came: str) -> str:
    return f"teacher must be {TEACHERS}, 'default' or None; got {came}."
