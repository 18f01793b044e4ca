"""Columns that are left out by exclude= were read all the same, and reached the report.

One that cannot be split on, such as dates, was refused with the advice to exclude it, also when it
was; a report refused rows without the column, and compared with a Cox model that had seen it. Found
by an audit of the package.
"""

import numpy as np
import pandas as pd
import pytest

from survtree import OptimalSurvivalTree
from survtree._show.report_facts import report_facts
from survtree.datasets import load

X, y = load("veterans")
FRAME = X.to_pandas()


def facts(model, frame, **options):
    given = {"title": "", "times": None, "command": None, "seed": 0} | options
    return report_facts(model, (frame, y, None), **given)


@pytest.mark.parametrize(
    "odd",
    [
        pd.date_range("2020-01-01", periods=len(FRAME)),
        pd.to_timedelta(np.arange(len(FRAME)), unit="D"),
        np.where(np.arange(len(FRAME)) == 3, np.inf, 1.0),
        [[1, 2]] * len(FRAME),
    ],
)
def test_what_cannot_be_read_can_be_excluded(odd):
    frame = FRAME.assign(odd=odd)
    with pytest.raises(ValueError, match="odd"):
        OptimalSurvivalTree(1, 0.01).fit(frame, y)
    model = OptimalSurvivalTree(1, 0.01, exclude=["odd"]).fit(frame, y)
    assert model.objective_ == OptimalSurvivalTree(1, 0.01).fit(FRAME, y).objective_
    assert (model.predict(frame) == model.predict(FRAME)).all()
    assert model.certificate_.verify(frame, y).is_valid


def test_an_excluded_column_of_an_array_may_hold_anything():
    array = FRAME[["Karnofsky_score", "Age_in_years"]].to_numpy(dtype=object)
    array = np.column_stack([array, pd.date_range("2020-01-01", periods=len(FRAME))])
    model = OptimalSurvivalTree(1, 0.01, exclude=["x2"]).fit(array, y)
    assert model.excluded_ == ["x2"]
    assert len(model.predict(array)) == len(FRAME)


def test_a_report_takes_rows_without_the_columns():
    model = OptimalSurvivalTree(1, 0.01, exclude=["Treatment"]).fit(FRAME, y)
    whole, part = (
        facts(model, f, cv=3, compare=False) for f in (FRAME, FRAME.drop(columns="Treatment"))
    )
    assert whole["held_out"] == part["held_out"]


def test_models_of_a_report_do_not_see_the_columns():
    leak = FRAME.assign(leak=np.log(y["time"] + 1.0))
    model = OptimalSurvivalTree(1, 0.01, exclude=["leak"]).fit(leak, y)
    plain = OptimalSurvivalTree(1, 0.01).fit(FRAME, y)
    compared = [facts(m, f, cv=3, compare=True) for m, f in ((model, leak), (plain, FRAME))]
    assert compared[0]["scores"]["others"] == compared[1]["scores"]["others"]
