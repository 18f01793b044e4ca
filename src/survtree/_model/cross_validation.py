"""Cross-validation: folds, scores on held-out rows, and trees of all sizes with their scores.

One search per fold and depth finds a whole regularization path. Everything that takes time is a
task (``many_fits.py``).
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import EventTable
from survtree._model.checks import PATH_OPTIONS, check_cv
from survtree._model.estimator import OptimalSurvivalTree
from survtree._model.fitted import FittedTree
from survtree._model.many_fits import fit_many
from survtree._model.path import found_path
from survtree._model.prepare import Cohort, Places
from survtree._model.read_folds import divided_folds, listed_folds, shuffled_folds
from survtree._scoring.concordance import concordance_of_risks
from survtree._scoring.curves import Curves
from survtree._scoring.read_scored import Scored
from survtree._scoring.scores import ratio_of
from survtree._scoring.tail import heavy_tail, warn_of_tail
from survtree._search.progress import Watch

Floats = NDArray[np.float64]
Scoring = str | Callable[..., float]
# Everything that a tree depends on, so that a plain fit can find it again.
FIT_OPTIONS = ("regularization", *PATH_OPTIONS)
STANDARD_ERRORS = {"half_standard_error": 0.5, "one_standard_error": 1.0}


class Fold(NamedTuple):
    """Places of rows to fit on, and of held-out rows to score."""

    train: Places
    test: Places


def folds_of(
    cv: Any,
    events: EventTable,
    rng: np.random.RandomState,
    n_repeats: int = 1,
    groups: Places | None = None,
    is_kept: NDArray[np.bool_] | None = None,
) -> list[Fold]:
    """The folds for ``cv``: a number of them, a splitter, or a list of folds.

    A number stands for shuffled folds that have about equally many rows and events, made so many
    times over. Rows of one group are in the same fold. A list counts the user's rows, of which
    ``is_kept`` are left; a splitter divides those that are left.
    """
    kind = check_cv(cv, int(events.event.sum()), len(events))
    if kind == "splitter":
        pairs = divided_folds(cv, events, groups, is_kept)
    elif kind == "folds":
        pairs = listed_folds(cv, events, groups, is_kept)
    else:
        pairs = shuffled_folds(int(cv), events, rng, n_repeats, groups)
    return [Fold(*pair) for pair in pairs]


def score_of(
    settings: "TuningSettings", model: FittedTree, rows: Cohort, train: EventTable
) -> float:
    """A score by its name or by a scikit-learn scorer; ``train`` are the rows of the fit."""
    scoring = settings.scoring
    if callable(scoring):
        return float(scoring(model, rows.X, rows.y))
    return SCORE_OF[scoring](model, rows, train, settings.options["horizon"])


def warn_of_tails(rows: Cohort, plans: "Sequence[Plan]", settings: "TuningSettings") -> None:
    """Warn once if a few rows carry much of the loss of all rows, or of some held-out rows."""
    horizon = settings.options["horizon"]
    events, can_choose = rows.events.until(horizon), horizon is None
    tail = heavy_tail(events)
    if tail is not None or settings.scoring != "ibs_ratio":
        warn_of_tail(tail, can_choose=can_choose)
        return
    tails = [
        heavy_tail(events.take(fold.test), events.take(fold.train))
        for plan in plans
        for fold in plan.folds
    ]
    heavy = sorted((tail for tail in tails if tail is not None), key=lambda tail: tail.share)
    if heavy:
        where = f"in {len(heavy)} of {len(tails)} folds few held-out rows decide the score: "
        warn_of_tail(heavy[-1], where, can_choose=can_choose)


def leaf_places(model: FittedTree, X: Any) -> Places:
    """The leaf of each row, counted from 0."""
    table = model.binarizer_.read(X, model)
    nodes = model.tree_.apply(table.n_rows, lambda j: model.questions_.answer(j, table))
    return model.tree_.leaf_numbers()[nodes]


def ibs_ratio(
    model: FittedTree, rows: Cohort, train: EventTable, horizon: float | None = None
) -> float:
    """``survtree.metrics.ibs_ratio``: G, and the one curve for all, are of the training rows."""
    times = model.event_times_
    leaves = [curve.survival(times) for curve in model.predicted_curves_.values()]
    curves = Curves(times[np.newaxis], np.array(leaves))
    scored = Scored(rows.events.until(horizon), curves, leaf_places(model, rows.X))
    return ratio_of(scored, train.until(horizon))


def harrell_c(
    model: FittedTree, rows: Cohort, train: EventTable, horizon: float | None = None
) -> float:
    """Harrell's concordance index of the predicted risk, as in ``score``; it has no horizon."""
    risks = np.array(list(model.leaf_risks_.values()))
    return concordance_of_risks(rows.events, risks[leaf_places(model, rows.X)])


SCORE_OF: dict[str, Callable[[FittedTree, Cohort, EventTable, float | None], float]] = {
    "ibs_ratio": ibs_ratio,
    "harrell_c": harrell_c,
}


@dataclass(frozen=True)
class TuningSettings:
    """What all searches of a cross-validation share; ``options`` are those of the trees.

    The horizon among them is a number or None: all folds have the same, so that they compare.
    """

    max_depths: Any  # a tuple of depths; "default" before the rows are known
    min_regularization: Any  # a number; "auto" before the rows are known
    options: dict[str, Any]
    scoring: Scoring
    rule: str
    n_repeats: int
    n_jobs: int | None


class Plan(NamedTuple):
    """Rows for which a tree is to be chosen, and the folds of these rows that choose it."""

    places: Places
    folds: Sequence[Fold]


class FoldPath(NamedTuple):
    """Held-out scores of the trees of a fold's path, the sparsest first.

    Each tree is optimal from its own lowest penalty up to that of the tree before it.
    """

    lowest_penalties: tuple[float, ...]
    scores: tuple[float, ...]
    status: str

    def score_at(self, penalty: float) -> float:
        """The score of the tree that is optimal for this penalty."""
        pairs = zip(self.lowest_penalties, self.scores, strict=True)
        return next(score for lowest, score in pairs if penalty >= lowest)


@dataclass(frozen=True)
class _Task:
    """One path. A single argument, for the reason given at ``Cohort``."""

    rows: Cohort
    settings: TuningSettings
    max_depth: int | None
    fit_on: Places
    score_on: Places | None  # None: the trees themselves are wanted
    name: str


@dataclass(frozen=True)
class Tuned:
    """Candidates, the trees of the paths of all rows of a plan, and their scores by fold."""

    models: list[OptimalSurvivalTree]
    scores: Floats  # candidates x folds
    statuses: list[str]  # of all paths
    rule: str
    n_repeats: int = 1
    n_folds_asked: int = 0  # more than there are if the work was stopped

    @property
    def is_complete(self) -> bool:
        """Whether all folds are finished."""
        return bool(self.scores.shape[1] == self.n_folds_asked)

    @cached_property
    def means(self) -> Floats:
        """Of each candidate, over the folds."""
        means: Floats = self.scores.mean(axis=1)
        return means

    @cached_property
    def standard_errors(self) -> Floats:
        """Of the means; unknown if one fold is all there is."""
        n_scores = self.scores.shape[1]
        if n_scores < 2:
            return np.full(len(self.scores), np.nan)
        # Repeats share their rows, so they count as one.
        n_folds = n_scores / min(self.n_repeats, n_scores)
        errors: Floats = self.scores.std(axis=1, ddof=1) / np.sqrt(n_folds)
        return errors

    @cached_property
    def index(self) -> int:
        """The candidate that the rule takes."""
        sizes = [
            (model.n_leaves_, as_number(cast(int | None, model.max_depth))) for model in self.models
        ]
        return chosen(self.means, self.standard_errors, sizes, self.rule)

    @property
    def best(self) -> OptimalSurvivalTree:
        """The tree that the rule takes."""
        return self.models[self.index]

    def params(self) -> list[dict[str, Any]]:
        """Of each candidate, all options of the plain fit that finds it, also in the folds."""
        return [{name: getattr(model, name) for name in FIT_OPTIONS} for model in self.models]

    def results(self) -> dict[str, Any]:
        """Arrays with one entry per candidate, named as those of scikit-learn's searches."""
        depths = np.array([model.max_depth for model in self.models], dtype=object)
        splits = {f"split{k}_test_score": column for k, column in enumerate(self.scores.T)}
        return {
            "param_max_depth": depths,
            "param_regularization": np.array([model.regularization for model in self.models]),
            "params": self.params(),
            **splits,
            "mean_test_score": self.means,
            "std_test_score": self.scores.std(axis=1),
            "standard_error_test_score": self.standard_errors,
            "rank_test_score": 1 + (self.means > self.means[:, np.newaxis]).sum(axis=1),
            "n_leaves": np.array([model.n_leaves_ for model in self.models]),
            "depth": np.array([model.depth_ for model in self.models]),
        }


def as_number(max_depth: int | None) -> float:
    """A depth to compare with others."""
    return inf if max_depth is None else max_depth


def chosen(
    means: Floats, standard_errors: Floats, sizes: Sequence[tuple[int, float]], rule: str
) -> int:
    """The place of the candidate that a rule takes; sizes are (leaves, depth that was allowed).

    "minimum": the best mean score, which has the least loss. The others: the fewest leaves of all
    whose mean is within one standard error, or half of one, of the best; among equally many, the
    best mean. Remaining ties go to the smaller tree, then to the first.
    """
    means = np.where(np.isnan(means), -inf, means)
    best = min(range(len(means)), key=lambda k: (-means[k], sizes[k]))
    if rule == "minimum":
        return best
    error = standard_errors[best] * STANDARD_ERRORS[rule]
    least = means[best] - (0.0 if np.isnan(error) else error)
    near = np.flatnonzero(means >= least).tolist()
    return min(near, key=lambda k: (sizes[k][0], -means[k], sizes[k]))


class Tuning(NamedTuple):
    """What was tuned, by plan; without what was not finished, if something stopped the work."""

    by_plan: dict[int, Tuned]
    stopped_by: str | None


def tune(rows: Cohort, plans: Sequence[Plan], settings: TuningSettings, watch: Watch) -> Tuning:
    """Candidates and scores for each of the plans, whose searches all run side by side.

    If the work is stopped, a single plan keeps the folds that are finished at all depths, of which
    there must be one; of several plans, those that are finished remain.
    """
    tasks = _tasks(rows, plans, settings)

    def tuned_plans(results: dict[int, Any]) -> dict[int, Tuned]:
        in_turn = (results.get(place) for place in range(len(tasks)))
        found = {}
        for number, plan in enumerate(plans):
            parts = [
                [next(in_turn) for _ in settings.max_depths] for _ in range(1 + len(plan.folds))
            ]
            tuned = _tuned(parts, settings)
            if tuned is not None and (len(plans) == 1 or tuned.is_complete):
                found[number] = tuned
        return found

    done = fit_many(
        _search, tasks, settings.n_jobs, watch, lambda results: bool(tuned_plans(results))
    )
    return Tuning(tuned_plans(done.results), done.stopped_by)


def _tasks(rows: Cohort, plans: Sequence[Plan], settings: TuningSettings) -> list[_Task]:
    """Plan by plan and fold by fold, so that those that are begun first are finished first.

    Of each fold the deepest search comes first: a long one that starts last would keep everybody
    waiting.
    """
    depths = _in_order(settings)
    return [
        _Task(rows, settings, depth, fit_on, score_on, f"{where}{part}, depth {depth}")
        for number, plan in enumerate(plans, 1)
        for where in ["" if len(plans) == 1 else f"outer fold {number}, "]
        for k, (fit_on, score_on) in enumerate([(plan.places, None), *plan.folds])
        for part in [f"fold {k}" if k > 0 else "all rows"]
        for depth in depths
    ]


def _in_order(settings: "TuningSettings") -> list[int | None]:
    return sorted(settings.max_depths, key=as_number, reverse=True)


def _search(task: _Task) -> list[OptimalSurvivalTree] | FoldPath:
    """The trees of a path, or their scores on held-out rows."""
    settings, part = task.settings, task.rows.take(task.fit_on)
    options = {**settings.options, "max_depth": task.max_depth}
    lowest = settings.min_regularization
    path, _ = found_path(part.X, part.y, part.events.weight, lowest, options)
    if path.status_ == "interrupted":  # by Ctrl-C, which is about all of the tasks
        raise KeyboardInterrupt
    if task.score_on is None:
        # Copies have no training rows, as if they came from another process: n_jobs must not
        # matter.
        return [copy(model) for model in path]
    rows = task.rows.take(task.score_on)
    return FoldPath(
        tuple(model.regularization_interval_[0] for model in path),
        tuple(score_of(settings, model, rows, part.events) for model in path),
        path.status_,
    )


def path_scores(
    rows: Cohort,
    folds: Sequence[Fold],
    settings: TuningSettings,
    penalties: Sequence[float],
    watch: Watch,
) -> tuple[Floats, list[str]]:
    """Held-out scores of the trees that are optimal for these penalties: penalties x folds.

    And how the search of each fold ended. There is one depth. If the work is stopped, only the
    finished folds have scores.
    """
    (depth,) = settings.max_depths
    tasks = [
        _Task(rows, settings, depth, train, test, f"fold {k}")
        for k, (train, test) in enumerate(folds, 1)
    ]
    done = fit_many(_search, tasks, settings.n_jobs, watch, lambda results: len(results) > 0)
    paths = [done.results[place] for place in sorted(done.results)]
    scores = np.array([[path.score_at(penalty) for path in paths] for penalty in penalties])
    return scores, [path.status for path in paths]


def _tuned(parts: list[list[Any]], settings: TuningSettings) -> Tuned | None:
    """Of the results of all rows and of the folds, each by depth; None is not finished."""
    everyone, *folds = parts
    finished = [fold for fold in folds if all(path is not None for path in fold)]
    if any(path is None for path in everyone) or not finished:
        return None
    models: list[OptimalSurvivalTree] = []
    scores: list[list[float]] = []
    statuses: list[str] = []
    place_of = {depth: k for k, depth in enumerate(_in_order(settings))}
    for depth in settings.max_depths:
        candidates = everyone[place_of[depth]]
        paths = [fold[place_of[depth]] for fold in finished]
        models += candidates
        scores += [[path.score_at(model.regularization) for path in paths] for model in candidates]
        statuses += [candidates[0].status_, *(path.status for path in paths)]
    return Tuned(models, np.array(scores), statuses, settings.rule, settings.n_repeats, len(folds))
