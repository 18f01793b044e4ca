"""Do predicted probabilities come true? By groups of rows, and as a likelihood."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import weight_at
from survtree._scoring.curves import LeafCurve, leaf_curves
from survtree._scoring.read_scored import check_floor, check_group_count, check_time, scored

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


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
    at, most = check_time(time), check_group_count(n_groups)
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
    least = check_floor(floor)
    events = rows.events
    place = np.searchsorted(events.event_times, events.time, side="left")
    # Before the first event time, curves are read at a time at which all are 1.
    before = np.append(-np.inf, events.event_times)[place]
    now = rows.curves.at(rows.curve_of_row, events.time)
    mass = rows.curves.at(rows.curve_of_row, before) - now
    probability = np.maximum(np.where(events.event, mass, now), least)
    with np.errstate(divide="ignore"):
        return float(events.weight @ np.log(probability))
