"""The loss straight from its definition: slow and obvious. Shares no code with the core.

``Certificate.verify`` and the censoring curve of the metrics rest on it, and the tests hold every
faster way to it.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._data.event_table import EventTable, weight_at

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


class Oracle:
    """Losses of subsets of one data set, straight from the definition.

    Time is cut at the distinct training times t_0 < ... < t_K. On [t_k, t_k+1) every curve is
    constant, so the integral is a sum of (length x integrand), and sum and integral may be swapped:

        loss(leaf) = 1/(n t_K) sum_k (t_k+1 - t_k) [ (1-S_k)^2 n_later(k)/G_k + S_k^2 b(k) ]

    with n_later(k) the weight of rows with y > t_k, and b(k) the sum of weight/G(y_i) over events
    with y_i <= t_k. Before t_0 every S is 1 and no event has happened: nothing is lost there.
    """

    def __init__(self, time: Floats, event: Bools, weight: Floats | None = None) -> None:
        weight = np.ones(len(time)) if weight is None else np.asarray(weight, dtype=float)
        time = np.asarray(time, dtype=float)
        self._prepare(EventTable(np.asarray(event, dtype=bool), time, weight))

    @classmethod
    def of(cls, events: EventTable) -> "Oracle":
        """The losses of a table whose times may already be sorted."""
        oracle = cls.__new__(cls)
        oracle._prepare(events)
        return oracle

    def _prepare(self, events: EventTable) -> None:
        self.events = events
        self.times = events.unique_times
        # Parts of the last time: their sums stay in range, however large times are.
        self.lengths = (self.times[1:] - self.times[:-1]) / self.times[-1]
        self.scale = events.weight.sum()
        self.at_risk = weight_at(events.when, events.weight)[::-1].cumsum()[::-1]
        self.g = self._censoring_curve()
        self.inverse_g = np.divide(1.0, self.g, out=np.zeros_like(self.g), where=self.g > 0)

    def _censoring_curve(self) -> Floats:
        # What is left is added up: 1 - censored / at_risk loses the digits of light rows.
        events = weight_at(self.events.when, self.events.weight * self.events.event)
        g: Floats = ((events + np.append(self.at_risk[1:], 0.0)) / self.at_risk).cumprod()
        return g

    def _counts(self, rows: Bools) -> tuple[Floats, Floats]:
        """At each distinct time: weight of the chosen rows still at risk, and of their events."""
        # The rows left out are a leaf of their own, which nobody asks for.
        at_risk, events = next(self.events.by_leaf(~rows, 2))
        return at_risk[0], events[0]

    def survival(self, rows: Bools) -> Floats:
        """Kaplan-Meier curve of the rows, on [t_k, t_k+1)."""
        return _kaplan_meier(*self._counts(rows))

    def _a_and_b(self, at_risk: Floats, events: Floats) -> tuple[Floats, Floats]:
        """On each [t_k, t_k+1): weight of later rows / G, and sum of weight / G(y_i) of events."""
        a = at_risk[..., 1:] * self.inverse_g[:-1]
        return a, (events * self.inverse_g).cumsum(axis=-1)[..., :-1]

    def _losses(self, at_risk: Floats, events: Floats) -> Floats:
        """Loss of each leaf; the last axis is time."""
        s = _kaplan_meier(at_risk, events)[..., :-1]
        a, b = self._a_and_b(at_risk, events)
        losses: Floats = (self.lengths * ((1 - s) ** 2 * a + s**2 * b)).sum(axis=-1) / self.scale
        return losses

    def leaf_loss(self, rows: Bools) -> float:
        """Loss of the chosen rows (a mask) as one leaf."""
        return float(self._losses(*self._counts(rows)))

    def best_curve_loss(self, rows: Bools) -> float:
        """Loss of the pointwise best curve a/(a+b): no curve, Kaplan-Meier or not, loses less."""
        a, b = self._a_and_b(*self._counts(rows))
        best = np.divide(a * b, a + b, out=np.zeros_like(a), where=a + b > 0)
        return float(np.sum(self.lengths * best) / self.scale)

    def tree_loss(self, leaf_of_row: NDArray[np.integer[Any]]) -> float:
        """Loss of the tree that sends row i to leaf ``leaf_of_row[i]``, not negative."""
        batches = self.events.by_leaf(leaf_of_row, int(leaf_of_row.max()) + 1)
        return sum(float(self._losses(*counts).sum()) for counts in batches)

    def one_leaf_loss(self) -> float:
        """Loss of the tree without a split."""
        events = weight_at(self.events.when, self.events.weight * self.events.event)
        return float(self._losses(self.at_risk, events))


def _kaplan_meier(at_risk: Floats, events: Floats) -> Floats:
    share = np.divide(events, at_risk, out=np.zeros_like(events), where=events > 0)
    survival: Floats = (1.0 - share).cumprod(axis=-1)
    return survival
