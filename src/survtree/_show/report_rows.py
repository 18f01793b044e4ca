"""What a report says of the rows it is given: the data, scores, and calibration."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from survtree._base.numbers import json_number
from survtree._data.table import Column, EventTable, Table
from survtree._model.cross_validation import folds_of
from survtree._model.fitted import functions_of
from survtree._model.prepare import Cohort
from survtree._scoring.curves import StepFunction, leaf_curves
from survtree._scoring.scores import SCORES, calibration_groups, scores_of
from survtree._scoring.teachers import BUILT_IN
from survtree._show.plot_quality import calibration_at

Floats = NDArray[np.float64]
# A page is for reading: so many columns that the tree does not use, and levels of one column.
MOST_COLUMNS, MOST_LEVELS = 100, 12
KINDS = {"number": "number", "flag": "yes or no", "level": "levels", "ordered": "ordered levels"}
N_GROUPS = 5  # of rows, for calibration


def data_facts(table: Table, events: EventTable, used: list[int], n_given: int) -> dict[str, Any]:
    """Outcome and columns of the rows; the columns that the tree uses come first."""
    others = [j for j in range(len(table.names)) if j not in set(used)]
    shown = [*used, *others[:MOST_COLUMNS]]
    n_events = int(np.count_nonzero(events.event))
    return {
        "rows": len(events),
        "left_out": n_given - len(events),
        "events": n_events,
        "censored": len(events) - n_events,
        "weight": json_number(events.weight.sum()) if (events.weight != 1).any() else None,
        "first": json_number(events.time.min()),
        "last": json_number(events.time.max()),
        "follow_up": _follow_up(events),
        "columns": [
            {**_column(table.columns[j]), "is_used": place < len(used)}
            for place, j in enumerate(shown)
        ],
        "more_columns": max(0, len(others) - MOST_COLUMNS),
    }


def _follow_up(events: EventTable) -> float | None:
    """Median follow-up by the reverse Kaplan-Meier method: censoring counts as the event."""
    reverse = EventTable(~events.event, events.time, events.weight)
    everybody = np.zeros(len(events), dtype=np.intp)
    median: float | None = json_number(leaf_curves(reverse, everybody, 1)[0].quantile(0.5))
    return median


def _column(column: Column) -> dict[str, Any]:
    is_missing = column.is_missing()
    values = column.values[~is_missing]
    facts: dict[str, Any] = {
        "name": column.name,
        "kind": KINDS[column.kind],
        "missing": int(is_missing.sum()),
        "quartiles": [],
        "levels": [],
        "more_levels": 0,
    }
    if column.kind in ("level", "ordered"):
        return facts | _levels(column, values)
    if column.kind == "flag" or not ((values != 0) & (values != 1)).any():
        names = ("False", "True") if column.kind == "flag" else ("0", "1")
        counts = np.bincount(values.astype(np.intp), minlength=2)
        return facts | {"levels": _named(names, counts.tolist())}
    quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
    return facts | {"quartiles": list(map(json_number, quartiles))}


def _levels(column: Column, values: Any) -> dict[str, Any]:
    """The levels that occur: in their order, or the most common first."""
    counts = np.bincount(values, minlength=len(column.levels)).tolist()
    found = [pair for pair in _named(column.levels, counts) if pair["n"]]
    if column.kind == "level":
        found.sort(key=lambda pair: (-pair["n"], pair["level"]))
    return {"levels": found[:MOST_LEVELS], "more_levels": max(0, len(found) - MOST_LEVELS)}


def _named(levels: Any, counts: list[int]) -> list[dict[str, Any]]:
    return [{"level": level, "n": n} for level, n in zip(levels, counts, strict=True)]


class Scoring(NamedTuple):
    """How rows are held out, and at which times and with which limits predictions are compared."""

    cv: Any
    rng: np.random.RandomState
    times: Floats
    confidence: float


class HeldOut(NamedTuple):
    """Scores by fold; predicted survival of each row at the times; how the fits ended."""

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
        curves = functions_of(model, rows.X)
        apparent = scores_of(curves, rows.events, rows.events, model.horizon_)
        held_out = _cross_validate(model, rows, scoring) if reason == "" else None
        calibration: list[dict[str, Any]] = []
        if held_out is not None:
            calibration = _calibration(rows, held_out.survival, held_out.is_held_out, scoring)
        elif not is_training:
            survival = survival_at(functions_of(model, rows.X), scoring.times)
            calibration = _calibration(rows, survival, np.ones(len(rows), bool), scoring)
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
        return "cv is None"
    if options.get("reference") is not None and not isinstance(options["reference"], str):
        return "reference"
    if model.teacher_ is not None and model.teacher_ not in BUILT_IN:
        return "teacher"
    own = options.get("cv", 5)
    return "" if isinstance(own, (int, np.integer)) or hasattr(own, "split") else "folds"


def _cross_validate(model: Any, rows: Cohort, scoring: Scoring) -> HeldOut:
    survival = np.ones((len(rows), len(scoring.times)))
    is_held_out = np.zeros(len(rows), dtype=bool)
    scores, statuses = [], []
    for train, test in folds_of(scoring.cv, rows.events, scoring.rng):
        refitted = _refitted(model, rows.take(train))
        held_out = rows.take(test)
        functions = functions_of(refitted, held_out.X)
        training = rows.events.take(train)
        scores.append(scores_of(functions, held_out.events, training, model.horizon_))
        survival[test] = survival_at(functions, scoring.times)
        is_held_out[test] = True
        statuses.append(refitted.certificate_.status)
    return HeldOut(scores, survival, is_held_out, statuses)


def _refitted(model: Any, rows: Cohort) -> Any:
    """A fit with the same options, without output, and without a bound known for all rows only.

    The horizon is that of the model, so that folds are scored alike.
    """
    new = clone(model)
    quiet = {"verbose": 0, "upper_bound": None, "horizon": model.horizon_}
    # A part of the rows does not show which columns number them all.
    quiet["exclude"] = model.excluded_ or None
    new.set_params(**{name: value for name, value in quiet.items() if hasattr(new, name)})
    return new.fit(rows.X, rows.y, rows.events.weight)


def survival_at(functions: Sequence[StepFunction], times: Floats) -> Floats:
    """The curves at some times: rows x times."""
    known = {id(function): function(times) for function in functions}
    return np.array([known[id(function)] for function in functions])


def _table(apparent: dict[str, float | None], held_out: HeldOut | None) -> list[dict[str, Any]]:
    out = []
    for score in SCORES:
        by_fold = [] if held_out is None else [found[score.name] for found in held_out.scores]
        known = np.array([value for value in by_fold if value is not None])
        error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else None
        out.append(
            {
                "name": score.title,
                "meaning": score.meaning,
                "apparent": apparent[score.name],
                "mean": json_number(known.mean()) if len(known) else None,
                "standard_error": json_number(error),
                "n_folds": len(known),
            }
        )
    return out


def _calibration(
    rows: Cohort, survival: Floats, is_used: NDArray[np.bool_], scoring: Scoring
) -> list[dict[str, Any]]:
    """At each time, groups of rows: the share predicted to get there, and what was observed."""
    events, predicted = rows.events.take(is_used), survival[is_used]
    y, out = (events.event, events.time), []
    for place, time in enumerate(scoring.times.tolist()):
        curves = predicted[:, [place]], [time]
        groups = calibration_groups(y, curves, time, N_GROUPS, None, events.weight)
        out.append(calibration_at(time, groups, scoring.confidence))
    return out
