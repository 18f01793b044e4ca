"""Do a few rows at the end of the follow-up carry much of the loss?

Where few rows are left, the censoring curve G is small, and a row that ends there weighs 1/G. One
such row can decide which tree is the best, or which size a cross-validation selects.
"""

from typing import NamedTuple

import numpy as np

from survtree._base import TailWeightWarning
from survtree._base.numbers import format_count, format_number, format_percent
from survtree._base.warn import warn
from survtree._data.table import EventTable, Floats, weight_at
from survtree._scoring.curves import Curves, one_curve
from survtree._scoring.losses import LossByDefinition, RowLosses

# A tail is few rows: at most this many, or this share of all.
FEW_ROWS, FEW_SHARE = 4, 0.01
# It is heavy if it carries more of the loss than this share, and more than so many times its share
# of the weight: in a table of 30 rows the last one often carries a third.
MUCH, TIMES_ITS_WEIGHT = 0.25, 20.0


class Tail(NamedTuple):
    """The rows that end at a time or later, of how many, and what share of the loss they carry."""

    start: float
    n_rows: int
    n_all: int
    share: float


def one_curve_losses(events: EventTable, train: EventTable) -> Floats:
    """What each row loses if the Kaplan-Meier curve of the training rows is predicted for all."""
    curve, everyone = one_curve(train), np.arange(len(events))
    curves = Curves(curve.x[np.newaxis], curve.y[np.newaxis])
    return RowLosses(events, train).of(everyone, curves, np.zeros_like(everyone))


def heavy_tail(events: EventTable, train: EventTable | None = None) -> Tail | None:
    """The shortest tail of the rows that is heavy, if there is one.

    The censoring curve, and the one curve that is predicted, are those of the training rows: of the
    rows themselves, unless others are given.
    """
    # By distinct time, the last first: rows that end together are in a tail together.
    n_times = len(events.unique_times)
    by_time = events.counts_in(events.when, n_times), weight_at(events.when, events.weight)
    n_rows, weight, lost = (
        part[::-1].cumsum() for part in (*by_time, _lost_by_time(events, train))
    )
    if not 0 < lost[-1] < np.inf:
        return None
    n, share = int(n_rows[-1]), lost / lost[-1]
    is_few = n_rows <= max(FEW_ROWS, FEW_SHARE * n)
    is_heavy = is_few & (share > np.maximum(MUCH, TIMES_ITS_WEIGHT * weight / weight[-1]))
    if not is_heavy.any():
        return None
    place = int(is_heavy.argmax())
    start = float(events.unique_times[::-1][place])
    return Tail(start, int(n_rows[place]), n, float(share[place]))


def _lost_by_time(events: EventTable, train: EventTable | None) -> Floats:
    """The losses of the rows that end at each distinct time."""
    if train is None or train is events:  # every fit comes here: no row is looked at twice
        return LossByDefinition.of(events).one_leaf_loss_by_time()
    return weight_at(events.when, one_curve_losses(events, train))


def warn_of_tail(tail: Tail | None, where: str = "", *, can_choose: bool) -> None:
    """Say how much hangs on how few rows, and what to do; nothing if there is no such tail."""
    if tail is not None:
        warn(where + tail_message(tail, can_choose=can_choose), TailWeightWarning)


def tail_message(tail: Tail, *, can_choose: bool) -> str:
    """The warning; a fit without a horizon can choose one itself, a metric cannot."""
    start, is_one = format_number(tail.start, 6), tail.n_rows == 1
    carry, end = ("carries", "it ends") if is_one else ("carry", "they end")
    choice = "horizon='auto', or a time" if can_choose else "as horizon a time"
    return (
        f"{format_count(tail.n_rows, 'row')} of {tail.n_all:,} {carry} "
        f"{format_percent(tail.share)} of the loss of one curve for all rows; {end} at {start} or "
        f"later, where few rows are left. Pass {choice} before {start} up to which the loss is "
        "integrated."
    )
