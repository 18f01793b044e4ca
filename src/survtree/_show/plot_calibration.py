"""Predicted against observed survival."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from survtree._base.numbers import format_number, format_percent, json_number
from survtree._model.fitted import FittedTree
from survtree._scoring.scores import Group, calibration_groups
from survtree._show.checks import check_axes, check_confidence, check_drawn_model
from survtree._show.picture import (
    BLUE,
    GREY,
    ORANGE,
    PURPLE,
    Picture,
    hide_frame,
    new_axes,
    picture_of,
)

# Areas of points, in square points: added for all rows, and added to any.
LARGEST, SMALLEST = 400.0, 12.0
# Each time has its own colour and shape.
MARKS = ((BLUE, "o"), (ORANGE, "s"), (PURPLE, "^"))


class Calibration(NamedTuple):
    """Groups of rows at one time: predicted and observed survival, its limits, and their rows."""

    time: float
    predicted: list[float]
    observed: list[float]
    low: list[float | None]
    high: list[float | None]
    n_rows: list[int]


def calibration_at(time: float, groups: Sequence[Group], level: float) -> Calibration:
    """Groups of ``calibration_groups`` with confidence limits."""
    observed = [group.observed.survival_at(time, level) for group in groups]
    return Calibration(
        time,
        [float(group.predicted) for group in groups],
        [float(survival.value) for survival in observed],
        [json_number(survival.low) for survival in observed],
        [json_number(survival.high) for survival in observed],
        [group.observed.n_rows for group in groups],
    )


def plot_calibration(
    model: Any,
    X: Any,
    y: Any,
    time: float | None = None,
    *,
    n_groups: int = 10,
    confidence: float = 0.95,
    sample_weight: Any = None,
    ax: Any = None,
) -> Picture:
    """Predicted survival beyond a time against what was observed, by groups of rows.

    On the diagonal predictions come true. Points are groups of rows with about the same prediction,
    as in ``survtree.metrics.calibration_curve``: for a tree usually its leaves. Their area shows
    the number of rows; the bars are confidence limits of the observed survival. Training rows
    are on the diagonal or next to it, which shows nothing: pass rows that the fit did not see.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    X, y : table and outcome
        The rows to predict, and what became of them.
    time : float, optional
        By default the median time of the events among the training rows.
    n_groups : int, default=10
        Most groups.
    confidence : float, default=0.95
        Of the bars.
    sample_weight : array of positive numbers, optional
        A row of weight 2 counts as two equal rows.
    ax : matplotlib axes, optional
        By default new ones.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_calibration
    >>> from survtree.datasets import load
    >>> X, y = load("whas500")
    >>> model = OptimalSurvivalTree(max_depth=2, regularization=0.005).fit(X[:250], y[:250])
    >>> picture = plot_calibration(model, X[250:], y[250:], time=365)
    >>> picture.axes.get_xlabel()
    'Predicted survival at 365'
    """
    check_drawn_model(model)
    check_axes(ax)
    level = check_confidence(confidence)
    at = _median_event_time(model) if time is None else time
    groups = calibration_groups(y, model, at, n_groups, X, sample_weight)
    ax = new_axes(4.2, 4.2) if ax is None else ax
    artists = _draw(ax, [calibration_at(at, groups, level)], level)
    ax.set_xlabel(f"Predicted survival at {format_number(at)}")
    return picture_of(ax, artists)


def calibration_on_page(found: Sequence[Calibration], level: float) -> Picture:
    """Several times in one picture, with a legend."""
    ax = new_axes(4.2, 4.2)
    artists = _draw(ax, found, level)
    ax.set_xlabel("Predicted survival")
    ax.legend(loc="upper left", frameon=False, markerscale=0.7)
    return picture_of(ax, artists)


def _draw(ax: Any, found: Sequence[Calibration], level: float) -> list[Any]:
    artists: list[Any] = ax.plot(
        [0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--", zorder=1
    )
    for place, at in enumerate(found):
        colour, marker = MARKS[place % len(MARKS)]
        low, high = np.array([at.low, at.high], dtype=float)
        bars = {"color": colour, "linewidth": 1, "clip_on": False}
        artists.append(ax.vlines(at.predicted, low, high, zorder=2, **bars))
        area = SMALLEST + LARGEST * np.array(at.n_rows) / sum(at.n_rows)
        how = {"color": colour, "alpha": 0.75, "edgecolor": "white", "linewidth": 0.6}
        how |= {"marker": marker, "label": f"time {format_number(at.time)}", "clip_on": False}
        artists.append(ax.scatter(at.predicted, at.observed, s=area, zorder=3, **how))
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_ylabel(f"Observed survival, with {format_percent(level, None)} limits")
    hide_frame(ax)
    return artists


def _median_event_time(model: FittedTree) -> float:
    """Half of the weight of all events is up to this time."""
    curves = model.leaf_curves_.values()
    times = np.concatenate([curve.times for curve in curves])
    weights = np.concatenate([curve.events for curve in curves])
    order = np.argsort(times, kind="stable")
    reached = weights[order].cumsum()
    return float(times[order][np.searchsorted(reached, reached[-1] / 2)])
