"""A warning when a few late rows carry much of the loss, and none where that is not so."""

import warnings

import numpy as np
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    TailWeightWarning,
    bootstrap,
    metrics,
    regularization_path,
)
from survtree._data.table import EventTable
from survtree._scoring.losses import LossByDefinition
from survtree._scoring.tail import heavy_tail, one_curve_losses
from survtree.datasets import load, names
from tests.support.problems import random_case

SHORT = {"max_depth": 1, "regularization": 0.01}


def followed_for_long(n=200, last=50.0, n_late=1):
    """Rows that end within about 5, half of them censored, and some that are followed until 50."""
    rng = np.random.default_rng(5)
    time, event = rng.exponential(1.0, n).clip(0.01, 5), rng.random(n) < 0.5
    time[:n_late], event[:n_late] = last, False
    return rng.integers(2, size=(n, 2)), (event, time)


def events_of(y, weight=None):
    event, time = y
    weight = np.ones(len(time)) if weight is None else weight
    return EventTable(np.asarray(event, bool), np.asarray(time, float), weight)


@pytest.mark.parametrize("seed", range(740_000, 740_040))
def test_losses_by_row_and_by_time_add_up_to_the_loss_of_a_lone_leaf(seed):
    events = random_case(seed).problem.events
    by_definition = LossByDefinition.of(events)
    loss, by_time = by_definition.one_leaf_loss(), by_definition.one_leaf_loss_by_time()
    assert by_time.sum() == pytest.approx(loss, rel=1e-9)
    by_row = one_curve_losses(events, events)
    added = np.bincount(events.when, by_row)
    assert np.allclose(by_time, added, rtol=1e-6, atol=1e-9 * loss)


@pytest.mark.parametrize("n_late", [1, 3])
def test_the_tail_names_its_rows_and_their_share(n_late):
    events = events_of(followed_for_long(n_late=n_late)[1])
    tail = heavy_tail(events)
    losses = one_curve_losses(events, events)
    assert tail[:3] == (50.0, n_late, 200)
    assert tail.share == pytest.approx(losses[:n_late].sum() / losses.sum())
    assert tail.share > 0.25


def test_rows_that_end_together_are_in_the_tail_together():
    assert heavy_tail(events_of(followed_for_long(n_late=20)[1])) is None


def test_a_row_of_large_weight_may_carry_much():
    _, y = followed_for_long()
    weight = np.ones(200)
    weight[0] = 60.0
    assert heavy_tail(events_of(y, weight)) is None


def test_a_horizon_before_the_tail_takes_it_away():
    events = events_of(followed_for_long()[1])
    assert heavy_tail(events.until(4.0)) is None
    assert heavy_tail(events.until(50.0)) == heavy_tail(events)


@pytest.mark.parametrize("name", names())
def test_data_sets_of_the_package_have_no_heavy_tail(name):
    y = load(name).y
    assert heavy_tail(events_of((y["event"], y["time"]))) is None


def test_few_events_are_no_tail():
    """Where events are rare, the rows that had one carry the loss, but they are not late."""
    rng = np.random.default_rng(0)
    time, event = rng.uniform(1, 100, 1000), np.zeros(1000, bool)
    event[:3] = True
    time[:3] = (5, 10, 15)
    assert heavy_tail(EventTable(event, time, np.ones(1000))) is None


def test_a_fit_a_path_and_a_bootstrap_warn_once():
    X, y = followed_for_long()
    for fit in (
        lambda: OptimalSurvivalTree(**SHORT).fit(X, y),
        lambda: regularization_path(X, y, max_depth=1, min_regularization=0.01),
        lambda: bootstrap(OptimalSurvivalTree(**SHORT), X, y, n_bootstraps=2, random_state=0),
        lambda: OptimalSurvivalTreeCV(max_depths=(1,), min_regularization=0.01, cv=2).fit(X, y),
        lambda: metrics.ibs_ratio(y, ([[1.0]] * 200, [1.0])),
        lambda: metrics.integrated_brier_score(y, ([[1.0]] * 200, [1.0])),
    ):
        with pytest.warns(TailWeightWarning, match="1 row of 200 carries .* at 50 or") as found:
            fit()
        assert len(found) == 1
        assert found[0].filename == __file__


def test_a_fit_that_has_a_horizon_is_told_to_pass_an_earlier_one():
    X, y = followed_for_long()
    for horizon, advice in ((None, "Pass horizon='auto', or a time"), (50, "Pass as horizon a ti")):
        with pytest.warns(TailWeightWarning, match=advice):
            OptimalSurvivalTree(**SHORT, horizon=horizon).fit(X, y)


def test_with_auto_nothing_warns():
    X, y = followed_for_long()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OptimalSurvivalTree(**SHORT, horizon="auto").fit(X, y)
        OptimalSurvivalTree(1).fit(X, y)
        OptimalSurvivalTreeCV(max_depths=(1,), cv=2).fit(X, y)
        OptimalSurvivalTreeCV(max_depths=(1,), min_regularization=0.001, cv=2, horizon="auto").fit(
            X, y
        )
        metrics.ibs_ratio(y, model, X=X, horizon=model.horizon_)


def test_cross_validation_warns_of_held_out_rows_that_decide():
    """Of all rows six end late, which are not few; but one of them is alone in its fold."""
    X, y = followed_for_long(n=400, n_late=6)
    assert heavy_tail(events_of(y)) is None
    one, others = np.append(0, np.arange(6, 200)), np.append(np.arange(1, 6), np.arange(200, 400))
    folds = [(others, one), (one, others)]
    model = OptimalSurvivalTreeCV(max_depths=(1,), min_regularization=0.001, cv=folds)
    with pytest.warns(TailWeightWarning, match="in 1 of 2 folds few held-out rows decide") as found:
        model.fit(X, y)
    assert len(found) == 1
