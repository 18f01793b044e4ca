"""Both bounds of a search over time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from survtree._base.numbers import format_number, format_percent, relative_gap
from survtree._search.progress import Snapshot
from survtree._show.checks import check_axes, check_snapshots
from survtree._show.leaf_style import BLUE, GREY, ORANGE, PALE
from survtree._show.picture import Picture, hide_frame, new_axes, picture_of

# A longer span of seconds, as a ratio, is drawn on a logarithmic axis.
WIDEST_LINEAR = 100.0
# A page has no room for more.
MOST_SNAPSHOTS = 500


class _Bounds(NamedTuple):
    """What was known when."""

    seconds: list[float]
    objective: list[float]
    lower: list[float]
    title: str


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
    bounds = _of_model(model, snapshots) if hasattr(model, "fit") else _of_list(snapshots)
    ax = new_axes(5.6, 3.2) if ax is None else ax
    return picture_of(ax, _draw(ax, bounds))


def gap_on_page(model: Any) -> Picture | None:
    """The same for a page; None if the bounds were never apart, or nothing is known of them."""
    history = model.history_
    if len(history) < 2 or not history[-1].seconds or not history[0].objective:
        return None
    step = -(-len(history) // MOST_SNAPSHOTS)
    ax = new_axes(5.6, 2.8)
    return picture_of(ax, _draw(ax, _of_model(model, [*history[:-1:step], history[-1]])))


def _draw(ax: Any, bounds: _Bounds) -> list[Any]:
    if _is_long(bounds.seconds):
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda second, _: format_number(second))
        ax.xaxis.set_minor_formatter("")
        bounds = _without_zero(bounds)
    x, how = bounds.seconds, {"drawstyle": "steps-post", "linewidth": 1.6}
    artists = [
        ax.fill_between(x, bounds.lower, bounds.objective, step="post", color=PALE, linewidth=0),
        *ax.plot(x, bounds.objective, color=ORANGE, label="objective", **how),
        *ax.plot(x, bounds.lower, color=BLUE, linestyle=(0, (5, 1.5)), label="lower bound", **how),
    ]
    artists += ax.plot(x[-1:], bounds.objective[-1:], "o", color=ORANGE, clip_on=False)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("seconds")
    ax.set_ylabel("objective and lower bound")
    ax.set_title(bounds.title, size="medium", color=GREY)
    artists.append(ax.legend(loc="best", frameon=False))
    hide_frame(ax)
    return artists


def _of_list(snapshots: Sequence[Snapshot]) -> _Bounds:
    rows = sorted(snapshots, key=lambda snapshot: snapshot.seconds)
    last = rows[-1]
    return _Bounds(
        [row.seconds for row in rows],
        [row.objective for row in rows],
        [row.lower_bound for row in rows],
        f"gap {format_percent(last.gap, 1)} after {format_number(last.seconds)} s",
    )


def _of_model(model: Any, snapshots: Sequence[Snapshot]) -> _Bounds:
    """The history, and what the certificate says in the end."""
    bounds, end = _of_list(snapshots), model.certificate_
    seconds = max(end.seconds, bounds.seconds[-1])
    words = f"{end.status.replace('_', ' ')} after {format_number(seconds)} s"
    gap = relative_gap(end.objective, end.lower_bound)
    return _Bounds(
        [*bounds.seconds, seconds],
        [*bounds.objective, end.objective],
        [*bounds.lower, end.lower_bound],
        words if end.status == "optimal" else f"{words}, gap {format_percent(gap, 1)}",
    )


def _is_long(seconds: Sequence[float]) -> bool:
    positive = [each for each in seconds if each > 0]
    return bool(positive) and max(positive) / min(positive) > WIDEST_LINEAR


def _without_zero(bounds: _Bounds) -> _Bounds:
    """What was known at 0 s is drawn from the first positive second on."""
    first = min(each for each in bounds.seconds if each > 0)
    return bounds._replace(seconds=[max(each, first / 2) for each in bounds.seconds])
