"""The hazard of leaves relative to that of all rows, as the likelihood has it."""

from collections.abc import Mapping

import numpy as np

from survtree._scoring.curves import LeafCurve


def relative_hazards(by_leaf: Mapping[int, LeafCurve], until: float | None) -> dict[int, float]:
    """Events of each leaf, divided by those expected of it with the hazard of all rows.

    Expected is the sum of the Nelson-Aalen cumulative hazard of all rows at the ends of the leaf's
    rows; which is the sum over times of the leaf's weight at risk times the step of that hazard.
    Events from a horizon on do not count.
    """
    curves = list(by_leaf.values())
    times = np.unique(np.concatenate([curve.times for curve in curves]))
    times = times if until is None else times[times < until]
    events = np.zeros((len(curves), len(times)))
    for k, curve in enumerate(curves):
        here = curve.times if until is None else curve.times[curve.times < until]
        events[k, np.searchsorted(times, here)] = curve.events[: len(here)]
    at_risk = np.array([curve.at_risk(times) for curve in curves])
    expected = at_risk @ (events.sum(axis=0) / at_risk.sum(axis=0))
    ratios = np.divide(events.sum(axis=1), expected, out=np.zeros(len(curves)), where=expected > 0)
    return dict(zip(by_leaf, ratios.tolist(), strict=True))
