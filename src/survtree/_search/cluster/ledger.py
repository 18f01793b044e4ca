"""What was found by whom, and who has been told: results on their way between processes."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from survtree._search.cluster.crew import Slot
from survtree._search.cluster.parts import Entries

_MOST_WAITING_BYTES = 500_000_000
ON_CLUSTER = "cluster_lane_rows"  # among the counts of a search: workers did a part of it


class Ledger:
    """Results that some slots have not been told of, and what all have counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.n_orders = 0
        self.n_bytes = 0
        self._found: list[tuple[Entries, Slot | None]] = []
        self._n_dropped = 0  # from the front: everyone knows them
        self._told: dict[Slot, int | None] = {}  # how many of all; None: nothing yet

    @property
    def slots(self) -> set[Slot]:
        """Those that are told."""
        return set(self._told)

    def welcome(self, slot: Slot) -> None:
        """From now on a slot is told; with its first news it gets all that is known."""
        self._told[slot] = None

    def part_with(self, slot: Slot) -> None:
        """A slot is gone, or has forgotten what it knew."""
        self._told.pop(slot, None)

    def add(self, entries: Entries, found_by: Slot | None) -> None:
        """Somebody has found something; None is this process."""
        if found_by is not None:
            self.n_bytes += entries.nbytes
        if entries.nbytes > 0 and any(n is not None for n in self._told.values()):
            self._found.append((entries, found_by))
            self._let_the_slowest_start_anew()

    def count(self, counts: dict[str, int]) -> None:
        """Work that was done elsewhere."""
        self.counts.update(counts)

    def news_for(self, slot: Slot, everything: Callable[[], Entries]) -> Entries:
        """What a slot has not been told yet."""
        told = self._told[slot]
        self._told[slot] = self._n_dropped + len(self._found)
        if told is None:
            news = everything()
        else:
            new = self._found[told - self._n_dropped :]
            others = [entries for entries, found_by in new if found_by != slot]
            news = np.concatenate([np.empty(0, np.uint8), *others])
        self._drop_what_all_know()
        self.n_bytes += news.nbytes
        return news

    def _let_the_slowest_start_anew(self) -> None:
        """What waits for a slot that has nothing to do must not fill the memory."""
        while sum(entries.nbytes for entries, _ in self._found) > _MOST_WAITING_BYTES:
            slowest = min(n for n in self._told.values() if n is not None)
            self._told = {s: None if n == slowest else n for s, n in self._told.items()}
            self._drop_what_all_know()

    def _drop_what_all_know(self) -> None:
        told = [n for n in self._told.values() if n is not None]
        n_old = min(told, default=self._n_dropped + len(self._found)) - self._n_dropped
        del self._found[:n_old]
        self._n_dropped += n_old

    def added_to(self, counts: dict[str, int]) -> dict[str, int]:
        """The counts of this process with those of all others."""
        if not self.n_orders:
            return counts
        both = {name: n + self.counts[name] for name, n in counts.items()}
        return {
            **both,
            ON_CLUSTER: self.counts["lane_rows"],
            "cluster_tasks": self.n_orders,
            "cluster_bytes": self.n_bytes,
        }
