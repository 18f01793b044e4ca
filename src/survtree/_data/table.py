"""A study's rows: the covariates as columns (Table), and the outcome (EventTable).

Neither knows the other, and neither knows questions or trees. The censoring curve and the sums that
the search needs are made in the core (``core/data/event_table``) from the columns of the outcome;
the loss by its definition makes its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._data.causes import Causes

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.uint8]
Counts: TypeAlias = NDArray[np.uint32]
Kind = Literal["number", "flag", "level", "ordered"]
Rows = Bools | Places | slice
# Counts by (leaf, time) are made for at most this many cells at once: a large tree over many times
# would not fit in memory otherwise.
MOST_CELLS = 2**20
MANY_ROWS, MANY_ROWS_PER_TIME = 100_000, 100  # from which on times are found among distinct ones


class Column(NamedTuple):
    """One column. Missing is NaN among numbers and -1 among flags (0, 1) and levels (places)."""

    name: str
    kind: Kind
    values: Floats | NDArray[np.int8] | Places
    levels: tuple[str, ...] = ()  # of levels and ordered levels, in the order the source declares
    is_whole: bool = False  # do the numbers come from integers?
    is_text: bool = False  # do the levels come from text that nobody declared to be categories?

    def is_missing(self) -> Bools:
        """Where there is no value."""
        return np.isnan(self.values) if self.kind == "number" else self.values < 0

    def occurring(self) -> Places:
        """Places of the levels that some row has."""
        places = self.values[self.values >= 0]
        return np.flatnonzero(np.bincount(places.astype(np.intp), minlength=len(self.levels)))

    def take(self, rows: Rows) -> "Column":
        """The same column with some of its rows."""
        return self._replace(values=self.values[rows])


class PackedValues(NamedTuple):
    """Where in the words of rows the codes of a column are, and the value of each code."""

    column: Column  # whose values are those of the codes
    word: int = 0
    shift: int = 0
    mask: int = 0


@dataclass(frozen=True, eq=False)
class PackedColumns(Sequence[Column]):
    """Columns of few values, as codes in words of rows; a column is made when asked for."""

    words: tuple[NDArray[np.uint64], ...]
    packed: tuple[PackedValues, ...]

    @property
    def n_rows(self) -> int:
        """Of each column."""
        return len(self.words[0])

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return [self[k] for k in range(len(self))[j]]
        column = self.packed[j].column
        return column._replace(values=column.values[self.codes(j)])

    def codes(self, j: int) -> NDArray[np.uint64]:
        """The codes of a column."""
        _, word, shift, mask = self.packed[j]
        return self.words[word] >> np.uint64(shift) & np.uint64(mask)

    def take(self, rows: Rows) -> "PackedColumns":
        """The same with some of the rows."""
        return PackedColumns(tuple(word[rows] for word in self.words), self.packed)


@dataclass(frozen=True)
class Table:
    """Columns of one length. A table of nothing but 0 and 1 may come as one matrix."""

    names: tuple[str, ...]
    n_rows: int
    given_columns: Sequence[Column] | None = None
    matrix: NDArray[np.uint8] | None = None

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns; those of a matrix are made when first needed."""
        if self.given_columns is not None:
            return self.given_columns
        assert self.matrix is not None
        answers = self.matrix.astype(np.float64)
        return tuple(Column(n, "number", answers[:, j]) for j, n in enumerate(self.names))

    def is_missing_anywhere(self) -> Bools:
        """The rows in which some column has no value."""
        out = np.zeros(self.n_rows, dtype=bool)
        for column in self.columns if self.matrix is None else ():
            out |= column.is_missing()
        return out

    def without(self, names: "Sequence[str]") -> "Table":
        """The same table without some columns, of which one must be left."""
        if not names:
            return self
        return table_of([column for column in self.columns if column.name not in names])

    def take(self, rows: Rows) -> "Table":
        """The same table with some of its rows."""
        if self.matrix is not None:
            matrix = self.matrix[rows]
            return Table(self.names, len(matrix), matrix=matrix)
        if isinstance(self.given_columns, PackedColumns):
            packed = self.given_columns.take(rows)
            return Table(self.names, packed.n_rows, packed)
        return table_of([column.take(rows) for column in self.columns])


def table_of(columns: Sequence[Column]) -> Table:
    """A table of at least one column."""
    return Table(
        names=tuple(column.name for column in columns),
        n_rows=len(columns[0].values),
        given_columns=tuple(columns),
    )


@dataclass(frozen=True)
class EventTable:
    """Validated columns of equal length, in the order of the user's rows.

    With competing risks ``cause`` tells what ended each row, counted from 1 in the order of
    ``causes``, 0 where it was censored; ``event`` is then True where that is the target cause. A
    row that ended by another cause is neither an event nor censored. Where there is one cause,
    ``causes`` may have its label; ``cause`` is None then.

    Where equal rows were counted before they came, an entry stands for so many rows: ``copies``.
    Its weight is that of all of them. Who counts rows asks ``n_rows`` and ``count``.
    """

    event: Bools
    time: Floats
    weight: Floats
    cause: Codes | None = None
    causes: Causes | None = None
    copies: Counts | None = None  # None: one each

    def __len__(self) -> int:
        return len(self.time)

    @property
    def n_rows(self) -> int:
        """How many rows these are."""
        return self.count(slice(None))

    @property
    def n_events(self) -> int:
        """How many of them are events."""
        return self.count(self.event)

    def count(self, some: Bools | Places | slice) -> int:
        """How many rows some of the entries stand for."""
        if self.copies is not None:
            return int(self.copies[some].sum(dtype=np.int64))
        return len(self.time[some])

    def counts_in(self, cell: NDArray[np.integer[Any]], n_cells: int, some: Any = None) -> Places:
        """How many rows are in each cell; of some of the entries only, if they are given."""
        cells = cell if some is None else cell[some]
        if self.copies is None:
            return np.bincount(cells, minlength=n_cells)
        copies = self.copies if some is None else self.copies[some]
        # Sums of whole numbers, exact up to 2^53.
        return np.bincount(cells, copies, n_cells).astype(np.intp)

    def take(self, rows: Bools | Places) -> "EventTable":
        """The same outcome of some of the rows."""
        cause = None if self.cause is None else self.cause[rows]
        copies = None if self.copies is None else self.copies[rows]
        parts = self.event[rows], self.time[rows], self.weight[rows]
        return EventTable(*parts, cause, self.causes, copies)

    def singles(self, entries: Places) -> "EventTable":
        """One row of each of some entries, which may be named several times."""
        some = self.take(entries)
        if some.copies is None:
            return some
        return replace(some, weight=some.weight / some.copies, copies=None)

    @property
    def one_cause(self) -> Causes | None:
        """The labels of the one cause, if there is one and flags do not tell it."""
        return self.causes if self.cause is None else None

    @property
    def y(self) -> "tuple[Bools, Floats] | Outcome":
        """The outcome as a fit or a metric takes it; the weights are separate."""
        if self.cause is None:
            return self.event, self.time
        return Outcome(self.event, self.time, self.cause, self.causes)

    @cached_property
    def is_other(self) -> Bools:
        """Which rows ended by another cause than the target."""
        if self.cause is None:
            return np.zeros(len(self), dtype=bool)
        return np.asarray((self.cause > 0) & ~self.event)

    @property
    def is_censored(self) -> Bools:
        """Which rows were still free of every cause at their time."""
        return np.asarray(~(self.event | self.is_other))

    @cached_property
    def has_others(self) -> bool:
        """Whether some row ended by another cause: otherwise there is but one cause."""
        return self.cause is not None and bool(self.is_other.any())

    @property
    def kinds(self) -> Codes:
        """How each row ended, as the core takes it: 0 censored, 1 the target cause, 2 another."""
        kinds = self.event.astype(np.uint8)
        if self.has_others:
            kinds[self.is_other] = 2
        return kinds

    @property
    def counts(self) -> Bools:
        """Which rows have a weight above 0; the others are as if they were not there."""
        return np.asarray(self.weight > 0)

    def counted(self) -> "EventTable":
        """The same outcome without rows of weight 0."""
        return self if self.counts.all() else self.take(self.counts)

    def until(self, horizon: float | None) -> "EventTable":
        """The outcome as it is known at a time: later ends, and events at it, are censored there.

        The loss of these rows is the loss of all rows integrated from 0 to the horizon. A horizon
        from the last time on, or None, changes nothing.
        """
        if horizon is None or horizon >= self.time.max():
            return self
        is_before = self.time < horizon
        cause = None if self.cause is None else np.where(is_before, self.cause, np.uint8(0))
        event, time = self.event & is_before, np.minimum(self.time, horizon)
        return replace(self, event=event, time=time, cause=cause)

    def on_grid(self, buckets: "int | tuple[float, ...]") -> "EventTable":
        """Times rounded up to the ends of buckets: a number of about equally many rows, or given.

        Later stays later or becomes equal, and the last time stays what it is.
        """
        last = self.time.max()
        if isinstance(buckets, int):
            if buckets >= self.n_rows:  # each time is the end of a bucket
                return self
            shares = np.arange(1, buckets + 1) / buckets
            ends = np.unique(self._quantiles(shares))
        else:
            ends = np.unique([*(end for end in buckets if end < last), last])
        return replace(self, time=ends[np.searchsorted(ends, self.time)])

    def _quantiles(self, shares: Floats) -> Floats:
        """Of the times of all rows, each a time that occurs."""
        if self.copies is None:
            return np.quantile(self.time, shares, method="inverted_cdf")
        # The same place among all rows, in the order of their times.
        place = np.maximum(np.ceil(self.n_rows * shares - 1), 0).astype(np.intp)
        up_to = self.counts_in(self.when, len(self.unique_times)).cumsum()
        return self.unique_times[np.searchsorted(up_to, place, side="right")]

    @cached_property
    def _by_time(self) -> tuple[Floats, Places]:
        if len(self.time) > MANY_ROWS:  # a sort of numbers alone, and few places to look in
            times = np.unique(self.time)
            if len(times) < len(self.time) // MANY_ROWS_PER_TIME:
                return times, np.searchsorted(times, self.time)
        # np.unique(return_inverse=True) without its detours, which outlast a small sort.
        order = self.time.argsort()
        ascending = self.time[order]
        is_new = np.ones(len(order), dtype=bool)
        np.not_equal(ascending[1:], ascending[:-1], out=is_new[1:])
        when = np.empty(len(order), dtype=np.intp)
        when[order] = is_new.cumsum() - 1
        return ascending[is_new], when

    @property
    def unique_times(self) -> Floats:
        """Every distinct time, ascending."""
        return self._by_time[0]

    @property
    def when(self) -> Places:
        """Place of each row's time among the distinct ones."""
        return self._by_time[1]

    @cached_property
    def event_times(self) -> Floats:
        """Every distinct time at which an event was seen, ascending."""
        return self.unique_times[np.bincount(self.when, self.event) > 0]

    @cached_property
    def at_risk(self) -> Floats:
        """The weight of the rows that end at each distinct time or later."""
        return weight_at(self.when, self.weight)[::-1].cumsum()[::-1]

    @cached_property
    def event_weight(self) -> Floats:
        """The weight of the events at each distinct time."""
        return weight_at(self.when, self.weight * self.event)

    @cached_property
    def ended_weight(self) -> Floats:
        """The weight of the rows that were not censored at each distinct time."""
        if not self.has_others:
            return self.event_weight
        return weight_at(self.when, self.weight * ~self.is_censored)

    @cached_property
    def end_weights(self) -> tuple[Floats, ...]:
        """The weight of events at each distinct time and, if there are some, of other causes."""
        if not self.has_others:
            return (self.event_weight,)
        return self.event_weight, weight_at(self.when, self.weight * self.is_other)

    def by_leaf(
        self, leaf_of_row: NDArray[np.integer[Any] | np.bool_], n_leaves: int
    ) -> Iterator[tuple[Floats, ...]]:
        """Weight still at risk, and weight of the events, at each (leaf, distinct time).

        With competing risks also that of the rows that ended by another cause. ``leaf_of_row``
        counts the leaves from 0. They come in that order, a batch at a time.
        """
        flags = [self.event, self.is_other] if self.has_others else [self.event]
        n_times = len(self.unique_times)
        size = max(1, MOST_CELLS // n_times)
        cells = self.when if n_leaves == 1 else leaf_of_row * np.intp(n_times) + self.when
        for first in range(0, n_leaves, size):
            n_here = min(size, n_leaves - first)
            cell, weight, ends = cells, self.weight, flags
            if n_here < n_leaves:
                here = np.flatnonzero((leaf_of_row >= first) & (leaf_of_row < first + n_here))
                cell, weight = cell[here] - first * n_times, weight[here]
                ends = [flag[here] for flag in flags]
            present, *by_end = (
                weight_at(cell, w, n_here * n_times).reshape(n_here, n_times)
                # A row without an event adds a zero, which is cheaper than leaving it out.
                for w in (weight, *(weight * flag for flag in ends))
            )
            yield present[:, ::-1].cumsum(axis=1)[:, ::-1], *by_end


class Outcome(NamedTuple):
    """Event flags and times of rows; with competing risks their causes, and the names of these."""

    event: Bools
    time: Floats
    cause: Codes | None = None
    causes: Causes | None = None

    def table(self, weight: Floats) -> EventTable:
        """With the weights of the rows."""
        return EventTable(self.event, self.time, weight, self.cause, self.causes)


def weight_at(cell: NDArray[np.integer[Any]], weight: Floats, n_cells: int = 0) -> Floats:
    """Sum of the weights in each cell."""
    counts: NDArray[Any] = np.bincount(cell, weight, n_cells)
    return counts.astype(np.float64, copy=False)  # of nothing bincount makes integers


def mixed(key: NDArray[np.uint64], values: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """A hash of a hash and a number: multiply and shift, as in xorshift generators."""
    out = key ^ values
    out *= np.uint64(0x9E3779B97F4A7C15)
    out ^= out >> np.uint64(29)
    out *= np.uint64(0xBF58476D1CE4E5B9)
    out ^= out >> np.uint64(32)
    return np.asarray(out)
