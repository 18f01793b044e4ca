"""Settings of a search: when it may stop, what it may assume, and how it runs."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

BOUNDS = (
    "hierarchical",
    "subtree",
    "look_ahead",
    "equivalent_points",
    "incremental_progress",
    "leaf_count",
    "permutation",
)


@dataclass(frozen=True)
class Clock:
    """Counts the seconds since a fit began: its time limit and its history start then."""

    start: float

    @classmethod
    def started(cls, seconds_gone: float = 0.0) -> "Clock":
        """One that has been running for so many seconds."""
        return cls(perf_counter() - seconds_gone)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return perf_counter() - self.start


@dataclass(frozen=True)
class SearchSettings:
    """Everything about a search that does not change its optimum, except for a guess.

    ``guessed_losses`` are those of a reference model, one per row. The search assumes that no tree
    has a lower loss on a group of equal rows; its answer is only as good as this guess.

    Replay files keep the fields by their types: numbers >= 0, flags, words that have ``choices``,
    tuples of such words, and float arrays with one number per row. Each field has a default, which
    is used for files of older versions that do not have it.
    """

    gap: float = 0.0
    upper_bound: float | None = None
    time_limit: float | None = None
    seconds_gone: float = 0.0  # of the time limit, before the search began
    memory_limit: int | None = None
    node_limit: int | None = None
    wants_bounds: bool = False  # raise the lower bound during the search, at some cost
    guessed_losses: NDArray[np.float64] | None = field(default=None, repr=False)
    proves: bool = False  # search again without the guess after it has led to a tree
    bounds_off: tuple[str, ...] = field(default=(), metadata={"choices": BOUNDS})
    check_keys: bool = False
    greedy_from: int = 10_000_000  # lane-rows of work before greedy trees are tried
    # An empty word leaves the choice to the core.
    kernel: str = field(default="", metadata={"choices": ("", "plain", "avx2", "avx512")})
    layout: str = field(default="", metadata={"choices": ("", "rows", "blocks")})
    solver: str = field(default="", metadata={"choices": ("", "search", "lattice")})
    n_jobs: int | None = None
