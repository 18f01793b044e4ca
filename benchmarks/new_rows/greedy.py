"""A greedy tree for the same teacher: what exactness is worth beside everything else.

It gets the same questions, targets, limits and rule of shrinkage as the optimal tree, and exactly
as many leaves (or fewer, where no split is left), grown best first by scikit-learn.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from survtree import OptimalSurvivalTree
from survtree._base.checks import check_options
from survtree._base.tree import Tree
from survtree._model.deeper import deeper_problem
from survtree._model.fitted import Fitted
from survtree._model.prepare import Prepared, prepare
from survtree._search.problem import SearchSettings
from survtree._search.solve import Solution, find


def greedy_for_teacher(X: Any, y: Any) -> OptimalSurvivalTree:
    """A model with the greedy tree in place of the optimal one."""
    model = OptimalSurvivalTree(missing="question")
    prepared = prepare(model, check_options(model), X, y, None)
    solution, _ = find(prepared.problem, SearchSettings())
    while (deeper := deeper_problem(prepared, solution)) is not None:
        prepared = replace(prepared, problem=deeper)
        solution, _ = find(deeper, SearchSettings())
    greedy = replace(solution, tree=_grown(prepared, solution), status="interrupted")
    model._fitted = Fitted.of(prepared, greedy, prepared.certificate(greedy))
    return model


def _grown(prepared: Prepared, solution: Solution) -> Tree:
    problem, n_leaves = prepared.problem, len(solution.tree.leaves)
    if n_leaves == 1:
        return solution.tree
    assert problem.targets is not None
    grown = DecisionTreeRegressor(
        max_depth=problem.max_depth,
        max_leaf_nodes=n_leaves,
        min_samples_leaf=problem.min_samples_leaf,
        random_state=0,
    ).fit(problem.answers, problem.targets)
    return _in_preorder(grown.tree_)


def _in_preorder(grown: Any) -> Tree:
    """scikit-learn's tree as ours: a question at each inner node, its left child answers no."""
    question: list[int] = []
    no: list[int] = []
    yes: list[int] = []

    def add(node: int) -> int:
        at = len(question)
        is_leaf = grown.children_left[node] < 0
        question.append(-1 if is_leaf else int(grown.feature[node]))
        no.append(-1)
        yes.append(-1)
        if not is_leaf:
            no[at] = add(grown.children_left[node])
            yes[at] = add(grown.children_right[node])
        return at

    add(0)
    return Tree(*(np.array(part, dtype=np.int32) for part in (question, no, yes)))
