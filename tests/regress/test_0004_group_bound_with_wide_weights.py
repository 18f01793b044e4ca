"""The equivalent-points bound took differences of sums and came out above the optimum.

Weights over ten orders of magnitude, and a censoring curve that falls to 2e-7; all groups end in
leaves of their own, so the bound is tight.
"""

from tests.oracle.problems import brute_force, check_case, random_case


def test_group_bound_with_wide_weights():
    case = random_case(21952)
    optimum = brute_force(case.problem).optimum(case.problem.max_depth)
    check_case(case, optimum)
