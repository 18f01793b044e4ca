"""Rules of the user about columns, and groups of rows, that cannot be followed."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from survtree import (
    DataWarning,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    export_json,
    load,
)
from tests.support.bad_inputs.case import MATRIX, TABLE, Case, N, Y
from tests.support.bad_inputs.tables import fit as fit_file

PAIRS = np.arange(N) // 2
HALVES = [(range(7), range(7, N)), (range(7, N), range(7))]


def fit(X: Any = TABLE, **options: Any) -> Any:
    """Fits a table; what is not given is good."""
    return OptimalSurvivalTree(1, 0.01, min_samples_leaf=2, **options).fit(X, Y)


def tune(X: Any = TABLE, groups: Any = None, **options: Any) -> Any:
    """Tunes on a table; what is not given is good."""
    options = {"cv": 2, "max_depths": (1,), "min_regularization": 0.01, **options}
    return OptimalSurvivalTreeCV(**options).fit(X, Y, groups=groups)


def changed_file(**certificate: Any) -> Any:
    """Loads a model file with another certificate."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        export_json(fit(column_penalties={"age": 0.0001}), path)
        given = json.loads(path.read_text())
        given["certificate"] |= certificate
        path.write_text(json.dumps(given))
        try:
            return load(path)
        except ValueError as error:
            raise ValueError(str(error).replace(str(path), "model.json")) from None


RULES: dict[str, list[Case]] = {
    "Rules about columns": [
        Case(
            "`column_penalties={'agee': 0.1}`",
            lambda: fit(column_penalties={"agee": 0.1}),
            ("'agee'", "'age'"),
        ),
        Case(
            "`column_penalties={'age': -0.1}`",
            lambda: fit(column_penalties={"age": -0.1}),
            ("column_penalties", "-0.1"),
        ),
        Case(
            "`column_penalties={'age': inf}`",
            lambda: fit(column_penalties={"age": np.inf}),
            ("column_penalties", "inf"),
        ),
        Case(
            "`column_penalties={'age': nan}`",
            lambda: fit(column_penalties={"age": np.nan}),
            ("column_penalties", "nan"),
        ),
        Case(
            "`column_penalties={'age': '0.1'}`",
            lambda: fit(column_penalties={"age": "0.1"}),
            ("column_penalties", "'0.1'"),
            TypeError,
        ),
        Case(
            "`column_penalties={'age': True}`",
            lambda: fit(column_penalties={"age": True}),
            ("column_penalties",),
            TypeError,
        ),
        Case(
            "`column_penalties=0.1`",
            lambda: fit(column_penalties=0.1),
            ("column_penalties", "0.1"),
            TypeError,
        ),
        Case(
            "`column_penalties=['age']`",
            lambda: fit(column_penalties=["age"]),
            ("column_penalties",),
            TypeError,
        ),
        Case(
            "`column_penalties={0: 0.1}`",
            lambda: fit(MATRIX, column_penalties={0: 0.1}),
            ("column_penalties",),
            TypeError,
        ),
        Case(
            "`column_penalties={'age': 0.1}` for an array",
            lambda: fit(MATRIX, column_penalties={"age": 0.1}),
            ("'age'", "'x0'"),
        ),
        Case("`first_split='trated'`", lambda: fit(first_split="trated"), ("'treated'",)),
        Case("`first_split=['age']`", lambda: fit(first_split=["age"]), ("['age']",), TypeError),
        Case("`first_split=0`", lambda: fit(first_split=0), ("first_split",), TypeError),
        Case(
            "`first_split='age', exclude=['age']`",
            lambda: fit(first_split="age", exclude=["age"]),
            ("'age'", "exclude"),
        ),
        Case(
            "`first_split` of a column with one value",
            lambda: fit(TABLE.assign(arm=1), first_split="arm"),
            ("'arm'", "one leaf"),
            DataWarning,
        ),
        Case(
            "a model file whose first split is not `first_split`",
            lambda: changed_file(first_split="smoker"),
            ("'smoker'",),
        ),
        Case(
            "a model file with a rule about another column",
            lambda: changed_file(first_split="nobody"),
            ("'nobody'",),
        ),
        Case(
            "a model file with another penalty of a column",
            lambda: changed_file(column_penalties={"age": 0.1, "treated": 0.1, "stage": 0.1}),
            ("penalties of columns",),
        ),
    ],
    "Groups of rows": [
        Case("`groups` of 10 rows", lambda: tune(groups=PAIRS[:10]), ("16", "10")),
        Case("`groups='subject'`", lambda: tune(groups="subject"), ("'subject'",)),
        Case(
            "`groups='subject'` for an array",
            lambda: tune(MATRIX, groups="subject"),
            ("'subject'",),
        ),
        Case("`groups=5`", lambda: tune(groups=5), ("int",), TypeError),
        Case("`groups` in two columns", lambda: tune(groups=np.zeros((N, 2))), ("(16, 2)",)),
        Case(
            "a missing group",
            lambda: tune(groups=np.where(PAIRS == 3, np.nan, PAIRS)),
            ("row 6",),
        ),
        Case(
            "a group that is pandas' `NA`",
            lambda: tune(groups=pd.Series(PAIRS, dtype="Int64").where(PAIRS != 3)),
            ("row 6",),
        ),
        Case(
            "fewer groups than folds",
            lambda: tune(groups=np.arange(N) // 8, cv=3),
            ("cv is 3", "2 groups"),
        ),
        Case(
            "all events in one group",
            lambda: OptimalSurvivalTreeCV(cv=2, max_depths=(1,)).fit(
                TABLE, (np.arange(N) < 4, Y[1]), groups=np.arange(N) // 4
            ),
            ("event",),
        ),
        Case("folds that part a group", lambda: tune(groups=PAIRS, cv=HALVES), ("row 6",)),
        Case(
            "`bootstrap` with `groups` of 10 rows",
            lambda: bootstrap(OptimalSurvivalTree(1, 0.01), TABLE, Y, groups=PAIRS[:10]),
            ("16", "10"),
        ),
        Case("`--groups subject`", lambda: fit_file(groups="subject"), ("--groups", "'subject'")),
    ],
}
