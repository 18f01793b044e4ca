"""Shrunken curves of leaves: what a leaf predicts is pulled towards the larger groups around it.

On the path from the root v_0 to the leaf v_m let K(v) be the curve of the rows of a node and n(v)
their weight. The leaf predicts

    K(v_0) + sum over j < m of (K(v_j+1) - K(v_j)) / (1 + shrinkage / n(v_j)).

Let a_j = 1 / (1 + shrinkage / n(v_j)). Nodes get smaller along the path, so 1 >= a_0 >= a_1 >= ...,
and the sum is a mean of the curves of the path with the weights 1 - a_0, a_0 - a_1, ..., a_m-1,
none of them negative: the mean of survival curves is one, and that of cumulative hazards is one.
It is computed as this mean, so that no rounding error makes a survival curve rise.

The rows of an inner node are those of its leaves, so its curve follows from their counts.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from survtree._base.tree import Tree
from survtree._data.table import EventTable, Floats, Places
from survtree._scoring.curves import LeafCurve, PredictedCurve, StepFunction, one_curve
from survtree._scoring.incidence import PredictedIncidences, shrunken_incidences
from survtree._scoring.teachers import TeacherCurves, slope

# To choose from: neighbours predict nearly alike.
SHRINKAGES = (
    0.0,
    5.0,
    10.0,
    20.0,
    30.0,
    45.0,
    60.0,
    90.0,
    120.0,
    180.0,
    300.0,
    600.0,
    1000.0,
    2000.0,
)


class _Sums(NamedTuple):
    """What the nodes above a node add to both curves of its leaves, and the last factor a_j."""

    survival: Floats
    hazard: Floats
    factor: float


def shrunken_curves(
    tree: Tree, leaf_curves: Mapping[int, LeafCurve], shrinkage: float
) -> dict[int, PredictedCurve]:
    """The predicted curve of each leaf, by node number."""
    if any(curve.causes is not None for curve in leaf_curves.values()):
        return {**_of_several_causes(tree, leaf_curves, shrinkage)}
    if shrinkage == 0 or tree.n_nodes == 1:
        return {leaf: PredictedCurve(c.survival, c.hazard) for leaf, c in leaf_curves.items()}
    curves, weights = _of_all_nodes(tree, leaf_curves)
    times = curves[0].survival.x  # every event of a leaf is one of the root
    above = {0: _Sums(np.zeros(len(times)), np.zeros(len(times)), 1.0)}
    predicted: dict[int, PredictedCurve] = {}
    for node in range(tree.n_nodes):  # parents come before children
        is_leaf = tree.question[node] < 0
        factor = 0.0 if is_leaf else 1.0 / (1.0 + shrinkage / weights[node])
        sums = _with(above.pop(node), curves[node], times, factor)
        if is_leaf:
            predicted[node] = _predicted(times, sums)
        else:
            above[int(tree.no[node])] = above[int(tree.yes[node])] = sums
    return predicted


def _of_several_causes(
    tree: Tree, leaf_curves: Mapping[int, LeafCurve], shrinkage: float
) -> dict[int, PredictedIncidences]:
    """Likewise with competing risks: what each node of a path counts is the same for all causes."""
    if shrinkage == 0:
        return shrunken_incidences({leaf: [(leaf, 1.0)] for leaf in leaf_curves}, leaf_curves)
    curves, weights = _of_all_nodes(tree, leaf_curves)
    above: dict[int, tuple[list[tuple[int, float]], float]] = {0: ([], 1.0)}
    shares: dict[int, list[tuple[int, float]]] = {}
    for node in range(tree.n_nodes):  # parents come before children
        is_leaf = tree.question[node] < 0
        factor = 0.0 if is_leaf else 1.0 / (1.0 + shrinkage / weights[node])
        path, last = above.pop(node)
        path = [*path, (node, last - factor)]
        if is_leaf:
            shares[node] = path
        else:
            above[int(tree.no[node])] = above[int(tree.yes[node])] = path, factor
    return shrunken_incidences(shares, curves)


def nearest_shrinkage(
    tree: Tree, leaf_curves: Mapping[int, LeafCurve], teacher: TeacherCurves, means: Floats
) -> float:
    """The shrinkage whose predicted curves are nearest to the teacher's, in squared distance.

    ``means`` has a curve for each leaf: the mean of its rows by the teacher. The distance of rows
    to one curve is that of their mean, apart from a constant. Of a lone leaf nothing is shrunken.
    """
    if tree.n_nodes == 1:
        return 0.0
    weights = np.array([curve.weight for curve in leaf_curves.values()])
    lengths = teacher.lengths()

    def distance(shrinkage: float) -> float:
        predicted = shrunken_curves(tree, leaf_curves, shrinkage).values()
        curves = np.array([curve.survival(teacher.times) for curve in predicted])
        return float(weights @ ((curves - means) ** 2 @ lengths))

    return min(SHRINKAGES, key=distance)


def calibrated_shrinkage(
    tree: Tree,
    leaf_of_row: Places,
    leaf_curves: Mapping[int, LeafCurve],
    teacher: TeacherCurves,
    events: EventTable,
) -> float:
    """The shrinkage that suits the teacher's curves of the rows best, their slope corrected.

    ``leaf_of_row`` counts the leaves from 0; the events end at the horizon.
    """
    means = teacher.means(leaf_of_row, events.weight, len(tree.leaves))
    everyone = one_curve(events)(teacher.times)
    wanted = np.clip(everyone + slope(teacher, events) * (means - everyone), 0.0, 1.0)
    return nearest_shrinkage(tree, leaf_curves, teacher, wanted)


def _with(above: _Sums, curve: LeafCurve, times: Floats, factor: float) -> _Sums:
    """The sums with one more curve of the path."""
    share = above.factor - factor
    return _Sums(
        above.survival + share * curve.survival(times),
        above.hazard + share * curve.hazard(times),
        factor,
    )


def _predicted(times: Floats, sums: _Sums) -> PredictedCurve:
    # The weights sum to 1 up to rounding, which must not lift the curve above 1.
    survival = StepFunction(times, np.minimum(sums.survival, 1.0), before=1.0)
    return PredictedCurve(survival, StepFunction(times, sums.hazard, before=0.0))


def _of_all_nodes(
    tree: Tree, leaf_curves: Mapping[int, LeafCurve]
) -> tuple[dict[int, LeafCurve], dict[int, float]]:
    """The curve of the rows of each node, and their weight, which never exceeds the parent's."""
    curves = dict(leaf_curves)
    weights = {leaf: curve.weight for leaf, curve in leaf_curves.items()}
    for node in reversed(range(tree.n_nodes)):
        if tree.question[node] >= 0:
            no, yes = int(tree.no[node]), int(tree.yes[node])
            curves[node] = curves[no].merged(curves[yes])
            weights[node] = weights[no] + weights[yes]
    return curves, weights
