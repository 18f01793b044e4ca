"""Predictions as a table: those of a model for the rows of a file, one part at a time."""

import warnings
from collections.abc import Sequence
from typing import Any

import polars as pl

from survtree._data.files import texts_of_numbers, with_flags, with_numbers
from survtree._data.read_files import check_kept, check_still_numbers, in_rows
from survtree._data.read_rows import numbers_by, texts_by
from survtree._model.fitted import FittedTree
from survtree._model.predicted_table import predicted_columns


class RowPredictor:
    """Group, leaf, risk, median and survival of rows, and the columns that are copied."""

    def __init__(
        self, model: FittedTree, names: Sequence[str], kept: Sequence[str], times: Any = None
    ) -> None:
        self._model, self._names, self._kept = model, list(names), list(kept)
        self.columns = list(dict.fromkeys([*kept, *names]))
        self._warnings: list[str] = []
        self._n_rows = 0
        self._leaf_table = _leaf_table(model, times)
        check_kept(self._kept, self._leaf_table.columns)
        self._place = model.tree_.leaf_numbers()
        self._texts = list(texts_by(model.binarizer_.seen_, model.questions_.names))

    def schema(self, source: pl.Schema) -> pl.Schema:
        """The columns of the table and their types."""
        kept = {name: source[name] for name in self._kept}
        return pl.Schema({**kept, **self._leaf_table.schema})

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The predictions of the next rows."""
        first = self._n_rows
        self._n_rows += len(rows)
        with warnings.catch_warnings(record=True) as caught, in_rows(first, self._n_rows):
            warnings.simplefilter("always")
            table = with_flags(rows.select(self._names), self._texts)
            leaves = self._model.apply(self._typed(table))
        self._warnings += [str(warning.message) for warning in caught]
        predicted: pl.DataFrame = self._leaf_table[self._place[leaves]]
        return pl.concat([rows.select(self._kept), predicted], how="horizontal")

    def _typed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """With numbers, as at the fit, where text reads as such."""
        numbers = numbers_by(self._model.binarizer_.seen_, self._model.questions_.names)
        rows = with_numbers(rows, [name for name in texts_of_numbers(rows) if name in numbers])
        check_still_numbers(rows, numbers)
        return rows

    def warn(self) -> None:
        """One warning for all parts."""
        if self._warnings:
            more = len(self._warnings) - 1
            also = f" So do {more:,} other parts of the file." if more else ""
            warnings.warn(f"{self._warnings[0]}{also}", UserWarning, stacklevel=2)


def _leaf_table(model: FittedTree, times: Any) -> pl.DataFrame:
    """What is predicted for the rows of each leaf; a median that is not reached is null."""
    table = pl.DataFrame(predicted_columns(model, times))
    is_reached = pl.col("median").is_finite()
    return table.with_columns(median=pl.when(is_reached).then("median"))
