"""A report leads with held-out rows, marks what does not hold there, and compares if asked to."""

import re
from dataclasses import replace

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, export_json, load, metrics
from survtree._data.table import EventTable
from survtree._scoring.rivals import (
    cox_model,
    greedy_tree,
    log_rank_scores,
    one_curve_for_all,
)
from survtree._show.report_page import page_part
from survtree._show.report_scores import MOST_SECONDS, verdict
from survtree.datasets import load as load_data
from tests.support.runner import done

VETERANS = tuple(load_data("veterans"))


def page_of(model, folder, *rows, **options):
    model.report(folder / "report.html", *rows, **options)
    return " ".join((folder / "report.html").read_text(encoding="utf-8").split())


def noise(n=150, seed=0):
    """Outcomes that have nothing to do with the columns."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), (np.ones(n, bool), rng.exponential(size=n) + 0.01)


def overfitted(X, y):
    return OptimalSurvivalTree(3, 0.0, thresholds=8).fit(X, y)


@pytest.mark.slow
def test_held_out_scores_come_before_the_proof(tmp_path):
    text = page_of(OptimalSurvivalTree().fit(*VETERANS), tmp_path, *VETERANS)
    assert 'class="verdict better"' in text
    assert text.index("better than one curve") < text.index("Proven optimal on the training rows")


def test_a_tree_that_does_not_hold_is_marked(tmp_path):
    X, y = noise()
    text = page_of(overfitted(X, y), tmp_path, X, y)
    assert 'class="verdict worse"' in text
    assert "no better than one curve for all rows" in text
    assert 'class="verdict better"' not in text


def test_the_proof_is_never_green():
    green = [rule for rule in page_part("style.css").split("}") if "--good)" in rule]
    assert green
    assert not any("about-proof" in rule for rule in green)


METRICS = {"key": "harrell_c", "mean": 0.6, "apparent": 0.7, "standard_error": 0.02}


@pytest.mark.parametrize(
    ("ratio", "error", "expected"),
    [
        (-0.116, 0.05, "worse"),
        (0.0, 0.01, "worse"),
        (0.005, 0.001, "unclear"),
        (0.03, 0.04, "unclear"),
        (0.03, None, "better"),
        (0.1, 0.04, "better"),
        (None, None, "unknown"),
    ],
)
def test_verdicts(ratio, error, expected):
    found = {"key": "ibs_ratio", "mean": ratio, "apparent": 0.3, "standard_error": error}
    assert verdict([found, METRICS], 3, is_training=True)["state"] == expected
    new = {**found, "apparent": ratio, "mean": None}
    assert verdict([new, METRICS], 3, is_training=False)["state"] == expected


def test_a_lone_leaf_says_so_and_why(tmp_path):
    model = OptimalSurvivalTree(2, 0.9).fit(*VETERANS)
    text = page_of(model, tmp_path, *VETERANS)
    assert "The tree is a single leaf" in text
    assert model.one_leaf_reason_.replace("<", "&lt;") in text
    assert "No split was found" in text
    export_json(model, tmp_path / "model.json")
    assert "because the best split" in page_of(load(tmp_path / "model.json"), tmp_path)


def test_the_proof_says_what_it_is_about(tmp_path):
    text = page_of(OptimalSurvivalTree().fit(*VETERANS), tmp_path)
    assert re.search(r"distance to the survival curves of the teacher [^:.]+ up to 340, plus", text)
    assert "over the same 84 candidate splits" in text
    plain = page_of(OptimalSurvivalTree(2, 0.005).fit(*VETERANS), tmp_path)
    assert "): the integrated Brier score, plus 0.005 per leaf. That says nothing" in plain


@pytest.mark.parametrize(
    ("rows", "options", "reason"),
    [
        ((), {}, "Pass the training rows: model.report(file, X, y)"),
        (VETERANS, {"cv": None}, "Cross-validation was turned off. Pass cv=5"),
    ],
    ids=["no rows", "no folds"],
)
def test_what_was_not_measured_is_said_and_how_to(tmp_path, rows, options, reason):
    text = page_of(OptimalSurvivalTree(1, 0.01).fit(*VETERANS), tmp_path, *rows, **options)
    assert f"<strong>Not measured on held-out rows.</strong> {reason}" in text
    assert 'class="verdict unknown"' in text


def slow(model):
    """The model as if its search had taken long."""
    certificate = replace(model.certificate_, seconds=MOST_SECONDS)
    model._fitted = replace(model._state, certificate=certificate)
    return model


def test_folds_that_take_long_are_left_to_the_user(tmp_path):
    model = slow(OptimalSurvivalTree(1, 0.01).fit(*VETERANS))
    text = page_of(model, tmp_path, *VETERANS)
    assert "would take long. Pass cv=5, or --folds 5." in text
    assert "standard error of 3-fold" in page_of(model, tmp_path, *VETERANS, cv=3)


@pytest.mark.slow
def test_a_tuned_model_from_a_file_says_that_its_size_was_chosen_before(tmp_path):
    search = OptimalSurvivalTreeCV(max_depths=(1,), cv=2).fit(*VETERANS)
    words = "the one that a cross-validation of all rows has chosen"
    assert words not in page_of(search, tmp_path, *VETERANS, cv=2)
    export_json(search, tmp_path / "model.json")
    assert words in page_of(load(tmp_path / "model.json"), tmp_path, *VETERANS, cv=2)


def test_there_is_no_p_value_and_hazard_ratios_are_called_optimistic(tmp_path):
    text = page_of(OptimalSurvivalTree().fit(*VETERANS), tmp_path, *VETERANS, cv=2)
    assert "chi-squared" not in text
    assert "p &lt; 0.001" not in text
    assert 'Hazard ratio<br><span class="limits">optimistic</span>' in text


@pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")
def test_warnings_of_the_fit_are_listed(tmp_path):
    X, y = load_data("whas500")
    model = OptimalSurvivalTree(2, 0.005).fit(X, y)
    time = y["time"].copy()
    time[np.argsort(time)[-1]] *= 40
    heavy = y["event"], time
    text = page_of(OptimalSurvivalTree(2, 0.005).fit(X, heavy), tmp_path, X, heavy, cv=None)
    assert "Warnings of the fit" in text
    assert "of the loss of one curve for all rows" in text
    assert "Warnings of the fit" not in page_of(model, tmp_path)


def test_other_models_are_scored_on_the_same_held_out_rows(tmp_path):
    model = OptimalSurvivalTree(2, 0.005).fit(*VETERANS)
    text = page_of(model, tmp_path, *VETERANS, cv=3, compare=True)
    assert "Compared with other models" in text
    for name in ("This model", "One Kaplan-Meier curve", "Cox model", "Greedy tree"):
        assert f'class="words">{name}' in text
    assert "Compared with other models" not in page_of(model, tmp_path, *VETERANS, cv=3)


def test_the_command_compares_too(tmp_path):
    X, y = VETERANS
    X.with_columns(time=y["time"], event=y["event"]).write_csv(tmp_path / "data.csv")
    files = {name: tmp_path / name for name in ("data.csv", "model.json", "report.html")}
    done("fit", files["data.csv"], "--regularization", 0.005, "-o", files["model.json"])
    command = ("report", files["model.json"], files["data.csv"], "-o", files["report.html"])
    done(*command, "--folds", 2, "--compare")
    assert "Compared with other models" in files["report.html"].read_text()


def events_of(y):
    return EventTable(np.asarray(y[0]), np.asarray(y[1], float), np.ones(len(y[1])))


def test_one_curve_scores_nothing_and_a_cox_model_something():
    X, y = VETERANS
    events = events_of((y["event"], y["time"]))
    train, test = np.arange(0, 137, 2), np.arange(1, 137, 2)
    outcome = {"y": (y["event"][test], y["time"][test]), "train": y[train]}
    one = one_curve_for_all(events.take(train), len(test))
    assert metrics.ibs_ratio(curves=one[:2], horizon=300, **outcome) == pytest.approx(0)
    model = OptimalSurvivalTree(1, 0.01).fit(X, y)
    cox = cox_model(model.binarizer_.read(X, model), events, train, test)
    assert metrics.ibs_ratio(curves=cox[:2], horizon=300, **outcome) > 0.05
    assert metrics.harrell_c(outcome["y"], cox[:2]) > 0.6


def test_log_rank_scores_are_those_of_the_worked_rows():
    events = events_of(([True, False, True], [1.0, 2.0, 3.0]))
    # Hazards: 1/3 at 1; nothing at 2; one of one at 3.
    assert log_rank_scores(events) == pytest.approx([1 - 1 / 3, -1 / 3, 1 - 4 / 3])


def test_a_greedy_tree_splits_signal_and_leaves_noise_alone():
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 2, (300, 6)).astype(np.uint8)
    time = rng.exponential(np.where(answers[:, 2] == 1, 5.0, 1.0)) + 0.01
    found = greedy_tree(answers, events_of((np.ones(300, bool), time)), answers)
    assert found.n_groups == 2
    same = (found.survival == found.survival[0]).all(axis=1)
    assert (same == (answers[:, 2] == answers[0, 2])).all()
    alone = greedy_tree(
        answers, events_of((np.ones(300, bool), rng.exponential(size=300))), answers
    )
    assert alone.n_groups == 1


def test_the_greedy_tree_splits_noise_as_rarely_as_its_level_says():
    rng = np.random.default_rng(1)
    n_split = 0
    for _ in range(300):
        answers = rng.integers(0, 2, (60, 4)).astype(np.uint8)
        events = events_of((rng.random(60) < 0.7, rng.exponential(size=60)))
        n_split += greedy_tree(answers, events, answers).n_groups > 1
    assert 0 < n_split <= 0.08 * 300


def few_events(n_events, n=60, seed=0):
    """Rows of which few have an event, of four sites."""
    rng = np.random.default_rng(seed)
    event = np.arange(n) < n_events
    return rng.normal(size=(n, 2)), (event, rng.exponential(size=n) + 0.1), np.arange(n) % 4


SMALL = {"min_samples_leaf": 5, "max_depths": (1,), "min_regularization": 0.01}


@pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")
def test_what_cannot_be_tuned_again_in_each_fold_is_not_measured(tmp_path):
    X, y, sites = few_events(6)
    model = OptimalSurvivalTreeCV(cv=5, **SMALL).fit(X, y)
    assert "too few events or groups to tune it again" in page_of(model, tmp_path, X, y)
    model = OptimalSurvivalTreeCV(cv=2, **SMALL).fit(X, y)
    assert "too few events" not in page_of(model, tmp_path, X, y)
    X, y, sites = few_events(30)
    model = OptimalSurvivalTreeCV(cv=4, **SMALL).fit(X, y, groups=sites)
    assert "too few events or groups" in page_of(model, tmp_path, X, y, groups=sites)


@pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")
def test_usual_folds_are_no_more_than_the_groups(tmp_path):
    X, y, sites = few_events(30)
    model = OptimalSurvivalTree(1, 0.01).fit(X, y)
    assert "4-fold cross-validation" in page_of(model, tmp_path, X, y, groups=sites)
    of_one = np.where(y[0], 0, 1 + sites)
    assert "in at least two groups" in page_of(model, tmp_path, X, y, groups=of_one)
