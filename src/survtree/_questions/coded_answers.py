"""Answers as codes: a whole number per row and column, in place of a bit per row and cut.

All cuts of one column share a code column, so that every cut of a column costs as much memory as
one number per row. A row answers yes to question j if its code in the column of that question is at
most ``question_cut[j]``.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import Bools, Column, Floats, PackedColumns, Places, Table
from survtree._questions.asked import Cuts, Part, runs
from survtree._questions.checks import check_answer_count

if TYPE_CHECKING:
    from survtree._questions.forms import Question
    from survtree._questions.questions import Questions

Codes: TypeAlias = NDArray[np.uint32]
# With fewer, the bits of all answers are small, and a pass over them is the quickest.
FEWEST_QUESTIONS, CUTS_PER_COLUMN = 100, 10
MANY_QUESTIONS = 2_000  # whose bits take much memory
ANSWERS_AT_ONCE = 2**24  # made from codes, where all of them would not fit in memory
# Beyond, a fingerprint is made of codes and cuts: unpacking the answers would take seconds.
MOST_UNPACKED = 2_000_000_000


@dataclass(frozen=True, eq=False)
class CodedAnswers:
    """The answers of rows to questions, by codes."""

    codes: Codes = field(repr=False)  # code columns x rows
    question_column: Codes = field(repr=False)  # row of ``codes`` that a question looks at
    question_cut: Codes = field(repr=False)  # the largest code that answers yes

    @classmethod
    def of_matrix(cls, answers: NDArray[np.uint8]) -> "CodedAnswers":
        """The same answers with a code column for each question: 0 is yes, 1 is no."""
        codes = np.ascontiguousarray(answers.T == 0).astype(np.uint32)
        places = np.arange(answers.shape[1], dtype=np.uint32)
        return cls(codes, places, np.zeros_like(places))

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and questions."""
        return len(self), len(self.question_cut)

    def column(self, j: int) -> Bools:
        """The rows that answer yes to question j."""
        return np.asarray(self.codes[self.question_column[j]] <= self.question_cut[j])

    def matrix(self) -> NDArray[np.uint8]:
        """All answers, rows x questions, row-major; kept once it is made."""
        return self._matrix

    @cached_property
    def _matrix(self) -> NDArray[np.uint8]:
        check_answer_count(self.shape[1], len(self))
        out = np.empty(self.shape, dtype=np.uint8)
        first = 0
        for some in self.chunks():
            out[first : first + len(some)] = some
            first += len(some)
        return out

    def chunks(self) -> Iterator[NDArray[np.uint8]]:
        """The matrix, some rows at a time: a multiple of 8, so that their bits fill whole bytes."""
        n_rows, n_questions = self.shape
        size = max(8, ANSWERS_AT_ONCE // max(1, n_questions) // 8 * 8)
        for first in range(0, n_rows, size):
            here = slice(first, min(first + size, n_rows))
            out = np.empty((here.stop - first, n_questions), dtype=bool)
            for questions, column in self._runs:
                cuts = self.question_cut[questions]
                np.less_equal(self.codes[column, here, np.newaxis], cuts, out=out[:, questions])
            yield out.view(np.uint8)

    @cached_property
    def _runs(self) -> list[tuple[slice, int]]:
        """Neighbouring questions with the same code column, and that column."""
        columns = self.question_column
        starts = np.flatnonzero(np.diff(columns, prepend=np.uint32(len(self.codes)))).tolist()
        ends = [*starts, len(columns)][1:]
        return [(slice(a, b), int(columns[a])) for a, b in zip(starts, ends, strict=True)]

    def n_yes(self, rows: Bools, copies: Codes | None = None) -> NDArray[Any]:
        """How many of some rows answer yes, for each question; a row may stand for several."""
        out = np.zeros(len(self.question_cut), dtype=np.int32 if len(self) < 2**31 else np.intp)
        times = None if copies is None else copies[rows]
        if times is not None:
            out = out.astype(np.intp)
        for questions, column in self._runs:
            up_to = np.bincount(self.codes[column, rows], times, minlength=1).cumsum()
            out[questions] = up_to[np.minimum(self.question_cut[questions], len(up_to) - 1)]
        return out

    def rows(self, rows: Bools | Places) -> "CodedAnswers":
        """The answers of some rows."""
        codes = np.ascontiguousarray(self.codes[:, rows])
        return CodedAnswers(codes, self.question_column, self.question_cut)

    def some(self, questions: Places) -> "CodedAnswers":
        """The answers to some questions, with the code columns that these look at."""
        columns, column = np.unique(self.question_column[questions], return_inverse=True)
        return CodedAnswers(
            self.codes[columns], column.astype(np.uint32), self.question_cut[questions]
        )

    def every(self, step: int) -> "CodedAnswers":
        """The answers of every ``step``-th row."""
        codes = np.ascontiguousarray(self.codes[:, ::step])
        return CodedAnswers(codes, self.question_column, self.question_cut)

    def is_same(self, other: "CodedAnswers") -> bool:
        """Whether codes and cuts are the same."""
        return all(map(np.array_equal, self._parts, other._parts))

    @property
    def has_own_fingerprint(self) -> bool:
        """Whether a fingerprint is made of codes and cuts, since the answers are too many."""
        return self.shape[0] * self.shape[1] > MOST_UNPACKED

    def fingerprint_parts(self) -> Iterator[Any]:
        """What a fingerprint is made of: the bits of the matrix, or codes and cuts."""
        if self.has_own_fingerprint:
            yield f"codes {self.codes.shape}".encode()
            yield from (np.ascontiguousarray(part, dtype="<u4").data for part in self._parts)
            return
        yield from (np.packbits(some).data for some in self.chunks())

    @property
    def _parts(self) -> tuple[Codes, Codes, Codes]:
        return self.codes, self.question_column, self.question_cut


Answers: TypeAlias = NDArray[np.uint8] | CodedAnswers


def answers_of(questions: "Questions", table: Table) -> Answers:
    """The answers of a table's rows: codes where there are many cuts, and otherwise a matrix."""
    return questions.coded(table) if is_worth_coding(questions) else questions.matrix(table)


def is_worth_coding(questions: "Questions") -> bool:
    """Whether a search over codes is likely to be quicker, or bits would take much memory.

    Floors close whole intervals of cuts, so it takes columns with many cuts; where most questions
    are about levels, a pass over bits is as good.
    """
    if questions.are_columns or len(questions) < FEWEST_QUESTIONS:
        return False
    n_cuts: Counter[int] = Counter()
    for _, part in runs(questions.asked):
        if isinstance(part, Cuts) or part.cut is not None:
            n_cuts[part.column] += len(part) if isinstance(part, Cuts) else 1
    n_code_columns = len(n_cuts) + len(questions) - n_cuts.total()
    is_many = len(questions) >= MANY_QUESTIONS
    return n_cuts.total() > 0 and (is_many or len(questions) >= CUTS_PER_COLUMN * n_code_columns)


def coded_answers(asked: "Sequence[Question]", columns: Sequence[Column]) -> CodedAnswers:
    """The answers to questions about columns, by codes; cuts of a column share theirs."""
    sharing: dict[Any, list[tuple[int, Part]]] = defaultdict(list)
    for first, part in runs(asked):
        is_cut = isinstance(part, Cuts) or part.cut is not None
        is_shared = is_cut and _kind(columns, part.column) == "number"
        key = (part.column, getattr(part, "or_missing", False)) if is_shared else first
        sharing[key].append((first, part))
    n_rows = 0
    if isinstance(columns, PackedColumns):
        n_rows = columns.n_rows
    elif columns:
        n_rows = len(columns[0].values)
    codes = np.empty((len(sharing), n_rows), dtype=np.uint32)
    question_column, question_cut = np.zeros((2, len(asked)), dtype=np.uint32)
    for place, (key, members) in enumerate(sharing.items()):
        j = members[0][1].column
        of_row: Any = slice(None)
        if isinstance(columns, PackedColumns):  # each value is looked at once
            column, of_row = columns.packed[j].column, columns.codes(j)
        else:
            column = columns[j]
        if isinstance(key, int):
            question_column[key] = place
            codes[place] = (~asked[key].answer(column))[of_row]
            continue
        points = np.concatenate([_points(part) for _, part in members])
        found, cuts = _codes(column, points, is_yes_if_missing=key[1])
        codes[place] = found[of_row]
        for first, part in members:
            here = slice(first, first + len(_points(part)))
            question_column[here] = place
            question_cut[here], cuts = np.split(cuts, [here.stop - first])
    return CodedAnswers(codes, question_column, question_cut)


def _kind(columns: Sequence[Column], j: int) -> str:
    """Of a column, which need not be made for it."""
    return columns.packed[j].column.kind if isinstance(columns, PackedColumns) else columns[j].kind


def _points(part: Part) -> Floats:
    """Where a column is cut."""
    return part.points if isinstance(part, Cuts) else np.array([part.cut], dtype=np.float64)


def _codes(
    column: Column, cuts: Floats, *, is_yes_if_missing: bool
) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
    """How many cuts lie below each value, and below each cut."""
    ascending, places = cuts, np.arange(len(cuts))
    if not (np.diff(cuts) > 0).all():
        ascending, places = np.unique(cuts, return_inverse=True)
    codes = np.searchsorted(ascending, column.values)  # NaN is above all, and so answers no to all
    if is_yes_if_missing:
        codes[column.is_missing()] = 0
    return codes, places
