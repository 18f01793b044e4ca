"""Bad references of a fit: names, models, curves and losses."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from survtree import OptimalSurvivalTree, StepFunction, bootstrap
from tests.support.bad_inputs.case import TABLE, TIME, Case, N, Y, but

TIMES = np.array([1.0, 5.0, 9.0])
CURVES = np.tile([0.9, 0.5, 0.2], (N, 1))
CURVE = StepFunction(TIMES, CURVES[0], before=1.0)
LOSSES = np.full(N, 0.001)


def losses(reference: Any) -> Any:
    """A fit to the good table with that reference."""
    return OptimalSurvivalTree(reference=reference, random_state=0).fit(TABLE, Y)


def resampled(reference: Any) -> Any:
    """A bootstrap with that reference."""
    return bootstrap(OptimalSurvivalTree(1, 0.01, reference=reference), TABLE, Y, n_bootstraps=2)


class Model:
    """A fitted model that predicts what it is told, from as many as there are."""

    def __init__(self, functions: Any) -> None:
        self.functions = functions

    def predict_survival_function(self, X: Any) -> Any:
        """Ignores X."""
        return self.functions


def of_a_model(x: Any, y: Any) -> Any:
    """The losses of a model of which one curve, the fourth, is bad."""
    functions = [CURVE] * N
    functions[3] = SimpleNamespace(x=x, y=y)
    return losses(Model(functions))


REFERENCES: dict[str, list[Case]] = {
    "Reference: kind": [
        Case("`'forrest'`", lambda: losses("forrest"), ("'forrest'", "mean 'forest'")),
        Case("`'cox'`", lambda: losses("cox"), ("'cox'", "'boosting'")),
        Case("a number", lambda: losses(0.05), ("float",), TypeError),
        Case("a dict", lambda: losses({"times": TIMES}), ("dict",), TypeError),
        Case(
            "a class",
            lambda: losses(OptimalSurvivalTree),
            ("the class OptimalSurvivalTree",),
            TypeError,
        ),
        Case("another kind of model", lambda: losses(Ridge()), ("Ridge",), TypeError),
        Case(
            "a grid search",
            lambda: losses(
                GridSearchCV(OptimalSurvivalTree(1), {"regularization": [0.1]}, cv=2).fit(
                    TABLE, np.column_stack(Y)
                )
            ),
            ("GridSearchCV", "best_estimator_"),
            TypeError,
        ),
        Case("predicted functions", lambda: losses([CURVE] * N), ("StepFunction",)),
        Case("probabilities without times", lambda: losses(CURVES), ("(16, 3)",)),
        Case("a frame of them", lambda: losses(pd.DataFrame(CURVES)), ("DataFrame", "(16, 3)")),
        Case("three dimensions", lambda: losses(CURVES[None]), ("3 dimensions",)),
        Case("a list of uneven parts", lambda: losses([[0.1], [0.1, 0.2], []]), ("uneven",)),
    ],
    "Reference: curves": [
        Case("three parts", lambda: losses((CURVES, TIMES, TIMES)), ("3 parts",)),
        Case("times before probabilities", lambda: losses((TIMES, CURVES)), ("shape (3,)",)),
        Case("uneven rows", lambda: losses(([[0.9], [0.9, 0.5]], TIMES)), ("uneven",)),
        Case("text", lambda: losses((CURVES.astype(str), TIMES)), ("type <U",)),
        Case("a row less", lambda: losses((CURVES[1:], TIMES)), ("16", "(15, 3)")),
        Case("a time less", lambda: losses((CURVES, TIMES[1:])), ("2 times", "(16, 3)")),
        Case("a negative time", lambda: losses((CURVES, TIMES - 3)), ("-2",)),
        Case("an infinite time", lambda: losses((CURVES, [1, 5, np.inf])), ("place 2", "inf")),
        Case("a missing time", lambda: losses((CURVES, [1, np.nan, 5])), ("place 1", "nan")),
        Case("times in disorder", lambda: losses((CURVES, [1, 9, 5])), ("5 comes after 9",)),
        Case("times as text", lambda: losses((CURVES, ["1", "5", "9"])), ("'1'",)),
        Case(
            "a probability above 1",
            lambda: losses((but(CURVES, (3, 1), 1.5), TIMES)),
            ("row 3 has 1.5 at time 5",),
        ),
        Case(
            "a missing probability",
            lambda: losses((but(CURVES, (3, 1), np.nan), TIMES)),
            ("row 3 has nan at time 5",),
        ),
        Case(
            "a curve that rises",
            lambda: losses((but(CURVES, (3, 2), 0.6), TIMES)),
            ("row 3 goes from 0.5 to 0.6 at time 9",),
        ),
        Case("in a bootstrap", lambda: resampled((CURVES, TIMES)), ("reference", "curves")),
    ],
    "Reference: models": [
        Case("not fitted", lambda: losses(OptimalSurvivalTree()), ("OptimalSurvivalTree",)),
        Case(
            "fitted on other columns",
            lambda: losses(OptimalSurvivalTree(1).fit(TABLE[["age"]], Y)),
            ("OptimalSurvivalTree.predict_survival_function(X) failed with ValueError: The",),
        ),
        Case("fewer curves than rows", lambda: losses(Model([CURVE] * 5)), ("5 for 16",)),
        Case(
            "probabilities instead of functions",
            lambda: losses(Model(CURVES)),
            ("ndarray of shape (16, 3)",),
            TypeError,
        ),
        Case("functions without steps", lambda: losses(Model([len])), ("row 0",), TypeError),
        Case("nothing", lambda: losses(Model(None)), ("NoneType",), TypeError),
        Case("steps without values", lambda: of_a_model([1.0], []), ("row 3",), TypeError),
        Case("a negative time", lambda: of_a_model([-1.0], [0.9]), ("-1",)),
        Case("an infinite time", lambda: of_a_model([np.inf], [0.9]), ("place 0", "inf")),
        Case("times in disorder", lambda: of_a_model([5, 4], [0.9, 0.8]), ("4 comes after 5",)),
        Case("hazards", lambda: of_a_model([2, 4], [0.9, 1.8]), ("row 3 has 1.8 at time 4",)),
        Case("curves that rise", lambda: of_a_model([2, 4], [0.7, 0.8]), ("0.7 to 0.8",)),
    ],
    "Reference: losses": [
        Case("fewer than rows", lambda: losses(LOSSES[1:]), ("16", "15")),
        Case("negative", lambda: losses(but(LOSSES, 3, -0.1)), ("row 3", "-0.1")),
        Case("missing", lambda: losses(but(LOSSES, 3, np.nan)), ("row 3", "nan")),
        Case("infinite", lambda: losses(but(LOSSES, 3, np.inf)), ("row 3", "inf")),
        Case("text", lambda: losses(["low"] * N), ("row 0", "'low'")),
        Case("not divided by rows and time", lambda: losses(TIME), ("row 0 has 1",)),
        Case("in a bootstrap", lambda: resampled(LOSSES), ("reference", "losses")),
    ],
}
