"""A tree as a Python module that needs nothing but Python.

Names and levels of the user are written only as quoted literals, or as the name of a variable if it
is a plain one.
"""

import builtins
import keyword
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from survtree._base.numbers import format_exact
from survtree._base.tree import Tree
from survtree._base.versions import SURVTREE_VERSION
from survtree._model.fitted import FittedTree
from survtree._model.read_cause import check_cause
from survtree._model.read_tree import shown_tree_of
from survtree._questions.forms import InLevels, InRange, Question, of_present_values, range_text
from survtree._scoring.curves import StepFunction
from survtree._show.checks import check_function_name
from survtree._show.leaf_facts import (
    columns_asked,
    given_names,
    shrinkage_of,
    takes_missing,
)

MOST_INDENTED = 50  # beyond it code is hard to read, and beyond 100 not Python
TAKEN = (
    "bisect_right",
    "math",
    "Enum",
    "Number",
    "GROUP",
    "RISK",
    "MEDIAN",
    "SURVIVAL",
    "survival",
    "INCIDENCE",
    "incidence",
)
# Not for variables: what the function itself needs, and letters that read like digits.
NOT_VARIABLES = ("row", "math", "l", "O", "I")

READING = """\
def _cell(row, name):
    if name not in row:
        raise KeyError(f"the row must have the column {name!r}; it has {list(row)!r}")
    return row[name]


def _is_missing(value):
    is_nan = isinstance(value, Number) and math.isnan(value)
    return is_nan or type(value).__name__ in ("NoneType", "NAType", "NaTType")
"""

NUMBERS = '''\
def _number(row, name):
    """A number or flag; NaN if it is missing."""
    value = _cell(row, name)
    if _is_missing(value):
        return @MISSING_NUMBER@
    if isinstance(value, (str, Enum)):
        raise TypeError(f"column {name!r} must hold a number; the row has {value!r}")
    if math.isinf(float(value)):
        raise ValueError(f"column {name!r} must hold a finite number; the row has {value!r}")
    return float(value)
'''

LEVELS = '''\
def _level(row, name):
    """A category as text; None if it is missing. Whole numbers read alike: 2.0 is "2"."""
    value = _cell(row, name)
    if _is_missing(value):
        return @MISSING_LEVEL@
    if isinstance(value, Enum):
        return str(value.value) if isinstance(value.value, str) else value.name
    if isinstance(value, str) or type(value).__name__.startswith("bool"):
        return str(value)
    value = float(value)
    return f"{value:.0f}" if value.is_integer() else str(value)
'''

REFUSAL = """\
def _refuse(name):
    raise ValueError(f"column {name!r} must not be missing: the tree takes no missing values")
"""

CURVE = '''\
def survival(row, time):
    """The share of the row's leaf that is without the event after this time."""
    times, values = SURVIVAL[@NAME@(row)]
    place = bisect_right(times, time)
    return values[place - 1] if place else 1.0
'''


INCIDENCE = '''\
def incidence(row, time, cause=@CAUSE@):
    """The share of the row's leaf that has had the cause by this time."""
    times, values = INCIDENCE[cause][@NAME@(row)]
    place = bisect_right(times, time)
    return values[place - 1] if place else 0.0
'''


def export_python(model: Any, name: str = "predict_leaf") -> str:
    """The tree as the source of a Python module that needs no other package.

    The module has a function that takes a row, a mapping of column names to values, and returns
    its leaf by node number, as ``model.apply`` does; ``GROUP`` by risk, ``RISK``, ``MEDIAN`` and
    ``SURVIVAL`` by leaf; and ``survival(row, time)``: what the model predicts. None and NaN are
    missing; if the model does not accept missing values, its module refuses them. A column that
    does not exist is a KeyError. With competing risks there are ``INCIDENCE`` by cause and leaf and
    ``incidence(row, time, cause)`` in place of survival.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it.
    name : str, default="predict_leaf"
        Name of the function that returns the leaf.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, export_python
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> module = {}
    >>> exec(export_python(model), module)
    >>> row = {"Karnofsky_score": 30}
    >>> leaf = module["predict_leaf"](row)
    >>> leaf, module["MEDIAN"][leaf], round(module["survival"](row, 90), 3)
    (2, 20.0, 0.079)
    """
    model = shown_tree_of(model)
    name = check_function_name(name, TAKEN)
    n_leaves = len(model.tree_.leaves)
    title = f"A survival tree with {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}"
    head = f'"""{title}, made by survtree {SURVTREE_VERSION}."""\n'
    parts = [_facts(model), *_readers(model), _function(model, name)]
    curve = CURVE if model.causes_ is None else INCIDENCE
    target = "" if model.causes_ is None else repr(model.causes_.target_name)
    parts.append(curve.replace("@NAME@", name).replace("@CAUSE@", target))
    return f"{head}\n{_imports(model)}\n" + "\n\n".join(parts)


def _imports(model: FittedTree) -> str:
    """Only those that are needed."""
    has_splits = bool(columns_asked(model))
    is_median_open = any(math.isinf(c.quantile(0.5)) for c in model.predicted_curves_.values())
    lines = ["import math"] if has_splits or is_median_open else []
    lines.append("from bisect import bisect_right")
    lines += ["from enum import Enum", "from numbers import Number"] if has_splits else []
    return "\n".join([*lines, ""])


def _facts(model: FittedTree) -> str:
    curves, shrinkage = model.predicted_curves_, shrinkage_of(model)
    names = given_names(model)
    what = "median survival, and"
    if model.causes_ is not None:
        what = "the time by which half had"
    lines = [f"# Of each leaf: its group (1 has the lowest risk), its risk score, {what}"]
    if model.causes_ is None:
        lines += ["# survival from each time on."]
    else:
        lines += ["# the target cause, and by cause the share that has had it, from each time on."]
    if shrinkage > 0:
        lines += [f"# All of them are predicted by shrunken curves (shrinkage {shrinkage:g}):"]
        lines += ["# the curve of a leaf is pulled towards those of the nodes above it."]
    lines += ["GROUP = {"]
    for group, node in model.groups_.items():
        comment = f"  # {names[node]}" if names[node] else ""
        lines += [f"    {node}: {group},{comment}"]
    lines += ["}", "RISK = {"]
    lines += [f"    {leaf}: {_literal(float(r))}," for leaf, r in model.leaf_risks_.items()]
    lines += ["}", "MEDIAN = {"]
    lines += [f"    {leaf}: {_literal(curve.quantile(0.5))}," for leaf, curve in curves.items()]
    if model.causes_ is None:
        of_leaves = _curve_lines({leaf: curve.survival for leaf, curve in curves.items()})
        return "\n".join([*lines, "}", "SURVIVAL = {", *of_leaves, "}", ""])
    lines += ["}", "INCIDENCE = {"]
    for cause in model.causes_.names:
        of = check_cause(model.causes_, cause)
        of_leaves = _curve_lines({leaf: of(curve) for leaf, curve in curves.items()})
        lines += [f"    {cause!r}: {{", *(f"    {line}" for line in of_leaves), "    },"]
    return "\n".join([*lines, "}", ""])


def _curve_lines(curves: dict[int, StepFunction]) -> Iterator[str]:
    """Times and values of each leaf."""
    for leaf, curve in curves.items():
        yield f"    {leaf}: ("
        yield f"        {curve.x.tolist()!r},"
        yield f"        {curve.y.tolist()!r},"
        yield "    ),"


def _literal(number: float) -> str:
    return "math.inf" if math.isinf(number) else repr(number)


def _readers(model: FittedTree) -> Iterator[str]:
    """The functions that read cells, as far as the tree needs them."""
    columns = columns_asked(model)
    if not columns:
        return
    refuses = not takes_missing(model)
    yield READING
    if refuses:
        yield REFUSAL
    for reader, mark, missing in (
        (NUMBERS, "@MISSING_NUMBER@", "math.nan"),
        (LEVELS, "@MISSING_LEVEL@", "None"),
    ):
        if any(_reads_level(model, column) == (reader is LEVELS) for column in columns):
            yield reader.replace(mark, "_refuse(name)" if refuses else missing)


def _reads_level(model: FittedTree, column: int) -> bool:
    return model.binarizer_.seen_[column].kind in ("level", "ordered")


def _function(model: FittedTree, name: str) -> str:
    tree, questions = model.tree_, model.questions_
    variables = _variables(model)
    lines = [f"def {name}(row):", '    """The leaf of a row, which maps columns to values."""']
    for column, variable in variables.items():
        reader = "_level" if _reads_level(model, column) else "_number"
        lines.append(f"    {variable} = {reader}(row, {str(questions.names[column])!r})")

    flipped = _flipped(tree)

    def add(node: int, indent: str) -> None:
        while tree.question[node] >= 0:
            question = questions.asked[int(tree.question[node])]
            is_level = _reads_level(model, question.column)
            condition = _python_condition(question, variables[question.column], is_level)
            inside, after = int(tree.yes[node]), int(tree.no[node])
            if node in flipped:
                condition, inside, after = f"not ({condition})", after, inside
            lines.append(f"{indent}if {condition}:")
            add(inside, f"{indent}    ")
            node = after
        lines.append(f"{indent}return {node}")

    add(0, "    ")
    return "\n".join([*lines, ""])


def _flipped(tree: Tree) -> set[int]:
    """Splits of a deep tree whose branch "no" is indented instead of "yes".

    Python refuses more than 100 levels. If the branch with fewer leaves is indented, a level at
    least halves the leaves.
    """
    if int(tree.depths().max()) <= MOST_INDENTED:
        return set()
    n_leaves = tree.ancestors()[tree.leaves].sum(axis=0)  # below each node
    splits = np.flatnonzero(tree.question >= 0)
    return set(splits[n_leaves[tree.yes[splits]] > n_leaves[tree.no[splits]]].tolist())


def _variables(model: FittedTree) -> dict[int, str]:
    """A variable for each column that the tree splits on: its own name where that is possible."""
    names = model.questions_.names
    out: dict[int, str] = {}
    for column in columns_asked(model):
        name = names[column]
        is_plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
        # Names that start with an underscore belong to the readers and to made-up variables.
        is_free = name[:1] != "_" and name not in NOT_VARIABLES and not hasattr(builtins, name)
        out[column] = str(name) if is_plain and is_free else f"_column_{column}"
    return out


def _python_condition(question: Question, variable: str, is_level: bool) -> str:
    """True where the answer is yes; NaN and None make it False unless the question asks for it."""
    is_missing = f"{variable} is None" if is_level else f"math.isnan({variable})"
    present = of_present_values(question)
    if present is not question:
        return f"{_python_condition(present, variable, is_level)} or {is_missing}"
    if isinstance(question, InLevels):
        levels = tuple(map(str, question.levels))
        return f"{variable} == {levels[0]!r}" if len(levels) == 1 else f"{variable} in {levels!r}"
    if isinstance(question, InRange) and question.is_one_value:
        return f"{variable} == {format_exact(question.high)}"
    if isinstance(question, InRange):
        return range_text(variable, question.low, question.high)
    return is_missing
