"""Cross-validation over paths gives what single fits give, and chooses by its rule."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    export_text,
    regularization_path,
)
from survtree._data.table import EventTable
from survtree._model.cross_validation import chosen, folds_of
from survtree._scoring.scores import ibs_ratio, ibs_ratio_scorer
from survtree._search.progress import FITS_HEADER
from survtree.datasets import load

X, y = load("veterans")
EVENT, TIME = y["event"], y["time"]


def tuned(**options):
    """On the paper's objective."""
    usual = {"max_depths": (1, 2), "min_regularization": 0.001, "random_state": 0}
    return OptimalSurvivalTreeCV(**{**usual, **options})


@pytest.fixture(scope="module")
def model():
    return tuned(max_depths=(1, 2, 3)).fit(X, y)


def folds(cv=5, seed=0):
    events = EventTable(EVENT, TIME, np.ones(len(TIME)))
    return folds_of(cv, events, np.random.RandomState(seed))


def test_scores_are_those_of_single_fits_at_the_same_penalties_and_folds(model):
    results = model.cv_results_
    for k, params in enumerate(results["params"]):
        for split, (train, test) in enumerate(folds()):
            single = OptimalSurvivalTree(**params).fit(X[train], (EVENT[train], TIME[train]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # rows that end late, levels that a fold lacks
                score = ibs_ratio(
                    (EVENT[test], TIME[test]), single, X=X[test], train=(EVENT[train], TIME[train])
                )
            assert results[f"split{split}_test_score"][k] == pytest.approx(score, abs=1e-9)


def test_candidates_are_the_trees_of_the_paths_of_all_rows(model):
    for depth in (1, 2, 3):
        path = regularization_path(X, y, max_depth=depth)
        here = model.cv_results_["param_max_depth"] == depth
        assert model.cv_results_["n_leaves"][here].tolist() == [m.n_leaves_ for m in path]
        penalties = [m.regularization for m in path]
        assert model.cv_results_["param_regularization"][here].tolist() == penalties


def test_the_best_is_a_plain_fit_with_its_parameters(model):
    plain = OptimalSurvivalTree(**model.best_params_).fit(X, y)
    best = model.best_estimator_
    assert best.objective_ == pytest.approx(plain.objective_, abs=1e-12)
    np.testing.assert_allclose(best.predict(X), plain.predict(X))
    assert best.certificate_.verify(X, y)


def test_predictions_are_those_of_the_best(model):
    best = model.best_estimator_
    np.testing.assert_array_equal(model.predict(X), best.predict(X))
    np.testing.assert_array_equal(model.apply(X), best.apply(X))
    np.testing.assert_array_equal(model.predict_median(X), best.predict_median(X))
    curves = model.predict_survival_function(X, return_array=True)
    np.testing.assert_array_equal(curves, best.predict_survival_function(X, return_array=True))
    assert model.score(X, y) == best.score(X, y)
    assert export_text(model) == export_text(best)
    assert model.status_ == "optimal"


def test_results_are_told_as_scikit_learn_does(model):
    results = model.cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(model.n_splits_)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(
        results["standard_error_test_score"], splits.std(axis=0, ddof=1) / np.sqrt(5)
    )
    assert results["rank_test_score"].min() == 1
    assert model.best_score_ == results["mean_test_score"][model.best_index_]
    assert model.best_params_ == results["params"][model.best_index_]
    assert {len(column) for column in results.values()} == {len(results["params"])}


def test_a_lone_leaf_scores_nothing(model):
    is_lone = model.cv_results_["n_leaves"] == 1
    assert set(model.cv_results_["mean_test_score"][is_lone]) == {0.0}


SIZES = [(1, 1), (2, 1), (3, 2), (4, 2)]


@pytest.mark.parametrize(
    ("means", "errors", "rule", "expected"),
    [
        ([0.0, 0.10, 0.18, 0.20], [0, 0.05, 0.05, 0.05], "minimum", 3),
        ([0.0, 0.10, 0.18, 0.20], [0, 0.05, 0.05, 0.05], "one_standard_error", 2),
        ([0.0, 0.16, 0.18, 0.20], [0, 0.01, 0.01, 0.05], "one_standard_error", 1),
        ([0.0, 0.16, 0.18, 0.20], [0, 0.01, 0.01, 0.05], "half_standard_error", 2),
        ([0.0, 0.16, 0.18, 0.20], [0, 0.01, 0.01, 0.03], "half_standard_error", 3),
        ([0.0, 0.10, 0.18, 0.20], [9, 9, 9, 0.01], "one_standard_error", 3),
        ([0.0, 0.10, 0.18, 0.20], [0, 0, 0, 0.3], "one_standard_error", 0),
        ([0.0, 0.20, 0.20, 0.20], [0, 0, 0, 0], "minimum", 1),
        ([0.0, np.nan, 0.20, np.nan], [0, 0, np.nan, 0], "one_standard_error", 2),
    ],
)
def test_rules_on_made_up_scores(means, errors, rule, expected):
    assert chosen(np.array(means), np.array(errors), SIZES, rule) == expected


def test_of_equally_many_leaves_the_better_wins_and_then_the_shallower():
    errors = np.full(3, 0.1)
    sizes = [(4, 3), (4, 2), (4, 4)]
    assert chosen(np.array([0.20, 0.19, 0.20]), errors, sizes, "one_standard_error") == 0
    assert chosen(np.array([0.20, 0.20, 0.20]), errors, sizes, "one_standard_error") == 1


def test_the_rules_differ_where_they_should():
    sparse, between, best = (
        tuned(max_depths=(1, 2, 3), rule=rule).fit(X, y)
        for rule in ("one_standard_error", "half_standard_error", "minimum")
    )
    assert sparse.n_leaves_ < best.n_leaves_
    assert sparse.n_leaves_ <= between.n_leaves_ <= best.n_leaves_
    assert best.best_score_ == best.cv_results_["mean_test_score"].max()


def told(model):
    """All that a fit says, but for seconds and counts of work."""
    results = {name: np.asarray(values).tolist() for name, values in model.cv_results_.items()}
    return results, model.best_index_, model.predict(X).tolist(), model.objective_


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.slow
def test_results_depend_neither_on_n_jobs_nor_on_the_backend(backend):
    alone = tuned().fit(X, y)
    with joblib.parallel_config(backend=backend):
        assert told(tuned(n_jobs=2).fit(X, y)) == told(alone)
    for fitted in (alone, tuned(n_jobs=2).fit(X, y)):
        with pytest.raises(ValueError, match="optimal_trees needs the training rows"):
            fitted.best_estimator_.optimal_trees()


def test_random_state_makes_folds_repeat():
    assert told(tuned().fit(X, y)) == told(tuned().fit(X, y))
    other = tuned(random_state=1).fit(X, y).cv_results_["split0_test_score"]
    assert other.tolist() != tuned().fit(X, y).cv_results_["split0_test_score"].tolist()


def test_folds_have_about_equally_many_rows_and_events():
    event = np.arange(23) % 3 == 0
    events = EventTable(event, np.arange(1.0, 24.0), np.ones(23))
    found = folds_of(4, events, np.random.RandomState(0))
    assert sorted(np.concatenate([fold.test for fold in found])) == list(range(23))
    assert {len(fold.test) for fold in found} == {5, 6}
    assert {event[fold.test].sum() for fold in found} == {2}
    for train, test in found:
        assert sorted([*train, *test]) == list(range(23))


def test_folds_are_those_of_scikit_learn_for_the_same_seed():
    events = EventTable(EVENT, TIME, np.ones(len(TIME)))
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    theirs = splitter.split(np.zeros(len(TIME)), EVENT)
    for fold, (train, test) in zip(
        folds_of(5, events, np.random.RandomState(3)), theirs, strict=True
    ):
        assert fold.train.tolist() == train.tolist()
        assert fold.test.tolist() == test.tolist()


@pytest.mark.parametrize("n_censored", [0, 1, 3])
def test_fewer_censored_rows_than_folds_are_no_matter(n_censored):
    event = np.arange(20) >= n_censored
    events = EventTable(event, np.arange(1.0, 21.0), np.ones(20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = folds_of(5, events, np.random.RandomState(0))
    assert [len(fold.test) for fold in found] == [4] * 5
    assert sum((~event[fold.test]).sum() for fold in found) == n_censored


def test_folds_may_be_given():
    splitter = KFold(3)
    given = [(train.tolist(), test.tolist()) for train, test in splitter.split(X)]
    by_splitter, by_list = (tuned(cv=cv).fit(X, y) for cv in (splitter, given))
    assert told(by_splitter) == told(by_list)
    assert by_list.n_splits_ == 3


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, np.array, list])
def test_tables_of_any_kind(kind):
    numbers = np.arange(60.0).reshape(20, 3)[np.random.RandomState(0).permutation(20)]
    table = kind(numbers.tolist()) if kind is not pl.DataFrame else pl.DataFrame(numbers)
    if kind is pd.DataFrame:
        table.columns = ["a", "b", "c"]
    outcome = np.arange(20) % 4 != 0, np.arange(1.0, 21.0)
    fitted = tuned(cv=2, min_samples_leaf=2, max_depths=(1,)).fit(table, outcome)
    plain = tuned(cv=2, min_samples_leaf=2, max_depths=(1,)).fit(numbers, outcome)
    assert fitted.best_score_ == plain.best_score_


def test_outcome_by_name_and_weights():
    frame = X.to_pandas().assign(days=TIME, died=EVENT)
    named = tuned().fit(frame, duration_col="days", event_col="died")
    assert named.best_score_ == tuned().fit(X, y).best_score_
    twice = tuned().fit(X, y, sample_weight=np.full(len(TIME), 2.0))
    assert twice.best_score_ == pytest.approx(named.best_score_)


def test_rows_with_gaps_are_left_out_before_folds_are_made():
    table = X.to_pandas()
    name = next(name for name in table if table[name].dtype.kind in "if")
    spoiled = table.astype({name: float})
    spoiled.loc[[0, 5], name] = np.nan
    kept = np.setdiff1d(np.arange(len(table)), [0, 5])
    dropped = tuned(missing="drop").fit(spoiled, y)
    clean = tuned().fit(spoiled.iloc[kept], (EVENT[kept], TIME[kept]))
    assert dropped.best_score_ == clean.best_score_


def test_other_scores():
    by_c = tuned(scoring="harrell_c", rule="minimum").fit(X, y)
    assert 0.5 < by_c.best_score_ < 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_call = tuned(scoring=ibs_ratio_scorer).fit(X, y)
    assert -1 < by_call.best_score_ < 1


def test_stopped_searches_are_told_once():
    with pytest.warns(
        SearchStoppedWarning, match=r"of 6 searches were stopped \(node limit\)"
    ) as w:
        fitted = tuned(max_depths=(3,), node_limit=1).fit(X, y)
    assert len(w) == 1
    assert fitted.status_ == "node_limit"


def test_it_is_an_estimator_like_others(model):
    params = model.get_params()
    assert clone(model).get_params() == params
    assert OptimalSurvivalTreeCV().set_params(cv=3, rule="minimum").cv == 3
    again = pickle.loads(pickle.dumps(model))
    assert told(again) == told(model)


def test_searches_and_candidates_are_logged(caplog):
    with caplog.at_level("INFO", logger="survtree"):
        fitted = tuned(verbose=1).fit(X, y)
    first, names, *lines = [record.message for record in caplog.records]
    candidates = lines[-1 - len(fitted.cv_results_["params"]) :]
    searches = lines[: -len(candidates)]
    assert first == "137 rows | 12 searches, 1 at once"
    assert names == FITS_HEADER
    assert [line[8:] for line in searches[:3]] == [
        "     1 of 12 | all rows, depth 2",
        "     2 of 12 | all rows, depth 1",
        "     3 of 12 | fold 1, depth 2",
    ]
    assert len(searches) == 12
    assert [k for k, line in enumerate(candidates) if "chosen" in line] == [1 + fitted.best_index_]


def test_nested_score_is_that_of_fits_on_the_outer_training_rows():
    nested = tuned(cv=KFold(3)).nested_score(X, y, cv=KFold(4))
    for k, (train, test) in enumerate(KFold(4).split(X)):
        outer = (EVENT[train], TIME[train])
        inner = tuned(cv=KFold(3)).fit(X[train], outer)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = ibs_ratio((EVENT[test], TIME[test]), inner, X=X[test], train=outer)
        assert nested.scores[k] == pytest.approx(score, abs=1e-9)
        assert nested.params[k] == inner.best_params_
    assert nested.mean == nested.scores.mean()
    assert "over 4 outer folds" in str(nested)


def test_nested_score_leaves_the_estimator_alone():
    model = tuned()
    model.nested_score(X, y, cv=2)
    assert vars(model) == vars(tuned())


def test_a_plain_grid_search_works_too():
    grid = {"max_depth": [1, 2], "regularization": [0.02, 0.005]}
    search = GridSearchCV(OptimalSurvivalTree(), grid, scoring=ibs_ratio_scorer, cv=KFold(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    assert search.best_params_["max_depth"] in (1, 2)
    assert search.predict(X).shape == (len(TIME),)


def test_the_smallest_automatic_penalty_of_the_likelihood_is_that_of_the_likelihood():
    model = OptimalSurvivalTreeCV(loss="likelihood", max_depths=(1,), cv=2).fit(X, y)
    assert model.cv_results_["param_regularization"].min() * len(X) >= 1.0 - 1e-9


def test_listed_folds_count_the_rows_that_were_passed():
    frame = X.to_pandas()
    frame.loc[:4, "Age_in_years"] = np.nan
    first, second = np.arange(0, 70), np.arange(70, len(frame))
    folds = [(first, second), (second, first)]
    options = {"max_depths": (1,), "min_regularization": 0.002}
    dropped = OptimalSurvivalTreeCV(missing="drop", cv=folds, **options).fit(frame, y)
    left = [(first[:-5], second - 5), (second - 5, first[:-5])]
    rest = OptimalSurvivalTreeCV(cv=left, **options).fit(frame[5:], y[5:])
    assert dropped.best_score_ == rest.best_score_
    with pytest.raises(ValueError, match="fold 0 has none on one side"):
        OptimalSurvivalTreeCV(missing="drop", cv=[(second, np.arange(5)), *folds]).fit(frame, y)
