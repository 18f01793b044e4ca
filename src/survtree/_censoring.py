"""The censoring curve G of training rows, and what it says of times that they do not reach."""

import numpy as np
from numpy.typing import NDArray

from survtree._event_table import EventTable
from survtree._oracle import Oracle

Floats = NDArray[np.float64]


class CensoringCurve:
    """G, the Kaplan-Meier curve of the censorings, kept at its last positive value.

    G can be 0 from the last training time on. No training row says anything of what comes later;
    but rows that are scored may end there, and 1/G has to be some number.
    """

    def __init__(self, train: EventTable) -> None:
        oracle = Oracle.of(train)
        self.times = oracle.times
        g = np.append(1.0, oracle.g)
        if g[-1] <= 0:
            g[-1] = g[-2]
        # Pieces of 1/G: nobody is censored before the first time, so the first is 1.
        self._starts = np.append(0.0, self.times)
        self._inverse = 1.0 / g
        self._areas = np.append(0.0, np.cumsum(np.diff(self._starts) * self._inverse[:-1]))

    def inverse(self, times: Floats) -> Floats:
        """1/G at these times."""
        inverse: Floats = self._inverse[self._piece(times)]
        return inverse

    def area(self, times: Floats) -> Floats:
        """The integral of 1/G from 0 to each of these times."""
        piece = self._piece(times)
        area: Floats = self._areas[piece] + (times - self._starts[piece]) * self._inverse[piece]
        return area

    def _piece(self, times: Floats) -> NDArray[np.intp]:
        return np.searchsorted(self.times, times, side="right")
