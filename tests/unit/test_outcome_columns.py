"""fit(frame, duration_col=, event_col=): the outcome as two columns of the frame."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from survtree import DataWarning, OptimalSurvivalTree, export_text, regularization_path
from survtree.datasets import load

N = 24
TIME = np.arange(1.0, N + 1)
EVENT = np.arange(N) % 3 != 2
COLUMNS = {
    "age": np.arange(N) * 7 % 11,
    "months": TIME,
    "stage": ["I", "II", "III"] * (N // 3),
    "dead": EVENT,
}
NAMED = {"duration_col": "months", "event_col": "dead"}
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas, another index": pd.DataFrame(COLUMNS).set_index(np.arange(N)[::-1]),
    "pandas, nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas, arrow": pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, 0/1": pd.DataFrame({**COLUMNS, "dead": EVENT.astype(int)}),
    "polars": pl.DataFrame(COLUMNS),
    "polars, 0/1": pl.DataFrame({**COLUMNS, "dead": EVENT.astype(float)}),
    "pyarrow": pa.table(COLUMNS),
}


def model():
    return OptimalSurvivalTree(2, 0.001, min_samples_leaf=3)


@pytest.mark.parametrize("name", FRAMES)
def test_columns_of_the_frame_are_the_outcome_and_no_features(name):
    features = {key: COLUMNS[key] for key in ("age", "stage")}
    expected = model().fit(pd.DataFrame(features), (EVENT, TIME))
    assert expected.n_leaves_ > 1
    found = model().fit(FRAMES[name], **NAMED)
    assert found.feature_names_in_.tolist() == ["age", "stage"]
    assert found.objective_ == expected.objective_
    assert export_text(found) == export_text(expected)
    assert np.array_equal(
        found.predict(pl.DataFrame(features)), expected.predict(pd.DataFrame(features))
    )
    assert found.certificate_.verify(pd.DataFrame(features), (EVENT, TIME))


def test_names_need_not_be_text():
    frame = pd.DataFrame({0: COLUMNS["age"], 1: TIME, 2: EVENT})
    expected = model().fit(frame[[0]], (EVENT, TIME))
    assert model().fit(frame, duration_col=1, event_col=2).objective_ == expected.objective_


def test_weights_go_with_the_frame():
    weight = np.linspace(1, 2, N)
    features = FRAMES["pandas"][["age", "stage"]]
    expected = model().fit(features, (EVENT, TIME), weight)
    found = model().fit(FRAMES["pandas"], sample_weight=weight, **NAMED)
    assert found.objective_ == expected.objective_
    assert found.objective_ != model().fit(FRAMES["pandas"], **NAMED).objective_


def test_new_rows_come_with_the_outcome_or_without():
    fitted = model().fit(FRAMES["pandas"], **NAMED)
    without = fitted.predict(FRAMES["pandas"][["age", "stage"]])
    assert np.array_equal(fitted.predict(FRAMES["pandas"]), without)


BAD_CALLS = {
    "an array": (np.ones((N, 3)), {}, "must name columns of a frame.*X is of type ndarray"),
    "lists": ([[1, 2.0, True]], {}, "must name columns of a frame.*X is of type list"),
    "y as well": ("pandas", {"y": (EVENT, TIME)}, "must come without y; got all three"),
    "no event": (
        "pandas",
        {"event_col": None},
        "must come together; event_col is missing.*column of ones",
    ),
    "no time": ("polars", {"duration_col": None}, "must come together; duration_col is missing"),
    "unknown time": (
        "pandas",
        {"duration_col": "Months"},
        "duration_col must name a column of the frame; there is no 'Months' in 'age', 'months'",
    ),
    "unknown event": ("pyarrow", {"event_col": "status"}, "event_col must name.*no 'status'"),
    "no name": ("pandas", {"event_col": ["dead"]}, r"event_col must name.*no \['dead'\]"),
    "the same": ("polars", {"event_col": "months"}, "must differ; both are 'months'"),
    "swapped": ("pandas", {"duration_col": "dead", "event_col": "months"}, "'months'.*swapped"),
    "text": ("polars", {"event_col": "stage"}, "'stage'.*it holds text: 'I', 'II', 'III'"),
    "text as time": (
        "pandas",
        {"duration_col": "stage"},
        "'stage'.*must hold numbers.*the text 'I'",
    ),
    "no features": (FRAMES["pandas"][["months", "dead"]], {}, "X must have at least one column"),
    "no columns left": (
        FRAMES["polars"][["months", "dead"]],
        {},
        "X must have at least one column",
    ),
    "repeated": (
        FRAMES["pandas"].set_axis(["age", "months", "age", "dead"], axis=1),
        {},
        "names must differ; 'age' occurs twice",
    ),
    "gaps in the event": (
        pl.DataFrame({**COLUMNS, "dead": [None, *EVENT[1:].tolist()]}),
        {},
        "'dead'.*row 0 has a missing value",
    ),
    "gaps in the time": (
        pl.DataFrame({**COLUMNS, "months": [1.0, None, *TIME[2:].tolist()]}),
        {},
        "'months'.*must be finite; row 1 has nan",
    ),
    "negative": (
        FRAMES["pandas"].assign(months=-TIME),
        {},
        "'months'.*must not be negative; row 0 has -1.0",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_calls_are_refused_by_name(name):
    frame, changes, message = BAD_CALLS[name]
    X = FRAMES[frame] if isinstance(frame, str) else frame
    with pytest.raises(ValueError, match=message):
        model().fit(X, **{**NAMED, **changes})


def test_an_outcome_is_needed():
    with pytest.raises(ValueError, match="y is None"):
        model().fit(FRAMES["pandas"])


@pytest.mark.parametrize("name", ["censored", "cens", "is_alive", "Survived", "osCensored"])
def test_an_event_column_named_as_the_opposite_is_told_of(name):
    data = load("veterans")
    frame = data.X.to_pandas().assign(days=data.y["time"], **{name: ~data.y["event"]})
    told = rf"column '{name}'.*True \(1\) must mean that the event was seen.*turn it round: frame"
    model = OptimalSurvivalTree(1, 0.01)
    with pytest.warns(DataWarning, match=told) as found:
        model.fit(frame, duration_col="days", event_col=name)
    assert len([each for each in found if "turn it round" in str(each.message)]) == 1
    assert any("turn it round" in text for text in model.warnings_)
    with pytest.warns(DataWarning, match=told):
        regularization_path(frame, max_depth=1, duration_col="days", event_col=name)
    with pytest.warns(DataWarning, match=told):
        model.fit(data.X, frame[[name, "days"]])


@pytest.mark.parametrize("is_lazy", [False, True])
def test_a_column_whose_coding_is_told_need_not_be_turned_round(is_lazy):
    data = load("veterans")
    frame = data.X.with_columns(days=data.y["time"].copy(), censored=1 - data.y["event"])
    X = frame.lazy() if is_lazy else frame
    roles = {"duration_col": "days", "event_col": "censored"}
    model = OptimalSurvivalTree(1, 0.01).fit(X, **roles, cause=0, censored=1)
    assert model.warnings_ == ()
    with pytest.warns(DataWarning, match="turn it round"):
        model.fit(X, **roles, cause=1)


@pytest.mark.parametrize(
    "name", ["died", "uncensored", "not_censored", "event", "recent", "status"]
)
def test_other_event_columns_are_not(name):
    data = load("veterans")
    frame = data.X.to_pandas().assign(days=data.y["time"], **{name: data.y["event"]})
    model = OptimalSurvivalTree(1, 0.01).fit(frame, duration_col="days", event_col=name)
    assert not any("turn it round" in text for text in model.warnings_)
