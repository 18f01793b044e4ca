"""A tree as code: SQL expressions, and a Python module that needs nothing but Python.

Names and levels of the user are written only as quoted identifiers of SQL, as quoted literals, or,
in Python, as the name of a variable if it is a plain one.
"""

import builtins
import keyword
import math
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from survtree._base.checks import check_choice
from survtree._base.numbers import format_exact
from survtree._base.tree import Tree
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._questions.questions import (
    InLevels,
    InRange,
    IsOne,
    Question,
    of_present_values,
    range_text,
)
from survtree._show.checks import check_function_name, check_sql_depth, check_sql_texts
from survtree._show.leaf_facts import (
    columns_asked,
    given_names,
    questions_of,
    shrinkage_of,
    takes_missing,
)
from survtree._show.leaf_texts import group_text

WHATS = ("leaf", "group", "risk", "both")
DIALECTS = ("ansi", "sqlite")
FLOAT_TYPES = {"ansi": "DOUBLE PRECISION", "sqlite": "REAL"}
FIRST_INEXACT = 2.0**53
# A literal without exponent is a decimal in SQL; up to 15 digits are the same float everywhere.
EXACT_DIGITS = 15
MOST_INDENTED = 50  # beyond it code is hard to read, and beyond 100 not Python


def export_sql(model: Any, *, what: str = "leaf", dialect: str = "ansi") -> str:
    """The tree as a CASE expression over the columns of a table in a database.

    Columns are quoted and named as in the fit. Numbers must be stored as numbers, categories as
    text that is spelled as in the fit, and missing values as NULL: a NaN is not NULL. If the model
    accepts missing values, NULL answers no to every question that does not ask for it; otherwise
    the leaf and risk of a row are NULL if a column that the tree splits on is NULL.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it.
    what : {"leaf", "group", "risk", "both"}, default="leaf"
        The leaf by its node number, as ``model.apply`` returns it; its group by risk, as
        ``model.predict_group`` returns it; the risk, as ``model.predict`` returns it; or leaf and
        risk, so named, to be put after SELECT. Comments name the groups of leaves.
    dialect : {"ansi", "sqlite"}, default="ansi"
        Columns of True and False are of type BOOLEAN in "ansi" (DuckDB, PostgreSQL), and numbers in
        "sqlite", where, as in ``apply``, above 0.5 counts as 1. MySQL is neither: it reads a
        backslash in a literal as the start of an escape.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, export_sql
    >>> from survtree.datasets import load
    >>> X, y = load("veterans")
    >>> model = OptimalSurvivalTree(max_depth=2, regularization=0.001).fit(X, y)
    >>> print(export_sql(model))
    CASE
      WHEN "Karnofsky_score" IS NULL OR "Celltype" IS NULL THEN NULL
      WHEN "Karnofsky_score" <= 65 THEN CASE
        WHEN "Karnofsky_score" <= 45 THEN 6 /* group 4 */
        ELSE 5 /* group 3 */
      END
      ELSE CASE
        WHEN "Celltype" = 'squamous' THEN 3 /* group 1 */
        ELSE 2 /* group 2 */
      END
    END
    """
    model = shown_tree_of(model)
    what = check_choice("what", what, WHATS)
    dialect = check_choice("dialect", dialect, DIALECTS)
    check_sql_texts(_sql_texts(model))
    check_sql_depth(int(model.tree_.depths().max()))
    comments = _sql_comments(model)
    leaf = {node: f"{node}{comment}" for node, comment in comments.items()}
    group = {node: f"{group}{comments[node]}" for group, node in model.groups_.items()}
    risk = {node: float_literal(float(value)) for node, value in model.leaf_risks_.items()}
    if what == "both":
        both = _sql_expression(model, leaf, dialect), _sql_expression(model, risk, dialect)
        return f'{both[0]} AS "leaf",\n{both[1]} AS "risk"'
    results = {"leaf": leaf, "group": group, "risk": risk}
    return _sql_expression(model, results[what], dialect)


def _sql_comments(model: FittedTree) -> dict[int, str]:
    """The group of each leaf as a comment, which no name can end or nest."""
    names = given_names(model)
    texts = {node: group_text(group, names[node]) for group, node in model.groups_.items()}
    plain = {node: text.replace("*", "* ").replace("/", "/ ") for node, text in texts.items()}
    return {node: f" /* {text} */" for node, text in plain.items()}


def quoted(text: str, mark: str) -> str:
    """A name of a column in double quotes, or a text in single ones."""
    return mark + text.replace(mark, 2 * mark) + mark


def float_literal(number: float) -> str:
    """A number with all its digits."""
    text = format_exact(number)
    n_digits = sum(character.isdecimal() for character in text)
    return text if "e" in text or n_digits <= EXACT_DIGITS else f"{text}e0"


def _sql_texts(model: FittedTree) -> list[str]:
    """All names and levels that the tree needs."""
    questions = questions_of(model)
    levels = [level for q in questions if isinstance(q, InLevels) for level in q.levels]
    return [model.questions_.names[question.column] for question in questions] + levels


def _sql_expression(model: FittedTree, result: Mapping[int, str], dialect: str) -> str:
    """An expression with the result of each leaf."""
    tree, questions = model.tree_, model.questions_

    def part(node: int, indent: str) -> str:
        if tree.question[node] < 0:
            return result[node]
        deeper = f"{indent}  "
        when = _sql_condition(model, questions.asked[int(tree.question[node])], dialect)
        yes, no = (part(int(branch[node]), deeper) for branch in (tree.yes, tree.no))
        gap = _sql_refusal(model, deeper) if node == 0 else ""
        return f"CASE{gap}\n{deeper}WHEN {when} THEN {yes}\n{deeper}ELSE {no}\n{indent}END"

    return part(0, "")


def _sql_refusal(model: FittedTree, indent: str) -> str:
    """Rows that the model would refuse."""
    if takes_missing(model):
        return ""
    names = [quoted(model.questions_.names[column], '"') for column in columns_asked(model)]
    return f"\n{indent}WHEN {' OR '.join(f'{name} IS NULL' for name in names)} THEN NULL"


def _sql_condition(model: FittedTree, question: Question, dialect: str) -> str:
    """True where the answer is yes; otherwise it may be NULL, which counts as no."""
    name = quoted(model.questions_.names[question.column], '"')
    present = of_present_values(question)
    if present is not question:
        return f"{_sql_condition(model, present, dialect)} OR {name} IS NULL"
    if isinstance(question, InLevels):
        levels = ", ".join(quoted(level, "'") for level in question.levels)
        return f"{name} = {levels}" if len(question.levels) == 1 else f"{name} IN ({levels})"
    is_flag = model.binarizer_.seen_[question.column].kind == "flag"
    if isinstance(question, IsOne) and is_flag and dialect == "ansi":
        return f"{name} IS TRUE"
    if isinstance(question, InRange) and _is_beyond_integers(question):
        # The fit read whole numbers of this size as floats, which are further apart.
        name = f"CAST({name} AS {FLOAT_TYPES[dialect]})"
    if isinstance(question, InRange) and question.is_one_value:
        return f"{name} = {float_literal(question.high)}"
    if isinstance(question, InRange):
        ends = ((">", question.low), ("<=", question.high))
        signs = [f"{name} {sign} {float_literal(end)}" for sign, end in ends if math.isfinite(end)]
        return " AND ".join(signs)
    return f"{name} IS NULL"


def _is_beyond_integers(question: InRange) -> bool:
    """Is there an end from which on a float does not hold every whole number?"""
    ends = (question.low, question.high)
    return any(math.isfinite(end) and abs(end) >= FIRST_INEXACT for end in ends)


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


def export_python(model: Any, name: str = "predict_leaf") -> str:
    """The tree as the source of a Python module that needs no other package.

    The module has a function that takes a row, a mapping of column names to values, and returns
    its leaf by node number, as ``model.apply`` does; ``GROUP`` by risk, ``RISK``, ``MEDIAN`` and
    ``SURVIVAL`` by leaf; and ``survival(row, time)``: what the model predicts. None and NaN are
    missing; if the model does not accept missing values, its module refuses them. A column that
    does not exist is a KeyError.

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
    head = f'"""{title}, made by survtree {version("survtree")}."""\n'
    parts = [_facts(model), *_readers(model), _function(model, name)]
    parts.append(CURVE.replace("@NAME@", name))
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
    lines = [
        "# Of each leaf: its group (1 has the lowest risk), its risk score, median survival, and"
    ]
    lines += ["# survival from each time on."]
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
    lines += ["}", "SURVIVAL = {"]
    for leaf, curve in curves.items():
        times, values = curve.survival.x.tolist(), curve.survival.y.tolist()
        lines += [f"    {leaf}: (", f"        {times!r},", f"        {values!r},", "    ),"]
    return "\n".join([*lines, "}", ""])


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
