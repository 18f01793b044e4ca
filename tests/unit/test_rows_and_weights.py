"""Which rows count and which belong together: weights of 0, and the labels of pandas."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import (
    DataWarning,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    regularization_path,
)
from survtree.datasets import load
from survtree.metrics import harrell_c_of_risk, integrated_brier_score, uno_c_of_risk

X, y = load("veterans")
N = len(X)
IS_IN = np.random.default_rng(0).random(N) < 0.7
FRAME = X.to_pandas()
OUTCOME = pd.DataFrame({"event": y["event"], "time": y["time"]}, index=FRAME.index)


def same(a, b):
    assert a.certificate_.fingerprint == b.certificate_.fingerprint
    assert a.objective_ == b.objective_
    assert a.tree_.question.tolist() == b.tree_.question.tolist()


@pytest.mark.parametrize("options", [{}, {"max_depth": 2, "regularization": 0.001}])
def test_rows_of_weight_0_are_as_if_they_were_not_there(options):
    weighted = OptimalSurvivalTree(**options).fit(X, y, sample_weight=IS_IN.astype(float))
    without = OptimalSurvivalTree(**options).fit(X.filter(IS_IN), y[IS_IN])
    same(weighted, without)
    assert weighted.certificate_.verify(X, y, IS_IN.astype(float))


def test_a_table_of_0_and_1_keeps_its_questions_without_some_rows():
    answers = np.random.default_rng(1).integers(0, 2, (N, 5))
    weighted = OptimalSurvivalTree(2, 0.001).fit(answers, y, IS_IN.astype(int))
    same(weighted, OptimalSurvivalTree(2, 0.001).fit(answers[IS_IN], y[IS_IN]))


def test_paths_and_cross_validation_take_weights_of_0():
    weight = IS_IN.astype(float)
    path = regularization_path(X, y, weight, max_depth=2)
    same(path[-1], regularization_path(X.filter(IS_IN), y[IS_IN], max_depth=2)[-1])
    tuned = OptimalSurvivalTreeCV(max_depths=(1,), cv=3)
    same(
        tuned.fit(X, y, weight),
        OptimalSurvivalTreeCV(max_depths=(1,), cv=3).fit(X.filter(IS_IN), y[IS_IN]),
    )
    found = bootstrap(OptimalSurvivalTree(1, 0.001), X, y, weight, n_bootstraps=2)
    assert found.model.n_leaves_ >= 1


def test_a_row_that_must_not_be_missing_may_be_if_it_does_not_count():
    gaps = X.with_columns(Age_in_years=pl.when(pl.Series(IS_IN)).then("Age_in_years"))
    model = OptimalSurvivalTree(2, 0.001).fit(gaps, y, IS_IN.astype(float))
    same(model, OptimalSurvivalTree(2, 0.001).fit(X.filter(IS_IN), y[IS_IN]))


def test_metrics_of_rows_of_weight_0_are_those_of_the_others():
    model, weight = OptimalSurvivalTree(2, 0.001).fit(X, y), IS_IN.astype(float)
    inside = X.filter(IS_IN), y[IS_IN]
    score = integrated_brier_score(y, model, X=X, sample_weight=weight)
    assert score == integrated_brier_score(inside[1], model, X=inside[0])
    for metric in (harrell_c_of_risk, uno_c_of_risk):
        whole = metric(y, model.predict(X), sample_weight=weight)
        assert whole == pytest.approx(metric(inside[1], model.predict(inside[0])))


def outcomes_of(outcome):
    """The outcome in every form that has labels."""
    return {
        "frame": outcome,
        "pair": (outcome["event"], outcome["time"]),
    }


@pytest.mark.parametrize("form", ["frame", "pair"])
def test_rows_of_the_same_labels_in_another_order_are_matched(form):
    fitted = OptimalSurvivalTree(2, 0.001).fit(FRAME, OUTCOME)
    shuffled = OUTCOME.sample(frac=1, random_state=0)
    with pytest.warns(DataWarning, match="matched by their index"):
        found = OptimalSurvivalTree(2, 0.001).fit(FRAME, outcomes_of(shuffled)[form])
    same(found, fitted)


@pytest.mark.parametrize("form", ["frame", "pair"])
def test_rows_of_other_labels_are_refused(form):
    other = OUTCOME.set_axis(OUTCOME.index + 1000)
    with pytest.raises(
        ValueError, match=r"same index.*0, 1, 2 and 134 more.*1000, 1001, 1002 and 134 more"
    ):
        OptimalSurvivalTree().fit(FRAME, outcomes_of(other)[form])


def test_repeated_labels_in_another_order_are_refused():
    twice = FRAME.set_axis(FRAME.index // 2)
    with pytest.raises(ValueError, match="same index"):
        OptimalSurvivalTree().fit(twice, OUTCOME.set_axis(twice.index[::-1]))


def test_event_and_time_of_different_rows_are_refused():
    event, time = OUTCOME["event"], OUTCOME["time"].set_axis(OUTCOME.index + 1)
    with pytest.raises(ValueError, match="event and time must have the same index"):
        OptimalSurvivalTree().fit(FRAME.to_numpy(), (event, time))


def test_weights_are_matched_as_well():
    weight = pd.Series(np.arange(1.0, N + 1), index=FRAME.index)
    fitted = OptimalSurvivalTree(2, 0.001).fit(FRAME, OUTCOME, weight)
    with pytest.warns(DataWarning, match="rows of sample_weight"):
        found = OptimalSurvivalTree(2, 0.001).fit(FRAME, OUTCOME, weight[::-1])
    same(found, fitted)


@pytest.mark.parametrize(("form", "named"), [("frame", "y"), ("pair", "event")])
def test_weights_are_matched_to_the_outcome_where_x_has_no_labels(form, named):
    outcome = outcomes_of(OUTCOME)[form]
    weight = pd.Series(np.arange(1.0, N + 1), index=FRAME.index)
    fitted = OptimalSurvivalTree(2, 0.001).fit(X, outcome, weight)
    with pytest.warns(DataWarning, match=f"sample_weight are in another order than .+ {named}:"):
        found = OptimalSurvivalTree(2, 0.001).fit(X, outcome, weight[::-1])
    same(found, fitted)
    other = weight.set_axis(weight.index + 1000)
    with pytest.raises(ValueError, match=f"{named} and sample_weight must have the same index"):
        OptimalSurvivalTree().fit(X, outcome, other)


def test_labels_of_the_times_alone_count_too():
    weight = pd.Series(np.arange(1.0, N + 1), index=FRAME.index)
    outcome = (y["event"], OUTCOME["time"])
    with pytest.warns(DataWarning, match="sample_weight are in another order than those of time:"):
        found = OptimalSurvivalTree(2, 0.001).fit(X, outcome, weight[::-1])
    same(found, OptimalSurvivalTree(2, 0.001).fit(X, outcome, weight))


def test_parts_of_one_split_and_rows_without_labels_need_no_warning():
    from sklearn.model_selection import train_test_split

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows, _, outcome, _ = train_test_split(FRAME, OUTCOME, random_state=0)
        OptimalSurvivalTree(1, 0.001).fit(rows, outcome)
        OptimalSurvivalTree(1, 0.001).fit(rows, (outcome["event"], outcome["time"].to_numpy()))
        model = OptimalSurvivalTree(1, 0.001).fit(X, OUTCOME.set_axis(OUTCOME.index + 5))
        model.score(rows, outcome)


def test_messages_count_rows_as_the_user_does_where_some_have_weight_0():
    table = pd.DataFrame({"a": [1, 2, 3, np.nan] + [5] * 20})
    outcome = np.ones(24, dtype=bool), np.arange(1.0, 25)
    with pytest.raises(ValueError, match=r"'a' \(1, the first in row 3\)"):
        OptimalSurvivalTree().fit(table, outcome, sample_weight=[0, 0, 1, 1] + [1] * 20)


def test_messages_count_rows_as_the_user_does_where_some_were_dropped():
    table = pd.DataFrame({"a": np.arange(24.0) % 7, "b": np.arange(24) % 5})
    outcome = np.ones(24, dtype=bool), np.arange(1.0, 25)
    model = OptimalSurvivalTree(1, 0.01, missing="drop").fit(table, outcome)
    table.loc[[0, 4], "a"] = np.nan
    table["b"] = table["b"].astype(object)
    table.loc[6:, "b"] = "six"
    with pytest.raises(ValueError, match="'b' must hold numbers as at fit; row 6 has text: 'six'"):
        model.score(table.assign(b=table["b"].astype(str)), outcome, [1, 0] + [1] * 22)
