"""What passes over a lazy table find of its columns: distinct values, how often they occur, gaps.

A column of a summary has each of its values once. Where a column of numbers has too many values to
keep, only those next to its quantiles are kept, and the number of all of them is an estimate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from survtree._data.lazy_rows import collected
from survtree._data.read_table import column_of_series
from survtree._data.table import Column, Floats, Places

MOST_SORTED = 2**25  # rows of which all numbers of one column are sorted in memory
MOST_VALUES = 1_000_000  # that are kept of a column of numbers with more rows
SAMPLED_ROWS = 200_000  # whose quantiles are the first guess at those of all rows
N_BINS, MOST_ROUNDS = 4096, 8
MANY_PER_CUT = 100  # values; then those next to quantiles are enough
SMALL = (pl.Int8, pl.UInt8, pl.Int16, pl.UInt16)  # types of few values
N_ROWS = "rows of a value"  # of a column with a name that hardly any other has; "len" may be one
TEXTS = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class Facts:
    """What one pass finds of a column; of numbers also the smallest and the largest."""

    name: str
    dtype: pl.DataType
    n_rows: int
    n_missing: int
    n_distinct: int  # about so many, or fewer
    low: Any = None
    high: Any = None
    is_zero_one: bool = False  # are all numbers 0 or 1, or flags?


@dataclass(frozen=True)
class Summary:
    """A column with each value once, and one gap if there are some.

    ``up_to`` counts the rows with at most each of the values, which ascend if they are numbers.
    ``n_values`` is how many values there are; more than in the column where only those next to
    quantiles are kept.
    """

    column: Column
    up_to: Places
    n_values: int
    facts: Facts

    @property
    def values(self) -> Floats:
        """The numbers, without a gap."""
        values = self.column.values
        return np.asarray(values[~self.column.is_missing()], dtype=np.float64)


def numbers_in(name: str, dtype: pl.DataType) -> pl.Expr:
    """A column of numbers, null where missing."""
    x = pl.col(name)
    if dtype == pl.Float32 or dtype.is_decimal():
        # A cut beside such a column would be rounded to its type, and part other rows.
        x = x.cast(pl.Float64)
    return x.fill_nan(None) if dtype.is_float() else x


def facts_of(frame: pl.LazyFrame, names: Sequence[str]) -> tuple[int, list[Facts]]:
    """The number of rows, and what one pass finds of some columns."""
    schema = frame.collect_schema()
    n = int(collected(frame.select(pl.len())).item())
    asked = [part for name in names for part in _asked(name, schema[name], n)]
    found = collected(frame.select(asked)).row(0, named=True) if asked else {}
    return n, [_facts(name, schema[name], n, found) for name in names]


def _asked(name: str, dtype: pl.DataType, n_rows: int) -> list[pl.Expr]:
    x = numbers_in(name, dtype) if dtype.is_numeric() else pl.col(name)
    asked = [x.null_count().alias(f"{name} gaps")]
    if dtype.is_numeric() or dtype == pl.Boolean:
        asked += [x.min().alias(f"{name} low"), x.max().alias(f"{name} high")]
    if dtype.is_numeric() and not dtype.is_integer():
        asked.append(((x == 0) | (x == 1)).all().alias(f"{name} bits"))
    is_long = dtype.is_numeric() and dtype not in SMALL and n_rows > MOST_SORTED
    if is_long or dtype in TEXTS:
        plain = x.cast(pl.String) if dtype in TEXTS else x
        asked.append(plain.approx_n_unique().alias(f"{name} values"))
    return asked


def _facts(name: str, dtype: pl.DataType, n_rows: int, found: dict[str, Any]) -> Facts:
    low, high = found.get(f"{name} low"), found.get(f"{name} high")
    n_distinct = min(n_rows, int(found.get(f"{name} values", n_rows)))
    is_zero_one = dtype == pl.Boolean
    if dtype.is_numeric():
        is_bits = low is None or high is None or (low >= 0 and high <= 1)
        is_zero_one = bool(found.get(f"{name} bits", is_bits))
    n_missing = int(found[f"{name} gaps"])
    return Facts(name, dtype, n_rows, n_missing, n_distinct, low, high, is_zero_one)


def summary_of(frame: pl.LazyFrame, facts: Facts, n_cuts: int | None) -> Summary:
    """The values of a column; of very many numbers perhaps only those at so many quantiles.

    ``n_cuts`` None: all values are wanted, however many there are.
    """
    name, dtype, n_rows = facts.name, facts.dtype, facts.n_rows
    if facts.is_zero_one:
        values = [] if facts.low is None else sorted({facts.low, facts.high})
        gap = [None] if facts.n_missing else []
        column = _column(pl.Series(name, [*values, *gap], dtype=dtype))
        return Summary(column, np.zeros(len(values), dtype=np.intp), len(values), facts)
    if not dtype.is_numeric() or dtype in SMALL or n_rows > MOST_SORTED:
        is_long = dtype.is_numeric() and n_cuts is not None and facts.n_distinct > MOST_VALUES
        return _at_quantiles(frame, facts, n_cuts or 1) if is_long else _listed(frame, facts)
    x = numbers_in(name, dtype).alias(name)
    ordered = collected(frame.select(x))[name].drop_nulls().sort().to_numpy()
    n_values = int(np.count_nonzero(ordered[1:] != ordered[:-1])) + (len(ordered) > 0)
    if n_cuts is not None and n_values > MANY_PER_CUT * n_cuts:
        near = _near_quantiles(ordered, n_cuts)
        if len(near) > n_cuts + 2:  # with fewer, cuts would be taken for those of all values
            return _summary(facts, near, np.searchsorted(ordered, near, side="right"), n_values)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return _summary(facts, ordered[ends], ends + 1, len(ends))


def _near_quantiles(ordered: NDArray[Any], n_cuts: int) -> NDArray[Any]:
    """The values at some quantiles of ascending numbers, and those before and after them."""
    n = len(ordered)
    places = np.ceil(n * np.arange(1, n_cuts + 1) / (n_cuts + 1)).astype(np.intp) - 1
    found = np.unique(ordered[places])
    for _ in range(2):
        before = np.searchsorted(ordered, found) - 1
        after = np.searchsorted(ordered, found, side="right")
        found = np.unique(
            np.concatenate([found, ordered[before.clip(0)], ordered[after.clip(0, n - 1)]])
        )
    return found


def _listed(frame: pl.LazyFrame, facts: Facts) -> Summary:
    """Every value; of far too many texts those of the first rows, which are enough to refuse it."""
    name, dtype = facts.name, facts.dtype
    if not dtype.is_numeric() and facts.n_distinct > MOST_VALUES:
        frame = frame.head(SAMPLED_ROWS)
    x = numbers_in(name, dtype) if dtype.is_numeric() else pl.col(name)
    found = collected(frame.select(x.alias(name)).group_by(name).len(N_ROWS))
    found = found.filter(pl.col(name).is_not_null()).sort(name)
    up_to = found[N_ROWS].to_numpy().astype(np.intp).cumsum()
    if dtype.is_numeric():
        return _summary(facts, found[name].to_numpy(), up_to, len(found))
    values = found[name]
    if facts.n_missing:
        values = values.append(pl.Series(name, [None], dtype=dtype))
    return Summary(_column(values), up_to, len(found), facts)


def _summary(facts: Facts, values: Any, up_to: Places, n_values: int) -> Summary:
    numbers = np.asarray(values, dtype=np.float64)
    if facts.n_missing:
        numbers = np.append(numbers, np.nan)
    column = Column(facts.name, "number", numbers, is_whole=facts.dtype.is_integer())
    return Summary(column, up_to, n_values, facts)


def _column(values: pl.Series) -> Column:
    return column_of_series(values.name, nw.from_native(values, series_only=True))


def _at_quantiles(frame: pl.LazyFrame, facts: Facts, n_cuts: int) -> Summary:
    """The values next to which a column is cut so that about equally many rows lie between cuts.

    Rows are counted between edges, which are moved nearer to the wanted places until few values
    are left there; these are counted one by one. So the cuts are those of all values.
    """
    x = numbers_in(facts.name, facts.dtype).cast(pl.Float64).alias("x")
    values = frame.select(x).drop_nulls()
    sample = collected(values.head(SAMPLED_ROWS))["x"].to_numpy()
    edges = np.unique(np.quantile(sample, np.linspace(0, 1, N_BINS), method="inverted_cdf"))
    wanted = (facts.n_rows - facts.n_missing) * np.arange(1, n_cuts + 1) / (n_cuts + 1)
    for round_number in range(MOST_ROUNDS):
        counts = _counted(values, edges)
        up_to = counts.cumsum()
        bins = np.unique(np.searchsorted(up_to, wanted))
        # After so many rounds what is left are rows with the same value.
        if counts[bins].sum() <= MOST_VALUES or round_number == MOST_ROUNDS - 1:
            break
        edges = _finer(edges, bins[counts[bins] > MOST_VALUES // (4 * n_cuts)], facts)
    # The values before and after those of a bin are in the bins beside it that are not empty.
    filled = np.flatnonzero(counts)
    places = np.searchsorted(filled, bins)
    near = np.concatenate([places - 1, places, places + 1]).clip(0, len(filled) - 1)
    is_near = _bin(edges).is_in(np.unique(filled[near]).tolist())
    found = collected(values.filter(is_near).group_by("x").len()).sort("x")
    numbers, rows = found["x"].to_numpy(), found["len"].to_numpy().astype(np.intp)
    of_bin = np.searchsorted(edges, numbers)
    before = np.append(0, rows.cumsum())
    in_bin = before[1:] - before[np.searchsorted(of_bin, of_bin)]
    return _summary(facts, numbers, np.append(0, up_to)[of_bin] + in_bin, facts.n_distinct)


def _bin(edges: Floats) -> pl.Expr:
    """How many edges lie below each number."""

    def place(values: pl.Series) -> pl.Series:
        return pl.Series(np.searchsorted(edges, values.to_numpy()).astype(np.uint32))

    return pl.col("x").map_batches(place, return_dtype=pl.UInt32, is_elementwise=True)


def _counted(values: pl.LazyFrame, edges: Floats) -> Places:
    """The rows between each two edges, those below all and those above all."""
    found = collected(values.select(_bin(edges).alias("bin")).group_by("bin").len())
    out = np.zeros(len(edges) + 1, dtype=np.intp)
    out[found["bin"].to_numpy()] = found["len"].to_numpy()
    return out


def _finer(edges: Floats, bins: Places, facts: Facts) -> Floats:
    """More edges between those of some bins."""
    ends = np.concatenate([[float(facts.low)], edges, [float(facts.high)]])
    shares = np.linspace(0.0, 1.0, N_BINS // max(1, len(bins)) + 2)
    more = [ends[b] * (1 - shares) + ends[b + 1] * shares for b in bins.tolist()]
    return np.unique(np.concatenate([edges, *more]))
