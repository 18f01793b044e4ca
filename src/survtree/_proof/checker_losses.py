"""The losses that the checker of proof files computes by itself, and how far off they can be.

Every loss here comes as a number that is at most the exact one, and, of a tree that is to be proven
optimal, one that is at least the exact one. So what follows from them is true whatever rounding
does. Let u = 2^-53, by which share one operation is off at most. Where numbers that are not
negative are only added, multiplied and divided, the shares of all operations on the way to a result
add up. Nothing below is subtracted but times and targets as they stand in the file. Numbers stay
far from the ends of the range, see ``BrierLosses``, so that no share is ever lost to them. What
``LikelihoodLosses`` subtracts besides is told there.
"""

from decimal import Context, Decimal
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from survtree._proof.read_proof import Bools, Floats, ProofProblem, need

Places = NDArray[np.intp]
UNIT = 2.0**-53
SHORTEST = 2.0**-500  # a shorter interval, as a share of the last time, counts as none
LARGEST_ERROR = 1e-6


class Losses(Protocol):
    """Losses of subsets, all questions of a subset at once, and the bounds of their rounding."""

    error: float  # the largest error of a loss, as a share of it,
    shift: float  # and besides as a number
    floor: Floats  # on the first row of each group: what its rows lose at least in any tree

    def as_leaves(self, rows: Places, inside: Floats) -> Floats:
        """Losses of several sets within these rows: a column each, 1 where a row is in it."""


def at_least(losses: Losses, computed: Floats) -> Floats:
    """Numbers that exact losses are not below."""
    need(np.isfinite(computed).all(), "a loss is too large a number")
    low: Floats = np.maximum(computed * (1.0 - losses.error) - losses.shift, 0.0)
    return low


def at_most(losses: Losses, computed: float) -> float:
    """A number that an exact loss is not above."""
    need(np.isfinite(computed), "a loss is too large a number")
    return computed * (1.0 + losses.error) + losses.shift


def below(sums: Floats) -> Floats:
    """Numbers that the exact sums of two are not below: the next ones towards 0."""
    return np.nextafter(sums, 0.0)


def losses_of(p: ProofProblem) -> Losses:
    """The loss that the file is about."""
    losses: Losses
    if p.targets is not None:
        losses = TeacherLosses(p, p.targets)
    elif p.is_by_likelihood:
        losses = LikelihoodLosses(p)
    else:
        losses = BrierLosses(p) if p.other is None else IncidenceLosses(p)
    wide = f"the losses of {len(p.time):,} rows with these weights cannot be computed to 1e-6"
    need(losses.error <= LARGEST_ERROR, wide)
    return losses


def _group_rows(answers: Bools) -> list[Places]:
    """The rows of each group that no question separates; the first of each comes first."""
    _, group = np.unique(answers, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    starts = np.flatnonzero(np.diff(group.ravel()[order], prepend=-1))
    return np.split(order, starts[1:])


def _near_one(weight: Floats) -> Floats:
    """The weights divided by a power of two, which is exact; the largest is from 1/2 to 1."""
    return np.ldexp(weight, -int(np.frexp(weight.max())[1]))


class TeacherLosses:
    """Losses against a teacher.

    A leaf loses the weighted squared distances of its vectors from their mean, divided by the
    weight of all rows. No other vector is nearer to a group, in whatever leaf it ends.

    The vectors are moved by one of their values in each column, the nearest to the mean, and
    divided by a power of two. Let M be the weighted sum of their squares then, over all rows. To
    move a vector is off by u of what is left, which moves the loss of a leaf by at most
    2 (u + u^2) M. The mean of a leaf is off by a share (2n + 3) u of the mean size of its numbers,
    which adds (2n + 3)^2 u^2 M at most, less than u M / 4 with at most 2^24 rows. All else is sums
    of squares: 2n + k + 10 operations with n rows and k columns.
    """

    def __init__(self, p: ProofProblem, targets: Floats) -> None:
        self.weight = _near_one(p.weight)
        self.scale = float(self.weight.sum())
        mean = self.weight @ (targets / self.scale)
        nearest = np.argmin(np.abs(targets - mean), axis=0)
        moved = targets - np.take_along_axis(targets, nearest[np.newaxis], axis=0)
        need(np.isfinite(moved).all(), "targets are too far apart")
        power = int(np.frexp(np.abs(moved).max())[1])
        need(abs(power) <= 400, "targets are too far apart, or too near to each other")
        self.targets, self.unit = np.ldexp(moved, -power), 4.0**power
        n, k = targets.shape
        self.error = (2 * n + k + 20) * UNIT
        squares = float((self.weight[:, None] * self.targets**2).sum())
        self.shift = 4.0 * UNIT * squares / self.scale * self.unit
        self.floor = np.zeros(n)
        for rows in _group_rows(p.answers):
            self.floor[rows[0]] = at_least(self, self.as_leaves(rows, np.ones((len(rows), 1))))[0]

    def as_leaves(self, rows: Places, inside: Floats) -> Floats:
        """As the protocol says."""
        weight = self.weight[rows, None] * inside
        total = weight.sum(axis=0)
        losses: Floats = np.zeros(inside.shape[1])
        for x in self.targets[rows].T:
            mean = np.divide(x @ weight, total, out=np.zeros_like(total), where=total > 0)
            losses += (weight * (x[:, None] - mean) ** 2).sum(axis=0)
        losses *= self.unit / self.scale
        return losses


class LikelihoodLosses:
    """Losses by the likelihood of proportional hazards.

    With H_i the Nelson-Aalen cumulative hazard of all rows, a leaf that has D = sum of the weights
    of its events and E = sum of w_i H_i loses, with r_i = H_i D/E, the sum of w_i (r_i - 1 - ln
    r_i) over its events and of w_i r_i over its other rows, divided by the weight of all rows. No
    other factor than D/E makes that less, so a group loses at least this in whatever leaf it ends.

    Rounding. H is computed with 50 digits and rounded once. If D/E is off by a share e, all r_i
    are, and the exact loss at them is larger by D (e - ln(1 + e)) at most, which is below D e^2; e
    is at most (4n + 5) u. Besides, r_i is off by 2u of it, which moves its term t = r - 1 - ln r by
    |r - 1| 2u; ln is off by 4u |ln r|; r - 1 is exact from 1/2 to 2 and otherwise off by at most
    8u of t, as is ln r below 1/2; the difference by u of itself. So a term is off by 10u |r - 1|
    and 20u of itself. As t is at least (r - 1)^2 / (2 (r + 1)), the sum of w |r - 1| over events is
    at most the root of 4D times the sum of w t, by Schwarz; and no leaf has a larger sum of w t
    than all rows together. Differences r - 1 below 1e-15 count as none, which is right to 1e-30 D.
    """

    def __init__(self, p: ProofProblem) -> None:
        self.weight = _near_one(p.weight)
        self.scale = float(self.weight.sum())
        self.event_weight = np.where(p.event, self.weight, 0.0)
        self.is_event, self.hazard = p.event, _cumulative_hazard(p)
        n = len(self.weight)
        self.error = (2 * n + 40) * UNIT
        events = float(self.event_weight.sum()) / self.scale
        root = self.as_leaves(np.arange(n), np.ones((n, 1)))[0]
        by_ratio = ((4 * n + 5) * UNIT) ** 2 + 1e-30
        # Where all rows lose nothing, no part of them does.
        shift = 21 * UNIT * float(np.sqrt(events * root)) + by_ratio * events
        self.shift = shift if root > 0.0 else 0.0
        self.floor = np.zeros(n)
        for rows in _group_rows(p.answers):
            self.floor[rows[0]] = at_least(self, self.as_leaves(rows, np.ones((len(rows), 1))))[0]

    def as_leaves(self, rows: Places, inside: Floats) -> Floats:
        """As the protocol says."""
        weight, hazard = self.weight[rows, None] * inside, self.hazard[rows]
        events, expected = self.event_weight[rows] @ inside, hazard @ weight
        factor = np.divide(events, expected, out=np.zeros_like(events), where=events > 0)
        ratio = hazard[:, None] * factor
        of_event = np.where(ratio > 0, ratio, 1.0)
        above = of_event - 1.0
        above[np.abs(above) < 1e-15] = 0.0
        logs = np.where(above < -0.5, np.log(of_event), np.log1p(np.maximum(above, -0.5)))
        terms = np.where(self.is_event[rows, None], above - logs, ratio)
        losses: Floats = (weight * terms).sum(axis=0) / self.scale
        return losses


def _cumulative_hazard(p: ProofProblem) -> Floats:
    """The Nelson-Aalen cumulative hazard at the end of each row; rows are in the order of times."""
    digits = Context(prec=50)
    steps: list[Decimal] = []
    at_risk = events = Decimal(0)
    for k in reversed(range(len(p.time))):
        weight = Decimal(float(p.weight[k]))
        at_risk = digits.add(at_risk, weight)
        events = digits.add(events, weight) if p.event[k] else events
        is_first = k == 0 or p.time[k - 1] != p.time[k]
        steps.append(digits.divide(events, at_risk) if is_first else Decimal(0))
        events = Decimal(0) if is_first else events
    hazard, sums = Decimal(0), []
    for step in reversed(steps):
        hazard = digits.add(hazard, step)
        sums.append(float(hazard))
    # The step of a time is at its first row, so the others of the time have it too.
    return np.array(sums)


class BrierLosses:
    """Integrated Brier scores.

    A leaf with curve S pays, at time y, (1-S)^2 a + S^2 b with a = weight of its rows after y over
    G(y), and b = sum of weight / G(y_i) over its events up to y. Between two times of its rows S,
    the weight after y and b stay as they are, so its loss is a sum over these intervals, with the
    integral of 1 / G over each. 1 - S is the sum of the steps of S, which subtracts nothing.

    Rounding, with n rows. Weights are added in at most 2n + 1 operations: s = 2n + 1, or 0 if they
    are whole numbers, whose sums are exact. A factor of S is N / (N + d), where d is the weight of
    the events at a time and N that of the rows that stay. If both are off by shares of s u, the
    factor is off by 2 s u h at most, h = d / (N + d), and by 4 u for its own operations. The h of
    all factors add up to at most H = 1 + ln(weight of all rows / smallest weight): each but the
    last is at most the fall of the logarithm of the weight at risk. So S and, likewise, G are off
    by c = 2 s H + 5 n units; 1 - S by c + 2 s + n + 2; the integral of 1 / G by c + n + 4; b by
    c + 2 n + 2. A loss has three such factors of c in each of its terms: 3 c + 6 s + 4 n + 14 units
    in all, and the best curve of a group fewer. That is rounded up here.

    Range. Weights span a factor of 1e12 and are at most 1, so with at most 2^24 rows sums of them
    are between 2^-41 and 2^24; S and G, where they are not 0, are above (2^-65)^2, 1 - S is above
    2^-65. Intervals are at least 2^-500 of the last time, or left out: the loss is then too small
    by at most 2^24 intervals of 2^-500 times (a + b) <= 2^160, less than 2^-300 altogether.
    """

    def __init__(self, p: ProofProblem) -> None:
        self.p, self.weight = p, _near_one(p.weight)
        times, self.when = np.unique(p.time, return_inverse=True)
        lengths = np.diff(times, append=times[-1]) / times[-1]
        is_short = lengths < SHORTEST
        self.lengths = np.where(is_short, 0.0, lengths)
        self.shift = 2.0**-300 if is_short[:-1].any() else 0.0
        self.event_weight = np.where(p.event, self.weight, 0.0)
        self.other_weight = np.zeros_like(self.weight)
        if p.other is not None:
            self.other_weight = np.where(p.other, self.weight, 0.0)
        ended_weight = self.event_weight + self.other_weight
        self.censored_weight = np.where(ended_weight > 0, 0.0, self.weight)
        events, censored = (
            np.bincount(self.when, each, len(times))
            for each in (ended_weight, self.censored_weight)
        )
        at_risk = (events + censored)[::-1].cumsum()[::-1]
        g = np.cumprod((events + np.append(at_risk[1:], 0.0)) / at_risk)
        self.inverse = np.divide(1.0, g, out=np.zeros_like(g), where=g > 0)
        self.scale = float(at_risk[0])
        self.inverse_areas = self.lengths * self.inverse
        self.b_weight = self.event_weight * self.inverse[self.when]
        self.c_weight = self.other_weight * self.inverse[self.when]
        self.error = self._units() * UNIT
        self.floor = self._group_floors()

    def _units(self) -> float:
        n, weight = len(self.weight), self.p.weight
        is_exact = bool((weight == np.floor(weight)).all()) and weight.sum() < 2.0**53
        s = 0 if is_exact else 2 * n + 1
        h = 1.0 + np.log(self.scale / self.weight.min())
        return float(1.01 * (3 * (2 * s * h + 5 * n) + 6 * s + 4 * n + 40))

    def _group_floors(self) -> Floats:
        """On the first row of each group of rows with equal answers: what its best curve loses."""
        floors, n_times = np.zeros(len(self.weight)), len(self.lengths)
        for rows in _group_rows(self.p.answers):
            if not self.event_weight[rows].any():
                continue
            weight = np.bincount(self.when[rows], self.weight[rows], n_times)
            a = np.append(weight[::-1].cumsum()[::-1][1:], 0.0) * self.inverse
            a += np.bincount(self.when[rows], self.c_weight[rows], n_times).cumsum()
            b = np.bincount(self.when[rows], self.b_weight[rows], n_times).cumsum()
            best = np.divide(a * b, a + b, out=np.zeros_like(a), where=a * b > 0)
            floors[rows[0]] = (self.lengths * best).sum() / self.scale
        return at_least(self, floors)

    def as_leaves(self, rows: Places, inside: Floats) -> Floats:
        """As the protocol says."""
        when = self.when[rows]
        starts = np.flatnonzero(np.diff(when, prepend=-1))
        events = np.add.reduceat(self.event_weight[rows, None] * inside, starts)
        censored = np.add.reduceat(self.censored_weight[rows, None] * inside, starts)
        b = np.add.reduceat(self.b_weight[rows, None] * inside, starts).cumsum(axis=0)
        at_risk = (events + censored)[::-1].cumsum(axis=0)[::-1]
        later = np.vstack([at_risk[1:], np.zeros((1, inside.shape[1]))])
        has_events = events > 0
        stay = np.divide(censored + later, at_risk, out=np.ones_like(later), where=has_events)
        s = np.cumprod(stay, axis=0)
        hazard = np.divide(events, at_risk, out=np.zeros_like(later), where=has_events)
        hazard[1:] *= s[:-1]
        died = np.cumsum(hazard, axis=0)
        # Added up for each interval: differences of sums from the first time on lose digits.
        length, inverse_area = (
            np.add.reduceat(each, when[starts])[:, None]
            for each in (self.lengths, self.inverse_areas)
        )
        loss = died * died * later * inverse_area + s * s * b * length
        out: Floats = loss.sum(axis=0) / self.scale
        return out


class IncidenceLosses(BrierLosses):
    """Integrated Brier scores of the cumulative incidence of one of several causes.

    With F the incidence of the cause and c the sum of weight / G(y_i) over rows of the leaf that
    ended by another cause up to y, a leaf pays F^2 (a + c) + (1-F)^2 b, where a and b are as in
    ``BrierLosses``, b over rows that ended by the cause, and rows of no cause are censored. F is
    the sum of its steps: the share S that is free of all causes just before, times the share of
    those at risk that end by the cause. 1 - F is S plus the sum of the steps of the other causes.
    So nothing is subtracted. F and 1 - F are off by no more units than 1 - S is there, and 1 more
    for the last sum; a + c takes 1 more than a, c no more than b. That is less than what was added
    when the units of ``BrierLosses`` were rounded up, and so are those of the best curve of a
    group.
    """

    def as_leaves(self, rows: Places, inside: Floats) -> Floats:
        """As the protocol says."""
        when = self.when[rows]
        starts = np.flatnonzero(np.diff(when, prepend=-1))
        target, other, censored = (
            np.add.reduceat(each[rows, None] * inside, starts)
            for each in (self.event_weight, self.other_weight, self.censored_weight)
        )
        b, c = (
            np.add.reduceat(each[rows, None] * inside, starts).cumsum(axis=0)
            for each in (self.b_weight, self.c_weight)
        )
        at_risk = (target + other + censored)[::-1].cumsum(axis=0)[::-1]
        later = np.vstack([at_risk[1:], np.zeros((1, inside.shape[1]))])
        has_ends = target + other > 0
        stay = np.divide(censored + later, at_risk, out=np.ones_like(later), where=has_ends)
        free = np.cumprod(stay, axis=0)
        before = np.vstack([np.ones((1, inside.shape[1])), free[:-1]])
        had, had_other = (
            np.cumsum(
                before * np.divide(each, at_risk, out=np.zeros_like(later), where=each > 0), axis=0
            )
            for each in (target, other)
        )
        length, inverse_area = (
            np.add.reduceat(each, when[starts])[:, None]
            for each in (self.lengths, self.inverse_areas)
        )
        had_not = free + had_other
        loss = had * had * (later * inverse_area + c * length) + had_not * had_not * b * length
        out: Floats = loss.sum(axis=0) / self.scale
        return out
