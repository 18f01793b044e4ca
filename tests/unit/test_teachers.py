"""Built-in teachers: pseudo-observations, ridge Cox models, out-of-bag and cross-fitted curves."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import Binarizer, OptimalSurvivalTree, SearchStoppedWarning, export_json
from survtree import load as load_model
from survtree._data.read_table import check_table
from survtree._data.table import EventTable
from survtree._scoring import cox, teachers
from survtree._scoring.cox import cross_fitted_cox
from survtree._scoring.curves import one_curve
from survtree._scoring.teachers import BUILT_IN, built_in_curves, pseudo_observations
from survtree.datasets import load
from tests.support.problems import random_events, random_times
from tests.support.slow_shrinkage import kaplan_meier

NAMES = sorted(BUILT_IN)


def random_outcome(rng, n, weights="copies"):
    """With ties, any share of censored rows, and at least one event."""
    _, time = random_times(rng, np.zeros((n, 1), dtype=np.uint8))
    _, event = random_events(rng, time)
    event[np.argmax(time)] |= not event.any()
    weight = {
        "none": np.ones(n),
        "copies": rng.integers(1, 4, n).astype(float),
        "any": rng.choice([0.3, 1.0, 2.5], n),
    }[weights]
    return EventTable(event, time.astype(float), weight)


def slow_pseudo_observation(events, row, t):
    """The definition: what a part of the row's weight, at most 1, adds to the curve of all."""
    rows = list(zip(events.time, events.event, events.weight, strict=True))
    time, event, weight = rows[row]
    size, total = min(weight, 1.0), events.weight.sum()
    rest = [each for k, each in enumerate(rows) if k != row]
    if weight - size > 1e-12:
        rest.append((time, event, weight - size))
    without = kaplan_meier(rest, t) if rest else 1.0
    return (total * kaplan_meier(rows, t) - (total - size) * without) / size


@pytest.mark.parametrize("weights", ["none", "copies", "any"])
@pytest.mark.parametrize("seed", range(25))
def test_pseudo_observations_are_those_of_leaving_one_row_out(seed, weights):
    rng = np.random.default_rng([11, seed])
    events = random_outcome(rng, int(rng.integers(1, 25)), weights)
    times = np.unique(rng.choice(np.append(events.time, [0.0, events.time.max() + 1]), 5))
    wanted = [
        [slow_pseudo_observation(events, row, t) for t in times] for row in range(len(events))
    ]
    assert pseudo_observations(events, times) == pytest.approx(np.array(wanted), abs=1e-9)


def test_without_censoring_a_pseudo_observation_is_whether_the_row_is_alive():
    events = EventTable(np.ones(6, bool), np.array([1.0, 2, 2, 3, 5, 5]), np.ones(6))
    times = np.array([0.5, 2.0, 4.0, 5.0])
    wanted = events.time[:, np.newaxis] > times
    assert pseudo_observations(events, times) == pytest.approx(wanted.astype(float), abs=1e-12)


def slow_objective(columns, events, coefficients, penalty):
    """Breslow's partial log-likelihood per event, less the ridge penalty, by its definition."""
    hazard = events.weight * np.exp(columns @ coefficients)
    total = 0.0
    for k in np.flatnonzero(events.event):
        at_risk = hazard[events.time >= events.time[k]].sum()
        total += events.weight[k] * (columns[k] @ coefficients - np.log(at_risk))
    n_events = events.weight[events.event].sum()
    return total / n_events - penalty / 2 * (coefficients**2).sum()


def fit_cox(columns, events, penalty):
    coefficients = cox._maximised(cox._Likelihood(columns, events), penalty)
    return cox._model(coefficients, columns, events)


@pytest.mark.parametrize("penalty", [0.01, 0.3])
@pytest.mark.parametrize("seed", range(10))
def test_the_gradient_of_a_fitted_cox_model_is_zero(seed, penalty):
    rng = np.random.default_rng([12, seed])
    n, p = 40, int(rng.integers(1, 5))
    columns, events = rng.normal(size=(n, p)), random_outcome(rng, n)
    found = fit_cox(columns, events, penalty).coefficients
    for j, step in enumerate(1e-5 * np.eye(p)):
        up, down = (slow_objective(columns, events, found + s, penalty) for s in (step, -step))
        assert (up - down) / 2e-5 == pytest.approx(0.0, abs=2e-4), j


def test_two_rows_by_hand():
    """The row of 1 ends first: 1/2 / (1 + exp(b)) = penalty b, which is so for b = 1."""
    events = EventTable(np.array([True, True]), np.array([1.0, 2.0]), np.ones(2))
    model = fit_cox(np.array([[1.0], [0.0]]), events, 0.5 / (1 + np.e))
    assert model.coefficients == pytest.approx([1.0], abs=1e-3)
    baseline = [1 / (1 + np.e), 1 / (1 + np.e) + 1]  # who is left at 2 has a hazard of 1
    assert model.baseline(np.array([0.5, 1.0, 2.0])) == pytest.approx([0, *baseline], abs=1e-3)
    curves = model.survival(np.array([[0.0], [1.0]]), np.array([1.0]))
    assert curves[:, 0] == pytest.approx(np.exp([-baseline[0], -np.e * baseline[0]]), abs=1e-3)


def test_weights_are_copies_for_a_cox_model():
    rng = np.random.default_rng(13)
    columns, events = rng.normal(size=(30, 2)), random_outcome(rng, 30)
    copies = np.repeat(np.arange(30), events.weight.astype(int))
    many = EventTable(events.event[copies], events.time[copies], np.ones(len(copies)))
    one, other = fit_cox(columns, events, 0.1), fit_cox(columns[copies], many, 0.1)
    assert one.coefficients == pytest.approx(other.coefficients, abs=1e-8)
    times = events.unique_times
    assert one.survival(columns, times) == pytest.approx(other.survival(columns, times), abs=1e-8)


def changed(events, row):
    """The same with another end of one row."""
    time, event = events.time.copy(), events.event.copy()
    time[row], event[row] = events.time.max() * 0.9, not event[row]
    return EventTable(event, time, events.weight)


def test_a_cross_fitted_curve_does_not_depend_on_the_outcome_of_its_fold(monkeypatch):
    monkeypatch.setattr(cox, "PENALTIES", (0.1,))  # which the outcomes of all rows choose
    rng = np.random.default_rng(14)
    columns, events = rng.normal(size=(60, 3)), random_outcome(rng, 60)
    places = np.arange(60)
    folds = [(places[places % 5 != k], places[places % 5 == k]) for k in range(5)]
    times = np.quantile(events.time, [0.2, 0.5, 0.8])
    one, other = (
        cross_fitted_cox(columns, each, folds, times) for each in (events, changed(events, 7))
    )
    is_own = places % 5 == 7 % 5
    assert np.array_equal(one[is_own], other[is_own])
    assert not np.isclose(one[~is_own], other[~is_own]).any(axis=None)


def test_an_out_of_bag_curve_does_not_depend_on_what_its_row_taught(monkeypatch):
    rng = np.random.default_rng(15)
    columns, events = rng.normal(size=(80, 3)), random_outcome(rng, 80, "none")
    times = np.unique(np.quantile(events.time, [0.2, 0.5, 0.8]))
    taught = pseudo_observations(events, times)
    found = []
    for row_7 in (taught[7], 1.0 - taught[7]):
        matrix = taught.copy()
        matrix[7] = row_7
        monkeypatch.setattr(teachers, "pseudo_observations", lambda *_, m=matrix: m)
        task = teachers._Task(columns, events, times, float(events.time.max()), 0, teachers.Pace())
        found.append(teachers._forest(task))
    assert np.array_equal(found[0][7], found[1][7])
    assert (found[0] != found[1]).any(axis=1).sum() > 40


def random_frame(rng, n):
    """Columns of all kinds, with gaps and rare levels."""
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(60, 10, n)),
            "stage": rng.choice(["I", "II", "III"], n),
            "site": np.where(rng.random(n) < 0.2, None, rng.choice(list("abcdefgh"), n)),
            "treated": rng.random(n) < 0.5,
            "dose": rng.integers(0, 3, n),
        }
    )


def curves_of(name, frame, events, seed=0):
    return built_in_curves(name, check_table(Binarizer(), frame, reset=True), events, seed)


def assert_are_survival_curves(curves, n_rows):
    assert curves.survival.shape == (n_rows, len(curves.times))
    assert np.isfinite(curves.survival).all()
    assert ((curves.survival >= 0) & (curves.survival <= 1)).all()
    assert (np.diff(curves.survival, axis=1) <= 0).all()
    assert (np.diff(curves.times) > 0).all()
    assert curves.lengths().sum() <= 1 + 1e-12


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_curves_of_teachers_are_survival_curves(name, seed):
    rng = np.random.default_rng([16, seed])
    n = int(rng.integers(20, 150))
    events = random_outcome(rng, n, ("none", "copies", "any")[seed % 3])
    curves = curves_of(name, random_frame(rng, n), events, seed)
    assert_are_survival_curves(curves, n)


def odd_tables():
    """Tables and outcomes at the edges."""
    rng = np.random.default_rng(17)
    n = 40
    plain = EventTable(rng.random(n) < 0.6, np.ceil(rng.exponential(9, n)), np.ones(n))
    one_time = EventTable(np.ones(n, bool), np.full(n, 3.0), np.ones(n))
    one_event = EventTable(np.arange(n) == 5, np.arange(1.0, n + 1), np.ones(n))
    heavy = EventTable(plain.event, plain.time, np.where(np.arange(n) == 0, 1e9, 1.0))
    numbers = pd.DataFrame({"a": rng.normal(size=n)})
    gaps = pd.DataFrame({"a": [np.nan] * n, "b": [None] * n})
    yield "a constant outcome", numbers, one_time
    yield "one event", numbers, one_event
    yield "one column", numbers, plain
    yield "a constant column", pd.DataFrame({"a": np.ones(n)}), plain
    yield "columns without values", gaps, plain
    yield "levels that each occur once", pd.DataFrame({"a": [f"id {k}" for k in range(n)]}), plain
    yield "more columns than rows", pd.DataFrame(rng.normal(size=(n, 90))).add_prefix("x"), plain
    yield "a row of very large weight", numbers, heavy
    few = EventTable(np.ones(3, bool), np.array([1.0, 2.0, 3.0]), np.ones(3))
    yield "three rows", numbers[:3], few
    yield "one row", numbers[:1], few.take(np.array([0]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", list(odd_tables()), ids=lambda case: case[0])
def test_odd_tables_have_curves(name, case):
    _, frame, events = case
    assert_are_survival_curves(curves_of(name, frame, events), len(events))


def test_a_row_in_the_sample_of_every_tree_gets_the_curve_of_all_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    time, weight = rng.exponential(np.exp(frame["a"].to_numpy())), np.ones(60)
    weight[:3] = 20.0
    events = EventTable(rng.random(60) < 0.7, time, weight)
    teacher = curves_of("forest", frame, events)
    everyone = one_curve(events)(teacher.times)
    assert np.abs(teacher.survival[:3] - everyone).max() < 0.02
    assert np.ptp(teacher.survival[3:], axis=0).max() > 0.1


def test_with_few_events_a_cox_model_says_the_same_of_all_rows():
    rng = np.random.default_rng(18)
    frame, time = random_frame(rng, 60), np.arange(1.0, 61.0)
    for n_events in (9, 10):
        events = EventTable(np.arange(60) < n_events, time, np.ones(60))
        survival = curves_of("cox", frame, events).survival
        assert (len(np.unique(survival, axis=0)) == 1) == (n_events == 9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("most_rows", [100, 40])
def test_the_order_of_rows_and_columns_does_not_matter(name, most_rows, monkeypatch):
    monkeypatch.setattr(teachers, "MOST_ROWS", most_rows)
    rng = np.random.default_rng(19)
    frame, events = random_frame(rng, 70), random_outcome(rng, 70, "any")
    double = np.append(np.arange(70), np.arange(10))  # some rows are there twice
    frame, events = frame.iloc[double], events.take(double)
    rows, columns = rng.permutation(80), rng.permutation(frame.shape[1])
    one = curves_of(name, frame, events)
    other = curves_of(name, frame.iloc[rows, columns], events.take(rows))
    assert np.array_equal(one.times, other.times)
    # Copies of a row may have each other's curves, if they are in other trees of the forest.
    pairs = (one.survival[rows], other.survival)
    for row in range(70):
        here = np.flatnonzero(double[rows] == row)
        assert np.array_equal(*(np.sort(part[here], axis=0) for part in pairs))


@pytest.mark.parametrize("name", NAMES)
def test_frames_of_all_libraries_have_the_same_curves(name):
    rng = np.random.default_rng(20)
    frame, events = random_frame(rng, 60), random_outcome(rng, 60)
    wanted = curves_of(name, frame, events).survival
    for other in (
        pl.from_pandas(frame),
        pl.from_pandas(frame).to_arrow(),
        frame.astype({"stage": "category", "site": "string"}),
        frame.assign(stage=pd.Categorical(frame["stage"], ["IV", "III", "I", "II"])),
        pl.from_pandas(frame).with_columns(pl.col("site").cast(pl.Categorical)).to_arrow(),
    ):
        assert np.array_equal(curves_of(name, other, events).survival, wanted)


def test_auto_is_the_mean_of_the_others():
    rng = np.random.default_rng(21)
    frame, events = random_frame(rng, 60), random_outcome(rng, 60)
    forest, ridge, both = (
        curves_of(name, frame, events).survival for name in ("forest", "cox", "auto")
    )
    assert both == pytest.approx((forest + ridge) / 2, abs=1e-15)
    assert not np.array_equal(forest, curves_of("forest", frame, events, seed=1).survival)


def test_the_curve_of_a_row_outside_the_sample_is_the_mean_of_the_models_of_all_folds():
    rng = np.random.default_rng(23)
    columns, events = rng.normal(size=(90, 3)), random_outcome(rng, 60)
    places, times = np.arange(60), np.quantile(events.time, [0.2, 0.5, 0.8])
    folds = [(places[places % 5 != k], places[places % 5 == k]) for k in range(5)]
    found = cross_fitted_cox(columns, events, folds, times)
    assert np.array_equal(found[:60], cross_fitted_cox(columns[:60], events, folds, times))
    wanted = {
        penalty: np.mean(
            [
                fit_cox(columns[each], events.take(each), penalty).survival(columns[60:], times)
                for each, _ in folds
            ],
            axis=0,
        )
        for penalty in cox.PENALTIES
    }
    assert any(np.allclose(found[60:], each, rtol=0, atol=1e-12) for each in wanted.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_teacher_of_a_sample_knows_all_rows(name, monkeypatch):
    rng = np.random.default_rng(24)
    side = rng.integers(0, 2, 400)
    time = rng.exponential(np.where(side > 0, 20.0, 1.0))
    events = EventTable(rng.random(400) < 0.8, time, np.ones(400))
    frame = pd.DataFrame({"side": side, "noise": rng.normal(size=400)})
    everyone = curves_of(name, frame, events)
    monkeypatch.setattr(teachers, "MOST_ROWS", 150)
    curves, other = (curves_of(name, frame, events, seed) for seed in (0, 1))
    assert (everyone.n_fitted, curves.n_fitted) == (None, 150)
    assert np.array_equal(everyone.times, curves.times)
    assert_are_survival_curves(curves, 400)
    assert not np.array_equal(curves.survival, other.survival)
    late, early = (curves.survival[side == k].mean(axis=0) for k in (1, 0))
    assert (late - early).max() > 0.5
    assert np.abs(curves.survival - everyone.survival).mean() < 0.1


def test_rare_events_are_preferred_in_a_sample_and_count_less_there():
    rng = np.random.default_rng(25)
    time = np.arange(1.0, 5001.0)
    for n_events, n_kept in ((40, 40), (200, 100), (2500, 500)):
        event = np.zeros(5000, bool)
        event[rng.choice(5000, n_events, replace=False)] = True
        rows, factor = teachers._sample(EventTable(event, time, np.ones(5000)), 1000, seed=0)
        assert len(np.unique(rows)) == len(rows) == 1000
        assert event[rows].sum() == n_kept
        assert factor[event[rows]].sum() == pytest.approx(n_events / 5)
        assert factor.sum() == pytest.approx(1000)


def test_distances_of_targets_are_integrated_squared_distances_of_curves():
    rng = np.random.default_rng(22)
    events = random_outcome(rng, 50)
    curves = curves_of("forest", random_frame(rng, 50), events)
    targets = curves.targets()
    fine = np.linspace(0, curves.horizon, 200_001)[:-1]
    place = np.searchsorted(curves.times, fine, side="right")
    for a, b in ((0, 1), (4, 30)):
        gap = np.append(0.0, curves.survival[a] - curves.survival[b])[place]
        assert ((targets[a] - targets[b]) ** 2).sum() == pytest.approx((gap**2).mean(), rel=1e-3)


def test_the_steps_of_a_teacher_and_its_threads_do_not_change_its_curves():
    rng = np.random.default_rng(3)
    frame, events = random_frame(rng, 120), random_outcome(rng, 120, "none")
    table, steps = check_table(Binarizer(), frame, reset=True), []
    pace = teachers.Pace(n_jobs=2, on_step=lambda *step: steps.append(step) or False)
    watched = built_in_curves("auto", table, events, 0, pace)
    assert np.array_equal(watched.survival, built_in_curves("auto", table, events, 0).survival)
    assert not watched.is_cut
    assert [what for what, _ in steps] == ["forest"] * 10 + ["Cox model"] * 5
    assert [share for _, share in steps if share == 1.0] == [1.0, 1.0]


def test_a_teacher_that_is_cut_short_has_what_it_has_learnt():
    rng = np.random.default_rng(3)
    frame, events = random_frame(rng, 120), random_outcome(rng, 120, "none")
    table, steps = check_table(Binarizer(), frame, reset=True), []
    pace = teachers.Pace(on_step=lambda *step: steps.append(step) or True)
    cut = built_in_curves("auto", table, events, 0, pace)
    assert steps == [("forest", 0.1), ("Cox model", 0.2)]
    assert cut.is_cut
    assert (np.diff(cut.survival, axis=1) <= 0).all()
    whole = built_in_curves("auto", table, events, 0).survival
    assert 0 < np.abs(cut.survival - whole).max() < 0.5


def test_the_teacher_of_a_fit_is_shown_and_obeys_the_time_limit(monkeypatch, caplog, tmp_path):
    caplog.set_level("INFO", logger="survtree")
    X, y = load("veterans")
    whole = OptimalSurvivalTree(2, time_limit=3600, verbose=1).fit(X, y)
    lines = [record.getMessage() for record in caplog.records]
    assert re.fullmatch(r"teacher, forest: 100 %  \d+\.\ds", lines[0])
    assert re.fullmatch(r"teacher, Cox model: 100 %  \d+\.\ds", lines[1])
    assert whole.certificate_.teacher_seed == 0
    caplog.clear()
    monkeypatch.setattr("survtree._model.prepare.TEACHERS_SHARE", 0.0)
    with pytest.warns(SearchStoppedWarning, match=r"teacher was cut short.*\(3600.0 s\)"):
        cut = OptimalSurvivalTree(2, time_limit=3600, verbose=1).fit(X, y)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split("  ")[0] for line in lines[:2]] == [
        "teacher, forest: 10 %",
        "teacher, Cox model: 20 %",
    ]
    assert cut.status_ == "optimal"
    assert cut.certificate_.verify(X, y)
    # Its curves cannot be made again from the seed, so a file does not claim that they can.
    export_json(cut, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").certificate_.teacher_seed is None
