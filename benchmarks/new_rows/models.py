"""All methods at the defaults of their programs: from training rows to predicted curves.

Trees are reduced to the leaf of each row, and every leaf predicts the Kaplan-Meier curve of its
training rows; ours predict their own curves. `ours` and `ours_cv` are at their defaults,
`ours_chosen_cuts` is a default fit without the search over every cut,
`ours_paper` is the paper's objective with a penalty of 0.01 per leaf (once the default), and
`greedy_teacher` a greedy tree of as many leaves for the same teacher. Programs that know neither
categories nor missing cells get encoded columns. `seconds` are those of encoding and fit.

Two things are not defaults, because there is no default that runs everywhere: random forest and
boosting get times on a grid of 300 quantiles where more differ; and Cox has a ridge penalty, on
standardised columns, equal to the number of columns, so that the log hazard of a row has variance 1
before any data are seen.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.ensemble import GradientBoostingSurvivalAnalysis, RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.tree import SurvivalTree

from benchmarks.new_rows.encoding import Encoder, on_grid
from benchmarks.new_rows.greedy import greedy_for_teacher
from benchmarks.new_rows.r_trees import server
from benchmarks.new_rows.scoring import Outcome, Prediction, leaf_prediction
from benchmarks.new_rows.tables import Fold, Rows
from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV


class Fitted(NamedTuple):
    """What a model predicts for the held-out rows of a fold, and the seconds of its fit."""

    prediction: Prediction
    seconds: float


Fit = Callable[[Rows, Rows, int], Fitted]
Method = Callable[[Rows, list[Fold]], Iterator[Fitted]]


def fold_by_fold(fit: Fit) -> Method:
    """A method that fits one fold at a time, with the repeat as its random seed."""

    def fits(rows: Rows, folds: list[Fold]) -> Iterator[Fitted]:
        for fold in folds:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield fit(rows.part(fold.train), rows.part(fold.test), fold.repeat)

    return fits


def in_r(name: str) -> Method:
    """Trees of an R program."""

    def fits(rows: Rows, folds: list[Fold]) -> Iterator[Fitted]:
        for fold, tree in zip(folds, server().trees(name, rows, folds), strict=True):
            outcome = outcome_of(rows.part(fold.train))
            yield Fitted(leaf_prediction(outcome, tree.leaves, tree.new_leaves), tree.seconds)

    return fits


def outcome_of(rows: Rows) -> Outcome:
    """Event flags and times."""
    return Outcome(rows.event, rows.time)


def structured(event: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The outcome as scikit-survival takes it."""
    y = np.empty(len(event), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, ends
    return y


def kaplan_meier(train: Rows, test: Rows, seed: int) -> Fitted:
    """One leaf."""
    leaves, new_leaves = np.zeros(len(train.time), int), np.zeros(len(test.time), int)
    return Fitted(leaf_prediction(outcome_of(train), leaves, new_leaves), 0.0)


def ours(fitted: Callable[..., Any]) -> Fit:
    """Our trees on the raw columns; the curve of a leaf is read off one of its rows."""

    def fit(train: Rows, test: Rows, seed: int) -> Fitted:
        start = time.perf_counter()
        model = fitted(train.X, (train.event, train.time))
        seconds = time.perf_counter() - start
        _, firsts, leaf = np.unique(model.apply(test.X), return_index=True, return_inverse=True)
        survival = model.predict_survival_function(test.X.iloc[firsts], return_array=True)
        found = Prediction(model.unique_times_, survival, leaf, n_leaves=model.n_leaves_)
        return Fitted(found, seconds)

    return fit


def sksurv_tree(max_depth: int | None) -> Fit:
    """scikit-survival's greedy tree."""

    def fit(train: Rows, test: Rows, seed: int) -> Fitted:
        start = time.perf_counter()
        encoder = Encoder(train.X)
        X = encoder.matrix(train.X).astype(np.float32)
        model = SurvivalTree(max_depth=max_depth, low_memory=True, random_state=seed)
        model.fit(X, structured(train.event, train.time))
        seconds = time.perf_counter() - start
        leaves = model.tree_.apply(X)
        new_leaves = model.tree_.apply(encoder.matrix(test.X).astype(np.float32))
        return Fitted(leaf_prediction(outcome_of(train), leaves, new_leaves), seconds)

    return fit


def surtree(train: Rows, test: Rows, seed: int) -> Fitted:
    """STreeD's optimal survival tree of depth 3, which makes 0/1 columns of numbers itself."""
    from benchmarks.new_rows.streed_leaves import leaves_of, solver

    start = time.perf_counter()
    encoder = Encoder(train.X)
    model, X = solver(), encoder.matrix(train.X)
    model.fit(X, structured(train.event, train.time))
    seconds = time.perf_counter() - start
    leaves, new_leaves = leaves_of(model, X), leaves_of(model, encoder.matrix(test.X))
    return Fitted(leaf_prediction(outcome_of(train), leaves, new_leaves), seconds)


def curves_by(make: Callable[[int, int], Any], has_grid: bool) -> Fit:
    """A model of scikit-survival with a curve and a risk for each row."""

    def fit(train: Rows, test: Rows, seed: int) -> Fitted:
        start = time.perf_counter()
        encoder = Encoder(train.X)
        X = encoder.matrix(train.X)
        ends = on_grid(train.time) if has_grid else train.time
        model = make(X.shape[1], seed).fit(X, structured(train.event, ends))
        seconds = time.perf_counter() - start
        new = encoder.matrix(test.X)
        survival = model.predict_survival_function(new, return_array=True)
        times = model.predict_survival_function(new[:1])[0].x
        rows = np.arange(len(new))
        return Fitted(Prediction(times, survival, rows, risk=model.predict(new)), seconds)

    return fit


def _cox(n_columns: int, seed: int) -> Any:
    # A ridge penalty does not see rotations: with more columns than rows, all that these can tell
    # is in as many rotated columns as there are rows.
    model = CoxPHSurvivalAnalysis(alpha=n_columns)
    return make_pipeline(StandardScaler(), PCA(svd_solver="full"), model)


def _forest(n_columns: int, seed: int) -> Any:
    return RandomSurvivalForest(n_jobs=1, random_state=seed)


def _boosting(n_columns: int, seed: int) -> Any:
    return GradientBoostingSurvivalAnalysis(random_state=seed)


IN_R = {"ctree": "partykit", "rpart": "rpart", "rpart_1se": "rpart"}
# The first ones are run on all tables before the others begin.
FIRST: dict[str, Method] = {
    "kaplan_meier": fold_by_fold(kaplan_meier),
    **{name: in_r(name) for name in IN_R},
}
OTHERS: dict[str, Method] = {
    "forest": fold_by_fold(curves_by(_forest, has_grid=True)),
    "boosting": fold_by_fold(curves_by(_boosting, has_grid=True)),
    "cox": fold_by_fold(curves_by(_cox, has_grid=False)),
    "ours": fold_by_fold(ours(OptimalSurvivalTree(missing="question").fit)),
    "ours_chosen_cuts": fold_by_fold(
        ours(OptimalSurvivalTree(thresholds={}, missing="question").fit)
    ),
    "ours_cv": fold_by_fold(ours(OptimalSurvivalTreeCV(missing="question").fit)),
    "ours_paper": fold_by_fold(
        ours(OptimalSurvivalTree(regularization=0.01, missing="question").fit)
    ),
    "greedy_teacher": fold_by_fold(ours(greedy_for_teacher)),
    "sksurv_depth3": fold_by_fold(sksurv_tree(3)),
    "sksurv_tree": fold_by_fold(sksurv_tree(None)),
    "surtree": fold_by_fold(surtree),
}
METHODS = FIRST | OTHERS
