"""The regularization path of a fit down to its own penalty, by a few searches.

Each search is for the penalty at which two known trees tie. A tree between them that is better
there is one of the path; if there is none, the two are neighbours. So a path of m trees takes at
most 2 m searches of the kind that the fit was, and each of them is exact. Over very many cuts that
is much quicker than the single search of ``regularization_path``. The two ends need none: the fit
has found the one, and the other is a lone leaf. A search begins with the larger of its two trees.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._model.checks import TREE_OPTIONS
from survtree._model.cross_validation import Fold, TuningSettings, path_scores
from survtree._model.defaults import is_word
from survtree._model.estimator import OptimalSurvivalTree, with_state
from survtree._model.every_cut import limited_work
from survtree._model.path import LONE_LEAF, inside, saving_per_leaf
from survtree._model.prepare import Cohort, Prepared
from survtree._model.state import Fitted
from survtree._search.near_trees import ended_by
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Watch
from survtree._search.solve import Solution, find, find_better, known_solution, loss_of

Floats = NDArray[np.float64]


class PathToFit(NamedTuple):
    """Models with the fewest leaves first, each optimal from its lowest penalty up to the next.

    ``stopped_by`` is empty, or says what stopped a search. Then there may be trees between two
    neighbours, and the lowest penalty of the first of them is not known: None. The trees that are
    there are proven to be optimal for some penalty all the same.
    """

    models: list[OptimalSurvivalTree]
    lowest_penalties: list[float | None]
    stopped_by: str

    @property
    def is_complete(self) -> bool:
        """Whether every tree of the path is here."""
        return not self.stopped_by


def path_to_fit(model: OptimalSurvivalTree, settings: SearchSettings) -> PathToFit:
    """Every tree that is optimal for some penalty from that of the fit on; the last is its own.

    A time limit is for all searches together, other limits are for each.
    """
    prepared = model._state.prepared
    assert prepared is not None  # a near-optimal set has the rows
    problem, tolerance = prepared.problem, model.certificate_.tolerance
    searches = _Searches(problem, _settings_for(model, prepared, settings), tolerance)
    last = searches.known(model.tree_, problem.regularization)
    first = searches.sparsest(last)
    if first is None or first.n_leaves == last.n_leaves:
        return PathToFit([model], [model.regularization_], searches.stopped_by)
    between, are_next = searches.between(first, last)
    found = [first, *between, last]
    breaks = [
        saving_per_leaf(few.solution, many.solution) if is_next else None
        for (few, many), is_next in zip(pairwise(found), are_next, strict=True)
    ]
    lowest = [*breaks, model.regularization_]
    models = [
        _model(model, prepared, best, low, high)
        for best, low, high in zip(found, lowest, [inf, *breaks], strict=True)
    ]
    return PathToFit([*models[:-1], model], lowest, searches.stopped_by)


def _settings_for(
    model: OptimalSurvivalTree, prepared: Prepared, settings: SearchSettings
) -> SearchSettings:
    """A fit that went on to every cut by itself had a limit on work there: so have these."""
    is_over_every_cut = is_word(model.thresholds, "auto") and is_word(
        prepared.binarizer.thresholds, "all"
    )
    return limited_work(settings) if is_over_every_cut else settings.further()


class _Best(NamedTuple):
    """A tree, and a penalty for which it is proven to be optimal."""

    solution: Solution
    penalty: float

    @property
    def n_leaves(self) -> int:
        """The size of the tree."""
        return len(self.solution.tree.leaves)


class _Searches:
    """Searches of a problem at other penalties, and what stopped the first that did not end."""

    def __init__(self, problem: Problem, settings: SearchSettings, tolerance: float) -> None:
        self._problem, self._settings, self._tolerance = problem, settings, tolerance
        self._clock = Clock.started()
        self.stopped_by = ""

    def known(self, tree: Tree, penalty: float) -> _Best:
        """A tree that is known to be optimal at a penalty."""
        problem = replace(self._problem, regularization=penalty)
        return _Best(known_solution(problem, tree, 0.0, "optimal", self._tolerance), penalty)

    def sparsest(self, last: _Best) -> _Best | None:
        """The tree at a penalty above the whole loss, where no split pays; None if stopped.

        There is a split only if there must be.
        """
        penalty = 1.0 + loss_of(self._problem, LONE_LEAF)
        must_split = self._problem.must_split
        return self._at(penalty, last) if must_split else self.known(LONE_LEAF, penalty)

    def between(self, few: _Best, many: _Best) -> tuple[list[_Best], list[bool]]:
        """The trees of the path between two of them, and which are known to be next to each other.

        Of all from the first of the two to the second one, each with the one after it.
        """
        if many.n_leaves - few.n_leaves < 2:
            return [], [True]
        penalty = saving_per_leaf(few.solution, many.solution)
        best = self._at(penalty, many)
        if best is None:
            return [], [False]
        found, tie = best.solution, few.solution.cost + penalty * few.n_leaves
        is_better = found.objective < tie - max(found.tolerance, 1e-12 * tie)
        if not (is_better and few.n_leaves < best.n_leaves < many.n_leaves):
            return [], [True]
        left, right = self.between(few, best), self.between(best, many)
        return [*left[0], best, *right[0]], [*left[1], *right[1]]

    def _at(self, penalty: float, good: _Best) -> _Best | None:
        """The best tree at a penalty, where a good one is known; None if the search was stopped."""
        problem = replace(self._problem, regularization=penalty)
        if problem.max_leaves is None:
            tree = good.solution.tree
            found = find_better(problem, self._settings, tree, None, self._clock)
        else:
            found, _ = find(problem, self._settings, clock=self._clock)
        if found.status == "interrupted":  # by Ctrl-C, which is about all of the path
            raise KeyboardInterrupt
        if found.status == "optimal":
            return _Best(found, penalty)
        self.stopped_by = self.stopped_by or self._reason(found.status)
        return None

    def _reason(self, status: str) -> str:
        is_own = status == "node_limit" and self._settings.node_limit is None
        return "a limit on its work" if is_own else ended_by(status)


def _model(
    model: OptimalSurvivalTree,
    prepared: Prepared,
    best: _Best,
    low: float | None,
    high: float | None,
) -> OptimalSurvivalTree:
    """The model at a penalty inside its interval, if that is known; else at that of its search."""
    interval = None if low is None or high is None else (low, high)
    certificate = prepared.certificate(best.solution)
    fitted = Fitted.of(prepared, best.solution, certificate, regularization_interval=interval)
    penalty = best.penalty if interval is None else inside(interval)
    return with_state(model, fitted.at(penalty))


class HeldOutBySize(NamedTuple):
    """IBS ratios on held-out rows, penalties x folds; of how many folds a limit ended the fit."""

    ratios: Floats
    n_stopped: int


def held_out_by_size(
    model: OptimalSurvivalTree,
    penalties: Sequence[float],
    rows: Cohort,
    folds: Sequence[Fold],
    watch: Watch,
) -> HeldOutBySize:
    """The scores of the trees for these penalties.

    Each fold is fitted anew with the options and limits of the fit, as ``OptimalSurvivalTreeCV``
    does it.
    """
    prepared = model._state.prepared
    assert prepared is not None
    options = {name: prepared.options[name] for name in TREE_OPTIONS}
    options |= {"horizon": prepared.horizon, "exclude": rows.left_out or None}
    options |= {"random_state": prepared.seed or 0}
    settings = TuningSettings(
        max_depths=(prepared.problem.max_depth,),
        min_regularization=min(penalties),
        options=options,
        scoring="ibs_ratio",
        rule="minimum",
        n_repeats=1,
        n_jobs=None,
    )
    ratios, statuses = path_scores(rows, folds, settings, penalties, watch)
    return HeldOutBySize(ratios, sum(status != "optimal" for status in statuses))
