"""Tools of scikit-learn and scikit-survival that take models of others."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.inspection import (
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)
from sklearn.model_selection import GridSearchCV, KFold

from survtree import OptimalSurvivalTree, metrics
from survtree.datasets import load

sksurv_metrics = pytest.importorskip("sksurv.metrics")
SCORERS = [
    metrics.harrell_c_scorer,
    metrics.uno_c_scorer,
    metrics.auc_scorer,
    metrics.ibs_ratio_scorer,
    metrics.neg_integrated_brier_scorer,
]
END = 2000.0
TIMES = np.array([100.0, 500, 1000, 1500])
WRAPPERS = {
    sksurv_metrics.as_integrated_brier_score_scorer: {"times": TIMES},
    sksurv_metrics.as_concordance_index_ipcw_scorer: {"tau": 1500.0},
    sksurv_metrics.as_cumulative_dynamic_auc_scorer: {"times": TIMES},
}


@pytest.fixture(scope="module")
def whas():
    X, y = load("whas500", backend="pandas")
    return X.astype(float), y


@pytest.fixture(scope="module")
def model(whas):
    return OptimalSurvivalTree(3, 0.003).fit(*whas)


def columns_of(model):
    return {model.questions_.asked[j].column for j in model.tree_.question if j >= 0}


@pytest.mark.parametrize("scoring", [None, *SCORERS], ids=lambda s: getattr(s, "__name__", "score"))
def test_permuting_a_column_matters_if_the_tree_asks_about_it(whas, model, scoring):
    X, y = whas
    found = permutation_importance(model, X, y, scoring=scoring, n_repeats=3, random_state=0)
    asked = columns_of(model)
    for column in range(X.shape[1]):
        is_used = bool(np.any(found.importances[column] != 0))
        assert is_used == (column in asked), X.columns[column]
    assert X.columns[np.argmax(found.importances_mean)] == "age"


def test_polars_frames_lose_their_names_on_the_way_and_are_told_so(model):
    X, y = load("whas500")
    named = OptimalSurvivalTree(3, 0.003).fit(X, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = permutation_importance(named, X, y, n_repeats=2, random_state=0)
    arrays = OptimalSurvivalTree(3, 0.003).fit(X.to_numpy(), y)
    expected = permutation_importance(arrays, X.to_numpy(), y, n_repeats=2, random_state=0)
    assert np.array_equal(found.importances, expected.importances)


class Risk(RegressorMixin, BaseEstimator):
    """A fitted tree as a regressor of its risk score."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return self.model.predict(X)

    def __sklearn_is_fitted__(self):
        return True


def test_partial_dependence_needs_a_regressor(whas, model):
    X, _ = whas
    with pytest.raises(ValueError, match="must be a fitted regressor or classifier"):
        partial_dependence(model, X, ["age"])


def test_partial_dependence_of_a_wrapped_tree_is_the_mean_risk(whas, model):
    X, y = whas
    found = partial_dependence(Risk(model), X, ["age"], grid_resolution=5)
    for age, mean in zip(found["grid_values"][0], found["average"][0], strict=True):
        assert mean == pytest.approx(model.predict(X.assign(age=age)).mean())
    assert len(set(found["average"][0])) > 1
    array = OptimalSurvivalTree(3, 0.003).fit(X.to_numpy(), y)
    place = list(X.columns).index("age")
    same = partial_dependence(Risk(array), X.to_numpy(), [place], grid_resolution=5)
    assert np.allclose(same["average"], found["average"])


def test_partial_dependence_on_categories():
    X, y = load("gbsg2", backend="pandas")
    model = OptimalSurvivalTree(3, 0.002).fit(X, y)
    names = ["horTh", "menostat", "tgrade"]
    found = partial_dependence(Risk(model), X, ["horTh"], categorical_features=names)
    means = dict(zip(found["grid_values"][0], found["average"][0], strict=True))
    assert means["yes"] == pytest.approx(model.predict(X.assign(horTh="yes")).mean())
    assert means["yes"] < means["no"]


def test_partial_dependence_is_drawn(whas, model):
    mpl.use("Agg")
    X, _ = whas
    shown = PartialDependenceDisplay.from_estimator(
        Risk(model), X, ["age", ("age", "chf")], grid_resolution=5
    )
    assert shown.axes_.shape == (1, 2)
    mpl.pyplot.close(shown.figure_)


def within(y, end):
    """The outcome if the study had ended then."""
    out = y.copy()
    out["event"] &= y["time"] <= end
    out["time"] = np.minimum(y["time"], end)
    return out


@pytest.mark.parametrize("wrap", WRAPPERS, ids=lambda wrap: wrap.__name__)
def test_scikit_survival_scores_trees_in_a_search(whas, wrap):
    X, y = whas
    y = within(y, END)
    wrapped = wrap(OptimalSurvivalTree(2, 0.003), **WRAPPERS[wrap])
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(wrapped, {"estimator__max_depth": [0, 2]}, cv=folds).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_ == {"estimator__max_depth": 2}
    assert search.best_estimator_.estimator_.n_leaves_ > 1


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_scikit_survival_scores_frames_of_any_library(backend):
    X, y = load("whas500", backend=backend)
    y = within(y, END)
    wrapped = sksurv_metrics.as_concordance_index_ipcw_scorer(
        OptimalSurvivalTree(2, 0.003), tau=1500.0
    )
    score = wrapped.fit(X, y).score(X, y)
    tree = OptimalSurvivalTree(2, 0.003).fit(X, y)
    assert score == sksurv_metrics.concordance_index_ipcw(y, y, tree.predict(X), tau=1500.0)[0]


def test_the_two_libraries_agree_on_concordance(whas, model):
    X, y = whas
    expected = sksurv_metrics.concordance_index_censored(y["event"], y["time"], model.predict(X))[0]
    assert model.score(X, y) == pytest.approx(expected)
