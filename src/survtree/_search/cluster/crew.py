"""Those who do the parts of a search, however they are reached.

A slot is a thread of a worker process: a place where one part is worked on at a time.
"""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from survtree._search.cluster.parts import Loaded, Order, Reply
from survtree._search.problem import Problem, SearchSettings

Slot: TypeAlias = tuple[str, int]  # the address of a worker, and which of its threads


@dataclass(frozen=True)
class Lost:
    """A worker is gone, with what it was doing."""

    reason: str


Answer: TypeAlias = Reply | Loaded | Lost


class Crew(Protocol):
    """Workers that come and go. Nothing here waits, except ``wait``."""

    def slots(self) -> set[Slot]:
        """Those that are there now."""

    def load(self, slot: Slot, problem: Problem, settings: SearchSettings) -> None:
        """Let a slot begin a search of a problem, once per problem."""

    def order(self, slot: Slot, order: Order) -> None:
        """Let a slot that has answered its last order do the next."""

    def nudge(self, slots: set[Slot]) -> None:
        """Let slots that are at work answer soon."""

    def abandon(self, slot: Slot) -> None:
        """Nobody waits for what a slot was asked last."""

    def wait(self, seconds: float) -> list[tuple[Slot, Answer]]:
        """Answers that have come; waits so long if there are none."""

    def dismiss(self) -> None:
        """The search is over: nobody has to keep anything of it."""
