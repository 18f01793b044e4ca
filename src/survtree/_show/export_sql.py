"""A tree as SQL expressions.

Names and levels of the user are written only as quoted identifiers and quoted literals.
"""

import math
from collections.abc import Mapping

from sklearn.utils.validation import check_is_fitted

from survtree._base.checks import check_choice
from survtree._base.numbers import format_exact
from survtree._model.fitted import FittedTree
from survtree._questions.questions import InLevels, InRange, IsOne, Question
from survtree._show.checks import check_sql_depth, check_sql_texts
from survtree._show.conditions import columns_asked, questions_of
from survtree._show.leaf_facts import takes_missing

WHATS = ("leaf", "risk", "both")
DIALECTS = ("ansi", "sqlite")
# A literal without exponent is a decimal in SQL; up to 15 digits are the same float everywhere.
EXACT_DIGITS = 15


def export_sql(model: FittedTree, *, what: str = "leaf", dialect: str = "ansi") -> str:
    """The tree as a CASE expression over the columns of a table in a database.

    Columns are quoted and named as in the fit. Numbers must be stored as numbers, categories as
    text that is spelled as in the fit, and missing values as NULL: a NaN is not NULL. If the model
    accepts missing values, NULL answers no to every question except "is missing"; otherwise the
    leaf and risk of a row are NULL if a column that the tree splits on is NULL.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    what : {"leaf", "risk", "both"}, default="leaf"
        The leaf by its node number, as ``model.apply`` returns it; the risk, as ``model.predict``
        returns it; or both, named "leaf" and "risk", to be put after SELECT.
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
        WHEN "Karnofsky_score" <= 45 THEN 6
        ELSE 5
      END
      ELSE CASE
        WHEN "Celltype" = 'squamous' THEN 3
        ELSE 2
      END
    END
    """
    check_is_fitted(model)
    what = check_choice("what", what, WHATS)
    dialect = check_choice("dialect", dialect, DIALECTS)
    check_sql_texts(_texts(model))
    check_sql_depth(int(model.tree_.depths().max()))
    leaf = {node: str(node) for node in model.tree_.leaves.tolist()}
    risk = {node: float_literal(float(value)) for node, value in model.leaf_risks_.items()}
    if what == "both":
        both = _expression(model, leaf, dialect), _expression(model, risk, dialect)
        return f'{both[0]} AS "leaf",\n{both[1]} AS "risk"'
    return _expression(model, leaf if what == "leaf" else risk, dialect)


def identifier(name: str) -> str:
    """The name of a column."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """A text in quotes."""
    return "'" + text.replace("'", "''") + "'"


def float_literal(number: float) -> str:
    """A number with all its digits."""
    text = format_exact(number)
    n_digits = sum(character.isdecimal() for character in text)
    return text if "e" in text or n_digits <= EXACT_DIGITS else f"{text}e0"


def _texts(model: FittedTree) -> list[str]:
    """All names and levels that the tree needs."""
    questions = questions_of(model)
    levels = [level for q in questions if isinstance(q, InLevels) for level in q.levels]
    return [model.questions_.names[question.column] for question in questions] + levels


def _expression(model: FittedTree, result: Mapping[int, str], dialect: str) -> str:
    """An expression with the result of each leaf."""
    tree, questions = model.tree_, model.questions_

    def part(node: int, indent: str) -> str:
        if tree.question[node] < 0:
            return result[node]
        deeper = f"{indent}  "
        when = _condition(model, questions.asked[int(tree.question[node])], dialect)
        yes, no = (part(int(branch[node]), deeper) for branch in (tree.yes, tree.no))
        gap = _refusal(model, deeper) if node == 0 else ""
        return f"CASE{gap}\n{deeper}WHEN {when} THEN {yes}\n{deeper}ELSE {no}\n{indent}END"

    return part(0, "")


def _refusal(model: FittedTree, indent: str) -> str:
    """Rows that the model would refuse."""
    if takes_missing(model):
        return ""
    names = [identifier(model.questions_.names[column]) for column in columns_asked(model)]
    return f"\n{indent}WHEN {' OR '.join(f'{name} IS NULL' for name in names)} THEN NULL"


def _condition(model: FittedTree, question: Question, dialect: str) -> str:
    """True where the answer is yes; otherwise it may be NULL, which counts as no."""
    name = identifier(model.questions_.names[question.column])
    if isinstance(question, InLevels):
        levels = ", ".join(map(text_literal, question.levels))
        return f"{name} = {levels}" if len(question.levels) == 1 else f"{name} IN ({levels})"
    is_flag = model.binarizer_.seen_[question.column].kind == "flag"
    if isinstance(question, IsOne) and is_flag and dialect == "ansi":
        return f"{name} IS TRUE"
    if isinstance(question, InRange) and question.is_one_value:
        return f"{name} = {float_literal(question.high)}"
    if isinstance(question, InRange):
        ends = ((">", question.low), ("<=", question.high))
        signs = [f"{name} {sign} {float_literal(end)}" for sign, end in ends if math.isfinite(end)]
        return " AND ".join(signs)
    return f"{name} IS NULL"
