"""Competing risks: reading of causes, curves beside R's, predictions, metrics, files and views."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    check_proof,
    curve_table,
    export_json,
    export_python,
    export_text,
    leaf_table,
    load,
    metrics,
    plot_curves,
    plot_tree,
    regularization_path,
)
from survtree._data.causes import Causes, label_of_cause, with_cause
from survtree._data.read_events import read_events
from survtree._data.table import EventTable
from survtree._scoring.curves import leaf_curves, one_curve, outcome_of
from survtree._scoring.losses import LossByDefinition
from survtree._scoring.teachers import pseudo_observations
from survtree._search.read_replay import read_replay
from survtree._search.replay import save
from survtree._search.solve import SearchSettings
from tests.support.problems import incidence_case

SIX = (np.array([1, 0, 1, 2, 2, 0]), np.array([1.0, 2, 3, 3, 5, 6]))


def six(target: int) -> EventTable:
    """The rows of the worked numbers."""
    codes = SIX[0].astype(np.uint8)
    return EventTable(codes == target, SIX[1], np.ones(6), codes, Causes(("1", "2"), target))


def made_up(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Columns, of which the first two matter for one cause each; causes 0, 1, 2; times."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.integers(0, 3, n)})
    by_cause = [rng.exponential(np.exp(-1.2 * (X[name] > 0))) for name in ("a", "b")]
    free = np.minimum(rng.exponential(1.5, n), 0.8)
    ends = np.array([free, *by_cause])
    return X, ends.argmin(axis=0), np.ceil(10 * ends.min(axis=0))


X, CAUSE, TIME = made_up()
Y = (CAUSE, TIME)
OPTIONS = {"max_depth": 2, "regularization": 0.002, "thresholds": 4}


@pytest.fixture(scope="module")
def model():
    return OptimalSurvivalTree(**OPTIONS, certificate="full").fit(X, Y, cause=1)


# Worked numbers: an independent reading of the definition.


@pytest.mark.parametrize(
    ("target", "rows", "loss"),
    [
        (1, [1, 1, 1, 1, 1, 1], 0.163483796296),
        (1, [1, 1, 0, 1, 0, 0], 0.083333333333),
        (1, [0, 0, 1, 0, 1, 1], 0.069444444444),
        (2, [1, 1, 1, 1, 1, 1], 0.095486111111),
    ],
)
def test_losses_worked_out_by_hand(target, rows, loss):
    found = LossByDefinition.of(six(target)).leaf_loss(np.array(rows, bool))
    assert found == pytest.approx(loss, abs=1e-9)


def test_a_lone_leaf_has_the_worked_loss_and_incidence():
    lone = OptimalSurvivalTree(max_depth=0, regularization=0, min_samples_leaf=1)
    lone.fit(np.arange(6.0).reshape(-1, 1), SIX, cause=1)
    assert lone.loss_ == pytest.approx(0.163483796296, abs=1e-9)
    found = lone.predict_cumulative_incidence([[0.0]], times=[1, 2, 3, 5, 6], return_array=True)
    assert found[0] == pytest.approx([1 / 6, 1 / 6, 0.375, 0.375, 0.375], abs=1e-12)


# survival::survfit(Surv(time, factor(cause)) ~ 1, conf.type = "log-log"), R 4.2.2, survival 3.5.3;
# benchmarks/competing_risks compares whole data sets.
R_TIME = [1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9]
R_CAUSE = [1, 0, 2, 1, 2, 0, 1, 2, 2, 0, 1, 1, 0, 2]
R_FOUND = {
    1: {
        "incidence": [
            *[0.0714285714285714] * 2,
            0.149350649350649,
            *[0.237012987012987] * 3,
            *[0.456168831168831] * 3,
        ],
        "error": [
            *[0.0688302936899594] * 2,
            0.0976454497658946,
            *[0.120547169091576] * 3,
            *[0.152247551121151] * 3,
        ],
        "low": {1: 0.00452431476295281, 3: 0.0239812449114168, 7: 0.164282024140044},
        "high": {1: 0.275228432740132, 3: 0.379390528185586, 7: 0.710999182894404},
    },
    2: {
        "incidence": [
            0,
            0.0714285714285714,
            *[0.149350649350649] * 2,
            *[0.324675324675325] * 4,
            0.543831168831169,
        ],
        "error": [
            0,
            0.0688302936899594,
            *[0.0976454497658946] * 2,
            *[0.134539569544214] * 4,
            0.152247551121151,
        ],
        "low": {2: 0.00452431476295282, 5: 0.0987003491012933, 9: 0.223263816457561},
        "high": {2: 0.275228432740132, 5: 0.578984000265967, 9: 0.780791338570429},
    },
}


@pytest.mark.parametrize("target", [1, 2])
def test_curves_errors_and_limits_are_those_of_r(target):
    codes, time = np.array(R_CAUSE, np.uint8), np.array(R_TIME, float)
    events = EventTable(codes == target, time, np.ones(14), codes, Causes(("1", "2"), target))
    curve = leaf_curves(events, np.zeros(14, int), 1)[0]
    for cause, wanted in R_FOUND.items():
        at = np.unique(time)
        assert curve.incidence(cause)(at) == pytest.approx(wanted["incidence"], abs=1e-12)
        assert curve.standard_error(cause) == pytest.approx(wanted["error"], abs=1e-12)
        low, high = curve.incidence_band(cause)
        assert low(list(wanted["low"])) == pytest.approx(list(wanted["low"].values()), abs=1e-12)
        assert high(list(wanted["high"])) == pytest.approx(list(wanted["high"].values()), abs=1e-12)
    sums = curve.event_free(time) + curve.incidence(1)(time) + curve.incidence(2)(time)
    assert sums == pytest.approx(np.ones(14), abs=1e-12)


def test_weights_count_copies_in_curves_errors_and_restricted_means():
    rng = np.random.default_rng(1)
    codes, time = rng.integers(0, 3, 40).astype(np.uint8), rng.integers(1, 12, 40).astype(float)
    weight = rng.integers(1, 4, 40)
    causes = Causes(("1", "2"), 1)
    weighted = EventTable(codes == 1, time, weight.astype(float), codes, causes)
    many = np.repeat(np.arange(40), weight)
    copies = EventTable(codes[many] == 1, time[many], np.ones(len(many)), codes[many], causes)
    one, other = (leaf_curves(each, np.zeros(len(each), int), 1)[0] for each in (weighted, copies))
    assert one.standard_error(1) == pytest.approx(other.standard_error(1))
    assert one.restricted_mean(9.0) == pytest.approx(other.restricted_mean(9.0))


def test_the_restricted_mean_has_the_variance_of_its_influences():
    rng = np.random.default_rng(2)
    codes, time = rng.integers(0, 3, 60).astype(np.uint8), rng.integers(1, 15, 60).astype(float)
    causes = Causes(("1", "2"), 1)

    def mean(weight):
        table = EventTable(codes == 1, time, weight, codes, causes)
        return leaf_curves(table, np.zeros(60, int), 1)[0].restricted_mean(10.0)

    step, squares = 1e-5, 0.0
    for row in range(60):
        moved = np.ones(60)
        moved[row] += step
        squares += ((mean(moved).value - mean(np.ones(60)).value) / step) ** 2
    found = mean(np.ones(60))
    half = 1.959963984540054 * np.sqrt(squares)
    assert found.high - found.value == pytest.approx(half, rel=1e-3)


# Reading of causes.


def test_codes_above_1_need_a_cause_and_the_error_says_how():
    with pytest.raises(ValueError, match=r"0, 1, 2 are competing causes .* cause=1"):
        OptimalSurvivalTree().fit(X, Y)


def test_text_names_the_cause():
    words = np.array(["censored", "relapse", "death"])[CAUSE]
    with pytest.raises(ValueError, match="cause='death'"):
        OptimalSurvivalTree().fit(X, (words, TIME))
    by_name = OptimalSurvivalTree(**OPTIONS).fit(X, (words, TIME), cause="relapse")
    by_code = OptimalSurvivalTree(**OPTIONS).fit(X, Y, cause=1)
    assert by_name.causes_ == Causes(("death", "relapse"), 2, "censored")
    assert by_name.objective_ == by_code.objective_
    assert (by_name.predict(X) == by_code.predict(X)).all()


@pytest.mark.parametrize("kind", ["frame", "polars", "structured", "category", "columns"])
def test_causes_come_in_every_form(kind):
    wanted = OptimalSurvivalTree(**OPTIONS).fit(X, Y, cause=2).objective_
    options, rows = {}, X
    if kind == "frame":
        y = pd.DataFrame({"time": TIME + 0.5, "status": CAUSE})
        wanted = OptimalSurvivalTree(**OPTIONS).fit(X, (CAUSE, TIME + 0.5), cause=2).objective_
    elif kind == "polars":
        rows, y = pl.from_pandas(X), (pl.Series(CAUSE), pl.Series(TIME))
    elif kind == "structured":
        kinds = [("cause", "i4"), ("time", "f8")]
        y = np.array(list(zip(CAUSE, TIME + 0.5, strict=True)), dtype=kinds)
        wanted = OptimalSurvivalTree(**OPTIONS).fit(X, (CAUSE, TIME + 0.5), cause=2).objective_
    elif kind == "category":
        y = (pd.Categorical.from_codes(CAUSE, ["alive", "a", "b"]), TIME)
        y = (pd.Series(y[0]), pd.Series(TIME))
    else:
        rows, y = X.assign(time=TIME, status=CAUSE), None
        options = {"duration_col": "time", "event_col": "status"}
    cause = "b" if kind == "category" else 2
    found = OptimalSurvivalTree(**OPTIONS).fit(rows, y, cause=cause, **options)
    assert found.objective_ == wanted
    assert found.score(rows, y) == OptimalSurvivalTree(**OPTIONS).fit(X, Y, cause=2).score(X, Y)


def test_columns_that_could_both_be_causes_must_come_as_a_pair():
    y = pd.DataFrame({"time": TIME, "status": CAUSE})
    with pytest.raises(ValueError, match="must be a pair"):
        OptimalSurvivalTree().fit(X, y, cause=1)


def test_the_censored_label_may_be_named():
    words = np.array(["unknown", "relapse", "death"])[CAUSE]
    with pytest.raises(ValueError, match="censored must name the label"):
        OptimalSurvivalTree().fit(X, (words, TIME), cause="relapse")
    found = OptimalSurvivalTree(**OPTIONS).fit(
        X, (words, TIME), cause="relapse", censored="unknown"
    )
    assert found.objective_ == OptimalSurvivalTree(**OPTIONS).fit(X, Y, cause=1).objective_


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (Y, {"cause": 3}, "cause must be one of those in y, '1', '2'"),
        (Y, {"censored": 0}, "cause must come with censored"),
        ((CAUSE + 0.5, TIME), {"cause": 1}, "Are event and time swapped?"),
        ((CAUSE - 1, TIME), {"cause": 1}, "has -1"),
        ((np.where(CAUSE == 0, np.nan, CAUSE), TIME), {"cause": 1}, "a missing value"),
        ((np.arange(300), TIME), {"cause": 1}, "at most 20 of them"),
        ((CAUSE[:-1], TIME), {"cause": 1}, "must have the same length"),
    ],
)
def test_odd_causes_are_refused(y, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        OptimalSurvivalTree().fit(X, y, **options)


def test_codes_of_many_digits_are_told_apart():
    large = np.array([0, 1234567, 1234568])[CAUSE]
    model = OptimalSurvivalTree(**OPTIONS).fit(X, (large, TIME), cause=1234567)
    assert model.causes_.names == ("1234567", "1234568")
    assert model.objective_ == OptimalSurvivalTree(**OPTIONS).fit(X, Y, cause=1).objective_
    curves = model.predict_cumulative_incidence(X, cause=1234568, return_array=True)
    other = model.predict_cumulative_incidence(X, return_array=True)
    assert not np.array_equal(curves, other)


def test_a_number_that_is_no_code_is_not_rounded_to_one():
    assert [label_of_cause(value) for value in (1.5, 2.0, 10**15, True)] == [
        *("1.5", "2", "1000000000000000", "1"),
    ]


def test_new_rows_must_have_causes_of_the_fit(model):
    with pytest.raises(ValueError, match="must hold the causes of the fit, '1', '2'"):
        model.score(X, (np.where(CAUSE == 2, 7, CAUSE), TIME))


def test_a_fold_may_lack_a_cause(model):
    rows = np.flatnonzero(CAUSE != 2)
    score = metrics.ibs_ratio((CAUSE[rows], TIME[rows]), model, X=X.iloc[rows])
    assert np.isfinite(score)


# One cause: to the last bit what it was.


def test_one_cause_is_the_tree_of_flags_to_the_last_bit():
    flags = CAUSE == 1
    plain = OptimalSurvivalTree(**OPTIONS).fit(X, (flags, TIME))
    named = OptimalSurvivalTree(**OPTIONS).fit(X, (np.where(flags, 4, 0), TIME), cause=4)
    assert named.causes_ is None
    codes = np.where(flags, 4, 0)
    assert named.score(X, (codes, TIME)) == plain.score(X, (flags, TIME))
    assert named.certificate_.verify(X, (codes, TIME))
    assert named.certificate_.loss_kind == "brier"
    assert named.certificate_.fingerprint == plain.certificate_.fingerprint
    assert export_text(named) == export_text(plain)
    assert (named.predict(X) == plain.predict(X)).all()
    incidence = plain.predict_cumulative_incidence(X, return_array=True)
    assert (incidence == 1 - plain.predict_survival_function(X, return_array=True)).all()
    with pytest.raises(ValueError, match="fitted to one cause"):
        plain.predict_cumulative_incidence(X, cause=2)


def test_other_causes_are_not_censored():
    """Counted as censored they would change G, and with it the loss."""
    both = OptimalSurvivalTree(max_depth=0, regularization=0).fit(X, Y, cause=1)
    flags = OptimalSurvivalTree(max_depth=0, regularization=0).fit(X, (CAUSE == 1, TIME))
    assert both.certificate_.loss_kind == "incidence"
    assert both.loss_ != pytest.approx(flags.loss_, rel=1e-3)


# Predictions.


@pytest.mark.parametrize("shrinkage", [0.0, 40.0])
def test_incidences_and_event_free_survival_add_up_to_one(shrinkage):
    found = OptimalSurvivalTree(**OPTIONS, shrinkage=shrinkage).fit(X, Y, cause=1)
    times = np.unique(TIME)
    parts = [
        found.predict_cumulative_incidence(X, cause=cause, times=times, return_array=True)
        for cause in (1, 2)
    ]
    free = found.predict_survival_function(X, times=times, return_array=True)
    assert parts[0] + parts[1] + free == pytest.approx(np.ones_like(free), abs=1e-12)
    assert (np.diff(parts[0], axis=1) >= 0).all()
    default = found.predict_cumulative_incidence(X, times=times, return_array=True)
    assert (default == parts[0]).all()


def test_the_risk_is_the_time_that_the_cause_takes_away(model):
    last = model.event_times_[-1]
    incidence = model.predict_cumulative_incidence(X)
    area = [f.y[f.x < last] @ np.diff(np.append(f.x[f.x < last], last)) for f in incidence]
    assert model.predict(X) == pytest.approx(area)
    share = model.predict_quantile(X, 0.2)
    for time, function in zip(share[:20], incidence[:20], strict=True):
        assert np.isinf(time) or function(time) >= 0.2 - 1e-12


def test_an_unknown_cause_is_refused(model):
    with pytest.raises(ValueError, match="cause must be one of those of the fit, '1', '2'; got 9"):
        model.predict_cumulative_incidence(X, cause=9)


# Metrics, from their definitions, row by row.


def slow_scores(y, curves, tau=np.inf):
    """Brier score at a time, C with and without weights, and AUC at a time, by pairs of rows."""
    cause, time = y
    n, at = len(time), float(np.median(time))
    g = one_curve(EventTable(cause == 0, time, np.ones(n)))
    last = g.y[g.y > 0][-1] if (g.y > 0).any() else 1.0
    weight = [1 / (value if value > 0 else last) for value in g(time)]
    s = np.array([curve(at) for curve in curves])
    brier = 0.0
    for i in range(n):
        if time[i] > at:
            brier += (1 - s[i]) ** 2 / float(g(at))
        elif cause[i] == 1:
            brier += s[i] ** 2 * weight[i]
        elif cause[i] == 2:
            brier += (1 - s[i]) ** 2 * weight[i]
    counts = {"harrell": [0.0, 0.0], "uno": [0.0, 0.0], "auc": [0.0, 0.0]}
    for i in np.flatnonzero(cause == 1):
        for j in range(n):
            if time[j] > time[i] or (cause[j] == 2 and time[j] <= time[i]):
                mine, other = curves[i](time[i]), curves[j](time[i])
                right = 1.0 * (mine < other) + 0.5 * (mine == other)
                is_later = time[j] > time[i]
                uno = weight[i] * (weight[i] if is_later else weight[j])
                for name, each in (("harrell", 1.0), ("uno", uno)):
                    counts[name][0] += each * right
                    counts[name][1] += each
            if time[i] <= at and (time[j] > at or (cause[j] == 2 and time[j] <= at)):
                each = weight[i] * (1 / float(g(at)) if time[j] > at else weight[j])
                counts["auc"][0] += each * (1.0 * (s[i] < s[j]) + 0.5 * (s[i] == s[j]))
                counts["auc"][1] += each
    return at, brier / n, {name: a / b for name, (a, b) in counts.items()}


def test_metrics_are_those_of_their_definitions(model):
    rows = np.arange(0, 300, 4)
    y, X_some = (CAUSE[rows], TIME[rows]), X.iloc[rows]
    curves = [f.reversed() for f in model.predict_cumulative_incidence(X_some)]
    at, brier, slow = slow_scores(y, curves)
    assert metrics.brier_score(y, model, [at], X=X_some) == pytest.approx([brier])
    assert metrics.harrell_c(y, model, X=X_some) == pytest.approx(slow["harrell"])
    assert metrics.uno_c(y, model, X=X_some) == pytest.approx(slow["uno"])
    found = metrics.cumulative_dynamic_auc(y, model, [at], X=X_some)
    assert found.auc == pytest.approx([slow["auc"]])


def slow_risk_c(y, risk, inverse):
    """Harrell's (inverse 1) or Uno's index of risks, by pairs."""
    cause, time = y
    right = pairs = 0.0
    for i in np.flatnonzero(cause == 1):
        for j in range(len(time)):
            is_later = time[j] > time[i] or (time[j] == time[i] and cause[j] != 1)
            if not is_later and not (cause[j] == 2 and time[j] < time[i]):
                continue
            weight = inverse[i] * (inverse[i] if is_later else inverse[j])
            right += weight * (1.0 * (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
            pairs += weight
    return right / pairs


def test_concordance_of_risks_counts_earlier_rows_of_other_causes(model):
    risk = model.predict(X)
    assert model.score(X, Y) == pytest.approx(slow_risk_c(Y, risk, np.ones(300)))
    y = with_cause(Y, 1)
    assert metrics.harrell_c_of_risk(y, risk) == pytest.approx(model.score(X, Y))
    events = read_events(y).table(np.ones(300))
    g = LossByDefinition.of(events)
    inverse = g.inverse_g[events.when]
    inverse[inverse == 0] = g.inverse_g[g.inverse_g > 0][-1]
    assert metrics.uno_c_of_risk(y, risk) == pytest.approx(slow_risk_c(Y, risk, inverse))


def test_the_loss_of_a_tree_is_its_integrated_score(model):
    assert metrics.integrated_brier_score(Y, model, X=X) == pytest.approx(model.loss_, rel=1e-12)
    assert metrics.ibs_ratio(Y, model, X=X) == pytest.approx(model.ibs_ratio_, rel=1e-9)


def test_the_likelihood_of_competing_risks_is_refused(model):
    with pytest.raises(ValueError, match="log_likelihood must be given an outcome with one cause"):
        metrics.log_likelihood(Y, model, X=X)


# Files, proofs and other ways to fit.


def test_a_model_file_keeps_everything(model, tmp_path):
    export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert same.causes_ == model.causes_
    assert export_json(same) == export_json(model)
    for cause in (1, 2):
        one, other = (
            each.predict_cumulative_incidence(X, cause=cause, return_array=True)
            for each in (model, same)
        )
        assert (one == other).all()
    assert same.certificate_.verify(X, Y)
    assert not same.certificate_.verify(X, (np.where(CAUSE == 2, 0, CAUSE), TIME))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.pop("causes"), "by_cause must be of 0 causes"),
        (lambda f: f["causes"].update(target=3), "causes.target must be the number of one"),
        (lambda f: f["causes"].update(names=["1", "1"]), "causes.names must be two or more"),
        (lambda f: f["leaves"][0]["by_cause"].pop(), "by_cause must be of 2 causes"),
        (lambda f: f["leaves"][0]["by_cause"][0].pop(), "a weight at each time"),
        (lambda f: f["causes"].update(target=2), "events must be those of the target"),
        (lambda f: f["leaves"][0]["n_rows_by_cause"].__setitem__(0, 1), "n_rows_by_cause must"),
    ],
)
def test_damaged_causes_in_a_model_file_are_refused(model, tmp_path, change, message):
    content = json.loads(export_json(model))
    change(content)
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=re.escape(message)):
        load(tmp_path / "model.json")


def test_the_proof_is_accepted_and_a_changed_cause_is_not(model, tmp_path):
    model.certificate_.write_proof(tmp_path / "proof")
    verdict = check_proof(tmp_path / "proof")
    assert verdict
    assert "of the incidence of one of several causes" in str(verdict)


def test_a_replay_file_keeps_the_causes(model, tmp_path):
    problem = model._state.problem
    again = read_replay(save(problem, SearchSettings(), tmp_path)).problem
    assert again.is_same(problem)
    assert again.fingerprint() == problem.fingerprint()
    assert again.loss_kind == "incidence"


@pytest.mark.slow
def test_path_cross_validation_and_near_optimal_trees_know_the_cause(model):
    path = regularization_path(X, Y, cause=1, max_depth=2, thresholds=4, min_regularization=0.002)
    assert path.at(0.002).objective_ == pytest.approx(model.objective_)
    tuned = OptimalSurvivalTreeCV(max_depths=[1, 2], cv=3, thresholds=4).fit(X, Y, cause=1)
    assert tuned.causes_.target_name == "1"
    assert np.isfinite(tuned.best_score_)
    near = model.near_optimal(within=0.05)
    assert near[0].objective_ == pytest.approx(model.objective_)
    assert all(each.causes_ == model.causes_ for each in near[:5])
    with pytest.raises(ValueError, match="trees with one cause"):
        near.report("page.html")


def test_a_second_fit_forgets_the_causes():
    estimator = OptimalSurvivalTree(**OPTIONS).fit(X, Y, cause=1)
    estimator.fit(X, (CAUSE == 1, TIME))
    assert estimator.causes_ is None


# Teachers.


def test_pseudo_observations_are_those_of_leaving_rows_out():
    n_checked = 0
    for seed in range(60):
        events = incidence_case(seed).problem.events
        if (events.weight != 1).any():
            continue
        times, n = np.unique(events.time), len(events)
        slow = [
            n * one_curve(events)(times)
            - (n - 1) * one_curve(events.take(np.arange(n) != row))(times)
            for row in range(n)
        ]
        assert pseudo_observations(events, times) == pytest.approx(np.array(slow), abs=1e-9)
        n_checked += 1
    assert n_checked > 10


@pytest.mark.parametrize("teacher", ["forest", "cox"])
def test_teachers_know_the_cause(teacher):
    """Column a matters for cause 1, b for cause 2 alone: a tree about a cause splits on its own."""
    for cause, column in ((1, "a"), (2, "b")):
        found = OptimalSurvivalTree(max_depth=1, teacher=teacher).fit(X, Y, cause=cause)
        assert found.certificate_.loss_kind == "teacher"
        assert found.questions_.text(int(found.tree_.question[0])).startswith(column)
        assert found.certificate_.verify(X, Y)


def test_models_of_one_cause_are_no_teachers(model):
    plain = OptimalSurvivalTree(**OPTIONS).fit(X, (CAUSE == 1, TIME))
    with pytest.raises(ValueError, match="teacher must know the causes"):
        OptimalSurvivalTree(teacher=plain).fit(X, Y, cause=1)
    assert OptimalSurvivalTree(teacher=model).fit(X, Y, cause=1).teacher_ == "OptimalSurvivalTree"
    with pytest.raises(ValueError, match="reference must be None with competing risks"):
        OptimalSurvivalTree(regularization=0.01, reference="forest").fit(X, Y, cause=1)


# Views.


def test_tables_have_all_causes(model):
    table = leaf_table(model, times=[5.0])
    for cause in ("1", "2"):
        assert table[f"events_{cause}"].sum() == (int(cause) == CAUSE).sum()
        low, value, high = (
            table[f"incidence_{cause}_5{end}"].to_numpy() for end in ("_low", "", "_high")
        )
        assert ((low <= value) & (value <= high)).all()
    assert not [name for name in table.columns if name.startswith("survival")]
    curves = curve_table(model)
    parts = curves[["event_free", "incidence_1", "incidence_2"]].sum(axis=1)
    assert parts.to_numpy() == pytest.approx(np.ones(len(curves)))
    predicted = model.predict_table(X[:3], times=[5.0])
    assert {"incidence_1_5", "incidence_2_5", "event_free_5"} <= set(predicted.columns)


def test_texts_speak_of_the_incidence_of_the_cause(model):
    text = export_text(model)
    assert "F(" in text
    assert "share that has had cause 1 by time t" in text
    assert "of the incidence of cause 1" in model.certificate_.summary()
    assert "cause='1', censored='0'" in model.recipe_.code


def test_the_python_module_has_incidences(model):
    module = {}
    exec(export_python(model), module)
    row = X.iloc[0].to_dict()
    for cause in ("1", "2"):
        wanted = model.predict_cumulative_incidence(X[:1], cause, times=[5.0], return_array=True)
        assert module["incidence"](row, 5.0, cause) == wanted[0, 0]
    assert module["incidence"](row, 5.0) == module["incidence"](row, 5.0, "1")
    assert "survival" not in module


def test_pictures_and_report_name_the_cause(model, tmp_path):
    assert plot_curves(model).axes.get_ylabel() == "Cumulative incidence of cause 1"
    plot_tree(model).save(tmp_path / "tree.png")
    model.report(tmp_path / "page.html", X, Y, cv=2, compare=True)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the cumulative incidence of cause 1" in page
    assert "One Aalen-Johansen curve for all rows" in page
    assert "Kaplan-Meier curve" not in re.sub("reverse Kaplan-Meier", "", page)


def test_leaf_counts_make_the_outcome_again(model):
    again = outcome_of(list(model.leaf_curves_.values()))
    one, other = (LossByDefinition.of(each) for each in (again, model._state.prepared.exact))
    assert np.array_equal(one.times, other.times)
    assert one.g == pytest.approx(other.g)
    assert one.one_leaf_loss() == pytest.approx(other.one_leaf_loss())
