"""The engine for cuts against brute force on tables with every cut of their columns.

`python -m tests.oracle.raw_cuts` runs thousands more of the same.
"""

import pytest

from tests.support.cut_problems import check_cuts, cut_case

N_CASES = 40  # a block, for each loss


@pytest.mark.parametrize("loss", ["brier", "teacher", "likelihood"])
@pytest.mark.parametrize("block", range(8))
def test_every_way_to_search_cuts_reaches_the_brute_force_optimum_and_its_tree(block, loss):
    first = 1_400_000 + N_CASES * block
    for seed in range(first, first + N_CASES):
        check_cuts(cut_case(seed, loss=loss))


def test_the_search_over_bits_passes_the_same_checks():
    for seed in range(1_410_000, 1_410_020):
        check_cuts(cut_case(seed), solver="search")
