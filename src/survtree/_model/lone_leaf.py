"""Why a tree has no split: a sentence for users who expected one.

It does not state the penalty: a tree of a path has the same reason for all penalties of its
interval.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from survtree._base.numbers import format_count
from survtree._base.words import quoted_name
from survtree._proof.choice import Choice
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, solve


class OneLeafReason:
    """The sentence, made when first needed: a fit does without the search that it may take."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    @cached_property
    def text(self) -> str:
        """Empty if there is a split."""
        return self._make()

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text}  # the training rows stay behind


# In the reason where a smaller penalty would give a split.
IS_PENALTY_TOO_LARGE = "less than the penalty per leaf"


def why_one_leaf(problem: Problem, solution: Solution) -> str:
    """The reason why the solution is a lone leaf; empty if it is not."""
    if len(solution.tree.leaves) > 1:
        return ""
    if problem.max_depth == 0 or problem.max_leaves == 1:
        return "One leaf, because no more is allowed."
    if len(problem.questions) == 0:
        return "One leaf, because no column has two values to part."
    if problem.first_split is not None:
        name = quoted_name(problem.first_split)
        return f"One leaf, because there is no first split on {name}{_sides(problem)}."
    if solution.status == "guessed":
        return "One leaf, which is best if the reference model is right about each row."
    if solution.status == "gap_reached":
        return "One leaf, because it is within the gap that was asked for."
    if solution.status != "optimal":
        return "One leaf, because the search was stopped before it found a better tree."
    free = replace(problem, regularization=0.0, column_penalties=None)
    best = solve(replace(free, max_depth=1, max_leaves=None), SearchSettings())
    if len(best.tree.leaves) == 1:
        return f"One leaf, because no split{_sides(problem)} reduces the loss."
    words = problem.questions.text(int(best.tree.question[0]))
    also = " and those of columns" if problem.column_penalties else ""
    return (
        f"One leaf, because the best split, {words}, reduces the loss by "
        f"{best.one_leaf_loss - best.loss:.3g}, which is {IS_PENALTY_TOO_LARGE}{also}."
    )


def why_chosen_leaf(choice: Choice) -> str:
    """The same of a tree that was chosen among others."""
    if choice.condition:
        return f"One leaf, the best that was found of the trees that {choice.condition}."
    return "One leaf, one of the trees that are nearly as good as the best."


def _sides(problem: Problem) -> str:
    rows = f" that leaves at least {format_count(problem.min_samples_leaf, 'row')}"
    events = problem.min_events_leaf
    also = f" and {format_count(events, 'event')}" if events > 0 else ""
    return f"{rows}{also} on each side"
