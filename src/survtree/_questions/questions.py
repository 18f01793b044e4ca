"""Yes/no questions about columns, in three forms: a range of numbers, a set of levels, missing.

Whoever answers, shows or exports a question needs to know only these forms. A missing value answers
no to every question but the one whether it is missing, and so does a level that the training rows
did not have. Some questions count missing values among the yeses: "age <= 62.5 or missing".
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import format_exact
from survtree._base.words import list_names, quoted_level, quoted_name
from survtree._data.table import Bools, Column, Table
from survtree._questions.checks import check_answer_count
from survtree._questions.coded_answers import CodedAnswers, coded_answers

End = Literal["low", "high"]
# "treated is yes" reads better than "treated is no".
NEGATIVES = frozenset({"no", "n", "false", "f", "0", "none", "absent", "negative", "never"})
# Rows answered at a time: the answers of a few thousand rows stay in the processor's cache.
CHUNK = 4096
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


def also_if_missing(questions: Sequence[Question], levels: Iterable[str]) -> list[Question]:
    """The questions about one column with yes for missing values, where that asks something new.

    It does not where the other levels that occur are asked for already: no to these says the same.
    """
    sets = [frozenset(q.levels) for q in questions if isinstance(q, InLevels)]
    everything = frozenset(levels)
    return [
        replace(question, or_missing=True)
        for question in questions
        if isinstance(question, InRange)
        or (isinstance(question, InLevels) and everything - set(question.levels) not in sets)
    ]


def range_text(name: str, low: float, high: float) -> str:
    """What holds of a number above ``low`` and at most ``high``, one of which may be infinite."""
    if high == math.inf:
        return f"{name} > {format_exact(low)}"
    if low == -math.inf:
        return f"{name} <= {format_exact(high)}"
    return f"{format_exact(low)} < {name} <= {format_exact(high)}"


@dataclass(frozen=True, repr=False)
class Questions(Sequence[str]):
    """All questions about the columns of a table; as a sequence, the questions in words.

    >>> questions = Questions(("age", "sex"), (InRange(0, high=62.5), InLevels(1, ("female",))))
    >>> list(questions)
    ['age <= 62.5', 'sex is female']
    """

    names: tuple[str, ...]
    given: tuple[Question, ...] | None = None  # None: question j is whether column j is 1

    @property
    def are_columns(self) -> bool:
        """Is question j whether column j is 1?"""
        return self.given is None

    @cached_property
    def asked(self) -> tuple[Question, ...]:
        """The questions; where they are the columns, made when first needed."""
        if self.given is not None:
            return self.given
        return tuple(IsOne(j) for j in range(len(self.names)))

    @property
    def fingerprint_names(self) -> tuple[str, ...]:
        """What a fingerprint knows of the questions: their words, or the names of the columns."""
        return tuple(self.names if self.are_columns else self.texts)

    def __len__(self) -> int:
        return len(self.names if self.given is None else self.given)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        places = range(len(self))[place]
        return self.text(places) if isinstance(places, int) else list(map(self.text, places))

    def __repr__(self) -> str:
        return f"<{len(self):,} questions: {list_names(self)}>"

    def text(self, j: int) -> str:
        """Question j in words."""
        return self.asked[j].text(self.names[self.asked[j].column])

    @property
    def texts(self) -> list[str]:
        """All questions in words."""
        return list(self)

    def answer(self, j: int, table: Table) -> Bools:
        """The rows that answer yes to question j."""
        if self.are_columns and table.matrix is not None:
            return np.asarray(table.matrix[:, j] != 0)
        question = self.asked[j]
        return question.answer(table.columns[question.column])

    def matrix(self, table: Table) -> NDArray[np.uint8]:
        """All answers, rows x questions, row-major."""
        if self.are_columns and table.matrix is not None:
            return table.matrix
        check_answer_count(len(self), table.n_rows)
        out = np.empty((table.n_rows, len(self)), dtype=np.uint8)
        for first in range(0, table.n_rows, CHUNK):
            here = slice(first, first + CHUNK)
            columns = [column.take(here) for column in table.columns]
            for j, question in enumerate(self.asked):
                out[here, j] = question.answer(columns[question.column])
        return out

    def coded(self, table: Table) -> CodedAnswers:
        """All answers as codes: cuts of one column share a number per row."""
        return coded_answers(self.asked, table.columns)

    def ranks(self) -> list[int]:
        """Place of each question by ease of reading, then column name: the last resort in ties.

        Names as of unnamed columns, x0, x1, ..., sort by number. It also picks the one that is
        shown among questions with the same answers.
        """
        if self.are_columns and all(name == f"x{j}" for j, name in enumerate(self.names)):
            return list(range(len(self)))
        by_name = sorted(range(len(self.names)), key=lambda k: _name_key(self.names[k]))
        place_of_column = np.empty(len(by_name), dtype=np.intp)
        place_of_column[by_name] = np.arange(len(by_name))
        ease = [(*each.readability(), each.column) for each in self.asked]
        what, length, column = np.array(ease, dtype=np.intp).reshape(-1, 3).T
        order = np.lexsort((place_of_column[column], length, what))  # stable: then by place
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        return rank.tolist()


def _name_key(name: str) -> tuple[Any, ...]:
    # By the name alone: a place would bring in the order of the columns.
    is_unnamed = name[:1] == "x" and name[1:].isdecimal()
    return not is_unnamed, float(name[1:]) if is_unnamed else -1, name


@dataclass(frozen=True, repr=False)
class RecordedQuestions(Questions):
    """Questions known by their words and ranks alone: for search and show, without answers."""

    words: tuple[str, ...] = ()
    places: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, words: Sequence[str], places: Sequence[int], columns: Sequence[str]
    ) -> "RecordedQuestions":
        """``columns`` are their names if question j is whether column j is 1, and else none."""
        return cls(tuple(columns), None if columns else (), tuple(words), tuple(places))

    def __len__(self) -> int:
        return len(self.words)

    def text(self, j: int) -> str:
        return self.words[j]

    def ranks(self) -> list[int]:
        return list(self.places)
