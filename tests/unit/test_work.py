"""Work, counted: a change that makes the search do more on fixed cases has to say why."""

import pytest

from survtree import OptimalSurvivalTree
from survtree.datasets import load

# data set, max_depth, regularization, subsets solved, lane-rows
RECORDED = [
    ("veterans", 4, 0.001, 1_222, 145_446),
    ("whas500", 3, 0.001, 1_012, 1_632_648),
    ("whas500", 4, 0.05, 195, 1_432_081),
    ("gbsg2", 4, 0.005, 965, 2_429_069),
    ("aids", 3, 0.0005, 515, 3_691_094),
]


@pytest.mark.parametrize(("name", "depth", "regularization", "subsets", "lane_rows"), RECORDED)
def test_work_has_not_grown_by_a_tenth(name, depth, regularization, subsets, lane_rows):
    X, y = load(name, encoding="paper")
    counts = OptimalSurvivalTree(depth, regularization).fit(X, y).certificate_.counts
    assert counts["subsets_solved"] <= 1.1 * subsets
    assert counts["lane_rows"] <= 1.1 * lane_rows
