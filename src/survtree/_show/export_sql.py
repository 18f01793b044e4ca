"""A tree as an SQL expression.

Names and levels of the user are written only as quoted identifiers or quoted literals.
"""

import math
from collections.abc import Mapping
from typing import Any

from survtree._base.checks import check_choice
from survtree._base.numbers import format_exact
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._questions.forms import InLevels, InRange, IsOne, Question, of_present_values
from survtree._show.checks import check_sql_depth, check_sql_texts
from survtree._show.leaf_facts import (
    columns_asked,
    given_names,
    questions_of,
    takes_missing,
)
from survtree._show.leaf_texts import group_text

WHATS = ("leaf", "group", "risk", "both")
DIALECTS = ("ansi", "sqlite")
FLOAT_TYPES = {"ansi": "DOUBLE PRECISION", "sqlite": "REAL"}
FIRST_INEXACT = 2.0**53
# A literal without exponent is a decimal in SQL; up to 15 digits are the same float everywhere.
EXACT_DIGITS = 15


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
