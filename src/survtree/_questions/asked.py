"""Many questions in a row, without an object for each: cuts of a column are an array of numbers.

With every cut of long columns there are millions of questions, of which a tree uses a few. So they
are made when somebody asks for them, and whoever goes through all of them goes by ``runs``.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import format_exact
from survtree._data.table import Floats, Places
from survtree._questions.forms import OR_MISSING, InLevels, InRange, Question

# Of these numbers it is known how they are written, without writing them.
SMALLEST_PLAIN, LARGEST_PLAIN, MOST_WHOLE, MOST_DECIMALS = 1e-4, 1e15, 2.0**50, 18
POWERS = 10.0 ** np.arange(1, 16)


@dataclass(frozen=True, eq=False)
class Cuts(Sequence[Question]):
    """Cuts of one column, ascending: is the value at most this?"""

    column: int
    points: Floats = field(repr=False)
    or_missing: bool = False

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, place: int) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> list[Question]: ...
    def __getitem__(self, place: int | slice) -> Question | list[Question]:
        if isinstance(place, slice):
            return [self[k] for k in range(len(self))[place]]
        return InRange(self.column, high=float(self.points[place]), or_missing=self.or_missing)

    def lengths(self) -> NDArray[np.int8]:
        """How long each question is, as ``readability`` counts it."""
        return self._lengths

    @cached_property
    def _lengths(self) -> NDArray[np.int8]:
        return (text_lengths(self.points) + len(OR_MISSING) * self.or_missing).astype(np.int8)


Part: TypeAlias = Question | Cuts


@dataclass(frozen=True, eq=False)
class Asked(Sequence[Question]):
    """Questions one after the other, some of them as cuts of a column."""

    parts: tuple[Part, ...] = ()
    _ends: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sizes = (len(part) if isinstance(part, Cuts) else 1 for part in self.parts)
        object.__setattr__(self, "_ends", tuple(accumulate(sizes)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> list[Question]: ...
    def __getitem__(self, place: int | slice) -> Question | list[Question]:
        if isinstance(place, slice):
            return [self[k] for k in range(len(self))[place]]
        place = range(len(self))[place]
        k = bisect_right(self._ends, place)
        part = self.parts[k]
        return part[place - self._ends[k]] if isinstance(part, Cuts) else part

    def __iter__(self) -> Iterator[Question]:
        for part in self.parts:
            if isinstance(part, Cuts):
                yield from part
            else:
                yield part

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(Question.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]


def runs(asked: Iterable[Question]) -> Iterator[tuple[int, Part]]:
    """Single questions, and cuts of a column as one; with the place of the first."""
    first = 0
    for part in asked.parts if isinstance(asked, Asked) else asked:
        yield first, part
        first += len(part) if isinstance(part, Cuts) else 1


def cuts_in(asked: Iterable[Question]) -> Floats:
    """The numbers at which questions cut a column."""
    parts = [part for _, part in runs(asked)]
    single = [p.cut for p in parts if not isinstance(p, Cuts) and p.cut is not None]
    return np.concatenate([*(p.points for p in parts if isinstance(p, Cuts)), np.array(single)])


def text_lengths(numbers: Floats) -> Places:
    """How many characters ``format_exact`` needs, for each number.

    A number of at most some digits before and after the point is written plainly, with as few
    decimals as identify it. Those are found for all numbers at once: with k decimals it is m / 10^k
    for a whole number m, and a quotient of two whole numbers that floats can hold is rounded to the
    nearest float, as reading the decimals would be.
    """
    size = np.abs(numbers)
    n_decimals = np.full(len(numbers), -1, dtype=np.int8)
    rest = np.flatnonzero((size >= SMALLEST_PLAIN) & (size < LARGEST_PLAIN))
    for n in range(MOST_DECIMALS + 1):
        scale = 10.0**n
        scaled = size[rest] * scale
        is_it = (scaled < MOST_WHOLE) & (np.rint(scaled) / scale == size[rest])
        n_decimals[rest[is_it]] = n
        rest = rest[~is_it]
    out = 1 + np.searchsorted(POWERS, size, side="right")
    out += (numbers < 0) + n_decimals + (n_decimals > 0)
    for k in np.flatnonzero(n_decimals < 0).tolist():
        out[k] = len(format_exact(float(numbers[k])))
    return out


def places_in(asked: Iterable[Question], wanted: Iterable[Question]) -> list[int]:
    """The place of each of some questions among others; -1 if it is not there."""
    cuts: dict[tuple[int, bool], tuple[int, Cuts]] = {}
    others: dict[Question, int] = {}
    for first, part in runs(asked):
        if isinstance(part, Cuts):
            cuts[part.column, part.or_missing] = first, part
        else:
            others[part] = first

    def place(question: Question) -> int:
        known = cuts.get((question.column, getattr(question, "or_missing", False)))
        if question.cut is None or known is None:
            return others.get(question, -1)
        first, part = known
        k = int(np.searchsorted(part.points, question.cut))
        is_there = k < len(part) and part[k] == question
        return first + k if is_there else -1

    return list(map(place, wanted))


def also_if_missing(asked: Asked, levels: Iterable[str]) -> Asked:
    """The questions about one column with yes for missing values, where that asks something new.

    It does not where the other levels that occur are asked for already: no to these says the same.
    """
    sets = [frozenset(q.levels) for q in asked.parts if isinstance(q, InLevels)]
    everything = frozenset(levels)
    return Asked(
        tuple(
            replace(part, or_missing=True)
            for part in asked.parts
            if isinstance(part, (InRange, Cuts))
            or (isinstance(part, InLevels) and everything - set(part.levels) not in sets)
        )
    )
