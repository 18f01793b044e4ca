"""A depth that is left to survtree: three splits, or more where one more pays."""

from dataclasses import replace

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, SearchStoppedWarning
from survtree._base.checks import check_options
from survtree._data.table import EventTable
from survtree._model.deeper import LEAST_GAIN, MOST_LEAVES, deeper_problem
from survtree._model.prepare import prepare
from survtree._scoring.losses import LossByDefinition
from survtree._search.problem import SearchSettings
from survtree._search.solve import find


def rows_of_a_chain(n_rows=400, seed=0):
    """Each of five flags sets apart the rows that the flags before it left together."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, 5)) < 0.3).astype(float)
    first = np.where(X.any(axis=1), X.argmax(axis=1), 5)
    mean = np.array([1.0, 3.0, 9.0, 27.0, 81.0, 243.0])[first]
    return X, (np.ones(n_rows, bool), rng.exponential(mean) + 0.01)


def rows_of_two_flags(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, 4)) < 0.5).astype(float)
    return X, (np.ones(n_rows, bool), rng.exponential(1.0 + 4.0 * X[:, 0] + X[:, 1]) + 0.01)


def test_a_chain_of_flags_gets_a_deeper_tree_with_as_few_leaves():
    model = OptimalSurvivalTree().fit(*rows_of_a_chain())
    assert (model.depth_, model.certificate_.max_depth) == (5, 5)
    assert model.certificate_.max_leaves == MOST_LEAVES
    assert model.n_leaves_ <= MOST_LEAVES
    assert model.status_ == "optimal"


def test_two_flags_do_not():
    model = OptimalSurvivalTree().fit(*rows_of_two_flags())
    assert model.certificate_.max_depth == 3
    assert model.certificate_.max_leaves is None


def test_the_deeper_tree_is_the_best_with_this_depth_and_these_leaves():
    X, y = rows_of_a_chain()
    model = OptimalSurvivalTree().fit(X, y)
    words = ("horizon", "teacher", "shrinkage")
    asked = OptimalSurvivalTree(
        5,
        model.regularization_,
        max_leaves=MOST_LEAVES,
        levels="grouped",
        min_events_leaf=1,
        **dict.fromkeys(words, "auto"),
    ).fit(X, y)
    assert model.objective_ == asked.objective_
    flat = OptimalSurvivalTree(max_depth=3).fit(X, y)
    events = EventTable(*y, np.ones(len(X)))
    one_leaf = LossByDefinition.of(events.until(model.horizon_)).one_leaf_loss()
    assert flat.loss_ - model.loss_ > LEAST_GAIN * one_leaf


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 3},
        {"max_leaves": 4},
        {"teacher": None},
        {"certificate": "full"},
        {"gap": 0.01},
        {"upper_bound": 10.0},
        {"warm_start": True},
    ],
)
def test_what_a_limit_on_leaves_cannot_do_keeps_three_splits(options):
    X, y = rows_of_a_chain()
    model = OptimalSurvivalTree(**options)
    prepared = prepare(model, check_options(model), X, y, None)
    solution, _ = find(prepared.problem, SearchSettings())
    assert deeper_problem(prepared, solution) is None


def test_a_search_that_would_take_long_is_not_begun(monkeypatch):
    monkeypatch.setattr("survtree._model.deeper.MOST_WORK", {4: 1000.0})
    assert OptimalSurvivalTree().fit(*rows_of_a_chain()).certificate_.max_depth == 3


def test_a_limit_on_leaves_may_take_more_depth_too():
    model = OptimalSurvivalTree(max_leaves=6).fit(*rows_of_a_chain())
    assert (model.depth_, model.n_leaves_, model.regularization_) == (5, 6, 0.0)


def test_a_callback_does_not_change_the_tree_and_hears_of_both_searches():
    seen = []
    model = OptimalSurvivalTree(callback=seen.append).fit(*rows_of_a_chain())
    assert model.depth_ == 5
    objectives = [one.objective for one in model.history_]
    assert objectives == sorted(objectives, reverse=True)
    assert model.history_[-1].objective == pytest.approx(model.objective_)
    assert any(one.first_splits == 0 for one in seen)
    assert any(one.first_splits > 0 for one in seen)


def test_a_deeper_search_that_is_stopped_leaves_the_flatter_tree():
    flat, model = OptimalSurvivalTree(3).fit(*rows_of_a_chain()), OptimalSurvivalTree()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("survtree._model.deeper.find", found_unless_deeper)
        with pytest.warns(SearchStoppedWarning, match="for a better tree, .* optimal for depth 3"):
            model.fit(*rows_of_a_chain())
    assert (model.depth_, model.status_) == (3, "optimal")
    assert np.array_equal(model.apply(rows_of_a_chain()[0]), flat.apply(rows_of_a_chain()[0]))


def found_unless_deeper(problem, settings, *rest):
    """As a search for more than three splits that is stopped before it has found anything."""
    if problem.max_depth <= 3:
        return find(problem, settings, *rest)
    return find(problem, replace(settings, node_limit=1), *rest)


def test_no_questions_no_deeper_tree():
    X, y = rows_of_two_flags(60)
    assert OptimalSurvivalTree().fit(np.ones_like(X), y).n_leaves_ == 1
