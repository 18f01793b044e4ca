"""How well curves and risks rank rows: concordance indices and areas under ROC curves."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from survtree._data.read_index import matched_to
from survtree._data.table import EventTable, Floats, Places, weight_at
from survtree._scoring.curves import one_curve
from survtree._scoring.losses import CensoringCurve, inverse_g
from survtree._scoring.read_curves import check_times
from survtree._scoring.read_scored import (
    Scored,
    check_number,
    check_pairs,
    check_risk,
    check_scored,
    scored,
    trained_on,
)

# The sizes of the blocks in which rows are compared with each other.
SMALLEST_BLOCK, LARGEST_BLOCK = 64, 256
# With this few events at a time it is faster to compare each with all curves than to sort these.
FEW = 8


class DynamicAUC(NamedTuple):
    """Areas under the ROC curves at times, and their mean."""

    times: Floats
    auc: Floats
    mean: float


def concordance_of_risks(events: EventTable, risk: Floats) -> float:
    """Harrell's concordance index: how often the row with the higher risk had its event first.

    Two rows can be compared when the earlier one had the event; of two rows with the same time,
    when just one had it. Equal risks count one half. NaN if there are no such pairs.
    """
    ones = np.ones(len(events))
    right, pairs = _pairs(events, risk, ones, ones)
    return right / pairs if pairs > 0 else float("nan")


def _pairs(events: EventTable, risk: Floats, inverse: Floats, used: Floats) -> tuple[float, float]:
    """The weight of pairs in order, and of all pairs, with the censoring weights of Uno's index.

    ``inverse`` is 1/G at the end of each row, ``used`` 0 for events that are left out. With
    competing risks (Wolbers and others, 2014) a row i that had the target cause is also compared
    with a row j that ended earlier by another cause, which never has it, with weight
    1/(G(y_i) G(y_j)) instead of 1/G(y_i)^2.
    """
    right, pairs = pairs_in_order(events, risk, inverse**2 * used)
    if not events.has_others:
        return right, pairs
    # Of rows that were not censored: those that ended otherwise put at the end, less those after i.
    ended = ~events.is_censored
    weight = np.where(events.is_other, events.weight * inverse, events.weight)
    as_is = EventTable(events.event, events.time, weight).take(ended)
    last = np.where(events.is_other, np.inf, events.time)
    as_last = EventTable(events.event, last, weight).take(ended)
    factor = (inverse * used)[ended]
    found = [pairs_in_order(table, risk[ended], factor) for table in (as_last, as_is)]
    return right + found[0][0] - found[1][0], pairs + found[0][1] - found[1][1]


def pairs_in_order(events: EventTable, risk: Floats, factor: Floats) -> tuple[float, float]:
    """The weight of pairs in which the earlier row has the higher risk, and of all pairs.

    A pair weighs what its rows weigh, times the factor of the earlier one.
    """
    risks, rank = np.unique(risk, return_inverse=True)
    # Censored rows come after events of the same time, so a row's partners have a higher key.
    key = 2 * events.when + ~events.event
    # Within a key by rank: what comes later there has a higher risk, and is never counted as lower.
    order = np.lexsort((rank, key))
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (np.diff(key[order]) > 0) | (np.diff(rank[order]) > 0)
    cell = is_new.cumsum() - 1  # equal rows are no pair, so they become one
    firsts = order[is_new]
    weight = weight_at(cell, events.weight[order])
    earlier = weight_at(cell, (events.weight * events.event * factor)[order])
    lower = _lower_later(rank[firsts], weight, len(risks))
    of_key = weight_at(key, events.weight)
    later = np.append(of_key[::-1].cumsum()[::-1], 0.0)[key[firsts] + 1]
    return float(earlier @ lower), float(earlier @ later)


def _lower_later(rank: Places, weight: Floats, n_ranks: int) -> Floats:
    """The weight of later rows with a lower rank, and half that of those with the same.

    From the last block to the first: what is in later blocks is summed up by rank. A block costs
    the square of its size and a pass over the ranks.
    """
    lower = np.empty(len(rank))
    seen = np.zeros(n_ranks)
    size = min(max(SMALLEST_BLOCK, math.isqrt(n_ranks)), LARGEST_BLOCK)
    for first in range((len(rank) - 1) // size * size, -1, -size):
        here = slice(first, first + size)
        mine, w = rank[here], weight[here]
        below = np.append(0.0, np.cumsum(seen))
        share = (mine < mine[:, np.newaxis]) + 0.5 * (mine == mine[:, np.newaxis])
        lower[here] = 0.5 * (below[mine] + below[mine + 1]) + np.triu(share, 1) @ w
        seen += np.bincount(mine, w, n_ranks)
    return lower


def harrell_c(y: Any, curves: Any, *, X: Any = None, sample_weight: Any = None) -> float:
    """Harrell's concordance index of survival curves; 1 is perfect, 0.5 chance.

    Of all pairs y_i < y_j in which i had the event, the share with S_i(y_i) < S_j(y_i): both curves
    are read at the earlier time. Equal values count one half. With competing risks i had the target
    cause, S is 1 - its incidence, and rows j that ended earlier by another cause count as well. The
    parameters are those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight)
    ones = np.ones(len(rows.events))
    return _concordance(rows, ones, ones, "harrell_c")


def uno_c(
    y: Any,
    curves: Any,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
    tau: float | None = None,
) -> float:
    """Uno's concordance index of survival curves; 1 is perfect, 0.5 chance.

    As ``harrell_c``, with each pair weighted by 1/G(y_i)^2: what is found does not depend on how
    many rows are censored. Late events weigh much; those at ``tau`` or later are left out. The
    other parameters are those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight)
    training = trained_on(rows.events, train, train_weight, roles=rows.roles, causes=rows.causes)
    return _concordance(rows, *_uno_factors(rows.events, training, tau), "uno_c")


def _uno_factors(events: EventTable, train: EventTable, tau: float | None) -> tuple[Floats, Floats]:
    """1/G at the end of each row, and which events are early enough to be used."""
    latest = np.inf if tau is None else check_number("tau", tau)
    return inverse_g(events, train), (events.time < latest).astype(np.float64)


def _concordance(rows: Scored, inverse: Floats, used: Floats, metric: str) -> float:
    """With the weights of ``_pairs``."""
    right = pairs = 0.0
    for times in rows.batches(rows.events.event_times):
        values = rows.curves.on(times)
        groups = [(rows.later(times), inverse**2 * used)]
        if rows.events.has_others:
            groups.append((rows.ended_otherwise(times, inverse), inverse * used))
        for others, factor in groups:
            happening = rows.happening(times, factor)
            time, curve = np.nonzero(happening)
            weight = happening[time, curve]
            right += float(weight @ _right(values, others, time, curve))
            pairs += float(weight @ others.sum(axis=1)[time])
    check_pairs(pairs, metric)
    return right / pairs


def _right(values: Floats, weight: Floats, time: Places, curve: Places) -> Floats:
    """At some (time, curve): the weight of curves that are higher, and half that of equals."""
    if len(time) > FEW * len(values):
        return weight_above(values, weight)[time, curve]
    mine, others = values[time, curve][:, np.newaxis], values[time]
    return np.asarray((((others > mine) + 0.5 * (others == mine)) * weight[time]).sum(axis=1))


def weight_above(values: Floats, weight: Floats) -> Floats:
    """For each place of a row: the weight where that row is higher, and half that of equals."""
    n = values.shape[1]
    order = np.argsort(-values, axis=1)
    falling = np.take_along_axis(values, order, axis=1)
    summed = np.zeros((len(values), n + 1))
    np.cumsum(np.take_along_axis(weight, order, axis=1), axis=1, out=summed[:, 1:])
    # Where the run of equal values begins that a place is in, and where the next one does.
    is_new = falling[:, 1:] != falling[:, :-1]
    begin = np.zeros(values.shape, dtype=np.intp)
    begin[:, 1:] = np.maximum.accumulate(is_new * np.arange(1, n), axis=1)
    end = np.full(values.shape, n, dtype=np.intp)
    ends = np.where(is_new, np.arange(1, n), n)
    end[:, :-1] = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    above = np.empty_like(summed[:, 1:])
    mean = 0.5 * (
        np.take_along_axis(summed, begin, axis=1) + np.take_along_axis(summed, end, axis=1)
    )
    np.put_along_axis(above, order, mean, axis=1)
    return above


def harrell_c_of_risk(y: Any, risk: ArrayLike, *, sample_weight: Any = None) -> float:
    """Harrell's concordance index of risk scores, higher is worse, as ``predict`` gives them.

    The classical form: a row has one risk at all times. Of two rows with the same time, of which
    just one had the event, that one counts as earlier. Equal risks count one half. It is what
    ``model.score`` returns.
    """
    events = check_scored(y, sample_weight)
    ones = np.ones(len(events))
    risk = matched_to(None, y, "risk", risk)
    return _of_risk(events, risk, (ones, ones), "harrell_c_of_risk")


def uno_c_of_risk(
    y: Any,
    risk: ArrayLike,
    *,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
    tau: float | None = None,
) -> float:
    """Uno's concordance index of risk scores: ``harrell_c_of_risk`` with the weights of ``uno_c``.

    The other parameters are those of ``survtree.metrics``.
    """
    events = check_scored(y, sample_weight)
    factors = _uno_factors(events, trained_on(events.counted(), train, train_weight), tau)
    risk = matched_to(None, y, "risk", risk)
    return _of_risk(events, risk, factors, "uno_c_of_risk")


def _of_risk(events: EventTable, risk: Any, factors: tuple[Floats, Floats], metric: str) -> float:
    right, pairs = _pairs(events, check_risk(risk, len(events)), *factors)
    check_pairs(pairs, metric)
    return right / pairs


def cumulative_dynamic_auc(
    y: Any,
    curves: Any,
    times: ArrayLike | None = None,
    *,
    X: Any = None,
    sample_weight: Any = None,
    train: Any = None,
    train_weight: Any = None,
    horizon: float | None = None,
) -> DynamicAUC:
    """How well S(t) tells rows with an event up to t from those followed for longer.

    At time t the cases are rows with an event at y_i <= t, with weight 1/G(y_i), the controls rows
    with y_j > t. The area is the share of (case, control) pairs with S_case(t) < S_control(t);
    equal values count one half. With competing risks cases had the target cause, and rows that
    ended by another cause up to t are controls too, with weight 1/G(y_j) beside 1/G(t) of those
    followed for longer. The mean over time weighs each area by how far the Kaplan-Meier
    curve of y falls from the time before, the first one from 1.

    By default ``times`` are those of the events, before the horizon if there is one, and the mean
    is the integral over all of them.
    Where there are no cases or no controls the area is NaN, and left out of the mean. The other
    parameters are those of ``survtree.metrics``.
    """
    rows = scored(y, curves, X, sample_weight, horizon)
    training = trained_on(rows.events, train, train_weight, horizon, rows.roles, rows.causes)
    censoring = CensoringCurve(training)
    factor = censoring.inverse(rows.events.time)
    event_times, time = rows.events.event_times, rows.events.time
    at = event_times[event_times < time.max()] if times is None else check_times(times)
    areas = [_areas(rows, some, factor, censoring) for some in rows.batches(at)]
    auc = np.concatenate([np.empty(0), *areas])
    falls = -np.diff(one_curve(rows.events)(at), prepend=1.0)
    is_known = np.isfinite(auc)
    check_pairs(float(falls[is_known].sum()), "cumulative_dynamic_auc")
    return DynamicAUC(at, auc, float(np.average(auc[is_known], weights=falls[is_known])))


def _areas(rows: Scored, times: Floats, factor: Floats, censoring: CensoringCurve) -> Floats:
    cases, controls = rows.happened(times, factor), rows.later(times)
    if rows.events.has_others:  # otherwise the same 1/G for all controls of a time
        alive = controls * censoring.inverse(times)[:, np.newaxis]
        controls = alive + rows.ended_otherwise(times, factor)
    right = (cases * weight_above(rows.curves.on(times), controls)).sum(axis=1)
    pairs = cases.sum(axis=1) * controls.sum(axis=1)
    return np.asarray(np.divide(right, pairs, out=np.full(len(times), np.nan), where=pairs > 0))
