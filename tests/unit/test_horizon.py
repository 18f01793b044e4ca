"""A horizon: the loss is integrated up to it; curves and predictions keep all times."""

import json
from pathlib import Path

import numpy as np
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    check_proof,
    export_json,
    load,
    regularization_path,
)
from survtree._data.table import EventTable
from survtree._model.defaults import auto_horizon
from survtree._scoring.losses import LossByDefinition
from survtree.datasets import load as load_data
from survtree.metrics import (
    cumulative_dynamic_auc,
    ibs_ratio,
    integrated_brier_score,
    per_sample_loss,
)
from tests.fuzz.proof_text import problem_fingerprint
from tests.oracle.proofs import signed
from tests.support.loss_to_horizon import LossToHorizon

SIX = np.array([[1], [1], [0], [1], [0], [0]]), ([1, 0, 1, 0, 1, 0], [1.0, 2, 3, 3, 5, 6])


def events_of(y, weight=None):
    n = len(y["time"])
    weight = np.ones(n) if weight is None else weight
    return EventTable(y["event"], y["time"].astype(float), weight)


def test_six_rows():
    model = OptimalSurvivalTree(0, 0.0, horizon=5, min_samples_leaf=1).fit(*SIX)
    assert model.loss_ == pytest.approx(0.15625, abs=1e-12)
    assert model.horizon_ == 5.0
    assert "integrated to 5" in model.certificate_.summary()


@pytest.mark.parametrize(
    ("name", "one_leaf", "objective"),
    [("veterans", 0.164068496951, 0.154447296611), ("whas500", 0.159327265753, 0.142665107378)],
)
def test_numbers_worked_out_independently(name, one_leaf, objective):
    X, y = load_data(name, encoding="paper")
    lone = OptimalSurvivalTree(0, 0.0, horizon=365).fit(X, y)
    model = OptimalSurvivalTree(1, 0.001, min_samples_leaf=7, horizon=365).fit(X, y)
    assert lone.loss_ == pytest.approx(one_leaf, abs=1e-11)
    assert model.objective_ == pytest.approx(objective, abs=1e-11)
    assert model.ibs_ratio_ == pytest.approx(1 - model.loss_ / one_leaf, abs=1e-9)
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("name", ["veterans", "whas500"])
@pytest.mark.parametrize("beyond", [1.0, 1.5])
def test_a_horizon_from_the_largest_time_on_changes_nothing(name, beyond):
    X, y = load_data(name)
    last = float(y["time"].max())
    plain, far = (
        OptimalSurvivalTree(2, 0.005, horizon=horizon).fit(X, y)
        for horizon in (None, beyond * last)
    )
    assert far.objective_ == plain.objective_
    assert far.lower_bound_ == plain.lower_bound_
    assert far.certificate_.fingerprint == plain.certificate_.fingerprint
    assert np.array_equal(far.tree_.question, plain.tree_.question)
    assert np.array_equal(far.predict(X), plain.predict(X))
    assert (plain.horizon_, far.horizon_) == (None, last)


def test_default_is_no_horizon_if_regularization_is_a_number():
    X, y = load_data("veterans")
    assert OptimalSurvivalTree(1, 0.01).fit(X, y).horizon_ is None
    assert OptimalSurvivalTree(1).fit(X, y).horizon_ == auto_horizon(events_of(y))


def test_with_buckets_the_exact_loss_has_the_horizon_too():
    X, y = load_data("whas500")
    model = OptimalSurvivalTree(2, 0.005, horizon=700, time_buckets=10).fit(X, y)
    leaf_of_row = model.tree_.leaf_numbers()[model.apply(X)]
    until = events_of(y).until(700.0)
    assert model.exact_loss_ == pytest.approx(LossByDefinition.of(until).tree_loss(leaf_of_row))
    rounded = LossByDefinition.of(until.on_grid(10)).tree_loss(leaf_of_row)
    assert model.loss_ == pytest.approx(rounded)
    assert model.certificate_.verify(X, y)
    assert np.array_equal(model.unique_times_, np.unique(y["time"]))


def test_a_wrong_horizon_in_a_certificate_is_found():
    X, y = load_data("veterans")
    model = OptimalSurvivalTree(1, 0.002, horizon=200).fit(X, y)
    claims = vars(model.certificate_) | {"horizon": 300.0}
    found = type(model.certificate_)(**claims).verify(X, y)
    assert not found.checks["data"]
    assert not found.checks["loss"]


def test_auto_is_a_time_by_which_most_of_the_weight_has_ended_but_not_all():
    time, event = np.arange(1.0, 11), np.ones(10, bool)
    assert 5.0 < auto_horizon(EventTable(event, time, np.ones(10))) < 10.0
    heavy_end = np.append(np.ones(9), 100.0)
    assert auto_horizon(EventTable(event, time, heavy_end)) == 10.0


def test_auto_is_the_last_time_with_enough_rows_at_risk():
    time = np.arange(1.0, 101.0)
    events = EventTable(np.ones(100, bool), time, np.ones(100))
    assert auto_horizon(events) == 91.0  # ten rows end at 91 or later: the root of a hundred


def test_auto_is_never_past_the_last_event_nor_before_the_first():
    time = np.arange(1.0, 11)
    events = EventTable(time <= 4, time, np.ones(10))
    assert auto_horizon(events) == 4.0
    assert auto_horizon(EventTable(time == 2, time, np.ones(10))) == 10.0


def test_a_path_has_the_horizon_of_a_fit():
    X, y = load_data("veterans")
    path = regularization_path(X, y, max_depth=2, horizon="auto", min_regularization=0.002)
    model = OptimalSurvivalTree(2, 0.004, horizon="auto").fit(X, y)
    assert {each.horizon_ for each in path} == {model.horizon_} == {auto_horizon(events_of(y))}
    assert path.at(0.004).objective_ == pytest.approx(model.objective_, abs=1e-12)


def test_folds_are_fitted_and_scored_with_the_horizon_of_all_rows():
    X, y = load_data("veterans")
    n = np.arange(len(y))
    folds = [(n[n % 3 != k], n[n % 3 == k]) for k in range(3)]
    options = {"max_depths": (1,), "min_regularization": 0.001, "cv": folds, "rule": "minimum"}
    auto = OptimalSurvivalTreeCV(horizon="auto", **options).fit(X, y)
    h = auto_horizon(events_of(y))
    assert auto.horizon_ == auto.best_estimator_.horizon == h
    given = OptimalSurvivalTreeCV(horizon=h, **options).fit(X, y)
    assert np.array_equal(given.cv_results_["mean_test_score"], auto.cv_results_["mean_test_score"])
    penalty = auto.best_params_["regularization"]
    train, test = folds[0]
    tree = OptimalSurvivalTree(1, penalty, horizon=h).fit(X[train], y[train])
    score = ibs_ratio(y[test], tree, X=X[test], train=y[train], horizon=h)
    assert auto.cv_results_["split0_test_score"][auto.best_index_] == pytest.approx(score)


# Without a penalty there is a teacher, and a forest for each fold and horizon.
BY_THE_OUTCOME = {"min_regularization": 0.001}
WITH_TEACHER = pytest.param({}, marks=pytest.mark.slow)


@pytest.mark.parametrize("options", [BY_THE_OUTCOME, WITH_TEACHER])
def test_tuning_with_a_horizon_above_all_times_is_tuning_without(options):
    X, y = load_data("veterans")
    options = {"max_depths": (1, 2), "cv": 3, "random_state": 0, **options}
    plain, far = (OptimalSurvivalTreeCV(horizon=h, **options).fit(X, y) for h in (None, 1e6))
    assert np.array_equal(far.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


@pytest.mark.parametrize("options", [BY_THE_OUTCOME, WITH_TEACHER])
def test_nested_scores_use_the_horizon(options):
    X, y = load_data("veterans")
    options = {"max_depths": (1,), "cv": 2, "random_state": 0, **options}
    plain, near = (
        OptimalSurvivalTreeCV(horizon=h, **options).nested_score(X, y, cv=2) for h in (None, 100)
    )
    assert not np.array_equal(plain.scores, near.scores)


def test_bootstrap_samples_share_the_horizon():
    X, y = load_data("veterans")
    found = bootstrap(
        OptimalSurvivalTree(1, 0.005, horizon="auto"), X, y, n_bootstraps=3, random_state=0
    )
    h = auto_horizon(events_of(y))
    assert found.model.horizon_ == h
    apparent = ibs_ratio(y, found.model, X=X, horizon=h)
    assert found.ibs_ratio.apparent == pytest.approx(apparent)


@pytest.mark.parametrize("horizon", [50.0, 200.0, 999.0, 5000.0, None])
def test_metrics_integrate_to_the_horizon(horizon):
    X, y = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.002, horizon=horizon).fit(X, y)
    score = integrated_brier_score(y, model, X=X, horizon=horizon)
    assert score == pytest.approx(model.loss_)
    assert ibs_ratio(y, model, X=X, horizon=horizon) == pytest.approx(model.ibs_ratio_)
    assert per_sample_loss(y, model, X=X, horizon=horizon).sum() == pytest.approx(score)


def test_scores_of_new_rows_use_the_censoring_curve_of_the_training_rows():
    X, y = load_data("whas500")
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    lone = OptimalSurvivalTree(0, 0.0, horizon=500).fit(X[train], y[train])
    got = integrated_brier_score(y[test], lone, X=X[test], train=y[train], horizon=500)
    slow = LossToHorizon(y["time"][train], y["event"][train], np.ones(len(train)), 500)
    survival = slow._product_limit(np.ones(len(train), bool), slow.event)
    g = slow._product_limit(np.ones(len(train), bool), ~slow.event)
    expected = 0.0
    for event, time in zip(y["event"][test], y["time"][test], strict=True):
        for k, start in enumerate(slow.starts):
            # The rows of the test cut the pieces of the training rows once more.
            end = slow.starts[k + 1] if k + 1 < len(slow.starts) else 500.0
            alive = min(max(time - start, 0.0), end - start)
            expected += (1 - survival[k]) ** 2 / g[k] * alive
            if event and time < 500:
                at = g[np.searchsorted(slow.starts, time, side="right") - 1]
                expected += survival[k] ** 2 / at * (end - start - alive)
    assert got == pytest.approx(expected / (len(test) * 500))


def test_the_mean_auc_leaves_out_times_from_the_horizon_on():
    X, y = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.002).fit(X, y)
    near = cumulative_dynamic_auc(y, model, X=X, horizon=100)
    times = cumulative_dynamic_auc(y, model, X=X).times
    assert np.array_equal(near.times, times[times < 100])
    assert near.mean == pytest.approx(cumulative_dynamic_auc(y, model, near.times, X=X).mean)


def test_a_model_file_keeps_the_horizon(tmp_path):
    X, y = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.002, horizon="auto").fit(X, y)
    export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert (same.horizon, same.horizon_) == ("auto", model.horizon_)
    assert same.certificate_.verify(X, y)


def test_a_proof_states_the_horizon_and_no_time_is_after_it(tmp_path):
    X, y = load_data("veterans", encoding="paper")
    model = OptimalSurvivalTree(1, 0.005, horizon=200, certificate="full").fit(X, y)
    path = tmp_path / "veterans.proof"
    model.certificate_.write_proof(path)
    verdict = check_proof(path)
    assert verdict
    assert "with the loss integrated to 200" in verdict.reason
    assert verdict.objective == pytest.approx(model.objective_, abs=1e-9)


def test_a_warm_start_goes_on_only_with_the_same_horizon():
    X, y = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.002, horizon=200, warm_start=True).fit(X, y)
    near = model.objective_
    assert model.set_params(horizon=None).fit(X, y).objective_ != near
    assert model.set_params(horizon=200).fit(X, y).objective_ == near


def test_a_file_without_a_horizon_is_a_model_without_one():
    model = load(Path(__file__).parents[1] / "regress" / "models" / "model-1.json")
    assert (model.horizon, model.horizon_) == (None, None)


def with_head(path, **changes):
    """A proof file whose second line says something else, with right fingerprint and checksum."""
    magic, head, *rest = path.read_text().splitlines()[:-1]
    parts = {**json.loads(head), **changes}
    parts["problem_fingerprint"] = problem_fingerprint(parts)
    parts = {name: each for name, each in parts.items() if each != "left out"}
    path.write_bytes(signed([magic, json.dumps(parts), *rest]))
    return check_proof(path)


@pytest.mark.parametrize(
    ("horizon", "is_accepted"),
    [
        ("left out", False),
        (None, True),
        (500.0, False),
        (150.0, False),
        ("a year", False),
        (0, False),
    ],
)
def test_a_proof_is_refused_if_its_horizon_cannot_be_right(tmp_path, horizon, is_accepted):
    X, y = load_data("veterans", encoding="paper")
    model = OptimalSurvivalTree(1, 0.005, horizon=200, certificate="full").fit(X, y)
    path = tmp_path / "veterans.proof"
    model.certificate_.write_proof(path)
    assert with_head(path, horizon=horizon).is_accepted == is_accepted
