"""The loss of leaves from its definition, and what each row loses under any predicted curve.

``LossByDefinition`` and its kin are slow and obvious and share no code with the core:
``Certificate.verify`` rests on them, the censoring curve of the metrics on the first, and the tests
hold every faster way to them.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import Bools, EventTable, Floats, Places, weight_at
from survtree._scoring.curves import Curves

# At most this many cells (rows x times) of curves are looked at at once; some copies are made.
MOST_CELLS = 2**21
# How many times a model's curves have is known only after the first rows.
FIRST_ROWS = 64


class LossByDefinition:
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
    def of(cls, events: EventTable) -> "LossByDefinition":
        """The losses of a table whose times may already be sorted.

        With competing risks they are those of the incidence of the target cause.
        """
        kind = IncidenceLossByDefinition if events.has_others else LossByDefinition
        losses = kind.__new__(kind)
        losses._prepare(events)
        return losses

    def _prepare(self, events: EventTable) -> None:
        self.events = events
        self.times = events.unique_times
        # Parts of the last time: their sums stay in range, however large times are.
        self.lengths = (self.times[1:] - self.times[:-1]) / self.times[-1]
        self.scale = events.weight.sum()
        self.at_risk = events.at_risk
        self.g = self._censoring_curve()
        self.inverse_g = np.divide(1.0, self.g, out=np.zeros_like(self.g), where=self.g > 0)

    def _censoring_curve(self) -> Floats:
        # What is left is added up: 1 - censored / at_risk loses the digits of light rows.
        ended = self.events.ended_weight
        return np.asarray(((ended + np.append(self.at_risk[1:], 0.0)) / self.at_risk).cumprod())

    def _counts(self, rows: Bools) -> tuple[Floats, ...]:
        """At each distinct time: weight of the chosen rows still at risk, and of their events."""
        # The rows left out are a leaf of their own, which is not needed.
        return tuple(counts[0] for counts in next(self.events.by_leaf(~rows, 2)))

    def survival(self, rows: Bools) -> Floats:
        """Kaplan-Meier curve of the rows, on [t_k, t_k+1)."""
        return self._curve(*self._counts(rows))

    def _curve(self, at_risk: Floats, *ends: Floats) -> Floats:
        return _kaplan_meier(at_risk, *ends)

    def _a_and_b(self, at_risk: Floats, events: Floats, *_: Floats) -> tuple[Floats, Floats]:
        """On each [t_k, t_k+1): weight of later rows / G, and sum of weight / G(y_i) of events."""
        a = at_risk[..., 1:] * self.inverse_g[:-1]
        return a, (events * self.inverse_g).cumsum(axis=-1)[..., :-1]

    def _losses(self, *counts: Floats) -> Floats:
        """Loss of each leaf; the last axis is time."""
        s = self._curve(*counts)[..., :-1]
        a, b = self._a_and_b(*counts)
        return np.asarray((self.lengths * ((1 - s) ** 2 * a + s**2 * b)).sum(axis=-1) / self.scale)

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
        return float(self._losses(self.at_risk, *self.events.end_weights))

    def one_leaf_loss_by_time(self) -> Floats:
        """What the rows that end at each distinct time add to the loss without a split."""
        events = self.events.event_weight
        s = _kaplan_meier(self.at_risk, events)[:-1]
        early = np.append(0.0, ((1 - s) ** 2 * self.inverse_g[:-1] * self.lengths).cumsum())
        late = np.append((s**2 * self.lengths)[::-1].cumsum()[::-1], 0.0)
        weight = weight_at(self.events.when, self.events.weight)
        return np.asarray((weight * early + events * self.inverse_g * late) / self.scale)


class IncidenceLossByDefinition(LossByDefinition):
    """The same with competing risks: the curve is 1 - F, F the incidence of the target cause.

    Aalen and Johansen's F rises at t by S(t-) d(t) / n_at_risk(t), where S is the Kaplan-Meier
    curve of all causes and d the weight of those that end by the target. A leaf loses

        1/(n t_K) sum_k (t_k+1 - t_k) [ F_k^2 (n_later(k)/G_k + c(k)) + (1-F_k)^2 b(k) ]

    with b(k) and c(k) the sums of weight/G(y_i) over rows with y_i <= t_k that ended by the target
    and by another cause. G is the Kaplan-Meier curve of the censorings; no cause is one.
    """

    def _curve(self, at_risk: Floats, *ends: Floats) -> Floats:
        target, other = ends
        free = _kaplan_meier(at_risk, target + other)
        before = np.insert(free, 0, 1.0, axis=-1)[..., :-1]
        share = np.divide(target, at_risk, out=np.zeros_like(target), where=target > 0)
        return np.asarray(1.0 - (before * share).cumsum(axis=-1))

    def _a_and_b(self, at_risk: Floats, events: Floats, *rest: Floats) -> tuple[Floats, Floats]:
        a, b = super()._a_and_b(at_risk, events)
        return a + super()._a_and_b(at_risk, rest[0])[1], b

    def one_leaf_loss_by_time(self) -> Floats:
        """What the rows that end at each distinct time add to the loss without a split."""
        target, other = self.events.end_weights
        s = self._curve(self.at_risk, target, other)[:-1]
        early = np.append(0.0, ((1 - s) ** 2 * self.inverse_g[:-1] * self.lengths).cumsum())
        late, had = (
            np.append((part**2 * self.lengths)[::-1].cumsum()[::-1], 0.0) for part in (s, 1 - s)
        )
        weight = weight_at(self.events.when, self.events.weight)
        after = (target * late + other * had) * self.inverse_g
        return np.asarray((weight * early + after) / self.scale)


class TeacherLossByDefinition:
    """Losses of subsets of vectors, straight from the definition.

    With rows x_i, weights w_i and total weight W, a leaf with the weighted mean m loses

        1/W sum over its rows of w_i |x_i - m|^2
    """

    def __init__(self, targets: Floats, weight: Floats | None = None) -> None:
        self.targets = np.asarray(targets, dtype=float)
        self.weight = np.ones(len(targets)) if weight is None else np.asarray(weight, dtype=float)

    def leaf_loss(self, rows: Bools) -> float:
        """Loss of the chosen rows (a mask) as one leaf; 0 if there are none."""
        if not rows.any():
            return 0.0
        weight = self.weight[rows]
        # From the first row on: the mean of equal vectors is what they are.
        x = self.targets[rows] - self.targets[rows][0]
        apart = x - np.average(x, axis=0, weights=weight)
        return float((weight[:, None] * apart**2).sum() / self.weight.sum())

    def tree_loss(self, leaf_of_row: NDArray[np.integer[Any]]) -> float:
        """Loss of the tree that sends row i to leaf ``leaf_of_row[i]``."""
        return sum(self.leaf_loss(leaf_of_row == leaf) for leaf in np.unique(leaf_of_row))

    def one_leaf_loss(self) -> float:
        """Loss of the tree without a split."""
        return self.leaf_loss(np.ones(len(self.targets), dtype=bool))


class LikelihoodLossByDefinition:
    """Losses of subsets by the likelihood of proportional hazards, straight from the definition.

    Let H_i be the Nelson-Aalen cumulative hazard of all rows at the end of row i, w_i its weight,
    and W the total weight. A leaf with D = sum of w_i over its events and E = sum of w_i H_i over
    its rows has the hazard ratio D/E and loses

        -(D ln(D/E) + sum over its events of w_i ln H_i) / W,    0 if D = 0.

    With r_i = H_i D/E, of which the weighted sum is D, that is

        1/W sum over its rows of w_i (r_i - event_i - event_i ln r_i),

    a sum of numbers that are not negative, so that nothing large cancels.
    """

    def __init__(self, events: EventTable) -> None:
        self.events = events
        self.hazard = cumulative_hazard(events)
        self.scale = events.weight.sum()

    def hazard_ratio(self, rows: Bools) -> float:
        """D/E of the chosen rows (a mask); 0 without an event."""
        weight, event = self.events.weight[rows], self.events.event[rows]
        if not event.any():
            return 0.0
        return float(weight[event].sum() / (weight * self.hazard[rows]).sum())

    def leaf_loss(self, rows: Bools) -> float:
        """Loss of the chosen rows (a mask) as one leaf."""
        ratio = self.hazard_ratio(rows)
        weight, event = self.events.weight[rows], self.events.event[rows]
        expected = ratio * self.hazard[rows]
        above = expected[event] - 1.0
        above[np.abs(above) < 1e-15] = 0.0  # rounding, of numbers that are equal
        # Each logarithm of what has more digits.
        logs = np.where(above < -0.5, np.log(expected[event]), np.log1p(np.maximum(above, -0.5)))
        of_events = (weight[event] * (above - logs)).sum()
        return float((of_events + (weight * expected)[~event].sum()) / self.scale)

    def tree_loss(self, leaf_of_row: NDArray[np.integer[Any]]) -> float:
        """Loss of the tree that sends row i to leaf ``leaf_of_row[i]``."""
        return sum(self.leaf_loss(leaf_of_row == leaf) for leaf in np.unique(leaf_of_row))

    def one_leaf_loss(self) -> float:
        """Loss of the tree without a split."""
        return self.leaf_loss(np.ones(len(self.events), dtype=bool))


def cumulative_hazard(events: EventTable) -> Floats:
    """The Nelson-Aalen cumulative hazard of all rows at the end of each row."""
    return np.asarray((events.event_weight / events.at_risk).cumsum()[events.when])


AnyLossByDefinition: TypeAlias = (
    LossByDefinition | TeacherLossByDefinition | LikelihoodLossByDefinition
)


def loss_by_definition(
    events: EventTable, targets: Floats | None = None, loss: str = "brier"
) -> AnyLossByDefinition:
    """The loss of the rows, or, where there are targets, the loss against a teacher."""
    if targets is not None:
        return TeacherLossByDefinition(targets, events.weight)
    if loss == "likelihood":
        return LikelihoodLossByDefinition(events)
    return LossByDefinition.of(events)


def _kaplan_meier(at_risk: Floats, events: Floats) -> Floats:
    share = np.divide(events, at_risk, out=np.zeros_like(events), where=events > 0)
    return np.asarray((1.0 - share).cumprod(axis=-1))


class CensoringCurve:
    """G, the Kaplan-Meier curve of the censorings, kept at its last positive value.

    G can be 0 from the last training time on. No training row says anything of what comes later;
    but rows that are scored may end there, and 1/G has to be some number.
    """

    def __init__(self, train: EventTable) -> None:
        by_definition = LossByDefinition.of(train)
        self.times = by_definition.times
        g = np.append(1.0, by_definition.g)
        if g[-1] <= 0:
            g[-1] = g[-2]
        # Pieces of 1/G: nobody is censored before the first time, so the first is 1.
        self._starts = np.append(0.0, self.times)
        self._inverse = 1.0 / g
        self._areas = np.append(0.0, np.cumsum(np.diff(self._starts) * self._inverse[:-1]))

    def inverse(self, times: Floats) -> Floats:
        """1/G at these times."""
        return np.asarray(self._inverse[np.searchsorted(self.times, times, side="right")])

    def area(self, times: Floats) -> Floats:
        """The integral of 1/G from 0 to each of these times."""
        piece = np.searchsorted(self.times, times, side="right")
        return np.asarray(self._areas[piece] + (times - self._starts[piece]) * self._inverse[piece])


def inverse_g(events: EventTable, train: EventTable) -> Floats:
    """1/G at the end of each row."""
    return CensoringCurve(train).inverse(events.time)


class RowLosses:
    """What rows lose under given curves, integrated exactly from 0 to their last time.

    Let A(t) be the integral of 1/G up to t, where G is the censoring curve of the training rows: of
    the rows themselves, unless others are given. A curve that is S_k on [u_k, u_k+1) loses, on a
    row that ends at y,

        (1-S_k)^2 (A(u_k+1) - A(u_k))   by each step before y, and
        S_k^2 (u_k+1 - u_k) / G(y)      by each step after y, if the row had an event;

    with competing risks S is 1 minus the incidence of the target cause, and a row that ended by
    another cause loses (1-S_k)^2 (u_k+1 - u_k) / G(y) by each step after y.

    y cuts one step in two. A is linear between training times, so curves may step anywhere. Sums
    over whole steps are made once a curve, and each row picks its own.
    """

    def __init__(self, events: EventTable, train: EventTable | None = None) -> None:
        self.events = events
        self._y_max = events.time.max()
        self._censoring = CensoringCurve(events if train is None else train)
        self._share = events.weight / (events.weight.sum() * self._y_max)
        inverse = self._censoring.inverse(events.time)
        self._inverse_g = events.event * inverse
        self._other_inverse_g = events.is_other * inverse

    def most(self) -> Floats:
        """The most that any curve loses on each row: wrong at all times."""
        time = self.events.time
        late = (self._inverse_g + self._other_inverse_g) * (self._y_max - time)
        return np.asarray(self._share * (self._censoring.area(time) + late))

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
        had_after = np.zeros_like(survival) if self.events.has_others else after
        if self.events.has_others:
            whole = (1 - survival[:, 1:]) ** 2 * (ends - times)[:, 1:]
            np.cumsum(whole[:, ::-1], axis=1, out=had_after[:, -2::-1])

        y = self.events.time[rows]
        step = curves.place(curve_of_row, y)
        grid = curve_of_row if len(times) > 1 else np.zeros_like(curve_of_row)
        s = survival[curve_of_row, step]
        begun = self._censoring.area(y) - area[grid, step]
        early = before[curve_of_row, step] + (1 - s) ** 2 * begun
        late = after[curve_of_row, step] + s**2 * (ends[grid, step] - y)
        losses: Floats = self._share[rows] * (early + self._inverse_g[rows] * late)
        if self.events.has_others:
            had = had_after[curve_of_row, step] + (1 - s) ** 2 * (ends[grid, step] - y)
            losses += self._share[rows] * self._other_inverse_g[rows] * had
        # A(y) - A(u) can round to less than 0 where u is next to y.
        return np.maximum(losses, 0.0)


def added_up(
    curves_of: Callable[[int, int], Curves], curve_of_row: Places, score: RowLosses
) -> Floats:
    """Losses of all rows; the curves come a batch at a time."""
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
