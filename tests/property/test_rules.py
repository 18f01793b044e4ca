"""What the questions say is what they do: their words, read by plain Python, lead to the leaves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from survtree import OptimalSurvivalTree
from survtree.datasets import load
from tests.support.plain_rules import answer, leaf


def assert_words_lead_to_the_leaves(model, X, rows, orders=None):
    orders = orders or {}
    assert [leaf(model, row, orders) for row in rows] == model.apply(X).tolist()
    texts = model.questions_.texts
    expected = [[answer(text, row, orders) for text in texts] for row in rows]
    assert np.array_equal(model.binarizer_.transform(X), np.array(expected).reshape(len(rows), -1))


@pytest.mark.parametrize("encoding", ["questions", "paper"])
@pytest.mark.parametrize("missing", ["", "question", "better"])
@pytest.mark.parametrize("name", ["veterans", "whas500", "gbsg2", "aids"])
def test_words_lead_to_the_leaves_of_the_bundled_data(name, missing, encoding):
    X, y = load(name, backend="pandas")
    if missing:
        X = X.astype(object).mask(np.random.default_rng(0).random(X.shape) < 0.1, None)
    rows = X.astype(object).to_dict("records")
    options = {"missing": missing or "question", "encoding": encoding, "thresholds": 5}
    model = OptimalSurvivalTree(3, 0.0005, **options)
    model.fit(X, y)
    assert model.n_leaves_ > 3
    assert_words_lead_to_the_leaves(model, X, rows)


ORDER = [f"L{k}" for k in range(1, 10)]
NAMES = ["age", "age at start", "stage", "x", "is", "é"]
WORDS = st.one_of(
    st.sampled_from(["I", "II", "or", "a or b", "b or", "missing", "", " ", "'I'", '"', "True"]),
    st.text(max_size=4),
)


def cells(n, has_gaps):
    """Columns of each kind, as Python values, and whether they have an order."""
    kinds = {
        "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9),
        "whole": st.integers(-9, 9),
        "zero_one": st.sampled_from([0, 1]),
        "flag": st.booleans(),
        "level": WORDS,
        "ordered": st.sampled_from(ORDER),
    }

    def column(kind):
        some = kinds[kind] | st.none() if has_gaps else kinds[kind]
        return st.tuples(st.just(kind), st.lists(some, min_size=n, max_size=n))

    return st.sampled_from(sorted(kinds)).flatmap(column)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 25))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    has_gaps = draw(st.booleans())
    columns = {name: draw(cells(n, has_gaps)) for name in names}
    time = draw(st.lists(st.integers(1, 6), min_size=n, max_size=n))
    return columns, (np.arange(n) % 3 != 1, np.array(time, dtype=float))


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(),
    st.sampled_from(["auto", "all", 2, ("width", 3), [0, 0.5]]),
    st.sampled_from(["questions", "questions", "paper"]),
    st.sampled_from(["question", "better"]),
)
def test_words_lead_to_the_leaves_of_random_tables(table, thresholds, encoding, missing):
    columns, y = table
    frame = pd.DataFrame(
        {
            name: pd.Categorical(column, categories=ORDER, ordered=True)
            if kind == "ordered"
            else pd.Series(column, dtype=object)
            for name, (kind, column) in columns.items()
        }
    )
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(column for _, column in columns.values()), strict=True)
    ]
    orders = {name: ORDER for name, (kind, _) in columns.items() if kind == "ordered"}
    model = OptimalSurvivalTree(
        2,
        0.0,
        min_samples_leaf=1,
        thresholds=thresholds,
        encoding=encoding,
        missing=missing,
        categorical=[name for name, (kind, _) in columns.items() if kind == "level"],
    )
    model.fit(frame, y)
    assert_words_lead_to_the_leaves(model, frame, rows, orders)


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("age <= 62.5", {"age": 62}, True),
        ("age <= 62.5", {"age": None}, False),
        ("x = 1", {"x": 1.0}, True),
        ("smoker is True", {"smoker": False}, False),
        ("stage is III or IV", {"stage": "IV"}, True),
        ("stage is 'III or IV' or V", {"stage": "IV"}, False),
        ("stage is 'III or IV' or V", {"stage": "III or IV"}, True),
        ("stage is 'missing'", {"stage": None}, False),
        ("45.75 < age <= 57.5", {"age": 57.5}, True),
        ("45.75 < age <= 57.5", {"age": 45.75}, False),
        ("grade <= L4", {"grade": "L5"}, False),
        ("grade >= L4", {"grade": "L4"}, True),
        ("ldh is missing", {"ldh": float("nan")}, True),
    ],
)
def test_the_reader_of_words_reads(text, row, expected):
    assert answer(text, row, {"grade": ORDER}) is expected
