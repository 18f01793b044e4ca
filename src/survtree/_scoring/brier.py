"""Brier scores with censoring weights: at times, integrated exactly, and the share of each row."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from survtree._data.table import EventTable
from survtree._scoring.curves import Curves, one_curve
from survtree._scoring.losses import CensoringCurve, RowLosses, added_up
from survtree._scoring.read_curves import check_times
from survtree._scoring.read_scored import Scored, scored, trained_on

Floats = NDArray[np.float64]


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
    censoring = CensoringCurve(trained_on(rows.events, train, train_weight))
    factor = censoring.inverse(rows.events.time)
    scores = [_at_times(rows, some, factor, censoring) for some in rows.batches(at)]
    return np.concatenate([np.empty(0), *scores])


def _at_times(rows: Scored, times: Floats, factor: Floats, censoring: CensoringCurve) -> Floats:
    survival = rows.curves.on(times)
    alive = ((1 - survival) ** 2 * rows.later(times)).sum(axis=1) * censoring.inverse(times)
    gone = (survival**2 * rows.happened(times, factor)).sum(axis=1)
    scores: Floats = (alive + gone) / rows.events.weight.sum()
    return scores


def per_sample_loss(
    y: Any,
    curves: Any,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
) -> Floats:
    """What each row adds to the integrated Brier score; weight and 1/n are part of it.

    The parameters are those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight)
    return _losses(rows, trained_on(rows.events, train, train_weight))


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
) -> float:
    """The Brier score averaged over [0, last time of y]; 0 is perfect.

    All curves are step functions, so the integral is a sum, and exact: there is no grid of times.
    On its training rows it is the ``loss_`` of a tree. The parameters are those of
    ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight)
    return float(_losses(rows, trained_on(rows.events, train, train_weight)).sum())


def ibs_ratio(
    y: Any,
    curves: Any,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
) -> float:
    """1 - integrated Brier score / that of the Kaplan-Meier curve of all training rows.

    1 is perfect, 0 no better than one curve for everybody; it can be negative. The parameters are
    those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight)
    return ratio_of(rows, trained_on(rows.events, train, train_weight))


def ratio_of(rows: Scored, training: EventTable) -> float:
    """The same of rows that were checked, without a warning of those that end late."""
    curve = one_curve(training)
    everybody = Curves(curve.x[np.newaxis], curve.y[np.newaxis])
    same = Scored(rows.events, everybody, np.zeros(len(rows.events), dtype=np.intp))
    loss, base = (float(_losses(r, training).sum()) for r in (rows, same))
    if base == 0:  # one curve is right at all times: nothing is left to explain
        return 0.0 if loss == 0 else float("-inf")
    return 1.0 - loss / base
