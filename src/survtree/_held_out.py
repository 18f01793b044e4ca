"""What a fitted tree scores on rows with a known outcome. Higher is better.

Unlike predictions for users, no value that the fit did not see is warned of: in parts of one study
they are a matter of course.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree import _metrics
from survtree._brier import ratio_of
from survtree._curves import Curves
from survtree._event_table import EventTable
from survtree._predict import TreePredictor
from survtree._resample import Cohort
from survtree._scored import Scored

Scoring = str | Callable[..., float]


def score_of(scoring: Scoring, model: TreePredictor, rows: Cohort, train: EventTable) -> float:
    """A score by its name or by a scikit-learn scorer; ``train`` are the rows of the fit."""
    if callable(scoring):
        return float(scoring(model, rows.X, rows.y))
    return _BY_NAME[scoring](model, rows, train)


def leaves_of(model: TreePredictor, X: Any) -> NDArray[np.intp]:
    """The leaf of each row, counted from 0."""
    table = model.binarizer_.read(X, model)
    nodes = model.tree_.apply(table.n_rows, lambda j: model.questions_.answer(j, table))
    return model.tree_.leaf_numbers()[nodes]


def ibs_ratio(model: TreePredictor, rows: Cohort, train: EventTable) -> float:
    """``survtree.metrics.ibs_ratio``: one curve for all, and G, are those of the training rows."""
    times = model.event_times_
    leaves = [model.leaf_curves_[node].survival(times) for node in model.tree_.leaves.tolist()]
    curves = Curves(times[np.newaxis], np.array(leaves))
    return ratio_of(Scored(rows.events, curves, leaves_of(model, rows.X)), train)


def harrell_c(model: TreePredictor, rows: Cohort, train: EventTable) -> float:
    """Harrell's concordance index of the predicted risk, as in ``score``."""
    by_node = model.leaf_risks_
    risks = np.array([by_node[node] for node in model.tree_.leaves.tolist()])
    return _metrics.harrell_c(rows.events, risks[leaves_of(model, rows.X)])


_BY_NAME: dict[str, Callable[[TreePredictor, Cohort, EventTable], float]] = {
    "ibs_ratio": ibs_ratio,
    "harrell_c": harrell_c,
}
