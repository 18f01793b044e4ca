"""Scores of survival curves and risks against censored outcomes, for any model.

All functions share these parameters; those without a censoring curve have no ``train``.

y : structured array (event, time), two-column frame, or pair (event, time)
    The outcome of the rows that are scored, in every form that ``OptimalSurvivalTree.fit`` takes.
    If ``curves`` is a tree that took its outcome from columns of a frame, y is such a frame, and
    ``X`` is left out; so may ``train`` be: ``ibs_ratio(frame, tree, train=training_frame)``.
curves : fitted model, (survival, times), or list of step functions
    A model has ``predict_survival_function(X)`` and comes with ``X=``; fitted searches and
    pipelines that end in one count as models. A pair is a matrix of
    survival probabilities (row, time) and the ascending times of its columns. A step function has
    ``x`` and ``y``. A curve is 1 before its first time and stays as it is after its last one.
X : array or frame, optional
    The rows to predict, if ``curves`` is a model.
sample_weight : array of positive numbers, optional
    A row of weight 2 counts as two equal rows.
train, train_weight : outcome and weights of the training rows, optional
    The censoring curve G is that of these rows; by default that of the rows that are scored. From
    the last training time on G keeps its last positive value; if rows that are scored end later, a
    ``BeyondTrainingWarning`` says so once per call.
horizon : time, optional
    Scores that integrate over time do so from 0 to here; by default to the last time of y. A
    horizon above the last time acts as the last time. ``horizon_`` of a fitted tree is that of its
    loss. If a few rows at the end carry much of the loss, a ``TailWeightWarning`` says so.

With competing risks a model knows its cause, and reads y as its fit did. Otherwise y is
``with_cause(y, cause=...)``. Curves are then 1 - the cumulative incidence of the cause.

The scorers are for ``cross_val_score(..., scoring=)`` and take the same options. A fold knows its
own rows only, so without ``train`` the censoring curve, and the one curve of ``ibs_ratio``, are
those of the fold that is scored; ``functools.partial(ibs_ratio_scorer, train=y)`` changes that.
"""

from survtree._base import BeyondTrainingWarning, TailWeightWarning
from survtree._data.causes import with_cause
from survtree._scoring.concordance import (
    DynamicAUC,
    cumulative_dynamic_auc,
    harrell_c,
    harrell_c_of_risk,
    uno_c,
    uno_c_of_risk,
)
from survtree._scoring.scores import (
    CalibrationCurve,
    auc_scorer,
    brier_score,
    calibration_curve,
    harrell_c_scorer,
    ibs_ratio,
    ibs_ratio_scorer,
    integrated_brier_score,
    log_likelihood,
    neg_integrated_brier_scorer,
    per_sample_loss,
    uno_c_scorer,
)

__all__ = [
    "BeyondTrainingWarning",
    "CalibrationCurve",
    "DynamicAUC",
    "TailWeightWarning",
    "auc_scorer",
    "brier_score",
    "calibration_curve",
    "cumulative_dynamic_auc",
    "harrell_c",
    "harrell_c_of_risk",
    "harrell_c_scorer",
    "ibs_ratio",
    "ibs_ratio_scorer",
    "integrated_brier_score",
    "log_likelihood",
    "neg_integrated_brier_scorer",
    "per_sample_loss",
    "uno_c",
    "uno_c_of_risk",
    "uno_c_scorer",
    "with_cause",
]
