"""Raw columns as numbers, for programs that know neither categories nor missing cells.

What is learned from the training rows alone: medians, the most frequent level, which levels there
are, and which columns have missing cells. Times can be rounded up to a grid.
"""

import numpy as np
import pandas as pd

MOST_TIMES = 300


class Encoder:
    """Median or most frequent level for missing cells, a 0/1 column for each level, and a 0/1
    column "is missing" for each column with missing training cells.

    Of two levels one column is made. Columns that are constant in the training rows are dropped.
    """

    def __init__(self, train: pd.DataFrame) -> None:
        is_number = [pd.api.types.is_numeric_dtype(kind) for kind in train.dtypes]
        self._numbers = [name for name, yes in zip(train, is_number, strict=True) if yes]
        self._texts = [name for name, yes in zip(train, is_number, strict=True) if not yes]
        self._gaps = [name for name in train if train[name].isna().any()]
        self._medians = train[self._numbers].median().fillna(0.0).to_numpy(dtype=float)
        self._levels = {name: _levels(train[name]) for name in self._texts}
        self._is_kept = np.ptp(self._all(train), axis=0) > 0

    def matrix(self, X: pd.DataFrame) -> np.ndarray:
        """The rows as numbers."""
        return self._all(X)[:, self._is_kept]

    def _all(self, X: pd.DataFrame) -> np.ndarray:
        numbers = X[self._numbers].to_numpy(dtype=float)
        filled = np.where(np.isnan(numbers), self._medians, numbers)
        gaps = X[self._gaps].isna().to_numpy(dtype=float)
        parts = [filled, gaps, *(self._of_text(X[name], name) for name in self._texts)]
        return np.hstack(parts)

    def _of_text(self, column: pd.Series, name: str) -> np.ndarray:
        levels = self._levels[name]
        text = column.astype(object)
        text = text.where(column.notna(), levels[0]).to_numpy()
        shown = levels[1:] if len(levels) == 2 else levels
        return np.column_stack([text == level for level in shown]).astype(float)


def _levels(column: pd.Series) -> list[str]:
    """Levels of the training rows, the most frequent first."""
    counts = column.astype(object).value_counts()
    return sorted(counts.index, key=lambda level: (-counts[level], level))


def on_grid(time: np.ndarray) -> np.ndarray:
    """Times rounded up to at most 300 of their quantiles; as they are if no more differ."""
    if len(np.unique(time)) <= MOST_TIMES:
        return time
    shares = np.arange(1, MOST_TIMES + 1) / MOST_TIMES
    grid = np.unique(np.quantile(time, shares, method="inverted_cdf"))
    return np.asarray(grid[np.searchsorted(grid, time)])
