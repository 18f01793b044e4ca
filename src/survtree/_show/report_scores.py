"""What a report says of how well a model predicts: scores, calibration, and other models."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from survtree._base.numbers import json_number
from survtree._model.cross_validation import Fold, folds_of
from survtree._model.defaults import is_word
from survtree._model.fitted import functions_of
from survtree._model.prepare import Cohort
from survtree._model.read_folds import can_be_folded, most_folds
from survtree._scoring.curves import StepFunction, outcome_of
from survtree._scoring.rivals import Predicted, cox_model, greedy_tree, one_curve_for_all
from survtree._scoring.scores import SCORES, calibration_groups, scores_of
from survtree._scoring.teachers import BUILT_IN
from survtree._show.plot_quality import calibration_at

Floats = NDArray[np.float64]
ByName = dict[str, float | None]
N_GROUPS = 5  # of rows, for calibration
# If nobody asks for folds, there are so many, unless fits would take longer than this in all.
USUAL_FOLDS, MOST_SECONDS = 5, 60.0
# A ratio nearer to 0 than this, or than its standard error, is no clear gain.
LEAST_RATIO = 0.01
# Why nothing was measured on held-out rows, and what to do about it.
WHY_NOT = {
    "no rows": "Pass the training rows: model.report(file, X, y), or survtree report MODEL DATA.",
    "cv is None": "Cross-validation was turned off. Pass cv=5, or --folds 5.",
    "seconds": "Fitting the model again for each fold would take long. Pass cv=5, or --folds 5.",
    "events": "Folds need at least two events. Pass rows that were not used in the fit.",
    "groups": "Folds need events in at least two groups of rows. Pass rows that were not used in "
    "the fit.",
    "reference": "The fit uses a reference model that has seen all rows. Pass rows that were not "
    "used in the fit.",
    "teacher": "The fit uses a teacher that has seen all rows. Pass rows that were not used in the "
    "fit.",
    "folds": "The model was tuned on folds that were listed, which cannot be used with fewer rows. "
    "Pass rows that were not used in the fit.",
    "own folds": "The model was tuned by cross-validation, and without a fold there are too few "
    "events or groups to tune it again. Fit with a smaller cv, or pass rows that were not used in "
    "the fit.",
    "streamed": "The rows of a fit on a lazy frame are not kept. Fit a frame in memory.",
    "": "The held-out rows are too few for a score. Pass fewer folds, or more rows.",
    "new": "The rows given are too few for a score. Pass more rows.",
}
ONE_INCIDENCE = "One Aalen-Johansen curve for all rows"
RIVALS = {
    "one_curve": "One Kaplan-Meier curve for all rows",
    "cox": "Cox model of all columns, with a ridge penalty",
    "greedy": "Greedy tree, split while a log-rank test says so (5 %, Bonferroni)",
}


class Scoring(NamedTuple):
    """How rows are held out, and at which times and with which limits predictions are compared."""

    cv: Any
    rng: np.random.RandomState
    times: Floats
    confidence: float
    is_compared: bool = False


class HeldOut(NamedTuple):
    """Scores by fold; predicted survival of each row at the times; how the fits ended."""

    scores: list[ByName]
    survival: Floats
    is_held_out: NDArray[np.bool_]
    fits: list[Any]

    @property
    def statuses(self) -> list[str]:
        """How the fits of the folds ended."""
        return [fit.certificate_.status for fit in self.fits]


def score_facts(model: Any, rows: Cohort, scoring: Scoring, *, is_training: bool) -> dict[str, Any]:
    """Scores and calibration. Rows that the model was not fitted on are new: none are held out."""
    cv, reason = folds_to_make(model, rows, scoring.cv) if is_training else (None, "new")
    with warnings.catch_warnings():
        # In parts of one study, late rows and values seen elsewhere are a matter of course.
        warnings.simplefilter("ignore", UserWarning)
        curves = functions_of(model, rows.X)
        training = rows.events if is_training else outcome_of(list(model.leaf_curves_.values()))
        apparent = scores_of(curves, rows.events, training, model.horizon_)
        folds: list[Fold] = []
        if reason == "":
            folds, reason = _made_folds(model, rows, cv, scoring.rng)
        held_out = _cross_validate(model, rows, folds, scoring.times) if folds else None
        calibration: list[dict[str, Any]] = []
        if held_out is not None:
            calibration = _calibration(rows, held_out.survival, held_out.is_held_out, scoring)
        elif not is_training:
            survival = survival_at(functions_of(model, rows.X), scoring.times)
            calibration = _calibration(rows, survival, np.ones(len(rows), bool), scoring)
        others = _others(model, rows, folds, held_out) if scoring.is_compared and held_out else []
    metrics = _table(apparent, held_out)
    return {
        "is_training": is_training,
        "why_not_held_out": reason,
        "metrics": metrics,
        "verdict": verdict(metrics, model.n_leaves_, is_training=is_training),
        "is_size_fixed": _is_size_fixed(model),
        "n_folds": 0 if held_out is None else len(held_out.fits),
        "n_unproven": sum(s != "optimal" for s in held_out.statuses) if held_out else 0,
        "calibration": calibration,
        "others": others,
    }


def folds_to_make(model: Any, rows: Cohort, cv: Any) -> tuple[Any, str]:
    """The folds that are asked for, or why there are none; usual ones if they are affordable."""
    reason = why_not_refitted(model, cv)
    if reason or not is_word(cv, "auto"):
        return cv, reason
    n_most = most_folds(rows.events, rows.groups)
    if n_most < 2:
        return None, "events" if most_folds(rows.events) < 2 else "groups"
    if USUAL_FOLDS * _seconds_of_fit(model) > MOST_SECONDS:
        return None, "seconds"
    return min(USUAL_FOLDS, n_most), ""


def _made_folds(
    model: Any, rows: Cohort, cv: Any, rng: np.random.RandomState
) -> tuple[list[Fold], str]:
    """The folds; or none and why, if a model that makes folds itself could not do so in each."""
    folds = folds_of(cv, rows.events, rng, groups=rows.groups, is_kept=rows.is_kept)
    if hasattr(model, "cv"):
        for train, _ in folds:
            groups = None if rows.groups is None else rows.groups[train]
            if not can_be_folded(model.cv, rows.events.take(train), groups):
                return [], "own folds"
    return folds, ""


def _seconds_of_fit(model: Any) -> float:
    """About what one fit takes: that of a cross-validation has a search per fold and depth."""
    n_searches = 1
    if hasattr(model, "n_splits_"):
        n_searches = (model.n_splits_ + 1) * len(set(model.cv_results_["param_max_depth"]))
    return float(n_searches * model.certificate_.seconds)


def _is_size_fixed(model: Any) -> bool:
    """Whether folds keep a penalty that a cross-validation of all rows has chosen."""
    return bool(model._state.origin.estimator.endswith("CV")) and not hasattr(model, "n_splits_")


def verdict(metrics: list[dict[str, Any]], n_leaves: int, *, is_training: bool) -> dict[str, Any]:
    """Is the model better than one curve for all rows, on rows that it was not fitted on?

    "better", "unclear" (a ratio near 0), "worse", "lone" if it is one curve itself, or "unknown" if
    there are no such rows.
    """
    by_key = {metric["key"]: metric for metric in metrics}
    ratio, c = by_key["ibs_ratio"], by_key["harrell_c"]
    where = "mean" if is_training else "apparent"
    value, error = ratio[where], ratio["standard_error"] or 0.0
    state = "unknown"
    if value is not None:
        is_near = value < max(LEAST_RATIO, error)
        state = "worse" if value <= 0 else "unclear" if is_near else "better"
        state = "lone" if n_leaves == 1 else state
    return {
        "state": state,
        "ratio": value,
        "ratio_error": ratio["standard_error"],
        "c": c[where],
        "c_error": c["standard_error"],
        "training": ratio["apparent"] if is_training else None,
    }


def without_rows() -> dict[str, Any]:
    """The verdict if there are no rows to score."""
    names = ("ratio", "ratio_error", "c", "c_error", "training")
    return dict.fromkeys(names) | {"state": "unknown"}


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


def _cross_validate(model: Any, rows: Cohort, folds: list[Fold], times: Floats) -> HeldOut:
    survival = np.ones((len(rows), len(times)))
    is_held_out = np.zeros(len(rows), dtype=bool)
    scores, fits = [], []
    for train, test in folds:
        refitted = _refitted(model, rows.take(train))
        if refitted._is_interrupted:  # by Ctrl-C, which is about all of the folds
            raise KeyboardInterrupt
        held_out = rows.take(test)
        functions = functions_of(refitted, held_out.X)
        training = rows.events.take(train)
        scores.append(scores_of(functions, held_out.events, training, model.horizon_))
        survival[test] = survival_at(functions, times)
        is_held_out[test] = True
        fits.append(refitted)
    return HeldOut(scores, survival, is_held_out, fits)


def _others(model: Any, rows: Cohort, folds: list[Fold], held_out: HeldOut) -> list[dict[str, Any]]:
    """Scores of this model and of others on the same held-out rows."""
    by_model: dict[str, list[tuple[ByName, int | None]]] = {name: [] for name in RIVALS}
    for fit, fold in zip(held_out.fits, folds, strict=True):
        part, test = rows.events.take(fold.train), rows.events.take(fold.test)
        for name, found in _predicted(fit, rows, fold):
            curves = found.survival, found.times
            by_model[name].append((scores_of(curves, test, part, model.horizon_), found.n_groups))
    own = [(s, fit.n_leaves_) for s, fit in zip(held_out.scores, held_out.fits, strict=True)]
    names = RIVALS if rows.events.cause is None else RIVALS | {"one_curve": ONE_INCIDENCE}
    named = {names[name]: found for name, found in by_model.items() if found}
    told = {"This model": own, **named}
    return [{"name": name, **_mean_scores(found)} for name, found in told.items()]


def _predicted(fit: Any, rows: Cohort, fold: Fold) -> Iterator[tuple[str, Predicted]]:
    """The predictions of the other models; the greedy tree has the candidate splits of the fit."""
    train, test = fold
    table, questions = fit.binarizer_.read(rows.X, fit), fit.questions_
    part, answers = rows.events.take(train), questions.matrix(table)
    yield "one_curve", one_curve_for_all(part, len(test))
    if rows.events.cause is not None:  # the others know one cause only
        return
    covariates = table.without((*fit.excluded_, *rows.left_out))
    yield "cox", cox_model(covariates, rows.events, train, test)
    yield "greedy", greedy_tree(answers[train], part, answers[test])


def _mean_scores(found: list[tuple[ByName, int | None]]) -> dict[str, Any]:
    sizes = [size for _, size in found if size is not None]
    scores = {
        name: _mean_and_error([each[name] for each, _ in found])
        for name in ("ibs_ratio", "harrell_c")
    }
    return {"leaves": float(np.mean(sizes)) if sizes else None, **scores}


def _refitted(model: Any, rows: Cohort) -> Any:
    """A fit with the same options, without output, and without a bound known for all rows only.

    Horizon and seed are those of the model, so that folds are scored alike, every time.
    """
    new = clone(model)
    quiet = {"verbose": 0, "upper_bound": None, "horizon": model.horizon_}
    # A part of the rows does not show which columns number them all.
    quiet["exclude"] = rows.left_out or None
    quiet |= {} if model.seed_ is None else {"random_state": model.seed_}
    new.set_params(**{name: value for name, value in quiet.items() if hasattr(new, name)})
    return rows.fit(new)


def survival_at(functions: Sequence[StepFunction], times: Floats) -> Floats:
    """The curves at some times: rows x times."""
    known = {id(function): function(times) for function in functions}
    return np.array([known[id(function)] for function in functions])


def _table(apparent: ByName, held_out: HeldOut | None) -> list[dict[str, Any]]:
    out = []
    for score in SCORES:
        by_fold = [] if held_out is None else [found[score.name] for found in held_out.scores]
        out.append(
            {
                "key": score.name,
                "name": score.title,
                "meaning": score.meaning,
                "apparent": apparent[score.name],
                **_mean_and_error(by_fold),
            }
        )
    return out


def _mean_and_error(by_fold: list[float | None]) -> dict[str, Any]:
    """Over the folds in which the score is known."""
    known = np.array([value for value in by_fold if value is not None])
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else None
    return {
        "mean": json_number(known.mean()) if len(known) else None,
        "standard_error": json_number(error),
        "n_folds": len(known),
    }


def _calibration(
    rows: Cohort, survival: Floats, is_used: NDArray[np.bool_], scoring: Scoring
) -> list[dict[str, Any]]:
    """At each time, groups of rows: the share predicted to get there, and what was observed."""
    events, predicted = rows.events.take(is_used), survival[is_used]
    y, out = events.y, []
    for place, time in enumerate(scoring.times.tolist()):
        curves = predicted[:, [place]], [time]
        groups = calibration_groups(y, curves, time, N_GROUPS, None, events.weight)
        out.append(calibration_at(time, groups, scoring.confidence))
    return out
