"""The search of a fit. When the depth is left to survtree: three splits, or more where that pays.

A tree of depth three has at most eight leaves. Where few rows are set apart again and again, a
deeper tree with no more leaves can come much nearer to the teacher. A greedy tree tells whether it
would; then the search finds the best one.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from survtree._base.checks import not_with_max_leaves
from survtree._model.defaults import SHALLOW, is_word
from survtree._model.prepare import Prepared
from survtree._scoring.losses import LossByDefinition
from survtree._search.headline import headline
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Snapshot, Watch
from survtree._search.solve import KeptSearch, Solution, find

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeRegressor

MOST_LEAVES = 2**SHALLOW
# The deeper tree must come nearer to the teacher by this share of the integrated Brier score of a
# lone leaf, which is what the IBS ratio would gain if the teacher were right. Otherwise the flatter
# tree, which is easier to read, is kept.
LEAST_GAIN = 0.004
# Rows x questions^(depth - 1), by depth: beyond it the search would take more than some seconds.
MOST_WORK = {4: 1e9, 5: 8e9}


@dataclass(frozen=True)
class Found:
    """What the searches of a fit have found, and for which problem.

    ``deeper_status`` is that of a search for a deeper tree that was stopped before it found one.
    ``n_tried`` is the number of splits among which those of the tree were refined, if they were;
    ``every_cut_bound`` is a lower bound of all trees over every cut, where one is known.
    """

    prepared: Prepared
    solution: Solution
    kept: KeptSearch | None
    history: tuple[Snapshot, ...]
    deeper_status: str = ""
    n_tried: int | None = None
    every_cut_bound: float | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether a search was stopped by Ctrl-C or by the callback."""
        return "interrupted" in (self.solution.status, self.deeper_status)


def searched(
    prepared: Prepared,
    settings: SearchSettings,
    watch: Watch,
    kept: KeptSearch | None,
    clock: Clock,
) -> Found:
    """The best tree, and deeper ones as long as they are worth a search and much better."""

    def search(problem: Problem, settings: SearchSettings, kept: KeptSearch | None) -> Found:
        watch.begin_search(lambda: headline(problem, settings))
        solution, kept = find(problem, settings, watch, kept, clock)
        return Found(replace(prepared, problem=problem), solution, kept, tuple(watch.history))

    found = search(prepared.problem, settings, kept)
    while (problem := deeper_problem(found.prepared, found.solution)) is not None:
        deeper = search(problem, settings.further(), None)
        if deeper.solution.status != "optimal" and (
            deeper.solution.objective >= found.solution.objective
        ):
            return replace(found, deeper_status=deeper.solution.status)
        found = deeper
    return found


def deeper_problem(prepared: Prepared, solution: Solution) -> Problem | None:
    """The problem with one more split on each path, if it is worth a search; otherwise None."""
    problem, options = prepared.problem, prepared.options
    is_open = is_word(options["max_depth"], "auto")
    is_possible = not_with_max_leaves(options) is None and solution.status == "optimal"
    if problem.targets is None or not (is_open and is_possible):
        return None
    assert problem.max_depth is not None
    depth, n_leaves = problem.max_depth + 1, problem.max_leaves or MOST_LEAVES
    if n_leaves <= depth:  # a tree of this depth has more
        return None
    deeper = replace(problem, max_depth=depth, max_leaves=n_leaves)
    least = LEAST_GAIN * LossByDefinition.of(problem.events).one_leaf_loss()
    if not _is_cheap(deeper) or solution.loss - _greedy_loss(deeper) < least:
        return None
    return deeper


def _is_cheap(problem: Problem) -> bool:
    (n_rows, n_questions), depth = problem.answers.shape, problem.max_depth or 0
    return bool(0 < n_rows * float(n_questions) ** (depth - 1) <= MOST_WORK.get(depth, 0.0))


def _greedy_loss(problem: Problem) -> float:
    """The loss of a greedy tree that is as deep and has as many leaves as the problem allows."""
    weight, targets = problem.events.weight, problem.targets
    assert targets is not None
    predicted = greedy_tree(problem, problem.max_leaves or MOST_LEAVES).predict(problem.matrix)
    squares = (targets - predicted.reshape(targets.shape)) ** 2
    return float(weight @ squares.sum(axis=1) / weight.sum()) if np.size(squares) else 0.0


def greedy_tree(problem: Problem, most_leaves: int) -> "DecisionTreeRegressor":
    """scikit-learn's tree for the same questions and targets, grown best first.

    It keeps to the limits on depth and on rows per leaf, not to that on events.
    """
    from sklearn.tree import DecisionTreeRegressor  # slow to import

    tree = DecisionTreeRegressor(
        max_depth=problem.max_depth,
        max_leaf_nodes=most_leaves,
        min_samples_leaf=problem.min_samples_leaf,
        random_state=0,
    )
    return tree.fit(problem.matrix, problem.targets, problem.events.weight)
