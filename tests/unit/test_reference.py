"""Losses of reference models, row by row, against the definition read row by row."""

import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, StepFunction
from survtree._data.table import EventTable
from survtree._scoring import losses as losses_module
from survtree._scoring.losses import LossByDefinition, RowLosses
from survtree._search import read_reference as reference
from survtree._search.read_reference import reference_losses
from survtree.datasets import load
from tests.support.bad_inputs.references import REFERENCES, Model
from tests.unit.test_bad_inputs import TELLS_ALL, TELLS_RANGE

CASES = [case for cases in REFERENCES.values() for case in cases]


def literal_loss(events, i, x, y):
    """The definition for row i and the curve with steps to y at x, an interval at a time."""
    time, event, weight = events.time, events.event, events.weight
    y_max = time.max()

    def g(t):
        value = 1.0
        for u in sorted(set(time[time <= t])):
            value *= 1 - weight[(time == u) & ~event].sum() / weight[time >= u].sum()
        return value

    def s(t):
        return ([1.0] + [value for at, value in zip(x, y, strict=True) if at <= t])[-1]

    knots = sorted({0.0, y_max, *time, *(at for at in x if at < y_max)})
    total = 0.0
    for left, right in pairwise(knots):
        if right <= time[i]:
            total += (right - left) * (1 - s(left)) ** 2 / g(left)
        elif event[i]:
            total += (right - left) * s(left) ** 2 / g(time[i])
    return weight[i] * total / (weight.sum() * y_max)


def events_of(rng, n, *, censored=0.4, step=0.5, weighted=False):
    """An outcome with ties where the step is coarse, and perhaps with rows at time 0."""
    time = np.floor(rng.exponential(5, n) / step) * step
    time[0] += 1
    weight = rng.uniform(0.5, 3, n) if weighted else np.ones(n)
    return EventTable(rng.random(n) >= censored, time, weight)


def curves_of(rng, n, times):
    return np.sort(rng.random((n, len(times))), axis=1)[:, ::-1]


def losses_of(reference, events, X=None, features=None, random_state=0):
    return reference_losses(reference, X, features, events, random_state)


KINDS = {
    "ties": {"step": 2.0},
    "hardly any ties": {"step": 1e-6},
    "no censoring": {"censored": 0.0},
    "heavy censoring": {"censored": 0.9},
    "weights": {"weighted": True},
}
GRIDS = {
    "training times": lambda events: events.unique_times,
    "event times": lambda events: events.event_times,
    "other times": lambda events: np.linspace(0.3, 1.3 * events.time.max(), 17),
    "from 0": lambda events: np.array([0.0, 1.0, 1.0, 2.5]),
    "late": lambda events: events.time.max() * np.array([0.8, 0.9]),
    "after the end": lambda events: events.time.max() * np.array([1.0, 2.0]),
    "never": lambda events: np.empty(0),
}


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_losses_are_those_of_the_definition(kind, grid, seed):
    rng = np.random.default_rng(seed)
    events = events_of(rng, 25, **KINDS[kind])
    times = GRIDS[grid](events)
    survival = curves_of(rng, 25, times)
    expected = [literal_loss(events, i, times, survival[i]) for i in range(25)]
    assert losses_of((survival, times), events) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_curves_of_a_model_may_step_at_times_of_their_own(seed):
    rng = np.random.default_rng(seed)
    events = events_of(rng, 20)
    times = [np.sort(rng.uniform(0, 12, rng.integers(0, 6))) for _ in range(20)]
    values = [curves_of(rng, 1, x)[0] for x in times]
    model = Model([SimpleNamespace(x=x, y=y) for x, y in zip(times, values, strict=True)])
    expected = [literal_loss(events, i, times[i], values[i]) for i in range(20)]
    assert losses_of(model, events) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_slope_and_intercept_of_a_step_function_count():
    events = events_of(np.random.default_rng(0), 10)
    plain = [SimpleNamespace(x=[1, 2], y=[0.9, 0.4])] * 10
    other = [SimpleNamespace(x=[1, 2], y=[0.4, -0.1], a=1.0, b=0.5)] * 10
    assert losses_of(Model(other), events) == pytest.approx(losses_of(Model(plain), events))


def test_worked_example():
    events = EventTable(
        np.array([1, 0, 1, 0, 1, 0], dtype=bool), np.array([1, 2, 3, 3, 5, 6.0]), np.ones(6)
    )
    curve = np.tile([5 / 6, 5 / 6, 0.625, 0.3125, 0.3125], (6, 1))
    assert losses_of((curve, [1, 2, 3, 5, 6]), events).sum() == pytest.approx(0.163845486111)


@pytest.mark.parametrize("name", ["veterans", "whas500", "gbsg2"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_losses_of_a_tree_add_up_to_its_loss(name, is_weighted):
    X, y = load(name)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X)) if is_weighted else np.ones(len(X))
    model = OptimalSurvivalTree(2, 0.002).fit(X, y, weight)
    events = EventTable(y["event"], y["time"].astype(float), weight)
    losses = losses_of(model, events, X)
    assert losses.sum() == pytest.approx(model.loss_, rel=1e-12)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        assert losses[here].sum() == pytest.approx(
            LossByDefinition.of(events).leaf_loss(here), rel=1e-12
        )


@pytest.mark.parametrize(
    "convert",
    [pd.DataFrame, pl.DataFrame, lambda X: X, np.ndarray.tolist],
    ids=["pandas", "polars", "NumPy", "lists"],
)
def test_any_table_can_be_asked_about_in_batches(convert, monkeypatch):
    X, y = load("veterans", encoding="paper")
    X = np.asarray(X, dtype=np.uint8)
    columns = [f"q{j}" for j in range(X.shape[1])]
    table = convert(X)
    if hasattr(table, "columns"):
        table.columns = columns
    model = OptimalSurvivalTree(3, 0.001).fit(table, y)
    events = EventTable(y["event"], y["time"].astype(float), np.ones(len(X)))
    at_once = losses_of(model, events, table)
    monkeypatch.setattr(losses_module, "FIRST_ROWS", 5)
    monkeypatch.setattr(losses_module, "MOST_CELLS", 1000)
    assert np.array_equal(losses_of(model, events, table), at_once)
    assert at_once.sum() == pytest.approx(model.loss_, rel=1e-12)


def test_probabilities_are_read_in_batches(monkeypatch):
    rng = np.random.default_rng(0)
    events = events_of(rng, 200, weighted=True)
    times = np.linspace(0, 20, 31)
    pair = curves_of(rng, 200, times).astype(np.float32), times
    monkeypatch.setattr(losses_module, "FIRST_ROWS", 200)
    at_once = losses_of(pair, events)
    monkeypatch.setattr(losses_module, "FIRST_ROWS", 7)
    monkeypatch.setattr(losses_module, "MOST_CELLS", 100)
    assert np.array_equal(losses_of(pair, events), at_once)


def test_losses_are_used_as_they_are():
    events = events_of(np.random.default_rng(0), 10)
    given = np.linspace(0, 1, 10) * RowLosses(events).most()
    for losses in (given, given.tolist(), pd.Series(given, index=range(5, 15)), pl.Series(given)):
        assert np.array_equal(losses_of(losses, events), given)


@pytest.mark.parametrize("kind", KINDS)
def test_no_curve_loses_more_than_the_most(kind):
    rng = np.random.default_rng(1)
    events = events_of(rng, 30, **KINDS[kind])
    wrong = [
        # Gone while the row is there, and back when it has gone; only for the sums, which need
        # no falling curve.
        literal_loss(events, i, [0.0, t], [0.0, 1.0])
        for i, t in enumerate(events.time)
    ]
    most = RowLosses(events).most()
    assert most == pytest.approx(wrong, rel=1e-12, abs=1e-15)
    assert (losses_of((curves_of(rng, 30, [1, 2]), [1, 2]), events) <= most).all()


def test_rounding_of_probabilities_is_forgiven():
    events = events_of(np.random.default_rng(0), 2)
    rough = np.array([[1 + 1e-12, 0.5, 0.5 + 1e-12], [1.0, 0.5, -1e-12]])
    exact = np.array([[1.0, 0.5, 0.5], [1.0, 0.5, 0.0]])
    times = [1, 2, 3]
    assert losses_of((rough, times), events) == pytest.approx(losses_of((exact, times), events))


def test_losses_are_never_negative_next_to_training_times():
    rng = np.random.default_rng(0)
    events = events_of(rng, 300, step=1e-6)
    times = np.sort(np.concatenate([np.nextafter(events.time, k) for k in (0, 99)]))
    assert (losses_of((np.zeros((300, len(times))), times), events) >= 0).all()


def answers_of(name):
    X, y = load(name, encoding="paper")
    events = EventTable(y["event"], y["time"].astype(float), np.ones(len(y)))
    return np.asarray(X, dtype=np.uint8), events


@pytest.mark.parametrize("name", ["forest", "boosting"])
def test_named_models_lose_less_than_one_leaf(name):
    pytest.importorskip("sksurv")
    features, events = answers_of("veterans")
    losses = losses_of(name, events, features=features)
    assert losses.shape == (len(events),)
    assert 0 < losses.sum() < LossByDefinition.of(events).one_leaf_loss()
    assert np.array_equal(losses_of(name, events, features=features), losses)


def test_a_named_forest_is_the_paper_s():
    ensemble = pytest.importorskip("sksurv.ensemble")
    features, events = answers_of("whas500")
    y = np.array(list(zip(events.event, events.time, strict=True)), dtype="?,f8")
    forest = ensemble.RandomSurvivalForest(100, max_depth=9, random_state=7).fit(features, y)
    curves = forest.predict_survival_function(features, return_array=True)
    expected = losses_of((curves, forest.unique_times_), events)
    assert losses_of(forest, events, features) == pytest.approx(expected)
    named = losses_of("forest", events, features=features, random_state=7)
    assert named == pytest.approx(expected)


def test_a_pipeline_is_a_model():
    linear_model = pytest.importorskip("sksurv.linear_model")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load("whas500")
    model = make_pipeline(StandardScaler(), linear_model.CoxPHSurvivalAnalysis()).fit(X, y)
    events = EventTable(y["event"], y["time"].astype(float), np.ones(len(y)))
    losses = losses_of(model, events, X)
    assert 0 < losses.sum() < LossByDefinition.of(events).one_leaf_loss()


@pytest.mark.parametrize("name", ["forest", "boosting"])
def test_weights_reach_a_named_model(name):
    pytest.importorskip("sksurv")
    features, events = answers_of("veterans")
    weight = np.where(features[:, 0] > 0, 5.0, 1.0)
    weighted = EventTable(events.event, events.time, weight)
    plain = losses_of(name, events, features=features) * len(events) * weight / weight.sum()
    assert not np.allclose(losses_of(name, weighted, features=features), plain)


def test_a_forest_of_many_times_sees_fewer(monkeypatch):
    pytest.importorskip("sksurv")
    features, events = answers_of("whas500")
    exact = losses_of("forest", events, features=features).sum()
    monkeypatch.setattr(reference, "MOST_FOREST_TIMES", 100)
    fewer = losses_of("forest", events, features=features).sum()
    assert fewer != exact
    assert fewer == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("name", ["forest", "boosting"])
def test_named_models_of_odd_data(name):
    pytest.importorskip("sksurv")
    rng = np.random.default_rng(0)
    features = (rng.random((12, 3)) < 0.5).astype(np.uint8)
    all_at_once = EventTable(np.arange(12) % 2 == 0, np.full(12, 3.0), np.ones(12))
    assert losses_of(name, all_at_once, features=features).sum() == 0
    no_question = losses_of(name, events_of(rng, 12), features=features[:, :0])
    assert np.isfinite(no_question).all()
    everyone = EventTable(np.ones(12, dtype=bool), np.arange(12.0), np.ones(12))
    assert np.isfinite(losses_of(name, everyone, features=features)).all()


@pytest.mark.parametrize("name", ["forest", "boosting"])
def test_what_is_missing_is_told(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "sksurv", None)
    features, events = answers_of("veterans")
    with pytest.raises(ImportError, match=rf"'{name}' needs scikit-survival.*survtree\[reference"):
        losses_of(name, events, features=features)


def test_nobody_needs_scikit_survival_for_the_rest(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksurv", None)
    events = events_of(np.random.default_rng(0), 6)
    curve = StepFunction([1.0], [0.5], before=1.0)
    assert losses_of(Model([curve] * 6), events).sum() > 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_messages_say_what_is_needed_what_came_where_and_what_next(case):
    message = case.message()
    for name in case.names:
        assert name in message, message
    assert any(form.fullmatch(message) for form in (TELLS_ALL, TELLS_RANGE)), message
