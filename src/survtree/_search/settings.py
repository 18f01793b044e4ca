"""How a search may end, and what it may lean on: what a fit hands over beside its problem."""

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
    """None of it but a guess changes the optimum.

    ``guessed_losses``: of each row, by a reference model. No tree is expected to lose less on a
    group of equal rows; the answer is then only as good as that guess.

    Replay files keep the fields by their types: numbers >= 0, flags, words that have ``choices``,
    tuples of such words, and float arrays with one number a row. Each has a default, which stands
    for what a file of an older version does not say.
    """

    gap: float = 0.0
    upper_bound: float | None = None
    time_limit: float | None = None
    seconds_gone: float = 0.0  # of the time limit, before the search
    memory_limit: int | None = None
    node_limit: int | None = None
    wants_bounds: bool = False  # raise the lower bound on the way, for some more work in all
    guessed_losses: NDArray[np.float64] | None = field(default=None, repr=False)
    proves: bool = False  # after the guess, without it
    bounds_off: tuple[str, ...] = field(default=(), metadata={"choices": BOUNDS})
    check_keys: bool = False
    greedy_from: int = 10_000_000  # lane-rows done; before that greedy trees do not pay
    # Empty: the best one of this machine; the cheaper one for the problem.
    kernel: str = field(default="", metadata={"choices": ("", "plain", "avx2", "avx512")})
    layout: str = field(default="", metadata={"choices": ("", "rows", "blocks")})
    solver: str = field(default="", metadata={"choices": ("", "search", "lattice")})
    n_jobs: int | None = None
