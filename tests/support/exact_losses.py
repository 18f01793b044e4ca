"""Losses and optima in fractions: no rounding at all, for a few rows."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from survtree._proof.read_proof import ProofProblem


class ExactLosses:
    """The loss that a proof file is about, from its definition; rows are tuples of places."""

    def __init__(self, p: ProofProblem) -> None:
        self.p = p
        self.time, self.weight = (
            [Fraction(x) for x in each.tolist()] for each in (p.time, p.weight)
        )
        self.event = p.event.tolist()
        self.other = [False] * len(self.event) if p.other is None else p.other.tolist()
        self.total, self.last = sum(self.weight), max(self.time)
        self.times = sorted(set(self.time))
        self.targets = None
        if p.targets is not None:
            self.targets = [[Fraction(x) for x in row] for row in p.targets.tolist()]

    def of_leaf(self, rows: tuple[int, ...]) -> Fraction:
        """The loss of these rows as one leaf."""
        return self._brier(rows) if self.targets is None else self._distance(rows, self.targets)

    def _distance(self, rows: tuple[int, ...], targets: list[list[Fraction]]) -> Fraction:
        weight, out = sum(self.weight[i] for i in rows), Fraction(0)
        for k in range(len(targets[0])):
            mean = sum(self.weight[i] * targets[i][k] for i in rows) / weight
            out += sum(self.weight[i] * (targets[i][k] - mean) ** 2 for i in rows)
        return out / self.total

    @cached_property
    def censoring(self) -> list[Fraction]:
        """G at each distinct time."""
        return self._product(tuple(range(len(self.time))), is_ended=False)

    def _product(self, rows: tuple[int, ...], *, is_ended: bool) -> list[Fraction]:
        """The Kaplan-Meier curve of all causes, or of censorings, at all distinct times."""
        value, out = Fraction(1), []
        for t in self.times:
            at_risk = sum(self.weight[i] for i in rows if self.time[i] >= t)
            here = [i for i in rows if self.time[i] == t and self._is_ended(i) == is_ended]
            if here:
                value *= 1 - sum(self.weight[i] for i in here) / at_risk
            out.append(value)
        return out

    def _is_ended(self, row: int) -> bool:
        return self.event[row] or self.other[row]

    def _not_had(self, rows: tuple[int, ...]) -> list[Fraction]:
        """1 - the incidence of Aalen and Johansen; the Kaplan-Meier curve if there is one cause."""
        free = [Fraction(1), *self._product(rows, is_ended=True)]
        had, out = Fraction(0), []
        for before, t in zip(free, self.times, strict=False):
            at_risk = sum(self.weight[i] for i in rows if self.time[i] >= t)
            here = sum(self.weight[i] for i in rows if self.time[i] == t and self.event[i])
            had += before * here / at_risk if here else 0
            out.append(1 - had)
        return out

    def _brier(self, rows: tuple[int, ...]) -> Fraction:
        survival, g, out = self._not_had(rows), self.censoring, Fraction(0)
        place = {t: k for k, t in enumerate(self.times)}
        for k in range(len(self.times) - 1):
            t, length = self.times[k], self.times[k + 1] - self.times[k]
            later = sum(self.weight[i] for i in rows if self.time[i] > t)
            seen = [i for i in rows if self.event[i] and self.time[i] <= t]
            b = sum(self.weight[i] / g[place[self.time[i]]] for i in seen)
            a = later / g[k] if later else Fraction(0)
            gone = [i for i in rows if self.other[i] and self.time[i] <= t]
            a += sum(self.weight[i] / g[place[self.time[i]]] for i in gone)
            out += length * ((1 - survival[k]) ** 2 * a + survival[k] ** 2 * b)
        return out / (self.total * self.last)


class ExactSearch:
    """The optimum of the problem in a proof file, by trying all trees."""

    def __init__(self, p: ProofProblem) -> None:
        self.p, self.losses = p, ExactLosses(p)
        self.memo: dict[Any, Fraction] = {}

    def optimum(self) -> Fraction:
        """What the best tree costs."""
        n_questions, everyone = self.p.answers.shape[1], tuple(range(len(self.p.time)))
        depth = n_questions if self.p.max_depth is None else min(self.p.max_depth, n_questions)
        if self.p.first is None:
            return self._best(everyone, depth)
        values = self._splits(everyone, depth, np.flatnonzero(self.p.first).tolist())
        return min(values, default=self._best(everyone, 0))

    def _best(self, rows: tuple[int, ...], depth: int) -> Fraction:
        if (rows, depth) not in self.memo:
            penalty = Fraction(self.p.regularization)
            best = self.losses.of_leaf(rows) + penalty
            questions = range(self.p.answers.shape[1])
            self.memo[rows, depth] = min([best, *self._splits(rows, depth, questions)])
        return self.memo[rows, depth]

    def _splits(
        self, rows: tuple[int, ...], depth: int, questions: Iterable[int]
    ) -> list[Fraction]:
        """What the best tree costs that begins with each of some questions, where it can."""
        penalties, values = self.p.penalties, []
        for question in questions if depth > 0 else ():
            yes = tuple(i for i in rows if self.p.answers[i, question])
            no = tuple(i for i in rows if not self.p.answers[i, question])
            if self._is_allowed(yes) and self._is_allowed(no):
                penalty = Fraction(0 if penalties is None else float(penalties[question]))
                parts = self._best(yes, depth - 1) + self._best(no, depth - 1)
                values.append(parts + penalty)
        return values

    def _is_allowed(self, rows: tuple[int, ...]) -> bool:
        n_events = sum(bool(self.p.event[i]) for i in rows)
        return len(rows) >= self.p.min_rows and n_events >= self.p.min_events
