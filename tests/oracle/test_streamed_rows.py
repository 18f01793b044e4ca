"""Scores and checks of rows that are read in passes are those of the same rows in memory."""

import warnings

import numpy as np
import polars as pl
import pytest

from survtree import OptimalSurvivalTree
from tests.oracle.test_streamed_fits import fitted, random_options, random_table, with_gaps

ROLES = {"duration_col": "time", "event_col": "event"}


def random_case(seed):
    """Rows of a fit, options, and perhaps a column of weights."""
    rng = np.random.default_rng(10_000 + seed)
    frame, options = random_table(rng), random_options(rng)
    if rng.random() < 0.5:
        frame = with_gaps(frame, rng)
        options["missing"] = str(rng.choice(["question", "better", "drop"]))
    if rng.random() < 0.5:
        weight = rng.choice([0.0, 0.5, 1.0, 2.25], len(frame))
        weight[0] = 1.0
        frame = frame.with_columns(weight=weight)
    return frame, options


@pytest.mark.parametrize("seed", range(100))
def test_a_streamed_check_finds_what_a_check_in_memory_finds(seed):
    frame, options = random_case(seed)
    weight = "weight" if "weight" in frame.columns else None
    model = fitted(options, frame.lazy(), None, weight, **ROLES)
    if isinstance(model, str):
        return
    streamed = model.certificate_.verify(frame.lazy())
    in_memory = model.certificate_.verify(frame)
    assert streamed, str(streamed)
    assert streamed.checks == in_memory.checks
    other = frame.with_columns(time=pl.col("time") + 1.0)
    assert not model.certificate_.verify(other.lazy()).checks["data"]


@pytest.mark.parametrize("seed", range(100))
def test_a_streamed_score_equals_the_score_in_memory(seed):
    frame, options = random_case(seed)
    weight = "weight" if "weight" in frame.columns else None
    X, y = frame.drop("time", "event", "weight", strict=False), (frame["event"], frame["time"])
    model = fitted(options, frame.lazy(), None, weight, **ROLES)
    if isinstance(model, str):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if weight is None:
            assert model.score(frame.lazy()) == pytest.approx(model.score(X, y), rel=1e-12)
        assert model.score(frame.lazy()) == pytest.approx(model.score(frame), rel=1e-12)


def test_a_text_in_a_column_of_numbers_is_named_with_its_row():
    frame = random_table(np.random.default_rng(3)).drop("stage")
    model = OptimalSurvivalTree(1, 0.001).fit(frame.lazy(), **ROLES)
    odd = frame.with_columns(age=pl.when(pl.int_range(pl.len()) == 17).then(pl.lit("old")))
    with pytest.raises(ValueError, match="column 'age' must hold numbers as at fit; row 17 has"):
        model.certificate_.verify(odd.lazy())
    with pytest.raises(ValueError, match="must have the columns of the model; there is no 'age'"):
        model.certificate_.verify(frame.drop("age").lazy())


def test_what_the_fit_did_not_see_is_counted_in_rows():
    frame = random_table(np.random.default_rng(3)).select("bit", "time", "event")
    model = OptimalSurvivalTree(1, 0.0).fit(frame.lazy(), **ROLES)
    assert model.score(frame.lazy()) == model.score(frame)  # without a warning
    odd = frame.with_columns(bit=pl.when(pl.int_range(pl.len()) < 7).then(2).otherwise("bit"))
    for rows in (odd, odd.lazy()):
        with pytest.warns(UserWarning, match=r"column 'bit' has 2 \(7 rows\) instead of 0 or 1"):
            model.score(rows)


def test_a_lazy_frame_for_a_fit_that_was_given_y_is_refused():
    frame = random_table(np.random.default_rng(3)).drop("stage")
    X, y = frame.drop("time", "event"), (frame["event"], frame["time"])
    model = OptimalSurvivalTree(1, 0.001).fit(X, y)
    with pytest.raises(ValueError, match="this fit was given y"):
        model.certificate_.verify(frame.lazy())
