"""What follows from the tree that a search found: its IBS ratio and its shrinkage."""

from survtree._base.tree import Tree
from survtree._model.prepare import Prepared
from survtree._scoring.curves import LeafCurves
from survtree._scoring.losses import LossByDefinition
from survtree._scoring.shrinkage import calibrated_shrinkage
from survtree._search.problem import Problem
from survtree._search.solve import Solution


def ibs_ratio(problem: Problem, solution: Solution) -> float:
    """1 - integrated Brier score of the tree / that of a lone leaf; the loss unless it is another.

    A lone leaf explains nothing, not 1e-16 of it.
    """
    loss, one_leaf = solution.loss, solution.one_leaf_loss
    if problem.loss_kind != "brier":
        losses = LossByDefinition.of(problem.events)
        loss, one_leaf = (
            losses.tree_loss(problem.leaf_of_row(solution.tree)),
            losses.one_leaf_loss(),
        )
    is_split = solution.tree.n_nodes > 1 and one_leaf > 0
    return 1.0 - loss / one_leaf if is_split else 0.0


def chosen_shrinkage(prepared: Prepared, tree: Tree, curves: LeafCurves) -> float:
    """As asked for, or that whose predictions come nearest to the teacher's curves."""
    if prepared.shrinkage is not None:
        return prepared.shrinkage
    problem, teacher = prepared.problem, prepared.teacher
    assert teacher is not None
    events = prepared.exact.until(prepared.horizon)
    leaves = problem.leaf_of_row(tree)
    return calibrated_shrinkage(tree, leaves, curves.by_leaf, teacher, events)
