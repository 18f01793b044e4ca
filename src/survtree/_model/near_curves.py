"""Curves of many trees at once: nodes that trees share are looked at once.

A node is known by the path to it, a tuple with a number for each answer on the way: question + 1
for yes, minus that for no. Near-optimal trees differ in few places, so thousands of them have few
different paths.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._data.table import Bools, EventTable, Floats, Places
from survtree._model.prepare import Prepared
from survtree._scoring.curves import curve_of_rows, one_curve
from survtree._scoring.shrinkage import SHRINKAGES
from survtree._scoring.teachers import slope

Path = tuple[int, ...]


def leaf_paths(tree: Tree) -> list[Path]:
    """The path to each leaf, in the order of the tree's leaves."""
    paths: dict[int, Path] = {0: ()}
    found = []
    for node in range(tree.n_nodes):  # parents come before children
        path, question = paths.pop(node), int(tree.question[node])
        if question < 0:
            found.append(path)
        else:
            paths[int(tree.no[node])] = (*path, -question - 1)
            paths[int(tree.yes[node])] = (*path, question + 1)
    return found


class RowsOfPaths:
    """Which rows of a table take a path."""

    def __init__(self, n_rows: int, answer: Callable[[int], Bools]) -> None:
        self._answer = answer
        self._answers: dict[int, Bools] = {}
        self._rows: dict[frozenset[int], Places] = {frozenset(): np.arange(n_rows)}

    def of(self, path: Path) -> Places:
        """Their places, ascending."""
        key = frozenset(path)  # the order of the splits does not matter
        if key not in self._rows:
            before, is_yes = self.of(path[:-1]), self._yes(abs(path[-1]) - 1)
            self._rows[key] = before[is_yes[before] == (path[-1] > 0)]
        return self._rows[key]

    def _yes(self, question: int) -> Bools:
        if question not in self._answers:
            self._answers[question] = self._answer(question)
        return self._answers[question]


class SharedCurves:
    """Predicted survival at given times of the leaves of many trees, by their paths.

    A leaf into which none of the rows fall, as may happen in a part of them, predicts what the node
    above it does.
    """

    def __init__(self, events: EventTable, rows: RowsOfPaths, times: Floats) -> None:
        self._events, self._rows, self._times = events, rows, times
        self._survival: dict[frozenset[int], Floats] = {}

    def predicted(self, path: Path, shrinkages: Sequence[float]) -> Floats:
        """The survival of the leaf by each of the shrinkages: shrinkages x times."""
        while len(self._rows.of(path)) == 0:
            path = path[:-1]
        if shrinkages == [0.0]:
            return self._own(path)[np.newaxis]
        curves = np.array([self._own(path[:k]) for k in range(len(path) + 1)])
        weights = np.array([self.weight(path[:k]) for k in range(len(path))])
        return np.asarray(path_shares(weights, np.asarray(shrinkages)) @ curves)

    def weight(self, path: Path) -> float:
        """Of the rows of a node."""
        return float(self._events.weight[self._rows.of(path)].sum())

    def _own(self, path: Path) -> Floats:
        """Kaplan-Meier of the rows of a node."""
        key = frozenset(path)
        if key not in self._survival:
            curve = curve_of_rows(self._events, self._rows.of(path))
            self._survival[key] = curve.survival(self._times)
        return self._survival[key]


def path_shares(weights: Floats, shrinkages: Floats) -> Floats:
    """How much the curve of each node of a path counts: shrinkages x nodes.

    ``weights`` are those of the nodes above the leaf; ``_scoring/shrinkage.py`` has the formula.
    """
    n = len(shrinkages)
    factors = 1.0 / (1.0 + shrinkages[:, np.newaxis] / weights)
    ends = np.concatenate([np.ones((n, 1)), factors, np.zeros((n, 1))], axis=1)
    return -np.diff(ends, axis=1)


class Shrinkages:
    """The shrinkage that a fit would choose for each of many trees."""

    def __init__(self, prepared: Prepared, rows: RowsOfPaths) -> None:
        self._prepared, self._rows = prepared, rows
        self._distances: dict[Path, NDArray[np.float64]] = {}

    def of(self, paths: Sequence[Path]) -> float:
        """Of the tree whose leaves have these paths."""
        if self._prepared.shrinkage is not None:
            return self._prepared.shrinkage
        if len(paths) == 1:
            return 0.0
        distances = sum(self._distance(path) for path in paths)
        return SHRINKAGES[int(np.argmin(distances))]

    def _distance(self, path: Path) -> NDArray[np.float64]:
        """What the rows of a leaf add to the distance from the teacher, by each shrinkage."""
        if path not in self._distances:
            teacher = self._prepared.teacher
            assert teacher is not None
            rows = self._rows.of(path)
            weight = self._prepared.exact.weight[rows]
            mean = weight @ teacher.survival[rows] / weight.sum()
            everyone, factor = self._target
            wanted = np.clip(everyone + factor * (mean - everyone), 0.0, 1.0)
            curves = self._curves.predicted(path, SHRINKAGES)
            self._distances[path] = weight.sum() * ((curves - wanted) ** 2 @ teacher.lengths())
        return self._distances[path]

    @cached_property
    def _curves(self) -> SharedCurves:
        assert self._prepared.teacher is not None
        return SharedCurves(self._prepared.exact, self._rows, self._prepared.teacher.times)

    @cached_property
    def _target(self) -> tuple[Floats, float]:
        """The curve of all rows, and by which factor the teacher's should differ more from it."""
        teacher, events = self._prepared.teacher, self._prepared.exact.until(self._prepared.horizon)
        assert teacher is not None
        return one_curve(events)(teacher.times), slope(teacher, events)
