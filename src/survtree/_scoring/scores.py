"""Scores of predicted probabilities, and all scores by name.

Do probabilities come true? Brier scores (at times, integrated exactly, and the share of each row),
calibration of groups of rows, and the likelihood. By name, scores are for reports, the command line
and scikit-learn.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from survtree._data.table import EventTable, Floats, Places, weight_at
from survtree._scoring.concordance import cumulative_dynamic_auc, harrell_c, uno_c
from survtree._scoring.curves import LeafCurve, leaf_curves
from survtree._scoring.losses import CensoringCurve, RowLosses, added_up
from survtree._scoring.read_curves import check_times
from survtree._scoring.read_scored import (
    Scored,
    check_group_count,
    check_number,
    check_one_cause,
    scored,
    trained_on,
)
from survtree._scoring.tail import heavy_tail, one_curve_losses, warn_of_tail


def brier_score(
    y: Any,
    curves: Any,
    times: ArrayLike,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
) -> Floats:
    """Graf's Brier score at each of the times; 0 is perfect.

    At time t a row that is still followed is worth (1 - S(t))^2 / G(t), one whose event was seen
    by then S(t)^2 / G(y_i), and one that was censored by then nothing. ``times`` are ascending; the
    other parameters are those of ``survtree.metrics``.

    >>> from survtree.metrics import brier_score
    >>> y = [True, True, False, True], [1.0, 2.0, 3.0, 4.0]
    >>> survival = [[0.5, 0.1], [0.8, 0.2], [0.9, 0.8], [0.9, 0.9]]
    >>> brier_score(y, (survival, [1, 2]), times=[1, 2])
    array([0.0775, 0.025 ])
    """
    rows = scored(y, curves, X, sample_weight)
    at = check_times(times)
    censoring = CensoringCurve(
        trained_on(rows.events, train, train_weight, roles=rows.roles, causes=rows.causes)
    )
    factor = censoring.inverse(rows.events.time)
    scores = [_at_times(rows, some, factor, censoring) for some in rows.batches(at)]
    return np.concatenate([np.empty(0), *scores])


def _at_times(rows: Scored, times: Floats, factor: Floats, censoring: CensoringCurve) -> Floats:
    survival = rows.curves.on(times)
    alive = ((1 - survival) ** 2 * rows.later(times)).sum(axis=1) * censoring.inverse(times)
    gone = (survival**2 * rows.happened(times, factor)).sum(axis=1)
    if rows.events.has_others:
        gone += ((1 - survival) ** 2 * rows.ended_otherwise(times, factor)).sum(axis=1)
    return np.asarray((alive + gone) / rows.events.weight.sum())


def per_sample_loss(
    y: Any,
    curves: Any,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
    horizon: float | None = None,
) -> Floats:
    """What each row adds to the integrated Brier score; weight and 1/n are part of it.

    The parameters are those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight, horizon)
    training = trained_on(rows.events, train, train_weight, horizon, rows.roles, rows.causes)
    warn_of_tail(heavy_tail(rows.events, training), can_choose=False)
    return _losses(rows, training)


def _losses(rows: Scored, train: EventTable) -> Floats:
    return added_up(rows.curves.part, rows.curve_of_row, RowLosses(rows.events, train))


def integrated_brier_score(
    y: Any,
    curves: Any,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
    horizon: float | None = None,
) -> float:
    """The Brier score averaged over [0, last time of y], or [0, horizon]; 0 is perfect.

    All curves are step functions, so the integral is a sum, and exact: there is no grid of times.
    On its training rows it is the ``loss_`` of a tree without teacher and shrinkage. The parameters
    are those of ``survtree.metrics``.
    """
    rest = {"X": X, "train": train, "train_weight": train_weight, "horizon": horizon}
    return float(per_sample_loss(y, curves, sample_weight=sample_weight, **rest).sum())


def ibs_ratio(
    y: Any,
    curves: Any,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
    horizon: float | None = None,
) -> float:
    """1 - integrated Brier score / that of the Kaplan-Meier curve of all training rows.

    1 is perfect, 0 no better than one curve for everybody; it can be negative. The parameters are
    those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight, horizon)
    training = trained_on(rows.events, train, train_weight, horizon, rows.roles, rows.causes)
    warn_of_tail(heavy_tail(rows.events, training), can_choose=False)
    return ratio_of(rows, training)


def ratio_of(rows: Scored, training: EventTable) -> float:
    """The same of rows that were checked, without a warning of those that end late."""
    loss = float(_losses(rows, training).sum())
    base = float(one_curve_losses(rows.events, training).sum())
    if base == 0:  # one curve is right at all times: nothing is left to explain
        return 0.0 if loss == 0 else float("-inf")
    return 1.0 - loss / base


class CalibrationCurve(NamedTuple):
    """Groups of rows, ascending by what was predicted for them."""

    predicted: Floats
    observed: Floats
    n_rows: Places


def calibration_curve(
    y: Any,
    curves: Any,
    time: float,
    *,
    n_groups: int = 10,
    X: Any = None,
    sample_weight: Any = None,
) -> CalibrationCurve:
    """What was predicted for groups of rows to survive beyond a time, and what was observed.

    Rows with the same S(time) stay together. If there are at most ``n_groups`` different values, as
    in a tree, each is a group; otherwise neighbours form ``n_groups`` groups of about equal weight,
    or somewhat fewer. ``predicted`` is the mean S(time) of a group, ``observed`` its Kaplan-Meier
    curve at that time, which stays as it is where the group ends earlier. The other parameters are
    those of ``survtree.metrics``.
    """
    groups = calibration_groups(y, curves, time, n_groups, X, sample_weight)
    return CalibrationCurve(
        predicted=np.array([group.predicted for group in groups]),
        observed=np.array([float(group.observed.survival(time)) for group in groups]),
        n_rows=np.array([group.observed.n_rows for group in groups]),
    )


class Group(NamedTuple):
    """Rows that were predicted about the same: the mean of that, and the curve they had."""

    predicted: float
    observed: LeafCurve


def calibration_groups(
    y: Any, curves: Any, time: float, n_groups: int, X: Any, sample_weight: Any
) -> list[Group]:
    """The groups of ``calibration_curve``, for those who want limits too."""
    rows = scored(y, curves, X, sample_weight)
    at, most = check_number("time", time), check_group_count(n_groups)
    events, survival = rows.events, rows.curves.on(np.array([at]))[0][rows.curve_of_row]
    group = _groups(survival, events.weight, most)
    weight = weight_at(group, events.weight)
    predicted = weight_at(group, events.weight * survival) / weight
    observed = leaf_curves(events, group, len(weight))
    return [Group(*each) for each in zip(predicted.tolist(), observed, strict=True)]


def _groups(values: Floats, weight: Floats, most: int) -> Places:
    """Group of each row: that of its value, or a quantile of the values if these are too many."""
    distinct, which = np.unique(values, return_inverse=True)
    if len(distinct) <= most:
        return which
    of_value = weight_at(which, weight)
    middle = (of_value.cumsum() - 0.5 * of_value) / of_value.sum()
    quantile = np.minimum((most * middle).astype(np.intp), most - 1)
    return np.unique(quantile, return_inverse=True)[1][which]


def log_likelihood(
    y: Any, curves: Any, *, X: Any = None, sample_weight: Any = None, floor: float = 0.0
) -> float:
    """The logarithm of the probability that the curves give to what was observed; higher is better.

    A step curve has no density, so its mass is read at the distinct event times t_1 < t_2 < ... of
    y, the same for all rows: an event at t_k has the mass S(t_k-1) - S(t_k), with S(t_0) = 1; a row
    censored at c has S(c). The logarithms are added up, with weights. So compare models on the same
    rows only: the more event times, the less mass each has.

    A row that the curve calls impossible makes the sum -inf. That is common on new rows: a leaf
    whose curve is flat between two event times of y gives the second no mass. With ``floor`` no row
    is given less than this probability. The other parameters are those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight)
    least = check_number("floor", floor)
    events = rows.events
    check_one_cause(events, "log_likelihood")
    place = np.searchsorted(events.event_times, events.time, side="left")
    # Before the first event time, curves are read at a time at which all are 1.
    before = np.append(-np.inf, events.event_times)[place]
    now = rows.curves.at(rows.curve_of_row, events.time)
    mass = rows.curves.at(rows.curve_of_row, before) - now
    probability = np.maximum(np.where(events.event, mass, now), least)
    with np.errstate(divide="ignore"):
        return float(events.weight @ np.log(probability))


class Score(NamedTuple):
    """A metric under its name, and its name for readers."""

    name: str
    title: str
    meaning: str
    metric: Callable[..., Any]
    is_weighted_by_censoring: bool = True
    is_integrated: bool = False


CHANCE = "1 is perfect, 0.5 chance"
OF_CURVES = f"{CHANCE}; by the curves, where score() goes by the risk"
SCORES = (
    Score(
        "ibs_ratio",
        "IBS ratio",
        "1 is perfect, 0 no better than one curve for all",
        ibs_ratio,
        is_integrated=True,
    ),
    Score(
        "integrated_brier_score",
        "integrated Brier score",
        "0 is perfect",
        integrated_brier_score,
        is_integrated=True,
    ),
    Score("harrell_c", "Harrell's C", OF_CURVES, harrell_c, False),
    Score("uno_c", "Uno's C", OF_CURVES, uno_c),
    Score("mean_auc", "mean dynamic AUC", CHANCE, cumulative_dynamic_auc, is_integrated=True),
)


def scores_of(
    curves: Any, events: EventTable, train: EventTable, horizon: float | None = None
) -> dict[str, float | None]:
    """All scores of rows by name, None where too few rows can be compared.

    The censoring curve, and the one curve of the ratio, are those of the training rows. Scores that
    integrate over time do so up to the horizon.
    """
    y, weights = events.y, {"sample_weight": events.weight}
    censoring = {"train": train.y, "train_weight": train.weight}
    found: dict[str, float | None] = {}
    for score in SCORES:
        options: dict[str, Any] = dict(weights)
        if score.is_weighted_by_censoring:
            options |= censoring
        if score.is_integrated:
            options["horizon"] = horizon
        found[score.name] = _value(score.metric, y, curves, options)
    return found


def _value(metric: Callable[..., Any], y: Any, curves: Any, options: Any) -> float | None:
    try:
        found = metric(y, curves, **options)
    except ValueError:  # in a small part of a study no two rows may be comparable
        return None
    return float(getattr(found, "mean", found))


def ibs_ratio_scorer(estimator: Any, X: Any, y: Any = None, **options: Any) -> float:
    """``ibs_ratio`` of the curves that the estimator predicts."""
    return ibs_ratio(y, estimator, X=X, **options)


def neg_integrated_brier_scorer(estimator: Any, X: Any, y: Any = None, **options: Any) -> float:
    """Minus ``integrated_brier_score`` of the curves that the estimator predicts."""
    return -integrated_brier_score(y, estimator, X=X, **options)


def harrell_c_scorer(estimator: Any, X: Any, y: Any = None, **options: Any) -> float:
    """``harrell_c`` of the curves that the estimator predicts."""
    return harrell_c(y, estimator, X=X, **options)


def uno_c_scorer(estimator: Any, X: Any, y: Any = None, **options: Any) -> float:
    """``uno_c`` of the curves that the estimator predicts."""
    return uno_c(y, estimator, X=X, **options)


def auc_scorer(estimator: Any, X: Any, y: Any = None, **options: Any) -> float:
    """Mean ``cumulative_dynamic_auc`` of the curves that the estimator predicts."""
    return cumulative_dynamic_auc(y, estimator, X=X, **options).mean
