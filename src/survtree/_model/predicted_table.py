"""Predictions as columns: what a model says of the rows of each leaf, and so of each row."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import format_exact
from survtree._data.causes import Causes
from survtree._data.frames import frame_in, library_of
from survtree._model.read_cause import check_cause
from survtree._scoring.read_curves import check_times


def predicted_columns(model: Any, times: Any) -> dict[str, NDArray[Any]]:
    """Group, node, risk, median and survival at the times, of the leaves in the order of the tree.

    Names of groups too, if the user gave any.
    """
    curves, risks = model.predicted_curves_, model.leaf_risks_
    groups = {node: group for group, node in model.groups_.items()}
    names = {"name": np.array([model.group_names_[groups[leaf]] for leaf in curves], dtype=str)}
    at = [] if times is None else check_times(times).tolist()
    survival = {
        f"{name}_{format_exact(time)}": [float(of(c)(time)) for c in curves.values()]
        for name, of in _shown(model.causes_)
        for time in at
    }
    return {
        "group": np.array([groups[leaf] for leaf in curves], dtype=np.int64),
        **(names if any(model._state.group_names) else {}),
        "leaf": np.array(list(curves), dtype=np.int64),
        "risk": np.array([float(risks[leaf]) for leaf in curves]),
        "median": np.array([curve.quantile(0.5) for curve in curves.values()]),
        **{name: np.array(values) for name, values in survival.items()},
    }


def _shown(causes: Causes | None) -> list[tuple[str, Callable[[Any], Any]]]:
    """The curves that are given at times, by name: survival, or all incidences."""
    if causes is None:
        return [("survival", lambda curve: curve.survival)]
    incidences = [(f"incidence_{name}", check_cause(causes, name)) for name in causes.names]
    return [*incidences, ("event_free", lambda curve: curve.event_free)]


def predicted_table(model: Any, X: Any, times: Any) -> Any:
    """The columns for each row of X, in the library of X."""
    columns = predicted_columns(model, times)
    places = model.tree_.leaf_numbers()[model.apply(X)]
    library = library_of(X)
    return frame_in(library, {name: each[places] for name, each in columns.items()}, X)
