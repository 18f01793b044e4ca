"""The metrics read from their definitions, row by row and pair by pair. Shares no code with them.

A row is (time, event, weight); a curve is a list of (time, value) steps, 1 before the first.
"""

import math
from itertools import pairwise


def rows_of(time, event, weight):
    """The rows of an outcome."""
    return [(float(t), bool(e), float(w)) for t, e, w in zip(time, event, weight, strict=True)]


def value(curve, t):
    """A curve at a time."""
    out = 1.0
    for at, level in curve:
        if at <= t:
            out = level
    return out


def product_limit(rows, of_events):
    """Kaplan-Meier curve of the events, or of the censorings."""
    steps, level = [], 1.0
    for t in sorted({time for time, _, _ in rows}):
        ended = sum(w for time, event, w in rows if time == t and event == of_events)
        at_risk = sum(w for time, _, w in rows if time >= t)
        level *= 1 - ended / at_risk
        steps.append((t, level))
    return steps


def censoring(train):
    """G, with its last positive value instead of 0."""
    steps, last = [], 1.0
    for t, level in product_limit(train, of_events=False):
        last = level if level > 0 else last
        steps.append((t, last))
    return steps


def brier_score(train, test, curves, t):
    """Graf's score at one time."""
    g, total = censoring(train), 0.0
    for (time, event, w), curve in zip(test, curves, strict=True):
        s = value(curve, t)
        if time > t:
            total += w * (1 - s) ** 2 / value(g, t)
        elif event:
            total += w * s**2 / value(g, time)
    return total / sum(w for _, _, w in test)


def row_loss(train, test, curves, i):
    """What row i adds to the integrated score: an interval at a time, on which all is constant."""
    g, last = censoring(train), max(time for time, _, _ in test)
    time, event, w = test[i]
    knots = {0.0, last, time, *(t for t, _ in g), *(t for t, _ in curves[i])}
    total = 0.0
    for left, right in pairwise(sorted(t for t in knots if t <= last)):
        s = value(curves[i], left)
        if right <= time:
            total += (right - left) * (1 - s) ** 2 / value(g, left)
        elif event:
            total += (right - left) * s**2 / value(g, time)
    return w * total / (sum(v for _, _, v in test) * last)


def integrated_brier_score(train, test, curves):
    """The sum of what all rows add."""
    return sum(row_loss(train, test, curves, i) for i in range(len(test)))


def ibs_ratio(train, test, curves):
    """Against the Kaplan-Meier curve of the training rows."""
    everybody = [product_limit(train, of_events=True)] * len(test)
    base = integrated_brier_score(train, test, everybody)
    loss = integrated_brier_score(train, test, curves)
    if base == 0:
        return 0.0 if loss == 0 else -math.inf
    return 1 - loss / base


def share(mine, other):
    """1 if the value of the row that should be lower is, 1/2 for equals."""
    return 1.0 if mine < other else 0.5 if mine == other else 0.0


def concordance(test, curves, factor):
    """Curves at the earlier time; NaN without pairs."""
    right = pairs = 0.0
    for (t, event, w), mine in zip(test, curves, strict=True):
        for (later, _, v), other in zip(test, curves, strict=True):
            if event and t < later:
                pairs += w * v * factor(t)
                right += w * v * factor(t) * share(value(mine, t), value(other, t))
    return right / pairs if pairs else math.nan


def concordance_of_risk(test, risk, factor):
    """Of rows with the same time, one with an event counts as before one without."""
    right = pairs = 0.0
    for (t, event, w), mine in zip(test, risk, strict=True):
        for (later, seen, v), other in zip(test, risk, strict=True):
            if event and (t < later or (t == later and not seen)):
                pairs += w * v * factor(t)
                right += w * v * factor(t) * share(-mine, -other)
    return right / pairs if pairs else math.nan


def uno_factor(train, tau=math.inf):
    """1/G^2 before tau, 0 from then on."""
    g = censoring(train)
    return lambda t: value(g, t) ** -2 if t < tau else 0.0


def auc(train, test, curves, t):
    """Cumulative cases against dynamic controls at one time; NaN without either."""
    g, right, pairs = censoring(train), 0.0, 0.0
    for (time, event, w), mine in zip(test, curves, strict=True):
        for (later, _, v), other in zip(test, curves, strict=True):
            if event and time <= t < later:
                weight = w * v / value(g, time)
                pairs += weight
                right += weight * share(value(mine, t), value(other, t))
    return right / pairs if pairs else math.nan


def mean_auc(train, test, curves, times):
    """Weighted by how far the Kaplan-Meier curve of the test rows falls."""
    curve, before = product_limit(test, of_events=True), 1.0
    total = weight = 0.0
    for t in times:
        now = value(curve, t)
        area = auc(train, test, curves, t)
        if not math.isnan(area):
            total += area * (before - now)
            weight += before - now
        before = now
    return total / weight if weight else math.nan


def calibration(test, curves, t):
    """(predicted, observed, rows) for each distinct prediction, ascending."""
    predicted = [value(curve, t) for curve in curves]
    groups = []
    for level in sorted(set(predicted)):
        rows = [row for row, p in zip(test, predicted, strict=True) if p == level]
        groups.append((level, value(product_limit(rows, of_events=True), t), len(rows)))
    return groups


def log_likelihood(test, curves, floor):
    """Mass between event times for events, survival for the others."""
    times, total = sorted({t for t, event, _ in test if event}), 0.0
    for (t, event, w), curve in zip(test, curves, strict=True):
        p = value(curve, t)
        if event:
            earlier = [u for u in times if u < t]
            p = (value(curve, earlier[-1]) if earlier else 1.0) - p
        p = max(p, floor)
        total += w * (math.log(p) if p > 0 else -math.inf)
    return total
