"""An answer over its budget was filed for all depths; it ruled out deeper trees only within it.

With the one-step look-ahead off, 0.041 was filed as what no tree on five of the rows beats; at one
more depth one costs 0.031. The tree returned was right, the proof was not. Found by fuzzing.
"""

from itertools import product

import pytest

from survtree._proof.certificate import proof_of
from survtree._search.problem import BOUNDS, SearchSettings
from survtree._search.solve import find
from tests.oracle.proofs import verdict_of
from tests.support.problems import brute_force
from tests.support.saved_problems import saved_problem


@pytest.mark.parametrize(
    ("off", "solver"), list(product([(), *((bound,) for bound in BOUNDS)], ["search", "lattice"]))
)
def test_bounds_of_deeper_trees(off, solver):
    problem = saved_problem("0009")
    solution, kept = find(problem, SearchSettings(bounds_off=off, solver=solver, greedy_from=0))
    assert solution.objective == pytest.approx(brute_force(problem).optimum(None), rel=1e-9)
    assert verdict_of(proof_of(kept, solution).to_bytes())
