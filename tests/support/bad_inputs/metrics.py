"""Bad inputs to the metrics: outcomes, curves, risks and what is asked."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from survtree import DataWarning, OptimalSurvivalTree, metrics
from tests.support.bad_inputs.case import EVENT, MATRIX, TIME, Case, N, Y, but
from tests.support.bad_inputs.references import CURVE, CURVES, TIMES, Model

PAIR = (CURVES, TIMES)
FUNCTIONS = [CURVE] * N
RISK = np.arange(N)
LABELLED = (pd.Series(EVENT), pd.Series(TIME))
LATE = (np.arange(64) % 3 > 0, np.append(np.arange(1.0, 64), 1000.0))
LATE_PAIR = (np.full((64, 1), 0.5), [20.0])


def ibs(curves: Any = PAIR, y: Any = Y, **options: Any) -> Any:
    """The integrated Brier score of the good table."""
    return metrics.integrated_brier_score(y, curves, **options)


def of_functions(x: Any, y: Any) -> Any:
    """The score of functions of which one, the fourth, is bad."""
    return ibs([*FUNCTIONS[:3], SimpleNamespace(x=x, y=y), *FUNCTIONS[4:]])


METRICS: dict[str, list[Case]] = {
    "Metrics: outcomes": [
        Case("no y", lambda: ibs(y=None), ("y must", "NoneType")),
        Case("times alone", lambda: ibs(y=TIME), ("y must", "(16,)")),
        Case("no rows", lambda: ibs(y=([], [])), ("y", "none")),
        Case("all times 0", lambda: ibs(y=(EVENT, 0 * TIME)), ("times", "16")),
        Case("a weight less", lambda: ibs(sample_weight=np.ones(15)), ("y has 16", "15")),
        Case("a negative weight", lambda: ibs(sample_weight=-TIME), ("row 0", "-1")),
        Case("training rows as a number", lambda: ibs(train=3), ("train must", "int")),
        Case(
            "a training event of 2",
            lambda: ibs(train=(but(EVENT, 3, 2, int), TIME)),
            ("event of train", "row 3 has 2"),
        ),
        Case(
            "a negative training time",
            lambda: ibs(train=(EVENT, but(TIME, 3, -4))),
            ("times of train", "row 3 has -4"),
        ),
        Case(
            "a training time less",
            lambda: ibs(train=(EVENT, TIME[1:])),
            ("of train", "16 and 15"),
        ),
        Case(
            "a training weight less",
            lambda: ibs(train=Y, train_weight=TIME[1:]),
            ("train_weight", "train has 16", "15"),
        ),
        Case(
            "training events and times with the same labels in another order",
            lambda: ibs(train=(LABELLED[0], LABELLED[1][::-1])),
            ("time of train", "event of train", "index"),
            DataWarning,
        ),
        Case("training weights alone", lambda: ibs(train_weight=TIME), ("train is missing",)),
        Case(
            "rows that end after the training rows",
            lambda: ibs(train=(EVENT[:10], TIME[:10])),
            ("10", "16", "6 of 16 rows"),
            metrics.BeyondTrainingWarning,
        ),
        Case(
            "one row that is followed for much longer than all others",
            lambda: metrics.ibs_ratio(LATE, LATE_PAIR),
            ("1 row of 64", "horizon"),
            metrics.TailWeightWarning,
        ),
        Case(
            "no event, and a concordance index asked for",
            lambda: metrics.harrell_c((0 * TIME, TIME), PAIR),
            ("harrell_c", "no such pair"),
        ),
        Case(
            "all events at the last time, and areas asked for",
            lambda: metrics.cumulative_dynamic_auc((EVENT, 0 * TIME + 5), PAIR),
            ("cumulative_dynamic_auc", "no such pair"),
        ),
    ],
    "Metrics: curves": [
        Case("a number", lambda: ibs(0.5), ("float",), TypeError),
        Case("`None`", lambda: ibs(None), ("NoneType",), TypeError),
        Case("a class", lambda: ibs(OptimalSurvivalTree), ("the class Opt",), TypeError),
        Case("another kind of model", lambda: ibs(Ridge()), ("Ridge",), TypeError),
        Case(
            "a grid search",
            lambda: ibs(GridSearchCV(Ridge(), {"alpha": [1]}, cv=2).fit(MATRIX, TIME), X=MATRIX),
            ("Ridge", "predict_survival_function"),
            TypeError,
        ),
        Case(
            "a model without X",
            lambda: ibs(OptimalSurvivalTree().fit(MATRIX, Y)),
            ("OptimalSurvivalTree", "X="),
        ),
        Case("X without a model", lambda: ibs(PAIR, X=MATRIX), ("tuple",)),
        Case(
            "a model that was not fitted",
            lambda: ibs(OptimalSurvivalTree(), X=MATRIX),
            ("OptimalSurvivalTree", "not fitted"),
        ),
        Case(
            "a model of other columns",
            lambda: ibs(OptimalSurvivalTree().fit(MATRIX, Y), X=MATRIX[:, :1]),
            ("failed with ValueError", "1 features"),
        ),
        Case(
            "a model and a row less of X",
            lambda: ibs(OptimalSurvivalTree().fit(MATRIX, Y), X=MATRIX[1:]),
            ("15 for 16",),
        ),
        Case(
            "a model that predicts probabilities",
            lambda: ibs(Model(CURVES), X=MATRIX),
            ("ndarray of shape (16, 3)",),
            TypeError,
        ),
        Case("probabilities without times", lambda: ibs(CURVES), ("(16, 3)", "pair"), TypeError),
        Case("times before probabilities", lambda: ibs((TIMES, CURVES)), ("shape (3,)",)),
        Case("three parts", lambda: ibs((CURVES, TIMES, 1)), ("3 parts",)),
        Case("a row less", lambda: ibs((CURVES[1:], TIMES)), ("16", "(15, 3)")),
        Case("a time less", lambda: ibs((CURVES, TIMES[1:])), ("2 times", "(16, 3)")),
        Case("times in disorder", lambda: ibs((CURVES, [1, 9, 5])), ("5 comes after 9",)),
        Case(
            "a probability above 1",
            lambda: ibs((but(CURVES, (3, 1), 1.5), TIMES)),
            ("row 3 has 1.5 at time 5",),
        ),
        Case(
            "a curve that rises",
            lambda: ibs((but(CURVES, (3, 2), 0.6), TIMES)),
            ("row 3 goes from 0.5 to 0.6 at time 9",),
        ),
        Case("a function less", lambda: ibs(FUNCTIONS[1:]), ("16 rows and 15",)),
        Case("risks", lambda: ibs(list(range(N))), ("int for row 0",), TypeError),
        Case("functions without steps", lambda: ibs([len] * N), ("row 0",), TypeError),
        Case("steps without values", lambda: of_functions([1.0], []), ("row 3",), TypeError),
        Case("hazards", lambda: of_functions([2, 4], [0.9, 1.8]), ("row 3 has 1.8 at time 4",)),
        Case("a negative time", lambda: of_functions([-1.0], [0.9]), ("-1",)),
    ],
    "Metrics: risks": [
        Case("one less", lambda: metrics.harrell_c_of_risk(Y, RISK[1:]), ("16", "15")),
        Case("a matrix", lambda: metrics.harrell_c_of_risk(Y, CURVES), ("(16, 3)",)),
        Case(
            "a missing one",
            lambda: metrics.uno_c_of_risk(Y, but(RISK, 3, np.nan, float)),
            ("row 3", "nan"),
        ),
        Case("text", lambda: metrics.uno_c_of_risk(Y, ["low"] * N), ("row 0", "'low'")),
        Case(
            "other labels than those of y",
            lambda: metrics.harrell_c_of_risk(LABELLED, pd.Series(RISK + 0.5, RISK + 7)),
            ("event and risk", "0, 1, 2", "7, 8, 9"),
        ),
        Case(
            "the labels of y in another order",
            lambda: metrics.harrell_c_of_risk(LABELLED, pd.Series(RISK + 0.5)[::-1]),
            ("risk", "event", "index"),
            DataWarning,
        ),
    ],
    "Metrics: questions": [
        Case(
            "`brier_score(y, curves, [365, 30])`",
            lambda: metrics.brier_score(Y, PAIR, [365, 30]),
            ("times", "30 comes after 365"),
        ),
        Case(
            "`cumulative_dynamic_auc(y, curves, 'a year')`",
            lambda: metrics.cumulative_dynamic_auc(Y, PAIR, "a year"),
            ("times", "'a year'"),
        ),
        Case(
            "`ibs_ratio(y, curves, horizon=0)`",
            lambda: metrics.ibs_ratio(Y, PAIR, horizon=0),
            ("horizon", "0"),
        ),
        Case("`uno_c(y, curves, tau=-1)`", lambda: metrics.uno_c(Y, PAIR, tau=-1), ("tau", "-1")),
        Case(
            "`uno_c(y, curves, tau=1)`, where no event is before 1",
            lambda: metrics.uno_c(Y, PAIR, tau=1),
            ("uno_c", "no such pair"),
        ),
        Case(
            "`calibration_curve(y, curves, [1, 2])`",
            lambda: metrics.calibration_curve(Y, PAIR, [1, 2]),  # type: ignore[arg-type]
            ("time", "[1, 2]"),
        ),
        Case(
            "`calibration_curve(y, curves, 5, n_groups=0)`",
            lambda: metrics.calibration_curve(Y, PAIR, 5, n_groups=0),
            ("n_groups", "0"),
        ),
        Case(
            "`log_likelihood(y, curves, floor=2)`",
            lambda: metrics.log_likelihood(Y, PAIR, floor=2),
            ("floor", "2"),
        ),
    ],
}
