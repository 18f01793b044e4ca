"""Survival and hazard curves: step functions, many of them as a matrix, those of leaves.

Knows rows of a leaf, not the tree.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from survtree._base.numbers import Interval
from survtree._base.tree import Tree
from survtree._data.causes import Causes
from survtree._data.table import EventTable, Floats, Places, weight_at


class StepFunction:
    """A right-continuous step function: ``y[k]`` from ``x[k]`` on, ``before`` ahead of ``x[0]``.

    >>> curve = StepFunction([2.0, 5.0], [0.8, 0.4], before=1.0)
    >>> curve([0, 2, 4.9, 5, 100])
    array([1. , 0.8, 0.8, 0.4, 0.4])
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, *, before: float) -> None:
        self.x = np.asarray(x, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.before = before

    def __call__(self, times: ArrayLike) -> Floats:
        """Values at the given times; a scalar gives a scalar."""
        at = np.searchsorted(self.x, np.asarray(times, dtype=np.float64), side="right")
        values: Floats = np.concatenate([[self.before], self.y])[at]
        return values

    def at_times(self, times: Floats) -> "StepFunction":
        """The same function, known only at the given ascending times."""
        return StepFunction(times, self(times), before=self.before)

    def reversed(self) -> "StepFunction":
        """1 - the function: an incidence from a survival curve, and the other way round."""
        return StepFunction(self.x, np.maximum(1.0 - self.y, 0.0), before=1.0 - self.before)

    def __repr__(self) -> str:
        return f"StepFunction(x={self.x!r}, y={self.y!r}, before={self.before!r})"


class Curves(NamedTuple):
    """Survival curves as rows of a matrix; one row of times for all of them, or one for each.

    A curve is 1 before its first time and stays as it is after its last one.
    """

    times: Floats
    survival: Floats

    def part(self, first: int, last: int) -> "Curves":
        """Some of the curves."""
        is_shared = len(self.times) == 1
        return Curves(
            self.times if is_shared else self.times[first:last], self.survival[first:last]
        )

    def place(self, curve: Places, time: Floats) -> Places:
        """How many steps the curve of each time has made by then."""
        if len(self.times) == 1:
            return np.searchsorted(self.times[0], time, side="right")
        order = np.argsort(curve, kind="stable")
        ends = np.searchsorted(curve[order], np.arange(len(self.times) + 1))
        place = np.empty(len(time), dtype=np.intp)
        for k, steps in enumerate(self.times):
            here = order[ends[k] : ends[k + 1]]
            place[here] = np.searchsorted(steps, time[here], side="right")
        return place

    def at(self, curve: Places, time: Floats) -> Floats:
        """The value of a curve at a time, for many of such pairs."""
        place = self.place(curve, time)
        values = np.ones(len(time))
        made = np.flatnonzero(place)
        values[made] = self.survival[curve[made], place[made] - 1]
        return values

    def on(self, times: Floats) -> Floats:
        """The values of all curves at the same times: times x curves."""
        values = np.empty((len(times), len(self.survival)))
        if len(self.times) == 1:
            place = np.searchsorted(self.times[0], times, side="right")
            values[place > 0] = self.survival.T[place[place > 0] - 1]
            values[place == 0] = 1.0
            return values
        for k, (steps, survival) in enumerate(zip(self.times, self.survival, strict=True)):
            values[:, k] = np.append(1.0, survival)[np.searchsorted(steps, times, side="right")]
        return values


@dataclass(frozen=True)
class LeafCurve:
    """The curves of a leaf: Kaplan-Meier survival and Nelson-Aalen hazard.

    Kept are the weights of events and of censored rows at the distinct times of the leaf. Curves
    step only at the leaf's own event times and stay as they are after the last one.
    """

    n_rows: int
    n_events: int
    times: Floats
    events: Floats
    censored: Floats

    @property
    def present(self) -> Floats:
        """Weight of all rows that end at each time."""
        return self.events + self.censored

    @cached_property
    def _steps(self) -> tuple[Floats, Floats, Floats]:
        """Event times, weight of the events there, and weight still at risk."""
        at_risk = self.present[::-1].cumsum()[::-1]
        steps = self.events.nonzero()[0]
        return self.times[steps], self.events[steps], at_risk[steps]

    @cached_property
    def survival(self) -> StepFunction:
        """Kaplan-Meier."""
        times, died, at_risk = self._steps
        return StepFunction(times, (1.0 - died / at_risk).cumprod(), before=1.0)

    @cached_property
    def hazard(self) -> StepFunction:
        """Nelson-Aalen."""
        times, died, at_risk = self._steps
        return StepFunction(times, (died / at_risk).cumsum(), before=0.0)

    @property
    def weight(self) -> float:
        """Of all rows; their number if they have no weights."""
        return float(self.present.sum())

    def at_risk(self, times: ArrayLike) -> Floats:
        """Weight of the rows whose time is not before the given ones."""
        left = np.append(self.present[::-1].cumsum()[::-1], 0.0)
        at: Floats = left[np.searchsorted(self.times, np.asarray(times, dtype=float), side="left")]
        return at

    def band(self, confidence: float = 0.95) -> tuple[StepFunction, StepFunction]:
        """Pointwise limits of survival: Greenwood's variance, on the scale of log(-log S).

        1 before the first event. Where the curve is 0 there is no variance: the lower limit is 0
        then, the upper one stays where it was.
        """
        times, died, at_risk = self._steps
        survival = self.survival.y
        is_left = died < at_risk
        share = np.divide(died, at_risk * (at_risk - died), out=np.zeros_like(died), where=is_left)
        # A curve above 0 has made a step, so its logarithm is below 0.
        depth = -np.log(survival, out=np.full_like(survival, -1.0), where=is_left)
        spread = np.exp(z_of(confidence) * np.sqrt(share.cumsum()) / depth)
        low, high = np.where(is_left, (survival**spread, survival ** (1 / spread)), 0.0)
        if len(high) and not is_left[-1]:  # only the last row can end the curve
            high[-1] = high[-2] if len(high) > 1 else 1.0
        return StepFunction(times, low, before=1.0), StepFunction(times, high, before=1.0)

    def survival_at(self, time: float, confidence: float = 0.95) -> Interval:
        """S(time) with its limits, of which nothing is known before the first event."""
        low, high = self.band(confidence)
        if self.n_events == 0 or time < low.x[0]:
            return Interval(1.0, np.nan, np.nan)
        return Interval(float(self.survival(time)), float(low(time)), float(high(time)))

    def quantile(self, share: float) -> float:
        """First time by which this share has had the event; inf if the curve never gets there."""
        return first_at_most(self.survival, 1.0 - share)

    def quantile_with_limits(self, share: float = 0.5, confidence: float = 0.95) -> Interval:
        """A quantile; its limits are where those of the curve get there (Brookmeyer, Crowley)."""
        curves = (self.survival, *self.band(confidence))
        return Interval(*(first_at_most(curve, 1.0 - share) for curve in curves))

    def restricted_mean(self, until: float, confidence: float = 0.95) -> Interval:
        """Mean time without the event up to a time: the area under the curve until then."""
        times, died, at_risk = self._steps
        is_before = times < until
        times, died, at_risk = times[is_before], died[is_before], at_risk[is_before]
        ends = np.append(times, until)
        areas = np.append(1.0, self.survival.y[is_before]) * np.diff(ends, prepend=0.0)
        later = areas[1:][::-1].cumsum()[::-1]
        is_left = died < at_risk  # otherwise there is no area later
        share = np.divide(died, at_risk * (at_risk - died), out=np.zeros_like(died), where=is_left)
        mean, half = float(areas.sum()), z_of(confidence) * float(np.sqrt((later**2 * share).sum()))
        return Interval(mean, max(0.0, mean - half), min(until, mean + half))

    @property
    def causes(self) -> Causes | None:
        """The names of competing causes, if the rows have several."""
        return None

    def weights_by_end(self) -> list[tuple[int, Floats]]:
        """What rows end by, 0 being censored, and the weights of those that do so at each time."""
        return [(1, self.events), (0, self.censored)]

    def merged(self, other: "LeafCurve") -> "LeafCurve":
        """The curves of the rows of both."""
        times, place = np.unique(np.append(self.times, other.times), return_inverse=True)
        return LeafCurve(
            n_rows=self.n_rows + other.n_rows,
            n_events=self.n_events + other.n_events,
            times=times,
            events=weight_at(place, np.append(self.events, other.events), len(times)),
            censored=weight_at(place, np.append(self.censored, other.censored), len(times)),
        )


def z_of(confidence: float) -> float:
    """The quantile of the normal distribution that limits of a confidence reach to."""
    return float(ndtri(0.5 + confidence / 2))


def first_at_most(curve: StepFunction, level: float) -> float:
    """The first time at which a falling curve is at most this high; inf if it never is."""
    # Survival is a product of fractions, so 0.5 may come out as 0.5 + 1e-16.
    reached = np.flatnonzero(curve.y <= level + 1e-12)
    return float(curve.x[reached[0]]) if len(reached) else float("inf")


@dataclass(frozen=True)
class PredictedCurve:
    """What a leaf predicts: a survival curve and a cumulative hazard.

    Both are means of the curves of the nodes on the leaf's path, Kaplan-Meier and Nelson-Aalen,
    with the same weights. With a shrinkage of 0 they are the curves of the leaf's own rows.
    """

    survival: StepFunction
    hazard: StepFunction

    def quantile(self, share: float) -> float:
        """First time by which this share has had the event; inf if the curve never gets there."""
        return first_at_most(self.survival, 1.0 - share)


class LeafCurves:
    """Curves of leaves by their node numbers, made when first needed: a fit does without."""

    def __init__(self, make: Callable[[], dict[int, LeafCurve]]) -> None:
        self._make = make

    @cached_property
    def by_leaf(self) -> dict[int, LeafCurve]:
        """All curves."""
        return self._make()

    def __getstate__(self) -> dict[str, Any]:
        return {"by_leaf": self.by_leaf}  # the training rows stay behind


def leaf_curves(events: EventTable, leaf_of_row: Places, n_leaves: int) -> list[LeafCurve]:
    """The curves of all leaves; ``leaf_of_row`` counts them from 0."""
    order = np.argsort(leaf_of_row, kind="stable")
    ends = np.searchsorted(leaf_of_row[order], np.arange(n_leaves + 1))
    return [curve_of_rows(events, order[ends[k] : ends[k + 1]]) for k in range(n_leaves)]


def curves_by_node(events: EventTable, leaf_of_row: Places, tree: Tree) -> dict[int, LeafCurve]:
    """The same of a tree, by the node numbers of its leaves."""
    leaves = tree.leaves.tolist()
    return dict(zip(leaves, leaf_curves(events, leaf_of_row, len(leaves)), strict=True))


def curve_of_rows(events: EventTable, rows: Places) -> LeafCurve:
    """The curves of some of the rows; with competing risks these are of all causes."""
    if events.cause is not None:
        from survtree._scoring.incidence import competing_curve  # builds on this file

        return competing_curve(events, rows)
    places, when = np.unique(events.when[rows], return_inverse=True)
    weight, event = events.weight[rows], events.event[rows]
    return LeafCurve(
        n_rows=events.count(rows),
        n_events=events.count(rows[event]),
        times=events.unique_times[places],
        events=weight_at(when, weight * event, len(places)),
        censored=weight_at(when, weight * ~event, len(places)),
    )


def one_curve(events: EventTable) -> StepFunction:
    """The Kaplan-Meier curve of all rows; with competing risks 1 - the target's incidence."""
    return leaf_curves(events, np.zeros(len(events), dtype=np.intp), 1)[0].survival


def outcome_of(curves: Sequence[LeafCurve]) -> EventTable:
    """The outcome of all rows of the leaves; those with the same end in a leaf are one row."""
    rows = [
        (np.full(np.count_nonzero(weight), code), curve.times[weight > 0], weight[weight > 0])
        for curve in curves
        for code, weight in curve.weights_by_end()
    ]
    code, time, weight = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    causes = curves[0].causes
    if causes is None:
        return EventTable(code == 1, time, weight)
    return EventTable(code == causes.target, time, weight, code.astype(np.uint8), causes)
