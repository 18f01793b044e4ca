"""STreeD's survival tree (SurTree), and the leaf in which each row ends."""

from typing import Any

import numpy as np
from pystreed import STreeDSurvivalAnalysis


class Solver(STreeDSurvivalAnalysis):
    """Its fit takes event flags as places of a list, which booleans of NumPy 2 refuse to be."""

    def _compute_baseline_cumulative_hazard_function(self, events: Any, times: Any) -> Any:
        return super()._compute_baseline_cumulative_hazard_function(events.astype(int), times)

    def _process_extra_data(self, X: Any, events: Any) -> Any:
        return super()._process_extra_data(X, events.astype(int))


def solver() -> Solver:
    """At its defaults: depth 3, five thresholds per number, at least one row per leaf."""
    return Solver()


def leaves_of(model: Solver, X: np.ndarray) -> np.ndarray:
    """A number for the leaf of each row."""
    answers = np.asarray(model._binarize_data(X, reset=False)) > 0
    leaves = np.zeros(len(X), dtype=int)
    _number(model.get_tree(), answers, np.arange(len(X)), 1, leaves)
    return leaves


def _number(node: Any, answers: np.ndarray, rows: np.ndarray, name: int, out: np.ndarray) -> None:
    """Nodes are named as in a heap: the children of k are 2k and 2k + 1."""
    if node.is_leaf_node():
        out[rows] = name
        return
    is_yes = answers[rows, node.feature]
    _number(node.left_child, answers, rows[~is_yes], 2 * name, out)
    _number(node.right_child, answers, rows[is_yes], 2 * name + 1, out)
