"""Metrics against their definitions, against scikit-survival, and on many rows."""

import functools
import tracemalloc
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from survtree import DataWarning, OptimalSurvivalTree, StepFunction, metrics
from survtree._scoring import concordance, read_scored
from survtree.datasets import load
from tests.support import slow_metrics as slow

KINDS = {
    "ties": {"step": 2.0},
    "hardly any ties": {"step": 1e-6},
    "no censoring": {"censored": 0.0},
    "heavy censoring": {"censored": 0.9},
    "weights": {"weighted": True},
    "weights and ties": {"weighted": True, "step": 2.0},
}
SHAPES = ("tree", "matrix", "functions", "coarse")
METRICS = ("integrated_brier_score", "ibs_ratio", "harrell_c", "uno_c")


def outcome(rng, n, *, censored=0.4, step=0.5, weighted=False, scale=5.0):
    """Time, event and weight of rows; some rows may end at time 0."""
    time = np.floor(rng.exponential(scale, n) / step) * step
    time[0] += 1
    event = rng.random(n) >= censored
    event[np.argmin(time)] = True
    return time, event, rng.uniform(0.5, 3, n) if weighted else np.ones(n)


def curves_of(rng, n, shape):
    """Curves as the metrics take them, and as lists of steps."""
    if shape == "functions":  # each with times of its own, some of them shared by rows
        functions = [
            SimpleNamespace(x=np.sort(rng.uniform(0, 12, m)), y=np.sort(rng.random(m))[::-1])
            for m in rng.integers(0, 6, n // 2)
        ]
        which = rng.integers(len(functions), size=n)
        steps = [[*zip(f.x, f.y, strict=True)] for f in functions]
        return [functions[k] for k in which], [steps[k] for k in which]
    n_times = 9 if shape == "matrix" else 4
    times = np.sort(rng.choice(np.arange(0, 14, 0.5), n_times, replace=False))
    n_curves = 4 if shape == "tree" else n
    values = np.sort(rng.random((n_curves, n_times)), axis=1)[:, ::-1]
    if shape == "coarse":  # many equal values of curves that differ
        values = np.round(values * 4) / 4
    matrix = values[rng.integers(n_curves, size=n)] if shape == "tree" else values
    return (matrix, times), [[*zip(times, row, strict=True)] for row in matrix]


@functools.lru_cache(maxsize=1)  # the tests of one problem follow each other
def problem(kind, shape, seed):
    """Training rows, rows to score that may end later, and their curves, twice."""
    rng = np.random.default_rng([sorted(KINDS).index(kind), SHAPES.index(shape), seed])
    train = outcome(rng, 20, **KINDS[kind], scale=3.0 if seed % 2 else 8.0)
    test = outcome(rng, 22, **KINDS[kind])
    given, steps = curves_of(rng, 22, shape)
    return train, test, given, steps


def asked(train, test):
    """The keywords of a metric with a censoring curve."""
    return {
        "sample_weight": test[2],
        "train": (train[1], train[0]),
        "train_weight": train[2],
    }


def slow_rows(train, test):
    return tuple(slow.rows_of(*outcome) for outcome in (train, test))


def close(expected):
    return pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)


every_problem = pytest.mark.parametrize(
    ("kind", "shape", "seed"),
    [(kind, shape, seed) for kind in KINDS for shape in SHAPES for seed in range(12)],
)


@every_problem
@pytest.mark.filterwarnings("ignore::survtree.metrics.BeyondTrainingWarning")
def test_metrics_are_those_of_the_definition(kind, shape, seed):
    train, test, given, steps = problem(kind, shape, seed)
    y, options = (test[1], test[0]), asked(train, test)
    if seed % 3 == 0:  # the rows that are scored are the training rows
        train, options = test, {"sample_weight": test[2]}
    old, new = slow_rows(train, test)
    times = np.sort(np.append(test[0][:6], [0.25, 3.1, 7.7]))

    expected = [slow.brier_score(old, new, steps, t) for t in times]
    assert metrics.brier_score(y, given, times, **options) == close(expected)
    expected = [slow.row_loss(old, new, steps, i) for i in range(len(new))]
    assert metrics.per_sample_loss(y, given, **options) == close(expected)
    assert metrics.integrated_brier_score(y, given, **options) == close(sum(expected))
    assert metrics.ibs_ratio(y, given, **options) == close(slow.ibs_ratio(old, new, steps))

    expected = slow.concordance(new, steps, lambda t: 1.0)
    assert metrics.harrell_c(y, given, sample_weight=test[2]) == close(expected)
    expected = slow.concordance(new, steps, slow.uno_factor(old))
    assert metrics.uno_c(y, given, **options) == close(expected)
    tau = float(np.quantile(test[0], 0.7)) + 0.1
    expected = slow.concordance(new, steps, slow.uno_factor(old, tau))
    assert metrics.uno_c(y, given, tau=tau, **options) == close(expected)

    event_times = np.unique(test[0][test[1]])
    event_times = event_times[event_times < test[0].max()]
    found = metrics.cumulative_dynamic_auc(y, given, **options)
    assert np.array_equal(found.times, event_times)
    assert found.auc == close([slow.auc(old, new, steps, t) for t in event_times])
    assert found.mean == close(slow.mean_auc(old, new, steps, event_times))
    found = metrics.cumulative_dynamic_auc(y, given, times, **options)
    assert found.auc == close([slow.auc(old, new, steps, t) for t in times])
    assert found.mean == close(slow.mean_auc(old, new, steps, times))

    weight = test[2]
    found = metrics.calibration_curve(y, given, 3.1, n_groups=99, sample_weight=weight)
    assert np.transpose(found) == close(np.array(slow.calibration(new, steps, 3.1)))
    for floor in (0.0, 1e-4):
        expected = slow.log_likelihood(new, steps, floor)
        found = metrics.log_likelihood(y, given, sample_weight=weight, floor=floor)
        assert found == close(expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [3, 30, 600])
@pytest.mark.parametrize("n_risks", [2, 7, 10**6])
@pytest.mark.filterwarnings("ignore::survtree.metrics.BeyondTrainingWarning")
def test_concordance_of_risks_is_that_of_the_definition(kind, n, n_risks):
    rng = np.random.default_rng(n)
    train, test = (outcome(rng, n, **KINDS[kind]) for _ in range(2))
    risk = rng.integers(n_risks, size=n).astype(float)
    old, new = slow_rows(train, test)
    y, options = (test[1], test[0]), asked(train, test)
    expected = slow.concordance_of_risk(new, risk, lambda t: 1.0)
    assert metrics.harrell_c_of_risk(y, risk, sample_weight=test[2]) == close(expected)
    factor = slow.uno_factor(old, 6.0)
    known = {t: factor(t) for t, _, _ in new}
    expected = slow.concordance_of_risk(new, risk, known.get)
    assert metrics.uno_c_of_risk(y, risk, tau=6.0, **options) == close(expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("few", [0, 100])
def test_batches_and_either_way_to_compare_give_the_same(shape, few, monkeypatch):
    _, test, given, _ = problem("weights and ties", shape, 0)
    y = test[1], test[0]
    scores = [
        metrics.harrell_c,
        metrics.uno_c,
        lambda y, given: metrics.cumulative_dynamic_auc(y, given).auc,
        lambda y, given: metrics.brier_score(y, given, [1, 2, 3, 4.5]),
    ]
    at_once = [score(y, given) for score in scores]
    monkeypatch.setattr(read_scored, "MOST_CELLS", 30)
    monkeypatch.setattr(concordance, "FEW", few)
    for score, expected in zip(scores, at_once, strict=True):
        assert score(y, given) == close(expected)


def sksurv_outcome(time, event):
    out = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    out["event"], out["time"] = event, time
    return out


@pytest.mark.parametrize("shape", ["tree", "matrix", "coarse"])
@pytest.mark.parametrize("seed", range(10))
def test_numbers_are_those_of_scikit_survival(shape, seed):
    theirs = pytest.importorskip("sksurv.metrics")
    rng = np.random.default_rng(seed)
    n = 80
    # Events at whole numbers and censorings between them: with both at one time the definitions of
    # G differ (ours keeps the events of that time at risk).
    time = rng.integers(1, 12, n).astype(float)
    event = rng.random(n) < 0.6
    time[~event] += 0.5
    event[:2], time[:2] = [True, False], [1.0, 20.0]
    train = sksurv_outcome(time[::-1], event[::-1])
    test = sksurv_outcome(time[: n // 2], event[: n // 2])
    (matrix, at), _ = curves_of(rng, n // 2, shape)
    times = np.arange(1.0, 11.0)
    survival = np.array([StepFunction(at, row, before=1.0)(times) for row in matrix])
    given = matrix, at

    ours = metrics.brier_score(test, given, times, train=train)
    assert ours == close(theirs.brier_score(train, test, survival, times)[1])
    trapezoid = np.trapezoid(ours, times) / (times[-1] - times[0])
    assert trapezoid == close(theirs.integrated_brier_score(train, test, survival, times))

    risk = rng.integers(0, 9, n // 2).astype(float)
    expected = theirs.concordance_index_censored(test["event"], test["time"], risk)[0]
    assert metrics.harrell_c_of_risk(test, risk) == close(expected)
    for tau in (None, 7.0):
        expected = theirs.concordance_index_ipcw(train, test, risk, tau=tau)[0]
        assert metrics.uno_c_of_risk(test, risk, train=train, tau=tau) == close(expected)

    auc, mean = theirs.cumulative_dynamic_auc(train, test, -survival, times)
    found = metrics.cumulative_dynamic_auc(test, given, times, train=train)
    assert found.auc == close(auc)
    assert found.mean == close(mean)


def test_the_integral_is_the_limit_of_scikit_survival_s_grid():
    theirs = pytest.importorskip("sksurv.metrics")
    X, y = load("whas500")
    model = OptimalSurvivalTree(3, 0.005).fit(X, y)
    last = y["time"].max()
    times = np.linspace(y["time"].min(), last * (1 - 1e-9), 4001)
    survival = model.predict_survival_function(X, times, return_array=True)
    expected = theirs.integrated_brier_score(y, y, survival, times)
    ours = metrics.integrated_brier_score(y, model, X=X)
    assert ours == pytest.approx(expected, rel=0.002)


@pytest.fixture(scope="module")
def whas500():
    X, y = load("whas500")
    return X, y, OptimalSurvivalTree(3, 0.005).fit(X, y)


def test_a_tree_on_its_training_rows(whas500):
    X, y, model = whas500
    assert metrics.integrated_brier_score(y, model, X=X) == pytest.approx(model.loss_, rel=1e-12)
    assert metrics.ibs_ratio(y, model, X=X) == pytest.approx(model.ibs_ratio_, rel=1e-10)
    assert metrics.harrell_c_of_risk(y, model.predict(X)) == model.score(X, y)
    found = metrics.calibration_curve(y, model, 365.0, X=X)
    assert found.predicted == pytest.approx(found.observed)  # leaves are Kaplan-Meier curves
    assert found.n_rows.sum() == len(y)


def test_curves_in_every_form_score_the_same(whas500):
    X, y, model = whas500
    array = model.predict_survival_function(X, return_array=True)
    leaves = model.apply(X)
    forms = [
        (array, model.unique_times_),
        (array.tolist(), list(model.unique_times_)),
        model.predict_survival_function(X),
        list(model.predict_survival_function(X)),
        tuple(model.predict_survival_function(X)),
        [model.leaf_curves_[leaf].survival for leaf in leaves],
    ]
    for name in METRICS:
        expected = getattr(metrics, name)(y, model, X=X)
        for form in forms:
            assert getattr(metrics, name)(y, form) == close(expected)


def test_outcomes_in_every_form_score_the_same(whas500):
    X, y, model = whas500
    event, time = y["event"], y["time"]
    expected = metrics.ibs_ratio(y, model, X=X, train=y)
    for form in (
        (event, time),
        (event.tolist(), time.tolist()),
        np.column_stack([time, event]),
        pd.DataFrame({"died": event, "days": time}),
        pl.DataFrame({"days": time, "died": event.astype(int)}),
    ):
        assert metrics.ibs_ratio(form, model, X=X, train=form) == close(expected)


def test_other_models_are_scored(whas500):
    linear_model = pytest.importorskip("sksurv.linear_model")
    X, y, _ = whas500
    cox = linear_model.CoxPHSurvivalAnalysis(alpha=0.1).fit(X.to_numpy(), y)
    ratio = metrics.ibs_ratio(y, cox, X=X.to_numpy())
    assert 0.1 < ratio < 0.9
    # Hazards are proportional, so the order of the curves is that of the risks at all times.
    risk = cox.predict(X.to_numpy())
    c = metrics.harrell_c(y, cox, X=X.to_numpy())
    assert c == pytest.approx(metrics.harrell_c_of_risk(y, risk), abs=1e-3)


@pytest.mark.parametrize("name", METRICS)
def test_a_row_of_weight_two_is_two_rows(name):
    _, test, (matrix, at), _ = problem("ties", "matrix", 2)
    weight = np.random.default_rng(0).integers(1, 4, len(matrix))
    twice = np.repeat(np.arange(len(matrix)), weight)
    y = test[1], test[0]
    score = getattr(metrics, name)
    expected = score((test[1][twice], test[0][twice]), (matrix[twice], at))
    assert score(y, (matrix, at), sample_weight=weight) == close(expected)


def test_late_rows_are_told_of_once():
    curve = [StepFunction([1.0], [0.5], before=1.0)] * 3
    y = [True, True, False], [1.0, 3.0, 5.0]
    for call in (
        lambda train: metrics.brier_score(y, curve, [1, 2], train=train),
        lambda train: metrics.per_sample_loss(y, curve, train=train),
        lambda train: metrics.integrated_brier_score(y, curve, train=train),
        lambda train: metrics.ibs_ratio(y, curve, train=train),
        lambda train: metrics.uno_c(y, curve, train=train),
        lambda train: metrics.uno_c_of_risk(y, [3, 2, 1], train=train),
        lambda train: metrics.cumulative_dynamic_auc(y, curve, train=train),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(([True, False], [1.0, 2.0]))
        (warning,) = caught
        assert warning.category is metrics.BeyondTrainingWarning
        assert "2 of 3 rows end later" in str(warning.message)
        assert warning.filename == __file__
        call(([True, False], [1.0, 5.0]))  # warnings are errors here


def test_rows_without_events_have_an_integrated_brier_score():
    curve = [StepFunction([1.0], [0.5], before=1.0)] * 2
    y = [False, False], [2.0, 4.0]
    train = [True, True], [2.0, 4.0]
    assert metrics.integrated_brier_score(y, curve, train=train) == pytest.approx(1 / 8)
    assert metrics.brier_score(y, curve, [3.0], train=train) == pytest.approx([1 / 8])


def test_nothing_is_left_to_explain_where_all_end_at_once():
    y = [True, False, True], [3.0, 3.0, 3.0]
    never, always = ([StepFunction([0.0], [s], before=1.0)] * 3 for s in (1.0, 0.5))
    assert metrics.ibs_ratio(y, never) == 0.0
    assert metrics.ibs_ratio(y, always) == -np.inf


def test_impossible_rows_have_no_likelihood_unless_there_is_a_floor():
    curve = [StepFunction([1.0, 2.0], [0.5, 0.0], before=1.0)] * 3
    y = [True, True, False], [1.0, 2.0, 3.0]
    assert metrics.log_likelihood(y, curve) == -np.inf
    expected = 2 * np.log(0.5) + np.log(0.01)
    assert metrics.log_likelihood(y, curve, floor=0.01) == pytest.approx(expected)


def test_similar_predictions_form_groups_of_about_equal_weight():
    rng = np.random.default_rng(0)
    n = 1000
    s = np.sort(rng.random(n))
    y = np.ones(n), rng.exponential(1, n)
    found = metrics.calibration_curve(y, (s[:, np.newaxis], [0.0]), 1.0, n_groups=5)
    assert found.n_rows.tolist() == [200] * 5
    assert found.predicted == pytest.approx(s.reshape(5, 200).mean(axis=1))
    s[:700] = 0.1  # rows of one prediction stay together
    found = metrics.calibration_curve(y, (np.sort(s)[:, np.newaxis], [0.0]), 1.0, n_groups=5)
    assert found.n_rows.max() >= 700
    assert found.n_rows.sum() == n
    assert (np.diff(found.predicted) > 0).all()


SCORERS = {
    metrics.ibs_ratio_scorer: lambda model, X, y: metrics.ibs_ratio(y, model, X=X),
    metrics.neg_integrated_brier_scorer: lambda model, X, y: (
        -metrics.integrated_brier_score(y, model, X=X)
    ),
    metrics.harrell_c_scorer: lambda model, X, y: metrics.harrell_c(y, model, X=X),
    metrics.uno_c_scorer: lambda model, X, y: metrics.uno_c(y, model, X=X),
    metrics.auc_scorer: lambda model, X, y: metrics.cumulative_dynamic_auc(y, model, X=X).mean,
}


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.__name__)
def test_scorers_are_the_metrics_of_folds(scorer, whas500):
    X, y, model = whas500
    assert scorer(model, X, y) == SCORERS[scorer](model, X, y)
    scores = cross_val_score(OptimalSurvivalTree(2, 0.01), X, y, scoring=scorer, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


def test_scorers_look_into_searches_and_pipelines(whas500):
    X, y, _ = whas500
    tree = OptimalSurvivalTree(2, 0.01)
    plain = metrics.uno_c_scorer(clone(tree).fit(X, y), X, y)
    piped = make_pipeline(FunctionTransformer(), tree)
    search = GridSearchCV(piped, {"optimalsurvivaltree__max_depth": [2]}, cv=2)
    for model in (piped, search):
        assert metrics.uno_c_scorer(model.fit(X, y), X, y) == plain
    with pytest.raises(TypeError, match="Ridge, which has no predict_survival_function"):
        metrics.uno_c_scorer(Ridge(), X, y)


def test_a_scorer_may_be_given_the_training_rows(whas500):
    X, y, _ = whas500
    scorer = functools.partial(metrics.ibs_ratio_scorer, train=y)
    model = OptimalSurvivalTree(2, 0.01)
    given = cross_val_score(model, X, y, scoring=scorer, cv=3, error_score="raise")
    assert np.isfinite(given).all()
    assert not np.allclose(
        given, cross_val_score(model, X, y, scoring=metrics.ibs_ratio_scorer, cv=3)
    )


@pytest.mark.slow
def test_many_rows_make_no_square():
    n = 100_000
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.6, rng.exponential(1, n)
    grid = np.linspace(0.05, 4, 50)
    functions = [StepFunction(grid, np.exp(-rate * grid), before=1.0) for rate in range(1, 9)]
    curves = [functions[k] for k in rng.integers(8, size=n)]
    risk = rng.random(n)
    tracemalloc.start()
    for name in METRICS:
        assert np.isfinite(getattr(metrics, name)(y, curves, sample_weight=risk + 0.5))
    metrics.cumulative_dynamic_auc(y, curves)
    metrics.brier_score(y, curves, grid)
    metrics.calibration_curve(y, curves, 1.0)
    metrics.log_likelihood(y, curves)
    metrics.uno_c_of_risk(y, risk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * 2000  # bytes; a square of flags takes n * 100,000


def test_a_matrix_of_many_curves_makes_no_square():
    n, n_times = 20_000, 20
    rng = np.random.default_rng(0)
    times = np.arange(1.0, n_times + 1)
    y = rng.random(n) < 0.5, rng.choice(times, n)
    pair = np.sort(rng.random((n, n_times)), axis=1)[:, ::-1].copy(), times
    tracemalloc.start()
    for name in METRICS:
        assert np.isfinite(getattr(metrics, name)(y, pair))
    assert np.isfinite(metrics.cumulative_dynamic_auc(y, pair).mean)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * 8 * n_times * 50


def test_rows_are_matched_by_their_index_as_in_fit():
    data = load("veterans")
    frame = data.X.to_pandas()
    model = OptimalSurvivalTree(2, 0.005).fit(frame, data.y)
    outcome = pd.DataFrame({"event": data.y["event"], "time": data.y["time"]}, index=frame.index)
    mixed = outcome.sample(frac=1, random_state=0)
    for metric in (metrics.harrell_c, metrics.integrated_brier_score):
        with pytest.warns(DataWarning, match="matched by their index"):
            found = metric(mixed, model, X=frame)
        assert found == metric(outcome, model, X=frame)
    with pytest.raises(ValueError, match="must have the same index"):
        metrics.harrell_c(outcome.set_index(outcome.index + 1), model, X=frame)


def test_training_rows_are_matched_by_their_index():
    data = load("veterans")
    event, time = (pd.Series(data.y[name]) for name in ("event", "time"))
    weight = pd.Series(np.arange(1.0, len(time) + 1))
    curves = np.full((len(time), 1), 0.5), [60.0]
    expected = metrics.ibs_ratio(data.y, curves, train=(event, time), train_weight=weight)
    mixed = event, time.sort_values()
    with pytest.warns(DataWarning, match="of time of train are .+ those of event of train:"):
        found = metrics.ibs_ratio(data.y, curves, train=mixed, train_weight=weight)
    assert found == expected
    train, mixed = (event, time), weight[::-1]
    with pytest.warns(DataWarning, match="of train_weight are .+ those of event of train:"):
        found = metrics.ibs_ratio(data.y, curves, train=train, train_weight=mixed)
    assert found == expected
    train = pd.DataFrame({"event": event, "time": time})
    with pytest.raises(ValueError, match="train and train_weight must have the same index"):
        metrics.uno_c(data.y, curves, train=train, train_weight=weight.set_axis(weight.index + 1))


@pytest.mark.parametrize("metric", [metrics.harrell_c_of_risk, metrics.uno_c_of_risk])
def test_risks_and_weights_are_matched_to_the_outcome_by_its_index(metric):
    data = load("veterans")
    model = OptimalSurvivalTree(2, 0.005).fit(data.X, data.y)
    outcome = pd.DataFrame({"event": data.y["event"], "time": data.y["time"]})
    risk, weight = pd.Series(model.predict(data.X)), pd.Series(np.arange(1.0, len(data.X) + 1))
    expected = metric(data.y, risk.to_numpy(), sample_weight=weight.to_numpy())
    for y, named in ((outcome, "y"), ((outcome["event"], outcome["time"]), "event")):
        with pytest.warns(DataWarning, match=f"rows of risk are .+ than those of {named}:"):
            assert metric(y, risk.sort_values(), sample_weight=weight) == expected
        with pytest.warns(DataWarning, match=f"of sample_weight are .+ than those of {named}:"):
            assert metric(y, risk, sample_weight=weight[::-1]) == expected
    with pytest.raises(ValueError, match="y and risk must have the same index"):
        metric(outcome, risk.set_axis(risk.index + 1))
