"""What teachers need with competing risks: incidences without a row, and from two Cox models.

All curves are 1 - F, F the incidence of the target cause: what a tree of one cause calls survival.
"""

import numpy as np

from survtree._data.table import EventTable, Floats, Places
from survtree._scoring.curves import StepFunction


def without_each_of_causes(events: EventTable, rows: Places, size: float, times: Floats) -> Floats:
    """1 - F without ``size`` of the weight of each of the rows: rows x times.

    Before a row's end everybody at risk is ``size`` lighter; at its end, y, it may be missing among
    those that end; afterwards F rises as that of all rows does, by S_without(y) / S(y) times as
    much, where S is the share free of all causes.
    """
    grid, at_risk, (target, other) = events.unique_times, events.at_risk, events.end_weights
    ended = target + other
    free, had = _curves(target, ended, at_risk)
    lighter, lighter_had = _curves(target, ended, at_risk - size)
    place = events.when[rows]
    left = at_risk[place] - size
    is_ended = ~events.is_censored[rows]
    own = _share(target[place] - size * events.event[rows], left)
    gone = _share(ended[place] - size * is_ended, left)
    before, before_had = (
        np.append(start, each)[place] for start, each in ((1.0, lighter), (0.0, lighter_had))
    )
    at_end, free_then = before_had + before * own, before * (1.0 - gone)
    ratio = np.divide(free_then, free[place], out=np.zeros(len(rows)), where=free[place] > 0)
    rise = StepFunction(grid, had, before=0.0)(times) - had[place][:, np.newaxis]
    late = at_end[:, np.newaxis] + ratio[:, np.newaxis] * rise
    early = StepFunction(grid, lighter_had, before=0.0)(times)
    is_over = times >= events.time[rows][:, np.newaxis]
    return np.asarray(1.0 - np.where(is_over, late, early))


def _curves(target: Floats, ended: Floats, at_risk: Floats) -> tuple[Floats, Floats]:
    """The share free of all causes, and the incidence of the target, at each time."""
    free = (1.0 - _share(ended, at_risk)).cumprod()
    before = np.append(1.0, free[:-1])
    return free, (before * _share(target, at_risk)).cumsum()


def _share(ended: Floats, at_risk: Floats) -> Floats:
    """Those that end among those at risk, between 0 and 1; 0 where nobody is at risk."""
    share = np.divide(ended, at_risk, out=np.zeros_like(ended), where=at_risk > 1e-9)
    return np.clip(share, 0.0, 1.0)


def specific_outcomes(events: EventTable) -> list[EventTable]:
    """For cause-specific models: the target as the event, then all others; the rest is censored."""
    flags = [events.event, events.is_other] if events.has_others else [events.event]
    return [EventTable(flag, events.time, events.weight) for flag in flags]


def not_had(target: Floats, other: Floats) -> Floats:
    """1 - F from the curves exp(-H) of both cause-specific hazards H: rows x times.

    Between two times both hazards are taken to be proportional, so those that end do so by the
    target in the proportion of its hazard.
    """
    tiny = float(np.finfo(float).tiny)
    hazards = [-np.log(np.maximum(each, tiny)) for each in (target, other)]
    steps = [np.diff(each, axis=1, prepend=0.0) for each in hazards]
    total = steps[0] + steps[1]
    free = np.exp(-(hazards[0] + hazards[1]))
    falls = -np.diff(free, axis=1, prepend=1.0)
    part = np.divide(steps[0], total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(np.clip(1.0 - (falls * part).cumsum(axis=1), 0.0, 1.0))
