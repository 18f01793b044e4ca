"""Curves of leaves on axes: steps, bands and round times."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._curves import LeafCurve, StepFunction
from survtree._fitted import FittedTree

Floats = NDArray[np.float64]


def last_time(model: FittedTree) -> float:
    """The last time of any training row."""
    return float(model.unique_times_[-1])


def corners(curve: StepFunction, end: float) -> tuple[Floats, Floats]:
    """A step function from time 0 to its end, as ``drawstyle="steps-post"`` wants it."""
    x = np.concatenate([[0.0], curve.x, [end]])
    y = np.concatenate([[curve.before], curve.y, curve.y[-1:] if len(curve.y) else [curve.before]])
    return x, y


def draw_curve(
    ax: Any, curve: LeafCurve, colour: Any, confidence: float | None, **stroke: Any
) -> list[Any]:
    """Survival until the last time of the leaf, with a band if a confidence is given."""
    end = float(curve.times[-1])
    artists: list[Any] = []
    if confidence is not None:
        (x, low), (_, high) = (corners(limit, end) for limit in curve.band(confidence))
        band = ax.fill_between(x, low, high, step="post", color=colour, alpha=0.18, linewidth=0)
        artists.append(band)
    x, y = corners(curve.survival, end)
    artists += ax.plot(x, y, drawstyle="steps-post", color=colour, **stroke)
    return artists


def draw_censored(ax: Any, curve: LeafCurve, colour: Any) -> list[Any]:
    """A small upright mark on the curve wherever rows were censored."""
    times = curve.times[curve.censored > 0]
    how = {"marker": "|", "markersize": 5, "markeredgewidth": 0.8, "linestyle": "none"}
    lines: list[Any] = ax.plot(times, curve.survival(times), color=colour, clip_on=False, **how)
    return lines
