"""The regularization path of a fit down to its own penalty, by a few searches.

Each search is for the penalty at which two known trees tie. A tree between them that is better
there is one of the path; if there is none, the two are neighbours. So a path of m trees takes at
most 2 m searches of the kind that the fit was, and each of them is exact. Over very many cuts that
is much quicker than the single search of ``regularization_path``.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._model.checks import TREE_OPTIONS
from survtree._model.cross_validation import Fold, TuningSettings, path_scores
from survtree._model.estimator import OptimalSurvivalTree, with_state
from survtree._model.path import LONE_LEAF, inside, saving_per_leaf
from survtree._model.prepare import Cohort, Prepared
from survtree._model.state import Fitted
from survtree._search.problem import SearchSettings
from survtree._search.progress import Watch
from survtree._search.solve import Solution, find, loss_of

Floats = NDArray[np.float64]


class PathToFit(NamedTuple):
    """Models with the fewest leaves first, each optimal from its lowest penalty up to the next."""

    models: list[OptimalSurvivalTree]
    lowest_penalties: list[float]

    @property
    def is_proven(self) -> bool:
        """Whether all searches were finished."""
        return all(model.status_ == "optimal" for model in self.models)


def path_to_fit(model: OptimalSurvivalTree, settings: SearchSettings) -> PathToFit:
    """Every tree that is optimal for some penalty from that of the fit on; the last is its own."""
    prepared = model._state.prepared
    assert prepared is not None  # a near-optimal set has the rows
    last = _best_at(prepared, prepared.problem.regularization, settings)
    # No split pays at a penalty above the whole loss; there is one only if there must be.
    first = _best_at(prepared, 1.0 + loss_of(prepared.problem, LONE_LEAF), settings)
    if len(first.tree.leaves) == len(last.tree.leaves):
        return PathToFit([model], [model.regularization_])
    solutions = [first, *_between(prepared, first, last, settings), last]
    breaks = [saving_per_leaf(few, many) for few, many in pairwise(solutions)]
    lowest = [*breaks, model.regularization_]
    intervals = zip(lowest, [inf, *breaks], strict=True)
    models = [
        _model(model, prepared, solution, interval)
        for solution, interval in zip(solutions, intervals, strict=True)
    ]
    return PathToFit([*models[:-1], model], lowest)


def _best_at(prepared: Prepared, penalty: float, settings: SearchSettings) -> Solution:
    found = find(replace(prepared.problem, regularization=penalty), settings)[0]
    if found.status == "interrupted":  # by Ctrl-C, which is about all of the path
        raise KeyboardInterrupt
    return found


def _between(
    prepared: Prepared, few: Solution, many: Solution, settings: SearchSettings
) -> list[Solution]:
    """The trees of the path between two of them."""
    n_few, n_many = len(few.tree.leaves), len(many.tree.leaves)
    if n_many - n_few < 2:
        return []
    penalty = saving_per_leaf(few, many)
    found = _best_at(prepared, penalty, settings)
    tie = few.cost + penalty * n_few
    is_better = found.objective < tie - max(found.tolerance, 1e-12 * tie)
    if not (is_better and n_few < len(found.tree.leaves) < n_many):
        return []
    left = _between(prepared, few, found, settings)
    return [*left, found, *_between(prepared, found, many, settings)]


def _model(
    model: OptimalSurvivalTree,
    prepared: Prepared,
    solution: Solution,
    interval: tuple[float, float],
) -> OptimalSurvivalTree:
    certificate = prepared.certificate(solution)
    fitted = Fitted.of(prepared, solution, certificate, regularization_interval=interval)
    return with_state(model, fitted.at(inside(interval)))


def held_out_by_size(
    model: OptimalSurvivalTree,
    penalties: Sequence[float],
    rows: Cohort,
    folds: Sequence[Fold],
    watch: Watch,
) -> Floats:
    """IBS ratios on held-out rows of the trees for these penalties: penalties x folds.

    Each fold is fitted anew with the options of the fit, as ``OptimalSurvivalTreeCV`` does it.
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
    return path_scores(rows, folds, settings, penalties, watch)
