"""regularization_path and max_leaves, as a user meets them."""

import json
import pickle
import warnings
from math import inf

import numpy as np
import pytest

from survtree import (
    OptimalSurvivalTree,
    Picture,
    SearchStoppedWarning,
    export_json,
    plot_gap,
    regularization_path,
)
from survtree import load as load_model
from survtree._search.progress import header
from survtree._search.read_replay import read_replay
from survtree.datasets import load
from tests.support.hard_problem import hard_problem
from tests.support.runner import done

SETS = ("veterans", "whas500", "gbsg2", "aids")


@pytest.fixture(scope="module")
def veterans():
    return load("veterans")


@pytest.mark.parametrize("name", SETS)
def test_models_of_a_path_are_those_of_fits_at_its_penalties(name):
    X, y = load(name)
    path = regularization_path(X, y, max_depth=2, min_regularization=0.001)
    assert path.status_ == "optimal"
    penalties = [model.regularization for model in path]
    ends = [model.regularization_interval_[0] for model in path]
    for penalty in [*penalties, *ends, 0.0013, 0.004, 0.02]:
        fitted = OptimalSurvivalTree(2, penalty).fit(X, y)
        chosen = path.at(penalty)
        assert chosen.loss_ + penalty * chosen.n_leaves_ == pytest.approx(
            fitted.objective_, abs=1e-9
        )
    for model in path:
        fitted = OptimalSurvivalTree(2, model.regularization).fit(X, y)
        assert model.n_leaves_ == fitted.n_leaves_
        assert np.array_equal(model.apply(X), fitted.apply(X))
        assert model.objective_ == pytest.approx(fitted.objective_, abs=1e-12)
        assert model.certificate_.verify(X, y)
        assert np.array_equal(model.predict(X), fitted.predict(X))


def test_intervals_cover_all_penalties_without_gaps(veterans):
    path = regularization_path(*veterans, min_regularization=0.0005)
    lows, highs = zip(*(model.regularization_interval_ for model in path), strict=True)
    assert highs[0] == inf
    assert lows[-1] == 0.0005
    assert highs[1:] == lows[:-1]
    assert all(low < high for low, high in zip(lows, highs, strict=True))
    leaves = [model.n_leaves_ for model in path]
    assert leaves == sorted(set(leaves))
    assert leaves[0] == 1
    assert [path.at(low).n_leaves_ for low in lows] == leaves


def test_a_path_is_a_sequence_with_a_table_and_a_plot(veterans):
    path = regularization_path(*veterans, max_depth=2, min_regularization=0.001)
    assert len(path) == len(list(path)) > 2
    assert path[-1] is list(path)[-1]
    assert len(path[1:]) == len(path) - 1
    assert "trees with 1, 2" in repr(path)
    table = path.table()
    assert table["leaves"].to_list() == [model.n_leaves_ for model in path]
    assert table["loss"].is_sorted(descending=True)
    picture = path.plot()
    (line,) = picture.axes.lines
    assert line.get_xdata().tolist() == table["leaves"].to_list()
    assert line.get_ydata().tolist() == table["ibs_ratio"].to_list()
    assert path.plot(ax=picture.axes).axes is picture.axes


def test_a_notebook_shows_the_plot_of_a_path_and_its_rise(veterans):
    path = regularization_path(*veterans, max_depth=3, min_regularization=0.001)
    picture = path.plot()
    assert isinstance(picture, Picture)
    assert picture._repr_png_().startswith(b"\x89PNG")
    low, high = picture.axes.get_ylim()
    drawn = picture.axes.lines[0].get_ydata()
    assert max(drawn) - min(drawn) > 0.85 * (high - low)


def test_options_weights_and_buckets_reach_the_search(veterans):
    X, y = veterans
    weight = np.linspace(0.5, 2.0, len(X))
    options = {"max_depth": 2, "min_samples_leaf": 15, "time_buckets": 10, "thresholds": 3}
    path = regularization_path(X, y, weight, min_regularization=0.002, **options)
    for model in path:
        fitted = OptimalSurvivalTree(regularization=model.regularization, **options)
        fitted.fit(X, y, sample_weight=weight)
        assert model.objective_ == pytest.approx(fitted.objective_, abs=1e-12)
        assert model.exact_loss_ == pytest.approx(fitted.exact_loss_, abs=1e-12)
        assert model.get_params()["time_buckets"] == 10


def test_columns_of_one_frame(veterans):
    X, y = veterans
    frame = X.with_columns(died=y["event"], days=y["time"])
    path = regularization_path(
        frame, duration_col="days", event_col="died", max_depth=1, min_regularization=0.002
    )
    assert path[-1].n_leaves_ == 2
    assert pickle.loads(pickle.dumps(path))[-1].objective_ == path[-1].objective_


def test_a_path_without_a_penalty_has_every_useful_size():
    X, y = hard_problem(60, 3)
    path = regularization_path(X, y, max_depth=2, min_regularization=0.0, min_samples_leaf=1)
    assert path[-1].regularization_interval_[0] == 0.0
    assert path.at(0.0).tree_ is path[-1].tree_
    assert path.at(0.0).objective_ == path[-1].loss_


def test_a_model_of_a_path_is_for_the_penalty_that_was_asked_for(veterans):
    X, y = veterans
    path = regularization_path(X, y, max_depth=3, min_regularization=0.002)
    for model in path:
        low, high = model.regularization_interval_
        between = low * 1.25 if high == inf else (low + high) / 2
        for penalty in (low, between):
            asked, before = path.at(penalty), model.objective_
            assert asked.regularization == asked.get_params()["regularization"] == penalty
            assert asked.certificate_.regularization == penalty
            assert asked.objective_ == asked.loss_ + penalty * asked.n_leaves_
            assert asked.lower_bound_ == asked.objective_
            assert asked.certificate_.objective == asked.objective_
            assert asked.certificate_.verify(X, y)
            assert asked.tree_ is model.tree_
            assert asked.regularization_interval_ == (low, high)
            assert asked.feature_names_in_.tolist() == X.columns
            fitted = OptimalSurvivalTree(3, penalty).fit(X, y)
            assert asked.objective_ == pytest.approx(fitted.objective_, abs=1e-12)
            assert model.objective_ == before
    assert len(path.at(0.005).optimal_trees()) == 1


def test_a_model_file_of_a_path_says_the_penalty_that_was_asked_for(veterans, tmp_path):
    X, y = veterans
    model = regularization_path(X, y, max_depth=3, min_regularization=0.002).at(0.005)
    export_json(model, tmp_path / "model.json")
    same = load_model(tmp_path / "model.json")
    assert same.regularization == same.certificate_.regularization == 0.005
    assert same.objective_ == same.lower_bound_ == model.loss_ + 0.005 * model.n_leaves_
    assert same.certificate_.verify(X, y)


def test_the_command_lists_penalties_at_which_the_path_has_its_trees(veterans, tmp_path):
    X, y = veterans
    X.with_columns(died=y["event"], days=y["time"]).write_csv(tmp_path / "data.csv")
    options = ("--time", "days", "--event", "died", "--depth", 3, "--min-regularization", 0.002)
    found = json.loads(done("path", tmp_path / "data.csv", *options, "--json"))
    path = regularization_path(X, y, max_depth=3, min_regularization=0.002)
    for row in found["trees"]:
        model = path.at(row["regularization_from"])
        assert model.regularization == row["regularization_from"]
        assert (model.n_leaves_, model.loss_) == (row["leaves"], row["loss"])


def test_a_stopped_path_says_so():
    X, y = hard_problem(300, 30)
    with pytest.warns(SearchStoppedWarning, match="stopped by the node limit"):
        path = regularization_path(X, y, min_regularization=0.0005, node_limit=50)
    assert path.status_ == "node_limit"
    for model in path:
        assert model.status_ == "node_limit"
        assert model.lower_bound_ < model.objective_
        asked = path.at(model.regularization_interval_[0])
        assert asked.lower_bound_ < asked.objective_ < model.objective_
        assert asked.lower_bound_ == model.lower_bound_
    for limits in ({"time_limit": 0.05}, {"memory_limit": "1MB"}):
        with pytest.warns(SearchStoppedWarning):
            regularization_path(*hard_problem(), max_depth=6, min_regularization=1e-5, **limits)


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 6])
def test_max_leaves_is_kept(most, veterans):
    X, y = veterans
    model = OptimalSurvivalTree(3, 0.0005, max_leaves=most).fit(X, y)
    assert model.n_leaves_ <= most
    assert model.status_ == "optimal"
    assert model.certificate_.verify(X, y)
    fewer = OptimalSurvivalTree(3, 0.0005, max_leaves=max(1, most - 1)).fit(X, y)
    assert model.objective_ <= fewer.objective_ + 1e-12
    free = OptimalSurvivalTree(3, 0.0005).fit(X, y)
    assert free.objective_ <= model.objective_ + 1e-12


def test_enough_leaves_are_no_limit(veterans):
    free = OptimalSurvivalTree(3, 0.002).fit(*veterans)
    limited = OptimalSurvivalTree(3, 0.002, max_leaves=free.n_leaves_).fit(*veterans)
    assert limited.objective_ == pytest.approx(free.objective_, abs=1e-12)


def test_a_path_with_at_most_so_many_leaves(veterans):
    path = regularization_path(*veterans, max_depth=3, min_regularization=0.0005, max_leaves=4)
    assert max(model.n_leaves_ for model in path) <= 4
    for penalty in (0.0005, 0.001, 0.003, 0.01):
        chosen = path.at(penalty)
        limited = OptimalSurvivalTree(3, penalty, max_leaves=4).fit(*veterans)
        found = chosen.loss_ + penalty * chosen.n_leaves_
        assert found == pytest.approx(limited.objective_, abs=1e-12)


def test_a_limit_on_leaves_can_be_stopped_and_replayed(tmp_path, monkeypatch):
    monkeypatch.setenv("SURVTREE_REPLAY", str(tmp_path))
    X, y = hard_problem(300, 30)
    model = OptimalSurvivalTree(4, 0.0001, max_leaves=6, node_limit=40)
    with pytest.warns(SearchStoppedWarning, match="node limit"):
        model.fit(X, y)
    assert model.lower_bound_ < model.objective_
    (file,) = tmp_path.iterdir()
    assert read_replay(file).problem.max_leaves == 6


@pytest.mark.parametrize(
    "options",
    [
        {"reference": np.zeros(137)},
        {"upper_bound": 0.1},
        {"gap": 0.1},
        {"warm_start": True},
    ],
)
def test_what_a_limit_on_leaves_does_without(options, veterans):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} must be left at .* max_leaves is 3"):
        OptimalSurvivalTree(max_leaves=3, **options).fit(*veterans)


def rows_of_noise(n_rows=150, n_columns=5):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (n_rows, n_columns))
    return X, (rng.random(n_rows) < 0.7, rng.exponential(1.0, n_rows) + 0.01)


def test_a_limit_on_leaves_alone_has_no_penalty():
    X, y = rows_of_noise()
    four = OptimalSurvivalTree(teacher=None, max_leaves=4).fit(X, y)
    assert (four.n_leaves_, four.regularization_, four.status_) == (4, 0.0, "optimal")
    assert four.objective_ == four.loss_
    assert four.certificate_.verify(X, y)
    with_penalty = OptimalSurvivalTree(regularization=0.1, max_leaves=4).fit(X, y)
    assert (with_penalty.n_leaves_, with_penalty.regularization_) == (1, 0.1)


def test_a_limit_on_leaves_runs_in_threads_and_is_watched(veterans, caplog):
    caplog.set_level("INFO", logger="survtree")
    seen = []
    options = {"max_depth": 4, "regularization": 0.0005, "max_leaves": 6}
    one = OptimalSurvivalTree(**options).fit(*veterans)
    two = OptimalSurvivalTree(**options, n_jobs=2, verbose=1, callback=seen.append).fit(*veterans)
    assert two.certificate_.objective == one.certificate_.objective
    assert np.array_equal(two.tree_.question, one.tree_.question)
    top, names, *rows, end = [record.getMessage() for record in caplog.records]
    assert top.endswith("| regularization 0.0005  depth 4  at most 6 leaves | 2 threads")
    assert names == header()
    assert [row.rsplit("  ", 1)[1] for row in rows[:3]] == ["one leaf", "depth 1", "depth 2"]
    assert " 0.0 % | " in rows[-1]
    assert end.startswith("optimal: loss")
    assert seen == list(two.history_) or len(seen) > len(two.history_)
    assert two.history_[-1].gap == 0.0
    assert plot_gap(two).axes is not None


def test_a_path_runs_in_threads_and_is_watched(veterans, caplog):
    caplog.set_level("INFO", logger="survtree")
    options = {"max_depth": 4, "min_regularization": 0.0005}
    one = regularization_path(*veterans, **options)
    two = regularization_path(*veterans, **options, n_jobs=2, verbose=1)
    assert one.table().equals(two.table())
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.tree_.question, b.tree_.question)
    top, _, *rows, end = [record.getMessage() for record in caplog.records]
    assert top.endswith("| regularization 0.0005  depth 4 | 2 threads")
    assert len(rows) >= 4
    assert end == f"optimal: trees with {', '.join(str(m.n_leaves_) for m in one)} leaves"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_stops_a_path_and_it_keeps_what_it_has(n_jobs):
    def stop(snapshot):
        return snapshot.found_by == "depth 3" and snapshot.first_splits_done > 0

    X, y = hard_problem()
    with pytest.warns(SearchStoppedWarning, match="stopped by the callback"):
        path = regularization_path(
            X, y, max_depth=7, min_regularization=1e-4, callback=stop, n_jobs=n_jobs
        )
    assert path.status_ == "interrupted"
    assert path[-1].n_leaves_ > 4
    assert all(model.certificate_.verify(X, y) for model in path)
    losses = [model.loss_ for model in path]
    assert losses == sorted(losses, reverse=True)


def test_a_stopped_path_has_trees_of_the_depth_that_was_not_finished():
    X, y = hard_problem(400, 30)
    shallow = regularization_path(X, y, max_depth=2, min_regularization=1e-5)
    whole = regularization_path(X, y, max_depth=3, min_regularization=1e-5)
    nodes = whole[0].certificate_.counts["subsets_solved"]
    with pytest.warns(SearchStoppedWarning, match="node limit"):
        part = regularization_path(
            X, y, max_depth=3, min_regularization=1e-5, node_limit=nodes * 3 // 4
        )
    assert part[-1].depth_ == 3
    assert whole[-1].loss_ <= part[-1].loss_ < shallow[-1].loss_


def test_optimal_trees_need_a_fit_without_a_limit_on_leaves(veterans):
    model = OptimalSurvivalTree(2, max_leaves=3).fit(*veterans)
    with pytest.raises(ValueError, match="without a limit on leaves; max_leaves is 3"):
        model.optimal_trees()


def test_bad_penalties_and_options_are_told(veterans):
    path = regularization_path(*veterans, max_depth=1, min_regularization=0.01)
    with pytest.raises(ValueError, match=r"at least 0\.01, the smallest"):
        path.at(0.001)
    with pytest.raises(TypeError, match="regularization must be"):
        path.at("0.1")
    with pytest.raises(TypeError, match=r"got 'max_dept'\. Did you mean 'max_depth'"):
        regularization_path(*veterans, max_dept=3)
    with pytest.raises(ValueError, match=r"^min_regularization must be .*; got -1\.$"):
        regularization_path(*veterans, min_regularization=-1)
    with pytest.raises(TypeError, match=r"^min_regularization must be .*; got '0\.1'\.$"):
        regularization_path(*veterans, min_regularization="0.1")


def test_trees_of_too_many_leaves_are_refused_before_the_search(monkeypatch, veterans):
    monkeypatch.setattr("survtree._model.path.MOST_LEAVES", 10)
    with pytest.raises(ValueError, match="min_regularization must be"):
        regularization_path(*veterans, max_depth=4, min_regularization=0.0)
    path = regularization_path(*veterans, max_depth=4, min_regularization=0.01)
    assert path.status_ == "optimal"


def test_nothing_is_warned_about_a_path_that_is_complete(veterans):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regularization_path(*veterans, max_depth=2, min_regularization=0.005, time_limit=60)
