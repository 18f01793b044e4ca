"""Groups: the leaves of a tree numbered by risk, 1 the lowest, and the names that users give them.

Every view calls a leaf by its group; the number of its node is for ``apply`` and the arrays of the
tree. The order is decided here and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._model.checks import check_group_names
from survtree._scoring.curves import LeafCurve, PredictedCurve
from survtree._scoring.incidence import CompetingCurve, PredictedIncidences

Model = TypeVar("Model", bound="Grouped")


def risks_of(
    curves: Mapping[int, LeafCurve] | Mapping[int, PredictedCurve], event_times: Any
) -> dict[int, float]:
    """The risk score of each leaf: its cumulative hazard summed over the event times.

    With competing risks it is the mean time that the target cause takes away up to the last event
    time: the area under its incidence.
    """
    if any(isinstance(curve, CompetingCurve | PredictedIncidences) for curve in curves.values()):
        lengths = np.diff(event_times, append=event_times[-1])
        return {
            leaf: float((1.0 - curve.survival(event_times)) @ lengths)
            for leaf, curve in curves.items()
        }
    return {leaf: curve.hazard(event_times).sum() for leaf, curve in curves.items()}


def leaves_by_risk(tree: Tree, risks: Mapping[int, float]) -> list[int]:
    """The leaves from the lowest risk to the highest; of equal ones, the first that is read."""
    place = {node: k for k, node in enumerate(tree.as_read())}
    return sorted(risks, key=lambda node: (risks[node], place[node]))


class Grouped:
    """What a fitted tree says of its groups."""

    @property
    def groups_(self: Any) -> dict[int, int]:
        """The leaf (node number) of each group; groups count from 1, the lowest risk."""
        return dict(enumerate(leaves_by_risk(self.tree_, self.leaf_risks_), start=1))

    @property
    def group_names_(self: Any) -> dict[int, str]:
        """The name of each group: the one that ``rename`` gave it, otherwise "group 1" and so on.

        ``[model.group_names_[k] for k in model.predict_group(X)]`` names the groups of rows.
        """
        given = self._state.group_names or [""] * len(self.tree_.leaves)
        return {k: name or f"group {k}" for k, name in enumerate(given, start=1)}

    def predict_group(self: Any, X: Any) -> NDArray[np.intp]:
        """The group of each row: 1 has the lowest risk, ``n_leaves_`` the highest."""
        group_of = np.zeros(self.tree_.n_nodes, dtype=np.intp)
        for group, node in self.groups_.items():
            group_of[node] = group
        found: NDArray[np.intp] = group_of[self.apply(X)]
        return found

    def rename(self: Model, names: Mapping[int, str | None]) -> Model:
        """Give groups names, such as ``{1: "low risk", 4: "high risk"}``; returns the model.

        All texts, tables, pictures, reports and model files show them beside the numbers. None
        takes a name away; a new fit forgets all of them.
        """
        model: Any = self
        state = model._state
        given = state.group_names or ("",) * len(model.tree_.leaves)
        model._fitted = replace(state, group_names=check_group_names(names, given))
        return self
