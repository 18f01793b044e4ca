"""All questions about the columns of a table: their words, their answers and their order."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from survtree._base.words import list_names
from survtree._data.table import Bools, Table
from survtree._questions.asked import Cuts, Part, runs
from survtree._questions.checks import check_answer_count
from survtree._questions.coded_answers import CodedAnswers, coded_answers
from survtree._questions.forms import InRange, IsOne, Question

Ease: TypeAlias = tuple[int, int, int]
# Rows answered at a time: the answers of a few thousand rows stay in the processor's cache.
CHUNK = 4096


@dataclass(frozen=True, repr=False)
class Questions(Sequence[str]):
    """All questions about the columns of a table; as a sequence, the questions in words.

    >>> from survtree._questions.forms import InLevels, InRange
    >>> questions = Questions(("age", "sex"), (InRange(0, high=62.5), InLevels(1, ("female",))))
    >>> list(questions)
    ['age <= 62.5', 'sex is female']
    """

    names: tuple[str, ...]
    given: Sequence[Question] | None = None  # None: question j is whether column j is 1

    @property
    def are_columns(self) -> bool:
        """Is question j whether column j is 1?"""
        return self.given is None

    @cached_property
    def asked(self) -> Sequence[Question]:
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
            columns = table.take(here).columns
            for j, question in enumerate(self.asked):
                out[here, j] = question.answer(columns[question.column])
        return out

    def coded(self, table: Table) -> CodedAnswers:
        """All answers as codes: cuts of one column share a number per row."""
        return coded_answers(self.asked, table.columns)

    def own_fingerprint_parts(self) -> Iterator[bytes | memoryview]:
        """What a fingerprint knows of very many questions: names, points of cuts, other words."""
        cuts: dict[tuple[int, bool], list[NDArray[np.float64]]] = defaultdict(list)
        words = [repr(self.names)]
        for first, part in runs(self.asked):
            if isinstance(part, Cuts):
                cuts[part.column, part.or_missing].append(part.points)
            elif type(part) is InRange and part.cut is not None:
                cuts[part.column, part.or_missing].append(np.array([part.cut]))
            else:
                words.append(f"{first} {part.text(self.names[part.column])}")
        yield repr(words).encode("utf-8", "surrogatepass")
        for key in sorted(cuts):
            points = np.concatenate(cuts[key])
            yield f"{key} {len(points)}".encode()
            yield np.ascontiguousarray(points, dtype="<f8").data

    def in_columns(self, value_of: Mapping[str, float]) -> NDArray[np.float64]:
        """For each question the value of its column; 0 where there is none."""
        values = np.array([value_of.get(name, 0.0) for name in self.names], dtype=np.float64)
        if self.are_columns:
            return values
        out = np.zeros(len(self))
        for first, part in runs(self.asked):
            n = len(part) if isinstance(part, Cuts) else 1
            out[first : first + n] = values[part.column]
        return out

    def ranks(self) -> NDArray[np.uint32]:
        """Place of each question by ease of reading, then column name: the last resort in ties.

        Names as of unnamed columns, x0, x1, ..., sort by number. It also picks the one that is
        shown among questions with the same answers.
        """
        out = np.arange(len(self), dtype=np.uint32)
        if self.are_columns and all(name == f"x{j}" for j, name in enumerate(self.names)):
            return out
        by_name = sorted(range(len(self.names)), key=lambda k: _name_key(self.names[k]))
        place_of_column = {column: place for place, column in enumerate(by_name)}
        eases = [(_ease(part, place_of_column[part.column]), part) for _, part in runs(self.asked)]
        counts: Counter[Ease] = Counter()
        for ease, part in eases:
            counts.update(_counts(ease, part))
        starts = accumulate((counts[ease] for ease in sorted(counts)), initial=0)
        next_rank = dict(zip(sorted(counts), starts, strict=False))
        first = 0
        for ease, part in eases:  # of those that read as easily, the first comes first
            if not isinstance(part, Cuts):
                out[first] = next_rank[ease]
                next_rank[ease] += 1
                first += 1
                continue
            here = out[first : first + len(part)]
            for each, count in _counts(ease, part).items():
                start = next_rank[each]
                here[part.lengths() == each[1]] = np.arange(start, start + count, dtype=np.uint32)
                next_rank[each] += count
            first += len(part)
        return out


def _ease(part: Part, place: int) -> Ease:
    """What comes first in the order of questions: what they are like, length, column."""
    one = part if isinstance(part, Question) else part[0]
    return (*one.readability(), place)


def _counts(ease: Ease, part: Part) -> dict[Ease, int]:
    """How many of the questions are of each ease."""
    if not isinstance(part, Cuts):
        return {ease: 1}
    what, _, place = ease
    lengths, counts = np.unique(part.lengths(), return_counts=True)
    return {
        (what, length, place): count
        for length, count in zip(lengths.tolist(), counts.tolist(), strict=True)
    }


def _name_key(name: str) -> tuple[Any, ...]:
    # By the name alone: a place would bring in the order of the columns.
    is_unnamed = name[:1] == "x" and name[1:].isdecimal()
    return not is_unnamed, float(name[1:]) if is_unnamed else -1, name


@dataclass(frozen=True, repr=False)
class RecordedQuestions(Questions):
    """Questions known by their words and ranks alone: for search and show, without answers."""

    words: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    about: tuple[str, ...] = ()  # the column of each, where rules of the user need it

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        places: Sequence[int],
        columns: Sequence[str],
        about: Sequence[str] = (),
    ) -> "RecordedQuestions":
        """``columns`` are their names if question j is whether column j is 1, and else none."""
        given = None if columns else ()
        return cls(tuple(columns), given, tuple(words), tuple(places), tuple(about))

    def __len__(self) -> int:
        return len(self.words)

    def text(self, j: int) -> str:
        return self.words[j]

    def ranks(self) -> NDArray[np.uint32]:
        return np.array(self.places, dtype=np.uint32)

    def in_columns(self, value_of: Mapping[str, float]) -> NDArray[np.float64]:
        names = self.about or self.names
        return np.array([value_of.get(name, 0.0) for name in names], dtype=np.float64)
