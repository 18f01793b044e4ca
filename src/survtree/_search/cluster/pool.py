"""What is left to be done of a search at one depth, and who gets which part of it.

Where questions are bits, those of a subset are a family. The first family is that of all rows.
Where it has fewer questions left than there are slots, one of them is divided: the questions below
it, in that of its two sides which comes next, become a family of their own; when that has been
worked off, the question goes back to where it came from, and needs little more than a look into the
cache. Where splits are cuts, a question is a range of cuts of one column, and is simply halved.
"""

from collections import deque
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np

from survtree._search.cluster.parts import Part, Steps
from survtree._search.engines import BitSearch, TreeSearch

_MOST_FRUITLESS = 16  # slices are doubled so many times at most
BATCHES = 2  # per slot, of the questions of a family: fewer at a time towards its end


@dataclass(eq=False)
class Family:
    """The questions of one subset that nobody works on now."""

    path: Steps
    depth: int
    budget: float
    questions: deque[int]
    parent: "Family | None" = None
    n_out: int = 0  # parts that slots work on
    whole: set[int] = field(default_factory=set)  # questions that cannot be divided
    worked: set[int] = field(default_factory=set)  # that a slot has been at for a whole slice


class Pool:
    """Families of questions, for trees of one depth."""

    def __init__(self, search: TreeSearch, depth: int, budget: float) -> None:
        self._has_ranges = not isinstance(search, BitSearch)
        self._search = search
        self._depth = depth
        self._budget = budget
        self._families: list[Family] = []
        # Orders in a row that have brought nothing: one look at all rows may take longer than a
        # slice, and is not kept where it ends early. Then slices have to be longer.
        self.n_fruitless = 0
        self._divide_into((), None)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return not self._families

    def take(self, n_slots: int) -> tuple[Family, Part] | None:
        """The next part for one of so many slots; none if all is being worked on."""
        if sum(len(f.questions) for f in self._families) == 0:
            return None
        family = next(f for f in reversed(self._families) if f.questions)
        if len(family.questions) == 1 and n_slots > 1:
            family = self._divided(family)
        n = ceil(len(family.questions) / (BATCHES * n_slots))
        part = [family.questions.popleft() for _ in range(n)]
        family.n_out += 1
        return family, Part(family.path, tuple(part), family.depth, family.budget)

    def note(self, has_progress: bool) -> None:
        """Whether an order has brought anything."""
        self.n_fruitless = 0 if has_progress else min(self.n_fruitless + 1, _MOST_FRUITLESS)

    def put_back(self, family: Family, part: Part, left: tuple[int, ...]) -> None:
        """A part was worked on; these of its questions are left."""
        family.n_out -= 1
        family.questions.extendleft(reversed(left))
        if left and left[0] == part.questions[0]:
            family.worked.add(left[0])
        self._close(family)

    def lower_budget(self, budget: float) -> None:
        """A better tree is known."""
        self._budget = budget
        if self._has_ranges:
            for family in self._families:
                family.budget = budget
            return
        for family in self._families:
            found = self._search.open_questions(
                np.array(family.path, np.int32), self._depth, budget
            )
            family.budget = min(family.budget, found["limit"]) if len(found["questions"]) else 0.0

    def _close(self, family: Family) -> None:
        while not family.questions and family.n_out == 0:
            self._families.remove(family)
            if family.parent is None:
                return
            family.parent.n_out -= 1
            family.parent.questions.appendleft(abs(family.path[-1]) - 1)
            family = family.parent

    def _divided(self, family: Family) -> Family:
        """The family of the only question that one has left, if that is worth it."""
        question = family.questions[0]
        if question not in family.worked or question in family.whole:
            return family
        if self._has_ranges:
            return _halved(family, question)
        yes = self._next_side(family, question)
        below = self._divide_into((*family.path, question + 1 if yes else -question - 1), family)
        if below is None:
            family.whole.add(question)
            return family
        family.questions.popleft()
        family.worked.discard(question)
        family.n_out += 1
        return below

    def _next_side(self, family: Family, question: int) -> bool:
        found = self._open(family.path)
        sides = dict(zip(found["questions"].tolist(), found["is_yes_next"].tolist(), strict=True))
        return bool(sides.get(question, False))

    def _divide_into(self, path: Steps, parent: Family | None) -> Family | None:
        found = self._open(path)
        questions = deque(found["questions"].tolist())
        if not questions or (parent is not None and len(questions) < 2):
            return None
        budget = found.get("limit", self._budget)
        family = Family(path, self._depth - len(path), budget, questions, parent)
        self._families.append(family)
        return family

    def _open(self, path: Steps) -> dict[str, Any]:
        return self._search.open_questions(np.array(path, np.int32), self._depth, self._budget)


def _halved(family: Family, question: int) -> Family:
    """The same with two ranges in place of one."""
    first, end = question >> 32, question & 0xFFFFFFFF
    if end - first < 2:
        family.whole.add(question)
        return family
    middle = (first + end) // 2
    family.questions.popleft()
    family.questions.extendleft([middle << 32 | end, first << 32 | middle])
    return family
