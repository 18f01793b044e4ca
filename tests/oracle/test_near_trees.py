"""The search for all nearly optimal trees against brute force.

`python -m tests.oracle.near_trees` runs thousands more of the same.
"""

import pytest

from tests.support.near_problems import check_near, near_case

N_CASES = 25  # a block


@pytest.mark.parametrize("block", range(8))
def test_all_near_optimal_trees_are_those_of_brute_force_in_the_same_order(block):
    first = 1_500_000 + N_CASES * block
    assert sum(check_near(near_case(seed)) for seed in range(first, first + N_CASES)) > N_CASES
