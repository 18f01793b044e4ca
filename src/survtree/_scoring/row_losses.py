"""The censoring curve, and what each row loses under a predicted curve."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from survtree._data.event_table import EventTable
from survtree._scoring.curves import Curves
from survtree._scoring.definition import Oracle

Floats = NDArray[np.float64]


class CensoringCurve:
    """G, the Kaplan-Meier curve of the censorings, kept at its last positive value.

    G can be 0 from the last training time on. No training row says anything of what comes later;
    but rows that are scored may end there, and 1/G has to be some number.
    """

    def __init__(self, train: EventTable) -> None:
        oracle = Oracle.of(train)
        self.times = oracle.times
        g = np.append(1.0, oracle.g)
        if g[-1] <= 0:
            g[-1] = g[-2]
        # Pieces of 1/G: nobody is censored before the first time, so the first is 1.
        self._starts = np.append(0.0, self.times)
        self._inverse = 1.0 / g
        self._areas = np.append(0.0, np.cumsum(np.diff(self._starts) * self._inverse[:-1]))

    def inverse(self, times: Floats) -> Floats:
        """1/G at these times."""
        inverse: Floats = self._inverse[self._piece(times)]
        return inverse

    def area(self, times: Floats) -> Floats:
        """The integral of 1/G from 0 to each of these times."""
        piece = self._piece(times)
        area: Floats = self._areas[piece] + (times - self._starts[piece]) * self._inverse[piece]
        return area

    def _piece(self, times: Floats) -> NDArray[np.intp]:
        return np.searchsorted(self.times, times, side="right")


Places = NDArray[np.intp]

# Curves are looked at so many cells (rows x times) at once, and some copies are made of them.
MOST_CELLS = 2**21
# How many times a model's curves have is known only after the first rows.
FIRST_ROWS = 64


class RowLosses:
    """What rows lose under given curves, integrated exactly from 0 to their last time.

    Let A(t) be the integral of 1/G up to t, where G is the censoring curve of the training rows: of
    the rows themselves, unless others are given. A curve that is S_k on [u_k, u_k+1) loses, on a
    row that ends at y,

        (1-S_k)^2 (A(u_k+1) - A(u_k))   by each step before y, and
        S_k^2 (u_k+1 - u_k) / G(y)      by each step after y, if the row had an event;

    y cuts one step in two. A is linear between training times, so curves may step anywhere. Sums
    over whole steps are made once a curve, and each row picks its own.
    """

    def __init__(self, events: EventTable, train: EventTable | None = None) -> None:
        self.events = events
        self._y_max = events.time.max()
        self._censoring = CensoringCurve(events if train is None else train)
        self._share = events.weight / (events.weight.sum() * self._y_max)
        self._inverse_g = events.event * self._censoring.inverse(events.time)

    def most(self) -> Floats:
        """The most that any curve loses on each row: wrong at all times."""
        time = self.events.time
        late = self._inverse_g * (self._y_max - time)
        most: Floats = self._share * (self._censoring.area(time) + late)
        return most

    def of(self, rows: Places, curves: Curves, curve_of_row: Places) -> Floats:
        """Losses of some rows, given which of the curves is whose."""
        y_max = self._y_max
        times = np.minimum(np.insert(curves.times, 0, 0.0, axis=1), y_max)
        survival = np.insert(curves.survival, 0, 1.0, axis=1)
        area = self._censoring.area(times)
        ends = np.append(times[:, 1:], np.full((len(times), 1), y_max), axis=1)
        before, after = np.zeros_like(survival), np.zeros_like(survival)
        np.cumsum((1 - survival[:, :-1]) ** 2 * np.diff(area), axis=1, out=before[:, 1:])
        whole = survival[:, 1:] ** 2 * (ends - times)[:, 1:]
        np.cumsum(whole[:, ::-1], axis=1, out=after[:, -2::-1])

        y = self.events.time[rows]
        step = curves.place(curve_of_row, y)
        grid = curve_of_row if len(times) > 1 else np.zeros_like(curve_of_row)
        s = survival[curve_of_row, step]
        begun = self._censoring.area(y) - area[grid, step]
        early = before[curve_of_row, step] + (1 - s) ** 2 * begun
        late = after[curve_of_row, step] + s**2 * (ends[grid, step] - y)
        losses: Floats = self._share[rows] * (early + self._inverse_g[rows] * late)
        # A(y) - A(u) can round to less than 0 where u is next to y.
        return np.maximum(losses, 0.0)


def added_up(
    curves_of: Callable[[int, int], Curves], curve_of_row: Places, score: RowLosses
) -> Floats:
    """Losses of all rows; the curves are asked for a batch at a time."""
    order = np.argsort(curve_of_row, kind="stable")
    n_curves = int(curve_of_row[order[-1]]) + 1
    ends = np.searchsorted(curve_of_row[order], np.arange(n_curves + 1))
    losses = np.empty(len(order))
    first, size = 0, FIRST_ROWS
    while first < n_curves:
        last = min(first + size, n_curves)
        curves = curves_of(first, last)
        rows = order[ends[first] : ends[last]]
        losses[rows] = score.of(rows, curves, curve_of_row[rows] - first)
        first, size = last, max(1, MOST_CELLS // max(1, curves.survival.shape[1]))
    return losses
