"""What the near-optimal trees predict for rows: the lowest and the highest survival."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from survtree._data.table import Bools, Floats, Places
from survtree._model.near_curves import Path, RowsOfPaths, SharedCurves


class SurvivalBand(NamedTuple):
    """The smallest and the largest survival that trees of a set predict: rows x times.

    ``lowest`` and ``highest`` are the places of trees that predict it, the first of several.
    """

    times: Floats
    low: Floats
    high: Floats
    lowest: Places
    highest: Places


def survival_band(
    curves: SharedCurves,
    trees: Sequence[tuple[Sequence[Path], float]],
    n_rows: int,
    answer: Callable[[int], Bools],
    times: Floats,
) -> SurvivalBand:
    """The band over trees, each given by the paths to its leaves and its shrinkage."""
    shape = n_rows, len(times)
    band = SurvivalBand(
        times,
        np.full(shape, np.inf),
        np.full(shape, -np.inf),
        np.zeros(shape, dtype=np.intp),
        np.zeros(shape, dtype=np.intp),
    )
    rows, seen = RowsOfPaths(n_rows, answer), set[tuple[Path, float]]()
    for place, (paths, shrinkage) in enumerate(trees):
        for path in paths:
            if (path, shrinkage) not in seen:  # an earlier tree has the same leaf
                seen.add((path, shrinkage))
                here = rows.of(path)
                survival = np.broadcast_to(curves.predicted(path, [shrinkage])[0], shape[1:])
                _widen(band.low, band.lowest, here, survival, place, sign=1.0)
                _widen(band.high, band.highest, here, survival, place, sign=-1.0)
    return band


def _widen(
    limit: Floats, which: Places, here: Places, survival: Floats, place: int, *, sign: float
) -> None:
    is_beyond = sign * survival < sign * limit[here]
    row, time = np.nonzero(is_beyond)
    limit[here[row], time] = survival[time]
    which[here[row], time] = place
