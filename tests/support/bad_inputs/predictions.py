"""Bad inputs to a fitted model, and to what is asked for data sets."""

import contextlib
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from survtree import Binarizer, OptimalSurvivalTree, export_text
from survtree.datasets import fetch, load
from tests.support.bad_inputs.case import MATRIX, TABLE, Case, Y, but


def fitted(X: Any = TABLE, **options: Any) -> Any:
    """A tree that asks about each column it gets."""
    return OptimalSurvivalTree(2, 0.0, **{"min_samples_leaf": 2, **options}).fit(X, Y)


def binarized(**columns: Any) -> Any:
    """The answers of the table with other columns, asked by a binarizer of the table."""
    return Binarizer().fit(TABLE).transform(TABLE.assign(**columns))


def fetch_into_a_file() -> None:
    """Asks for the paper's data sets where a file is."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("notes.txt").touch()
        fetch("notes.txt")


PREDICTIONS: dict[str, list[Case]] = {
    "Prediction: columns": [
        Case(
            "a model that was not fitted",
            lambda: OptimalSurvivalTree().predict(TABLE),
            (),
            NotFittedError,
            "This OptimalSurvivalTree instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
        Case(
            "`export_text` of it",
            lambda: export_text(OptimalSurvivalTree()),
            (),
            NotFittedError,
            "This OptimalSurvivalTree instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
        Case(
            "a column less",
            lambda: fitted().predict(TABLE[["age", "stage", "treated"]]),
            start="The feature names should match those that were passed during fit. Feature names "
            "seen at fit time, yet now missing: - smoker",
        ),
        Case(
            "a column with another name",
            lambda: fitted().predict(TABLE.rename(columns={"age": "Age"})),
            start="The feature names should match those that were passed during fit. Feature names "
            "unseen at fit time: - Age",
        ),
        Case(
            "columns in another order",
            lambda: fitted().predict(TABLE[["stage", "age", "treated", "smoker"]]),
            start="The feature names should match those that were passed during fit. Feature names "
            "must be in the same order as they were in fit.",
        ),
        Case(
            "an array with more columns",
            lambda: fitted(MATRIX).predict(np.zeros((2, 3))),
            start="X has 3 features, but OptimalSurvivalTree is expecting 2 features as input.",
        ),
        Case(
            "an array where the fit had a frame",
            lambda: fitted(TABLE[["age", "treated"]]).predict(MATRIX),
            (),
            UserWarning,
            "X does not have valid feature names, but OptimalSurvivalTree was fitted with feature "
            "names",
        ),
        Case("one row as a Series", lambda: fitted().predict(TABLE.iloc[0]), ("Series",)),
        Case(
            "text where the fit had numbers",
            lambda: fitted().predict(TABLE.assign(age="old")),
            ("'age'", "row 0", "'old'"),
        ),
        Case(
            "text where the fit had flags",
            lambda: fitted().predict(TABLE.assign(smoker="yes")),
            ("'smoker'", "row 0", "'yes'"),
        ),
        Case(
            "infinity",
            lambda: fitted().predict(TABLE.assign(age=-np.inf)),
            ("'age'", "row 0", "-inf"),
        ),
    ],
    "Prediction: cells": [
        Case(
            "missing values, fitted with `missing='error'`",
            lambda: fitted().predict(TABLE.assign(age=but(TABLE["age"], 3, np.nan))),
            ("'age' (1, the first in row 3)",),
        ),
        Case(
            "missing values, fitted with `missing='drop'`",
            lambda: fitted(missing="drop").predict(TABLE.assign(stage=[None, "II"] * 8)),
            ("'stage' (8, the first in row 0)",),
        ),
        Case(
            "missing values, fitted with `missing='question'` on complete rows",
            lambda: fitted(missing="question").predict(
                TABLE.assign(age=but(TABLE["age"], 3, np.nan))
            ),
            ("'age'", "1 missing"),
            UserWarning,
        ),
        Case(
            "a level that the fit did not have",
            lambda: binarized(stage=["IV", "II"] * 8),
            ("'stage'", "'IV'", "8 rows"),
            UserWarning,
        ),
        Case(
            "another spelling of a level",
            lambda: binarized(stage=[" II", *TABLE["stage"][1:]]),
            ("'stage'", "' II'", "1 row"),
            UserWarning,
        ),
        Case(
            "2 where the fit had 0 and 1",
            lambda: binarized(treated=[1, 2] * 8),
            ("'treated'", "2", "8 rows"),
            UserWarning,
        ),
        Case(
            "2 where the fit had flags",
            lambda: binarized(smoker=[1, 2] * 8),
            ("'smoker'", "2", "8 rows"),
            UserWarning,
        ),
    ],
    "Names of groups": [
        Case("`rename({9: 'high'})`", lambda: fitted().rename({9: "high"}), ("9", "from 1 to")),
        Case("`rename({1: 3})`", lambda: fitted().rename({1: 3}), ("group 1", "3"), TypeError),
        Case("`rename({1: ''})`", lambda: fitted().rename({1: ""}), ("group 1", "''")),
        Case(
            "one name for two groups",
            lambda: fitted().rename({1: "low", 2: "low"}),
            ("'low'", "differ"),
        ),
        Case("`rename(['low'])`", lambda: fitted().rename(["low"]), ("list", "dict"), TypeError),
    ],
    "Questions to a fitted model": [
        Case("`predict_quantile(X, 50)`", lambda: fitted().predict_quantile(TABLE, 50), ("50",)),
        Case(
            "`predict_survival_function(X, times=[365, 30])`",
            lambda: fitted().predict_survival_function(TABLE, times=[365, 30]),
            ("times", "30 comes after 365"),
        ),
        Case(
            "`predict_survival_function(X, times=[30, nan])`",
            lambda: fitted().predict_survival_function(TABLE, times=[30, np.nan]),
            ("times", "nan"),
        ),
        Case(
            "`predict_survival_function(X, times='a year')`",
            lambda: fitted().predict_survival_function(TABLE, times="a year"),
            ("times", "'a year'"),
        ),
        Case("`score(X, None)`", lambda: fitted().score(TABLE, None), ("y is None",)),
        Case("`optimal_trees(limit=0)`", lambda: fitted().optimal_trees(0), ("limit", "0")),
        Case(
            "`certificate_.write_proof(path)` of a model without a full proof",
            lambda: fitted().certificate_.write_proof("proof"),
            ("write_proof", "certificate='full'"),
        ),
        Case(
            "`optimal_trees()` of an unpickled model",
            lambda: pickle.loads(pickle.dumps(fitted())).optimal_trees(),
            ("optimal_trees",),
        ),
    ],
    "Data sets": [
        Case("`load('veteran')`", lambda: load("veteran"), ("name", "'veteran'", "'veterans'")),
        Case("`load('lung')`", lambda: load("lung"), ("name", "'lung'", "'whas500'")),
        Case(
            "`load('veterans', encoding='binary')`",
            lambda: load("veterans", encoding="binary"),
            ("encoding", "'binary'"),
        ),
        Case(
            "`load('veterans', backend='panda')`",
            lambda: load("veterans", backend="panda"),
            ("backend", "'panda'", "'pandas'"),
        ),
        Case("`fetch('notes.txt')`, which is a file", fetch_into_a_file, ("folder", "notes.txt")),
    ],
}
