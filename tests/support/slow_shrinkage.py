"""Shrunken curves read from their definition, from rows. Shares no code with the package.

A row is (time, event, weight). A path is the list of the rows of each node, from the root to the
leaf.
"""

from itertools import pairwise


def kaplan_meier(rows, t):
    """Survival beyond a time."""
    level = 1.0
    for _, died, at_risk in _steps(rows, t):
        level *= 1 - died / at_risk
    return level


def nelson_aalen(rows, t):
    """The cumulative hazard at a time."""
    return sum(died / at_risk for _, died, at_risk in _steps(rows, t))


def _steps(rows, t):
    """The event times up to a time, the weight of the events there, and the weight at risk."""
    for at in sorted({time for time, event, _ in rows if event and time <= t}):
        died = sum(w for time, event, w in rows if time == at and event)
        yield at, died, sum(w for time, _, w in rows if time >= at)


def shrunken(curve, path, shrinkage, t):
    """The formula, for Kaplan-Meier or Nelson-Aalen curves."""
    value = curve(path[0], t)
    for rows, child in pairwise(path):
        n = sum(w for _, _, w in rows)
        value += (curve(child, t) - curve(rows, t)) / (1 + shrinkage / n)
    return value


def quantile(path, shrinkage, times, share):
    """The first of the times at which the shrunken curve has fallen by a share; inf if at none."""
    for t in sorted(times):
        if shrunken(kaplan_meier, path, shrinkage, t) <= 1 - share + 1e-12:
            return t
    return float("inf")
