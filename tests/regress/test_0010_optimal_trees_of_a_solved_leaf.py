"""Listing all optimal trees broke off where a subset is a leaf for sure and a split ties with it.

Such a subset is solved without a look at its splits and had no key, which its parts need. Found by
fuzzing the core; `optimal_trees` raised InternalError.
"""

import pytest

from survtree._scoring.losses import LossByDefinition
from survtree._search.problem import BOUNDS, SearchSettings
from survtree._search.solve import optimal_trees
from tests.support.problems import brute_force, root_loss
from tests.support.saved_problems import saved_problem


@pytest.mark.parametrize("off", [(), *((bound,) for bound in BOUNDS)])
@pytest.mark.parametrize("solver", ["search", "lattice"])
def test_optimal_trees_of_a_solved_leaf(off, solver):
    problem = saved_problem("0010")
    optimum, oracle = brute_force(problem).optimum(None), LossByDefinition.of(problem.events)
    trees = optimal_trees(problem, optimum, 50, SearchSettings(bounds_off=off, solver=solver))
    assert len(trees) == 50
    for tree in trees:
        loss = oracle.tree_loss(problem.leaf_of_row(tree))
        assert loss == pytest.approx(optimum, abs=1e-10 * root_loss(problem))
