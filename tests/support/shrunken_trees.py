"""Trees with rows in their leaves, and the check of their shrunken curves by the definition."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._scoring.curves import PredictedCurve, leaf_curves
from survtree._scoring.shrinkage import shrunken_curves
from tests.support.made_up_models import random_tree
from tests.support.problems import random_events, random_times, random_weights
from tests.support.slow_shrinkage import kaplan_meier, nelson_aalen, shrunken

SHRINKAGES = (0.0, 1e-3, 1.0, 7.5, 60.0, 1e4, 1e300)


class Case:
    """A tree with rows in its leaves, which may be few, tied, weighted and without events."""

    def __init__(self, tree: Tree, events: EventTable, leaf_of_row: NDArray[np.intp]) -> None:
        self.tree, self.leaf_of_row = tree, leaf_of_row
        self.events = events
        self.rows = list(zip(events.time, events.event, events.weight, strict=True))
        curves = leaf_curves(events, leaf_of_row, len(tree.leaves))
        self.leaf_curves = dict(zip(tree.leaves.tolist(), curves, strict=True))
        # Some of the times, the first and the last among them.
        times = np.append(events.unique_times, events.time.max() + 1.0)
        self.times = times[np.unique(np.linspace(0, len(times) - 1, 6).astype(int))]

    def path(self, leaf: int) -> list[list[Any]]:
        """The rows of each node from the root to the leaf."""
        above = self.tree.ancestors()
        inside = {node: above[self.tree.leaves, node] for node in np.flatnonzero(above[leaf])}
        return [
            [row for row, at in zip(self.rows, self.leaf_of_row, strict=True) if here[at]]
            for here in inside.values()
        ]


def random_rows(seed: int) -> Case:
    """A case with up to 7 leaves and 30 rows."""
    rng = np.random.default_rng([7, seed])
    n_leaves = int(rng.integers(1, 8))
    tree = random_tree(n_leaves, seed, is_chain=bool(rng.random() < 0.3))
    n = n_leaves + int(rng.integers(0, 24))
    leaf_of_row = rng.permutation(np.append(np.arange(n_leaves), rng.integers(n_leaves, size=n)))
    _, time = random_times(rng, leaf_of_row[:, np.newaxis])
    _, event = random_events(rng, time)
    if rng.random() < 0.5 and n_leaves > 1:  # a leaf without events
        event &= leaf_of_row != rng.integers(n_leaves)
        event[np.flatnonzero(leaf_of_row == leaf_of_row[0])[0]] = True
    _, weight = random_weights(rng, len(time))
    return Case(tree, EventTable(event, time.astype(float), weight), leaf_of_row)


def assert_curves_are_those_of_the_definition(case: Case, shrinkage: float) -> None:
    """Both curves of each leaf, at some times."""
    predicted = shrunken_curves(case.tree, case.leaf_curves, shrinkage)
    assert list(predicted) == case.tree.leaves.tolist()
    for leaf, curve in predicted.items():
        path = case.path(leaf)
        for kind, found in ((kaplan_meier, curve.survival), (nelson_aalen, curve.hazard)):
            wanted = [shrunken(kind, path, shrinkage, t) for t in case.times]
            assert np.allclose(found(case.times), wanted, rtol=1e-9, atol=1e-11)
        assert_is_survival_curve(curve)


def assert_is_survival_curve(curve: PredictedCurve) -> None:
    """Survival falls from 1 and hazards rise from 0."""
    survival, hazard = curve.survival, curve.hazard
    assert survival.before == 1
    assert hazard.before == 0
    assert np.all((survival.y >= 0) & (survival.y <= 1))
    assert np.all(np.diff(survival.y) <= 0)
    assert np.all(np.diff(hazard.y, prepend=0) >= 0)


def check_shrinkage(seed: int) -> None:
    """A random tree with one of the shrinkages."""
    shrinkage = SHRINKAGES[seed % len(SHRINKAGES)]
    assert_curves_are_those_of_the_definition(random_rows(seed), shrinkage)
