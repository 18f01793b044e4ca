"""Bad teachers of a fit: names, models and curves."""

from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, bootstrap
from tests.support.bad_inputs.case import TABLE, Case, N, Y, but
from tests.support.bad_inputs.references import CURVE, CURVES, TIMES, Model


def taught(teacher: Any, **options: Any) -> Any:
    """A fit to the good table with that teacher."""
    return OptimalSurvivalTree(1, teacher=teacher, **options).fit(TABLE, Y)


def tuned(teacher: Any) -> Any:
    """A cross-validation with that teacher."""
    return OptimalSurvivalTreeCV(max_depths=(1,), cv=2, teacher=teacher).fit(TABLE, Y)


def resampled(teacher: Any) -> Any:
    """A bootstrap with that teacher."""
    return bootstrap(OptimalSurvivalTree(1, teacher=teacher), TABLE, Y, n_bootstraps=2)


TEACHERS: dict[str, list[Case]] = {
    "Teacher: kind": [
        Case("`'forrest'`", lambda: taught("forrest"), ("'forrest'", "mean 'forest'")),
        Case("`'boosting'`", lambda: taught("boosting"), ("'boosting'", "'cox'")),
        Case("a number", lambda: taught(0.05), ("float",), TypeError),
        Case("`True`", lambda: taught(True), ("bool",), TypeError),
        Case(
            "a class",
            lambda: taught(OptimalSurvivalTree),
            ("the class OptimalSurvivalTree",),
            TypeError,
        ),
        Case("another kind of model", lambda: taught(Ridge()), ("Ridge",), TypeError),
        Case("probabilities without times", lambda: taught(CURVES), ("ndarray",), TypeError),
        Case("a pair that is a list", lambda: taught([CURVES, TIMES]), ("list",), TypeError),
        Case(
            "a reference beside it",
            lambda: taught("cox", reference="forest"),
            ("reference", "teacher=None"),
        ),
        Case(
            "`loss='likelihood'` beside it",
            lambda: taught("cox", loss="likelihood"),
            ("teacher", "loss='brier'"),
        ),
    ],
    "Teacher: curves": [
        Case("three parts", lambda: taught((CURVES, TIMES, TIMES)), ("3 parts",)),
        Case("times before probabilities", lambda: taught((TIMES, CURVES)), ("shape (3,)",)),
        Case("a row less", lambda: taught((CURVES[1:], TIMES)), ("16", "(15, 3)")),
        Case("a time less", lambda: taught((CURVES, TIMES[1:])), ("2 times", "(16, 3)")),
        Case("a negative time", lambda: taught((CURVES, TIMES - 3)), ("-2",)),
        Case(
            "a missing probability",
            lambda: taught((but(CURVES, (3, 1), np.nan), TIMES)),
            ("row 3 has nan at time 5",),
        ),
        Case(
            "a curve that rises",
            lambda: taught((but(CURVES, (3, 2), 0.6), TIMES)),
            ("row 3 goes from 0.5 to 0.6 at time 9",),
        ),
        Case("in a cross-validation", lambda: tuned((CURVES, TIMES)), ("teacher", "'forest'")),
        Case("in a bootstrap", lambda: resampled((CURVES, TIMES)), ("teacher", "'forest'")),
    ],
    "Teacher: models": [
        Case("not fitted", lambda: taught(OptimalSurvivalTree()), ("OptimalSurvivalTree",)),
        Case(
            "fitted on other columns",
            lambda: taught(OptimalSurvivalTree(1, 0.01).fit(TABLE[["age"]], Y)),
            ("OptimalSurvivalTree.predict_survival_function(X) failed with ValueError: The",),
        ),
        Case("fewer curves than rows", lambda: taught(Model([CURVE] * 5)), ("5 for 16",)),
        Case(
            "probabilities instead of functions",
            lambda: taught(Model(CURVES)),
            (f"ndarray of shape ({N}, 3)",),
            TypeError,
        ),
    ],
}
