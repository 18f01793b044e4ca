"""Differences of sums over time lost digits: the optimum was off by 5e-9 of the loss of one leaf.

Times over 64 orders of magnitude, weights over 12; what the tree loses, it loses in the first
billionth of the time. Found by fuzzing the core.
"""

from tests.support.saved_problems import check_saved


def test_wide_times_with_wide_weights():
    check_saved("0006")
