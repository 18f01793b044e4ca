"""The conditions that hold for the rows of a leaf: its path, with all splits on a column joined.

A missing value and a level that the fit did not see answer no, so a condition that rests on
answers of no alone says "or ... is missing" where the column had missing values.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from survtree._base.numbers import format_exact
from survtree._base.tree import Tree
from survtree._base.words import quoted_level, quoted_name
from survtree._model.fitted import FittedTree
from survtree._questions.questions import MOST_LEVELS_LISTED, OF_LEVELS, Question, Questions


class Answer(NamedTuple):
    """A question and its answer."""

    question: Question
    is_yes: bool


def paths_to_nodes(tree: Tree, questions: Questions) -> dict[int, tuple[Answer, ...]]:
    """The answers on the way from the root to each node."""
    paths: dict[int, tuple[Answer, ...]] = {0: ()}
    for node in range(tree.n_nodes):  # parents come before children
        if tree.question[node] >= 0:
            question = questions.asked[int(tree.question[node])]
            paths[int(tree.yes[node])] = (*paths[node], Answer(question, True))
            paths[int(tree.no[node])] = (*paths[node], Answer(question, False))
    return paths


def questions_of(model: FittedTree) -> list[Question]:
    """The questions of the splits, from the root down."""
    return [model.questions_.asked[j] for j in model.tree_.question if j >= 0]


def columns_asked(model: FittedTree) -> list[int]:
    """Places of the columns that the tree splits on, from the root down."""
    return list(dict.fromkeys(question.column for question in questions_of(model)))


def has_gaps(model: FittedTree) -> bool:
    """Did a column that the tree splits on have missing values?"""
    return any(model.binarizer_.seen_[column].has_missing for column in columns_asked(model))


def conditions(model: FittedTree, path: Sequence[Answer]) -> tuple[str, ...]:
    """The conditions of a path in words, in the order in which columns first occur."""
    by_column: dict[int, list[Answer]] = {}
    for answer in path:
        by_column.setdefault(answer.question.column, []).append(answer)
    return tuple(
        text
        for column, answers in by_column.items()
        for text in _of_column(
            model.questions_.names[column], answers, model.binarizer_.seen_[column].has_missing
        )
    )


def _of_column(name: str, answers: list[Answer], has_gaps: bool) -> list[str]:
    are_missing = [is_yes for question, is_yes in answers if question.kind == "missing"]
    others = [answer for answer in answers if answer.question.kind != "missing"]
    if any(are_missing):
        return [f"{quoted_name(name)} is missing"]
    if not others:
        return [f"{quoted_name(name)} is not missing"]
    kind = others[0].question.kind
    in_words = {"one": _of_flag, **dict.fromkeys(OF_LEVELS, _of_levels)}.get(kind, _of_numbers)
    parts = in_words(name, others)
    is_known = bool(are_missing) or any(answer.is_yes for answer in others)
    if is_known or not has_gaps:
        return parts
    return [f"({part} or {quoted_name(name)} is missing)" for part in parts]


def _of_flag(name: str, answers: list[Answer]) -> list[str]:
    question, is_yes = answers[0]
    if is_yes:
        return [question.text(name)]
    return [f"{quoted_name(name)} {'= 0' if question.value is None else 'is False'}"]


def _of_numbers(name: str, answers: list[Answer]) -> list[str]:
    """One range, and what is excluded from it."""
    for question, is_yes in answers:
        if question.kind == "equals" and is_yes:
            return [question.text(name)]
    low = max((bound for answer in answers for bound in _low(answer)), default=-math.inf)
    high = min((bound for answer in answers for bound in _high(answer)), default=math.inf)
    has_range = low > -math.inf or high < math.inf
    parts = [_range_text(quoted_name(name), low, high)] if has_range else []
    for question, is_yes in answers:
        if is_yes or question.kind == "at_most":
            continue
        if question.kind == "equals" and low < question.value <= high:
            parts.append(f"{quoted_name(name)} != {format_exact(question.value)}")
        if question.kind == "between" and question.value[0] < high and low < question.value[1]:
            parts.append(f"not ({question.text(name)})")
    return parts


def _low(answer: Answer) -> list[float]:
    question, is_yes = answer
    if question.kind == "at_most" and not is_yes:
        return [question.value]
    return [question.value[0]] if question.kind == "between" and is_yes else []


def _high(answer: Answer) -> list[float]:
    question, is_yes = answer
    if question.kind == "at_most" and is_yes:
        return [question.value]
    return [question.value[1]] if question.kind == "between" and is_yes else []


def _range_text(name: str, low: float, high: float) -> str:
    if high == math.inf:
        return f"{name} > {format_exact(low)}"
    if low == -math.inf:
        return f"{name} <= {format_exact(high)}"
    return f"{format_exact(low)} < {name} <= {format_exact(high)}"


def _of_levels(name: str, answers: list[Answer]) -> list[str]:
    yes = [question for question, is_yes in answers if is_yes]
    no = [question for question, is_yes in answers if not is_yes]
    if not yes:
        return [_none_of_levels(quoted_name(name), no)]
    excluded = {level for question in no for level in question.value}
    left = [
        level
        for level in yes[0].value
        if level not in excluded and all(level in question.value for question in yes)
    ]
    return [_one_of_levels(quoted_name(name), yes[0], left)]


def _one_of_levels(name: str, question: Question, left: list[str]) -> str:
    """One of the levels that are left; those of an ordered column are neighbours."""
    if len(left) == 1:
        return f"{name} is {quoted_level(left[0])}"
    if question.kind == "in" or len(left) <= MOST_LEVELS_LISTED:
        # In brackets: what is joined by "and" must not be read into it.
        return f"({name} is {' or '.join(map(quoted_level, left))})"
    low, high = quoted_level(left[0]), quoted_level(left[-1])
    if question.kind == "up_to" and left[0] == question.value[0]:
        return f"{name} <= {high}"
    if question.kind == "from" and left[-1] == question.value[-1]:
        return f"{name} >= {low}"
    return f"{low} <= {name} <= {high}"


def _none_of_levels(name: str, no: list[Question]) -> str:
    """None of the levels that were answered with no."""
    excluded = list(dict.fromkeys(level for question in no for level in question.value))
    if len(excluded) == 1:
        return f"{name} is not {quoted_level(excluded[0])}"
    if no[0].kind == "in" or len(excluded) <= MOST_LEVELS_LISTED:
        return f"{name} is neither {' nor '.join(map(quoted_level, excluded))}"
    below: list[str] = max((list(q.value) for q in no if q.kind == "up_to"), key=len, default=[])
    above: list[str] = max((list(q.value) for q in no if q.kind == "from"), key=len, default=[])
    if not above:
        return f"{name} > {quoted_level(below[-1])}"
    if not below:
        return f"{name} < {quoted_level(above[0])}"
    return f"{quoted_level(below[-1])} < {name} < {quoted_level(above[0])}"
