"""Progress of a search: the table in the log, a live bar below it, and the user's callback.

The lines go through ``logging``. A live bar is a log handler that keeps a bar below the lines, in a
terminal or in a notebook; rich and IPython are imported only where a bar is shown.
"""

import logging
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import Any, TextIO

import numpy as np

from survtree._base.numbers import format_percent, relative_gap

logger = logging.getLogger("survtree")

BEAT_S = 0.1  # between snapshots for bar and callback, at least
BAR_WIDTH = 16
NOTEBOOK_WIDTH = 110
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
    ("guess", "pruned_by_guess", "subsets ruled out by the reference model alone"),
    ("cache", "cache_hits", "subsets that had been solved before"),
)
PRUNINGS = {column: count for column, count, _ in REASONS}


@dataclass(frozen=True)
class Snapshot:
    """Where the search stands; both bounds are valid at that moment.

    ``found_by`` names the step that found the best tree so far. The counts at the end are of
    subsets that did not have to be searched: nothing in them can beat the best tree, a split cannot
    repay its leaf, there would be too many leaves, a guess excludes them, or they were solved
    before.

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
    first_splits_done: int = 0
    first_splits: int = 0

    @property
    def gap(self) -> float:
        """(objective - lower bound) / objective."""
        return relative_gap(self.objective, self.lower_bound)

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
    """Passes the progress of a search on to the log, live bars and the callback.

    Only rows, which the search makes at certain points, become lines of the log: with one thread
    these are the same in every run, except for the seconds.
    """

    def __init__(self, verbose: int, callback: Callable[[Snapshot], Any] | None) -> None:
        self.stopped_by = "an interrupt"  # or what else interrupted the search, if anything did
        self.history: list[Snapshot] = []  # a snapshot whenever a bound had moved
        self._verbose = verbose
        self._callback = callback
        self._last_beat = time.monotonic()

    def turn(self, rows: Sequence[Snapshot], now: Callable[[], Snapshot]) -> bool:
        """Take new rows of a running search; True if the callback wants to stop it."""
        answers = [self._log_row(row) for row in rows]
        if time.monotonic() - self._last_beat >= BEAT_S:
            answers.append(self._show_bar(now()))
            self._last_beat = time.monotonic()
        if any(answers):
            self.stopped_by = "the callback"
        return any(answers)

    def end(self, rows: Sequence[Snapshot]) -> None:
        """Take the last rows: there is nothing left to stop."""
        for row in rows:
            self._log_row(row)

    def _log_row(self, row: Snapshot) -> bool:
        if self._verbose:
            logger.info("%s", row.line(self._verbose))
        return self._record(row)

    def _show_bar(self, snapshot: Snapshot) -> bool:
        if self._verbose:
            for handler in logger.handlers:
                if isinstance(handler, LiveBar):
                    handler.show(snapshot.share, snapshot.words())
        return self._record(snapshot)

    def _record(self, snapshot: Snapshot) -> bool:
        last = self.history[-1] if self.history else None
        if last is None or (last.lower_bound, last.objective) != _bounds(snapshot):
            self.history.append(snapshot)
        # Only True itself stops: a callback may return something else by accident.
        answer = None if self._callback is None else self._callback(snapshot)
        return isinstance(answer, (bool, np.bool_)) and bool(answer)


def _bounds(snapshot: Snapshot) -> tuple[float, float]:
    return snapshot.lower_bound, snapshot.objective


@contextmanager
def watching(
    headline: Callable[[], str], verbose: int, callback: Callable[[Snapshot], Any] | None
) -> Iterator[Watch]:
    """A watch over a search, after the first lines of the table if verbose.

    Lines go through ``logging``; if it has no handler, to standard error during the fit.
    """
    has_listener = verbose == 0 or logger.hasHandlers()
    with nullcontext() if has_listener else shown_on(sys.stderr):
        if verbose:
            logger.info("%s", headline())
            logger.info("%s", header(verbose))
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


class LiveBar(logging.Handler, ABC):
    """A handler whose lines appear above a bar; closing it removes the bar, the lines stay."""

    @abstractmethod
    def show(self, share: float, words: str) -> None:
        """Draw the bar, filled by a share of 0 to 1, with words beside it."""


def live_bar(stream: TextIO) -> LiveBar | None:
    """A handler with a bar for the notebook or the terminal behind a stream, if there is one."""
    if _is_notebook():
        return NotebookBar()
    if is_terminal(stream) and os.environ.get("TERM") not in ("dumb", "unknown"):
        return TerminalBar(stream)
    return None


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal. It may be None, closed, or any object with write."""
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):
        return False


def _is_notebook() -> bool:
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython is not None and getattr(get_ipython(), "kernel", None) is not None


class TerminalBar(LiveBar):
    """Lines and bar of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        super().__init__()
        self._console = Console(file=stream, highlight=False)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            # What a callback prints goes above the bar; to a file or a pipe it must go untouched.
            redirect_stdout=is_terminal(sys.stdout),
            redirect_stderr=is_terminal(sys.stderr),
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line above the bar; the terminal wraps it, so that copies of it are whole."""
        try:
            self._console.print(self.format(record), soft_wrap=True, markup=False, emoji=False)
        except Exception:
            self.handleError(record)

    def show(self, share: float, words: str) -> None:
        """Draw the bar; from now on the cursor is hidden."""
        self._live.start()
        self._live.update(_bar(share, words), refresh=True)

    def close(self) -> None:
        """Remove the bar and show the cursor again."""
        self._live.stop()
        super().close()


class NotebookBar(LiveBar):
    """Lines and bar in one output of a notebook's cell, which is drawn anew."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._bar = ""
        self._output: Any = None

    def emit(self, record: logging.LogRecord) -> None:
        """Add a line."""
        self._lines.append(self.format(record))
        self._draw()

    def show(self, share: float, words: str) -> None:
        """Draw the bar below the lines."""
        from rich.console import Console

        text = StringIO()
        console = Console(file=text, width=NOTEBOOK_WIDTH, force_jupyter=False)
        console.print(_bar(share, words))
        self._bar = text.getvalue().rstrip()
        self._draw()

    def close(self) -> None:
        """Leave the lines alone."""
        self._bar = ""
        self._draw()
        super().close()

    def _draw(self) -> None:
        text = {"text/plain": "\n".join([*self._lines, self._bar]).rstrip()}
        if self._output is None:
            show = import_module("IPython.display").display
            self._output = show(text, raw=True, display_id=True)
        else:
            self._output.update(text, raw=True)


def _bar(share: float, words: str) -> Any:
    """One line at any width: what does not fit beside the bar is cut off."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 1))
    row.add_column(width=BAR_WIDTH)
    row.add_column(no_wrap=True, overflow="ellipsis")
    row.add_row(ProgressBar(total=1.0, completed=share, width=BAR_WIDTH), Text(words))
    return row
