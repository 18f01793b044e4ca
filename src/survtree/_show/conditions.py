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
from survtree._questions.questions import (
    MOST_LEVELS_LISTED,
    End,
    InLevels,
    InRange,
    IsMissing,
    IsOne,
    Question,
    Questions,
    range_text,
)


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


def _of_column(name: str, group: list[Answer], has_gaps: bool) -> list[str]:
    are_missing = [answer.is_yes for answer in group if isinstance(answer.question, IsMissing)]
    others = [answer for answer in group if not isinstance(answer.question, IsMissing)]
    if any(are_missing):
        return [f"{quoted_name(name)} is missing"]
    if not others:
        return [f"{quoted_name(name)} is not missing"]
    parts = _without_missing(name, others)
    is_known = bool(are_missing) or any(answer.is_yes for answer in others)
    if is_known or not has_gaps:
        return parts
    return [f"({part} or {quoted_name(name)} is missing)" for part in parts]


def _without_missing(name: str, group: list[Answer]) -> list[str]:
    """Questions about one column have one form, apart from the one whether it is missing."""
    first, answer = group[0]
    if isinstance(first, IsOne):
        no = f"{quoted_name(name)} {'= 0' if first.word is None else 'is False'}"
        return [first.text(name) if answer else no]
    ranges = [(q, answer) for q, answer in group if isinstance(q, InRange)]
    levels = [(q, answer) for q, answer in group if isinstance(q, InLevels)]
    return _of_numbers(name, ranges) if ranges else [_of_levels(quoted_name(name), levels)]


def _of_numbers(name: str, group: list[tuple[InRange, bool]]) -> list[str]:
    """One range, and what is left out of it."""
    for question, answer in group:
        if question.is_one_value and answer:
            return [question.text(name)]
    low = max(_low(question, answer) for question, answer in group)
    high = min(_high(question, answer) for question, answer in group)
    parts = [range_text(quoted_name(name), low, high)] if low > -math.inf or high < math.inf else []
    for question, answer in group:
        if answer or question.is_cut:
            continue
        if question.is_one_value and low < question.high <= high:
            parts.append(f"{quoted_name(name)} != {format_exact(question.high)}")
        if not question.is_one_value and question.low < high and low < question.high:
            parts.append(f"not ({question.text(name)})")
    return parts


def _low(question: InRange, answer: bool) -> float:
    """What the number is above: where the range begins, or where one without beginning ends."""
    if answer:
        return question.low
    return question.high if question.low == -math.inf else -math.inf


def _high(question: InRange, answer: bool) -> float:
    """What the number is at most: where the range ends, or where one without end begins."""
    if answer:
        return question.high
    return question.low if question.high == math.inf else math.inf


def _of_levels(name: str, group: list[tuple[InLevels, bool]]) -> str:
    yes = [question for question, answer in group if answer]
    no = [question for question, answer in group if not answer]
    if not yes:
        return _none_of_levels(name, no)
    refused = {level for question in no for level in question.levels}
    left = [
        level
        for level in yes[0].levels
        if level not in refused and all(level in question.levels for question in yes)
    ]
    return _one_of_levels(name, yes[0], left)


def _one_of_levels(name: str, question: InLevels, left: list[str]) -> str:
    """One of the levels that are left; those of an ordered column are neighbours."""
    if len(left) == 1:
        return f"{name} is {quoted_level(left[0])}"
    if question.end is None or len(left) <= MOST_LEVELS_LISTED:
        # In brackets: what is joined by "and" must not be read into it.
        return f"({name} is {' or '.join(map(quoted_level, left))})"
    low, high = quoted_level(left[0]), quoted_level(left[-1])
    if question.end == "low" and left[0] == question.levels[0]:
        return f"{name} <= {high}"
    if question.end == "high" and left[-1] == question.levels[-1]:
        return f"{name} >= {low}"
    return f"{low} <= {name} <= {high}"


def _none_of_levels(name: str, no: list[InLevels]) -> str:
    """None of the levels that were asked for."""
    refused = list(dict.fromkeys(level for question in no for level in question.levels))
    if len(refused) == 1:
        return f"{name} is not {quoted_level(refused[0])}"
    if no[0].end is None or len(refused) <= MOST_LEVELS_LISTED:
        return f"{name} is neither {' nor '.join(map(quoted_level, refused))}"
    below, above = levels_at_end(no, "low"), levels_at_end(no, "high")
    if not above:
        return f"{name} > {quoted_level(below[-1])}"
    if not below:
        return f"{name} < {quoted_level(above[0])}"
    return f"{quoted_level(below[-1])} < {name} < {quoted_level(above[0])}"


def levels_at_end(questions: Sequence[Question], end: End) -> tuple[str, ...]:
    """The longest set of levels at one end of the order of a column, none if there is no such."""
    found = [q.levels for q in questions if isinstance(q, InLevels) and q.end == end]
    return max(found, key=len, default=())
