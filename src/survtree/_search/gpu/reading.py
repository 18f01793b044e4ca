"""The tree of the tie rule, read off the optima that a lattice finds.

From the root down: a leaf if it is as good as the optimum, otherwise the first question in the
order of the problem that attains it. What is within the tolerance of the search is as good; the
sums of a device differ from those of the core by far less than that.
"""

from collections.abc import Sequence
from math import inf, isinf
from typing import Any

import numpy as np

from survtree._base.tree import Tree
from survtree._search.gpu.lattice import DeviceRows, Lattice, Rules, Splits


class TreeReader:
    """Reads one tree; ``search`` is the native search that knows the order of questions."""

    def __init__(self, lattice: Lattice, search: Any, rules: Rules, tolerance: float) -> None:
        self._lattice = lattice
        self._search = search
        self._rules = rules
        self._tolerance = tolerance
        self._questions: Sequence[int] = ()
        self._nodes: list[list[int]] = []  # of a tree: question, no, yes

    def tree(self, rows: DeviceRows, depth: int, splits: Splits, questions: Sequence[int]) -> Tree:
        """The tree on all rows, of which ``splits`` are known; in the numbers of ``questions``."""
        self._nodes, self._questions = [], questions
        first = self._rules.may_be_first
        if depth > 0 and len(first) > 0:  # a split on one of these, whether it pays or not
            values = np.where(first, splits.values, inf)
            splits = Splits(inf if values.min() < inf else splits.leaf, values)
        self._add(rows, depth, splits)
        return Tree(*(np.array(column, np.int32) for column in zip(*self._nodes, strict=True)))

    def _add(self, rows: DeviceRows, depth: int, splits: Splits | None = None) -> int:
        """Adds the nodes of a subset, in preorder; returns the number of the first."""
        at = len(self._nodes)
        self._nodes.append([-1, -1, -1])
        depth = min(depth, useful_depth(rows, self._rules))
        if depth == 0:
            return at
        splits = splits or self._lattice.splits(rows, depth)
        as_good = splits.optimum + self._tolerance
        if isinf(splits.optimum) or splits.leaf <= as_good:
            return at
        tied = np.flatnonzero(splits.values <= as_good)
        question = self._search.first_question(tied.tolist())
        says_yes = rows.says_yes(question)
        no = self._add(rows.take(~says_yes), depth - 1)
        yes = self._add(rows.take(says_yes), depth - 1)
        self._nodes[at] = [int(self._questions[question]), no, yes]
        return at


def useful_depth(rows: DeviceRows, rules: Rules) -> int:
    """Splits that a path may have at most, since every leaf has rows and events."""
    leaves = int(rows.copies.sum()) // max(1, rules.min_rows)
    if rules.min_events > 0:
        leaves = min(leaves, int(rows.events.sum()) // rules.min_events)
    return max(0, leaves - 1)
