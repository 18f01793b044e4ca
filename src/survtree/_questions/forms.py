"""Yes/no questions about columns, in three forms: a range of numbers, a set of levels, missing.

Whoever answers, shows or exports a question needs to know only these forms. A missing value answers
no to every question but the one whether it is missing, and so does a level that the training rows
did not have. Some questions count missing values among the yeses: "age <= 62.5 or missing".
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from survtree._base.numbers import format_exact
from survtree._base.words import quoted_level, quoted_name
from survtree._data.table import Bools, Column

End = Literal["low", "high"]
# "treated is yes" reads better than "treated is no".
NEGATIVES = frozenset({"no", "n", "false", "f", "0", "none", "absent", "negative", "never"})
MOST_LEVELS_LISTED = 3
OR_MISSING = " or missing"


@dataclass(frozen=True, slots=True)
class Question(ABC):
    """Something every row answers with yes or no, about one column (by its place)."""

    column: int

    @property
    def cut(self) -> float | None:
        """The number up to which the answer is yes, if the question is nothing else than that."""
        return None

    @abstractmethod
    def answer(self, column: Column) -> Bools:
        """Where the answer is yes."""

    @abstractmethod
    def text(self, name: str) -> str:
        """The question in words; the yes-branch is where they hold."""

    @abstractmethod
    def readability(self) -> tuple[int, int]:
        """Smaller is easier to read: first by what the question is like, then by its length."""


@dataclass(frozen=True, slots=True)
class InRange(Question):
    """Is a number above ``low`` and at most ``high``? Either end may be open, that is infinite.

    Where both ends are the same number the question is whether the value equals it.
    """

    low: float = -math.inf
    high: float = math.inf
    or_missing: bool = False  # is the answer yes as well where there is no value?

    @property
    def is_one_value(self) -> bool:
        """Is the question whether the value equals a number?"""
        return self.low == self.high

    @property
    def is_cut(self) -> bool:
        """Is one end open, so that the question cuts the column in two?"""
        return math.isinf(self.low) or math.isinf(self.high)

    @property
    def cut(self) -> float | None:
        """The upper end, where the lower one is open."""
        return self.high if self.low == -math.inf < self.high else None

    def answer(self, column: Column) -> Bools:
        """Where the value lies in the range; NaN lies in none."""
        is_inside = self._is_inside(column)
        return is_inside | column.is_missing() if self.or_missing else is_inside

    def _is_inside(self, column: Column) -> Bools:
        values = column.values
        if self.is_one_value:
            return np.asarray(values == self.high)
        if self.low == -math.inf:
            return np.asarray(values <= self.high)
        if self.high == math.inf:
            return np.asarray(values > self.low)
        return np.asarray((values > self.low) & (values <= self.high))

    def text(self, name: str) -> str:
        """Such as "age <= 62.5", or "age <= 62.5 or missing"."""
        text = range_text(quoted_name(name), self.low, self.high)
        if self.is_one_value:
            text = f"{quoted_name(name)} = {format_exact(self.high)}"
        return text + OR_MISSING * self.or_missing

    def readability(self) -> tuple[int, int]:
        """Cuts by their digits, then single values, then ranges with two ends."""
        longer = len(OR_MISSING) * self.or_missing
        if self.is_cut:
            end = self.low if math.isinf(self.high) else self.high
            return 2, len(format_exact(end)) + longer
        return (3, longer) if self.is_one_value else (4, longer)


@dataclass(frozen=True, slots=True)
class IsOne(InRange):
    """Is a 0/1 column 1? A range as well: above one half. ``word`` stands for 1, if it has one."""

    low: float = 0.5
    word: str | None = None

    def text(self, name: str) -> str:
        """Such as "treated = 1" or "treated is True"."""
        is_one = "= 1" if self.word is None else f"is {self.word}"
        return f"{quoted_name(name)} {is_one}{OR_MISSING * self.or_missing}"

    def readability(self) -> tuple[int, int]:
        """Nothing is easier."""
        return 0, len(OR_MISSING) * self.or_missing


@dataclass(frozen=True, slots=True)
class InLevels(Question):
    """Is a category one of some levels?

    If the levels of the column have an order, ``end`` says which end of it these levels are.
    """

    levels: tuple[str, ...]
    end: End | None = None
    or_missing: bool = False

    def answer(self, column: Column) -> Bools:
        is_one_of = self._is_one_of(column)
        return is_one_of | column.is_missing() if self.or_missing else is_one_of

    def _is_one_of(self, column: Column) -> Bools:
        places = [place for place, level in enumerate(column.levels) if level in self.levels]
        is_one = len(places) == 1
        return np.asarray(column.values == places[0]) if is_one else np.isin(column.values, places)

    def text(self, name: str) -> str:
        """Such as "stage is I or II", or "stage <= VI" where the levels are many."""
        if self.end is None or len(self.levels) <= MOST_LEVELS_LISTED:
            text = f"is {' or '.join(map(quoted_level, self.levels))}"
        elif self.end == "low":
            text = f"<= {quoted_level(self.levels[-1])}"
        else:
            text = f">= {quoted_level(self.levels[0])}"
        return f"{quoted_name(name)} {text}{OR_MISSING * self.or_missing}"

    def readability(self) -> tuple[int, int]:
        """Few levels are easier, and those that do not deny."""
        longer = len(OR_MISSING) * self.or_missing
        return 1, len(self.levels) + (self.levels[0].lower() in NEGATIVES) + longer


@dataclass(frozen=True, slots=True)
class IsMissing(Question):
    """Is there no value?"""

    def answer(self, column: Column) -> Bools:
        return column.is_missing()

    def text(self, name: str) -> str:
        """Such as "age is missing"."""
        return f"{quoted_name(name)} is missing"

    def readability(self) -> tuple[int, int]:
        """The last resort."""
        return 5, 0


def says_yes_if_missing(question: Question) -> bool:
    """What a row without a value answers."""
    return isinstance(question, IsMissing) or getattr(question, "or_missing", False)


def of_present_values(question: Question) -> Question:
    """The same question about the rows that have a value."""
    if isinstance(question, (InRange, InLevels)) and question.or_missing:
        return replace(question, or_missing=False)
    return question


def range_text(name: str, low: float, high: float) -> str:
    """What holds of a number above ``low`` and at most ``high``, one of which may be infinite."""
    if high == math.inf:
        return f"{name} > {format_exact(low)}"
    if low == -math.inf:
        return f"{name} <= {format_exact(high)}"
    return f"{format_exact(low)} < {name} <= {format_exact(high)}"
