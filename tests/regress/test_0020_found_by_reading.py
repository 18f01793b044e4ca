"""What readers of the code found beside cases 17 to 19; each claim is one that did not hold."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, bootstrap, metrics, regularization_path
from survtree._model import near_importance, prepare
from survtree._scoring.curves import LeafCurve
from survtree._search import near_trees
from survtree._show import report_scores
from survtree._show.explore_facts import Scores, explore_facts
from survtree._show.explore_trees import TreePools
from survtree.datasets import load

X, y = load("veterans")
FOUR_VALUES = np.repeat([50.0, 60, 70, 80], 10)[:, np.newaxis]
FORTY_TIMES = np.ones(40, bool), np.where(FOUR_VALUES[:, 0] > 75, 1.0, 5.0) + np.arange(40) % 3 / 10


def interrupted(result):
    return near_trees.replace(result, status="interrupted")


def test_a_column_is_worth_the_same_on_the_page_and_in_the_table():
    """The set has one tree of those that divide the rows in the same way."""
    rng = np.random.default_rng(0)
    x, a = rng.integers(0, 2, (2, 400))
    b = np.where(x == 1, a, rng.integers(0, 2, 400))
    time = rng.exponential(np.exp(-1.5 * x - 2.0 * x * a)) + 0.01
    model = OptimalSurvivalTree(2, 0.001).fit(np.c_[x, a, b], (np.ones(400, bool), time))
    near = model.near_optimal(within=2.0)
    offered = {
        row["name"]: row for row in explore_facts(near, None, Scores([], [], 0, ""))["offered"]
    }
    for row in near.importance().to_dicts():
        on_page = offered[row["column"]]
        for kind in ("with", "without"):
            share = row[f"excess_{kind}"] / near.optimum
            assert on_page[kind]["excess"] == pytest.approx(share, abs=1e-9)
            assert on_page[kind]["is_proven"]


@pytest.mark.parametrize(("loss", "n_axes"), [("brier", 1), ("likelihood", 0)])
def test_the_loss_has_an_axis_only_where_the_ratio_is_a_share_of_it(loss, n_axes):
    path = regularization_path(X, y, max_depth=2, min_regularization=0.005, loss=loss)
    assert len(path.plot().axes.child_axes) == n_axes


def test_ctrl_c_ends_all_searches_of_the_importance(monkeypatch):
    near, calls = OptimalSurvivalTree(1, 0.005).fit(X, y).near_optimal(0.05), []
    best = near_trees.NearSearch.best

    def stopped(self, **options):
        calls.append(options)
        return interrupted(best(self, **options))

    monkeypatch.setattr(near_importance.NearSearch, "best", stopped)
    with pytest.raises(KeyboardInterrupt):
        near.importance()
    assert len(calls) == 1


def test_ctrl_c_ends_all_folds_of_a_report(monkeypatch):
    model = OptimalSurvivalTree(1, 0.005).fit(X, y)
    rows = prepare.cohort_of(prepare.reader_for(model, X), X, y)
    fitted = report_scores._refitted

    def stopped(*given):
        fit = fitted(*given)
        fit._is_interrupted = True
        return fit

    monkeypatch.setattr(report_scores, "_refitted", stopped)
    places = np.arange(len(rows))
    with pytest.raises(KeyboardInterrupt):
        report_scores._cross_validate(model, rows, [(places, places)] * 2, np.array([30.0]))


def test_a_streamed_fit_says_what_needs_its_rows(tmp_path):
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 2, 500) for name in ("a", "b", "event")}
    frame = pl.DataFrame(columns | {"time": rng.integers(1, 4, 500)})
    roles = {"duration_col": "time", "event_col": "event"}
    near = OptimalSurvivalTree(1, 0.0).fit(frame.lazy(), **roles).near_optimal(within=0.5)
    for ask in (near.stability, near.groups, lambda: near.table(cv=2)):
        with pytest.raises(ValueError, match="must be of a fit on rows in memory"):
            ask()
    near.report(tmp_path / "near.html")
    assert "a fit on a lazy frame" in (tmp_path / "near.html").read_text(encoding="utf-8")


def test_leaves_with_the_same_curve_but_other_counts_are_two():
    pools = TreePools()
    for n in (1, 2):
        curve = LeafCurve(n, n, np.array([5.0]), np.array([2.0]), np.array([0.0]))
        pools._leaf(curve, (str(n),))
    assert [curve.n_rows for curve in pools.curves.items] == [1, 2]


@pytest.mark.parametrize("thresholds", [[18, 40, 65], [61, 62, 63], ("width", 2)])
def test_every_cut_is_claimed_only_if_each_gap_is_cut(thresholds):
    some = OptimalSurvivalTree(1, 0.001, thresholds=thresholds).fit(FOUR_VALUES, FORTY_TIMES)
    assert "possible splits were searched" in some.screening_
    every = OptimalSurvivalTree(1, 0.001, thresholds=[55, 65, 75]).fit(FOUR_VALUES, FORTY_TIMES)
    assert every.screening_ == "Every cut was searched"


def test_a_lone_leaf_that_was_chosen_does_not_say_that_no_split_pays():
    near = OptimalSurvivalTree(1, 0.005).fit(X, y).near_optimal(within=0.5)
    asked = near.best(max_leaves=1).one_leaf_reason_
    assert asked == "One leaf, the best that was found of the trees that have at most 1 leaf."
    lone = [model.one_leaf_reason_ for model in near if model.n_leaves_ == 1]
    assert lone == ["One leaf, one of the trees that are nearly as good as the best."]


def test_the_order_of_rows_does_not_matter_with_competing_risks():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 2, 300) for name in "ab"})
    cause, time = rng.integers(0, 3, 300), rng.integers(1, 9, 300).astype(float)
    order = rng.permutation(300)
    first = OptimalSurvivalTree().fit(frame, (cause, time), cause=1)
    mixed = frame.iloc[order].reset_index(drop=True)
    second = OptimalSurvivalTree().fit(mixed, (cause[order], time[order]), cause=1)
    assert first.objective_ == pytest.approx(second.objective_, rel=1e-9)


def test_a_recipe_with_a_teacher_that_was_cut_short_cannot_be_repeated(monkeypatch):
    monkeypatch.setattr(prepare, "TEACHERS_SHARE", 0.0)
    with pytest.warns(UserWarning, match="another tree"):
        model = OptimalSurvivalTree(2, time_limit=3600).fit(X, y)
    assert not model.recipe_.is_repeatable


def test_numbers_beyond_single_precision_do_not_end_a_fit():
    rng = np.random.default_rng(0)
    column = rng.normal(size=60)
    column[3] = 8.98e307
    y = np.ones(60, bool), rng.exponential(size=60)
    assert OptimalSurvivalTree().fit(column[:, np.newaxis], y).status_ == "optimal"


def test_a_cox_teacher_does_without_the_other_causes():
    rng = np.random.default_rng(0)
    cause = np.where(rng.random(120) < 0.6, 1, 0)
    time = rng.exponential(size=120)
    cause[np.argsort(time)[10]] = 2  # the only one, long before the horizon
    frame = pd.DataFrame({"a": rng.normal(size=120), "b": rng.integers(0, 2, 120)})
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        OptimalSurvivalTree(teacher="cox").fit(frame, (cause, time), cause=1)


def test_a_lazy_column_may_have_any_name():
    frame = pl.DataFrame(
        {"len": ["short", "long"] * 20, "time": list(range(1, 41)), "event": [1, 1, 0, 1] * 10}
    )
    roles = {"duration_col": "time", "event_col": "event"}
    lazy = OptimalSurvivalTree(1, 0.0).fit(frame.lazy(), **roles)
    assert lazy.objective_ == OptimalSurvivalTree(1, 0.0).fit(frame, **roles).objective_
    renamed = frame.rename({"event": "len", "len": "event"})
    OptimalSurvivalTree(1, 0.0).fit(renamed.lazy(), duration_col="time", event_col="len")


def test_levels_that_read_as_flags_are_the_same_in_lazy_frames():
    rng = np.random.default_rng(0)
    words = rng.choice(["TRUE", "FALSE", "UNKNOWN"], 300)
    time = rng.exponential(np.where(words == "TRUE", 1.0, 10.0)) + 0.01
    frame = pl.DataFrame({"smoker": words, "time": time, "event": [1] * 300})
    roles = {"duration_col": "time", "event_col": "event"}
    model = OptimalSurvivalTree(1, 0.001).fit(frame, **roles)
    assert model.n_leaves_ == 2
    known = frame.filter(pl.col("smoker") != "UNKNOWN")
    flags = known.with_columns(smoker=pl.col("smoker") == "TRUE")
    assert model.score(flags) == model.score(known) == model.score(flags.lazy())
    assert metrics.harrell_c(flags, model) == metrics.harrell_c(known, model)


def test_a_text_that_a_sample_does_not_have_is_no_number():
    rng = np.random.default_rng(0)
    table = np.empty((60, 2), object)
    table[:, 0] = rng.normal(size=60)
    table[7, 1] = "stopped"
    y = rng.random(60) < 0.7, rng.exponential(size=60)
    tree = OptimalSurvivalTree(1, 0.01, missing="question")
    assert bootstrap(tree, table, y, n_bootstraps=8).n_bootstraps == 8
