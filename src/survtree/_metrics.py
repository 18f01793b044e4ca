"""Scores of predictions against censored outcomes."""

import numpy as np
from numpy.typing import NDArray

from survtree._event_table import EventTable


def harrell_c(events: EventTable, risk: NDArray[np.float64]) -> float:
    """Harrell's concordance index: how often the row with the higher risk had its event first.

    Two rows can be compared when the earlier one had the event; of two rows with the same time,
    when just one had it. Equal risks count one half. Rows are counted by (time, risk), and a tree
    has few risks, so no pair is ever looked at.
    """
    risks, group = np.unique(risk, return_inverse=True)
    times, when = np.unique(events.time, return_inverse=True)
    shape = len(times), len(risks)
    happened = _count(when[events.event], group[events.event], shape)
    censored = _count(when[~events.event], group[~events.event], shape)
    everyone = happened + censored
    from_here = np.cumsum(everyone[::-1], axis=0)[::-1]
    partners = from_here - everyone + censored  # later, or censored at the same time
    up_to_my_risk = np.cumsum(partners, axis=1)
    n_pairs = float((happened * up_to_my_risk[:, -1:]).sum())
    if n_pairs == 0:
        return float("nan")
    return float((happened * (up_to_my_risk - 0.5 * partners)).sum()) / n_pairs


def _count(
    when: NDArray[np.intp], group: NDArray[np.intp], shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Rows by (time, risk)."""
    cells = np.bincount(when * shape[1] + group, minlength=shape[0] * shape[1])
    return cells.reshape(shape).astype(np.int64)
