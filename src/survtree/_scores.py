"""The scores that reports and the command line tell: their names, and how they are found."""

from collections.abc import Callable
from typing import Any, NamedTuple

from survtree import metrics
from survtree._curves import StepFunction
from survtree._event_table import EventTable
from survtree._fitted import FittedTree


class Score(NamedTuple):
    """A metric under its name, and its name for readers."""

    name: str
    title: str
    meaning: str
    metric: Callable[..., Any]
    is_weighted_by_censoring: bool = True


CHANCE = "1 is perfect, 0.5 chance"
SCORES = (
    Score(
        "ibs_ratio",
        "IBS ratio",
        "1 is perfect, 0 no better than one curve for all",
        metrics.ibs_ratio,
    ),
    Score(
        "integrated_brier_score",
        "integrated Brier score",
        "0 is perfect",
        metrics.integrated_brier_score,
    ),
    Score("harrell_c", "Harrell's C", CHANCE, metrics.harrell_c, False),
    Score("uno_c", "Uno's C", CHANCE, metrics.uno_c),
    Score("mean_auc", "mean dynamic AUC", CHANCE, metrics.cumulative_dynamic_auc),
)


def scores_of(curves: Any, events: EventTable, train: EventTable) -> dict[str, float | None]:
    """All scores of rows by name, None where too few rows can be compared.

    The censoring curve, and the one curve of the ratio, are those of the training rows.
    """
    weights: dict[str, Any] = {"sample_weight": events.weight}
    censoring = {"train": (train.event, train.time), "train_weight": train.weight}
    return {
        score.name: _value(
            score.metric,
            (events.event, events.time),
            curves,
            weights | censoring if score.is_weighted_by_censoring else weights,
        )
        for score in SCORES
    }


def _value(metric: Callable[..., Any], y: Any, curves: Any, options: Any) -> float | None:
    try:
        found = metric(y, curves, **options)
    except ValueError:  # in a small part of a study no two rows may be comparable
        return None
    return float(getattr(found, "mean", found))


def functions_of(model: FittedTree, X: Any) -> list[StepFunction]:
    """The survival curve of each row; rows of a leaf share one."""
    curves = model.leaf_curves_
    return [curves[leaf].survival for leaf in model.apply(X).tolist()]
