"""Every tree that is optimal for some penalty per leaf, found in one search."""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from math import inf, sqrt
from typing import Any, overload

import numpy as np

from survtree._base import SearchStoppedWarning
from survtree._base.checks import check_options
from survtree._base.options import MAX_DEPTH_LIMIT
from survtree._base.tree import Tree
from survtree._data.frames import frame_in
from survtree._data.read_columns import warn_of_data
from survtree._model.checks import check_number_of_leaves, check_path, check_penalty
from survtree._model.estimator import OptimalSurvivalTree, with_state
from survtree._model.fitted import keep_roles
from survtree._model.prepare import Prepared, prepare, rows_and_roles
from survtree._model.search_settings import search_settings_of
from survtree._model.state import Fitted, Interval
from survtree._scoring.tail import heavy_tail, warn_of_tail
from survtree._search.headline import headline
from survtree._search.problem import Clock, Problem
from survtree._search.progress import watching
from survtree._search.solve import Solution, frontier, loss_of

MOST_LEAVES = 60_000
LONE_LEAF = Tree(*(np.array([-1], np.int32) for _ in range(3)))


class RegularizationPath(Sequence[OptimalSurvivalTree]):
    """Fitted trees, the sparsest first; each is optimal for the penalties of its interval.

    ``status_`` is "optimal", or what stopped the search: then the trees are the best ones of a
    smaller depth than ``max_depth``, or better ones that were found until then, and nothing is
    proven about deeper ones.
    """

    def __init__(self, models: Sequence[OptimalSurvivalTree], min_regularization: float) -> None:
        self._models = tuple(models)
        self.min_regularization = min_regularization
        self.status_ = models[0].status_

    @overload
    def __getitem__(self, place: int) -> OptimalSurvivalTree: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[OptimalSurvivalTree]: ...
    def __getitem__(
        self, place: int | slice
    ) -> OptimalSurvivalTree | Sequence[OptimalSurvivalTree]:
        """A model, or some of them."""
        return self._models[place]

    def __len__(self) -> int:
        return len(self._models)

    @property
    def warnings_(self) -> tuple[str, ...]:
        """What in the table would mislead, in sentences, for any of the trees."""
        return tuple(dict.fromkeys(text for model in self for text in model.warnings_))

    def __repr__(self) -> str:
        leaves = ", ".join(str(model.n_leaves_) for model in self)
        return f"RegularizationPath({self.status_}: trees with {leaves} leaves)"

    def at(self, regularization: float) -> OptimalSurvivalTree:
        """The tree that is optimal for this penalty per leaf; of two that tie, the sparser.

        The model has this ``regularization``, and its objective and bounds are for it.
        """
        penalty = check_penalty(regularization, self.min_regularization)
        model = next(each for each in self if penalty >= each.regularization_interval_[0])
        return with_state(model, model._state.at(penalty))

    def table(self) -> Any:
        """A row per tree: its size, its loss, and the penalties for which it is optimal.

        It is of the kind of frame that the path was made of; polars for arrays.
        """
        names = ("leaves", "depth", "loss", "ibs_ratio", "regularization_from", "regularization_to")
        rows = [
            (m.n_leaves_, m.depth_, m.loss_, m.ibs_ratio_, *m.regularization_interval_)
            for m in self
        ]
        columns = zip(*rows, strict=True)
        return frame_in(
            self[0]._state.frame_library, dict(zip(names, map(list, columns), strict=True))
        )

    def plot(self, ax: Any = None) -> Any:
        """IBS ratio by the number of leaves, as a ``Picture``, on given axes or new ones."""
        from survtree._show.plot_path import plot_path

        return plot_path(self, ax)


def regularization_path(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    min_regularization: float = 0.001,
    duration_col: Any = None,
    event_col: Any = None,
    cause: Any = None,
    censored: Any = None,
    **options: Any,
) -> RegularizationPath:
    """Every tree that is optimal for some regularization from ``min_regularization`` on.

    One exact search instead of a fit for each penalty: each subset of rows keeps its best losses by
    number of leaves.

    Parameters
    ----------
    X, y, sample_weight, duration_col, event_col, cause, censored
        As in ``OptimalSurvivalTree.fit``.
    min_regularization : float, default=0.001
        The smallest penalty per leaf of interest.
    **options
        ``max_depth``, ``min_samples_leaf``, ``min_events_leaf``, ``max_leaves``, ``thresholds``,
        ``missing``, ``encoding``, ``max_levels``, ``levels``, ``categorical``, ``exclude``,
        ``column_penalties``, ``first_split``, ``time_buckets``, ``horizon``, ``teacher``,
        ``shrinkage``, ``time_unit``, ``time_limit``, ``memory_limit``, ``node_limit``, ``n_jobs``,
        ``verbose``, ``callback`` and ``random_state`` of ``OptimalSurvivalTree``. What progress
        shows is for the smallest penalty.

    Examples
    --------
    >>> from survtree import regularization_path
    >>> from survtree.datasets import load
    >>> path = regularization_path(*load("veterans"), max_depth=3, min_regularization=0.002)
    >>> [model.n_leaves_ for model in path], path.at(0.005).n_leaves_
    ([1, 2, 3, 4, 5], 2)
    """
    lowest = check_path(min_regularization, options)
    outcome = duration_col, event_col, cause, censored
    X, y, roles = rows_and_roles(X, y, sample_weight, *outcome)
    path, stopped_by = found_path(X, y, sample_weight, lowest, options)
    for model in path:
        keep_roles(model, roles)
    warn_of_data(path.warnings_)
    _warn(path, stopped_by)
    problem = path[0]._state.problem
    assert problem is not None  # the rows stay in the process of the fit
    warn_of_tail(heavy_tail(problem.events), can_choose=path[0].horizon_ is None)
    return path


def found_path(
    X: Any, y: Any, sample_weight: Any, min_regularization: float, options: dict[str, Any]
) -> tuple[RegularizationPath, str]:
    """The path and what would have interrupted it, without a warning if something did.

    X may be lazy rows, as ``rows_and_roles`` returns them; then there is no y.
    """
    clock = Clock.started()
    template = OptimalSurvivalTree(regularization=min_regularization, **options)
    checked = check_options(template)
    with watching(checked["verbose"], checked["callback"]) as watch:
        prepared = prepare(template, checked, X, y, sample_weight, watch)
        problem, settings = prepared.problem, search_settings_of(checked)
        _check_size(problem)
        watch.begin_search(lambda: headline(problem, settings))
        solutions = frontier(problem, settings, problem.max_leaves, clock, watch)
        best = _best_for_some_penalty(solutions)
        watch.say(lambda: _last_line(best))
    intervals = _intervals(best, checked["regularization"])
    models = [
        _model(template, prepared, solution, interval)
        for solution, interval in zip(best, intervals, strict=True)
    ]
    return RegularizationPath(models, checked["regularization"]), watch.stopped_by


def _last_line(solutions: list[Solution]) -> str:
    leaves = ", ".join(str(len(each.tree.leaves)) for each in solutions)
    return f"{solutions[0].status}: trees with {leaves} leaves"


def _check_size(problem: Problem) -> None:
    """Refuse trees of too many leaves, which only a penalty near 0 on very many rows allows.

    The search keeps numbers of leaves in 16 bits.
    """
    depth = MAX_DEPTH_LIMIT if problem.max_depth is None else problem.max_depth
    most = min(2.0 ** min(depth, 60), problem.events.n_rows / problem.min_samples_leaf)
    if problem.min_events_leaf > 0:
        most = min(most, problem.events.n_events / problem.min_events_leaf)
    if problem.max_leaves is None and most > MOST_LEAVES:
        penalty = problem.regularization
        paying = 1 + loss_of(problem, LONE_LEAF) / penalty if penalty > 0 else inf
        check_number_of_leaves(min(most, paying), MOST_LEAVES)


def saving_per_leaf(few: Solution, many: Solution) -> float:
    """By how much each further leaf reduces the cost: the penalty at which both trees tie."""
    return (few.cost - many.cost) / (len(many.tree.leaves) - len(few.tree.leaves))


def _best_for_some_penalty(solutions: list[Solution]) -> list[Solution]:
    """Those that are the best for some penalty; with a limit on leaves there may be others."""
    hull: list[Solution] = []
    for solution in solutions:
        while len(hull) > 1 and _is_never_best(hull[-2], hull[-1], solution):
            hull.pop()
        hull.append(solution)
    return hull


def _is_never_best(few: Solution, between: Solution, many: Solution) -> bool:
    """Whether one of the other two trees is as good for every penalty."""
    return saving_per_leaf(between, many) >= saving_per_leaf(few, between)


def _intervals(solutions: list[Solution], lowest: float) -> list[Interval]:
    breaks = [saving_per_leaf(few, many) for few, many in pairwise(solutions)]
    return list(zip([*breaks, lowest], [inf, *breaks], strict=True))


def inside(interval: Interval) -> float:
    """A penalty for which the tree is optimal and does not tie."""
    low, high = interval
    if high == inf:
        return 2 * low
    return sqrt(low * high) if low > 0 else high / 2


def _model(
    template: OptimalSurvivalTree, prepared: Prepared, solution: Solution, interval: Interval
) -> OptimalSurvivalTree:
    """The model of a tree of the path, for a penalty inside its interval."""
    certificate = prepared.certificate(solution)
    fitted = Fitted.of(prepared, solution, certificate, regularization_interval=interval)
    return with_state(template, fitted.at(inside(interval)))


def _warn(path: RegularizationPath, stopped_by: str) -> None:
    if path.status_ != "optimal":
        reason = f"the {path.status_.replace('_', ' ')}"
        warnings.warn(
            f"stopped by {stopped_by if path.status_ == 'interrupted' else reason}. The trees of "
            "the path are the best of a smaller depth than max_depth, or better ones that were "
            "found until then; nothing is proven about deeper ones.",
            SearchStoppedWarning,
            stacklevel=3,
        )
