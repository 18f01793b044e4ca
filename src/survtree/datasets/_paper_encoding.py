"""The 0/1 encoding used in the experiments of the optimal sparse survival trees paper.

Kept to repeat published numbers, not as advice: four equal-width bins are coarse, and the bins of
a skewed column can be almost empty. Assumes clean columns; it validates nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Cell = int | float | str | None

_N_BINS = 4
_MOST_VALUES_KEPT = 10


def encode(
    columns: Mapping[str, Sequence[Cell]], levels: Mapping[str, Sequence[str]]
) -> dict[str, NDArray[np.uint8]]:
    """Turn raw columns into named 0/1 columns, one per level except the first of each column.

    A column named in `levels` is categorical, even if its cells are numbers, and its levels count
    in the order given there. All others are numeric. Categorical columns come first.
    """
    encoded: dict[str, NDArray[np.uint8]] = {}
    for name in [name for name in columns if name in levels]:
        labels = [str(cell) for cell in columns[name]]
        encoded |= _indicators(name, labels, levels[name])
    for name in [name for name in columns if name not in levels]:
        kept = _binned(np.array(columns[name]))
        encoded |= _indicators(name, _labels(kept), _labels(np.unique(kept)))
    return encoded


def _indicators(
    name: str, labels: Sequence[str], levels: Sequence[str]
) -> dict[str, NDArray[np.uint8]]:
    cells = np.array(labels)
    return {f"{name}_{level}": (cells == level).astype(np.uint8) for level in levels[1:]}


def _labels(values: NDArray[np.generic]) -> list[str]:
    # Through Python numbers, so that 2 reads "2" and 2.0 reads "2.0", as in the published names.
    return [str(value) for value in values.tolist()]


def _binned(cells: NDArray[np.generic]) -> NDArray[np.generic]:
    """Bin numbers 0..3 of a column with many distinct values; other columns as they are.

    NaN stays NaN, which makes it a level of its own, and the last one, since NaN sorts last.
    """
    values = cells.astype(np.float64)
    is_missing = np.isnan(values)
    if np.unique(values[~is_missing]).size <= _MOST_VALUES_KEPT:
        return values if is_missing.any() else cells
    bins = np.searchsorted(_edges(values[~is_missing]), values, side="left") - 1
    # Missing cells make the column float, so its levels are named "age_1.0", not "age_1".
    return np.where(is_missing, np.nan, bins) if is_missing.any() else bins


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    edges = np.linspace(values.min(), values.max(), _N_BINS + 1)
    # Bins are closed on the right, so the minimum would fall out of the first one. pandas.cut,
    # which made the published files, moves the left edge by 0.1 % of the range; so do we.
    edges[0] -= 0.001 * (values.max() - values.min())
    return edges
