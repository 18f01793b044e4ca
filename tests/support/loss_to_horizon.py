"""The loss integrated to a horizon, from its definition; and the check of a search against it."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import EventTable
from survtree._search.solve import SearchSettings, solve
from tests.support.brute_force import BruteForce, distinct_columns
from tests.support.problems import Case

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class LossToHorizon:
    """Losses of leaves, on the times as they are: no row is censored at the horizon here.

        1/(n h) sum over rows of int_0^min(y, h) (1-S)^2 / G + event int_min(y, h)^h S^2 / G(y)

    Time is cut at all times before the horizon; on each piece S and G stay as they are. A horizon
    above the last time acts as the last time. With competing risks S is 1 - F, and rows that ended
    by another cause add int_min(y, h)^h F^2 / G(y).
    """

    def __init__(
        self, time: Any, event: Any, weight: Any, horizon: float | None, other: Any = None
    ) -> None:
        self.time, self.event = np.asarray(time, float), np.asarray(event, bool)
        self.other = np.zeros_like(self.event) if other is None else np.asarray(other, bool)
        self.weight = np.asarray(weight, float)
        last = float(self.time.max())
        h = last if horizon is None else min(horizon, last)
        self.starts = np.unique(np.append(0.0, self.time[self.time < h]))
        share = np.diff(self.starts, append=h) / h
        share = share * self.weight[:, np.newaxis] / self.weight.sum()
        g = self._product_limit(np.ones(len(self.time), bool), ~(self.event | self.other))
        g_at_end = g[np.searchsorted(self.starts, self.time, side="right") - 1]
        is_followed = self.starts < self.time[:, np.newaxis]
        self.of_followed = np.where(is_followed, share / g, 0.0)
        self.of_gone, self.of_other = (
            np.where(~is_followed & ended[:, np.newaxis], share / g_at_end[:, np.newaxis], 0.0)
            for ended in (self.event, self.other)
        )

    def _product_limit(self, rows: Bools, ends: Bools) -> Floats:
        """Kaplan-Meier of one kind of end, on each piece; all rows of a time are at risk at it."""
        left, out = 1.0, []
        for start in self.starts:
            at_risk = rows & (self.time >= start)
            staying = at_risk & ~(ends & (self.time == start))
            if at_risk.any():
                left *= self.weight[staying].sum() / self.weight[at_risk].sum()
            out.append(left)
        return np.array(out)

    def _not_had(self, rows: Bools) -> Floats:
        """1 - the incidence of Aalen and Johansen, on each piece."""
        free = np.append(1.0, self._product_limit(rows, self.event | self.other)[:-1])
        had, out = 0.0, []
        for start, left in zip(self.starts, free, strict=True):
            at_risk = rows & (self.time >= start)
            ends = at_risk & self.event & (self.time == start)
            if ends.any():
                had += left * self.weight[ends].sum() / self.weight[at_risk].sum()
            out.append(1.0 - had)
        return np.array(out)

    def leaf_loss(self, rows: Bools) -> float:
        """The loss of the chosen rows as one leaf."""
        s = self._not_had(rows) if self.other.any() else self._product_limit(rows, self.event)
        of_others = self.of_followed[rows] + self.of_other[rows]
        return float((of_others @ (1 - s) ** 2 + self.of_gone[rows] @ s**2).sum())


def random_horizon(rng: np.random.Generator, time: Floats, event: Bools) -> float:
    """A time of some row, one between two, or one above all; some event is before it."""
    first, last = time[event].min(), time.max()
    above = np.unique(time[time > first])
    if len(above) == 0 or rng.random() < 0.1:
        return float(last * rng.uniform(1, 2))
    if rng.random() < 0.5:
        return float(rng.choice(above))
    return float(np.nextafter(first, np.inf) + (last - first) * rng.random())


def slow_loss(events: EventTable, horizon: float | None) -> LossToHorizon:
    """The loss of a table of outcomes."""
    return LossToHorizon(events.time, events.event, events.weight, horizon, events.is_other)


def check_horizon(case: Case) -> None:
    """The search on rows censored at a horizon finds the optimum of the loss to that horizon."""
    seed, problem = case.seed, case.problem
    rng = np.random.default_rng([73, seed])
    rows = np.arange(min(len(problem.events), 60))
    events = problem.events.take(rows)
    if not events.event.any() or events.time.max() == 0:
        return
    h = random_horizon(rng, events.time, events.event)
    answers = np.ascontiguousarray(problem.answers[rows, :6])
    depth = int(rng.integers(0, 4))
    names = replace(problem.questions, names=problem.questions.names[:6])
    clipped = replace(
        problem, answers=answers, events=events.until(h), questions=names, max_depth=depth
    )
    oracle = slow_loss(events, h)
    brute = BruteForce(
        answers[:, distinct_columns(answers)],
        oracle,
        problem.regularization,
        problem.min_samples_leaf,
        problem.min_events_leaf,
        clipped.events.event,
    )
    found = solve(clipped, SearchSettings())
    one_leaf = oracle.leaf_loss(np.ones(len(rows), bool))
    slack = 1e-9 * max(one_leaf, 1e-300)
    where = f"seed {seed}, horizon {h!r}"
    assert found.status == "optimal", where
    assert abs(found.one_leaf_loss - one_leaf) <= slack, where
    assert abs(found.objective - brute.optimum(depth)) <= slack, where
