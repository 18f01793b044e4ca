"""Numbers worked out independently, to 1e-9."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._data.table import EventTable
from survtree._scoring.losses import LikelihoodLossByDefinition
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


SIX = {"time": [1, 2, 3, 3, 5, 6], "event": [1, 0, 1, 0, 1, 0], "x": [1, 1, 0, 1, 0, 0]}


def test_likelihood_of_six_rows():
    event, x = np.array(SIX["event"], dtype=bool), np.array(SIX["x"], dtype=bool)
    events = EventTable(event, np.array(SIX["time"], dtype=float), np.ones(6))
    losses = LikelihoodLossByDefinition(events)
    assert losses.one_leaf_loss() == pytest.approx(0.459039930595, abs=1e-9)
    assert losses.leaf_loss(x) == pytest.approx(0.250679566129, abs=1e-9)
    assert losses.leaf_loss(~x) == pytest.approx(0.199674364276, abs=1e-9)
    assert losses.leaf_loss(~event) == 0.0
    options = {"regularization": 0.0, "min_samples_leaf": 1, "loss": "likelihood"}
    model = OptimalSurvivalTree(1, **options).fit(x[:, None].astype(int), (event, events.time))
    assert model.loss_ == pytest.approx(0.250679566129 + 0.199674364276, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "one_leaf", "objective"),
    [
        ("veterans", 0.574845694736, 0.493658475570),
        ("whas500", 0.694636205836, 0.546244311462),
    ],
)
def test_likelihood_of_paper_encodings(name, one_leaf, objective):
    X, y = load(name, encoding="paper")
    lone = OptimalSurvivalTree(max_depth=0, regularization=0, loss="likelihood").fit(X, y)
    assert lone.loss_ == pytest.approx(one_leaf, abs=1e-9)
    options = {"max_depth": 2, "regularization": 0.005, "min_samples_leaf": 7}
    model = OptimalSurvivalTree(**options, loss="likelihood").fit(X, y)
    assert model.objective_ == pytest.approx(objective, abs=1e-9)
    assert model.status_ == "optimal"
