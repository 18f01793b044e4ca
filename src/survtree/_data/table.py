"""A user's table as columns of numbers, flags and levels. Knows neither questions nor outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Kind = Literal["number", "flag", "level", "ordered"]
Rows = NDArray[np.bool_] | NDArray[np.intp] | slice


class Column(NamedTuple):
    """One column. Missing is NaN among numbers and -1 among flags (0, 1) and levels (places)."""

    name: str
    kind: Kind
    values: NDArray[np.float64] | NDArray[np.int8] | NDArray[np.intp]
    levels: tuple[str, ...] = ()  # of levels and ordered levels, in the order the source declares
    is_whole: bool = False  # do the numbers come from integers?

    def is_missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        return np.isnan(self.values) if self.kind == "number" else self.values < 0

    def occurring(self) -> NDArray[np.intp]:
        """Places of the levels that some row has."""
        places = self.values[self.values >= 0]
        return np.flatnonzero(np.bincount(places.astype(np.intp), minlength=len(self.levels)))

    def take(self, rows: Rows) -> "Column":
        """The same column with some of its rows."""
        return self._replace(values=self.values[rows])


@dataclass(frozen=True)
class Table:
    """Columns of one length. A table of nothing but 0 and 1 may come as one matrix."""

    names: tuple[str, ...]
    n_rows: int
    given_columns: tuple[Column, ...] | None = None
    matrix: NDArray[np.uint8] | None = None

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns; those of a matrix are made when first asked for."""
        if self.given_columns is not None:
            return self.given_columns
        assert self.matrix is not None
        answers = self.matrix.astype(np.float64)
        return tuple(Column(n, "number", answers[:, j]) for j, n in enumerate(self.names))

    def is_missing_anywhere(self) -> NDArray[np.bool_]:
        """The rows in which some column has no value."""
        out = np.zeros(self.n_rows, dtype=bool)
        for column in self.columns if self.matrix is None else ():
            out |= column.is_missing()
        return out

    def take(self, rows: Rows) -> "Table":
        """The same table with some of its rows."""
        return table_of([column.take(rows) for column in self.columns])


def table_of(columns: Sequence[Column]) -> Table:
    """A table of at least one column."""
    return Table(
        names=tuple(column.name for column in columns),
        n_rows=len(columns[0].values),
        given_columns=tuple(columns),
    )
