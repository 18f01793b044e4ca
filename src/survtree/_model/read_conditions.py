"""Conditions on trees, as users state them by names of columns: checked, and as questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survtree._base.checks import is_count, is_number
from survtree._base.words import did_you_mean, list_names
from survtree._proof.choice import Choice
from survtree._questions.questions import Questions
from survtree._search.problem import Problem

MOST_USED = 31  # columns, each a bit of a number in the core


@dataclass(frozen=True)
class Condition:
    """What is asked of a tree, in words and as places of questions."""

    choice: Choice
    uses: tuple[frozenset[int], ...]
    avoids: frozenset[int]
    first: frozenset[int] | None


def read_condition(
    problem: Problem, *, uses: Any, avoids: Any, first: Any, max_leaves: Any, max_depth: Any
) -> Condition:
    """The condition of a search for the best tree; one that nobody can fulfil is refused."""
    questions = problem.questions
    by_column = questions_by_column(questions)
    named = {
        "uses": _names("uses", uses, questions, by_column, needs_splits=True),
        "avoids": _names("avoids", avoids, questions, by_column, needs_splits=False),
        "first": _names("first", first, questions, by_column, needs_splits=True),
    }
    _check_no_contradiction(**named)
    choice = Choice(
        uses=named["uses"],
        avoids=named["avoids"],
        first=named["first"],
        max_leaves=_check_leaves(max_leaves, problem.max_leaves),
        max_depth=_check_depth(max_depth, problem.max_depth),
    )
    _check_number_used(choice, problem)
    if not choice.condition:
        raise ValueError(
            "best needs a condition; it got none. Pass uses, avoids, first, max_leaves or "
            "max_depth; the best tree of all is the first of the list."
        )
    of = {
        name: [by_column.get(column, frozenset()) for column in columns]
        for name, columns in named.items()
    }
    is_first = frozenset().union(*of["first"]) if named["first"] else None
    return Condition(choice, tuple(of["uses"]), frozenset().union(*of["avoids"]), is_first)


def questions_by_column(questions: Questions) -> dict[str, frozenset[int]]:
    """The places of the questions about each column that has any."""
    found: dict[str, set[int]] = {}
    for place, question in enumerate(questions.asked):
        found.setdefault(questions.names[question.column], set()).add(place)
    return {name: frozenset(places) for name, places in found.items()}


def _names(
    role: str,
    given: Any,
    questions: Questions,
    by_column: Mapping[str, frozenset[int]],
    *,
    needs_splits: bool,
) -> tuple[str, ...]:
    """Names of columns, of which one may be given by itself."""
    if given is None:
        return ()
    names = [given] if isinstance(given, str) else given
    if isinstance(names, Mapping) or not isinstance(names, Iterable):
        raise TypeError(
            f"{role} must be the name of a column or a list of names; got {given!r}. Pass "
            f"{role}={questions.names[0]!r}, for example."
        )
    found = list(names)
    for name in found:
        if name not in questions.names:
            raise ValueError(
                f"{role} must name columns of the fit; got {name!r}. They are "
                f"{list_names(questions.names)}.{did_you_mean(name, questions.names)}"
            )
        if needs_splits and name not in by_column:
            raise ValueError(
                f"{role} must name columns that can be split on; the fit has no candidate split on "
                f"{name!r}. Leave it out, or fit again without excluding it."
            )
    return tuple(dict.fromkeys(map(str, found)))


def _check_no_contradiction(
    uses: Sequence[str], avoids: Sequence[str], first: Sequence[str]
) -> None:
    both = [name for name in uses if name in avoids]
    if both:
        raise ValueError(
            f"uses and avoids must not share a column; both have {both[0]!r}. Leave it out of one."
        )
    if first and set(first) <= set(avoids):
        raise ValueError(
            f"first must have a column that is not avoided; avoids has {list_names(first)} too. "
            "Leave it out of one."
        )


def _check_leaves(max_leaves: Any, most: int | None) -> int | None:
    if max_leaves is not None and (not is_count(max_leaves) or max_leaves > (most or max_leaves)):
        limit = "" if most is None else f" and at most {most}, the limit of the fit"
        raise ValueError(
            f"max_leaves must be a positive integer{limit}, or None; got {max_leaves!r}. Fit again "
            "for trees beyond the limits of this fit."
        )
    return None if max_leaves is None else int(max_leaves)


def _check_depth(max_depth: Any, most: int | None) -> int | None:
    is_right = is_count(max_depth) or (is_number(max_depth) and max_depth == 0)
    if max_depth is not None and (
        not is_right or max_depth > (max_depth if most is None else most)
    ):
        limit = "" if most is None else f" and at most {most}, the limit of the fit"
        raise ValueError(
            f"max_depth must be an integer >= 0{limit}, or None; got {max_depth!r}. Fit again for "
            "trees beyond the limits of this fit."
        )
    return None if max_depth is None else int(max_depth)


def _check_number_used(choice: Choice, problem: Problem) -> None:
    """Refuse more columns than a search keeps track of, or than a tree has splits."""
    n = len(choice.uses)
    if n > MOST_USED:
        raise ValueError(
            f"uses must name at most {MOST_USED} columns; got {n}. Leave some of them out."
        )
    depths = [d for d in (problem.max_depth, choice.max_depth) if d is not None]
    leaves = [m for m in (problem.max_leaves, choice.max_leaves) if m is not None]
    if any(n >= 2 ** min(depth, MOST_USED) for depth in depths) or any(n >= m for m in leaves):
        check_was_found(None, "impossible", choice)


class NotFoundInTimeError(ValueError):
    """Whether some tree fulfils a condition is not known: a limit ended the search."""


def check_was_found(tree: Any, status: str, choice: Choice) -> None:
    """Complain if no tree fulfils the condition, or if none was found in time."""
    if status == "impossible":
        raise ValueError(
            f"best needs a condition that some tree fulfils; within the limits of the fit there "
            f"are no trees that {choice.condition}. Ask for less, or fit again with wider limits."
        )
    if tree is None and status == "interrupted":
        raise KeyboardInterrupt
    if tree is None:
        raise NotFoundInTimeError(
            f"best needs more time, memory or nodes; the search was ended "
            f"({status.replace('_', ' ')}) before it found one of the trees that "
            f"{choice.condition}. Pass a larger time_limit to near_optimal, or fit with larger "
            "limits."
        )
