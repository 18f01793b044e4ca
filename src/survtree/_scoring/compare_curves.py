"""Leaves compared with each other: hazard ratios and the log-rank test, from their counts.

With competing risks both are cause-specific: rows that ended by another cause leave the risk set.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtri

from survtree._base.numbers import Interval
from survtree._data.table import Floats
from survtree._scoring.curves import LeafCurve

MOST_CELLS = 2**20  # (leaf, time) at once
# Tied events leave one after another, each in a step of its own, in at most this many steps.
MOST_TIED_STEPS = 100
MOST_ROUNDS = 50
# A ratio beyond this, or known no better, is that of leaves whose events do not overlap in time.
LARGEST_LOG_RATIO = 15.0


class LogRank(NamedTuple):
    """The k-sample log-rank test. The leaves were chosen by their outcomes, so p is too small."""

    statistic: float
    degrees: int
    p: float


def log_rank(curves: Sequence[LeafCurve]) -> LogRank:
    """Do the curves differ? Of one leaf nothing can be said: p is 1."""
    degrees = len(curves) - 1
    if degrees == 0:
        return LogRank(0.0, 0, 1.0)
    excess, variance = np.zeros(degrees + 1), np.zeros((degrees + 1, degrees + 1))
    for died, at_risk in _counts(curves):
        n_died, n = died.sum(axis=0), at_risk.sum(axis=0)
        share = at_risk / n
        excess += (died - n_died * share).sum(axis=1)
        # Where one is left, nothing is left to chance.
        spread = n_died * (n - n_died) / np.maximum(n - 1.0, np.finfo(float).tiny)
        spread[n <= 1.0] = 0.0
        variance += np.diag((share * spread).sum(axis=1)) - (share * spread) @ share.T
    # They sum to 0, so one of them says nothing new.
    statistic = float(excess[1:] @ np.linalg.pinv(variance[1:, 1:]) @ excess[1:])
    return LogRank(statistic, degrees, float(chdtrc(degrees, statistic)))


def hazard_ratios(
    curves: Sequence[LeafCurve], reference: int, confidence: float = 0.95
) -> list[Interval]:
    """Cox's hazard ratio of each leaf against one of them, with Wald's limits; Efron's ties.

    A leaf without events has ratio 0 and no limits. NaN: the data do not bound the ratio, because
    the leaves' events do not overlap in time.
    """
    has_events = np.array([curve.n_events > 0 for curve in curves])
    if not has_events[reference]:
        return [Interval(np.nan, np.nan, np.nan)] * len(curves)
    out = [Interval(0.0, np.nan, np.nan)] * len(curves)
    out[reference] = Interval(1.0, 1.0, 1.0)
    free = np.flatnonzero(has_events & (np.arange(len(curves)) != reference))
    logs, errors = _cox([curves[k] for k in (reference, *free)])
    half = ndtri(0.5 + confidence / 2) * errors
    for k, log, plus in zip(free.tolist(), logs.tolist(), half.tolist(), strict=True):
        is_known = max(abs(log), plus) < LARGEST_LOG_RATIO
        out[k] = Interval(
            *np.exp([log, log - plus, log + plus]).tolist() if is_known else [np.nan] * 3
        )
    return out


def _cox(curves: Sequence[LeafCurve]) -> tuple[Floats, Floats]:
    """Logarithms of the hazard ratios against the first, and their standard errors."""
    logs = np.zeros(len(curves) - 1)
    value, score, information = _likelihood(curves, logs)
    for _ in range(MOST_ROUNDS):
        step = np.linalg.lstsq(information, score, rcond=None)[0]
        step *= min(1.0, 5.0 / max(np.abs(step).max(initial=0.0), 1e-300))
        if np.abs(step).max(initial=0.0) < 1e-10 or np.abs(logs).max() > 2 * LARGEST_LOG_RATIO:
            break
        while True:
            new_value, new_score, new_information = _likelihood(curves, logs + step)
            if new_value >= value - 1e-9 * abs(value) or np.abs(step).max() < 1e-10:
                break
            step = step / 2
        logs, value, score, information = logs + step, new_value, new_score, new_information
    with np.errstate(invalid="ignore"):
        return logs, np.sqrt(np.diag(np.linalg.pinv(information)))


def _likelihood(curves: Sequence[LeafCurve], logs: Floats) -> tuple[float, Floats, Floats]:
    """Cox's partial log-likelihood, its score, and minus its second derivative."""
    ratio = np.exp(np.append(0.0, logs))[:, np.newaxis]
    value, score, information = 0.0, np.zeros(len(curves)), np.zeros((len(curves), len(curves)))
    for died, at_risk in _counts(curves):
        n_died = died.sum(axis=0)
        value += float((died * np.log(ratio)).sum())
        score += died.sum(axis=1)
        n_steps = np.clip(n_died.round(), 1, MOST_TIED_STEPS).astype(np.intp)
        for step in range(int(n_steps.max())):
            here = n_steps > step
            gone, each = step / n_steps[here], (n_died / n_steps)[here]
            exposed = ratio * (at_risk[:, here] - gone * died[:, here])
            total = exposed.sum(axis=0)
            share = exposed / total
            value -= float((each * np.log(total)).sum())
            score -= (share * each).sum(axis=1)
            information += np.diag((share * each).sum(axis=1)) - (share * each) @ share.T
    return value, score[1:], information[1:, 1:]


def _counts(curves: Sequence[LeafCurve]) -> Iterator[tuple[Floats, Floats]]:
    """Weights of events and of rows at risk, leaf x event time, some times at once."""
    times = np.unique(np.concatenate([curve.times[curve.events > 0] for curve in curves]))
    size = max(1, MOST_CELLS // len(curves))
    for first in range(0, len(times), size):
        here = times[first : first + size]
        died = np.zeros((len(curves), len(here)))
        for k, curve in enumerate(curves):
            is_here = (curve.events > 0) & (curve.times >= here[0]) & (curve.times <= here[-1])
            died[k, np.searchsorted(here, curve.times[is_here])] = curve.events[is_here]
        yield died, np.array([curve.at_risk(here) for curve in curves])
