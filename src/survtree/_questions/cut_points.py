"""Where to cut a column of numbers: between values that occur, at numbers that are easy to read."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Every sixteenth part of the rows: finer cuts made the search slower and the trees hardly better.
AUTO_CUTS = 15
GUESS_CUTS = 63


class Rule(NamedTuple):
    """How to cut a column. ``value`` is a count for quantiles and width, the numbers for given."""

    kind: Literal["auto", "all", "guess", "quantiles", "width", "given"]
    value: Any = None


def cut_points(values: Floats, rule: Rule) -> list[float]:
    """Thresholds, ascending; unless given, each has some of the values on either side."""
    if rule.kind == "given":
        return list(rule.value)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < 2:
        return []
    if rule.kind == "width":
        return _evenly(distinct, rule.value)
    n_cuts = {"auto": AUTO_CUTS, "guess": GUESS_CUTS, "all": len(distinct)}.get(rule.kind)
    places = _boundaries(counts, n_cuts if n_cuts is not None else rule.value)
    below, above = distinct[places], distinct[places + 1]
    middles = below / 2 + above / 2  # the sum of two large numbers may overflow
    cuts = zip(below.tolist(), above.tolist(), middles.tolist(), strict=True)
    return [easiest_between(low, high, middle) for low, high, middle in cuts]


def _boundaries(counts: NDArray[np.intp], n_cuts: int) -> NDArray[np.intp]:
    """Places of the values to cut after, so that about equally many rows lie between cuts."""
    n_boundaries = len(counts) - 1
    if n_boundaries <= n_cuts:
        return np.arange(n_boundaries)
    up_to = counts.cumsum()
    wanted = up_to[-1] * np.arange(1, n_cuts + 1) / (n_cuts + 1)
    above = np.clip(np.searchsorted(up_to, wanted), 1, n_boundaries - 1)
    is_nearer_below = wanted - up_to[above - 1] <= up_to[above] - wanted
    return np.unique(np.where(is_nearer_below, above - 1, above))


def _evenly(distinct: Floats, n_cuts: int) -> list[float]:
    """Cuts at equal distances, each moved to an easy number between its neighbours."""
    low, high = float(distinct[0]), float(distinct[-1])
    shares = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    wanted = low * (1 - shares) + high * shares
    above = np.clip(np.searchsorted(distinct, wanted, side="right"), 1, len(distinct) - 1)
    neighbours = zip(distinct[above - 1].tolist(), distinct[above].tolist(), wanted, strict=True)
    return sorted({easiest_between(low, high, float(at)) for low, high, at in neighbours})


def easiest_between(low: float, high: float, near: float) -> float:
    """The number with the fewest digits near a point that lies between two others.

    >>> easiest_between(62, 63, 62.5), easiest_between(110, 140, 125)
    (62.5, 120.0)
    """
    for n_digits in range(1, 18):
        number = float(f"{near:.{n_digits}g}")
        if low < number < high:
            break
    else:
        number = low  # neighbours among floats: nothing lies between, and low itself answers yes
    return number + 0.0  # not -0.0
