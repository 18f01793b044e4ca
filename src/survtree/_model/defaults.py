"""What the words "default" and "auto" of an option stand for, given the rows of a fit.

The rules were chosen by held-out scores on many public tables: see
``docs/results/new-rows.md`` for the scores and ``docs/explanation/defaults.md`` for the reasons.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from survtree._data.table import EventTable
from survtree._model.checks import check_horizon_has_events
from survtree._scoring.losses import LossByDefinition

# What "default" means beside a regularization that is a number: the paper's objective.
PAPER: Mapping[str, Any] = {
    "max_depth": 4,
    "levels": "each",
    "min_events_leaf": 0,
    "horizon": None,
    "teacher": None,
    "shrinkage": 0.0,
}
# What it means beside regularization="auto": trees that hold on new rows.
NEW_ROWS: Mapping[str, Any] = {
    "max_depth": "auto",
    "levels": "grouped",
    "min_events_leaf": 1,
    "horizon": "auto",
    "teacher": "auto",
    "shrinkage": "auto",
}
SHALLOW = 3  # "auto" for the depth, to begin with (deeper.py)
# Penalties are this share of the loss of a lone leaf, divided by the number of rows: a leaf's
# curve is about so far off by chance. A teacher's curves are smooth, so splits need less evidence.
TEACHER_SHARE, BRIER_SHARE = 0.1, 1.0
SHRINKAGE_ROWS = 60.0


def is_word(value: Any, word: str) -> bool:
    """Whether an option, which may be an array or a model, is this word."""
    return isinstance(value, str) and value == word


def without_defaults(options: Mapping[str, Any], regularization: Any) -> dict[str, Any]:
    """The options with what "default" means beside this regularization in its place.

    A reference is about the loss of the outcomes, and so is the likelihood: beside them there is no
    teacher.
    """
    meant = NEW_ROWS if is_word(regularization, "auto") else PAPER
    if options.get("reference") is not None or is_word(options.get("loss"), "likelihood"):
        meant = {**meant, "teacher": None}
    return {
        name: meant[name] if name in meant and is_word(value, "default") else value
        for name, value in options.items()
    }


def resolved_horizon(horizon: float | str | None, events: EventTable) -> float | None:
    """The time up to which the loss of these rows is integrated, at most their largest time."""
    if horizon is None:
        return None
    time = auto_horizon(events) if isinstance(horizon, str) else horizon
    time = min(time, float(events.time.max()))
    check_horizon_has_events(time, events)
    return time


def auto_horizon(events: EventTable) -> float:
    """The last time with enough rows at risk, by weight, but not past the last event.

    Enough are as many as the square root of all. If no event was seen before that time, it is the
    largest one.
    """
    at_risk = events.at_risk
    last = int(np.count_nonzero(at_risk >= np.sqrt(at_risk[0]))) - 1
    time = min(events.unique_times[last], events.time[events.event].max())
    has_events = (events.time[events.event] < time).any()
    return float(time if has_events else events.time.max())


def resolved_depth(given: int | str | None) -> int | None:
    """The depth to begin with."""
    return SHALLOW if isinstance(given, str) else given


def resolved_regularization(
    given: float | str,
    events: EventTable,
    n_questions: int,
    *,
    has_teacher: bool,
    max_leaves: int | None = None,
    loss: str = "brier",
) -> float:
    """The penalty per leaf. Who asks for a number of leaves and names no penalty wants none.

    "auto" is a share of the loss of a lone leaf, divided by the weight of the rows. Without a
    teacher it grows with the logarithm of the number of questions, among which the best split
    looks good by chance. Of the likelihood, whose logarithm a split raises by about that much by
    chance, it is this logarithm itself, and at least that of Akaike's criterion, divided by the
    weight of the rows.
    """
    if not isinstance(given, str):
        return given
    if max_leaves is not None:
        return 0.0
    weight, by_chance = float(events.weight.sum()), float(np.log(max(n_questions, 2)))
    if loss == "likelihood":
        return max(1.0, by_chance) / weight
    share = TEACHER_SHARE if has_teacher else BRIER_SHARE * by_chance
    return share * LossByDefinition.of(events).one_leaf_loss() / weight


def resolved_shrinkage(given: float | str, *, has_teacher: bool) -> float | None:
    """The shrinkage of predicted curves, in rows; None: the teacher's curves are to choose it."""
    if not isinstance(given, str):
        return given
    return None if has_teacher else SHRINKAGE_ROWS
