"""Predictions as a table: what a model says of the rows of a file, a part of them at a time."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from survtree._base.numbers import format_exact
from survtree._data.files import with_flags
from survtree._data.read_files import check_kept, in_rows
from survtree._scoring.read_curves import check_times


class RowPredictor:
    """Leaf, risk, median and survival of rows, and the columns that are copied."""

    def __init__(
        self, model: Any, names: Sequence[str], kept: Sequence[str], times: Any = None
    ) -> None:
        self._model, self._names, self._kept = model, list(names), list(kept)
        self.columns = list(dict.fromkeys([*kept, *names]))
        self._told: list[str] = []
        self._n_rows = 0
        curves, risks = model.leaf_curves_, model.leaf_risks_
        at = [] if times is None else check_times(times).tolist()
        told = [curve.survival for curve in curves.values()]
        medians = [curve.quantile(0.5) for curve in curves.values()]
        self._facts = pl.DataFrame(
            {
                "leaf": list(curves),
                "risk": [float(risks[leaf]) for leaf in curves],
                "median": [None if np.isinf(median) else median for median in medians],
                **{
                    f"survival_{format_exact(time)}": [float(survival(time)) for survival in told]
                    for time in at
                },
            },
            schema_overrides={"leaf": pl.Int64, "median": pl.Float64},
        )
        check_kept(self._kept, self._facts.columns)
        self._place = model.tree_.leaf_numbers()

    def schema(self, source: pl.Schema) -> pl.Schema:
        """The columns of the table and their types."""
        kept = {name: source[name] for name in self._kept}
        return pl.Schema({**kept, **self._facts.schema})

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The predictions of the next rows."""
        first = self._n_rows
        self._n_rows += len(rows)
        with warnings.catch_warnings(record=True) as told, in_rows(first, self._n_rows):
            warnings.simplefilter("always")
            leaves = self._model.apply(with_flags(rows.select(self._names)))
        self._told += [str(warning.message) for warning in told]
        facts: pl.DataFrame = self._facts[self._place[leaves]]
        return pl.concat([rows.select(self._kept), facts], how="horizontal")

    def warn(self) -> None:
        """Once for all parts."""
        if self._told:
            more = len(self._told) - 1
            also = f" So do {more:,} other parts of the file." if more else ""
            warnings.warn(f"{self._told[0]}{also}", UserWarning, stacklevel=2)
