"""Exports: what the words say, and what code made of a tree does with cells of any type."""

import decimal
import enum
import importlib.util
import math
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    export_dot,
    export_latex,
    export_python,
    export_sql,
    export_text,
)
from survtree._base.tree import Tree
from survtree._base.words import quoted_level, quoted_name
from survtree._data.table import EventTable
from survtree._model.model_file import question_of
from survtree._questions.forms import IsOne
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurves, leaf_curves
from survtree._show.export_sql import float_literal
from survtree._show.leaf_facts import Answer, conditions, facts_to_write
from survtree.datasets import load
from tests.support.made_up_models import made_up, random_tree

# The tables are so small and simple that their columns are near copies of the time.
pytestmark = pytest.mark.filterwarnings("ignore::survtree.DataWarning")

EXPORTS = (export_dot, export_latex, export_python, export_sql, export_text)
N = 60
Y = (np.arange(N) % 5 > 0, np.arange(1.0, N + 1))


def fitted(frame, depth=1, **options):
    options = {"regularization": 0.0, "min_samples_leaf": 2, **options}
    return OptimalSurvivalTree(depth, **options).fit(frame, Y)


def module_of(model, **options):
    module = {}
    exec(compile(export_python(model, **options), "tree.py", "exec"), module)
    return module


@pytest.fixture(scope="module")
def veterans():
    return OptimalSurvivalTree(3, 0.0, max_leaves=6).fit(*load("veterans"))


# Words.


@pytest.mark.parametrize(
    "name",
    [
        *("age <= 5", "a and b", "a or b", "a nor b", "not", "not a", "a is b", "a is", "(a"),
        *("", " a", "a ", "a\nb", "'a'", '"a"', "a < b", "a = 1", "\u202eevil", "and"),
    ],
)
def test_a_name_that_could_be_read_otherwise_is_quoted(name):
    assert quoted_name(name) == repr(name)


@pytest.mark.parametrize(
    "name", ["age", "age (years)", "patient's age", "is", "island", "a<=b", "andy", "🫀", "العمر"]
)
def test_a_name_that_cannot_is_not(name):
    assert quoted_name(name) == name


@pytest.mark.parametrize("level", ["missing", "not sure", "neither", "I or II", "a <= b", "I nor"])
def test_a_level_that_could_be_read_otherwise_is_quoted(level):
    assert quoted_level(level) == repr(level)


def answers(*pairs):
    return [Answer(question_of(0, kind, value), answer) for kind, value, answer in pairs]


L = tuple(f"L{k}" for k in range(1, 10))


@pytest.mark.parametrize(
    ("path", "whole", "with_gaps"),
    [
        ([("at_most", 50.0, False)], "a > 50", "(a > 50 or a is missing)"),
        ([("at_most", 50.0, False), ("at_most", 62.5, True)], "50 < a <= 62.5", None),
        (
            [("at_most", 50.0, False), ("at_most", 60.0, False)],
            "a > 60",
            "(a > 60 or a is missing)",
        ),
        ([("at_most", 50.0, True), ("at_most", 40.0, True)], "a <= 40", None),
        ([("at_most", 50.0, False), ("missing", None, False)], "a > 50", None),
        ([("at_most", 50.0, False), ("missing", None, True)], "a is missing", None),
        ([("missing", None, False)], "a is not missing", None),
        ([("equals", 2.0, False), ("equals", 3.0, True)], "a = 3", None),
        ([("equals", 2.0, False)], "a != 2", "(a != 2 or a is missing)"),
        ([("between", (1.0, 2.0), False), ("between", (2.0, 3.0), True)], "2 < a <= 3", None),
        (
            [("between", (1.0, 2.0), False)],
            "not (1 < a <= 2)",
            "(not (1 < a <= 2) or a is missing)",
        ),
        ([("one", None, False)], "a = 0", "(a = 0 or a is missing)"),
        ([("one", "True", False)], "a is False", "(a is False or a is missing)"),
        ([("one", "True", True)], "a is True", None),
        ([("in", ("I",), False)], "a is not I", "(a is not I or a is missing)"),
        ([("in", ("I",), False), ("in", ("II",), True)], "a is II", None),
        (
            [("in", ("I",), False), ("in", ("II",), False)],
            "a is neither I nor II",
            "(a is neither I nor II or a is missing)",
        ),
        ([("up_to", L[:4], True), ("up_to", L[:2], False)], "(a is L3 or L4)", None),
        ([("up_to", L[:4], True)], "a <= L4", None),
        ([("from", L[5:], True)], "a >= L6", None),
        ([("up_to", L[:7], True), ("up_to", L[:1], False)], "L2 <= a <= L7", None),
        ([("up_to", L[:4], False)], "a > L4", "(a > L4 or a is missing)"),
        ([("from", L[5:], False)], "a < L6", "(a < L6 or a is missing)"),
        (
            [("up_to", L[:4], False), ("from", L[7:], False)],
            "L4 < a < L8",
            "(L4 < a < L8 or a is missing)",
        ),
    ],
)
def test_what_is_asked_of_one_column_becomes_one_condition(path, whole, with_gaps):
    ages = pd.Series(np.arange(N, dtype=float))
    gaps = ages.mask(np.arange(N) % 7 == 0)
    assert conditions(fitted(ages.to_frame("a")), answers(*path)) == (whole,)
    model = fitted(gaps.to_frame("a"), missing="question")
    assert conditions(model, answers(*path)) == (with_gaps or whole,)


def test_leaves_tell_all_facts(veterans):
    lines = export_text(veterans, "leaves", times=[90], confidence=0.9).splitlines()
    assert lines[-1] == "In brackets: 90 % confidence limits."
    form = re.compile(
        r"group \d+: .+; n \d+, events \d+, median [\d.]+ \(.+\), "
        r"S\(90\) (1\.00|0\.\d\d \(0\.\d\d to [01]\.\d\d\)), "
        r"risk [\d.]+, hazard ratio [\d.]+ \(.+\)"
    )
    assert len(lines) == 1 + veterans.n_leaves_
    assert all(form.fullmatch(line) for line in lines[:-1])
    assert sum("hazard ratio 1 (reference)" in line for line in lines) == 1


def test_a_median_that_is_not_reached_has_limits_as_far_as_the_curve_goes():
    # Half of the groups reach their median, so that all of them are described by it.
    x, time = np.arange(80) // 40, np.tile(np.arange(1.0, 41), 2)
    event = (np.arange(80) % 8 == 0) | (x == 1)
    model = OptimalSurvivalTree(1, 0.0).fit(x[:, None], (event, time))
    text = next(n for n in export_text(model, "rules").splitlines() if "events 5" in n).strip()
    assert re.fullmatch(r"group 1: n 40, events 5, median not reached \(\d+ or more\)", text)
    event = (np.arange(80) == 3) | (x == 1)
    model = OptimalSurvivalTree(1, 0.0).fit(x[:, None], (event, time))
    assert "group 1: n 40, events 1, median not reached\n" in export_text(model, "rules")


def test_a_leaf_without_an_event_has_no_limits_of_its_hazard_ratio():
    x = np.arange(N) % 2
    some = (x == 1) & (np.arange(N) % 3 > 0)
    model = OptimalSurvivalTree(1, 0.0).fit(pd.DataFrame({"x": x}), (some, Y[1]))
    line = next(n for n in export_text(model, "leaves").splitlines() if "events 0" in n)
    assert line.endswith("hazard ratio 0")


# All exports.


@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.__name__)
def test_exports_take_tuned_models_and_lone_leaves_and_say_the_same_twice(export, veterans):
    X, y = load("veterans")
    tuned = OptimalSurvivalTreeCV(max_depths=(1,), cv=2, random_state=0).fit(X, y)
    assert export(tuned) == export(tuned.best_estimator_)
    assert export(OptimalSurvivalTree(0).fit(X, y))
    again = OptimalSurvivalTree(3, 0.0, max_leaves=6).fit(X, y)
    assert export(again) == export(veterans)


# Python.


class Stage(enum.Enum):
    TWO = "2"
    OTHER = 7


LEVELS = ["2", "0.5", "True", "False", "OTHER"]
CELLS = [
    *(2, 2.0, 0.5, np.float32(0.5), np.float64(2), np.int8(2), decimal.Decimal("2.0"), "2", "2.0"),
    *(True, False, np.True_, Stage.TWO, Stage.OTHER, 10**17 + 1, 1e300, "True", 0.1, "unseen"),
]


@pytest.mark.filterwarnings("ignore:rows hold values that the fit did not see")
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{type(cell).__name__} {cell!r}")
def test_a_cell_of_any_type_is_the_level_that_apply_takes_it_for(cell):
    table = pl.DataFrame({"a": [LEVELS[k * len(LEVELS) // N] for k in range(N)]})
    model = fitted(table, 4)
    assert model.n_leaves_ == len(LEVELS)
    new = pd.DataFrame({"a": pd.Series([cell], dtype=object)})
    assert module_of(model)["predict_leaf"]({"a": cell}) == model.apply(new)[0]


def test_a_whole_number_that_a_float_can_only_come_near_to_is_that_float():
    whole = 10**17 + 1
    table = pl.DataFrame({"a": [f"{float(whole):.0f}"] * (N // 2) + ["x"] * (N // 2)})
    model = fitted(table)
    new = pd.DataFrame({"a": [whole]})
    assert module_of(model)["predict_leaf"]({"a": whole}) == model.apply(new)[0]
    assert model.apply(new)[0] != model.apply(pd.DataFrame({"a": ["x"]}))[0]


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_what_is_missing_answers_no_or_is_refused(missing):
    ages = [None if k % 6 == 0 else float(k) for k in range(N)]
    stages = [None if k % 7 == 0 else "I" if k % 2 else "II" for k in range(N)]
    frame = pd.DataFrame({"math": ages, "stage": stages})
    model = fitted(frame, 3, missing="question", min_samples_leaf=4)
    row = {"math": missing, "stage": missing}
    new = pd.DataFrame({name: pd.Series([None], dtype=object) for name in row})
    assert module_of(model)["predict_leaf"](row) == model.apply(new)[0]
    whole = fitted(frame.assign(math=np.arange(float(N)))[["math"]])
    with pytest.raises(ValueError, match="'math' must not be missing"):
        module_of(whole)["predict_leaf"]({"math": missing})


def test_a_model_that_refuses_missing_values_gives_null_in_sql():
    model = fitted(pd.DataFrame({"age": np.arange(float(N))}))
    base = sqlite3.connect(":memory:")
    both = export_sql(model, what="both")
    found = base.execute(f'SELECT {both} FROM (SELECT NULL AS "age")').fetchall()
    base.close()
    assert found == [(None, None)]


def test_cells_that_apply_refuses_are_refused_by_name():
    model = fitted(pd.DataFrame({"age": np.arange(float(N))}))
    leaf_of = module_of(model)["predict_leaf"]
    with pytest.raises(KeyError, match=r"must have the column 'age'; it has \['Age'\]"):
        leaf_of({"Age": 3})
    with pytest.raises(TypeError, match="'age' must hold a number; the row has '3'"):
        leaf_of({"age": "3"})
    with pytest.raises(ValueError, match="'age' must hold a finite number; the row has inf"):
        leaf_of({"age": math.inf})


def chain(n_splits, nested):
    """A tree of flags in which the branch ``nested`` of each split leads to the next one."""
    question, no, yes = (np.full(2 * n_splits + 1, -1, np.int32) for _ in range(3))
    splits = np.arange(n_splits)
    question[2 * splits] = splits
    leaf, after = 2 * splits + 1, 2 * splits + 2
    no[2 * splits], yes[2 * splits] = (leaf, after) if nested == "yes" else (after, leaf)
    return Tree(question, no, yes)


@pytest.mark.parametrize("nested", ["yes", "no"])
@pytest.mark.parametrize("n_splits", [50, 51, 101, 950])
def test_trees_of_any_depth_become_python(n_splits, nested):
    flags = (np.arange(N)[:, np.newaxis] + np.arange(n_splits)) % 97 > 0
    frame = pl.DataFrame(flags, schema=[f"flag_{j}" for j in range(n_splits)])
    model = fitted(frame, missing="question")
    tree, state = chain(n_splits, nested), model._state
    rows = np.arange(N) % len(tree.leaves)
    curves = dict(
        zip(
            tree.leaves.tolist(),
            leaf_curves(EventTable(*Y, np.ones(N)), rows, len(tree.leaves)),
            strict=True,
        )
    )
    questions = Questions(tuple(frame.columns), tuple(IsOne(j) for j in range(n_splits)))
    certificate = replace(state.certificate, tree=tree)
    state = replace(state, certificate=certificate, leaf_curves=LeafCurves(lambda: curves))
    model._fitted = state.with_binarizer(questions_=questions)
    leaf_of = module_of(model)["predict_leaf"]
    assert [leaf_of(row) for row in frame.iter_rows(named=True)] == model.apply(frame).tolist()


def copied_facts(model, *options):
    """Facts of leaves that are all those of one leaf of another tree."""
    few = facts_to_write(made_up(random_tree(2, 0)), *options)
    groups = model.groups_.items()
    leaves = [few.leaves[0]._replace(node=node, group=group) for group, node in groups]
    return few._replace(leaves=tuple(leaves))


@pytest.mark.parametrize("nested", ["yes", "no"])
@pytest.mark.parametrize("style", ["tree", "rules"])
def test_trees_of_any_depth_become_text(style, nested, monkeypatch):
    tree = random_tree(1001, 0, is_chain=True)
    if nested == "no":
        tree = Tree(tree.question, tree.yes, tree.no)
    assert tree.depths().max() == 1000
    # Hazard ratios between a thousand leaves would take long.
    monkeypatch.setattr("survtree._show.export_text.facts_to_write", copied_facts)
    text = export_text(made_up(tree), style)
    assert sorted(map(int, re.findall(r"\bgroup (\d+):", text))) == list(range(1, 1002))


@pytest.mark.parametrize("dialect", ["ansi", "sqlite"])
def test_whole_numbers_beyond_those_of_floats_are_compared_as_in_the_fit(dialect):
    numbers = 2**53 - 3 + np.arange(N) // 5  # 2^53 + 1 is read as 2^53
    frame = pl.DataFrame({"key": numbers})
    model = fitted(frame, 3, thresholds="all")
    expected = model.apply(frame).tolist()
    assert model.tree_.depths().max() > 1
    case = export_sql(model, dialect=dialect)
    assert "CAST" in case
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE rows ("key" INTEGER)')
    base.executemany("INSERT INTO rows VALUES (?)", [(int(number),) for number in numbers])
    assert [leaf for (leaf,) in base.execute(f"SELECT {case} FROM rows")] == expected
    base.close()
    leaf_of = module_of(model)["predict_leaf"]
    assert [leaf_of({"key": int(number)}) for number in numbers] == expected


@pytest.mark.filterwarnings("ignore:rows hold values that the fit did not see")
@pytest.mark.parametrize("value", [-1, 0, 0.3, 0.5, 0.7, 1, 2])
@pytest.mark.parametrize("as_flag", [False, True])
def test_above_one_half_counts_as_1(value, as_flag):
    x = np.arange(N) > N // 2
    model = fitted(pd.DataFrame({"x": x if as_flag else x.astype(int)}))
    expected = model.apply(pd.DataFrame({"x": [value]}))[0]
    assert module_of(model)["predict_leaf"]({"x": value}) == expected
    base = sqlite3.connect(":memory:")
    case = export_sql(model, dialect="sqlite")
    assert base.execute(f'SELECT {case} FROM (SELECT {value} AS "x")').fetchone() == (expected,)
    base.close()


def test_the_exported_curve_is_the_predicted_one(veterans):
    X, _ = load("veterans")
    module = module_of(veterans)
    times = np.array([0.0, 0.5, 1, 20, 111, 500, 999, 5000])
    predicted = veterans.predict_survival_function(X, times, return_array=True)
    medians = veterans.predict_median(X)
    for row, curve, median in zip(X.to_dicts(), predicted, medians, strict=True):
        assert [module["survival"](row, time) for time in times] == curve.tolist()
        assert module["MEDIAN"][module["predict_leaf"](row)] == median


def test_a_median_that_is_not_reached_is_infinite():
    time, event = np.arange(1.0, 41), np.arange(40) % 8 == 0
    model = OptimalSurvivalTree(0).fit(np.arange(40.0)[:, None], (event, time))
    module = module_of(model, name="leaf_of")
    assert module["MEDIAN"] == {0: math.inf}
    assert module["leaf_of"]({}) == 0
    assert module["survival"]({}, 2.0) == 1 - 1 / 40


@pytest.mark.parametrize(
    "names",
    [
        ("math", "float"),
        ("row", "_number"),
        ("_column_1", "l"),
        ("class", "match"),
        ("RISK", "predict_leaf"),
        ("math.", "Enum)"),
        ('"""', "\\"),
        (np.str_("a\nb"), np.str_("a")),
    ],
)
def test_exported_python_passes_the_defaults_of_ruff(names, tmp_path):
    first, second = names
    levels = [["'\"", "\n"][k % 4 > 1] for k in range(N)]
    numbers = [None if k % 5 == 0 else float(k) for k in range(N)]
    frame = pd.DataFrame({first: numbers, second: levels})
    model = fitted(frame, 3, missing="question", thresholds=[np.float64(20.5)])
    if not hasattr(model, "feature_names_in_"):
        pytest.skip("to this scikit-learn, names of NumPy's type are no names")
    assert {model.questions_.asked[j].column for j in model.tree_.question if j >= 0} == {0, 1}
    leaf_of = module_of(model)["predict_leaf"]
    rows = [{first: a, second: b} for a, b in zip(numbers, levels, strict=True)]
    assert [leaf_of(row) for row in rows] == model.apply(frame).tolist()
    if importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    (tmp_path / "tree.py").write_text(export_python(model), encoding="utf-8")
    run = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", str(tmp_path)]
    assert subprocess.run(run, capture_output=True, check=False).returncode == 0


# SQL.


@pytest.mark.parametrize(
    ("number", "literal"),
    [
        (62.0, "62"),
        (62.5, "62.5"),
        (-0.001, "-0.001"),
        (1e300, "1e+300"),
        (0.1 + 0.2, "0.30000000000000004e0"),
        (2.0**53, "9007199254740992e0"),
    ],
)
def test_a_literal_is_the_same_float_in_every_database(number, literal):
    assert float_literal(number) == literal
    assert float(literal) == number


@pytest.mark.parametrize("name", ['a"b', '"; DROP TABLE t; --', "a'b", "", "[x]", "`x`"])
def test_quotes_cannot_leave_their_place(name):
    levels = ["'", "';", "x'' OR 1=1 --", "\\'"]
    frame = pd.DataFrame({name: [levels[k * 4 // N] for k in range(N)]})
    model = fitted(frame, 3)
    assert model.n_leaves_ == 4
    base = sqlite3.connect(":memory:")
    quoted = '"' + name.replace('"', '""') + '"'
    base.execute(f"CREATE TABLE t ({quoted} TEXT)")
    base.executemany("INSERT INTO t VALUES (?)", [(level,) for level in frame[name]])
    found = base.execute(f"SELECT {export_sql(model)} FROM t ORDER BY rowid").fetchall()
    base.close()
    assert [leaf for (leaf,) in found] == model.apply(frame).tolist()
