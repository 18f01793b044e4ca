"""Limits of a fit, what it says when one is hit, and going on afterwards."""

import pickle
import time
import warnings

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, SearchStoppedWarning
from survtree._scoring.losses import LossByDefinition
from survtree.datasets import load
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem

STOPS = {
    "time_limit": ({"time_limit": 0.2}, r"the time limit \(0.2 s\)"),
    "memory_limit": ({"memory_limit": "1 MB"}, r"the memory limit \(1 MB\)"),
    "node_limit": ({"node_limit": 1000}, r"the node limit \(1000\)"),
    "interrupted": ({"callback": lambda now: now.seconds > 0.1}, "the callback"),
}


@pytest.mark.parametrize(("status", "stop"), STOPS.items(), ids=list(STOPS))
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_limit_returns_a_tree_a_warning_and_its_status(status, stop, n_jobs):
    options, said = stop
    X, (event, when) = hard_problem(400, 40)
    model = OptimalSurvivalTree(DEPTH, REGULARIZATION, n_jobs=n_jobs, **options)
    with pytest.warns(SearchStoppedWarning, match=f"stopped by {said}. Objective .* gap"):
        model.fit(X, (event, when))
    assert model.status_ == status
    assert model.n_leaves_ > 1
    assert 0 < model.lower_bound_ < model.objective_
    assert 0 < model.gap_ < 1
    loss = LossByDefinition(when, event).tree_loss(model.tree_.leaf_numbers()[model.apply(X)])
    assert loss + REGULARIZATION * model.n_leaves_ == pytest.approx(model.objective_, rel=1e-9)


def test_a_gap_is_enough():
    model = OptimalSurvivalTree(3, 0.002, gap=0.5).fit(*load("gbsg2"))
    exact = OptimalSurvivalTree(3, 0.002).fit(*load("gbsg2"))
    assert model.status_ == "gap_reached"
    assert model.gap_ <= 0.5
    assert model.lower_bound_ <= exact.objective_ <= model.objective_ + 1e-12


def test_a_node_limit_stops_at_the_same_place_every_time():
    X, y = hard_problem(400, 40)
    found = set()
    for _ in range(2):
        model = OptimalSurvivalTree(DEPTH, REGULARIZATION, node_limit=3000)
        with pytest.warns(SearchStoppedWarning):
            model.fit(X, y)
        assert model.certificate_.counts["subsets_solved"] == 3000
        found.add((model.objective_, model.lower_bound_, model.n_leaves_))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("4GB", 4e9), ("1.5 gb", 1.5e9), ("500M", 5e8), ("2 GiB", 2 * 2**30), ("900kb", None)],
)
def test_memory_is_told_in_words(text, n_bytes):
    X, y = load("veterans")
    model = OptimalSurvivalTree(1, memory_limit=text)
    if n_bytes is None:
        with pytest.raises(ValueError, match="an integer >= 1,000,000"):
            model.fit(X, y)
    else:
        assert model.fit(X, y).status_ == "optimal"


def test_time_spent_before_the_search_counts():
    X, y = load("veterans")

    class Slow:
        """A reference that takes all the time there is."""

        def predict_survival_function(self, X):
            time.sleep(0.3)
            return tree.predict_survival_function(X)

    tree = OptimalSurvivalTree(4, 0.0001).fit(X, y)
    model = OptimalSurvivalTree(4, 0.0001, time_limit=0.2, reference=Slow())
    with pytest.warns(SearchStoppedWarning, match="time limit"):
        model.fit(X, y)
    assert model.n_leaves_ == 1
    assert model.certificate_.seconds >= 0.3


def test_a_stopped_fit_goes_on_where_it_was():
    X, y = load("gbsg2")
    options = {"max_depth": 3, "regularization": 0.0005}
    exact = OptimalSurvivalTree(**options).fit(X, y)
    model = OptimalSurvivalTree(**options, node_limit=200, warm_start=True)
    objective, lower_bound, n_fits = np.inf, 0.0, 0
    while n_fits == 0 or model.status_ == "node_limit":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SearchStoppedWarning)
            model.fit(X, y)
        assert model.objective_ <= objective + 1e-12
        assert model.lower_bound_ >= lower_bound - 1e-12
        objective, lower_bound = model.objective_, model.lower_bound_
        n_fits += 1
    assert n_fits > 3
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(exact.objective_, abs=1e-12)
    # Nothing was done twice but what a stop cut short.
    solved = model.certificate_.counts["subsets_solved"]
    assert solved < 200 * n_fits
    once = OptimalSurvivalTree(**options, node_limit=10**9).fit(X, y)
    assert solved < 1.5 * once.certificate_.counts["subsets_solved"]


def test_more_time_after_a_time_limit_and_another_kind_of_limit():
    X, y = hard_problem(300, 30)
    model = OptimalSurvivalTree(5, 0.0005, time_limit=0.05, warm_start=True)
    with pytest.warns(SearchStoppedWarning):
        first = model.fit(X, y).objective_
    counts = model.certificate_.counts["subsets_solved"]
    with pytest.warns(SearchStoppedWarning, match="node limit"):
        model.set_params(time_limit=None, node_limit=100).fit(X, y)
    assert model.objective_ <= first
    assert model.certificate_.counts["subsets_solved"] == counts + 100


def test_another_problem_starts_anew():
    X, y = load("veterans")
    model = OptimalSurvivalTree(3, 0.001, warm_start=True).fit(X, y)
    solved = model.certificate_.counts["subsets_solved"]
    assert model.fit(X, y).certificate_.counts["subsets_solved"] == solved
    for changes in (
        {"regularization": 0.004},
        {"max_depth": 2},
        {"min_samples_leaf": 20},
        {"min_events_leaf": 20},
    ):
        other = OptimalSurvivalTree(**{"max_depth": 3, "regularization": 0.001, **changes})
        other.fit(X, y)
        model.set_params(max_depth=3, regularization=0.001, min_samples_leaf=7)
        model.fit(X, y)
        model.set_params(**changes).fit(X, y)
        assert model.objective_ == other.objective_
        assert model.certificate_.counts == other.certificate_.counts
    event, when = y["event"].copy(), y["time"]
    event[5] = not event[5]
    again = model.fit(X, (event, when))
    assert again.objective_ == other.fit(X, (event, when)).objective_


def test_what_a_search_remembers_is_neither_pickled_nor_kept_unasked():
    X, y = load("veterans")
    model = OptimalSurvivalTree(3, 0.001, warm_start=True).fit(X, y)
    assert model._kept_search is not None
    copy = pickle.loads(pickle.dumps(model))
    assert copy._kept_search is None
    assert copy.fit(X, y).objective_ == model.objective_
    assert model.set_params(warm_start=False).fit(X, y)._kept_search is None


def test_a_guess_then_proof_goes_on_without_the_reference():
    X, y = hard_problem(300, 30)
    n_asked = 0

    class Model:
        """A reference that counts how often it is asked."""

        def predict_survival_function(self, X):
            nonlocal n_asked
            n_asked += 1
            return model_of_all.predict_survival_function(X)

    model_of_all = OptimalSurvivalTree(0).fit(X, y)
    model = OptimalSurvivalTree(
        4, 0.0005, reference=Model(), reference_mode="prove", node_limit=300, warm_start=True
    )
    with pytest.warns(SearchStoppedWarning):
        model.fit(X, y)
    assert model.certificate_.guess is None  # all curves are one, so the guess was over at once
    asked = n_asked
    assert asked > 0
    model.set_params(node_limit=None).fit(X, y)
    assert n_asked == asked
    assert model.status_ == "optimal"
    assert model.objective_ == OptimalSurvivalTree(4, 0.0005).fit(X, y).objective_
