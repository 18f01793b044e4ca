"""All scores of a fitted tree on rows whose outcome is known, each by its name."""

from typing import Any

from survtree import metrics
from survtree._curves import outcome_of
from survtree._fitted import FittedTree

# What people call them.
TITLES = {
    "integrated_brier_score": "integrated Brier score",
    "ibs_ratio": "IBS ratio",
    "harrell_c": "Harrell's C",
    "uno_c": "Uno's C",
    "mean_auc": "mean AUC over time",
}


def scores_of(model: FittedTree, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
    """Scores by name; the censoring curve, and the one curve of the ratio, are of the fit.

    A model carries the outcome of its training rows in the counts of its leaves.
    """
    training = outcome_of(list(model.leaf_curves_.values()))
    shared: dict[str, Any] = {"X": X, "sample_weight": sample_weight}
    trained: dict[str, Any] = {
        "train": (training.event, training.time),
        "train_weight": training.weight,
    }
    return {
        "integrated_brier_score": metrics.integrated_brier_score(y, model, **shared, **trained),
        "ibs_ratio": metrics.ibs_ratio(y, model, **shared, **trained),
        "harrell_c": metrics.harrell_c(y, model, **shared),
        "uno_c": metrics.uno_c(y, model, **shared, **trained),
        "mean_auc": metrics.cumulative_dynamic_auc(y, model, **shared, **trained).mean,
    }
