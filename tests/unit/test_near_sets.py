"""What the near-optimal trees say together: table, band, groups, stability."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

from survtree import SearchStoppedWarning
from survtree._model import near_stability
from survtree._model.near_curves import leaf_paths
from survtree._model.near_stability import sample_problem
from survtree._model.stability import bootstrap_samples
from survtree._search.near_trees import NearSearch
from survtree._search.problem import SearchSettings
from survtree._search.solve import solve
from survtree.datasets import load
from survtree.metrics import ibs_ratio
from tests.support.near_sets import fitted, partition, study

X, Y = study()
TIMES = [30.0, 100.0, 250.0]
FITS = {
    "plain": ({}, 0.03),
    "shrunken": ({"shrinkage": 30.0, "horizon": 300.0}, 0.03),
    "teacher": ({"regularization": "auto"}, 0.5),
}


@pytest.fixture(scope="module", params=FITS)
def near(request):
    options, within = FITS[request.param]
    return fitted(**options).near_optimal(within=within)


def test_the_table_says_what_the_models_say(near):
    table = near.table()
    assert table["tree"].to_list() == list(range(len(near)))
    for row, model in zip(table.to_dicts(), near, strict=True):
        assert row["objective"] == pytest.approx(model.objective_)
        assert row["excess"] == pytest.approx(model.objective_ - near.optimum, abs=1e-12)
        assert row["excess_percent"] == pytest.approx(100 * row["excess"] / near.optimum)
        assert (row["leaves"], row["depth"]) == (model.n_leaves_, model.depth_)
        if model.n_leaves_ > 1:
            assert row["first_split"] == model.questions_.text(int(model.tree_.question[0]))
            assert row["first_split"].startswith(row["columns"].split(", ")[0])
    assert table["excess"][0] == 0.0


def test_tables_are_in_the_library_of_the_fit():
    pandas = load("veterans", backend="pandas").X
    from survtree import OptimalSurvivalTree

    near = OptimalSurvivalTree(1, 0.01).fit(pandas, Y).near_optimal(0.05)
    for table in (near.table(cv=2), near.importance(), near.groups(), near.stability(2)):
        assert type(table) is type(pandas)


def test_held_out_scores_are_those_of_the_splits_with_curves_of_the_training_rows():
    near = fitted(horizon=300.0).near_optimal(within=0.02)
    half = np.arange(len(X)) % 2 == 0
    folds = [(np.flatnonzero(half), np.flatnonzero(~half))] * 2
    table = near.table(cv=folds)
    event, time = Y["event"], Y["time"]
    from survtree._data.table import EventTable
    from survtree._scoring.curves import leaf_curves

    for place in (0, 3):
        leaf = near.model._state.problem.leaf_of_row(near.trees[place])
        outcome = EventTable(event[half], time[half], np.ones(half.sum()))
        curves = leaf_curves(outcome, leaf[half], leaf.max() + 1)
        at = np.unique(time[half & event])
        survival = np.array([curves[k].survival(at) for k in leaf[~half]])
        train = event[half], time[half]
        score = ibs_ratio((event[~half], time[~half]), (survival, at), train=train, horizon=300.0)
        assert table["held_out_ibs_ratio"][place] == pytest.approx(score)
        assert table["held_out_error"][place] == pytest.approx(0.0, abs=1e-12)


def test_held_out_scores_stand_a_leaf_without_training_rows(near):
    n = len(X)
    leaf = near.model._state.problem.leaf_of_row(near.trees[0])
    inside = np.flatnonzero(leaf == 0)
    folds = [(np.setdiff1d(np.arange(n), inside), inside), (np.arange(0, n, 2), np.arange(1, n, 2))]
    assert np.isfinite(near.table(cv=folds)["held_out_ibs_ratio"].to_numpy()).all()


def test_the_same_seed_makes_the_same_folds(near):
    same = near.table(cv=3, random_state=1)
    assert same.equals(near.table(cv=3, random_state=1))
    assert not same.equals(near.table(cv=3, random_state=2))


def test_the_band_is_that_of_the_predictions_of_all_models(near):
    band = near.survival_band(X, TIMES)
    predicted = np.array(
        [model.predict_survival_function(X, TIMES, return_array=True) for model in near]
    )
    assert band.low == pytest.approx(predicted.min(axis=0))
    assert band.high == pytest.approx(predicted.max(axis=0))
    for limit, which in ((band.low, band.lowest), (band.high, band.highest)):
        assert np.take_along_axis(predicted, which[np.newaxis], 0)[0] == pytest.approx(limit)
    assert (band.low <= band.high).all()
    assert band.times.tolist() == TIMES


def test_the_band_warns_of_levels_that_the_fit_did_not_see():
    near = fitted().near_optimal(within=0.02)
    strange = X[:3].with_columns(Celltype=pl.lit("clear"))
    with pytest.warns(UserWarning, match="values that the fit did not see"):
        near.survival_band(strange, TIMES)


def test_the_band_of_one_tree_is_its_prediction(near):
    one = near.model.near_optimal(limit=1)
    band = one.survival_band(X[:5], TIMES)
    assert np.array_equal(band.low, band.high)


def test_groups_agree_by_the_adjusted_rand_index(near):
    problem = near.model._state.problem
    leaves = [problem.leaf_of_row(tree) for tree in near.trees]
    table = near.groups(agreement=0.6)
    seen = []
    for row in table.to_dicts():
        head, members = row["representative"], list(row["members"])
        index = [adjusted_rand_score(leaves[head], leaves[place]) for place in members]
        assert min(index) >= 0.6 - 1e-12
        assert row["least_agreement"] == pytest.approx(min(index))
        assert row["trees"] == len(members)
        assert head == min(members)
        assert row["objective"] == pytest.approx(near.objectives[head])
        seen += members
    assert sorted(seen) == list(range(len(near)))
    heads = table["representative"].to_list()
    for one, head in enumerate(heads):
        for other in heads[:one]:
            assert adjusted_rand_score(leaves[head], leaves[other]) < 0.6


def test_trees_that_part_the_rows_differently_are_groups_of_their_own(near):
    assert len(near.groups(agreement=1)) == len(near)


def test_stability_counts_the_samples_whose_set_has_the_tree(near):
    n = 4
    found = near.stability(n, random_state=3).to_dicts()
    prepared = near._prepared
    rng = np.random.RandomState(3)
    in_set, optimal = np.zeros(len(near)), np.zeros(len(near))
    for counts in bootstrap_samples(prepared.problem.events, n, rng):
        problem = sample_problem(prepared, counts)
        optimum = solve(problem, SearchSettings()).objective
        listed = NearSearch(problem, optimum).trees(near.within * optimum, 100_000)
        partitions = {partition(problem, tree): k for k, tree in enumerate(listed.trees)}
        for place, tree in enumerate(near.trees):
            rank = partitions.get(partition(problem, tree))
            has_all_leaves = len(np.unique(problem.leaf_of_row(tree))) == len(tree.leaves)
            if rank is not None and has_all_leaves:
                in_set[place] += 1 / n
                optimal[place] += (listed.objectives[rank] <= optimum + 1e-12) / n
    assert [row["in_set"] for row in found] == pytest.approx(in_set)
    assert [row["optimal"] for row in found] == pytest.approx(optimal)
    for row in found:
        assert row["optimal"] <= row["in_set"] <= row["allowed"]


def test_a_callback_stops_the_samples():
    near = fitted().near_optimal(within=0.01)
    with pytest.warns(SearchStoppedWarning, match="2 of 5 samples count"):
        found = near.stability(5, callback=lambda now: now.n_done >= 2)
    assert set(found["allowed"]) <= {0.0, 0.5, 1.0}


def test_paths_lead_to_the_leaves(near):
    problem = near.model._state.problem
    for tree in near.trees:
        leaf_of_row = problem.leaf_of_row(tree)
        for leaf, path in enumerate(leaf_paths(tree)):
            rows = np.ones(len(X), dtype=bool)
            for step in path:
                is_yes = problem.rows_of_yes(abs(step) - 1)
                rows &= is_yes if step > 0 else ~is_yes
            assert np.array_equal(rows, leaf_of_row == leaf)


def test_searches_of_samples_have_the_memory_limit_of_the_fit(monkeypatch):
    limits = []

    def find(problem, settings):
        limits.append(settings.memory_limit)
        solution, kept = original(problem, settings)
        is_stopped = len(limits) in stopped
        return (replace(solution, status="memory_limit") if is_stopped else solution), kept

    original, stopped = near_stability.find, ()
    monkeypatch.setattr(near_stability, "find", find)
    near = fitted(memory_limit="8GB").near_optimal(within=0.01)
    whole = near.stability(3)
    assert limits == [8 * 10**9] * 3
    limits, stopped = [], (2,)
    with pytest.warns(SearchStoppedWarning, match="by the memory limit: 2 of 3 samples count"):
        part = near.stability(3)
    assert set(part["in_set"]) <= {0.0, 0.5, 1.0}
    assert whole["tree"].equals(part["tree"])
    limits, stopped = [], (1, 2, 3)
    with (
        pytest.warns(SearchStoppedWarning, match="0 of 3 samples count"),
        pytest.raises(ValueError, match="stability needs samples that are searched to the end"),
    ):
        near.stability(3)
