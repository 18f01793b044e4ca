"""Scores by name, for reports, the command line and scikit-learn."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from survtree._data.table import EventTable
from survtree._scoring.brier import ibs_ratio, integrated_brier_score
from survtree._scoring.concordance import cumulative_dynamic_auc, harrell_c, uno_c


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
        ibs_ratio,
    ),
    Score(
        "integrated_brier_score",
        "integrated Brier score",
        "0 is perfect",
        integrated_brier_score,
    ),
    Score("harrell_c", "Harrell's C", CHANCE, harrell_c, False),
    Score("uno_c", "Uno's C", CHANCE, uno_c),
    Score("mean_auc", "mean dynamic AUC", CHANCE, cumulative_dynamic_auc),
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


def ibs_ratio_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """``ibs_ratio`` of the curves that the estimator predicts."""
    return ibs_ratio(y, **_model_and_rows(estimator, X), **options)


def neg_integrated_brier_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """Minus ``integrated_brier_score`` of the curves that the estimator predicts."""
    return -integrated_brier_score(y, **_model_and_rows(estimator, X), **options)


def harrell_c_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """``harrell_c`` of the curves that the estimator predicts."""
    return harrell_c(y, **_model_and_rows(estimator, X), **options)


def uno_c_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """``uno_c`` of the curves that the estimator predicts."""
    return uno_c(y, **_model_and_rows(estimator, X), **options)


def auc_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """Mean ``cumulative_dynamic_auc`` of the curves that the estimator predicts."""
    return cumulative_dynamic_auc(y, **_model_and_rows(estimator, X), **options).mean


def _model_and_rows(estimator: Any, X: Any) -> dict[str, Any]:
    """The model inside searches and pipelines, which do not predict curves, and its rows."""
    while not hasattr(estimator, "predict_survival_function"):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline) and len(estimator) > 1:
            X, estimator = estimator[:-1].transform(X), estimator[-1]
        else:
            break
    return {"curves": estimator, "X": X}
