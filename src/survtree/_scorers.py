"""Metrics as scikit-learn asks for them: ``scorer(estimator, X, y)``, higher is better."""

from typing import Any

from sklearn.pipeline import Pipeline

from survtree._brier import ibs_ratio, integrated_brier_score
from survtree._concordance import cumulative_dynamic_auc, harrell_c, uno_c


def ibs_ratio_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """``ibs_ratio`` of the curves that the estimator predicts."""
    return ibs_ratio(y, **_asked(estimator, X), **options)


def neg_integrated_brier_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """Minus ``integrated_brier_score`` of the curves that the estimator predicts."""
    return -integrated_brier_score(y, **_asked(estimator, X), **options)


def harrell_c_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """``harrell_c`` of the curves that the estimator predicts."""
    return harrell_c(y, **_asked(estimator, X), **options)


def uno_c_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """``uno_c`` of the curves that the estimator predicts."""
    return uno_c(y, **_asked(estimator, X), **options)


def auc_scorer(estimator: Any, X: Any, y: Any, **options: Any) -> float:
    """Mean ``cumulative_dynamic_auc`` of the curves that the estimator predicts."""
    return cumulative_dynamic_auc(y, **_asked(estimator, X), **options).mean


def _asked(estimator: Any, X: Any) -> dict[str, Any]:
    """The model inside searches and pipelines, which do not tell its curves, and its rows."""
    while not hasattr(estimator, "predict_survival_function"):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline) and len(estimator) > 1:
            X, estimator = estimator[:-1].transform(X), estimator[-1]
        else:
            break
    return {"curves": estimator, "X": X}
