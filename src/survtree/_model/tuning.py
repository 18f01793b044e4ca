"""OptimalSurvivalTreeCV: a tree whose size is chosen by cross-validation."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from survtree._base.checks import check_option, check_options
from survtree._base.numbers import format_count
from survtree._data.causes import with_cause
from survtree._data.read_columns import warn_of_data
from survtree._data.read_outcome import split_outcome
from survtree._data.read_roles import Roles, roles_of
from survtree._model.checks import (
    TREE_OPTIONS,
    check_knows_causes,
    check_nested,
    check_teacher_of_parts,
    check_tuning,
)
from survtree._model.cross_validation import (
    Fold,
    Plan,
    Scoring,
    Tuned,
    Tuning,
    TuningSettings,
    folds_of,
    score_of,
    tune,
    warn_of_tails,
)
from survtree._model.defaults import (
    SHALLOW,
    resolved_horizon,
    resolved_regularization,
    without_defaults,
)
from survtree._model.estimator import OptimalSurvivalTree
from survtree._model.fitted import FittedTree, keep_roles
from survtree._model.prepare import Cohort, cohort_of, copy_feature_names, given_rows
from survtree._model.read_folds import check_inner_folds
from survtree._model.tuning_words import log_scores, warn_if_incomplete, warn_if_stopped
from survtree._search.progress import FITS_HEADER, FitsSnapshot, Watch, watching
from survtree._search.read_teacher import seed_of

PAPER_DEPTHS = (1, 2, 3, 4)


@dataclass(frozen=True)
class NestedScore:
    """Scores of a whole tuning on rows that it did not see, and what each outer fold chose.

    If the work was stopped, ``is_complete`` is False and only finished outer folds have scores.
    """

    scores: NDArray[np.float64]
    params: list[dict[str, Any]]
    n_leaves: list[int]
    scoring: str
    is_complete: bool = True

    @property
    def mean(self) -> float:
        """Over the outer folds."""
        return float(self.scores.mean())

    @property
    def standard_error(self) -> float:
        """Of the mean; unknown if one outer fold is all there is."""
        n_scores = len(self.scores)
        return float(self.scores.std(ddof=1) / np.sqrt(n_scores)) if n_scores > 1 else np.nan

    def __str__(self) -> str:
        counts = Counter(self.n_leaves)
        sizes = ", ".join(f"{n} ({counts[n]} x)" for n in sorted(counts))
        return (
            f"{self.scoring} {self.mean:.4f}, standard error {self.standard_error:.4f}, over "
            f"{format_count(len(self.scores), 'outer fold')}; leaves chosen: {sizes}"
            f"{'' if self.is_complete else ' (incomplete: the work was stopped)'}"
        )


class OptimalSurvivalTreeCV(FittedTree):
    """An optimal tree whose depth and regularization are chosen by cross-validation.

    For each depth one search of all rows finds every tree that is optimal for some penalty per
    leaf; these are the candidates. One search per fold and depth finds the trees that are optimal
    for the candidates' penalties on the rows of the fold, and its held-out rows score them. The
    candidate that is chosen becomes the model, so nothing is fitted again.

    Parameters
    ----------
    max_depths : list of int or None, or "default", default="default"
        Depths to choose from; see ``max_depth`` of ``OptimalSurvivalTree``. "default" is (3,) if
        ``min_regularization`` is "auto", otherwise (1, 2, 3, 4).
    min_regularization : "auto" or float, default="auto"
        The smallest penalty per leaf of interest. It does for this class what ``regularization``
        does for ``OptimalSurvivalTree``: "auto" chooses it, and all that is "default", for
        predictions of new rows; a number is about the paper's objective.
    cv : int, splitter or list of pairs, default=5
        A number of shuffled folds with about equally many events each, as scikit-learn's
        ``StratifiedKFold`` makes them; or a splitter, whose ``split`` gets the event flags as y; or
        pairs (training rows, held-out rows).
    n_repeats : int, default=1
        How many times over a number of folds is made, each time shuffled anew.
    rule : {"minimum", "half_standard_error", "one_standard_error"}, default="minimum"
        Take the best mean score; or the fewest leaves whose mean score is within half a standard
        error, or one, of the best.
    scoring : {"ibs_ratio", "harrell_c"} or callable, default="ibs_ratio"
        How held-out rows score a tree; higher is better. The censoring curve of the IBS ratio, and
        the one curve that it compares with, are those of the training rows of the fold. A callable
        gets (fitted tree, X, y), as a scorer of scikit-learn.
    min_samples_leaf, min_events_leaf, max_leaves, loss
        As in ``OptimalSurvivalTree``.
    thresholds, missing, encoding, max_levels, levels, categorical, exclude, time_buckets
        As in ``OptimalSurvivalTree``. Thresholds are chosen anew in each fold.
    column_penalties, first_split
        As in ``OptimalSurvivalTree``, for all trees that are compared.
    horizon : "default", "auto", float or None, default="default"
        As in ``OptimalSurvivalTree``. "auto" is resolved once, on all rows: all folds are fitted
        and scored with the same horizon. Harrell's C has none.
    teacher, shrinkage
        As in ``OptimalSurvivalTree``, for the fits of the folds too: each has a teacher of its own
        training rows, and held-out rows score the shrunken curves.
    time_unit
        As in ``OptimalSurvivalTree``.
    time_limit, memory_limit, node_limit
        As in ``OptimalSurvivalTree``, for each of the (folds + 1) x depths searches.
    n_jobs : int or None, default=None
        Searches that run at once, through ``joblib``; the result does not depend on it. None is
        one, unless a ``joblib.parallel_config`` sets another number.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        As in ``OptimalSurvivalTree``: where the searches run. Several at once share the GPU.
    verbose : int, default=0
        1 logs how many searches are done, and a line for each candidate when all are known. Lines
        go where those of ``OptimalSurvivalTree`` go.
    callback : callable or None, default=None
        Called with a ``FitsSnapshot`` as searches are finished, at most about ten times a second.
        If it returns True, the work stops as soon as there is a finished fold: see ``fit``.
    random_state : int, RandomState or None, default=0
        Seed of the folds and of the teachers; None draws a new one each time.

    Attributes
    ----------
    best_estimator_ : OptimalSurvivalTree
        The chosen tree, fitted on all rows. It does not keep the training rows.
    best_params_ : dict
        All options with which ``OptimalSurvivalTree(**best_params_).fit(X, y)`` gives this very
        tree and its predictions.
    best_score_, best_index_
        Its mean score, and its place in ``cv_results_``.
    cv_results_ : dict of arrays
        An entry per candidate: parameters, scores of the folds, their mean and standard error,
        rank, leaves and depth.
    n_splits_ : int
        Number of folds that scored the candidates, of all repeats together.
    is_complete_ : bool
        False if Ctrl-C or the callback stopped the work before all folds were finished.
    seed_ : int
        The seed that was used, for folds and teachers.
    recipe_ : Recipe
        How to make the model again: the cross-validation, and the plain fit of the chosen tree.
    tree_, certificate_, objective_, ...
        The attributes of a fitted ``OptimalSurvivalTree``, for the chosen tree.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTreeCV
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTreeCV(max_depths=(1, 2), random_state=0).fit(*load("whas500"))
    >>> model.n_leaves_, model.best_params_["max_depth"]
    (4, 2)
    """

    def __init__(
        self,
        *,
        max_depths: Any = "default",
        min_regularization: float | str = "auto",
        cv: Any = 5,
        n_repeats: int = 1,
        rule: str = "minimum",
        scoring: Scoring = "ibs_ratio",
        min_samples_leaf: int = 7,
        min_events_leaf: int | str = "default",
        max_leaves: int | None = None,
        loss: str = "brier",
        thresholds: Any = "auto",
        missing: str = "error",
        encoding: str = "questions",
        max_levels: int = 100,
        levels: str = "default",
        categorical: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        column_penalties: Mapping[str, float] | None = None,
        first_split: str | None = None,
        time_buckets: Any = None,
        horizon: float | str | None = "default",
        teacher: Any = "default",
        shrinkage: float | str = "default",
        time_unit: str | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        node_limit: int | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        verbose: int = 0,
        callback: Callable[[FitsSnapshot], Any] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.max_depths = max_depths
        self.min_regularization = min_regularization
        self.cv = cv
        self.n_repeats = n_repeats
        self.rule = rule
        self.scoring = scoring
        self.min_samples_leaf = min_samples_leaf
        self.min_events_leaf = min_events_leaf
        self.max_leaves = max_leaves
        self.loss = loss
        self.thresholds = thresholds
        self.missing = missing
        self.encoding = encoding
        self.max_levels = max_levels
        self.levels = levels
        self.categorical = categorical
        self.exclude = exclude
        self.column_penalties = column_penalties
        self.first_split = first_split
        self.time_buckets = time_buckets
        self.horizon = horizon
        self.teacher = teacher
        self.shrinkage = shrinkage
        self.time_unit = time_unit
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.node_limit = node_limit
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        duration_col: Any = None,
        event_col: Any = None,
        cause: Any = None,
        censored: Any = None,
        groups: Any = None,
    ) -> "OptimalSurvivalTreeCV":
        """Choose a tree by cross-validation; parameters as in ``OptimalSurvivalTree.fit``.

        ``groups``, a value per row or the name of a column of X, which is then not split on, keeps
        the rows of a group, such as those of one subject, in the same fold.

        If Ctrl-C or the callback stops the work, the tree is chosen by the folds that are finished,
        with a ``SearchStoppedWarning``; Ctrl-C before the first of them raises KeyboardInterrupt.
        """
        settings = self._settings()
        X, y = split_outcome(X, y, duration_col, event_col)
        # A copy: until there is a new tree, this model keeps the columns of the one it has.
        rows = cohort_of(copy(self), X, with_cause(y, cause, censored), sample_weight, groups)
        seed = seed_of(self.random_state)
        settings = _settled(settings, rows, seed)
        rng = check_random_state(seed)
        kept = rows.is_kept
        folds = folds_of(self.cv, rows.events, rng, settings.n_repeats, rows.groups, kept)
        plans = [Plan(np.arange(len(rows)), folds)]
        with watching(self.verbose, self.callback) as watch:
            found = self._tuned(rows, plans, settings, watch)
            tuned = found.by_plan[0]
            log_scores(tuned, watch)
        self._keep(tuned, roles_of(duration_col, event_col), seed, rows)
        self._is_interrupted = found.stopped_by == "an interrupt"
        if found.stopped_by is not None:
            folds_done = f"{self.n_splits_} of {format_count(len(folds), 'fold')}"
            warn_if_incomplete(found.stopped_by, f"the tree was chosen by {folds_done}")
        warn_of_data(self.warnings_)
        warn_if_stopped(tuned.statuses)
        warn_of_tails(rows, plans, settings)
        return self

    def _tuned(
        self, rows: Cohort, plans: list[Plan], settings: TuningSettings, watch: Watch
    ) -> Tuning:
        n_fits = len(settings.max_depths) * sum(1 + len(plan.folds) for plan in plans)
        n_jobs = effective_n_jobs(settings.n_jobs)
        watch.begin(
            lambda: f"{len(rows):,} rows | {n_fits:,} searches, {n_jobs} at once",
            lambda: FITS_HEADER,
        )
        return tune(rows, plans, settings, watch)

    def _settings(self) -> TuningSettings:
        options = {name: getattr(self, name) for name in TREE_OPTIONS}
        checked = check_tuning(self)
        check_options(OptimalSurvivalTree(**options))
        check_teacher_of_parts(self.teacher)
        names = ("max_depths", "min_regularization", "scoring", "rule", "n_repeats", "n_jobs")
        return TuningSettings(options=options, **{name: checked[name] for name in names})

    def _keep(self, tuned: Tuned, roles: Roles | None, seed: int, rows: Cohort) -> None:
        keep_roles(tuned.best, roles, one_cause_=rows.events.one_cause)
        # What a tree left out as told by this class it did not warn of.
        said = rows.said(tuned.best.warnings_)
        state = tuned.best._fitted = replace(tuned.best._state, warnings=said)
        is_grouped = rows.groups is not None
        origin = replace(state.origin, seed=seed, is_grouped=is_grouped).made_by(self)
        copy_feature_names(tuned.best, self)
        self._fitted = replace(state, origin=origin)
        self.best_estimator_ = tuned.best
        self.best_index_ = tuned.index
        self.best_params_ = tuned.params()[tuned.index]
        self.best_score_ = float(tuned.means[tuned.index])
        self.cv_results_ = tuned.results()
        self.n_splits_ = tuned.scores.shape[1]
        self.is_complete_ = tuned.is_complete

    def nested_score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        cv: Any = 5,
        duration_col: Any = None,
        event_col: Any = None,
        cause: Any = None,
        censored: Any = None,
        groups: Any = None,
    ) -> NestedScore:
        """How well the whole procedure does on new rows; ``best_score_`` is too high for that.

        Each outer fold (``cv``) chooses a tree on its training rows by folds of its own, as ``fit``
        would, and scores it on its held-out rows. The estimator itself does not change. Stopped, it
        has the scores of the outer folds that are finished. ``groups`` are those of ``fit``, for
        outer and inner folds.
        """
        settings = self._settings()
        check_nested("nested_score", self.cv)
        given = given_rows(self, X, y, sample_weight, duration_col, event_col, cause, censored)
        rows = cohort_of(clone(self), given.X, given.y, given.sample_weight, groups)
        seed = seed_of(self.random_state)
        settings, rng = _settled(settings, rows, seed), check_random_state(seed)
        outer = folds_of(cv, rows.events, rng, groups=rows.groups, is_kept=rows.is_kept)
        plans = []
        for number, (train, _) in enumerate(outer, 1):
            part = rows.take(train)
            check_inner_folds(self.cv, part.events, part.groups, number)
            inner = folds_of(self.cv, part.events, rng, settings.n_repeats, part.groups)
            plans.append(Plan(train, [Fold(train[fold.train], train[fold.test]) for fold in inner]))
        with watching(self.verbose, self.callback) as watch:
            found = self._tuned(rows, plans, settings, watch)
        done = found.by_plan
        warn_if_stopped([status for tuned in done.values() for status in tuned.statuses])
        if found.stopped_by is not None:
            outer_done = f"{len(done)} of {format_count(len(outer), 'outer fold')}"
            warn_if_incomplete(found.stopped_by, f"the score is that of {outer_done}")
        warn_of_tails(rows, plans, settings)
        scores = [
            score_of(settings, tuned.best, rows.take(test), rows.events.take(train))
            for tuned, (train, test) in ((tuned, outer[k]) for k, tuned in done.items())
        ]
        params = [tuned.params()[tuned.index] for tuned in done.values()]
        n_leaves = [tuned.best.n_leaves_ for tuned in done.values()]
        name = settings.scoring if isinstance(settings.scoring, str) else "score"
        return NestedScore(np.array(scores), params, n_leaves, name, found.stopped_by is None)


def _settled(settings: TuningSettings, rows: Cohort, seed: int) -> TuningSettings:
    """The same with what its words come to on all rows, so that all folds are fitted alike."""
    events = rows.events
    lowest, depths = settings.min_regularization, settings.max_depths
    options = without_defaults(settings.options, lowest)
    check_knows_causes(options, events.causes)
    horizon = resolved_horizon(check_option("horizon", options["horizon"]), events)
    has_teacher = options["teacher"] is not None
    # Two questions: the smallest penalty of interest is that of the simplest table.
    penalty = resolved_regularization(
        lowest, events.until(horizon), 2, has_teacher=has_teacher, loss=options["loss"]
    )
    if isinstance(depths, str):
        depths = (SHALLOW,) if isinstance(lowest, str) else PAPER_DEPTHS
    options |= {"horizon": horizon, "exclude": rows.left_out or None, "random_state": seed}
    return replace(settings, min_regularization=penalty, max_depths=depths, options=options)
