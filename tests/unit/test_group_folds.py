"""Groups of rows, such as those of one subject, stay together in folds and in samples."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils import check_random_state

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, bootstrap
from survtree._base import DataWarning
from survtree._data.table import EventTable
from survtree._model.cross_validation import folds_of
from survtree._model.stability import bootstrap_samples
from survtree.datasets import load as load_data
from tests.support.runner import done, refused

TUNING = {"max_depths": [2], "min_regularization": 0.002}


@pytest.fixture(scope="module")
def study():
    return load_data("veterans")


@pytest.fixture(scope="module")
def subjects(study):
    """About three rows each, in no order."""
    return np.random.default_rng(0).integers(0, 45, len(study.X))


def random_events(rng, n):
    event = rng.random(n) < 0.5
    event[0] = True
    return EventTable(event, rng.exponential(size=n) + 0.1, np.ones(n))


@pytest.mark.parametrize("seed", range(30))
def test_folds_part_no_group_and_hold_each_row_out_once(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    groups = rng.integers(0, int(rng.integers(8, 30)), n)
    events = random_events(rng, n)
    n_folds, n_repeats = int(rng.integers(2, 6)), int(rng.integers(1, 3))
    folds = folds_of(n_folds, events, check_random_state(seed), n_repeats, groups)
    assert len(folds) == n_folds * n_repeats
    for train, test in folds:
        assert not np.intersect1d(groups[train], groups[test]).size
        assert len(train) + len(test) == n
        assert events.event[train].any()
    held_out = np.sort(np.concatenate([test for _, test in folds]))
    assert np.array_equal(held_out, np.repeat(np.arange(n), n_repeats))


def test_folds_are_of_the_seed(study, subjects):
    events = EventTable(study.y["event"], study.y["time"], np.ones(len(study.X)))
    one, same, other = (
        folds_of(5, events, check_random_state(seed), 1, subjects) for seed in (1, 1, 2)
    )
    assert all(np.array_equal(a.test, b.test) for a, b in zip(one, same, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(one, other, strict=True))


def test_events_are_about_equally_many_in_each_fold():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(100), 3)
    events = random_events(rng, 300)
    tests = [fold.test for fold in folds_of(5, events, check_random_state(0), 1, groups)]
    shares = [events.event[test].mean() for test in tests]
    assert max(shares) - min(shares) < 0.1


def test_where_one_group_has_all_events_but_one_there_are_folds_all_the_same():
    event = np.zeros(40, dtype=bool)
    event[:21] = True
    events = EventTable(event, np.arange(1.0, 41.0), np.ones(40))
    groups = np.array([0] * 20 + list(range(1, 21)))
    for train, test in folds_of(3, events, check_random_state(0), 1, groups):
        assert len(test) > 0
        assert events.event[train].any()


def test_samples_draw_whole_groups():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 20, 90) * 7
    events = random_events(rng, 90)
    for counts in bootstrap_samples(events, 20, check_random_state(0), groups):
        per_group = [np.unique(counts[groups == group]) for group in np.unique(groups)]
        assert all(len(each) == 1 for each in per_group)
        assert sum(int(each[0]) for each in per_group) == len(per_group)


def test_a_column_of_groups_is_that_array_and_is_not_split_on(study, subjects):
    X, y = study
    table = X.with_columns(pl.Series("visit_of", subjects))
    by_array = OptimalSurvivalTreeCV(**TUNING).fit(X, y, groups=subjects)
    by_name = OptimalSurvivalTreeCV(**TUNING).fit(table, y, groups="visit_of")
    assert by_name.best_score_ == by_array.best_score_
    assert "visit_of" in by_name.best_estimator_.exclude
    assert "groups=groups" in by_name.recipe_.code_as_made
    assert "groups=" not in by_name.recipe_.code
    plain = OptimalSurvivalTreeCV(**TUNING).fit(X, y)
    assert not np.array_equal(
        plain.cv_results_["split0_test_score"], by_array.cv_results_["split0_test_score"]
    )


def test_series_are_matched_by_their_labels(study, subjects):
    X, y = study
    frame = X.to_pandas()
    series = pd.Series(subjects, index=frame.index)
    with pytest.warns(DataWarning, match="groups are in another order"):
        shuffled = OptimalSurvivalTreeCV(**TUNING).fit(frame, y, groups=series.sample(frac=1.0))
    plain = OptimalSurvivalTreeCV(**TUNING).fit(X, y, groups=subjects)
    assert shuffled.best_score_ == plain.best_score_
    outcome = pd.DataFrame({"event": y["event"], "time": y["time"]}, index=frame.index)
    with pytest.warns(DataWarning, match="groups are in another order than those of y:"):
        shuffled = OptimalSurvivalTreeCV(**TUNING).fit(X, outcome, groups=series.sample(frac=1.0))
    assert shuffled.best_score_ == plain.best_score_


@pytest.mark.parametrize("gap", [pd.NA, None, pd.NaT, float("nan")])
def test_gaps_of_any_kind_are_told_by_their_row(study, gap):
    X, y = study
    cells = pd.Series([1, gap, 2, 3] * len(X), dtype=object)[: len(X)]
    message = "groups must not have missing values; row 1 has none"
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTreeCV(**TUNING).fit(X, y, groups=cells)
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTreeCV(**TUNING).fit(X.to_pandas().assign(g=cells), y, groups="g")


def test_nullable_and_masked_groups_are_those_of_plain_ones(study, subjects):
    X, y = study
    plain = OptimalSurvivalTreeCV(**TUNING).fit(X, y, groups=subjects)
    text = np.array([f"subject {k}" for k in subjects])
    for groups in (pd.Series(subjects, dtype="Int64"), np.ma.array(text), np.ma.array(subjects)):
        found = OptimalSurvivalTreeCV(**TUNING).fit(X, y, groups=groups)
        assert found.best_score_ == plain.best_score_
    for cells in (text, subjects):
        masked = np.ma.array(cells, mask=np.arange(len(X)) == 5)
        with pytest.raises(ValueError, match="missing values; row 5 has none"):
            OptimalSurvivalTreeCV(**TUNING).fit(X, y, groups=masked)
    gaps = pd.Series(subjects, dtype="Int64").where(np.arange(len(X)) != 7)
    with pytest.raises(ValueError, match="missing values; row 7 has none"):
        OptimalSurvivalTreeCV(**TUNING).fit(X.to_pandas(), y, groups=gaps)


def test_rows_that_are_dropped_take_their_groups_along(study, subjects):
    X, y = study
    gaps = np.where(np.arange(len(X)) % 10 == 3, None, X["Age_in_years"].to_list())
    table = X.with_columns(pl.Series("Age_in_years", gaps.tolist(), dtype=pl.Float64))
    found = OptimalSurvivalTreeCV(**TUNING, missing="drop").fit(table, y, groups=subjects)
    kept = np.arange(len(X)) % 10 != 3
    rest = OptimalSurvivalTreeCV(**TUNING, missing="drop").fit(
        table.filter(pl.Series(kept)), y[kept], groups=subjects[kept]
    )
    assert found.best_score_ == rest.best_score_


def test_nested_scores_and_bootstrap_take_groups(study, subjects):
    X, y = study
    score = OptimalSurvivalTreeCV(**TUNING, cv=3).nested_score(X, y, cv=3, groups=subjects)
    assert len(score.scores) == 3
    for estimator in (OptimalSurvivalTree(2, 0.005), OptimalSurvivalTreeCV(**TUNING, cv=3)):
        found = bootstrap(estimator, X, y, n_bootstraps=2, groups=subjects)
        assert found.n_bootstraps == 2


def test_splitters_get_the_groups_and_lists_must_keep_them_whole(study, subjects):
    X, y = study
    model = OptimalSurvivalTreeCV(**TUNING, cv=GroupKFold(3)).fit(X, y, groups=subjects)
    assert model.n_splits_ == 3
    with pytest.raises(ValueError, match="keep the rows of a group together"):
        OptimalSurvivalTreeCV(**TUNING, cv=KFold(3)).fit(X, y, groups=subjects)


@pytest.mark.parametrize(
    "cv", [KFold(2), [(range(70), range(70, 137)), (range(70, 137), range(70))]]
)
def test_a_parted_group_is_named_by_a_row_of_the_user(study, cv):
    X, y = study
    groups, weight = np.arange(137), np.ones(137)
    weight[:9], groups[[20, 120]] = 0, 20
    with pytest.raises(ValueError, match="rows of the group of row 20 on both sides"):
        OptimalSurvivalTreeCV(**TUNING, cv=cv).fit(X, y, weight, groups=groups)


def test_the_warning_of_repeated_subjects_points_to_groups(study, subjects):
    X, y = study
    table = X.with_columns(pl.Series("patient_id", subjects))
    with pytest.warns(DataWarning, match="groups='patient_id'"):
        OptimalSurvivalTreeCV(**TUNING).fit(table, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        model = OptimalSurvivalTreeCV(**TUNING).fit(table, y, groups="patient_id")
    assert model.warnings_ == ()


def test_tune_takes_a_column_of_groups(study, subjects, tmp_path):
    X, y = study
    outcome = {"event": y["event"].astype(int), "time": y["time"], "patient_id": subjects}
    path = tmp_path / "trial.csv"
    X.with_columns(**{name: pl.Series(each) for name, each in outcome.items()}).write_csv(path)
    model = tmp_path / "model.json"
    arguments = ["tune", path, "--depths", "2", "--min-regularization", "0.002", "-o", model]
    done(*arguments, "--groups", "patient_id")
    told = json.loads(model.read_text())
    assert told["origin"]["is_grouped"]
    assert "patient_id" not in [column["name"] for column in told["columns"]]
    assert "there is no 'patient'" in refused(*arguments, "--groups", "patient")
    pages = [tmp_path / name for name in ("plain.html", "grouped.html")]
    done("report", model, path, "--folds", "3", "-o", pages[0])
    done("report", model, path, "--folds", "3", "--groups", "patient_id", "-o", pages[1])
    assert pages[0].read_text() != pages[1].read_text()


def test_a_report_keeps_groups_together(study, subjects, tmp_path):
    X, y = study
    model = OptimalSurvivalTree(2, 0.005).fit(X, y)
    pages = []
    for name, groups in (("plain", None), ("grouped", subjects)):
        model.report(tmp_path / name, X, y, cv=3, groups=groups)
        pages.append((tmp_path / name).read_text())
    assert pages[0] != pages[1]
    with pytest.raises(ValueError, match="same number of rows"):
        model.report(tmp_path / "none", X, y, cv=3, groups=subjects[:5])
