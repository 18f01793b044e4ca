"""The progress table: rows from the search, lines for the log."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

logger = logging.getLogger("survtree")

HEADER = "   time       solved |    lower  objective      gap | leaves  found by"


@dataclass(frozen=True)
class ProgressRow:
    """Where the search stands; both bounds are valid at that moment."""

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

    def line(self) -> str:
        """The row as a line of the table."""
        return (
            f"{self.seconds:6.1f}s {self.subsets_solved:12,} | {self.lower_bound:8.4f}  "
            f"{self.objective:9.4f} {100 * self.gap:6.1f} % | {self.n_leaves:6d}  {self.found_by}"
        )


def relative_gap(objective: float, lower_bound: float) -> float:
    """(objective - lower bound) / objective; 0 where both are 0."""
    return (objective - lower_bound) / objective if objective > 0 else 0.0


@contextmanager
def progress_log(
    headline: Callable[[], str], verbose: int
) -> Iterator[Callable[[ProgressRow], None] | None]:
    """A listener that logs each row, or None when not verbose.

    Goes through ``logging``; if nobody listens there, to standard error while the fit lasts.
    """
    if verbose == 0:
        yield None
        return
    handler, level = None, logger.level
    if not logger.hasHandlers():
        handler = logging.StreamHandler(sys.stderr)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        logger.info("%s", headline())
        logger.info("%s", HEADER)
        yield lambda row: logger.info("%s", row.line())
    finally:
        if handler is not None:
            logger.removeHandler(handler)
            logger.setLevel(level)
