"""Tables on which the original program dies, lies or loses digits."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._scoring.losses import LossByDefinition
from tests.support.brute_force import BruteForce


def brute(X, event, time, regularization, depth, min_samples_leaf):
    oracle = LossByDefinition(time, event)
    return BruteForce(X, oracle, regularization, min_samples_leaf).optimum(depth)


def table(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, p))
    return X, rng.random(n) < 0.6, rng.integers(1, 40, n) + 20.0 * X[:, 0]


@pytest.mark.parametrize(
    "change",
    [
        lambda event, time: (event, 1e6 + 0.001 * time),
        lambda event, time: (event, np.where(time < 10, 0.0, time)),
        lambda event, time: (np.ones_like(event), time),
        lambda event, time: (event, np.full_like(time, 5.0)),
        lambda event, time: (event, time * 1e-300),
        lambda event, time: (event, time * 1e300),
        lambda event, time: (time == time.max(), time),
        lambda event, time: (time == time.min(), time),
        lambda event, time: (event, np.round(time, -1)),
    ],
    ids=[
        "close times far from 0",
        "times 0",
        "no censoring",
        "one time",
        "tiny times",
        "huge times",
        "events only at the end",
        "events only at the start",
        "many ties",
    ],
)
@pytest.mark.parametrize("regularization", [0.0, 0.001])
def test_odd_outcomes(change, regularization):
    X, event, time = table(80, 5)
    event, time = change(event, time)
    model = OptimalSurvivalTree(3, regularization, min_samples_leaf=5).fit(X, (event, time))
    expected = brute(X, event, time, regularization, 3, 5)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_one_row():
    model = OptimalSurvivalTree(regularization=0.01).fit([[1]], ([True], [3.0]))
    assert model.n_leaves_ == 1
    assert model.objective_ == pytest.approx(0.01)
    assert OptimalSurvivalTree().fit([[1]], ([True], [3.0])).n_leaves_ == 1
    assert model.predict_median([[0]]) == [3.0]


def test_one_column_and_constant_columns():
    X, event, time = table(60, 3)
    one = OptimalSurvivalTree(4, 0.001).fit(X[:, :1], (event, time))
    assert one.objective_ == pytest.approx(brute(X[:, :1], event, time, 0.001, 4, 7), abs=1e-12)
    X[:, 1:] = [0, 1]
    padded = OptimalSurvivalTree(4, 0.001).fit(X, (event, time))
    assert padded.objective_ == one.objective_
    constant = OptimalSurvivalTree().fit(X[:, 1:], (event, time))
    assert constant.n_leaves_ == 1
    assert constant.status_ == "optimal"


def test_200_columns():
    X, event, time = table(150, 200)
    model = OptimalSurvivalTree(2, 0.001, min_samples_leaf=7).fit(X, (event, time))
    expected = brute(X, event, time, 0.001, 1, 7)
    assert model.status_ == "optimal"
    assert model.objective_ <= expected + 1e-12
    shallow = OptimalSurvivalTree(1, 0.001, min_samples_leaf=7).fit(X, (event, time))
    assert shallow.objective_ == pytest.approx(expected, abs=1e-12)


def test_all_censored_is_refused():
    X, _, time = table(20, 2)
    with pytest.raises(ValueError, match="no event was observed"):
        OptimalSurvivalTree().fit(X, (np.zeros(20, dtype=bool), time))


def test_fewer_rows_than_min_samples_leaf_make_one_leaf():
    X, event, time = table(5, 2)
    event[0] = True
    assert OptimalSurvivalTree(min_samples_leaf=7).fit(X, (event, time)).n_leaves_ == 1
