"""What a worker is asked to do, and what it answers."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Entries: TypeAlias = NDArray[np.uint8]  # results of subsets, as the core writes them
COSTLY = 1000  # lane-rows: a few microseconds of search
Steps: TypeAlias = tuple[int, ...]  # a path: question + 1 where yes, minus that where no


def no_entries() -> Entries:
    """Nothing was found."""
    return np.empty(0, np.uint8)


@dataclass(frozen=True)
class Part:
    """First splits of a subset, to be solved or ruled out under a budget.

    ``path`` leads to the subset, which may be split ``depth`` levels deep. ``questions`` are those
    to be tried, as the engine numbers them, most promising first.
    """

    path: Steps
    questions: tuple[int, ...]
    depth: int
    budget: float


@dataclass(frozen=True)
class Slice:
    """When a worker stops and tells what it has found so far."""

    seconds: float = np.inf
    nodes: int | None = None

    def times(self, factor: int) -> "Slice":
        """So many times as long."""
        return Slice(factor * self.seconds, None if self.nodes is None else factor * self.nodes)

    def longer(self) -> "Slice":
        """Four times as long."""
        return self.times(4)


@dataclass(frozen=True)
class Order:
    """A part to work on for a while, and what others have found since the last order."""

    part: Part
    best: float  # the objective of the best tree known
    slice: Slice
    deferred: tuple[int, ...]  # questions that others are trying: to be tried last below
    entries: Entries = field(repr=False)


@dataclass(frozen=True)
class Reply:
    """What became of an order: the questions that are left, and all that is new."""

    left: tuple[int, ...] = ()
    # Results that took long to find, and others, which only those who search may need.
    entries: Entries = field(default_factory=no_entries, repr=False)
    cheap_entries: Entries = field(default_factory=no_entries, repr=False)
    tree: dict[str, Any] | None = None  # if it is better than the best one known
    counts: dict[str, int] = field(default_factory=dict)
    is_memory_short: bool = False
    is_known: bool = True  # otherwise the worker was restarted and has lost the problem

    @property
    def has_found(self) -> bool:
        """Whether anything is known now that was not."""
        return self.counts.get("subsets_solved", 0) > 0 or self.tree is not None

    @property
    def n_bytes(self) -> int:
        """Of all results."""
        return self.entries.nbytes + self.cheap_entries.nbytes


@dataclass(frozen=True)
class Loaded:
    """A worker has the problem: what its search says of it."""

    signature: str
