"""Columns that are known only after the outcome are warned of, covariates are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

from survtree import DataWarning, OptimalSurvivalTree, OptimalSurvivalTreeCV, export_json, load
from survtree.datasets import load as load_data

X, y = load_data("whas500")
FRAME = X.to_pandas()
EVENT, TIME = y["event"], y["time"]
CAUSE = np.where(EVENT, np.tile(["heart", "lung", "other"], len(y))[: len(y)], "none")


def warned(column, depth=2, **options):
    with pytest.warns(DataWarning, match="known only after the outcome") as found:
        model = OptimalSurvivalTree(depth, 0.001, **options).fit(FRAME.assign(leak=column), y)
    assert [str(each.message) for each in found] == list(model.warnings_)
    return model


def test_a_split_that_decides_the_event_is_named():
    model = warned(np.where(EVENT, "yes", None), 1, missing="question")
    n, n_events = len(y), int(EVENT.sum())
    assert "column out with exclude=['leak']" in model.warnings_[0]
    assert f"0 of {n - n_events} rows" in model.warnings_[0]
    assert f"{n_events} of {n_events} rows" in model.warnings_[0]


def test_a_side_on_which_all_had_the_event_is_named():
    some = EVENT & (np.cumsum(EVENT) <= 120)
    with pytest.warns(DataWarning, match="120 of 120 rows on the other"):
        OptimalSurvivalTree(1, 0.001).fit(pd.DataFrame({"leak": some}), y)


def test_levels_that_decide_the_event_are_named():
    # No level alone splits the rows by the event; all levels together do.
    model = warned(np.where(EVENT, CAUSE, np.tile(["a", "b", "c"], len(y))[: len(y)]))
    assert model.warnings_[0].startswith("the levels of column 'leak' all but decide the event")


def test_with_competing_risks_a_column_that_tells_any_cause_is_named():
    status = FRAME.assign(status=np.where(EVENT, "dead", "alive"))
    with pytest.warns(DataWarning, match="exclude=..status"):
        model = OptimalSurvivalTree(2, 0.001).fit(status, (CAUSE, TIME), cause="heart")
    n_events = int(EVENT.sum())
    assert "all but decides the event of any cause" in model.warnings_[0]
    assert f"{n_events} of {n_events} rows on the other" in model.warnings_[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalSurvivalTree(2, 0.001).fit(FRAME, (CAUSE, TIME), cause="heart")


@pytest.mark.parametrize("change", [lambda t: t / 30.4, lambda t: -t, lambda t: np.log1p(t)])
def test_a_copy_of_the_time_is_named(change):
    assert "'leak' all but is the time" in warned(change(TIME)).warnings_[0]


def test_some_errors_do_not_hide_a_leak():
    noisy = EVENT.copy()
    noisy[:2] = ~noisy[:2]
    warned(noisy)
    half = np.where(np.arange(len(y)) % 5 == 0, ~EVENT, EVENT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalSurvivalTree(2, 0.001).fit(FRAME.assign(strong=half), y)


def test_cross_validation_and_files_keep_the_warning(tmp_path):
    frame = FRAME.assign(leak=EVENT)
    with pytest.warns(DataWarning, match="the split 'leak"):
        model = OptimalSurvivalTreeCV(max_depths=(1,), min_regularization=0.001, cv=2).fit(frame, y)
    export_json(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").warnings_ == model.warnings_ != ()


def test_few_rows_may_be_parted_by_chance():
    rows = np.r_[np.flatnonzero(EVENT)[:12], np.flatnonzero(~EVENT)[:12]]
    frame = pd.DataFrame({"arm": EVENT[rows].astype(float), "age": FRAME["age"].to_numpy()[rows]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        OptimalSurvivalTree(1, 0.001).fit(frame, y[rows])


def test_a_split_that_the_tree_must_not_have_is_named_too():
    # By default a leaf needs an event, so the tree cannot split on it.
    with pytest.warns(DataWarning, match="the split 'alive = 1' all but decides the event"):
        model = OptimalSurvivalTree(max_depth=1).fit(FRAME.assign(alive=1 - EVENT), y)
    assert "alive" not in model.questions_.text(int(model.tree_.question[0]))
