"""Rows of a lazy table as groups: those with the same answers, time and end are one, and counted.

A column is known by codes: which of its cuts a number lies between, or which level it is. The codes
of all columns, the time and what ended a row share one or more words of 64 bits, by which polars
groups the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from survtree._data.column_summaries import Summary, numbers_in
from survtree._data.lazy_rows import LazyRows, collected
from survtree._data.read_lazy import LazyOutcome
from survtree._data.read_memory import GroupLimit
from survtree._data.table import Column, EventTable, Floats, PackedColumns, PackedValues, Table

HALF = 32  # bits
FEW_CUTS = 32  # so many are compared one by one
# Times are coded if they are whole in a unit of so many decimals, and none is larger in it.
MOST_DECIMALS, MOST_TIMES, NEAR = 6, 4_000_000, 1e-3
ROWS_LOOKED_AT, N_SLICES = 2**21, 8  # before groups are counted
COUNT, WEIGHT, TIME = "rows of the group", "weight of the group", "time of the group"


class Coded(NamedTuple):
    """A column as codes: how to compute them, and the values that they stand for."""

    code: pl.Expr
    values: Column

    @property
    def n_bits(self) -> int:
        """Of a code."""
        return max(1, (len(self.values.values) - 1).bit_length())


def coded_numbers(summary: Summary, cuts: Floats) -> Coded:
    """By the cuts between which a number lies; a value of each, and the last for a gap."""
    facts = summary.facts
    x = numbers_in(facts.name, facts.dtype)
    top = [float(facts.low if facts.low is not None else 0.0)]
    if len(cuts):
        high = cuts[-1] if facts.high is None else facts.high  # None: every cell is missing
        top = [max(float(high), float(cuts[-1]))]
    code = _counted(x, cuts) if len(cuts) else pl.lit(0, pl.UInt8)
    return _with_gap(code, x, summary, np.append(cuts, top))


def coded_flags(summary: Summary) -> Coded:
    """0 and 1, whether numbers or flags."""
    facts = summary.facts
    x = numbers_in(facts.name, facts.dtype) if facts.dtype.is_numeric() else pl.col(facts.name)
    is_one = x if facts.dtype == pl.Boolean or facts.dtype.is_integer() else x > 0.5
    is_flag = summary.column.kind == "flag"
    values = np.array([0, 1], dtype=np.int8 if is_flag else np.float64)
    return _with_gap(is_one.cast(pl.UInt8), x, summary, values)


def coded_levels(summary: Summary, column: Column) -> Coded:
    """By the place of a level, in the column whose levels they are."""
    facts = summary.facts
    n_levels = len(column.levels)
    values = np.arange(n_levels)
    if facts.dtype.is_numeric() or facts.dtype == pl.Boolean:  # declared to be categories
        present = summary.column.values[~summary.column.is_missing()]
        # Levels of numbers are in the order of the numbers.
        x = numbers_in(facts.name, facts.dtype) if facts.dtype.is_numeric() else pl.col(facts.name)
        x = x.cast(pl.Float64)
        code = _counted(x, present.astype(np.float64)[:-1]) if n_levels > 1 else pl.lit(0, pl.UInt8)
    else:
        x = pl.col(facts.name)
        code = x.cast(pl.String).cast(pl.Enum(column.levels)).to_physical()
    return _with_gap(code, x, summary, values, column)


def _with_gap(
    code: pl.Expr, x: pl.Expr, summary: Summary, values: NDArray[Any], of: Column | None = None
) -> Coded:
    column = of or summary.column
    if summary.facts.n_missing:
        gap = np.nan if column.kind == "number" else -1
        code = pl.when(x.is_null()).then(pl.lit(len(values))).otherwise(code)
        values = np.append(values, gap)
    return Coded(code, column._replace(values=values))


def _counted(x: pl.Expr, cuts: Floats) -> pl.Expr:
    """How many cuts lie below a number."""
    if len(cuts) <= FEW_CUTS:
        out = (x > float(cuts[0])).cast(pl.UInt8)
        for cut in cuts[1:].tolist():
            out = out + (x > cut).cast(pl.UInt8)
        return out

    def place(values: pl.Series) -> pl.Series:
        numbers = values.cast(pl.Float64).to_numpy()
        return pl.Series(values.name, np.searchsorted(cuts, numbers).astype(np.uint32))

    return x.map_batches(place, return_dtype=pl.UInt32, is_elementwise=True)


def _event_code(name: str, outcome: LazyOutcome) -> pl.Expr:
    """What ended a row, by its code."""
    codes = outcome.codes.tolist()
    first, *others = zip(outcome.values.to_list(), codes, strict=True)
    out = pl.lit(first[1], pl.UInt8)
    for value, code in others:
        out = pl.when(pl.col(name) == value).then(pl.lit(code, pl.UInt8)).otherwise(out)
    return out


def _coded_times(name: str, times: Floats) -> Coded | None:
    """Times that are whole in some decimal unit, by this number; None if they are not, or large."""
    for unit in 10.0 ** np.arange(MOST_DECIMALS + 1):
        numbers = np.rint(times * unit)
        is_whole = np.abs(times * unit - numbers).max() < NEAR and (np.diff(numbers) > 0).all()
        if is_whole and numbers[-1] < MOST_TIMES:
            values = np.zeros(int(numbers[-1]) + 1)
            values[numbers.astype(np.intp)] = times
            code = (pl.col(name) * unit).round().cast(pl.UInt32)
            return Coded(code, Column(name, "number", values))
    return None


@dataclass(frozen=True)
class Grouping:
    """The words that rows are grouped by, and where in them each code is."""

    words: tuple[pl.Expr, ...]
    places: tuple[PackedValues | None, ...]  # of columns; None of those without codes
    event: PackedValues
    time: PackedValues | None  # None: times are no codes


def grouping_of(
    coded: Sequence[Coded | None], outcome: LazyOutcome, rows: LazyRows, times: Floats | None
) -> Grouping:
    """Codes side by side, as few words as hold them."""
    codes = Column("event", "number", np.arange(len(outcome.is_event)))
    parts: list[Coded | None] = [*coded, Coded(_event_code(rows.event, outcome), codes)]
    at = None if times is None else _coded_times(rows.time, times)
    if at is not None:
        parts.append(at)
    shift, halves = 0, [pl.lit(0, pl.UInt32)]
    places: list[PackedValues | None] = []
    for part in parts:
        if part is None:
            places.append(None)
            continue
        if shift + part.n_bits > HALF:
            shift, halves = 0, [*halves, pl.lit(0, pl.UInt32)]
        here = part.code.cast(pl.UInt32) * pl.lit(1 << shift, pl.UInt32)
        halves[-1] = part.code.cast(pl.UInt32) if shift == 0 else halves[-1] + here
        word, is_high = divmod(len(halves) - 1, 2)
        mask = (1 << part.n_bits) - 1
        places.append(PackedValues(part.values, word, HALF * is_high + shift, mask))
        shift += part.n_bits
    words = [_word(*halves[k : k + 2]) for k in range(0, len(halves), 2)]
    named = tuple(each.alias(f"word {k} of the group") for k, each in enumerate(words))
    at_event, at_time = places[len(coded)], places[-1] if at is not None else None
    assert at_event is not None
    return Grouping(named, tuple(places[: len(coded)]), at_event, at_time)


def _word(low: pl.Expr, high: pl.Expr | None = None) -> pl.Expr:
    """Two halves, each of which is put together in 32 bits, which is quicker."""
    word = low.cast(pl.UInt64)
    return word if high is None else word + high.cast(pl.UInt64) * pl.lit(1 << HALF, pl.UInt64)


def grouped(rows: LazyRows, grouping: Grouping, n_rows: int, limit: GroupLimit) -> pl.DataFrame:
    """The groups: their words, times if they are no codes, numbers of rows, sums of weights."""
    keys, asked = [each.meta.output_name() for each in grouping.words], list(grouping.words)
    counts = [pl.len().cast(pl.UInt32).alias(COUNT)]
    if grouping.time is None:
        asked.append(pl.col(rows.time).cast(pl.Float64).alias(TIME))
        keys.append(TIME)
    if rows.weight is not None:
        asked.append(pl.col(rows.weight).cast(pl.Float64).alias(WEIGHT))
        counts.append(pl.col(WEIGHT).sum())
    query = rows.frame.select(asked)
    may_be_many = n_rows > limit.most_groups
    if may_be_many and _projected(rows.frame, asked, keys, n_rows) > limit.most_groups:
        key = pl.col(keys[0]) if len(keys) == 1 else pl.struct(keys).hash()
        limit.check(int(collected(query.select(key.approx_n_unique())).item()), n_rows)
    return collected(query.group_by(keys).agg(counts))


def _projected(
    frame: pl.LazyFrame, asked: Sequence[pl.Expr], keys: Sequence[str], n_rows: int
) -> float:
    """More groups than there are, if some rows from all over the table are like the others.

    New groups become rarer as more rows are seen: so many rows make at most as many groups as their
    number is larger than that of the rows that were looked at.
    """
    size = min(n_rows // N_SLICES, ROWS_LOOKED_AT // N_SLICES)
    slices = [frame.slice(k * (n_rows // N_SLICES), size) for k in range(N_SLICES)]
    n_found = collected(pl.concat(slices).select(asked).group_by(keys).len()).height
    return n_found * n_rows / (N_SLICES * size)


def tables_of(
    found: pl.DataFrame, grouping: Grouping, outcome: LazyOutcome, empty: Sequence[Column]
) -> tuple[Table, EventTable]:
    """The groups as rows of a table, with the outcome of each; ``empty`` are all columns."""
    words = tuple(found[each.meta.output_name()].to_numpy() for each in grouping.words)
    copies = found[COUNT].to_numpy()
    weight = copies.astype(np.float64)
    if WEIGHT in found.columns:
        weight = found[WEIGHT].to_numpy()
    elif 10 * len(found) >= 9 * int(copies.sum(dtype=np.int64)):
        # So few are alike that the search would not count them either: rows as in memory.
        rows = np.repeat(np.arange(len(found)), copies)
        words, weight = tuple(word[rows] for word in words), np.ones(len(rows))
        found, copies = found[rows], np.ones(len(rows), dtype=np.uint32)
    packed = PackedColumns(words, (grouping.event, *([grouping.time] if grouping.time else ())))
    code, causes = packed.codes(0).astype(np.uint8), outcome.causes
    time = packed[1].values if grouping.time else found[TIME].to_numpy()
    events = EventTable(
        event=np.array(outcome.is_event)[code],
        time=time,
        weight=weight,
        cause=code if causes is not None and causes.are_several else None,
        causes=causes,
        copies=copies,
    )
    places = tuple(
        each or PackedValues(column._replace(values=np.zeros(1, column.values.dtype)))
        for each, column in zip(grouping.places, empty, strict=True)
    )
    names = tuple(column.name for column in empty)
    return Table(names, len(weight), PackedColumns(words, places)), events
