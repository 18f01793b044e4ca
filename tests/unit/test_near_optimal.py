"""The near-optimal trees of a fit, as a user meets them: a list of full models."""

import copy
import json
import pickle

import numpy as np
import pytest

from survtree import (
    NearOptimalTrees,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    export_json,
    export_text,
    load,
    plot_tree,
    regularization_path,
)
from survtree._model import near_optimal
from survtree._search.near_trees import BestFound, NearTrees
from survtree._search.solve import loss_of
from tests.support.near_sets import CUTS, fitted, partition, study

X, Y = study()
WEIGHTS = np.random.RandomState(0).uniform(0.5, 2.0, len(X))
FITS = {
    "plain": {},
    "teacher": {"regularization": "auto"},
    "teacher and weights": {"regularization": "auto", "sample_weight": WEIGHTS},
    "leaves": {"max_leaves": 3},
    "horizon and shrinkage": {"horizon": 200.0, "shrinkage": 20.0},
    "buckets": {"time_buckets": 10},
    "every cut": {"regularization": "auto", "thresholds": "auto", "max_depth": 1},
}


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture(scope="module")
def near(model):
    return model.near_optimal(within=0.02)


def test_trees_come_by_ascending_objective_and_start_with_the_optimum(model, near):
    assert isinstance(near, NearOptimalTrees)
    assert near.is_complete
    assert near.status == "complete"
    assert near.optimum == model.objective_
    assert near.slack == pytest.approx(0.02 * model.objective_)
    assert near.within == pytest.approx(0.02)
    assert len(near) == len(near.trees) == len(near.objectives) > 5
    assert (np.diff(near.objectives) >= -1e-12).all()
    assert near.objectives[-1] <= near.optimum + near.slack + 1e-12
    assert near[0].certificate_ == model.certificate_
    assert np.array_equal(near[0].tree_.question, model.tree_.question)


def test_trees_part_the_rows_in_different_ways(model, near):
    problem = model._state.problem
    assert len({partition(problem, tree) for tree in near.trees}) == len(near)


def test_models_are_made_when_they_are_asked_for(model):
    near = model.near_optimal(within=0.02)
    assert not near._models
    third = near[3]
    assert list(near._models) == [3]
    assert near[3] is third
    assert near[-1] is near[len(near) - 1]
    assert [one.objective_ for one in near[1:4]] == [near[k].objective_ for k in (1, 2, 3)]
    with pytest.raises(IndexError):
        near[len(near)]


def test_a_limit_keeps_the_best_trees(model, near):
    few = model.near_optimal(within=0.02, limit=3)
    assert few.status == "limit"
    assert not few.is_complete
    assert few.objectives == pytest.approx(near.objectives[:3])
    assert "3 trees" in repr(few)
    assert "there are more" in repr(few)
    assert "more" not in repr(near)


def test_slack_takes_the_place_of_within(model, near):
    same = model.near_optimal(slack=0.02 * model.objective_)
    assert len(same) == len(near)
    assert len(model.near_optimal(within=0.0)) == len(model.near_optimal(slack=0.0)) >= 1


@pytest.mark.parametrize("name", FITS)
def test_models_are_those_of_their_trees_whatever_the_fit(name, tmp_path):
    options = dict(FITS[name])
    weight = options.get("sample_weight")
    fit = fitted(**options)
    near = fit.near_optimal(within=0.5, limit=8)
    assert len(near) > 1
    problem = fit._state.problem
    for one in near[1:]:
        assert one.status_ in ("near_optimal", "optimal")
        loss = loss_of(problem, one.tree_)
        assert one.loss_ == pytest.approx(loss)
        assert one.objective_ == pytest.approx(loss + problem.regularization * one.n_leaves_)
        assert one.lower_bound_ <= one.objective_
        assert one.lower_bound_ == pytest.approx(fit.objective_)
        checked = one.certificate_.verify(X, Y, weight)
        assert checked, str(checked)
        export_json(one, tmp_path / "one.json")
        same = load(tmp_path / "one.json")
        assert np.array_equal(same.predict(X), one.predict(X))
        assert same.certificate_.summary() == one.certificate_.summary()
        assert same.shrinkage_ == one.shrinkage_
        assert same.certificate_.verify(X, Y, weight)


def test_curves_of_leaves_go_on_after_the_horizon():
    one = fitted(horizon=200.0).near_optimal(within=0.05)[1]
    assert one.unique_times_[-1] == Y["time"].max()
    assert max(curve.times[-1] for curve in one.leaf_curves_.values()) == Y["time"].max()


def test_a_model_says_that_it_is_not_the_optimum(near, model, tmp_path):
    one = near[2]
    assert one.status_ == "near_optimal"
    assert one.gap_ == pytest.approx((one.objective_ - model.objective_) / one.objective_)
    assert f"above the proven optimum {model.objective_:.6f}" in one.certificate_.summary()
    assert one.certificate_.choice.place == 2
    assert export_text(one)
    assert plot_tree(one).axes is not None
    one.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Not proven optimal." in page
    assert "near it: the lower bound is the proven optimum" in page


def test_the_recipe_finds_the_same_tree_again(near):
    one, names = near[4], {"X": X, "y": Y}
    exec(one.recipe_.code, names)
    assert np.array_equal(names["model"].tree_.question, one.tree_.question)
    assert names["model"].status_ == one.status_


def test_a_model_without_its_rows_is_near_nothing(near):
    with pytest.raises(ValueError, match="near_optimal needs the training rows"):
        pickle.loads(pickle.dumps(near[0])).near_optimal()
    chosen = OptimalSurvivalTreeCV(max_depths=(1,), cv=2, min_regularization=0.01).fit(X, Y)
    with pytest.raises(ValueError, match="near_optimal needs the training rows"):
        chosen.best_estimator_.near_optimal()


@pytest.mark.parametrize("method", ["near_optimal", "optimal_trees"])
def test_only_the_model_of_a_fit_has_near_optimal_trees(near, method):
    with pytest.raises(ValueError, match="needs the model of a fit"):
        getattr(near[2], method)()
    with pytest.raises(ValueError, match="needs the model of a fit"):
        getattr(near.best(max_depth=1), method)()
    with pytest.warns(SearchStoppedWarning):
        stopped = fitted(node_limit=1, max_depth=3)
    with pytest.raises(ValueError, match="needs a proven optimum"):
        getattr(stopped, method)()


def test_trees_of_a_path_have_near_optimal_trees():
    path = regularization_path(X, Y, max_depth=2, min_regularization=0.001, thresholds=CUTS)
    one = path.at(0.0015)
    near = one.near_optimal(within=0.02)
    assert near.optimum == one.objective_
    assert near[1].regularization_ == 0.0015
    assert near[1].certificate_.verify(X, Y)
    assert len(near) == len(fitted(regularization=0.0015).near_optimal(within=0.02))


def test_models_know_the_columns_of_the_outcome():
    frame = X.with_columns(days=Y["time"].copy(), died=Y["event"].copy())
    options = {"max_depth": 2, "regularization": 0.001, "thresholds": CUTS}
    fit = OptimalSurvivalTree(**options).fit(frame, duration_col="days", event_col="died")
    one = fit.near_optimal(within=0.02)[1]
    assert one.roles_ == fit.roles_
    assert one.certificate_.verify(frame)


def test_the_list_stays_in_its_process(near):
    for carry in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError, match="must stay in the process of its fit"):
            carry(near)


def test_a_file_must_say_which_near_optimal_tree_it_has(near, tmp_path):
    text = json.loads(export_json(near[2]))
    text["certificate"]["choice"]["place"] = None
    (tmp_path / "one.json").write_text(json.dumps(text))
    with pytest.raises(ValueError, match=r"choice\.place must be above 0"):
        load(tmp_path / "one.json")


class Stopped:
    """A search that a limit has ended."""

    def __init__(self, problem, optimum, settings):
        self.problem = problem

    def trees(self, slack, limit, watch):
        model = fitted()
        value = np.array([model.objective_])
        return NearTrees((model.tree_,), value, value[0], slack, "time_limit", 1.0, {})

    def best(self, **condition):
        tree = fitted().tree_ if condition["max_leaves"] == 4 else None
        return BestFound(tree, 0.1, 0.01, "time_limit")


def test_what_a_limit_leaves_is_kept_with_a_warning(model, monkeypatch):
    monkeypatch.setattr(near_optimal, "NearSearch", Stopped)
    with pytest.warns(SearchStoppedWarning, match="stopped by the time limit: the best 1 tree"):
        near = model.near_optimal(time_limit=1.0)
    assert len(near) == 1
    assert not near.is_complete
    assert "time limit" in repr(near)
    with pytest.warns(SearchStoppedWarning, match="not proven best"):
        one = near.best(max_leaves=4)
    assert one.status_ == "time_limit"
    assert one.lower_bound_ == 0.01
    assert "for trees that have at most 4 leaves" in one.certificate_.summary()
    with pytest.raises(ValueError, match="best needs more time, memory or nodes"):
        near.best(max_leaves=3)


def test_the_node_limit_of_the_fit_holds_for_the_list():
    fit = fitted(node_limit=10**9)
    assert fit.near_optimal(within=0.02).is_complete
    fit.set_params(node_limit=1)
    with pytest.warns(SearchStoppedWarning, match="stopped by the node limit"):
        near = fit.near_optimal(within=0.02)
    assert near.status == "node_limit"
    with pytest.raises(ValueError, match="Give it more time, memory or nodes"):
        near.importance()
