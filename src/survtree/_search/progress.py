"""Progress of long work: the table in the log, a live bar below it, and the user's callback.

A single search is watched by its bounds (``Snapshot``), many fits by how many of them are done
(``FitsSnapshot``).

The lines go through ``logging``, and the bar is a log handler (``live_bar.py``).
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

import numpy as np

from survtree._base.numbers import format_percent, relative_gap
from survtree._search.live_bar import LiveBar, live_bar

logger = logging.getLogger("survtree")

BEAT_S = 0.1  # between snapshots for bar and callback, at least
MOST_LINES = 20  # of the table of many fits
# Why subsets are not searched: the column of the table, the count of the search, and in words.
REASONS = (
    ("budget", "pruned_by_budget", "subsets ruled out because a better tree was known"),
    (
        "penalty",
        "pruned_by_incremental_progress",
        "subsets ruled out because no split could save its penalty",
    ),
    (
        "leaf count",
        "pruned_by_leaf_count",
        "subsets ruled out because the tree would have too many leaves",
    ),
    ("floor", "pruned_by_floor", "splits ruled out by what a split beside them is known to lose"),
    ("guess", "pruned_by_guess", "subsets ruled out by the reference model alone"),
    ("cache", "cache_hits", "subsets that had been solved before"),
)
PRUNINGS = {column: count for column, count, _ in REASONS}


class Standing(Protocol):
    """Where long work stands: a line of its table, and a bar with words beside it."""

    @property
    def share(self) -> float:
        """How much of a live bar is filled."""

    @property
    def state(self) -> Any:
        """What must have changed for the history to mention it."""

    def line(self, verbose: int = 1) -> str:
        """A line of the table."""

    def words(self) -> str:
        """The text beside a live bar; the most important first, since terminals may be narrow."""


@dataclass(frozen=True)
class Snapshot:
    """Where the search stands; both bounds are valid at that moment.

    ``found_by`` names the step that found the best tree so far. The counts at the end are of
    subsets that did not have to be searched: nothing in them can beat the best tree, a split cannot
    repay its leaf, there would be too many leaves, a guess excludes them, or they were solved
    before; and of cuts beside others that are known to lose too much.

    A path, or a search with a limit on leaves, tries every first split of all rows, depth after
    depth; ``first_splits_done`` of ``first_splits`` are done at the present depth. Its bounds are
    for the smallest penalty, and meet at the end. Other searches have 0 of both.
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
    pruned_by_floor: int = 0
    first_splits_done: int = 0
    first_splits: int = 0

    @property
    def gap(self) -> float:
        """(objective - lower bound) / objective."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def state(self) -> tuple[float, float]:
        """Both bounds."""
        return self.lower_bound, self.objective

    def line(self, verbose: int = 1) -> str:
        """A line of the table; from ``verbose`` 2 on with the prunings."""
        pruned = "".join(f"{getattr(self, name):13,}" for name in PRUNINGS.values())
        return (
            f"{self.seconds:6.1f}s {self.subsets_solved:12,} | {self.lower_bound:8.4f}  "
            f"{self.objective:9.4f} {format_percent(self.gap, 1):>8}{_inserted(pruned, verbose)} | "
            f"{self.n_leaves:6d}  {self.found_by}"
        )

    @property
    def share(self) -> float:
        """How much of a live bar is filled: as far as the gap is closed, or the depth is done."""
        if self.first_splits:
            return self.first_splits_done / self.first_splits
        return 1.0 - self.gap

    def words(self) -> str:
        """The text beside a live bar; the most important first, since terminals may be narrow."""
        bounds = f"{self.lower_bound:.4f} <= optimum <= {self.objective:.4f}"
        work = f"{self.subsets_solved:,} solved  {self.seconds:.1f}s"
        if self.first_splits:
            return f"{self.first_splits_done} of {self.first_splits} first splits  {bounds}  {work}"
        return f"gap {format_percent(self.gap, 1)}  {bounds}  {work}"


@dataclass(frozen=True)
class FitsSnapshot:
    """How many of many fits are done: the folds of a cross-validation, bootstrap samples.

    ``last`` names the one that was finished last.
    """

    seconds: float
    n_done: int
    n_fits: int
    last: str

    @property
    def share(self) -> float:
        """Of the fits, those that are done."""
        return self.n_done / self.n_fits

    @property
    def state(self) -> int:
        """How many are done."""
        return self.n_done

    @property
    def is_line(self) -> bool:
        """Whether it is a line of the table, which has about ``MOST_LINES``."""
        return self.n_done * MOST_LINES // self.n_fits > (
            (self.n_done - 1) * MOST_LINES // self.n_fits
        )

    def line(self, verbose: int = 1) -> str:
        """A line of the table."""
        return f"{self.seconds:6.1f}s {self.n_done:6,} of {self.n_fits:,} | {self.last}"

    def words(self) -> str:
        """The text beside a live bar."""
        return f"{self.n_done:,} of {self.n_fits:,} fits  {self.seconds:.1f}s"


FITS_HEADER = "   time          fits | finished"


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
    """Shares of the reasons for pruning, as the end of a sentence; empty if nothing was pruned."""
    found = {name: counts.get(key, 0) for name, key in PRUNINGS.items()}
    total = sum(found.values())
    shares = [f"{name} {_percent(n / total)}" for name, n in found.items() if n > 0]
    return f"; pruned by {', '.join(shares)}" if shares else ""


def _percent(share: float) -> str:
    return format_percent(share) if share >= 0.005 else "under 1 %"


class Watch:
    """Passes the progress of long work on to the log, live bars and the callback.

    Only rows, which a search makes at certain points, become lines of the log: with one thread
    these are the same in every run, except for the seconds.
    """

    def __init__(self, verbose: int, callback: Callable[[Any], Any] | None) -> None:
        self.stopped_by = "an interrupt"  # or what else interrupted the work, if anything did
        self.history: list[Any] = []  # a snapshot whenever a bound had moved
        self._verbose = verbose
        self._callback = callback
        self._last_beat = time.monotonic()

    def begin(self, *first_lines: Callable[[], str]) -> None:
        """A piece of work begins, with a table and a history of its own."""
        self.history = []
        for line in first_lines:
            self.say(line)

    def begin_search(self, headline: Callable[[], str]) -> None:
        """Likewise, a search."""
        self.begin(headline, lambda: header(self._verbose))

    def say(self, line: Callable[[], str]) -> None:
        """Log a line that belongs to no table, if verbose."""
        if self._verbose:
            logger.info("%s", line())

    def step(self, share: float, words: str) -> None:
        """Show a bar for work that is not watched otherwise."""
        if self._is_beat():
            self._show_bar(share, words)

    def turn(self, rows: Sequence[Standing], now: Callable[[], Standing]) -> bool:
        """Take new rows of running work; True if the callback wants to stop it."""
        answers = [self._log_row(row) for row in rows]
        if self._is_beat():
            snapshot = now()
            self._show_bar(snapshot.share, snapshot.words())
            answers.append(self._record(snapshot))
        if any(answers):
            self.stopped_by = "the callback"
        return any(answers)

    def end(self, rows: Sequence[Standing]) -> None:
        """Take the last rows: there is nothing left to stop."""
        for row in rows:
            self._log_row(row)

    def _is_beat(self) -> bool:
        now = time.monotonic()
        is_due = now - self._last_beat >= BEAT_S
        if is_due:
            self._last_beat = now
        return is_due

    def _log_row(self, row: Standing) -> bool:
        self.say(lambda: row.line(self._verbose))
        return self._record(row)

    def _show_bar(self, share: float, words: str) -> None:
        if not self._verbose:
            return
        for handler in logger.handlers:
            if isinstance(handler, LiveBar):
                handler.show(share, words)

    def _record(self, snapshot: Standing) -> bool:
        if not self.history or self.history[-1].state != snapshot.state:
            self.history.append(snapshot)
        # Only True itself stops: a callback may return something else by accident.
        answer = None if self._callback is None else self._callback(snapshot)
        return isinstance(answer, (bool, np.bool_)) and bool(answer)


@contextmanager
def watching(verbose: int, callback: Callable[[Any], Any] | None) -> Iterator[Watch]:
    """A watch over long work. Lines go through ``logging``.

    If it has no handler, they go to standard error as long as the work lasts.
    """
    has_listener = verbose == 0 or logger.hasHandlers()
    with nullcontext() if has_listener else shown_on(sys.stderr):
        yield Watch(verbose, callback)


@contextmanager
def shown_on(stream: TextIO) -> Iterator[None]:
    """Show the log on a stream for a while, with a live bar if a person is likely to look."""
    handler, level = live_bar(stream) or logging.StreamHandler(stream), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        handler.close()
