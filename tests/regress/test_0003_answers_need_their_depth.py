"""An answer proven for every depth was used where too little depth was left to attain it.

The objective then came out below the optimum. Shrunk from random problems.
"""

import pytest

from tests.oracle.problems import brute_force, check_case, random_case


@pytest.mark.parametrize("seed", [5675, 100092])
def test_answers_need_their_depth(seed):
    case = random_case(seed)
    check_case(case, brute_force(case.problem).optimum(case.problem.max_depth))
