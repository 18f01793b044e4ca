"""Rows with an outcome and a predicted curve, as the metrics see them: by curve and time.

A tree has few curves that differ, so sums over rows are made by curve, and sums over pairs of rows
are sums over pairs of curves. Nothing here is ever rows x rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._data.event_table import EventTable, weight_at
from survtree._scoring.checks import check_predicted, check_scored, check_train, warn_of_late_rows
from survtree._scoring.curves import Curves, StepFunction, leaf_curves
from survtree._scoring.row_losses import CensoringCurve

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Times are looked at so many cells (times x curves) at once.
MOST_CELLS = 2**19


@dataclass(frozen=True)
class Scored:
    """An outcome a row, the curves that differ, and which of them is whose."""

    events: EventTable
    curves: Curves
    curve_of_row: Places

    def batches(self, times: Floats) -> Iterator[Floats]:
        """Ascending times, some at a time."""
        size = max(1, MOST_CELLS // len(self.curves.survival))
        for first in range(0, len(times), size):
            yield times[first : first + size]

    def later(self, times: Floats) -> Floats:
        """The weight of rows that end after each time: times x curves."""
        weight = self._by_time_and_curve(times, self.events.weight)
        return weight[:0:-1].cumsum(axis=0)[::-1]

    def happened(self, times: Floats, factor: Floats) -> Floats:
        """The weight x factor of events up to each time: times x curves."""
        return self._by_time_and_curve(times, self._event_weight(factor))[:-1].cumsum(axis=0)

    def happening(self, times: Floats, factor: Floats) -> Floats:
        """The weight x factor of events at each time: times x curves."""
        is_at = np.isin(self.events.time, times)
        return self._by_time_and_curve(times, self._event_weight(factor) * is_at)[:-1]

    def _event_weight(self, factor: Floats) -> Floats:
        weight: Floats = self.events.weight * self.events.event * factor
        return weight

    def _by_time_and_curve(self, times: Floats, weight: Floats) -> Floats:
        """Weights of rows by how many of the times are before their end, and by curve."""
        n_curves = len(self.curves.survival)
        place = np.searchsorted(times, self.events.time, side="left")
        cells = (len(times) + 1) * n_curves
        return weight_at(place * n_curves + self.curve_of_row, weight, cells).reshape(-1, n_curves)


def scored(y: Any, curves: Any, X: Any, sample_weight: Any) -> Scored:
    """What a user passed, checked."""
    events = check_scored(y, sample_weight)
    return Scored(events, *check_predicted(curves, X, len(events)))


def trained_on(events: EventTable, train: Any, train_weight: Any) -> EventTable:
    """The training rows; warns once if they end before the rows that are scored."""
    rows = check_train(train, train_weight, events)
    warn_of_late_rows(events, rows)
    return rows


def inverse_g(events: EventTable, train: EventTable) -> Floats:
    """1/G at the end of each row."""
    return CensoringCurve(train).inverse(events.time)


def one_curve(events: EventTable) -> StepFunction:
    """The Kaplan-Meier curve of all rows."""
    return leaf_curves(events, np.zeros(len(events), dtype=np.intp), 1)[0].survival
