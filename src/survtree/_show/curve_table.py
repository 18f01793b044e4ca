"""The curves of all leaves as a table, for other programs that draw or compare them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._data.frames import frame_in
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._scoring.curves import LeafCurve, PredictedCurve
from survtree._scoring.incidence import CompetingCurve, PredictedIncidences
from survtree._scoring.read_curves import check_times
from survtree._show.checks import check_backend, check_confidence
from survtree._show.leaf_facts import shrinkage_of


def curve_table(
    model: Any, times: Any = None, *, confidence: float = 0.95, backend: str | None = None
) -> Any:
    """The curves of all leaves: a row for each leaf and time, in the order of groups.

    Survival (Kaplan-Meier, with its limits), cumulative hazard (Nelson-Aalen) and the weight at
    risk are those of the leaf's own rows. If ``shrinkage_`` is above 0, ``predicted_survival`` and
    ``predicted_cumulative_hazard`` follow: what the leaf predicts. With competing risks there are
    the incidence of each cause and ``event_free``, the share free of all causes, instead of
    survival; the hazard is the cause-specific one of the cause that the tree is about.

    Parameters
    ----------
    model, confidence, backend
        As in ``leaf_table``.
    times : list of times, optional
        The same times for all leaves; by default 0, the times at which a curve of the leaf steps,
        and the last time of its rows.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, curve_table
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> curve_table(model, times=[0, 90]).select("group", "time", "at_risk", "survival")
    shape: (4, 4)
    ┌───────┬──────┬─────────┬──────────┐
    │ group ┆ time ┆ at_risk ┆ survival │
    │ ---   ┆ ---  ┆ ---     ┆ ---      │
    │ i64   ┆ f64  ┆ f64     ┆ f64      │
    ╞═══════╪══════╪═════════╪══════════╡
    │ 1     ┆ 0.0  ┆ 99.0    ┆ 1.0      │
    │ 1     ┆ 90.0 ┆ 59.0    ┆ 0.612437 │
    │ 2     ┆ 0.0  ┆ 38.0    ┆ 1.0      │
    │ 2     ┆ 90.0 ┆ 3.0     ┆ 0.078947 │
    └───────┴──────┴─────────┴──────────┘
    """
    tree = shown_tree_of(model)
    level = check_confidence(confidence)
    at = None if times is None else check_times(times)
    library = tree._state.frame_library if backend is None else check_backend(backend)
    parts = [_of_leaf(tree, leaf, at, level) for leaf in tree.groups_.values()]
    return frame_in(library, {name: np.concatenate([p[name] for p in parts]) for name in parts[0]})


def _of_leaf(
    tree: FittedTree, leaf: int, times: NDArray[np.float64] | None, confidence: float
) -> dict[str, NDArray[Any]]:
    own, predicted = tree.leaf_curves_[leaf], tree.predicted_curves_[leaf]
    group = next(group for group, node in tree.groups_.items() if node == leaf)
    is_shrunken = shrinkage_of(tree) > 0
    if times is None:
        steps = [*_steps(own), *(_steps(predicted) if is_shrunken else [])]
        times = np.unique(np.concatenate([[0.0], *steps, own.times[-1:]]))
    if isinstance(own, CompetingCurve):
        return _of_causes(tree, leaf, times, confidence)
    low, high = own.band(confidence)
    columns = {
        "group": np.full(len(times), group, dtype=np.int64),
        "leaf": np.full(len(times), leaf, dtype=np.int64),
        "time": times,
        "at_risk": own.at_risk(times),
        "survival": own.survival(times),
        "survival_low": low(times),
        "survival_high": high(times),
        "cumulative_hazard": own.hazard(times),
    }
    if is_shrunken:
        columns["predicted_survival"] = predicted.survival(times)
        columns["predicted_cumulative_hazard"] = predicted.hazard(times)
    return columns


def _steps(curve: LeafCurve | PredictedCurve) -> list[NDArray[np.float64]]:
    """Where the curves of a leaf step."""
    if isinstance(curve, CompetingCurve | PredictedIncidences):
        return [curve.event_free.x]
    return [curve.survival.x]


def _of_causes(
    tree: FittedTree, leaf: int, times: NDArray[np.float64], confidence: float
) -> dict[str, NDArray[Any]]:
    """With competing risks: the incidence of each cause, and what is free of all of them."""
    own, predicted = tree.leaf_curves_[leaf], tree.predicted_curves_[leaf]
    assert isinstance(own, CompetingCurve)
    assert isinstance(predicted, PredictedIncidences)
    group = next(group for group, node in tree.groups_.items() if node == leaf)
    columns = {
        "group": np.full(len(times), group, dtype=np.int64),
        "leaf": np.full(len(times), leaf, dtype=np.int64),
        "time": times,
        "at_risk": own.at_risk(times),
        "event_free": own.event_free(times),
    }
    for k, name in enumerate(own.named.names, start=1):
        low, high = own.incidence_band(k, confidence)
        columns[f"incidence_{name}"] = own.incidence(k)(times)
        columns[f"incidence_{name}_low"] = low(times)
        columns[f"incidence_{name}_high"] = high(times)
    columns["cumulative_hazard"] = own.hazard(times)
    if shrinkage_of(tree) > 0:
        columns["predicted_event_free"] = predicted.event_free(times)
        for k, name in enumerate(own.named.names):
            columns[f"predicted_incidence_{name}"] = predicted.incidences[k](times)
    return columns
