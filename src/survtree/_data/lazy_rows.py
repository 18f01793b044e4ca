"""Tables that need not fit in memory: any lazy frame as a query of polars, and its outcome.

polars' streaming engine does the work, a part of the rows at a time. Lazy frames of other libraries
are read by it in batches of rows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from survtree._data.read_roles import Roles

ROWS_AT_ONCE = 250_000
ROW = "row number of survtree"  # a column that no table has


@dataclass(frozen=True)
class LazyRows:
    """A query whose rows are fitted on, and the columns that hold the outcome.

    ``event_values`` are the values that mean an event, if the event column holds no flags.
    """

    frame: pl.LazyFrame
    time: str
    event: str
    weight: str | None = None
    cause: Any = None
    censored: Any = None
    event_values: tuple[str, ...] = ()

    @property
    def roles(self) -> Roles:
        """What a model remembers of the columns of the outcome."""
        return Roles(self.time, self.event, self.event_values, self.weight)

    @property
    def names(self) -> list[str]:
        """The columns that are no part of the outcome."""
        return [name for name in self.frame.collect_schema().names() if name not in self.outcome]

    @property
    def outcome(self) -> list[str]:
        """Time, event and, if there is one, weight."""
        return [self.time, self.event, *([] if self.weight is None else [self.weight])]


def collected(query: pl.LazyFrame) -> pl.DataFrame:
    """The answer to a query, found a part of the rows at a time."""
    return query.collect(engine="streaming")


def as_query(frame: nw.LazyFrame[Any]) -> pl.LazyFrame | None:
    """A lazy frame as a query of polars; None if nobody knows how to read it in batches."""
    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        return native
    batches = BATCHES.get(frame.implementation.value)
    if batches is None:
        return None
    schema = frame.head(0).collect(backend="polars").to_native().schema
    from polars.io.plugins import register_io_source

    def source(
        columns: list[str] | None, predicate: Any, n_rows: int | None, size: int | None
    ) -> Iterator[pl.DataFrame]:
        some = frame if columns is None else frame.select(columns)
        left = n_rows
        for part in batches(some.to_native(), size or ROWS_AT_ONCE):
            here = part if left is None else part.head(left)
            left = None if left is None else left - len(here)
            yield here if predicate is None else here.filter(predicate)
            if left == 0:
                return

    return register_io_source(source, schema=schema)


def _of_duckdb(relation: Any, size: int) -> Iterator[pl.DataFrame]:
    for batch in relation.fetch_arrow_reader(size):
        yield pl.DataFrame(pl.from_arrow(batch))


def _of_dask(frame: Any, size: int) -> Iterator[pl.DataFrame]:
    for part in frame.partitions:
        yield pl.from_pandas(part.compute())


BATCHES: Mapping[str, Callable[[Any, int], Iterator[pl.DataFrame]]] = {
    "duckdb": _of_duckdb,
    "dask": _of_dask,
}
