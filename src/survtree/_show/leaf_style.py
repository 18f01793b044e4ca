"""Colours and strokes of leaves in pictures and on pages, and how their curves are drawn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._model.fitted import FittedTree
from survtree._scoring.curves import LeafCurve, StepFunction

Stroke = str | tuple[int, tuple[float, ...]]
# Part of the viridis colour map: its lightness falls evenly, and its ends differ for every kind of
# colour vision. Lighter colours than the first do not show on white paper.
LOW_RISK, HIGH_RISK = 0.78, 0.0
ONLY = 0.3
# Neighbours in the order of risk have different strokes. For few leaves colours are enough.
STROKES: tuple[Stroke, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MOST_SOLID = 3

BLACK, WHITE = "#000000", "#ffffff"
GREY, PALE, SOFT = "#595959", "#d9d9d9", "#f4f4f4"
BLUE, ORANGE, PURPLE = "#0072b2", "#b35900", "#8a63b8"

# On a screen, from low risk to high: colours that stand out from light paper, from dark paper, and,
# for notebooks, from both. Dashes help where colours do not.
ON_LIGHT = ("#1b4f9c", "#6a4ea8", "#a83f86", "#c4442f", "#b36200")
ON_DARK = ("#7db3ff", "#b5a1f5", "#ef93c6", "#ff9277", "#f3b54a")
ON_BOTH = ("#4284d6", "#8a74d0", "#c667a5", "#d8664e", "#c88420")

Floats = NDArray[np.float64]
# How many steps can be seen in a picture on a page: across, and up.
Resolution = tuple[int, int]


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


def screen_colours(n_leaves: int, anchors: tuple[str, ...] = ON_BOTH) -> list[str]:
    """Colours of leaves on a page, from the lowest risk to the highest."""
    places = np.linspace(0, len(anchors) - 1, n_leaves) if n_leaves > 1 else np.zeros(1)
    known = np.array([list(bytes.fromhex(anchor[1:])) for anchor in anchors], dtype=float)
    parts = [np.interp(places, np.arange(len(anchors)), known[:, part]) for part in range(3)]
    return ["#" + bytes(map(round, colour)).hex() for colour in zip(*parts, strict=True)]


def leaf_strokes(model: FittedTree) -> dict[int, Stroke]:
    """The stroke of each leaf where several curves share one pair of axes."""
    nodes = by_risk(model)
    strokes = STROKES if len(nodes) > MOST_SOLID else STROKES[:1]
    return {node: strokes[place % len(strokes)] for place, node in enumerate(nodes)}


def last_time(model: FittedTree) -> float:
    """The last time of any training row."""
    return float(model.unique_times_[-1])


def corners(curve: StepFunction, end: float) -> tuple[Floats, Floats]:
    """A step function from time 0 to its end, as ``drawstyle="steps-post"`` wants it."""
    x = np.concatenate([[0.0], curve.x, [end]])
    y = np.concatenate([[curve.before], curve.y, curve.y[-1:] if len(curve.y) else [curve.before]])
    return x, y


def draw_curve(
    ax: Any,
    curve: LeafCurve,
    colour: Any,
    confidence: float | None,
    resolution: Resolution | None = None,
    **stroke: Any,
) -> list[Any]:
    """Survival until the last time of the leaf, with a band if a confidence is given."""
    end = float(curve.times[-1])
    artists: list[Any] = []
    if confidence is not None:
        low, high = (thinned(limit, end, resolution) for limit in curve.band(confidence))
        times = np.union1d(low.x, high.x)
        (x, bottom), (_, top) = (corners(limit.at_times(times), end) for limit in (low, high))
        band = ax.fill_between(x, bottom, top, step="post", color=colour, alpha=0.18, linewidth=0)
        artists.append(band)
    x, y = corners(thinned(curve.survival, end, resolution), end)
    artists += ax.plot(x, y, drawstyle="steps-post", color=colour, **stroke)
    return artists


def thinned(curve: StepFunction, end: float, resolution: Resolution | None) -> StepFunction:
    """The steps of a curve that can be seen at a resolution; all of them if there is none.

    A step is kept where the value gets to another place of the picture, and of those at the same
    place across the last: so the picture is never off by more than such a place.
    """
    if resolution is None:
        return curve
    across, up = resolution
    is_seen = np.diff(np.rint(np.append(curve.before, curve.y) * up)) != 0
    times, values = curve.x[is_seen], curve.y[is_seen]
    is_last = np.append(np.diff(np.floor(times / end * across)) > 0, True)[: len(times)]
    return StepFunction(times[is_last], values[is_last], before=curve.before)


def draw_censored(ax: Any, curve: LeafCurve, colour: Any) -> list[Any]:
    """A small upright mark on the curve wherever rows were censored."""
    times = curve.times[curve.censored > 0]
    how = {"marker": "|", "markersize": 5, "markeredgewidth": 0.8, "linestyle": "none"}
    lines: list[Any] = ax.plot(times, curve.survival(times), color=colour, clip_on=False, **how)
    return lines
