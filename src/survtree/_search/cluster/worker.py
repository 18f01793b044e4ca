"""What runs in the processes of a cluster: searches of whole problems, of which parts are done.

A process keeps a search for each problem and thread that it was given, with all that it has found
and been told, until it is told to forget it.
"""

import threading
from collections import deque

import numpy as np

from survtree._search.cluster.parts import COSTLY, Loaded, Order, Reply
from survtree._search.engines import TreeSearch, run_limits, search_of
from survtree._search.problem import Problem, SearchSettings


class Session:
    """A search of one problem, in one thread at a time."""

    def __init__(
        self, problem: Problem, settings: SearchSettings, costly_from: int = COSTLY
    ) -> None:
        self._settings = settings
        self._is_nudged = threading.Event()
        self._counts: dict[str, int] = {}
        self.search: TreeSearch = search_of(problem, settings)
        self.search.list_new_entries(costly_from)

    def nudge(self) -> None:
        """Stop at the next turn and tell what was found."""
        self._is_nudged.set()

    def work(self, order: Order) -> Reply:
        """Do a part of the search for a while."""
        search, part = self.search, order.part
        self._is_nudged.clear()
        search.add_entries(order.entries)
        limits = run_limits(self._settings, search)
        limits["slice_s"] = order.slice.seconds
        if order.slice.nodes is not None:
            limits["node_limit"] = order.slice.nodes
        path = np.array(part.path, np.int32)
        questions, deferred = (
            np.array(each, np.int64) for each in (part.questions, order.deferred)
        )
        left = search.try_below(
            path, questions, deferred, part.depth, part.budget, limits, self._turn
        )
        standing = search.standing()
        costly, cheap = search.take_entries()
        return Reply(
            left=tuple(left["questions"].tolist()),
            entries=costly,
            cheap_entries=cheap,
            tree=standing["tree"] if standing["objective"] < order.best else None,
            counts=self._new_counts(),
            is_memory_short=left["status"] == "memory_limit",
        )

    def _turn(self) -> None:
        if self._is_nudged.is_set():
            self.search.interrupt()

    def _new_counts(self) -> dict[str, int]:
        before, self._counts = self._counts, self.search.counts_so_far()
        return {name: n - before.get(name, 0) for name, n in self._counts.items()}


_sessions: dict[str, Session] = {}
_forgotten: deque[str] = deque(maxlen=1000)


def load(name: str, problem: Problem, settings: SearchSettings) -> Loaded:
    """Begin a search that parts will be asked of by its name."""
    session = Session(problem, settings)
    if name not in _forgotten:  # meanwhile
        _sessions[name] = session
    return Loaded(session.search.signature())


def work(name: str, order: Order) -> Reply:
    """Do a part of a search; the reply says so if it is not known here."""
    session = _sessions.get(name)
    return Reply(is_known=False) if session is None else session.work(order)


def nudge(names: list[str]) -> None:
    """Let searches stop what they do and tell what they found."""
    for name in names:
        if (session := _sessions.get(name)) is not None:
            session.nudge()


def forget(names: list[str]) -> None:
    """Drop searches; those that are at work stop."""
    nudge(names)
    _forgotten.extend(names)
    for name in names:
        _sessions.pop(name, None)
