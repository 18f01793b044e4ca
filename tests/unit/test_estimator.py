"""The estimator's face: what users of scikit-learn and scikit-survival expect of it."""

import pickle
import signal
import subprocess
import sys
import threading
from copy import copy
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import survtree._search.solve
from survtree import (
    InternalError,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    export_text,
)
from survtree._search.read_replay import read_replay
from survtree.datasets import load


@pytest.fixture(scope="module")
def veterans():
    X, y = load("veterans", encoding="paper", backend="pandas")
    return X, y


@pytest.fixture(scope="module")
def model(veterans):
    return OptimalSurvivalTree(3, 0.002).fit(*veterans)


def test_a_fitted_model_does_not_see_what_happens_to_its_arrays(veterans):
    X = veterans[0].to_numpy(dtype=np.uint8)
    event, time = veterans[1]["event"].astype(bool), veterans[1]["time"].astype(float)
    given = X.copy(), (event.copy(), time.copy())
    model = OptimalSurvivalTree(2, 0.002).fit(*given)
    expected = OptimalSurvivalTree(2, 0.002).fit(X, (event, time))
    given[0][:] = 0
    given[1][0][:] = True
    given[1][1][:] = 1.0
    assert repr(model.leaf_curves_) == repr(expected.leaf_curves_)
    assert np.array_equal(model.optimal_trees()[0].question, expected.tree_.question)


def hard_problem():
    """Far too much to solve in a moment."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (3000, 60))
    time = rng.exponential(1 + X[:, 0] + X[:, 1] * X[:, 2])
    return X, (rng.random(3000) < 0.7, time)


def test_attributes(model, veterans):
    assert model.n_features_in_ == 14
    assert list(model.feature_names_in_) == list(veterans[0].columns)
    assert model.status_ == "optimal"
    assert model.lower_bound_ == model.objective_
    assert model.gap_ == 0
    assert model.n_leaves_ == len(model.leaf_curves_) == 4
    assert model.depth_ == 2
    assert model.objective_ == pytest.approx(model.loss_ + 0.002 * 4)
    assert np.array_equal(model.unique_times_, np.unique(veterans[1]["time"]))


def test_leaves_hold_the_kaplan_meier_curves_of_their_rows(model, veterans):
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    X, y = veterans
    leaves = model.apply(X)
    for leaf, curve in model.leaf_curves_.items():
        rows = leaves == leaf
        times, survival = nonparametric.kaplan_meier_estimator(y["event"][rows], y["time"][rows])
        assert curve.survival(times) == pytest.approx(survival)
        times, hazard = nonparametric.nelson_aalen_estimator(y["event"][rows], y["time"][rows])
        assert curve.hazard(times) == pytest.approx(hazard)
        assert curve.n_rows == rows.sum()
        assert curve.n_events == y["event"][rows].sum()


@pytest.mark.parametrize("option", [{"time_buckets": 5}, {"horizon": 100}])
def test_curves_and_predictions_keep_all_times(veterans, option):
    X, y = veterans
    model = OptimalSurvivalTree(2, 0.002, **option).fit(X, y)
    assert np.array_equal(model.unique_times_, np.unique(y["time"]))
    assert np.array_equal(model.event_times_, np.unique(y["time"][y["event"]]))
    assert model.predict_survival_function(X, return_array=True).shape[1] == len(
        model.unique_times_
    )
    leaf = model.apply(X)
    for node, curve in model.leaf_curves_.items():
        assert np.array_equal(curve.survival.x, np.unique(y["time"][(leaf == node) & y["event"]]))


def test_risk_and_score_are_those_of_scikit_survival_on_the_same_leaves(model, veterans):
    metrics = pytest.importorskip("sksurv.metrics")
    X, y = veterans
    risk = model.predict(X)
    hazard = model.predict_cumulative_hazard_function(X, return_array=True)
    is_event_time = np.isin(model.unique_times_, y["time"][y["event"]])
    assert risk == pytest.approx(hazard[:, is_event_time].sum(axis=1))
    expected = metrics.concordance_index_censored(y["event"], y["time"], risk)[0]
    assert model.score(X, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_concordance_with_ties_is_that_of_scikit_survival(seed):
    metrics = pytest.importorskip("sksurv.metrics")
    from survtree._data.table import EventTable
    from survtree._scoring.concordance import concordance_of_risks

    rng = np.random.default_rng(seed)
    time = rng.integers(1, 10, 80).astype(float)
    event = rng.random(80) < 0.6
    risk = rng.integers(0, 5, 80).astype(float)
    expected = metrics.concordance_index_censored(event, time, risk)[0]
    assert concordance_of_risks(EventTable(event, time, np.ones(80)), risk) == pytest.approx(
        expected
    )


def test_concordance_without_pairs_is_nan():
    X = np.array([[0], [1]])
    model = OptimalSurvivalTree(min_samples_leaf=1).fit(X, ([True, True], [1.0, 2.0]))
    assert np.isnan(model.score(X, ([True, True], [2.0, 2.0])))


def test_predictions(model, veterans):
    X, _ = veterans
    curves = model.predict_survival_function(X)
    array = model.predict_survival_function(X, return_array=True)
    assert len(curves) == len(X)
    assert array.shape == (len(X), len(model.unique_times_))
    assert len({id(curve) for curve in curves}) == model.n_leaves_  # shared, one per leaf
    assert np.array_equal(curves[3].y, array[3])
    assert np.array_equal(curves[3].x, model.unique_times_)
    assert curves[3](0.0) == 1.0
    assert curves[3]([0, 1e9])[1] == array[3, -1]
    some = model.predict_survival_function(X, times=[30, 365], return_array=True)
    assert some.shape == (len(X), 2)
    assert np.array_equal(some[:, 0], [curve(30) for curve in curves])
    hazard = model.predict_cumulative_hazard_function(X, times=[30.0])
    assert hazard[0].y.shape == (1,)


def test_quantiles(model, veterans):
    X, _ = veterans
    median = model.predict_median(X)
    curves = model.predict_survival_function(X)
    for t, curve in zip(median, curves, strict=True):
        assert curve(t) <= 0.5 + 1e-12
        assert curve(np.nextafter(t, 0)) > 0.5
    assert (model.predict_quantile(X, 0.25) <= median).all()


def test_quantiles_never_reached_are_infinite():
    X = np.zeros((4, 1))
    model = OptimalSurvivalTree().fit(X, ([True, False, False, False], [1.0, 2.0, 3.0, 4.0]))
    assert np.isinf(model.predict_median(X)).all()
    assert (model.predict_quantile(X, 0.25) == 1.0).all()
    assert "S(4) 0.75" in export_text(model)


def test_decision_path(model, veterans):
    X, _ = veterans
    path = model.decision_path(X).toarray()
    leaves = model.apply(X)
    assert path.shape == (len(X), model.tree_.n_nodes)
    assert path[:, 0].all()
    assert path[np.arange(len(X)), leaves].all()
    assert np.array_equal(path.sum(axis=1), model.tree_.depths()[leaves] + 1)


def test_text(model):
    text = export_text(model)
    assert text.count("group ") == model.n_leaves_
    assert "Celltype_squamous = 1?" in text
    assert "median" in text


def test_clone_pipeline_and_search_work(veterans):
    X, y = veterans
    assert clone(OptimalSurvivalTree(2, gap=0.1)).get_params()["gap"] == 0.1
    pipeline = Pipeline([("same", FunctionTransformer()), ("tree", OptimalSurvivalTree(2, 0.001))])
    assert 0.5 < pipeline.fit(X, y).score(X, y) < 1
    search = GridSearchCV(OptimalSurvivalTree(2), {"regularization": [0.001, 0.05]}, cv=3)
    assert search.fit(X, y).best_params_["regularization"] in (0.001, 0.05)
    assert len(cross_val_score(OptimalSurvivalTree(1, 0.001), X, y, cv=3)) == 3


def test_pickles_are_small_and_predict_the_same(veterans):
    X, y = veterans
    many = (np.tile(X.to_numpy(), (50, 1)), np.tile(y, 50))
    model = OptimalSurvivalTree(3, 0.002).fit(*many)
    raw = pickle.dumps(model)
    assert len(raw) < 20_000 < many[0].nbytes
    again = pickle.loads(raw)
    assert np.array_equal(again.predict(X.to_numpy()), model.predict(X.to_numpy()))
    assert again.certificate_.verify(*many)
    with pytest.raises(ValueError, match="does not have them"):
        again.optimal_trees()


def test_all_optimal_trees_come_from_the_estimator(veterans):
    X, y = veterans
    model = OptimalSurvivalTree(3, 0.002).fit(X, y)
    trees = model.optimal_trees(limit=5)
    assert 1 <= len(trees) <= 5
    assert np.array_equal(trees[0].question, model.tree_.question)
    with pytest.raises(ValueError, match="positive integer"):
        model.optimal_trees(0)


def test_unfitted_models_say_so(veterans):
    for method in ("predict", "apply", "predict_survival_function", "predict_median"):
        with pytest.raises(NotFittedError):
            getattr(OptimalSurvivalTree(), method)(veterans[0])


STATE = [
    *("tree_", "objective_", "loss_", "exact_loss_", "lower_bound_", "gap_", "status_"),
    *("n_leaves_", "depth_", "ibs_ratio_", "certificate_", "binarizer_", "questions_"),
    *("unique_times_", "event_times_", "leaf_curves_", "leaf_risks_", "history_", "roles_"),
]


@pytest.mark.parametrize("make", [OptimalSurvivalTree, OptimalSurvivalTreeCV])
def test_attributes_come_with_the_fit_and_cannot_be_set(make, veterans):
    model = make()
    assert not any(hasattr(model, name) for name in STATE)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.tree_  # noqa: B018
    model.fit(*veterans)
    assert all(hasattr(model, name) for name in STATE)
    with pytest.raises(AttributeError):
        model.objective_ = 0.0
    assert not any(hasattr(clone(model), name) for name in STATE)


def test_a_copy_is_fitted_but_has_no_training_rows(veterans):
    model = OptimalSurvivalTree(2, warm_start=True).fit(*veterans)
    other = copy(model)
    assert other.tree_ is model.tree_
    assert other._kept_search is None
    with pytest.raises(ValueError, match="needs the training rows"):
        other.optimal_trees()
    assert len(model.optimal_trees()) == 1


def test_new_options_leave_the_fitted_state_alone(veterans):
    model = OptimalSurvivalTree(2, 0.01).fit(*veterans)
    before = [getattr(model, name) for name in ("objective_", "tree_", "certificate_")]
    model.set_params(regularization=0.5, max_depth=1)
    assert [getattr(model, name) for name in ("objective_", "tree_", "certificate_")] == before
    assert model.certificate_.regularization == 0.01


def test_certificate_verifies_and_notices_changes(model, veterans):
    X, y = veterans
    result = model.certificate_.verify(X, y)
    assert result
    assert "not rechecked" in str(result)
    changed = y.copy()
    changed["time"][5] += 1
    bad = model.certificate_.verify(X, changed)
    assert not bad
    assert not bad.checks["data"]
    assert not bad.checks["loss"]
    assert "FAIL data" in str(bad)
    assert model.certificate_.counts["subsets_solved"] > 0
    assert "optimal" in model.certificate_.summary()


def test_a_wrong_answer_of_the_core_raises_with_a_replay_file(veterans, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    real = survtree._native.rescore

    def lie(*arrays):
        found = real(*arrays)
        return {**found, "loss": 1.002 * found["loss"]}

    monkeypatch.setattr(survtree._native, "rescore", lie)
    with pytest.raises(InternalError, match="replay") as caught:
        OptimalSurvivalTree(2).fit(*veterans)
    (replay,) = Path(tmp_path).iterdir()
    assert str(replay) in str(caught.value)
    assert read_replay(replay).problem.answers.shape == (137, 14)


def test_a_broken_invariant_raises_with_a_replay_file(veterans, monkeypatch, tmp_path):
    class Broken:
        def __init__(self, *arrays):
            raise survtree._native.ContractError("broken invariant: two and two are four")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(survtree._native, "Search", Broken)
    with pytest.raises(InternalError, match=r"two and two are four\. This is a bug") as caught:
        OptimalSurvivalTree(2).fit(*veterans)
    (replay,) = Path(tmp_path).iterdir()
    assert str(replay) in str(caught.value)


def test_time_limit_returns_a_tree_with_a_true_bound():
    X, y = hard_problem()
    model = OptimalSurvivalTree(6, 0.0001, time_limit=0.3)
    with pytest.warns(SearchStoppedWarning, match=r"time limit \(0.3 s\)"):
        model.fit(X, y)
    assert model.status_ == "time_limit"
    assert model.lower_bound_ < model.objective_
    assert model.n_leaves_ > 1
    assert model.certificate_.verify(X, y)
    assert "not proven best" in model.certificate_.summary()
    with pytest.raises(ValueError, match="proven optimum"):
        model.optimal_trees()


def test_upper_bound_out_of_reach_is_reported(veterans):
    with pytest.warns(UserWarning, match="no tree attains upper_bound"):
        model = OptimalSurvivalTree(2, 0.001, upper_bound=0.01).fit(*veterans)
    assert model.objective_ == pytest.approx(0.067953095573, abs=1e-9)


def test_integer_weights_are_repeated_rows(veterans):
    X, y = veterans
    X = X.to_numpy()
    weight = np.random.default_rng(1).integers(1, 4, len(X))
    options = {"max_depth": 3, "regularization": 0.002, "min_samples_leaf": 1}
    weighted = OptimalSurvivalTree(**options).fit(X, y, sample_weight=weight)
    repeated = OptimalSurvivalTree(**options).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-12)
    assert np.array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.slow
# Depth 6 is searched; depth 4 is small enough for a lattice.
@pytest.mark.parametrize("depth", [6, 4])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_returns_the_best_tree(depth, n_jobs):
    script = f"""
import signal, threading, numpy as np
from survtree import OptimalSurvivalTree
rng = np.random.default_rng(0)
X = rng.integers(0, 2, (6000, 60))
y = (rng.random(6000) < 0.7, rng.exponential(1.0 + X[:, 0] + X[:, 1] * X[:, 2]))
signal.signal(signal.SIGINT, signal.default_int_handler)  # some shells have it ignored
threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
model = OptimalSurvivalTree({depth}, 0.0001, n_jobs={n_jobs}).fit(X, y)
print(model.status_, model.n_leaves_ > 1, model.lower_bound_ < model.objective_)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "interrupted True True\n"
    assert "SearchStoppedWarning: stopped by an interrupt" in run.stderr


def test_a_signal_handler_that_raises_is_heard():
    X, y = hard_problem()

    def refuse(signum, frame):
        raise RuntimeError("no")

    before = signal.signal(signal.SIGINT, refuse)
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    try:
        with pytest.raises(RuntimeError, match="no"):
            OptimalSurvivalTree(6, 0.0001).fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)


def test_progress_goes_through_logging(veterans, caplog):
    caplog.set_level("INFO", logger="survtree")
    OptimalSurvivalTree(2, 0.001, verbose=1).fit(*veterans)
    text = caplog.text
    assert "137 rows  14 questions" in text
    assert "one leaf" in text
    assert "optimal: loss" in text


def test_progress_without_logging_goes_to_standard_error():
    script = (
        "from survtree import OptimalSurvivalTree as T; from survtree.datasets import load;"
        "T(2, verbose=1).fit(*load('veterans', encoding='paper'))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "found by" in run.stderr
    assert run.stdout == ""
