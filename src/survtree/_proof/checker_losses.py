"""The losses that the checker of proof files computes by itself; it imports nothing but NumPy."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

# By how much a sum may fall short of a claim because of rounding, as a share of the loss of one
# leaf. So a tree may exist that costs less by this share times the number of its splits.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class ProofProblem:
    """The data in the file, and which trees are allowed."""

    answers: Bools  # rows x questions, rows by time
    time: Floats
    event: Bools
    weight: Floats
    regularization: float
    max_depth: int | None
    min_rows: int
    targets: Floats | None  # vectors of a teacher, a row each, if the loss is against one
    min_events: int = 0
    horizon: float | None = None  # the loss is integrated up to here; None: to the last time


def _groups(answers: Bools) -> list[NDArray[np.intp]]:
    """The rows of each group that no question separates; the first of each comes first."""
    _, group = np.unique(answers, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    starts = np.flatnonzero(np.diff(group.ravel()[order], prepend=-1))
    return np.split(order, starts[1:])


class TeacherLosses:
    """Losses of subsets against a teacher, all questions of a subset at once.

    A leaf loses the weighted squared distances of its vectors from their mean, divided by the
    weight of all rows. No other vector is nearer to a group, in whatever leaf it ends.
    """

    def __init__(self, p: ProofProblem, targets: Floats) -> None:
        self.weight, self.scale = p.weight, p.weight.sum()
        self.targets = targets - targets[0]  # vectors that are nearly equal keep their digits
        self.floor = np.zeros(len(targets))
        for rows in _groups(p.answers):
            loss = self.as_leaves(rows, np.ones((len(rows), 1)))[0]
            self.floor[rows[0]] = loss * (1.0 - TOLERANCE)

    def as_leaves(self, rows: NDArray[np.intp], inside: Floats) -> Floats:
        """Losses of several sets within these rows: a column each, 1 where a row is in it."""
        weight = self.weight[rows, None] * inside
        total = weight.sum(axis=0)
        losses: Floats = np.zeros(inside.shape[1])
        for x in self.targets[rows].T:
            mean = np.divide(x @ weight, total, out=np.zeros_like(total), where=total > 0)
            losses += (weight * (x[:, None] - mean) ** 2).sum(axis=0)
        losses /= self.scale
        return losses


class BrierLosses:
    """Losses of subsets, all questions of a subset at once.

    A leaf with curve S pays, at time y, (1-S)^2 a + S^2 b with a = weight of its rows after y over
    G(y), and b = sum of weight / G(y_i) over its events up to y. Between two times of its rows S,
    the weight after y and b stay as they are, so its loss is a sum over these intervals, with the
    integral of 1 / G over each.
    """

    def __init__(self, p: ProofProblem) -> None:
        self.p = p
        times, when = np.unique(p.time, return_inverse=True)
        # Each sum by time goes from the last row to the first: heavy rows leave no rounding.
        total = np.bincount(when, p.weight)
        at_risk = total[::-1].cumsum()[::-1]
        events = np.bincount(when, p.weight * p.event, len(times))
        g = np.cumprod((events + np.append(at_risk[1:], 0.0)) / at_risk)
        inverse = np.divide(1.0, g, out=np.zeros_like(g), where=g > 0)
        lengths = np.diff(times, append=times[-1]) / times[-1]
        self.times, self.end, self.scale = times, len(times) - 1, p.weight.sum()
        self.inverse_areas = lengths * inverse
        self.event_weight = np.where(p.event, p.weight, 0.0)
        self.censored_weight = np.where(p.event, 0.0, p.weight)
        self.b_weight = self.event_weight * inverse[when]
        self.steps = (lengths / self.scale, inverse)
        self.when = when
        self.floor = self._group_floors()

    def _group_floors(self) -> Floats:
        """On the first row of each group of rows with equal answers: what its best curve loses."""
        p = self.p
        floors = np.zeros(len(p.time))
        lengths, inverse = self.steps
        for rows in _groups(p.answers):
            if not self.event_weight[rows].any():
                continue
            weight = np.bincount(self.when[rows], p.weight[rows], len(lengths))
            a = np.append(weight[::-1].cumsum()[::-1][1:], 0.0) * inverse
            b = np.bincount(self.when[rows], self.b_weight[rows], len(lengths)).cumsum()
            best = np.divide(a * b, a + b, out=np.zeros_like(a), where=a * b > 0)
            floors[rows[0]] = (lengths * best).sum() * (1.0 - TOLERANCE)
        return floors

    def as_leaves(self, rows: NDArray[np.intp], inside: Floats) -> Floats:
        """Losses of several sets within these rows: a column each, 1 where a row is in it."""
        when = self.when[rows]
        starts = np.flatnonzero(np.diff(when, prepend=-1))
        weight = np.add.reduceat(self.p.weight[rows, None] * inside, starts)
        events = np.add.reduceat(self.event_weight[rows, None] * inside, starts)
        censored = np.add.reduceat(self.censored_weight[rows, None] * inside, starts)
        b = np.add.reduceat(self.b_weight[rows, None] * inside, starts).cumsum(axis=0)
        at_risk = weight[::-1].cumsum(axis=0)[::-1]
        later = np.vstack([at_risk[1:], np.zeros((1, inside.shape[1]))])
        stay = np.divide(censored + later, at_risk, out=np.ones_like(later), where=events > 0)
        s = np.cumprod(stay, axis=0)
        ends = np.append(when[starts], self.end)
        length = np.diff(self.times[ends])[:, None] / self.times[-1]
        # Added up for each interval: differences of sums from the first time on lose digits.
        length_inverse = np.add.reduceat(self.inverse_areas, when[starts])[:, None]
        loss = (1 - s) ** 2 * later * length_inverse + s**2 * b * length
        out: Floats = loss.sum(axis=0) / self.scale
        return out


def losses_of(p: ProofProblem) -> BrierLosses | TeacherLosses:
    """The loss that the file is about."""
    return BrierLosses(p) if p.targets is None else TeacherLosses(p, p.targets)
