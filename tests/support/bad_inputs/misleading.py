"""Tables that can be fitted, or seem so, but would mislead: identifiers, leaks, intervals, text."""

from typing import Any

import numpy as np
import pandas as pd

from survtree import DataWarning, OptimalSurvivalTree
from tests.support.bad_inputs.case import EVENT, FRAME, MATRIX, TABLE, TIME, Case, N

LONG = pd.concat([FRAME] * 4, ignore_index=True)
ROWS = np.arange(len(LONG))
WEIGHT, BACK = pd.Series(TIME), np.arange(N - 1, -1, -1)


def fit(y: Any = None, frame: pd.DataFrame = LONG, **columns: Any) -> Any:
    """Fits four times as many patients, with more columns."""
    outcome = {} if y is not None else {"duration_col": "days", "event_col": "died"}
    more = frame.assign(**columns)
    model = OptimalSurvivalTree(1, 0.0, min_samples_leaf=1)
    return model.fit(more if y is None else more.drop(columns=["days", "died"]), y, **outcome)


def labelled(labels: Any) -> pd.DataFrame:
    """The outcome of the good table with other labels."""
    return pd.DataFrame({"died": EVENT, "days": TIME}, index=labels)


def said(title: str, provoke: Any, *names: str) -> Case:
    """Something that is warned of."""
    return Case(title, provoke, names, DataWarning)


MISLEADING: dict[str, list[Case]] = {
    "Columns that would mislead": [
        said("`id` from 1 on", lambda: fit(id=ROWS + 1), "'id'", "thresholds={'id': 'auto'}"),
        said("numbers in even steps", lambda: fit(number=1000 + 7 * ROWS), "'number'"),
        said(
            "a text that differs in each row",
            lambda: fit(sample=[f"S{k}" for k in ROWS]),
            "'sample'",
            "categorical=['sample']",
        ),
        said(
            "a subject with several rows", lambda: fit(patient=ROWS // 2), "'patient'", "32", "64"
        ),
        said(
            "a cause of death",
            lambda: fit(frame=LONG[["days"]], died=ROWS % 2, cause=ROWS % 2),
            "'cause = 1'",
            "32 of 32 rows",
        ),
        said(
            "the time in another unit", lambda: fit(days=ROWS + 1.0, months=ROWS / 30), "'months'"
        ),
        said(
            "numbers with decimal commas",
            lambda: fit(weight=[f"{50 + k % 16},5" for k in ROWS]),
            "'weight'",
            "'50,5'",
        ),
        said(
            "levels in two spellings",
            lambda: fit(smoker=np.tile(["yes", "no", "Yes", "no "], len(ROWS))[: len(ROWS)]),
            "'smoker'",
            "categorical=['smoker']",
        ),
        Case(
            "dates as text",
            lambda: fit(visit=[f"2020-01-{k % 9 + 1:02}" for k in ROWS]),
            ("'visit'", "'2020-01-01'"),
        ),
        Case("nothing but an `id`", lambda: fit(frame=LONG[["days", "died"]], id=ROWS), ("'id'",)),
        Case("`exclude=['agee']`", lambda: _fit(exclude=["agee"]), ("'agee'", "'age'")),
        Case("`exclude='age'`", lambda: _fit(exclude="age"), ("['age']",), TypeError),
        Case("`categorical=['site']`", lambda: _fit(categorical=["site"]), ("'site'",)),
    ],
    "Rows that would mislead": [
        Case(
            "start and stop",
            lambda: OptimalSurvivalTree().fit(
                FRAME.assign(start=TIME / 2).rename(columns={"days": "stop"}),
                duration_col="stop",
                event_col="died",
            ),
            ("'start'", "'stop'"),
        ),
        Case(
            "X and y with other labels",
            lambda: OptimalSurvivalTree().fit(TABLE, labelled(range(7, 7 + N))),
            ("0, 1, 2", "7, 8, 9"),
        ),
        said(
            "X and y with the same labels in another order",
            lambda: OptimalSurvivalTree().fit(TABLE, labelled(range(N - 1, -1, -1))),
            "index",
        ),
        Case(
            "X without labels, y and weights with other ones",
            lambda: OptimalSurvivalTree().fit(
                MATRIX, labelled(range(N)), WEIGHT.set_axis(BACK - 9)
            ),
            ("y and sample_weight", "0, 1, 2", "6, 5, 4"),
        ),
        said(
            "X without labels, y and weights with the same ones in another order",
            lambda: OptimalSurvivalTree().fit(MATRIX, labelled(range(N)), WEIGHT.set_axis(BACK)),
            "sample_weight",
        ),
    ],
}


def _fit(**options: Any) -> Any:
    return OptimalSurvivalTree(**options).fit(TABLE, (EVENT, TIME))
