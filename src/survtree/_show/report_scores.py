"""How well the model does: on the rows given, and on rows held out of fits like it."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from survtree._base.numbers import json_number
from survtree._model.cross_validation import folds_of
from survtree._model.predict import functions_of
from survtree._model.prepare import Cohort
from survtree._scoring.calibration import calibration_curve
from survtree._scoring.curves import StepFunction
from survtree._scoring.scores import SCORES, scores_of

Floats = NDArray[np.float64]
N_GROUPS = 5


class Scoring(NamedTuple):
    """How rows are held out, and the times at which predictions are held against outcomes."""

    cv: Any
    rng: np.random.RandomState
    times: Floats


class HeldOut(NamedTuple):
    """A score a metric and fold; what was predicted of each row at the times; how fits ended."""

    scores: list[dict[str, float | None]]
    survival: Floats
    is_held_out: NDArray[np.bool_]
    statuses: list[str]


def score_facts(model: Any, rows: Cohort, scoring: Scoring, *, is_training: bool) -> dict[str, Any]:
    """Scores and calibration. Rows that the model was not fitted on are new: none are held out."""
    reason = why_not_refitted(model, scoring.cv) if is_training else "new"
    with warnings.catch_warnings():
        # In parts of one study, late rows and values seen elsewhere are a matter of course.
        warnings.simplefilter("ignore", UserWarning)
        apparent = scores_of(functions_of(model, rows.X), rows.events, rows.events)
        held_out = _cross_validate(model, rows, scoring) if reason == "" else None
        if held_out is not None:
            calibration = _calibration(rows, held_out.survival, held_out.is_held_out, scoring.times)
        elif not is_training:
            survival = survival_at(functions_of(model, rows.X), scoring.times)
            calibration = _calibration(rows, survival, np.ones(len(rows), bool), scoring.times)
        else:
            calibration = []
    return {
        "is_training": is_training,
        "why_not_held_out": reason,
        "metrics": _table(apparent, held_out),
        "n_folds": 0 if held_out is None else len(held_out.statuses),
        "n_unproven": sum(s != "optimal" for s in held_out.statuses) if held_out else 0,
        "calibration": calibration,
    }


def why_not_refitted(model: Any, cv: Any) -> str:
    """The reason to leave out cross-validation; empty if there is none."""
    options = model.get_params(deep=False)
    if cv is None:
        return "not asked for"
    if options.get("reference") is not None and not isinstance(options["reference"], str):
        return "reference"
    own = options.get("cv", 5)
    return "" if isinstance(own, (int, np.integer)) or hasattr(own, "split") else "folds"


def _cross_validate(model: Any, rows: Cohort, scoring: Scoring) -> HeldOut:
    folds = folds_of(scoring.cv, rows.events, scoring.rng)
    survival = np.ones((len(rows), len(scoring.times)))
    is_held_out = np.zeros(len(rows), dtype=bool)
    scores, statuses = [], []
    for train, test in folds:
        refitted = _refitted(model, rows.take(train))
        held_out = rows.take(test)
        functions = functions_of(refitted, held_out.X)
        scores.append(scores_of(functions, held_out.events, rows.events.take(train)))
        survival[test] = survival_at(functions, scoring.times)
        is_held_out[test] = True
        statuses.append(refitted.certificate_.status)
    return HeldOut(scores, survival, is_held_out, statuses)


def _refitted(model: Any, rows: Cohort) -> Any:
    """The same options, but for what is known of all rows only, and without a word."""
    new = clone(model)
    quiet = {"verbose": 0, "upper_bound": None}
    new.set_params(**{name: value for name, value in quiet.items() if hasattr(new, name)})
    return new.fit(rows.X, rows.y, rows.events.weight)


def survival_at(functions: Sequence[StepFunction], times: Floats) -> Floats:
    """What the curves say at some times: rows x times."""
    told = {id(function): function(times) for function in functions}
    return np.array([told[id(function)] for function in functions])


def _table(apparent: dict[str, float | None], held_out: HeldOut | None) -> list[dict[str, Any]]:
    out = []
    for score in SCORES:
        by_fold = [] if held_out is None else [found[score.name] for found in held_out.scores]
        known = np.array([value for value in by_fold if value is not None])
        spread = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else None
        out.append(
            {
                "name": score.title,
                "meaning": score.meaning,
                "apparent": apparent[score.name],
                "mean": json_number(known.mean()) if len(known) else None,
                "standard_error": json_number(spread),
                "n_folds": len(known),
            }
        )
    return out


def _calibration(
    rows: Cohort, survival: Floats, is_told: NDArray[np.bool_], times: Floats
) -> list[dict[str, Any]]:
    """At each time, groups of rows: the share predicted to get there, and what was observed."""
    events, told = rows.events.take(is_told), survival[is_told]
    out = []
    for place, time in enumerate(times.tolist()):
        found = calibration_curve(
            (events.event, events.time),
            (told[:, [place]], [time]),
            time,
            n_groups=N_GROUPS,
            sample_weight=events.weight,
        )
        groups = zip(*(part.tolist() for part in found), strict=True)
        names = ("predicted", "observed", "rows")
        out.append({"time": time, "groups": [dict(zip(names, g, strict=True)) for g in groups]})
    return out
