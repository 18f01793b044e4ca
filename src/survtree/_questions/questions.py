"""Yes/no questions about columns: what they ask, in words and of a table.

A missing value answers no to every question but the one whether it is missing, and so does a level
that the training rows did not have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import format_exact
from survtree._base.words import quoted_level, quoted_name
from survtree._data.table import Column, Table

Kind = Literal["one", "in", "up_to", "from", "at_most", "equals", "between", "missing"]
OF_LEVELS = ("in", "up_to", "from")
# Of questions with the same answers the first kind is the easiest to read.
READABILITY = {
    kind: place
    for place, kinds in enumerate(
        [("one",), OF_LEVELS, ("at_most",), ("equals",), ("between",), ("missing",)]
    )
    for kind in kinds
}
# "treated is yes" reads better than "treated is no".
NEGATIVES = frozenset({"no", "n", "false", "f", "0", "none", "absent", "negative", "never"})
# Rows answered at a time: the answers of a few thousand rows stay in the processor's cache.
CHUNK = 4096
MOST_LEVELS_LISTED = 3


class Question(NamedTuple):
    """Something every row answers with yes or no, about one column (by its place).

    ``value`` by kind: at_most and equals a number; between two numbers, the first excluded; in the
    levels that answer yes; up_to and from the same, of levels that have an order; one the word for
    1, if it has one; missing nothing.
    """

    column: int
    kind: Kind
    value: Any = None

    def answer(self, column: Column) -> NDArray[np.bool_]:
        """Where the answer is yes."""
        kind, value, values = self.kind, self.value, column.values
        if kind == "one":
            return np.asarray(values > 0.5)
        if kind == "at_most":
            return np.asarray(values <= value)
        if kind in OF_LEVELS:
            places = [place for place, level in enumerate(column.levels) if level in value]
            return np.asarray(values == places[0]) if len(places) == 1 else np.isin(values, places)
        if kind == "equals":
            return np.asarray(values == value)
        if kind == "between":
            return np.asarray((values > value[0]) & (values <= value[1]))
        return column.is_missing()

    def text(self, name: str) -> str:
        """The question in words; the yes-branch is where they hold."""
        name = quoted_name(name)
        if self.kind == "one":
            return f"{name} = 1" if self.value is None else f"{name} is {self.value}"
        if self.kind == "at_most":
            return f"{name} <= {format_exact(self.value)}"
        if self.kind in ("up_to", "from") and len(self.value) > MOST_LEVELS_LISTED:
            sign, place = ("<=", -1) if self.kind == "up_to" else (">=", 0)
            return f"{name} {sign} {quoted_level(self.value[place])}"
        if self.kind in OF_LEVELS:
            return f"{name} is {' or '.join(map(quoted_level, self.value))}"
        if self.kind == "equals":
            return f"{name} = {format_exact(self.value)}"
        if self.kind == "between":
            low, high = map(format_exact, self.value)
            return f"{low} < {name} <= {high}"
        return f"{name} is missing"

    def readability(self) -> tuple[int, int]:
        """Smaller is easier to read."""
        effort = 0
        if self.kind in OF_LEVELS:
            effort = len(self.value) + (self.value[0].lower() in NEGATIVES)
        elif self.kind == "at_most":
            effort = len(format_exact(self.value))
        return READABILITY[self.kind], effort


@dataclass(frozen=True)
class Questions:
    """All questions asked about the columns of a table, by name."""

    names: tuple[str, ...]
    given: tuple[Question, ...] | None = None  # None: question j is whether column j is 1

    @property
    def are_columns(self) -> bool:
        """Is question j whether column j is 1?"""
        return self.given is None

    @cached_property
    def asked(self) -> tuple[Question, ...]:
        """The questions; where they are the columns, made when first asked for."""
        if self.given is not None:
            return self.given
        return tuple(Question(j, "one") for j in range(len(self.names)))

    @property
    def fingerprint_names(self) -> tuple[str, ...]:
        """What a fingerprint knows of the questions: their words, or the names of the columns."""
        return tuple(self.names if self.are_columns else self.texts)

    def __len__(self) -> int:
        return len(self.names if self.given is None else self.given)

    def text(self, j: int) -> str:
        """Question j in words."""
        return self.asked[j].text(self.names[self.asked[j].column])

    @property
    def texts(self) -> list[str]:
        """All questions in words."""
        return [self.text(j) for j in range(len(self))]

    def answer(self, j: int, table: Table) -> NDArray[np.bool_]:
        """The rows that answer yes to question j."""
        if self.are_columns and table.matrix is not None:
            return np.asarray(table.matrix[:, j] != 0)
        question = self.asked[j]
        return question.answer(table.columns[question.column])

    def matrix(self, table: Table) -> NDArray[np.uint8]:
        """All answers, rows x questions, row-major."""
        if self.are_columns and table.matrix is not None:
            return table.matrix
        out = np.empty((table.n_rows, len(self)), dtype=np.uint8)
        for first in range(0, table.n_rows, CHUNK):
            here = slice(first, first + CHUNK)
            columns = [column.take(here) for column in table.columns]
            for j, question in enumerate(self.asked):
                out[here, j] = question.answer(columns[question.column])
        return out

    def ranks(self) -> list[int]:
        """Place of each question by ease of reading, then column name: the last resort in ties.

        Names as of unnamed columns, x0, x1, ..., sort by number. It also picks the one that is
        shown among questions with the same answers.
        """
        if self.are_columns and all(name == f"x{j}" for j, name in enumerate(self.names)):
            return list(range(len(self)))
        order = sorted(range(len(self)), key=self._rank_key)
        rank = [0] * len(order)
        for place, j in enumerate(order):
            rank[j] = place
        return rank

    def _rank_key(self, j: int) -> tuple[Any, ...]:
        question = self.asked[j]
        name = self.names[question.column]
        # Told by the name alone: a place would bring in the order of the columns.
        is_unnamed = name[:1] == "x" and name[1:].isdecimal()
        number = float(name[1:]) if is_unnamed else -1
        return *question.readability(), not is_unnamed, number, name, j


@dataclass(frozen=True)
class RecordedQuestions(Questions):
    """Questions known by their words and ranks alone: they can be searched and shown, not asked."""

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
        """Question j in words."""
        return self.words[j]

    def ranks(self) -> list[int]:
        """Place of each question, as it was when they were recorded."""
        return list(self.places)
