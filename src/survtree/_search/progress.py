"""Where a search stands, and who is told: the table in the log, a live bar, the user's callback."""

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from survtree._base.numbers import format_percent, relative_gap
from survtree._search.live_bar import LiveBar, live_bar

logger = logging.getLogger("survtree")

BEAT_S = 0.1  # between snapshots for bar and callback, at least
# What ends a subset that is not searched through: its column in the table, its count.
PRUNINGS = {
    "budget": "pruned_by_budget",
    "penalty": "pruned_by_incremental_progress",
    "leaf count": "pruned_by_leaf_count",
    "guess": "pruned_by_guess",
    "cache": "cache_hits",
}


@dataclass(frozen=True)
class Snapshot:
    """Where the search stands; both bounds are valid at that moment.

    ``found_by`` tells where the best tree so far came from. The counts at the end tell what closed
    subsets that did not have to be searched: no room below the best tree, a split that cannot
    repay its leaf, too many leaves, a guess, and what was solved before.
    """

    seconds: float
    subsets_solved: int
    lower_bound: float
    objective: float
    n_leaves: int
    found_by: str
    pruned_by_budget: int
    pruned_by_incremental_progress: int
    pruned_by_leaf_count: int
    pruned_by_guess: int
    cache_hits: int

    @property
    def gap(self) -> float:
        """Share of the objective that is not yet proven necessary."""
        return relative_gap(self.objective, self.lower_bound)

    def line(self, verbose: int = 1) -> str:
        """A line of the table; from ``verbose`` 2 on with the prunings."""
        pruned = "".join(f"{getattr(self, name):13,}" for name in PRUNINGS.values())
        return (
            f"{self.seconds:6.1f}s {self.subsets_solved:12,} | {self.lower_bound:8.4f}  "
            f"{self.objective:9.4f} {100 * self.gap:6.1f} %{_inserted(pruned, verbose)} | "
            f"{self.n_leaves:6d}  {self.found_by}"
        )

    def words(self) -> str:
        """What stands beside a live bar; the most telling first, since terminals may be narrow."""
        return (
            f"gap {format_percent(self.gap, 1)}  {self.lower_bound:.4f} <= optimum <= "
            f"{self.objective:.4f}  {self.subsets_solved:,} solved  {self.seconds:.1f}s"
        )


def header(verbose: int = 1) -> str:
    """The names of the columns of the table."""
    pruned = "".join(f"{name:>13}" for name in PRUNINGS)
    return (
        "   time       solved |    lower  objective      gap"
        f"{_inserted(pruned, verbose)} | leaves  found by"
    )


def _inserted(columns: str, verbose: int) -> str:
    return f" |{columns}" if verbose > 1 else ""


def pruned_by(counts: Mapping[str, int]) -> str:
    """What closed subsets early, in shares, as the end of a sentence; empty if nothing did."""
    found = {name: counts.get(key, 0) for name, key in PRUNINGS.items()}
    total = sum(found.values())
    shares = [f"{name} {_percent(n / total)}" for name, n in found.items() if n > 0]
    return f"; pruned by {', '.join(shares)}" if shares else ""


def _percent(share: float) -> str:
    return format_percent(share) if share >= 0.005 else "under 1 %"


class Watch:
    """Told by the search how far it is; tells the log, live bars and the callback.

    Only rows, which the search makes where something happened, become lines of the log: with one
    thread these are the same in every run, but for the seconds.
    """

    def __init__(self, verbose: int, callback: Callable[[Snapshot], Any] | None) -> None:
        self.stopped_by = "an interrupt"  # who it was, if anybody interrupted the search
        self.history: list[Snapshot] = []  # a snapshot whenever a bound was found to have moved
        self._verbose = verbose
        self._callback = callback
        self._last_beat = time.monotonic()

    def turn(self, rows: Sequence[Snapshot], now: Callable[[], Snapshot]) -> bool:
        """Takes new rows of a search that goes on; True if the callback wants it to stop."""
        answers = [self._row(row) for row in rows]
        if time.monotonic() - self._last_beat >= BEAT_S:
            answers.append(self._beat(now()))
            self._last_beat = time.monotonic()
        if any(answers):
            self.stopped_by = "the callback"
        return any(answers)

    def end(self, rows: Sequence[Snapshot]) -> None:
        """Takes the last rows: there is nothing left to stop."""
        for row in rows:
            self._row(row)

    def _row(self, row: Snapshot) -> bool:
        if self._verbose:
            logger.info("%s", row.line(self._verbose))
        return self._ask(row)

    def _beat(self, snapshot: Snapshot) -> bool:
        if self._verbose:
            for handler in logger.handlers:
                if isinstance(handler, LiveBar):
                    handler.show(1.0 - snapshot.gap, snapshot.words())
        return self._ask(snapshot)

    def _ask(self, snapshot: Snapshot) -> bool:
        last = self.history[-1] if self.history else None
        if last is None or (last.lower_bound, last.objective) != _bounds(snapshot):
            self.history.append(snapshot)
        # Only True itself: a callback that returns something else by accident stops nothing.
        answer = None if self._callback is None else self._callback(snapshot)
        return isinstance(answer, (bool, np.bool_)) and bool(answer)


def _bounds(snapshot: Snapshot) -> tuple[float, float]:
    return snapshot.lower_bound, snapshot.objective


@contextmanager
def watching(
    headline: Callable[[], str], verbose: int, callback: Callable[[Snapshot], Any] | None
) -> Iterator[Watch]:
    """A watch over a search, below the head of the table if verbose.

    Lines go through ``logging``; if nobody listens there, to standard error while the fit lasts.
    """
    is_heard = verbose == 0 or logger.hasHandlers()
    with nullcontext() if is_heard else shown_on(sys.stderr):
        if verbose:
            logger.info("%s", headline())
            logger.info("%s", header(verbose))
        yield Watch(verbose, callback)


@contextmanager
def shown_on(stream: TextIO) -> Iterator[None]:
    """While it lasts, a stream shows the log, with a live bar if a person is likely to look."""
    handler, level = live_bar(stream) or logging.StreamHandler(stream), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        handler.close()
