"""Confidence limits, means, hazard ratios and the log-rank test, against other programs."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, leaf_table
from survtree._data.table import EventTable
from survtree._scoring.compare_curves import hazard_ratios, log_rank
from survtree._scoring.curves import leaf_curves
from survtree._show.leaf_facts import common_end, leaf_facts
from survtree.datasets import load


def random_leaves(seed, n_leaves=3, n=80):
    """An outcome with ties whose leaves differ, and the leaf of each row."""
    rng = np.random.default_rng(seed)
    leaf_of_row = rng.integers(0, n_leaves, n)
    time = np.ceil(rng.exponential(5.0 + 3 * leaf_of_row))
    events = EventTable(rng.random(n) < 0.7, time, np.ones(n))
    return events, leaf_of_row, leaf_curves(events, leaf_of_row, n_leaves)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_band_is_that_of_scikit_survival(seed, confidence):
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    events, leaf_of_row, curves = random_leaves(seed)
    for leaf, curve in enumerate(curves):
        rows = leaf_of_row == leaf
        times, survival, (low, high) = nonparametric.kaplan_meier_estimator(
            events.event[rows],
            events.time[rows],
            conf_level=confidence,
            conf_type="log-log",
        )
        mine = curve.band(confidence)
        is_told = (survival > 0) & (survival < 1)
        assert curve.survival(times) == pytest.approx(survival)
        assert mine[0](times)[is_told] == pytest.approx(low[is_told])
        assert mine[1](times)[is_told] == pytest.approx(high[is_told])


@pytest.mark.parametrize("seed", range(30))
def test_the_log_rank_test_is_that_of_scikit_survival(seed):
    compare = pytest.importorskip("sksurv.compare")
    events, leaf_of_row, curves = random_leaves(seed, n_leaves=2 + seed % 4)
    y = np.array(list(zip(events.event, events.time, strict=True)), dtype=[("e", "?"), ("t", "f8")])
    statistic, p = compare.compare_survival(y, leaf_of_row)
    mine = log_rank(curves)
    assert mine.statistic == pytest.approx(statistic)
    assert mine.p == pytest.approx(p)
    assert mine.degrees == len(curves) - 1


@pytest.mark.parametrize("seed", range(30))
def test_hazard_ratios_are_those_of_scikit_survival(seed, monkeypatch):
    linear_model = pytest.importorskip("sksurv.linear_model")
    events, leaf_of_row, curves = random_leaves(seed, n_leaves=2 + seed % 4)
    y = np.array(list(zip(events.event, events.time, strict=True)), dtype=[("e", "?"), ("t", "f8")])
    reference = seed % len(curves)
    others = [leaf for leaf in range(len(curves)) if leaf != reference]
    X = np.stack([leaf_of_row == leaf for leaf in others], axis=1).astype(float)
    cox = linear_model.CoxPHSurvivalAnalysis(ties="efron", tol=1e-12).fit(X, y)
    for cells in (2**20, 7):
        monkeypatch.setattr("survtree._scoring.compare_curves.MOST_CELLS", cells)
        ratios = hazard_ratios(curves, reference)
        assert ratios[reference] == (1.0, 1.0, 1.0)
        assert [ratios[k].value for k in others] == pytest.approx(np.exp(cox.coef_), rel=1e-6)


def test_figures_are_those_of_r():
    # R 4.2.2, survival 3.5-3, veteran: coxph(Surv(time, status) ~ factor(celltype, levels =
    # c("large", "squamous", "smallcell", "adeno"))), survdiff, survfit(conf.type = "log-log"),
    # print(..., rmean = 300).
    X, y = load("veterans")
    kinds = ["large", "squamous", "smallcell", "adeno"]
    leaf_of_row = np.array([kinds.index(kind) for kind in X["Celltype"]])
    events = EventTable(y["event"], y["time"].astype(float), np.ones(len(y)))
    curves = leaf_curves(events, leaf_of_row, 4)
    expected = [
        (0.79441799, 0.46133543, 1.3679850),
        (2.16215988, 1.31785531, 3.5473814),
        (2.50319401, 1.42355390, 4.4016459),
    ]
    assert np.array(hazard_ratios(curves, 0)[1:]) == pytest.approx(np.array(expected), rel=1e-7)
    assert log_rank(curves) == pytest.approx((25.4037, 3, 1.2712459e-05), rel=1e-6)
    medians = [curve.quantile_with_limits() for curve in curves]
    assert medians == [(156, 100, 216), (118, 44, 242), (51, 24, 61), (51, 24, 90)]
    survival = np.array([curve.survival_at(100) for curve in curves])
    assert survival[0] == pytest.approx([0.703703704, 0.494023564, 0.839367310])
    assert survival[3] == pytest.approx([0.205761317, 0.077077184, 0.377073417])
    assert [curve.at_risk(100) for curve in curves] == [20, 20, 10, 5]
    means = [curve.restricted_mean(300) for curve in curves]
    assert [mean.value for mean in means] == pytest.approx(
        [155.238683, 154.035589, 73.831919, 65.555556]
    )
    errors = [18.0742894, 20.2881142, 12.1247302, 9.9302859]
    assert [(mean.high - mean.value) / 1.959964 for mean in means] == pytest.approx(errors)


def test_weights_count_rows():
    events, leaf_of_row, _ = random_leaves(3)
    weight = np.random.default_rng(0).integers(1, 4, len(events))
    weighted = EventTable(events.event, events.time, weight.astype(float))
    repeated = events.take(np.repeat(np.arange(len(events)), weight))
    mine = leaf_curves(weighted, leaf_of_row, 3)
    theirs = leaf_curves(repeated, np.repeat(leaf_of_row, weight), 3)
    assert log_rank(mine) == pytest.approx(log_rank(theirs))
    assert np.array(hazard_ratios(mine, 0)) == pytest.approx(np.array(hazard_ratios(theirs, 0)))
    for one, other in zip(mine, theirs, strict=True):
        assert one.quantile_with_limits() == other.quantile_with_limits()
        assert one.restricted_mean(9.5) == pytest.approx(other.restricted_mean(9.5))
        assert one.at_risk([0, 3, 99]).tolist() == other.at_risk([0, 3, 99]).tolist()


def test_the_restricted_mean_is_the_area_under_the_curve():
    for seed in range(20):
        for curve in random_leaves(seed)[2]:
            for until in (0.5, 7.0, 7.3, 100.0):
                grid = np.linspace(0, until, 200_001)
                area = curve.survival((grid[1:] + grid[:-1]) / 2).mean() * until
                mean = curve.restricted_mean(until)
                assert mean.value == pytest.approx(area, abs=1e-3)
                assert mean.low <= mean.value <= mean.high <= until


def test_leaves_that_cannot_be_compared_say_so():
    event = np.array([1, 1, 1, 0, 0, 1, 1, 1], dtype=bool)
    time = np.array([1, 2, 3, 9, 9, 5, 6, 7], dtype=float)
    curves = leaf_curves(EventTable(event, time, np.ones(8)), np.array([0, 0, 0, 1, 1, 2, 2, 2]), 3)
    early, none, late = hazard_ratios(curves, 2)
    assert none.value == 0
    assert np.isnan([none.low, none.high, *early]).all()
    assert late == (1, 1, 1)
    assert np.isnan(np.array(hazard_ratios(curves, 1))).all()


def test_a_curve_that_ends_at_0_has_limits_to_its_end():
    curve = leaf_curves(
        EventTable(np.ones(4, bool), np.arange(1.0, 5), np.ones(4)), np.zeros(4, int), 1
    )[0]
    low, high = curve.band()
    assert low.y[-1] == 0
    assert high.y[-1] == high.y[-2] < 1
    alone = leaf_curves(EventTable(np.ones(1, bool), np.ones(1), np.ones(1)), np.zeros(1, int), 1)[
        0
    ]
    assert alone.survival_at(1.0) == (0.0, 0.0, 1.0)
    assert alone.quantile_with_limits() == (1.0, 1.0, np.inf)


def test_a_table_in_each_library():
    model = OptimalSurvivalTree(2, 0.001).fit(*load("veterans"))
    polars = leaf_table(model, [90, 180])
    assert polars["leaf"].to_list() == list(model.groups_.values())
    assert polars["group"].to_list() == [1, 2, 3, 4]
    assert polars["rows"].sum() == 137
    assert polars["share"].sum() == pytest.approx(1)
    for backend in ("pandas", "pyarrow"):
        table = leaf_table(model, [90, 180], backend=backend)
        assert type(table).__module__.startswith(backend)
        assert list(table["survival_90_low"].to_numpy()) == polars["survival_90_low"].to_list()


def test_a_lone_leaf_has_facts():
    model = OptimalSurvivalTree(0).fit(*load("veterans"))
    facts = leaf_facts(model)
    assert facts.leaves[0].where == ()
    assert facts.leaves[0].hazard_ratio == (1, 1, 1)
    assert facts.log_rank == (0, 0, 1)
    assert leaf_table(model)["where"].to_list() == ["all rows"]


def test_the_restricted_mean_ends_where_every_leaf_is_known():
    time = np.array([1, 2, 3, 9, 5, 6], dtype=float)
    event = np.array([1, 1, 1, 1, 1, 0], dtype=bool)
    events = EventTable(event, time, np.ones(6))
    assert common_end(leaf_curves(events, np.array([0, 0, 0, 0, 1, 1]), 2)) == 6
    assert common_end(leaf_curves(events, np.array([0, 0, 0, 1, 1, 1]), 2)) == 9


def test_times_that_differ_little_have_columns_of_their_own():
    model = OptimalSurvivalTree(1).fit(*load("veterans"))
    columns = leaf_table(model, [100.0, 100.0000001]).columns
    assert {"survival_100", "survival_100.0000001"} <= set(columns)
