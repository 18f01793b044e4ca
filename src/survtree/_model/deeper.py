"""When the depth is left to survtree: three splits, or four where a fourth one pays.

A tree of depth three has at most eight leaves. Where few rows are set apart again and again, a
deeper tree with no more leaves can come much nearer to the teacher. Whether it would is asked of a
greedy tree, which takes no time; then the search finds the best one.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from survtree._model.defaults import DEEP, SHALLOW, is_word
from survtree._model.prepare import Prepared
from survtree._scoring.losses import LossByDefinition
from survtree._search.problem import Problem
from survtree._search.solve import Solution

MOST_LEAVES = 2**SHALLOW
# The deeper tree must come nearer to the teacher by this share of the integrated Brier score of a
# lone leaf, which is what the IBS ratio would gain if the teacher were right. Otherwise the flatter
# tree, which is easier to read, is kept.
LEAST_GAIN = 0.004
# Rows x questions^3: beyond it the search would take more than some seconds.
MOST_WORK = 1e9
# What a search with a limit on leaves cannot do.
EXCLUDED: dict[str, Any] = {
    "certificate": "numbers",
    "gap": 0.0,
    "upper_bound": None,
    "callback": None,
    "warm_start": False,
}


def deeper_problem(prepared: Prepared, solution: Solution) -> Problem | None:
    """The problem of the deeper tree, if one is worth a search; otherwise None."""
    problem, options = prepared.problem, prepared.options
    is_open = is_word(options["max_depth"], "auto") and problem.max_leaves is None
    is_possible = all(options[name] == value for name, value in EXCLUDED.items())
    if problem.targets is None or not (is_open and is_possible and solution.status == "optimal"):
        return None
    n_rows, n_questions = problem.answers.shape
    is_cheap = n_questions > 0 and n_rows * float(n_questions) ** 3 <= MOST_WORK
    least = LEAST_GAIN * LossByDefinition.of(problem.events).one_leaf_loss()
    if not is_cheap or solution.loss - _greedy_loss(problem) < least:
        return None
    return replace(problem, max_depth=DEEP, max_leaves=MOST_LEAVES)


def _greedy_loss(problem: Problem) -> float:
    """The loss of a greedy tree that is as deep and has as many leaves as the deeper one may."""
    from sklearn.tree import DecisionTreeRegressor  # slow to import

    assert problem.targets is not None
    tree = DecisionTreeRegressor(
        max_depth=DEEP,
        max_leaf_nodes=MOST_LEAVES,
        min_samples_leaf=problem.min_samples_leaf,
        random_state=0,
    )
    weight, targets = problem.events.weight, problem.targets
    predicted = tree.fit(problem.answers, targets, weight).predict(problem.answers)
    squares = (targets - predicted.reshape(targets.shape)) ** 2
    return float(weight @ squares.sum(axis=1) / weight.sum()) if np.size(squares) else 0.0
