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
    without flags every row has an event. ``penalties`` are added for every split, by column. If
    ``may_be_first`` says of any column that can split all rows that it may, one of these must.
    """

    def __init__(
        self,
        features: NDArray[np.integer[Any]],
        oracle: Oracle,
        regularization: float,
        min_samples_leaf: int,
        min_events_leaf: int = 0,
        event: Bools | None = None,
        penalties: NDArray[np.float64] | None = None,
        may_be_first: Bools | None = None,
    ) -> None:
        self.features = np.asarray(features, dtype=bool)
        self.oracle = oracle
        self.regularization = regularization
        self.min_samples_leaf = min_samples_leaf
        self.min_events_leaf = min_events_leaf
        self.event = np.ones(len(self.features), dtype=bool) if event is None else event
        n = self.features.shape[1]
        self.penalties = np.zeros(n) if penalties is None else penalties
        self.may_be_first = np.ones(n, dtype=bool) if may_be_first is None else may_be_first
        self.has_first = may_be_first is not None
        self._optimum: dict[tuple[bytes, int], float] = {}
        self._leaf: dict[bytes, float] = {}

    def depth_of(self, max_depth: int | None, max_leaves: int | None = None) -> int:
        """The depth that trees can make use of; 0 where the rule about the first split fails."""
        p = self.features.shape[1]
        depth = p if max_depth is None else min(max_depth, p)
        is_stuck = self.has_first and not self.must_split(max_depth, max_leaves)
        return 0 if is_stuck else depth

    def must_split(self, max_depth: int | None, max_leaves: int | None = None) -> bool:
        """Whether a first split is asked for, and there is one."""
        is_allowed = self.has_first and max_depth != 0 and max_leaves != 1
        return is_allowed and bool(self._splits(np.ones(len(self.features), dtype=bool)))

    def optimum(self, max_depth: int | None) -> float:
        """The least objective of all trees at most that deep."""
        return self._best(np.ones(len(self.features), dtype=bool), self.depth_of(max_depth))

    def _as_leaf(self, rows: Bools, depth: int) -> float:
        if self.has_first and depth > 0 and rows.all():
            return float(np.inf)
        key = rows.tobytes()
        if key not in self._leaf:
            self._leaf[key] = self.oracle.leaf_loss(rows) + self.regularization
        return self._leaf[key]

    def _splits(self, rows: Bools) -> list[tuple[int, Bools, Bools]]:
        is_first = self.has_first and rows.all()
        parts = [
            (j, rows & ~column, rows & column)
            for j, column in enumerate(self.features.T)
            if not is_first or self.may_be_first[j]
        ]
        return [(j, no, yes) for j, no, yes in parts if self._fits(no) and self._fits(yes)]

    def _fits(self, rows: Bools) -> bool:
        n_events = (rows & self.event).sum()
        return bool(
            rows.sum() >= max(1, self.min_samples_leaf) and n_events >= self.min_events_leaf
        )

    def _best(self, rows: Bools, depth: int) -> float:
        key = (rows.tobytes(), depth)
        if key not in self._optimum:
            options = [self._as_leaf(rows, depth)]
            if depth > 0:
                options += [
                    self._best(no, depth - 1) + self._best(yes, depth - 1) + self.penalties[j]
                    for j, no, yes in self._splits(rows)
                ]
            self._optimum[key] = min(options)
        return self._optimum[key]

    def optimal_trees(self, max_depth: int | None, tolerance: float) -> list[NestedTree]:
        """Every tree within the tolerance of the optimum at each of its nodes."""
        depth = self.depth_of(max_depth)
        return self._trees(np.ones(len(self.features), dtype=bool), depth, tolerance)

    def _trees(self, rows: Bools, depth: int, tolerance: float) -> list[NestedTree]:
        best = self._best(rows, depth) + tolerance
        out: list[NestedTree] = [None] if self._as_leaf(rows, depth) <= best else []
        for j, no, yes in self._splits(rows) if depth > 0 else []:
            value = self._best(no, depth - 1) + self._best(yes, depth - 1) + self.penalties[j]
            if value <= best:
                no_trees = self._trees(no, depth - 1, tolerance)
                yes_trees = self._trees(yes, depth - 1, tolerance)
                out += [(j, a, b) for a in no_trees for b in yes_trees]
        return out


def distinct_columns(
    features: NDArray[np.integer[Any]],
    penalties: NDArray[np.float64] | None = None,
    may_be_first: Bools | None = None,
) -> Sequence[int]:
    """Columns that ask different questions: no constants, no repeats, no complements.

    Of columns that part the rows alike the one with the smallest penalty stays, of those one that
    may be first, of those the first; and if that may not be first, the best that may.
    """
    groups: dict[bytes, list[int]] = {}
    for j, column in enumerate(np.asarray(features, dtype=bool).T):
        flipped = column ^ column[0]
        if flipped.any():
            groups.setdefault(flipped.tobytes(), []).append(j)
    first = np.zeros(features.shape[1], dtype=bool) if may_be_first is None else may_be_first
    cost = np.zeros(features.shape[1]) if penalties is None else penalties
    kept = set()
    for alike in groups.values():
        ordered = sorted(alike, key=lambda j: (cost[j], not first[j], j))
        kept.add(ordered[0])
        kept.update([j for j in ordered if first[j]][:1])
    return sorted(kept)
