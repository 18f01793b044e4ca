"""Answers as codes are the answers, whatever the columns hold and whatever is asked of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survtree._data.table import Column, EventTable, table_of
from survtree._questions import coded_answers
from survtree._questions.encodings import easiest_between, easiest_cuts
from survtree._questions.forms import InLevels, InRange, IsMissing, IsOne
from survtree._questions.questions import Questions
from survtree._search.problem import Problem

SPECIAL = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 0.1, 2.0**53, 2.0**63]
NUMBERS = st.sampled_from(SPECIAL) | st.integers(-4, 4).map(float) | st.floats(allow_nan=False)
FINITE = NUMBERS.filter(math.isfinite)
LEVELS = ("a", "b", "c")


@st.composite
def columns(draw, n, name):
    """Numbers, whole numbers, flags or levels, with and without gaps."""
    kind = draw(st.sampled_from(["float", "float", "int", "flag", "level", "ordered"]))
    if kind == "float":
        cells = draw(st.lists(FINITE | st.just(math.nan), min_size=n, max_size=n))
        return Column(name, "number", np.array(cells))
    if kind == "int":
        whole = st.integers(-4, 4) | st.integers(-(2**63), 2**63 - 1)
        cells = draw(st.lists(whole, min_size=n, max_size=n))
        return Column(name, "number", np.array(cells, dtype=np.int64), is_whole=True)
    most = 1 if kind == "flag" else 2
    cells = draw(st.lists(st.integers(-1, most), min_size=n, max_size=n))
    if kind == "flag":
        return Column(name, "flag", np.array(cells, dtype=np.int8))
    return Column(name, kind, np.array(cells, dtype=np.intp), LEVELS)


def some_questions(place, column):
    """Any question that the column can answer: cuts more often than others."""
    or_missing = st.booleans()
    missing = st.just(IsMissing(place))
    if column.kind in ("level", "ordered"):
        sets = st.lists(st.sampled_from(LEVELS), min_size=1, max_size=2, unique=True).map(tuple)
        return st.builds(InLevels, st.just(place), sets, or_missing=or_missing) | missing
    here = st.just(place)
    cuts = st.builds(InRange, here, high=NUMBERS, or_missing=or_missing)
    ranges = st.builds(InRange, here, FINITE, NUMBERS, or_missing)
    ones = st.builds(IsOne, here, or_missing=or_missing)
    return st.one_of(cuts, cuts, cuts, ranges, ones, missing)


@st.composite
def tables_and_questions(draw):
    n = draw(st.integers(1, 20))
    found = [draw(columns(n, name)) for name in "abc"[: draw(st.integers(1, 3))]]
    pool = st.one_of(*(some_questions(j, column) for j, column in enumerate(found)))
    asked = draw(st.lists(pool, max_size=25))
    return table_of(found), Questions(tuple("abc"[: len(found)]), tuple(asked))


def problem_of(answers, questions):
    n = len(answers)
    events = EventTable(np.arange(n) % 2 == 0, np.arange(1.0, n + 1), np.ones(n))
    return Problem(answers, events, questions, 0.01, 2, 1)


@given(tables_and_questions(), st.integers(1, 4))
def test_codes_answer_every_question_as_the_columns_do(given_, n_chunks):
    table, questions = given_
    matrix, coded = questions.matrix(table), questions.coded(table)
    assert coded.shape == matrix.shape
    assert len(coded) == table.n_rows
    assert coded.codes.dtype == coded.question_column.dtype == coded.question_cut.dtype == np.uint32
    assert np.array_equal(coded.matrix(), matrix)
    assert coded.matrix().dtype == np.uint8
    assert coded.matrix() is coded.matrix()
    for j in range(len(questions)):
        assert np.array_equal(coded.column(j), matrix[:, j] == 1)
    rows = np.arange(table.n_rows) % 3 > 0
    assert np.array_equal(coded.n_yes(rows), matrix[rows].sum(axis=0))
    assert np.array_equal(coded.every(n_chunks).matrix(), matrix[::n_chunks])
    again = coded_answers.CodedAnswers.of_matrix(matrix)
    assert np.array_equal(again.matrix(), matrix)


@given(tables_and_questions())
def test_fingerprints_do_not_tell_codes_from_bits(given_):
    table, questions = given_
    coded = problem_of(questions.coded(table), questions)
    bits = replace(coded, answers=questions.matrix(table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_answers, "ANSWERS_AT_ONCE", 1)  # eight rows at a time
        assert coded.fingerprints() == bits.fingerprints()
    assert coded.is_same(bits)
    assert bits.is_same(coded)


@given(tables_and_questions())
def test_ranks_are_those_of_a_plain_sort(given_):
    questions = given_[1]

    def key(j):
        question = questions.asked[j]
        name = questions.names[question.column]
        return *question.readability(), name, j

    order = sorted(range(len(questions)), key=key)
    assert np.argsort(questions.ranks()).tolist() == order


@st.composite
def neighbours(draw):
    """Two numbers, often close to each other, and one between them."""
    low = draw(FINITE)
    near = low + abs(low) * draw(st.sampled_from([1e-3, 1e-6, 1e-9, 1e-13, 2.0**-52]))
    high = draw(FINITE | st.just(near))
    low, high = min(low, high), max(low, high)
    share = draw(st.sampled_from([0.5, 0.1, 0.9]) | st.floats(0, 1))
    return low, high, low * (1 - share) + high * share


@given(st.lists(neighbours().filter(lambda n: n[0] < n[1] and math.isfinite(n[2])), min_size=1))
def test_many_easy_numbers_at_once_are_those_found_one_by_one(cases):
    low, high, near = (np.array(each) for each in zip(*cases, strict=True))
    found = easiest_cuts(low, high, near)
    assert list(map(repr, found.tolist())) == [repr(easiest_between(*case)) for case in cases]
