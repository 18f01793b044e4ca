"""What holds of the rows of a leaf: its path, with what is asked of one column put together.

The answer no is also that of a missing value and of a level that the fit did not see, so a
condition that only rests on noes says so where the column had missing values.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from survtree._base.numbers import format_exact
from survtree._base.tree import Tree
from survtree._base.words import quoted_level, quoted_name
from survtree._model.fitted import FittedTree
from survtree._questions.questions import MOST_LEVELS_LISTED, OF_LEVELS, Question, Questions


class Asked(NamedTuple):
    """A question and its answer."""

    question: Question
    answer: bool


def asked_of(tree: Tree, questions: Questions) -> dict[int, tuple[Asked, ...]]:
    """What is asked on the way to each node."""
    paths: dict[int, tuple[Asked, ...]] = {0: ()}
    for node in range(tree.n_nodes):  # parents come before children
        if tree.question[node] >= 0:
            question = questions.asked[int(tree.question[node])]
            paths[int(tree.yes[node])] = (*paths[node], Asked(question, True))
            paths[int(tree.no[node])] = (*paths[node], Asked(question, False))
    return paths


def columns_asked(model: FittedTree) -> list[int]:
    """Places of the columns that the tree asks about, from the root down."""
    tree, questions = model.tree_, model.questions_
    return list(dict.fromkeys(questions.asked[j].column for j in tree.question if j >= 0))


def has_gaps(model: FittedTree) -> bool:
    """Did a column that the tree asks about have missing values?"""
    return any(model.binarizer_.seen_[column].has_missing for column in columns_asked(model))


def conditions(model: FittedTree, path: Sequence[Asked]) -> tuple[str, ...]:
    """The conditions of a path in words, in the order in which columns are first asked about."""
    by_column: dict[int, list[Asked]] = {}
    for asked in path:
        by_column.setdefault(asked.question.column, []).append(asked)
    return tuple(
        text
        for column, group in by_column.items()
        for text in _of_column(
            model.questions_.names[column], group, model.binarizer_.seen_[column].has_missing
        )
    )


def _of_column(name: str, group: list[Asked], has_gaps: bool) -> list[str]:
    told = [asked.answer for asked in group if asked.question.kind == "missing"]
    others = [asked for asked in group if asked.question.kind != "missing"]
    if any(told):
        return [f"{quoted_name(name)} is missing"]
    if not others:
        return [f"{quoted_name(name)} is not missing"]
    kind = others[0].question.kind
    in_words = {"one": _flag, **dict.fromkeys(OF_LEVELS, _levels)}.get(kind, _numbers)
    parts = in_words(name, others)
    is_known = bool(told) or any(asked.answer for asked in others)
    if is_known or not has_gaps:
        return parts
    return [f"({part} or {quoted_name(name)} is missing)" for part in parts]


def _flag(name: str, group: list[Asked]) -> list[str]:
    question, answer = group[0]
    if answer:
        return [question.text(name)]
    return [f"{quoted_name(name)} {'= 0' if question.value is None else 'is False'}"]


def _numbers(name: str, group: list[Asked]) -> list[str]:
    """One range, and what is left out of it."""
    for question, answer in group:
        if question.kind == "equals" and answer:
            return [question.text(name)]
    low = max((bound for asked in group for bound in _low(asked)), default=-math.inf)
    high = min((bound for asked in group for bound in _high(asked)), default=math.inf)
    parts = (
        [_range_text(quoted_name(name), low, high)] if low > -math.inf or high < math.inf else []
    )
    for question, answer in group:
        if answer or question.kind == "at_most":
            continue
        if question.kind == "equals" and low < question.value <= high:
            parts.append(f"{quoted_name(name)} != {format_exact(question.value)}")
        if question.kind == "between" and question.value[0] < high and low < question.value[1]:
            parts.append(f"not ({question.text(name)})")
    return parts


def _low(asked: Asked) -> list[float]:
    question, answer = asked
    if question.kind == "at_most" and not answer:
        return [question.value]
    return [question.value[0]] if question.kind == "between" and answer else []


def _high(asked: Asked) -> list[float]:
    question, answer = asked
    if question.kind == "at_most" and answer:
        return [question.value]
    return [question.value[1]] if question.kind == "between" and answer else []


def _range_text(name: str, low: float, high: float) -> str:
    if high == math.inf:
        return f"{name} > {format_exact(low)}"
    if low == -math.inf:
        return f"{name} <= {format_exact(high)}"
    return f"{format_exact(low)} < {name} <= {format_exact(high)}"


def _levels(name: str, group: list[Asked]) -> list[str]:
    yes = [question for question, answer in group if answer]
    no = [question for question, answer in group if not answer]
    if not yes:
        return [_without(quoted_name(name), no)]
    refused = {level for question in no for level in question.value}
    left = [
        level
        for level in yes[0].value
        if level not in refused and all(level in question.value for question in yes)
    ]
    return [_within(quoted_name(name), yes[0], left)]


def _within(name: str, question: Question, left: list[str]) -> str:
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


def _without(name: str, no: list[Question]) -> str:
    """None of the levels that were asked for."""
    refused = list(dict.fromkeys(level for question in no for level in question.value))
    if len(refused) == 1:
        return f"{name} is not {quoted_level(refused[0])}"
    if no[0].kind == "in" or len(refused) <= MOST_LEVELS_LISTED:
        return f"{name} is neither {' nor '.join(map(quoted_level, refused))}"
    below: list[str] = max((list(q.value) for q in no if q.kind == "up_to"), key=len, default=[])
    above: list[str] = max((list(q.value) for q in no if q.kind == "from"), key=len, default=[])
    if not above:
        return f"{name} > {quoted_level(below[-1])}"
    if not below:
        return f"{name} < {quoted_level(above[0])}"
    return f"{quoted_level(below[-1])} < {name} < {quoted_level(above[0])}"
