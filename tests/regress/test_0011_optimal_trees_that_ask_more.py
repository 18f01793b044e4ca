"""Optimal trees that ask more questions than need be were left out of the list.

The search had closed the problem at a smaller depth, and only trees of that depth were listed.
Every tree of this problem loses nothing, and leaves are free. Found by the large run against brute
force.
"""

import pytest

from survtree._search.problem import SearchSettings
from survtree._search.solve import optimal_trees
from tests.support.many_trees import nested
from tests.support.problems import brute_force
from tests.support.saved_problems import saved_problem


@pytest.mark.parametrize("solver", ["search", "lattice"])
def test_optimal_trees_that_ask_more(solver):
    problem = saved_problem("0011")
    slow = brute_force(problem).optimal_trees(3, 0.0)
    found = optimal_trees(problem, 0.0, 100, SearchSettings(solver=solver))
    assert len(found) == len(slow) == len({nested(tree) for tree in found}) == 5
