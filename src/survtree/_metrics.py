"""Concordance of risk scores with censored outcomes."""

import math

import numpy as np
from numpy.typing import NDArray

from survtree._event_table import EventTable, weight_at

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Rows are compared with each other in blocks of at least and at most so many.
SMALLEST_BLOCK, LARGEST_BLOCK = 64, 256


def harrell_c(events: EventTable, risk: Floats) -> float:
    """Harrell's concordance index: how often the row with the higher risk had its event first.

    Two rows can be compared when the earlier one had the event; of two rows with the same time,
    when just one had it. Equal risks count one half. NaN if there are no such pairs.
    """
    right, pairs = pairs_in_order(events, risk, np.ones(len(events)))
    return right / pairs if pairs > 0 else float("nan")


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
