"""A greedy tree for the same teacher: what exactness is worth beside everything else.

It gets the same questions, targets and rule of shrinkage as the optimal tree, and exactly
as many leaves (or fewer, where no split is left).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from survtree import OptimalSurvivalTree
from survtree._base.checks import check_options
from survtree._base.tree import Tree
from survtree._model.deeper import deeper_problem, greedy_tree
from survtree._model.fitted import Fitted
from survtree._model.prepare import prepare
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import find


def greedy_for_teacher(X: Any, y: Any) -> OptimalSurvivalTree:
    """A model with the greedy tree in place of the optimal one."""
    model = OptimalSurvivalTree(missing="question")
    prepared = prepare(model, check_options(model), X, y, None)
    solution, _ = find(prepared.problem, SearchSettings())
    while (deeper := deeper_problem(prepared, solution)) is not None:
        prepared = replace(prepared, problem=deeper)
        solution, _ = find(deeper, SearchSettings())
    greedy = replace(solution, tree=_grown(prepared.problem, solution.tree), status="interrupted")
    model._fitted = Fitted.of(prepared, greedy, prepared.certificate(greedy))
    return model


def _grown(problem: Problem, optimal: Tree) -> Tree:
    """The greedy tree of as many leaves as the optimal one."""
    n_leaves = len(optimal.leaves)
    return optimal if n_leaves == 1 else _in_preorder(greedy_tree(problem, n_leaves).tree_)


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
