"""What all plots share: figures that can be saved, and colours, strokes and curves of leaves."""

import io
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.files import whole_file
from survtree._model.fitted import FittedTree
from survtree._scoring.curves import LeafCurve, StepFunction
from survtree._scoring.incidence import PredictedIncidences
from survtree._show.checks import check_dpi, check_picture_file
from survtree._show.fonts import SPACING
from survtree._show.leaf_facts import shrinkage_of
from survtree._show.shown_curves import shown_band, shown_curve

Stroke = str | tuple[int, tuple[float, ...]]
# Part of the viridis colour map: its lightness falls evenly, and its ends differ for every kind of
# colour vision. Lighter colours than the first do not show on white paper.
LOW_RISK, HIGH_RISK = 0.78, 0.0
ONLY = 0.3
# Neighbours in the order of risk have different strokes. For few leaves colours are enough.
STROKES: tuple[Stroke, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MOST_SOLID = 3
THIN = 0.45  # of the width of the predicted curve, for a leaf's own one beside it

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
    """The leaves in the order of their groups."""
    return list(model.groups_.values())


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
    confidence: float | None,
    resolution: Resolution | None = None,
    **stroke: Any,
) -> list[Any]:
    """The curve of a leaf until its last time, with a band if a confidence is given."""
    end = float(curve.times[-1])
    artists: list[Any] = []
    if confidence is not None:
        low, high = (thinned(limit, end, resolution) for limit in shown_band(curve, confidence))
        times = np.union1d(low.x, high.x)
        (x, bottom), (_, top) = (corners(limit.at_times(times), end) for limit in (low, high))
        area = {"step": "post", "color": stroke["color"], "alpha": 0.18, "linewidth": 0}
        artists.append(ax.fill_between(x, bottom, top, **area))
    x, y = corners(thinned(shown_curve(curve), end, resolution), end)
    artists += ax.plot(x, y, drawstyle="steps-post", **stroke)
    return artists


def drawn_curve(model: FittedTree, node: int) -> tuple[StepFunction, float]:
    """The predicted survival curve of a leaf, and the time up to which it is drawn.

    Its own curve ends with its last row; a shrunken one is known until the last row of all.
    """
    is_shrunken = shrinkage_of(model) > 0
    end = last_time(model) if is_shrunken else float(model.leaf_curves_[node].times[-1])
    return shown_curve(model.predicted_curves_[node]), end


def draw_leaf(
    ax: Any,
    model: FittedTree,
    node: int,
    confidence: float | None,
    resolution: Resolution | None = None,
    **stroke: Any,
) -> list[Any]:
    """The predicted curve of a leaf, which is the last of the artists, with the band of its own.

    If curves are shrunken, the leaf's own Kaplan-Meier curve is a thin line inside of its band.
    """
    colour, curve = stroke["color"], model.leaf_curves_[node]
    if shrinkage_of(model) == 0:
        return draw_curve(ax, curve, confidence, resolution, **stroke)
    thin = {"color": colour, "linewidth": THIN * stroke["linewidth"]}
    own = [] if confidence is None else draw_curve(ax, curve, confidence, resolution, **thin)
    predicted, end = drawn_curve(model, node)
    x, y = corners(thinned(predicted, end, resolution), end)
    return own + list(ax.plot(x, y, drawstyle="steps-post", **stroke))


def draw_stacked(
    ax: Any, model: FittedTree, node: int, colour: Any, resolution: Resolution | None = None
) -> list[Any]:
    """The predicted incidences of all causes, one upon the other, the target at the bottom.

    What is left above them is the share that is free of all causes.
    """
    curves = model.predicted_curves_[node]
    assert isinstance(curves, PredictedIncidences)
    assert model.causes_ is not None
    target = model.causes_.target - 1
    _, end = drawn_curve(model, node)
    order = [target, *(k for k in range(len(curves.incidences)) if k != target)]
    artists: list[Any] = []
    below = StepFunction(np.empty(0), np.empty(0), before=0.0)
    for place, cause in enumerate(order):
        times = np.union1d(below.x, curves.incidences[cause].x)
        summed = below(times) + curves.incidences[cause](times)
        above = thinned(StepFunction(times, summed, before=0.0), end, resolution)
        at = np.union1d(above.x, below.x)
        (x, bottom), (_, top) = (corners(each.at_times(at), end) for each in (below, above))
        look = {"color": colour, "alpha": 0.55} if place == 0 else {"color": others_grey(place)}
        artists.append(ax.fill_between(x, bottom, top, step="post", linewidth=0, **look))
        below = above
    return artists


def others_grey(place: int) -> str:
    """The grey of a cause that is not the target, the first of them the darkest."""
    return str(min(0.92, 0.66 + 0.09 * place))


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
    lines: list[Any] = ax.plot(times, shown_curve(curve)(times), color=colour, clip_on=False, **how)
    return lines


SHOWN_DPI = 110
# What would differ between two files of the same picture.
NO_DATE: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}


@dataclass(frozen=True)
class Picture:
    """What a plotting function drew: the matplotlib figure, its main axes, and its artists.

    A notebook shows it. Change it as any matplotlib figure, then save it.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_curves
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> picture = plot_curves(model)
    >>> picture.axes.get_xlabel()
    'Time'
    """

    figure: Any = field(repr=False)
    axes: Any = field(repr=False)
    artists: list[Any] = field(repr=False)

    def save(self, file: str | os.PathLike[str], *, dpi: float = 200) -> None:
        """Write a PNG, SVG or PDF, as the name of the file ends; the same picture, the same bytes.

        The file is there as a whole or not at all. ``dpi`` is the resolution of a PNG.
        """
        kind = check_picture_file(file, tuple(NO_DATE))
        data = self._bytes(kind, check_dpi(dpi))
        with whole_file(file) as stream:
            stream.write(data)

    def _bytes(self, kind: str, dpi: float) -> bytes:
        from matplotlib import rc_context

        out = io.BytesIO()
        # Journals take fonts of type 42; identifiers of SVG would be random.
        with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "survtree"}):
            self.figure.savefig(out, format=kind, dpi=dpi, metadata=NO_DATE[kind])
        return out.getvalue()

    def _repr_png_(self) -> bytes:
        return self._bytes("png", SHOWN_DPI)


def new_axes(width: float, height: float) -> Any:
    """Axes in a figure of their own (in inches), which makes room for what is around them."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()


def picture_of(axes: Any, artists: list[Any]) -> Picture:
    """The picture that holds the axes."""
    return Picture(axes.figure.figure, axes, artists)  # axes may be in a part of a figure


def write(axes: Any, x: float, y: float, text: str, **how: Any) -> Any:
    """A text as it is: no letter of it is read as mathematics."""
    plain = {"parse_math": False, "usetex": False, "linespacing": SPACING}
    return axes.text(x, y, text, **plain, **how)


def size_of(axes: Any) -> tuple[float, float]:
    """Width and height of axes in points, as they would be drawn now."""
    figure = axes.figure.figure
    if figure.get_layout_engine() is not None:  # it moves axes when it draws
        figure.draw_without_rendering()
    extent = axes.get_window_extent()
    return 72 * extent.width / figure.dpi, 72 * extent.height / figure.dpi


def hide_frame(axes: Any) -> None:
    """Leave only the lower and the left side of the frame."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
