"""The equivalent-points bound took differences of sums and came out above the optimum.

Weights over ten orders of magnitude, and a censoring curve that falls to 2e-7; all groups end in
leaves of their own, so the bound is tight.
"""

from tests.support.saved_problems import check_saved


def test_group_bound_with_wide_weights():
    check_saved("0004")
