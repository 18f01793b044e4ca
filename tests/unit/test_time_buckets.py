"""Rounded times: what the search sees, and what is told about the times as they are."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._data.table import EventTable
from survtree._scoring.losses import LossByDefinition
from survtree.datasets import load


def events(times, event=None):
    times = np.asarray(times, dtype=float)
    seen = np.ones(len(times), bool) if event is None else np.asarray(event)
    return EventTable(seen, times, np.ones(len(times)))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("buckets", [1, 2, 7, 50])
def test_rounding_goes_up_keeps_the_order_and_the_last_time(seed, buckets):
    time = np.random.default_rng(seed).exponential(10, 60).round(1)
    rounded = events(time).on_grid(buckets).time
    order = np.argsort(time, kind="stable")
    assert (rounded >= time).all()
    assert (np.diff(rounded[order]) >= 0).all()
    assert rounded.max() == time.max()
    assert len(np.unique(rounded)) <= buckets


def test_rounded_times_are_times_that_occur():
    assert events([1, 2, 3, 4, 5, 6]).on_grid(3).time.tolist() == [2, 2, 4, 4, 6, 6]
    assert events([0, 0, 0, 0, 5, 9]).on_grid(2).time.tolist() == [0, 0, 0, 0, 9, 9]


def test_as_many_buckets_as_rows_change_nothing():
    time = np.random.default_rng(3).exponential(10, 40)
    assert np.array_equal(events(time).on_grid(40).time, time)


def test_given_edges():
    rounded = events([0, 5, 30, 31, 59.5, 60, 200]).on_grid((30.0, 60.0, 90.0, 500.0))
    assert rounded.time.tolist() == [30, 30, 30, 60, 60, 60, 200]


@pytest.mark.parametrize("buckets", [5, 20, [30, 90, 365]])
def test_the_tree_is_optimal_on_rounded_times_and_its_exact_loss_is_told(buckets):
    X, y = load("veterans")
    model = OptimalSurvivalTree(2, 0.002, time_buckets=buckets).fit(X, y)
    as_given = tuple(buckets) if isinstance(buckets, list) else buckets
    exact = events(y["time"], y["event"])
    rounded = exact.on_grid(as_given)
    again = OptimalSurvivalTree(2, 0.002).fit(X, (rounded.event, rounded.time))
    leaf_of_row = model.tree_.leaf_numbers()[model.apply(X)]
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(again.objective_, rel=1e-12)
    assert model.loss_ == pytest.approx(LossByDefinition.of(rounded).tree_loss(leaf_of_row))
    assert model.exact_loss_ == pytest.approx(LossByDefinition.of(exact).tree_loss(leaf_of_row))
    assert model.exact_loss_ != model.loss_
    assert model.certificate_.verify(X, y)
    assert f"loss on exact times {model.exact_loss_:.6f}" in model.certificate_.summary()


def test_without_buckets_the_exact_loss_is_the_loss():
    X, y = load("veterans")
    model = OptimalSurvivalTree(2, 0.002).fit(X, y)
    assert model.exact_loss_ == model.loss_
    assert "exact times" not in model.certificate_.summary()


@pytest.mark.parametrize("value", [0, -3, 2.5, [], [3.0, 1.0], [1.0, 1.0], [-1.0, 2.0], [np.nan]])
def test_wrong_buckets_are_values(value):
    with pytest.raises((ValueError, TypeError), match="time_buckets must be an integer >= 1, a"):
        OptimalSurvivalTree(time_buckets=value).fit([[0], [1]], ([True, True], [1.0, 2.0]))


@pytest.mark.parametrize("value", ["5", True, {"a": 1}, object()])
def test_wrong_types_of_buckets(value):
    with pytest.raises(TypeError, match="time_buckets must be"):
        OptimalSurvivalTree(time_buckets=value).fit([[0], [1]], ([True, True], [1.0, 2.0]))
