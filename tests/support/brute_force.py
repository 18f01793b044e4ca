"""A brute-force search over all trees of a small problem, on the loss from its definition."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import Bools

# A leaf is None; a split is (column, tree where it is 0, tree where it is 1).
NestedTree: TypeAlias = tuple[int, Any, Any] | None


class Oracle(Protocol):
    """A loss by its definition."""

    def leaf_loss(self, rows: Bools) -> float:
        """The loss of the chosen rows as one leaf."""


class BruteForce:
    """All trees of a small problem, by recursion over (rows, depth) without any bound.

    ``event`` are the flags of the rows, of which each leaf has at least ``min_events_leaf``;
    without flags every row has an event.
    """

    def __init__(
        self,
        features: NDArray[np.integer[Any]],
        oracle: Oracle,
        regularization: float,
        min_samples_leaf: int,
        min_events_leaf: int = 0,
        event: Bools | None = None,
    ) -> None:
        self.features = np.asarray(features, dtype=bool)
        self.oracle = oracle
        self.regularization = regularization
        self.min_samples_leaf = min_samples_leaf
        self.min_events_leaf = min_events_leaf
        self.event = np.ones(len(self.features), dtype=bool) if event is None else event
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
        return [(j, no, yes) for j, no, yes in parts if self._fits(no) and self._fits(yes)]

    def _fits(self, rows: Bools) -> bool:
        n_events = (rows & self.event).sum()
        return bool(
            rows.sum() >= max(1, self.min_samples_leaf) and n_events >= self.min_events_leaf
        )

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
