"""The outcome of a study: time, event flag (True: it happened) and weight of each row.

Knows nothing of features. The censoring curve and the sums the search needs are made in the core
(``core/event_table.cpp``) from these three columns; the oracle makes its own.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class EventTable:
    """Validated columns of equal length, in the order of the user's rows."""

    event: NDArray[np.bool_]
    time: NDArray[np.float64]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def _by_time(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        times, when = np.unique(self.time, return_inverse=True)
        return times, when

    @property
    def unique_times(self) -> NDArray[np.float64]:
        """Every distinct time, ascending."""
        return self._by_time[0]

    @property
    def when(self) -> NDArray[np.intp]:
        """Place of each row's time among the distinct ones."""
        return self._by_time[1]

    @cached_property
    def event_times(self) -> NDArray[np.float64]:
        """Every distinct time at which an event was seen, ascending."""
        seen = np.bincount(self.when[self.event], minlength=len(self.unique_times)) > 0
        return self.unique_times[seen]
