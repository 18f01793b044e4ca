"""The best trees for every penalty, by searches at single penalties.

The objective of a tree is a line over the penalty: its cost, and its number of leaves as the slope.
The best trees are those whose lines are somewhere below all others. Where the lines of two of them
cross, either some tree lies below, which is searched for, or none does, and both are neighbours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from survtree._base.tree import Tree


@dataclass(frozen=True, eq=False)
class Point:
    """A tree, what it costs without the penalties of its leaves, and the penalty it was found at.

    A tree that is the only one of its penalty follows the tie rule among those of its size.
    """

    tree: Tree
    cost: float
    penalty: float

    @property
    def n_leaves(self) -> int:
        """The slope of its line."""
        return len(self.tree.leaves)

    def at(self, penalty: float) -> float:
        """Its objective."""
        return self.cost + penalty * self.n_leaves


class Hull:
    """``tree_at`` is the search for the best tree; ``lowest`` is the smallest penalty."""

    def __init__(
        self,
        tree_at: Callable[[float], Tree],
        cost_of: Callable[[Tree], float],
        lowest: float,
        tolerance: float,
    ) -> None:
        self._tree_at, self._cost_of = tree_at, cost_of
        self._lowest, self._tolerance = lowest, tolerance
        self._points: list[Point] = []  # all that were found

    def find(self, smallest: Tree) -> None:
        """Looks for all of them; ``smallest`` is the best tree for very large penalties."""
        first = self._add(smallest, inf)
        last = self._find(self._lowest)
        open_pairs = [(first, last)]
        while open_pairs:
            few, many = open_pairs.pop()
            if few.n_leaves >= many.n_leaves:
                continue
            penalty = _crossing(few, many)
            if penalty <= self._lowest:
                continue
            between = self._find(penalty)
            is_below = between.at(penalty) < few.at(penalty)
            if is_below and few.n_leaves < between.n_leaves < many.n_leaves:
                open_pairs += [(few, between), (between, many)]
        self._settle()

    def trees(self) -> list[Tree]:
        """The best ones that are known, by number of leaves."""
        return [point.tree for point in self._kept()]

    def _kept(self) -> list[Point]:
        """Of what was found, by number of leaves: as Frontier::keep of the core does it."""
        best: dict[int, Point] = {}
        for point in self._points:
            known = best.get(point.n_leaves)
            if known is None or point.cost < known.cost - self._tolerance:
                best[point.n_leaves] = point
        hull: list[Point] = []
        for n_leaves in sorted(best):
            self._keep(hull, best[n_leaves])
        return hull

    def _keep(self, hull: list[Point], point: Point) -> None:
        while len(hull) > 1 and _crossing(hull[-1], point) + self._tolerance >= _crossing(
            hull[-2], hull[-1]
        ):
            hull.pop()
        if hull and hull[-1].at(self._lowest) - point.at(self._lowest) <= self._tolerance:
            return
        hull.append(point)

    def _settle(self) -> None:
        """Trees that tie where they were found are searched for where they do not."""
        hull = self._kept()
        breaks = [_crossing(few, many) for few, many in pairwise(hull)]
        for point, low, high in zip(hull, [*breaks, self._lowest], [inf, *breaks], strict=True):
            room = 4 * self._tolerance + 1e-9 * (high - low) if high < inf else 0.0
            if low + room < point.penalty < high - room or point.penalty == inf:
                continue
            again = self._find((low + high) / 2)
            if again.n_leaves == point.n_leaves:
                self._points.remove(point)

    def _find(self, penalty: float) -> Point:
        return self._add(self._tree_at(penalty), penalty)

    def _add(self, tree: Tree, penalty: float) -> Point:
        point = Point(tree, self._cost_of(tree), penalty)
        self._points.append(point)
        return point


def _crossing(few: Point, many: Point) -> float:
    """The penalty at which both cost the same: what each further leaf saves."""
    return (few.cost - many.cost) / (many.n_leaves - few.n_leaves)
