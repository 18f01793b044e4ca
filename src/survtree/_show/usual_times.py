"""Times at which survival is stated if the user names none: readable ones that rows reach."""

import math
from collections.abc import Iterator

import numpy as np

from survtree._base.checks import check_option
from survtree._model.fitted import FittedTree
from survtree._scoring.curves import LeafCurve

# Readable numbers between two powers of ten.
ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
# Readable parts of a year, and its length, by units of time; years are counted beyond it.
CALENDARS: dict[str, tuple[tuple[float, ...], float]] = {
    "day": ((1, 2, 3, 5, 7, 14, 30, 60, 90, 120, 180, 270), 365),
    "week": ((1, 2, 3, 4, 8, 13, 26), 52),
    "month": ((1, 2, 3, 6, 9), 12),
}
# At most this share of a group may have been censored before a time at which it is described.
MOST_CENSORED = 0.5
LEAST_AT_RISK = 0.1  # of all rows


def unit_of(model: FittedTree, time_unit: str | None = None) -> str | None:
    """The unit of time that a view is given, otherwise that of the model."""
    unit: str | None = check_option("time_unit", time_unit or model.time_unit)
    return unit


def has_medians(model: FittedTree) -> bool:
    """Do at least half of the groups get as far as their median? Otherwise it says little.

    With competing risks it says little in any case: many never have the cause.
    """
    if model.causes_ is not None:
        return False
    medians = [curve.quantile(0.5) for curve in model.predicted_curves_.values()]
    return 2 * sum(map(math.isfinite, medians)) >= len(medians)


def usual_times(model: FittedTree, unit: str | None = None) -> list[float]:
    """Up to three readable times, the last of which is ``stated_time``."""
    last = stated_time(model, unit)
    return sorted({readable_below(last * part / 3, unit) for part in (1, 2, 3)})


def stated_time(model: FittedTree, unit: str | None = None) -> float:
    """The latest readable time at which groups still say something.

    A tenth of all rows are at risk, and of each group at least half of the rows were followed up to
    it, or had their event before. If a group is censored from the start on, nothing is gained by
    waiting for it: then it is an earlier time than the last event.
    """
    curves = list(model.leaf_curves_.values())
    last = min(_last_at_risk(curves), *(_followed_until(curve) for curve in curves))
    return readable_below(last if last > 0 else float(model.event_times_[-1]) / 2, unit)


def _last_at_risk(curves: list[LeafCurve]) -> float:
    """The last time at which enough of all rows are at risk."""
    times = np.unique(np.concatenate([curve.times for curve in curves]))
    at_risk = np.sum([curve.at_risk(times) for curve in curves], axis=0)
    return float(times[at_risk >= LEAST_AT_RISK * at_risk[0]][-1])


def _followed_until(curve: LeafCurve) -> float:
    """The last time before which no more than half of a group was censored."""
    before = np.append(0.0, curve.censored.cumsum()[:-1])
    is_followed = before <= MOST_CENSORED * curve.weight
    if is_followed.all() and curve.survival.y[-1:].tolist() == [0.0]:
        return math.inf  # everybody had the event: the group is known for good
    return float(curve.times[is_followed][-1])


def readable_below(limit: float, unit: str | None = None) -> float:
    """The largest readable time that is not above a positive limit."""
    return max((time for time in _readable(limit, unit) if time <= limit), default=limit)


def _readable(limit: float, unit: str | None) -> Iterator[float]:
    power = math.floor(math.log10(limit))
    parts, year = CALENDARS.get((unit or "").strip().lower().removesuffix("s"), ((), 0))
    if not parts or limit < 1:
        yield from (float(f"{step}e{power}") for step in ROUND)
    elif limit < year:
        yield from parts
    else:
        years = 10.0 ** math.floor(math.log10(limit / year))
        yield from (step * years * year for step in (*ROUND, 10.0) if (step * years).is_integer())
