"""How good a model is: both bounds of its search over time, and predicted against observed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from survtree._base.numbers import (
    format_number,
    format_percent,
    json_number,
    relative_gap,
    with_unit,
)
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import tree_of
from survtree._proof.certificate import Certificate
from survtree._scoring.scores import Group, calibration_groups
from survtree._search.progress import Snapshot
from survtree._show.checks import check_axes, check_confidence, check_snapshots
from survtree._show.fonts import Fonts
from survtree._show.picture import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    PURPLE,
    Picture,
    hide_frame,
    new_axes,
    picture_of,
)
from survtree._show.usual_times import unit_of

# A longer span of seconds, as a ratio, is drawn on a logarithmic axis.
WIDEST_LINEAR = 100.0
# A page has no room for more.
MOST_SNAPSHOTS = 500
# Areas of points, in square points: added for all rows, and added to any.
LARGEST, SMALLEST = 400.0, 12.0
# A point is that of a group if their predictions are the same; points so near, across and up, share
# a label: two would be printed over each other.
SAME, ACROSS, UP = 1e-9, 0.07, 0.035
LOW = 0.05  # labels of lower points would stand among the ticks of the axis
# Each time has its own colour and shape.
MARKS = ((BLUE, "o"), (ORANGE, "s"), (PURPLE, "^"))


def plot_gap(model: Any, ax: Any = None) -> Picture:
    """Objective of the best tree and lower bound over the seconds of the search.

    No tree is below the lower bound. Where both lines meet, the best tree is proven to be optimal.
    The axis of seconds is logarithmic if they span more than two decades.

    Parameters
    ----------
    model : OptimalSurvivalTree, or list of Snapshot
        A fitted one that has a history, or what a ``callback`` of a fit has collected.
    ax : matplotlib axes, optional
        By default new ones.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_gap
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=2, regularization=0.001).fit(*load("veterans"))
    >>> plot_gap(model).axes.get_ylabel()
    'objective and lower bound'
    """
    snapshots = check_snapshots(model)
    check_axes(ax)
    certificate = tree_of(model).certificate_ if hasattr(model, "fit") else None
    ax = new_axes(5.6, 3.2) if ax is None else ax
    return picture_of(ax, _draw_bounds(ax, snapshots, certificate))


def gap_on_page(model: Any) -> Picture | None:
    """The same for a page; None if the bounds were never apart, or nothing is known of them."""
    history = model.history_
    if len(history) < 2 or not history[-1].seconds or not history[0].objective:
        return None
    step = -(-len(history) // MOST_SNAPSHOTS)
    ax = new_axes(5.6, 2.8)
    seen = [*history[:-1:step], history[-1]]
    return picture_of(ax, _draw_bounds(ax, seen, model.certificate_))


def _draw_bounds(
    ax: Any, snapshots: Sequence[Snapshot], certificate: Certificate | None
) -> list[Any]:
    """What was known when, and what the certificate, if there is one, says in the end."""
    seen = sorted(snapshots, key=lambda snapshot: snapshot.seconds)
    seconds = [snapshot.seconds for snapshot in seen]
    objective = [snapshot.objective for snapshot in seen]
    lower = [snapshot.lower_bound for snapshot in seen]
    if certificate is not None:
        seconds.append(max(certificate.seconds, seconds[-1]))
        objective.append(certificate.objective)
        lower.append(certificate.lower_bound)
    x, how = _set_seconds(ax, seconds), {"drawstyle": "steps-post", "linewidth": 1.6}
    artists = [
        ax.fill_between(x, lower, objective, step="post", color=PALE, linewidth=0),
        *ax.plot(x, objective, color=ORANGE, label="objective", **how),
        *ax.plot(x, lower, color=BLUE, linestyle=(0, (5, 1.5)), label="lower bound", **how),
    ]
    artists += ax.plot(x[-1:], objective[-1:], "o", color=ORANGE, clip_on=False)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("objective and lower bound")
    gap = relative_gap(objective[-1], lower[-1])
    ax.set_title(_title(certificate, gap, seconds[-1]), size="medium", color=GREY)
    artists.append(ax.legend(loc="best", frameon=False))
    hide_frame(ax)
    return artists


def _title(certificate: Certificate | None, gap: float, seconds: float) -> str:
    left, after = f"gap {format_percent(gap, 1)}", f"after {format_number(seconds)} s"
    if certificate is None:
        return f"{left} {after}"
    ended = f"{certificate.status.replace('_', ' ')} {after}"
    return ended if certificate.status == "optimal" else f"{ended}, {left}"


def _set_seconds(ax: Any, seconds: list[float]) -> list[float]:
    """The axis of seconds, and where on it they are drawn."""
    ax.set_xlabel("seconds")
    positive = [each for each in seconds if each > 0]
    if not positive or max(positive) / min(positive) <= WIDEST_LINEAR:
        return seconds
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda second, _: format_number(second))
    ax.xaxis.set_minor_formatter("")
    # What was known at 0 s is drawn from before the first positive second on.
    return [max(each, min(positive) / 2) for each in seconds]


def calibration_at(time: float, groups: Sequence[Group], level: float) -> dict[str, Any]:
    """Groups of ``calibration_groups``: predicted and observed survival, its limits, the rows."""
    observed = [group.observed.survival_at(time, level) for group in groups]
    return {
        "time": time,
        "predicted": [float(group.predicted) for group in groups],
        "observed": [float(survival.value) for survival in observed],
        "low": [json_number(survival.low) for survival in observed],
        "high": [json_number(survival.high) for survival in observed],
        "n_rows": [group.observed.n_rows for group in groups],
    }


def plot_calibration(
    model: Any,
    X: Any,
    y: Any = None,
    time: float | None = None,
    *,
    n_groups: int = 10,
    confidence: float = 0.95,
    sample_weight: Any = None,
    ax: Any = None,
    time_unit: str | None = None,
) -> Picture:
    """Predicted survival beyond a time against what was observed, by groups of rows.

    On the diagonal predictions come true. Points are groups of rows with about the same prediction,
    as in ``survtree.metrics.calibration_curve``: for a tree usually its groups, whose numbers stand
    beside them. Their area shows the number of rows; the bars are confidence limits of the observed
    survival. Training rows are on the diagonal or next to it, which shows nothing: pass rows that
    the fit did not see.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it.
    X, y : table and outcome
        The rows to predict, and what became of them. y may be left out if X is a frame that has
        the columns from which the fit took the outcome.
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
    time_unit : str, optional
        The unit of time, such as "days"; by default that of the model.

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
    tree = tree_of(model)
    check_axes(ax)
    level = check_confidence(confidence)
    at = _median_event_time(tree) if time is None else time
    groups = calibration_groups(y, model, at, n_groups, X, sample_weight)
    ax = new_axes(4.2, 4.2) if ax is None else ax
    found = calibration_at(at, groups, level)
    artists = _draw_calibration(ax, [found], level) + _draw_groups(ax, tree, found)
    text = Fonts().drawable(with_unit(format_number(at), unit_of(tree, time_unit)))
    what = "survival"
    if tree.causes_ is not None:
        what = Fonts().drawable(f"share without {tree.causes_.target_label}")
        ax.set_ylabel(ax.get_ylabel().replace("survival", what), parse_math=False, usetex=False)
    ax.set_xlabel(f"Predicted {what} at {text}", parse_math=False, usetex=False)
    return picture_of(ax, artists)


def calibration_on_page(found: Sequence[dict[str, Any]], level: float) -> Picture:
    """Several times in one picture, with a legend."""
    ax = new_axes(4.2, 4.2)
    artists = _draw_calibration(ax, found, level)
    ax.set_xlabel("Predicted survival")
    ax.legend(loc="upper left", frameon=False, markerscale=0.7)
    return picture_of(ax, artists)


def _draw_calibration(ax: Any, found: Sequence[dict[str, Any]], level: float) -> list[Any]:
    line = {"color": GREY, "linewidth": 0.8, "linestyle": "--", "zorder": 1}
    artists: list[Any] = ax.plot([0, 1], [0, 1], **line)
    for place, at in enumerate(found):
        colour, marker = MARKS[place % len(MARKS)]
        low, high = np.array([at["low"], at["high"]], dtype=float)
        bars = {"color": colour, "linewidth": 1, "clip_on": False}
        artists.append(ax.vlines(at["predicted"], low, high, zorder=2, **bars))
        area = SMALLEST + LARGEST * np.array(at["n_rows"]) / sum(at["n_rows"])
        how = {"color": colour, "alpha": 0.75, "edgecolor": "white", "linewidth": 0.6}
        how |= {"marker": marker, "label": f"time {format_number(at['time'])}", "clip_on": False}
        artists.append(ax.scatter(at["predicted"], at["observed"], s=area, zorder=3, **how))
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_ylabel(f"Observed survival, with {format_percent(level, None)} limits")
    hide_frame(ax)
    return artists


def _draw_groups(ax: Any, model: FittedTree, found: dict[str, Any]) -> list[Any]:
    """The numbers of groups beside their points; those of points that touch stand together."""
    predicted = {
        group: float(model.predicted_curves_[node].survival(found["time"]))
        for group, node in model.groups_.items()
    }
    labels: list[tuple[float, float, list[int]]] = []
    for x, y in zip(found["predicted"], found["observed"], strict=True):
        here = [group for group, value in predicted.items() if abs(value - x) < SAME]
        near = [at for at in labels if abs(at[0] - x) < ACROSS and abs(at[1] - y) < UP]
        if near:
            near[0][2].extend(here)
        elif here:
            labels.append((x, y, here))
    how = {"textcoords": "offset points", "color": GREY, "size": "small", "zorder": 4}
    above, below = ((7, 5), "bottom"), ((7, -5), "top")  # at the lower end there are the ticks
    artists = []
    for x, y, here in labels:
        offset, side = above if y < LOW else below
        text = ", ".join(map(str, sorted(here)))
        artists.append(ax.annotate(text, (x, y), offset, va=side, **how))
    return artists


def _median_event_time(model: FittedTree) -> float:
    """Half of the weight of all events is up to this time."""
    curves = model.leaf_curves_.values()
    times = np.concatenate([curve.times for curve in curves])
    weights = np.concatenate([curve.events for curve in curves])
    order = np.argsort(times, kind="stable")
    reached = weights[order].cumsum()
    return float(times[order][np.searchsorted(reached, reached[-1] / 2)])
