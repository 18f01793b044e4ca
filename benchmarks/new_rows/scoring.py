"""Scores of predicted curves on held-out rows, the same for every model.

The IBS ratio is 1 - IBS of the model / IBS of the Kaplan-Meier curve of the training rows, both
integrated exactly from 0 to a horizon: the 80, 90 and 100 % quantile of all times of the table.
Up to a horizon h, rows that end later are followed until h without an event; this is done to
training and held-out rows alike, and the censoring curve is that of the training rows.

C is Harrell's, on the outcomes as they are: of the model's own risk score where it has one, and of
its curves otherwise. Calibration is read at the median event time t of the table: the held-out rows
are divided into five groups by predicted S(t) (fewer if fewer values differ), and the score is
the mean over rows of |mean predicted S(t) of the group - its Kaplan-Meier curve at t|; 0 is best.
"""

from typing import NamedTuple

import numpy as np

from survtree._data.table import EventTable
from survtree._scoring.concordance import harrell_c, harrell_c_of_risk
from survtree._scoring.curves import Curves, one_curve
from survtree._scoring.losses import LossByDefinition, RowLosses, added_up
from survtree._scoring.scores import calibration_curve

QUANTILES = (80, 90, 100)
N_GROUPS = 5


class Outcome(NamedTuple):
    """Event flags and times."""

    event: np.ndarray
    time: np.ndarray


class Prediction(NamedTuple):
    """Step curves on shared times, which of them each held-out row has, and perhaps its risk.

    A curve is 1 before the first time and stays as it is after the last one.
    """

    times: np.ndarray
    survival: np.ndarray
    curve_of_row: np.ndarray
    risk: np.ndarray | None = None
    n_leaves: int | None = None


class Horizons(NamedTuple):
    """Where the scores of a table end, and where calibration is read: the same in all folds."""

    horizons: tuple[float, ...]
    median_event_time: float


def horizons_of(whole: Outcome) -> Horizons:
    """Those of a table."""
    ends = np.percentile(whole.time, QUANTILES, method="inverted_cdf")
    return Horizons(tuple(map(float, ends)), float(np.median(whole.time[whole.event])))


def clipped(outcome: Outcome, horizon: float) -> Outcome:
    """What is known up to the horizon."""
    event = outcome.event & (outcome.time < horizon)
    return Outcome(event, np.minimum(outcome.time, horizon))


def ibs_ratio(test: Outcome, prediction: Prediction, train: Outcome, horizon: float) -> float:
    """1 - IBS / IBS of the training rows' Kaplan-Meier curve, from 0 to the horizon."""
    training = _table(clipped(train, horizon))
    losses = RowLosses(_ending_at(clipped(test, horizon), horizon), training)
    everybody = one_curve(training)
    one = Prediction(everybody.x, everybody.y[np.newaxis], np.zeros(len(test.time), np.intp))
    return 1.0 - _loss(prediction, losses) / _loss(one, losses)


def _table(outcome: Outcome) -> EventTable:
    return EventTable(outcome.event, outcome.time, np.ones(len(outcome.time)))


def _ending_at(outcome: Outcome, horizon: float) -> EventTable:
    """With a row of weight 0 that ends at the horizon: losses are integrated to the last time."""
    event, time = np.append(outcome.event, False), np.append(outcome.time, horizon)
    return EventTable(event, time, np.append(np.ones(len(outcome.time)), 0.0))


def _loss(prediction: Prediction, losses: RowLosses) -> float:
    curves = Curves(prediction.times[np.newaxis], prediction.survival)
    curve_of_row = np.append(prediction.curve_of_row, prediction.curve_of_row[-1])
    return float(added_up(curves.part, curve_of_row, losses).sum())


def calibration(test: Outcome, prediction: Prediction, time: float) -> float:
    """Mean over rows of |predicted - observed survival of their group| at a time."""
    at = np.array([time])
    curves = _at(prediction, at)[prediction.curve_of_row], at
    found = calibration_curve(tuple(test), curves, time, n_groups=N_GROUPS)
    return float(np.average(np.abs(found.predicted - found.observed), weights=found.n_rows))


def _at(prediction: Prediction, times: np.ndarray) -> np.ndarray:
    """All curves at these times."""
    place = np.searchsorted(prediction.times, times, side="right")
    first = np.ones((len(prediction.survival), 1))
    return np.hstack([first, prediction.survival])[:, place]


def concordance(test: Outcome, prediction: Prediction) -> float:
    """Harrell's C."""
    if prediction.risk is not None:
        return harrell_c_of_risk(tuple(test), prediction.risk)
    at = np.unique(test.time[test.event])  # curves are compared at these times only
    survival = _at(prediction, at)[prediction.curve_of_row]
    return harrell_c(tuple(test), (survival, at))


def leaf_prediction(train: Outcome, leaves: np.ndarray, new_leaves: np.ndarray) -> Prediction:
    """The Kaplan-Meier curves of the training rows in each leaf, however leaves are numbered."""
    labels, place = np.unique(leaves, return_inverse=True)
    by_definition = LossByDefinition(train.time, train.event)
    survival = np.array([by_definition.survival(place == k) for k in range(len(labels))])
    found = np.searchsorted(labels, new_leaves)
    assert np.array_equal(labels[np.minimum(found, len(labels) - 1)], new_leaves)
    return Prediction(by_definition.times, survival, found, n_leaves=len(labels))


def scores(
    test: Outcome, prediction: Prediction, train: Outcome, ends: Horizons
) -> dict[str, float | int | None]:
    """All scores of one model in one fold, by the names of the result file."""
    ratios = {
        f"ratio{quantile}": ibs_ratio(test, prediction, train, horizon)
        for quantile, horizon in zip(QUANTILES, ends.horizons, strict=True)
    }
    return {
        **ratios,
        "c": concordance(test, prediction),
        "calibration": calibration(test, prediction, ends.median_event_time),
        "leaves": prediction.n_leaves,
    }
