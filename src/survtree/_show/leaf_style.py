"""Colours and strokes of leaves, and how their curves are drawn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._model.fitted import FittedTree
from survtree._scoring.curves import LeafCurve, StepFunction

Stroke = str | tuple[int, tuple[float, ...]]
# Of viridis: its lightness falls evenly, and its ends differ for every kind of colour vision. What
# is lighter than the first does not show on white paper.
LOW_RISK, HIGH_RISK = 0.78, 0.0
ONLY = 0.3
# In the order of risk neighbours differ in stroke. Few leaves are told apart without.
STROKES: tuple[Stroke, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MOST_SOLID = 3

GREY = "#595959"
PALE = "#d9d9d9"
BLUE, ORANGE = "#0072b2", "#b35900"


def by_risk(model: FittedTree) -> list[int]:
    """The leaves from the lowest risk to the highest."""
    risks = model.leaf_risks_
    return sorted(risks, key=lambda node: (risks[node], node))


def leaf_colours(model: FittedTree) -> dict[int, Any]:
    """A colour for each leaf."""
    from matplotlib import colormaps

    nodes, colours = by_risk(model), colormaps["viridis"]
    if len(nodes) == 1:
        return {nodes[0]: colours(ONLY)}
    step = (HIGH_RISK - LOW_RISK) / (len(nodes) - 1)
    return {node: colours(LOW_RISK + place * step) for place, node in enumerate(nodes)}


def leaf_strokes(model: FittedTree) -> dict[int, Stroke]:
    """How the line of each leaf is drawn where several are in one place."""
    nodes = by_risk(model)
    strokes = STROKES if len(nodes) > MOST_SOLID else STROKES[:1]
    return {node: strokes[place % len(strokes)] for place, node in enumerate(nodes)}


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
