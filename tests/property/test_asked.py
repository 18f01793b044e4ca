"""Cuts kept as numbers are the same questions as one object for each."""

import math
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from survtree import Binarizer
from survtree._base.numbers import format_exact
from survtree._data.table import Column, EventTable, table_of
from survtree._questions import coded_answers
from survtree._questions.asked import Asked, Cuts, cuts_in, places_in, text_lengths
from survtree._questions.forms import InLevels, InRange, IsMissing, Question
from survtree._questions.questions import Questions
from survtree._search.problem import Problem

ODD = [0.0, 1e15, 1e16, 9.999e14, 1e-4, 9.9e-5, 0.1, 1 / 3, 2.0**50, 2.0**53, 123456.5, 5e-324]
NUMBERS = st.sampled_from([*ODD, *(-x for x in ODD)]) | st.floats(allow_nan=False)
ROUNDED = st.builds(lambda x, k: round(x, k), st.floats(-1e9, 1e9), st.integers(0, 12))


@given(st.lists(NUMBERS.filter(math.isfinite) | ROUNDED, min_size=1, max_size=50))
@example([0.30000000000000004, 1234567890.123, 99999.99999999999])
def test_lengths_are_those_of_the_texts(numbers):
    numbers = [x + 0.0 for x in numbers]  # -0.0 is no cut
    found = text_lengths(np.array(numbers))
    assert found.tolist() == [len(format_exact(x)) for x in numbers]


POINTS = st.lists(ROUNDED, min_size=1, max_size=12, unique=True).map(sorted)


@st.composite
def two_ways(draw):
    """The same questions as objects, and with cuts as numbers."""
    one_by_one, parts = [], []
    for column in range(draw(st.integers(1, 3))):
        for or_missing in (False, True)[: draw(st.integers(1, 2))]:
            points = np.array(draw(POINTS)) + 0.0
            cuts = Cuts(column, points, or_missing)
            one_by_one += [InRange(column, high=x, or_missing=or_missing) for x in points.tolist()]
            parts.append(cuts)
        if draw(st.booleans()):
            one_by_one.append(IsMissing(column))
            parts.append(IsMissing(column))
    return tuple(one_by_one), Asked(tuple(parts))


def ranks_by_sorting(questions):
    """By what they are like, length, column name, and place."""
    ease = [(*each.readability(), questions.names[each.column]) for each in questions.asked]
    order = sorted(range(len(ease)), key=lambda j: (*ease[j], j))
    return np.argsort(order).tolist()


@given(two_ways())
def test_both_ways_are_the_same_questions(both):
    plain, asked = both
    assert asked == plain
    assert list(asked) == list(plain)
    assert [asked[j] for j in range(-len(plain), len(plain))] == [*plain, *plain]
    assert asked[1:] == list(plain[1:])
    assert sorted(cuts_in(asked)) == sorted(cuts_in(plain))
    assert sorted(cuts_in(plain)) == sorted(q.cut for q in plain if q.cut is not None)
    assert places_in(asked, plain) == list(range(len(plain)))
    assert places_in(asked, [InRange(0, high=1e12), IsMissing(7)]) == [-1, -1]
    assert pickle.loads(pickle.dumps(asked)) == plain
    with pytest.raises(IndexError):
        asked[len(plain)]


@given(two_ways())
def test_words_ranks_and_codes_do_not_depend_on_the_way(both):
    plain, asked = (Questions(("b", "a", "c"), each) for each in both)
    assert list(asked) == list(plain)
    assert asked.ranks().tolist() == plain.ranks().tolist() == ranks_by_sorting(plain)
    rng = np.random.default_rng(0)
    values = rng.choice([*both[1].parts[0].points, np.nan, 0.5], size=(3, 20))
    table = table_of([Column(n, "number", v) for n, v in zip(plain.names, values, strict=True)])
    assert asked.coded(table).is_same(plain.coded(table))
    assert np.array_equal(asked.coded(table).matrix(), plain.matrix(table))


def own_fingerprint(questions, table, monkeypatch):
    monkeypatch.setattr(coded_answers, "MOST_UNPACKED", 0)
    events = EventTable(np.ones(20, bool), np.arange(1.0, 21.0), np.ones(20))
    return Problem(questions.coded(table), events, questions, 0.1, 2, 1).fingerprint()


def test_a_fingerprint_of_codes_knows_points_and_words(monkeypatch):
    points = np.arange(0.5, 19.5)
    one = Asked((Cuts(0, points), InLevels(1, ("u",))))
    table = table_of(
        [
            Column("a", "number", np.arange(20.0)),
            Column("b", "level", np.arange(20) % 2, ("u", "v")),
        ]
    )
    moved = points + np.where(np.arange(19) == 7, 0.25, 0.0)
    names = ("a", "b")
    ways = {
        "cuts": Questions(names, one),
        "objects": Questions(names, tuple(one)),
        "moved": Questions(names, Asked((Cuts(0, moved), InLevels(1, ("u",))))),
        "level": Questions(names, Asked((Cuts(0, points), InLevels(1, ("v",))))),
        "name": Questions(("a", "c"), one),
    }
    found = {way: own_fingerprint(each, table, monkeypatch) for way, each in ways.items()}
    assert found["cuts"] == found["objects"]
    assert len(set(found.values())) == 4


def test_every_cut_of_long_columns_takes_no_object_each():
    n_rows, n_columns = 20_000, 5
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    Binarizer("all").fit(X[:100])  # what is made once
    tracemalloc.start()
    binarizer = Binarizer("all").fit(X)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(binarizer.questions_) == n_columns * (n_rows - 1)
    assert kept <= 10 * n_rows * n_columns
    assert peak <= kept + 200 * n_rows  # while one column is cut


def test_missing_values_on_the_better_side_are_cuts_too():
    values = np.array([1.0, 2.0, np.nan, 4.0])
    binarizer = Binarizer("all", missing="better").fit(values[:, np.newaxis])
    asked = binarizer.questions_.asked
    assert [type(part) for part in asked.parts] == [Cuts, IsMissing, Cuts]
    assert all(isinstance(question, Question) for question in asked)
    wanted = ["x0 <= 1.5", "x0 <= 3", "x0 is missing"]
    assert list(binarizer.questions_) == [*wanted, *(f"{w} or missing" for w in wanted[:2])]
    assert replace(asked.parts[0], or_missing=True)[1] == asked[-1]
