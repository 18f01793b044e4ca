"""The slow, obvious loss and a brute-force search. Shares no code with the core.

``tree_loss`` re-scores every tree the search returns; the rest is for tests and ``verify``.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
# A leaf is None; a split is (column, tree where it is 0, tree where it is 1).
NestedTree: TypeAlias = tuple[int, Any, Any] | None


class Oracle:
    """Losses of subsets of one data set, straight from the definition.

    Time is cut at the distinct training times t_0 < ... < t_K. On [t_k, t_k+1) every curve is
    constant, so the integral is a sum of (length x integrand), and sum and integral may be swapped:

        loss(leaf) = 1/(n t_K) sum_k (t_k+1 - t_k) [ (1-S_k)^2 n_later(k)/G_k + S_k^2 b(k) ]

    with n_later(k) the weight of rows with y > t_k, and b(k) the sum of weight/G(y_i) over events
    with y_i <= t_k. Before t_0 every S is 1 and no event has happened: nothing is lost there.
    """

    def __init__(self, time: Floats, event: Bools, weight: Floats | None = None) -> None:
        self.event = np.asarray(event, dtype=bool)
        self.weight = np.ones(len(time)) if weight is None else np.asarray(weight, dtype=float)
        self.times, self.when = np.unique(np.asarray(time, dtype=float), return_inverse=True)
        self.lengths = np.diff(self.times)
        self.scale = self.weight.sum() * self.times[-1]
        self.g = self._censoring_curve()
        self.inverse_g = np.divide(1.0, self.g, out=np.zeros_like(self.g), where=self.g > 0)

    def _by_time(self, rows: Bools) -> Floats:
        """Weight of the chosen rows at each distinct time."""
        counts = np.bincount(self.when[rows], self.weight[rows], minlength=len(self.times))
        return counts.astype(np.float64)  # without rows bincount makes integers

    def _censoring_curve(self) -> Floats:
        censored = self._by_time(~self.event)
        at_risk = _sum_from(self._by_time(np.ones(len(self.event), dtype=bool)))
        g: Floats = np.cumprod(1.0 - censored / at_risk, dtype=np.float64)
        return g

    def _counts(self, rows: Bools) -> tuple[Floats, Floats]:
        """At each distinct time: weight of the chosen rows still at risk, and of their events."""
        return _sum_from(self._by_time(rows)), self._by_time(rows & self.event)

    def survival(self, rows: Bools) -> Floats:
        """Kaplan-Meier curve of the rows, on [t_k, t_k+1)."""
        return _kaplan_meier(*self._counts(rows))

    def _a_and_b(self, at_risk: Floats, events: Floats) -> tuple[Floats, Floats]:
        """On each [t_k, t_k+1): weight of later rows / G, and sum of weight / G(y_i) of events."""
        return at_risk[1:] * self.inverse_g[:-1], np.cumsum(events * self.inverse_g)[:-1]

    def leaf_loss(self, rows: Bools) -> float:
        """Loss of the chosen rows (a mask) as one leaf."""
        counts = self._counts(rows)
        s = _kaplan_meier(*counts)[:-1]
        a, b = self._a_and_b(*counts)
        return float(np.sum(self.lengths * ((1 - s) ** 2 * a + s**2 * b)) / self.scale)

    def best_curve_loss(self, rows: Bools) -> float:
        """Loss of the pointwise best curve a/(a+b): no curve, Kaplan-Meier or not, loses less."""
        a, b = self._a_and_b(*self._counts(rows))
        best = np.divide(a * b, a + b, out=np.zeros_like(a), where=a + b > 0)
        return float(np.sum(self.lengths * best) / self.scale)

    def tree_loss(self, leaf_of_row: NDArray[np.integer[Any]]) -> float:
        """Loss of the tree that sends row i to leaf ``leaf_of_row[i]``."""
        return sum(self.leaf_loss(leaf_of_row == leaf) for leaf in np.unique(leaf_of_row))


def _sum_from(values: Floats) -> Floats:
    return np.cumsum(values[::-1])[::-1]


def _kaplan_meier(at_risk: Floats, events: Floats) -> Floats:
    share = np.divide(events, at_risk, out=np.zeros_like(events), where=events > 0)
    return np.cumprod(1.0 - share, dtype=np.float64)


class BruteForce:
    """All trees of a small problem, by recursion over (rows, depth) without any bound."""

    def __init__(
        self,
        features: NDArray[np.integer[Any]],
        oracle: Oracle,
        regularization: float,
        min_samples_leaf: int,
    ) -> None:
        self.features = np.asarray(features, dtype=bool)
        self.oracle = oracle
        self.regularization = regularization
        self.min_samples_leaf = min_samples_leaf
        self._optimum: dict[tuple[bytes, int], float] = {}
        self._leaf: dict[bytes, float] = {}

    def optimum(self, max_depth: int | None) -> float:
        """The least objective of all trees at most that deep."""
        n, p = self.features.shape
        return self._best(np.ones(n, dtype=bool), p if max_depth is None else min(max_depth, p))

    def _as_leaf(self, rows: Bools) -> float:
        key = rows.tobytes()
        if key not in self._leaf:
            self._leaf[key] = self.oracle.leaf_loss(rows) + self.regularization
        return self._leaf[key]

    def _splits(self, rows: Bools) -> list[tuple[int, Bools, Bools]]:
        parts = [(j, rows & ~column, rows & column) for j, column in enumerate(self.features.T)]
        need = max(1, self.min_samples_leaf)
        return [(j, no, yes) for j, no, yes in parts if min(no.sum(), yes.sum()) >= need]

    def _best(self, rows: Bools, depth: int) -> float:
        key = (rows.tobytes(), depth)
        if key not in self._optimum:
            options = [self._as_leaf(rows)]
            if depth > 0:
                options += [
                    self._best(no, depth - 1) + self._best(yes, depth - 1)
                    for _, no, yes in self._splits(rows)
                ]
            self._optimum[key] = min(options)
        return self._optimum[key]

    def optimal_trees(self, max_depth: int | None, tolerance: float) -> list[NestedTree]:
        """Every tree within the tolerance of the optimum at each of its nodes."""
        n, p = self.features.shape
        depth = p if max_depth is None else min(max_depth, p)
        return self._trees(np.ones(n, dtype=bool), depth, tolerance)

    def _trees(self, rows: Bools, depth: int, tolerance: float) -> list[NestedTree]:
        best = self._best(rows, depth) + tolerance
        out: list[NestedTree] = [None] if self._as_leaf(rows) <= best else []
        for j, no, yes in self._splits(rows) if depth > 0 else []:
            if self._best(no, depth - 1) + self._best(yes, depth - 1) <= best:
                no_trees = self._trees(no, depth - 1, tolerance)
                yes_trees = self._trees(yes, depth - 1, tolerance)
                out += [(j, a, b) for a in no_trees for b in yes_trees]
        return out


def distinct_columns(features: NDArray[np.integer[Any]]) -> Sequence[int]:
    """Columns that ask different questions: no constants, no repeats, no complements."""
    seen: set[bytes] = set()
    kept = []
    for j, column in enumerate(np.asarray(features, dtype=bool).T):
        flipped = column ^ column[0]
        if flipped.any() and flipped.tobytes() not in seen:
            seen.add(flipped.tobytes())
            kept.append(j)
    return kept
