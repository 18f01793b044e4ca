"""Survival and hazard curves: step functions, many of them as a matrix, those of leaves.

Knows rows of a leaf, not the tree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from survtree._event_table import EventTable

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


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
        """The same function, told only at the given ascending times."""
        return StepFunction(times, self(times), before=self.before)

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
    """What a leaf says about its rows: Kaplan-Meier survival and Nelson-Aalen hazard.

    Steps only at the leaf's own event times; constant after the last one.
    """

    n_rows: int
    n_events: int
    survival: StepFunction
    hazard: StepFunction

    def quantile(self, share: float) -> float:
        """First time by which this share has had the event; inf if the curve never gets there."""
        # Survival is a product of fractions, so 0.5 may come out as 0.5 + 1e-16.
        reached = np.flatnonzero(self.survival.y <= 1.0 - share + 1e-12)
        return float(self.survival.x[reached[0]]) if len(reached) else float("inf")


class LeafCurves:
    """Curves of leaves by their node numbers, made when first asked for: a fit does without."""

    def __init__(self, make: Callable[[], dict[int, LeafCurve]]) -> None:
        self._make = make

    @cached_property
    def by_leaf(self) -> dict[int, LeafCurve]:
        """All curves."""
        return self._make()

    def __getstate__(self) -> dict[str, Any]:
        return {"by_leaf": self.by_leaf}  # the training rows stay behind


def leaf_curves(
    events: EventTable, leaf_of_row: NDArray[np.intp], n_leaves: int
) -> list[LeafCurve]:
    """The curves of all leaves; ``leaf_of_row`` counts them from 0."""
    n_rows = np.bincount(leaf_of_row, minlength=n_leaves).tolist()
    n_events = np.bincount(leaf_of_row, events.event, n_leaves).tolist()
    curves: list[LeafCurve] = []
    for at_risk, died in events.by_leaf(leaf_of_row, n_leaves):
        share = np.divide(died, at_risk, out=np.zeros_like(died), where=died > 0)
        survival, hazard = (1.0 - share).cumprod(axis=1), share.cumsum(axis=1)
        for k in range(len(died)):
            steps = died[k].nonzero()[0]
            times, leaf = events.unique_times[steps], len(curves)
            curves.append(
                LeafCurve(
                    n_rows=n_rows[leaf],
                    n_events=int(n_events[leaf]),
                    survival=StepFunction(times, survival[k, steps], before=1.0),
                    hazard=StepFunction(times, hazard[k, steps], before=0.0),
                )
            )
    return curves
