"""Numbers worked out independently, to 1e-9."""

import pytest

from survtree import OptimalSurvivalTree
from survtree.datasets import load


@pytest.mark.parametrize(
    ("name", "one_leaf", "objective"),
    [
        ("veterans", 0.076399648133, 0.067953095573),
        ("whas500", 0.226143931842, 0.165488369225),
        ("gbsg2", 0.194216245979, 0.183687791092),
    ],
)
def test_paper_encodings(name, one_leaf, objective):
    X, y = load(name, encoding="paper")
    lone = OptimalSurvivalTree(max_depth=0, regularization=0).fit(X, y)
    assert lone.loss_ == pytest.approx(one_leaf, abs=1e-9)
    model = OptimalSurvivalTree(max_depth=2, regularization=0.001, min_samples_leaf=7).fit(X, y)
    assert model.objective_ == pytest.approx(objective, abs=1e-9)
    assert model.status_ == "optimal"
    assert model.ibs_ratio_ == pytest.approx(1 - model.loss_ / one_leaf, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "objective"), [("veterans", 0.074062151344), ("whas500", 0.200011464579)]
)
def test_ten_events_per_leaf(name, objective):
    X, y = load(name, encoding="paper")
    options = {"max_depth": 1, "regularization": 0.001, "min_samples_leaf": 7}
    model = OptimalSurvivalTree(**options, min_events_leaf=10).fit(X, y)
    assert model.objective_ == pytest.approx(objective, abs=1e-9)
    assert model.status_ == "optimal"
