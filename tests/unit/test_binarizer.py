"""Columns to questions: what is asked, in which words, and what new rows answer."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from survtree import Binarizer, OptimalSurvivalTree, export_text
from survtree._data.table import Column
from survtree._questions.forms import InLevels, InRange, IsMissing, IsOne

RNG = np.random.default_rng(7)
N = 60
Y = (np.arange(N) % 4 != 3, RNG.exponential(10, N).round(2) + 0.01)
GRADE = pd.CategoricalDtype(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"], ordered=True)


def asked(columns, y=None, **options):
    """The questions about columns, in words."""
    frame = columns if hasattr(columns, "columns") else pd.DataFrame(columns)
    return Binarizer(**options).fit(frame, y).get_feature_names_out().tolist()


def answers(binarizer, frame):
    """Yes-rows of each question, by its words."""
    names = binarizer.get_feature_names_out()
    matrix = binarizer.transform(frame)
    return {name: matrix[:, j].tolist() for j, name in enumerate(names)}


# Where numbers are cut.


@pytest.mark.parametrize(
    ("thresholds", "expected"),
    [
        ("auto", [f"age <= {k + 0.5}" for k in (0, 1, 2, 3, 4, 5, 6, 7, 8)]),
        ("all", [f"age <= {k + 0.5}" for k in range(9)]),
        (3, ["age <= 1.5", "age <= 4.5", "age <= 6.5"]),
        (np.int64(1), ["age <= 4.5"]),
        (("width", 2), ["age <= 3", "age <= 6"]),
        ([7, 2.25, 7], ["age <= 2.25", "age <= 7"]),
        (np.array([2.5, 4.5]), ["age <= 2.5", "age <= 4.5"]),
        (range(1, 3), ["age <= 1", "age <= 2"]),
        ({"age": [5]}, ["age <= 5"]),
        ({"age": 1}, ["age <= 4.5"]),
        ({"age": "all"}, [f"age <= {k + 0.5}" for k in range(9)]),
        ({"age": ("width", 1)}, ["age <= 4.5"]),
        ({}, [f"age <= {k + 0.5}" for k in range(9)]),
    ],
)
def test_every_form_of_thresholds(thresholds, expected):
    assert asked({"age": np.arange(10)}, thresholds=thresholds) == expected


def test_thresholds_by_column_leave_the_others_at_auto():
    frame = pd.DataFrame(
        {"age": np.arange(100.0), "size": np.arange(100) / 10, "arm": ["a", "b"] * 50}
    )
    found = asked(frame, thresholds={"size": [5]})
    assert [text for text in found if "age" not in text] == ["size <= 5", "arm is a"]
    assert sum(text.startswith("age") for text in found) == 15


@pytest.mark.parametrize("thresholds", [np.array([0.5, 2.5]), [0.5, 2.5], {"x1": [2.5, 0.5]}])
def test_given_thresholds_leave_columns_of_0_and_1_alone(thresholds):
    table = np.array([[0, 2], [1, 3], [1, 0]])
    found = Binarizer(thresholds).fit(table).get_feature_names_out().tolist()
    assert found == ["x0 = 1", "x1 <= 0.5", "x1 <= 2.5"]
    assert Binarizer(thresholds).fit(table % 2).questions_.texts == ["x0 = 1", "x1 = 1"]


@pytest.mark.parametrize(
    ("thresholds", "error"),
    [
        ("everything", ValueError),
        ({"age": "guess"}, ValueError),
        (True, TypeError),
        (0, ValueError),
        (-1, ValueError),
        (2.5, ValueError),
        ([1, np.nan], TypeError),
        ([1, np.inf], TypeError),
        ([10**400], TypeError),
        ([True], TypeError),
        ([], ValueError),
        ({"age": []}, ValueError),
        (("width", 0), TypeError),
        (("width", True), TypeError),
        (("width", 2.5), TypeError),
        (("height", 2), TypeError),
        ((np.arange(2), 2), TypeError),
        (["width", 2], TypeError),
        (["1"], TypeError),
        (None, TypeError),
        ({"age": None}, TypeError),
        ({"age": {}}, TypeError),
    ],
)
def test_other_thresholds_are_refused_by_name(thresholds, error):
    for frame in (pd.DataFrame({"age": np.arange(10)}), pd.DataFrame({"age": [0, 1] * 5})):
        with pytest.raises(error, match=r"^thresholds must be 'auto', 'all'.*; got ") as caught:
            Binarizer(thresholds=thresholds).fit(frame)
        assert f"; got {thresholds!r}." in str(caught.value)


def test_thresholds_of_unknown_columns_and_of_categories_are_refused():
    frame = pd.DataFrame({"age": np.arange(10), "arm": ["a", "b"] * 5})
    with pytest.raises(ValueError, match=r"there is no 'Age'\. The columns are 'age', 'arm'"):
        Binarizer(thresholds={"Age": 3}).fit(frame)
    for rule in (3, [1.0], ("width", 2)):
        with pytest.raises(ValueError, match="column 'arm' holds categories"):
            Binarizer(thresholds={"arm": rule}).fit(frame)
    assert asked(frame, thresholds={"arm": "all", "age": [3]}) == ["age <= 3", "arm is a"]


@pytest.mark.parametrize("count", [10**8, 10**13, 10**30])
def test_more_widths_than_can_be_asked_are_refused(count):
    with pytest.raises(ValueError, match=rf"at most 20,000,000 questions; .* make {count:,}\."):
        Binarizer(thresholds=("width", count)).fit(np.arange(8.0).reshape(4, 2))


def test_a_table_of_more_answers_than_can_be_kept_is_refused():
    X = np.arange(100_002.0).reshape(-1, 1)
    binarizer = Binarizer(thresholds="all").fit(X)
    assert len(binarizer.questions_) == 100_001
    with pytest.raises(ValueError, match="make 100,001 questions on 100,002 rows"):
        binarizer.transform(X)


def test_a_guess_needs_an_outcome():
    with pytest.raises(ValueError, match="thresholds='guess' needs y"):
        Binarizer(thresholds="guess").fit(np.arange(20.0).reshape(-1, 1))


# Which columns make which questions.


def test_zeros_and_ones_are_one_question():
    table = {"a": [0, 1, 1], "b": [0.0, 1.0, 0.0], "c": [True, False, True], "d": [0, 1, 2]}
    assert asked(table) == ["a = 1", "b = 1", "c is True", "d <= 0.5", "d <= 1.5"]


@pytest.mark.parametrize(
    "cells",
    [[5, 5], [0, 0], [1, 1], [True, True], ["a", "a"], [None, None], pd.Categorical(["a", "a"])],
)
def test_constant_columns_ask_nothing(cells):
    frame = pd.DataFrame({"a": cells})
    found = asked(frame, missing="question")
    assert found == (["a is missing"] if frame["a"].isna().any() else [])


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (("no", "yes"), "yes"),
        (("No", "Yes"), "Yes"),
        (("N", "Y"), "Y"),
        (("never", "ever"), "ever"),
        (("False", "True"), "True"),
        (("absent", "present"), "present"),
        (("0", "x"), "x"),
        (("female", "male"), "female"),
        (("standard", "test"), "standard"),
    ],
)
def test_two_levels_are_one_question_about_the_affirmative_one(levels, expected):
    for cells in (levels, levels[::-1]):
        assert asked({"a": [*cells, cells[0]]}) == [f"a is {expected}"]


def test_two_levels_and_gaps_are_three_questions():
    found = asked({"a": ["no", "yes", None]}, missing="question")
    assert found == ["a is no", "a is yes", "a is missing"]


def test_levels_that_do_not_occur_are_not_asked_about():
    levels = pd.Categorical(["b", "d", "c"], categories=["d", "c", "b", "a"])
    assert asked({"a": levels}) == ["a is d", "a is c", "a is b"]


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("", "a is ''"),
        (" b", "a is ' b'"),
        ("b or c", "a is 'b or c'"),
        ("b or", "a is 'b or'"),
        ("or", "a is 'or'"),
        ("'b'", "a is \"'b'\""),
        ("missing", "a is 'missing'"),
        ("b\n", r"a is 'b\n'"),
        ("b c", "a is b c"),
        ("b'", "a is b'"),
        ("\U0001f600", "a is \U0001f600"),
    ],
)
def test_levels_that_could_be_misread_are_quoted(level, text):
    assert text in asked({"a": [level, "x", "y"]})


@pytest.mark.parametrize(
    ("name", "shown"),
    [("", "''"), (" ", "' '"), ("a\n", r"'a\n'"), ("'a'", "\"'a'\""), ("a b", "a b"), ("é", "é")],
)
def test_names_that_could_be_misread_are_quoted(name, shown):
    assert asked({name: [1, 2]}) == [f"{shown} <= 1.5"]


def test_ordered_levels_are_cut_between_levels_and_the_shorter_side_is_named():
    cells = pd.Series(list(GRADE.categories), dtype=GRADE)
    assert asked({"g": cells}) == [
        "g is I",
        "g is I or II",
        "g is I or II or III",
        "g <= IV",
        "g >= VI",
        "g is VII or VIII or IX",
        "g is VIII or IX",
        "g is IX",
    ]


def test_ordered_levels_answer_by_their_order():
    frame = pd.DataFrame({"g": pd.Series(["IX", "I", "V", "IV", None, "VI"], dtype=GRADE)})
    binarizer = Binarizer(missing="question").fit(frame)
    assert answers(binarizer, frame) == {
        "g is I": [0, 1, 0, 0, 0, 0],
        "g <= IV": [0, 1, 0, 1, 0, 0],
        "g >= VI": [1, 0, 0, 0, 0, 1],
        "g is VII or VIII or IX": [1, 0, 0, 0, 0, 0],
        "g is missing": [0, 0, 0, 0, 1, 0],
    }


def test_answers_are_those_of_plain_comparisons():
    frame = pd.DataFrame(
        {"n": [1.0, 5.0, np.nan], "f": [True, None, False], "s": ["u", None, "v"], "z": [0, 1, 1]}
    )
    assert answers(Binarizer(missing="question").fit(frame), frame) == {
        "n <= 3": [1, 0, 0],
        "n is missing": [0, 0, 1],
        "f is True": [1, 0, 0],
        "f is missing": [0, 1, 0],
        "s is u": [1, 0, 0],
        "s is v": [0, 0, 1],
        "s is missing": [0, 1, 0],
        "z = 1": [0, 1, 1],
    }


# Part of scikit-learn's world.


def test_transform_gives_named_frames_when_asked():
    frame = pd.DataFrame({"age": [40, 62, 63], "stage": ["I", "II", "III"]}, index=[7, 8, 9])
    binarizer = Binarizer().set_output(transform="pandas").fit(frame)
    out = binarizer.transform(frame)
    names = ["age <= 50", "age <= 62.5", "stage is I", "stage is II", "stage is III"]
    assert list(out.columns) == names == binarizer.get_feature_names_out().tolist()
    assert list(out.index) == [7, 8, 9]
    assert out.to_numpy().tolist() == [[1, 1, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 1]]
    polars = Binarizer().set_output(transform="polars").fit_transform(pl.from_pandas(frame))
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns == names


def test_a_pipeline_is_the_tree_on_the_same_questions():
    frame = pd.DataFrame({"age": RNG.normal(60, 10, N), "stage": RNG.choice(["I", "II", "III"], N)})
    tree = OptimalSurvivalTree(2, 0.001).fit(frame, Y)
    for output in ("default", "pandas"):
        binarizer = Binarizer().set_output(transform=output)
        pipeline = Pipeline([("ask", binarizer), ("tree", OptimalSurvivalTree(2, 0.001))])
        pipeline.fit(frame, Y)
        assert pipeline["tree"].objective_ == pytest.approx(tree.objective_, rel=1e-12)
        assert pipeline.score(frame, Y) == pytest.approx(tree.score(frame, Y))
    assert " = 1?" in export_text(pipeline["tree"])


def test_clones_and_pickles():
    frame = pd.DataFrame({"age": [40, None, 63], "stage": ["I", "II", "IV"]})
    options = {"thresholds": {"age": 2}, "missing": "question", "max_levels": 5}
    binarizer = Binarizer(**options).fit(frame)
    others = {"encoding": "questions", "levels": "each", "categorical": None, "exclude": None}
    assert clone(binarizer).get_params() == {**options, **others}
    assert not hasattr(clone(binarizer), "questions_")
    again = pickle.loads(pickle.dumps(binarizer))
    assert np.array_equal(again.transform(frame), binarizer.transform(frame))
    assert again.questions_ == binarizer.questions_


def test_a_second_fit_forgets_the_first():
    frame = pd.DataFrame({"age": [1, 2, 3]})
    binarizer = Binarizer(encoding="paper").fit(frame)
    assert binarizer.get_feature_names_out().tolist() == ["age_2", "age_3"]
    binarizer.set_params(encoding="questions").fit(frame)
    assert binarizer.get_feature_names_out().tolist() == ["age <= 1.5", "age <= 2.5"]
    binarizer.fit([[0], [1]])
    assert binarizer.get_feature_names_out().tolist() == ["x0 = 1"]


# Redundant questions.


def fitted(frame, **options):
    return OptimalSurvivalTree(**{"max_depth": 2, "regularization": 0.0005, **options}).fit(
        frame, Y
    )


def test_redundant_columns_are_searched_once_and_the_most_readable_rule_is_shown():
    age = RNG.permutation(N).astype(float)
    plain = pd.DataFrame({"age": age, "z": RNG.integers(0, 2, N)})
    alone = fitted(plain, thresholds=5)
    old = (age > 29.5).astype(int)
    padded = plain.assign(
        copy=age,
        constant=3,
        negated=-age,
        old=old,
        young=1 - old,
        word=np.where(old == 1, "yes", "no"),
        unused=pd.Categorical(["a"] * N, categories=["a", "b"]),
    )
    model = fitted(padded, thresholds=5)
    assert len(model.questions_) > len(alone.questions_)
    assert model.objective_ == alone.objective_
    for count in ("subsets_solved", "lane_rows", "cache_entries"):
        assert model.certificate_.counts[count] == alone.certificate_.counts[count]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"b": [1, 0], "a": [1, 0]}, "a = 1"),
        ({"a": [0, 1], "b": [1, 0]}, "a = 1"),
        ({"age": [3.5, 70], "old": [0, 1]}, "old = 1"),
        ({"age": [3.5, 70], "old": [False, True]}, "old is True"),
        ({"age": [3.5, 70], "old": ["no", "yes"]}, "old is yes"),
        ({"b": [62, 63], "a": [1000, 1001]}, "b <= 62.5"),
        ({"a": [None, 2.0], "b": [1.0, 2.0]}, "b <= 1.5"),
        ({"x10": [0, 1], "x9": [0, 1]}, "x9 = 1"),
        ({"b": [0, 1], "x1": [0, 1]}, "x1 = 1"),
        ({"x1": [0, 1], "b": [0, 1]}, "x1 = 1"),
    ],
)
def test_of_questions_with_the_same_answers_the_most_readable_is_shown(columns, expected):
    frame = pd.DataFrame({name: cells * 10 for name, cells in columns.items()})
    y = (np.ones(20, dtype=bool), np.tile([1.0, 9.0], 10))
    model = OptimalSurvivalTree(1, 0.001, missing="question").fit(frame, y)
    assert model.questions_.text(int(model.tree_.question[0])) == expected


# The questions themselves.


def test_questions_are_a_sequence_of_words():
    frame = pd.DataFrame({"age": [41.0, 62, 63, 70], "stage": ["I", "III", "III", "II"]})
    expected = ["age <= 50", "age <= 62.5", "age <= 66", "stage is I", "stage is II"]
    questions = Binarizer().fit(frame).questions_
    assert list(questions) == questions.texts == [*expected, "stage is III"]
    assert (questions[0], questions[-1], questions[1:3]) == (
        "age <= 50",
        "stage is III",
        expected[1:3],
    )
    assert "age <= 66" in questions
    assert "age <= 67" not in questions
    assert list(reversed(questions))[1:] == expected[::-1]
    assert repr(questions).startswith("<6 questions: 'age <= 50', 'age <= 62.5'")
    with pytest.raises(IndexError):
        questions[6]


def test_questions_that_are_the_columns_are_a_sequence_too():
    model = OptimalSurvivalTree(1).fit(RNG.integers(0, 2, (N, 2)), Y)
    assert list(model.questions_) == ["x0 = 1", "x1 = 1"]


@pytest.mark.parametrize(
    ("question", "text", "yes", "readability"),
    [
        (InRange(0, high=2.5), "a <= 2.5", [0, 1, 2], (2, 3)),
        (InRange(0, low=2), "a > 2", [3], (2, 1)),
        (InRange(0, 1.0, 3.0), "1 < a <= 3", [2, 3], (4, 0)),
        (InRange(0, 2.0, 2.0), "a = 2", [2], (3, 0)),
        (IsOne(0), "a = 1", [1, 2, 3], (0, 0)),
        (IsOne(0, word="True"), "a is True", [1, 2, 3], (0, 0)),
        (IsMissing(0), "a is missing", [4], (5, 0)),
    ],
)
def test_forms_of_questions_about_numbers(question, text, yes, readability):
    column = Column("a", "number", np.array([0, 1, 2, 3, np.nan]))
    assert question.text("a") == text
    assert np.flatnonzero(question.answer(column)).tolist() == yes
    assert question.readability() == readability


@pytest.mark.parametrize(
    ("question", "text", "yes"),
    [
        (InLevels(0, ("I",)), "a is I", [0]),
        (InLevels(0, ("I", "III"), None), "a is I or III", [0, 2]),
        (InLevels(0, ("I", "II", "III", "IV"), None), "a is I or II or III or IV", [0, 1, 2, 3]),
        (InLevels(0, ("I", "II"), "low"), "a is I or II", [0, 1]),
        (InLevels(0, ("I", "II", "III", "IV"), "low"), "a <= IV", [0, 1, 2, 3]),
        (InLevels(0, ("II", "III", "IV", "V"), "high"), "a >= II", [1, 2, 3, 4]),
        (InLevels(0, ("none of them",)), "a is none of them", []),
        (IsMissing(0), "a is missing", [5]),
    ],
)
def test_forms_of_questions_about_levels(question, text, yes):
    levels = ("I", "II", "III", "IV", "V")
    column = Column("a", "ordered", np.array([0, 1, 2, 3, 4, -1]), levels)
    assert question.text("a") == text
    assert np.flatnonzero(question.answer(column)).tolist() == yes
