"""One search whose parts are done by a crew, and which ends as if it had been alone.

What a crew finds are results of subsets. They are handed to everyone, and at the end to the search
of this process, which then runs as it always does and finds them in its cache: so tree, bounds and
status are those of a search without a crew, whatever became of the workers.
"""

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from survtree._base import ClusterError
from survtree._search.cluster.crew import Answer, Crew, Lost, Slot
from survtree._search.cluster.ledger import Ledger
from survtree._search.cluster.parts import COSTLY, Loaded, Order, Part, Reply, Slice
from survtree._search.cluster.pool import Family, Pool
from survtree._search.engines import (
    BitSearch,
    CutSearch,
    TreeSearch,
    progress_rows,
    run_limits,
    tree_of,
)
from survtree._search.gpu.lattice import Stopped
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Snapshot, Watch

logger = logging.getLogger("survtree")
# Where workers tell each other more rarely, they do more of it twice.
_FIRST, _SECOND, _LATER, _THERE = Slice(0.2), Slice(0.3), Slice(0.1), Slice(0.3)
# A search over cuts that goes on after a stop has more to do again.
_THERE_FOR_CUTS = Slice(0.8)
_LAST_LOOK_S = 0.3
_MOST_LOSSES = 3  # then a worker is not asked again: it may have too little memory to begin with
_USUAL_LOADING_S = 3.0  # with the imports of a process that has just begun
_MOST_LOADING_S, _MOST_WAIT_S = 120.0, 30.0  # beyond these a worker is paused, or busy otherwise
_MOST_SHORTAGES = 3  # in a row: then a worker has too little memory for this search


@dataclass(frozen=True)
class Pace:
    """How long is searched here and there before results are exchanged."""

    first: Slice = _FIRST  # here, before anything is handed out
    second: Slice = _SECOND  # here, while workers get the problem
    here: Slice = _LATER  # here, after parts have come back
    there: Slice = _THERE
    beat_s: float = 0.05  # between looks at the clock
    nudge_after_s: float = 0.1  # while others have nothing to do


class SharedSearch:
    """A search in this process, and a crew that it hands parts to."""

    def __init__(
        self,
        search: TreeSearch,
        problem: Problem,
        settings: SearchSettings,
        crew: Crew,
        pace: Pace | None = None,
    ) -> None:
        self._search = search
        self._problem = problem
        # Bounds are raised by the parts that come back; memory and time are looked at here.
        self._settings = replace(settings, wants_bounds=False)
        self._crew = crew
        is_of_cuts = isinstance(search, CutSearch)
        usual = Pace(there=_THERE_FOR_CUTS if is_of_cuts else _THERE)
        self._pace = usual if pace is None else pace
        self._ledger = Ledger()
        self._loading: dict[Slot, float] = {}  # since when
        self._idle: list[Slot] = []
        self._at_work: dict[Slot, tuple[Family, Part, float]] = {}
        self._awaited: dict[Slot, float] = {}  # until when its answer may take
        self._losses: dict[Slot, int] = {}  # one after the other, without an answer between
        self._shortages: dict[Slot, int] = {}
        self._pressed: list[Any] = []  # how often Ctrl-C was pressed
        self._signature = search.signature()
        search.list_new_entries(COSTLY)

    def run(self, watch: Watch | None, clock: Clock) -> dict[str, Any]:
        """The result as the native module returns it."""
        with _noticed_ctrl_c() as self._pressed:
            return self._run(watch, clock)

    def _run(self, watch: Watch | None, clock: Clock) -> dict[str, Any]:
        try:
            raw, some, deepest = self._here(self._pace.first, watch, clock), self._pace.here, -1
            if raw["status"] == "node_limit":
                self._look_for_slots(clock)  # which load the problem meanwhile
                raw = self._here(self._pace.second, watch, clock)
            while raw["status"] == "node_limit":
                # What is left of a depth that workers have been through is for this process. A
                # search over cuts goes through smaller depths again, which is no news.
                some = self._pace.here if self._depth > deepest else some.longer()
                deepest = max(deepest, self._depth)
                self._there(watch, clock)
                raw = self._here(some, watch, clock)
        except (Stopped, KeyboardInterrupt) as stop:
            reason = str(stop) if isinstance(stop, Stopped) else "interrupted"
            raw = self._ended_early(reason, clock)
        finally:
            self._crew.dismiss()
        if raw["counts"].get("lattice_bytes"):
            logger.info("not searching on the cluster: a lattice stays in one process")
        raw["counts"] = self._ledger.added_to(raw["counts"])
        return raw

    def _here(self, some: Slice, watch: Watch | None, clock: Clock) -> dict[str, Any]:
        """Search in this process for a while."""
        limits = self._limits(clock)
        limits["slice_s"] = some.seconds
        if some.nodes is not None:
            limits["node_limit"] = some.nodes
        on_turn = None if watch is None else lambda: self._pass_progress(watch)
        raw = self._search.run(limits, on_turn)
        for found in self._search.take_entries():
            self._ledger.add(found, None)
        if self._pressed and raw["status"] == "node_limit":
            raise Stopped("interrupted")
        return raw

    @property
    def _depth(self) -> int:
        return int(self._search.standing()["depth"])

    def _limits(self, clock: Clock) -> dict[str, Any]:
        return run_limits(replace(self._settings, seconds_gone=clock.seconds), self._search)

    def _there(self, watch: Watch | None, clock: Clock) -> None:
        """Let the crew do what is left at the present depth; returns at once if there is none."""
        standing = self._search.standing()
        pool = Pool(self._search, standing["depth"], standing["budget"])
        while not pool.is_done:
            self._look_for_slots(clock)
            self._hand_out(pool, standing["objective"], clock)
            for slot, answer in self._crew.wait(self._pace.beat_s):
                self._take(pool, slot, answer)
            self._give_up(pool, clock)
            if not (self._idle or self._at_work or self._is_somebody_coming(clock)):
                return  # those who take long to load the problem are asked again later
            now = self._search.standing()
            if now["objective"] < standing["objective"]:
                standing = now
                pool.lower_budget(now["budget"])
                self._crew.nudge(set(self._at_work))
            self._turn(watch, clock)

    def _look_for_slots(self, clock: Clock) -> None:
        for slot in self._crew.slots() - self._ledger.slots - self._loading.keys():
            if self._losses.get(slot, 0) < _MOST_LOSSES:
                self._loading[slot] = clock.seconds
                self._crew.load(slot, self._problem, self._settings)

    def _is_somebody_coming(self, clock: Clock) -> bool:
        return any(clock.seconds - since < _USUAL_LOADING_S for since in self._loading.values())

    def _give_up(self, pool: Pool, clock: Clock) -> None:
        """Do without those who are there, but have not answered for long."""
        late = [s for s, since in self._loading.items() if clock.seconds - since > _MOST_LOADING_S]
        late += [s for s, until in self._awaited.items() if clock.seconds > until]
        for slot in late:
            logger.warning("not searching with the worker at %s: it does not answer", slot[0])
            self._crew.abandon(slot)
            self._losses[slot] = _MOST_LOSSES
            self._take(pool, slot, Lost("it does not answer"))

    def _hand_out(self, pool: Pool, best: float, clock: Clock) -> None:
        n_slots = len(self._idle) + len(self._at_work)
        while self._idle and (taken := pool.take(n_slots)) is not None:
            slot = self._idle.pop()
            entries = self._ledger.news_for(slot, self._search.all_entries)
            deferred = tuple({q for _, part, _ in self._at_work.values() for q in part.questions})
            # Alone, a worker has nobody to tell; when others come it is asked to share.
            some = self._pace.there if n_slots > 1 else self._pace.there.longer()
            some = some.times(2**pool.n_fruitless)
            order = Order(taken[1], best, some, deferred, entries)
            self._crew.order(slot, order)
            self._at_work[slot] = (*taken, clock.seconds)
            patience = _MOST_WAIT_S + 10 * (0.0 if some.seconds == np.inf else some.seconds)
            self._awaited[slot] = clock.seconds + patience
            self._ledger.n_orders += 1
        if self._idle and self._at_work:
            self._ask_to_share(clock.seconds)

    def _ask_to_share(self, now: float) -> None:
        """Where some have nothing to do, those with something to share tell what is left."""
        long = now - self._pace.nudge_after_s
        sharing = {
            slot
            for slot, (family, part, since) in self._at_work.items()
            if since < long and (len(part.questions) > 1 or part.questions[0] not in family.whole)
        }
        if sharing:
            self._crew.nudge(sharing)
            for slot in sharing:  # once
                family, part, _ = self._at_work[slot]
                self._at_work[slot] = family, part, np.inf

    def _take(self, pool: Pool, slot: Slot, answer: Answer) -> None:
        if isinstance(answer, Loaded):
            self._loading.pop(slot, None)
            _check_signature(slot, answer.signature, self._signature)
            self._ledger.welcome(slot)
            self._idle.append(slot)
            return
        if slot in self._at_work:
            family, part, _ = self._at_work.pop(slot)
            self._awaited.pop(slot, None)
            left = part.questions
            if isinstance(answer, Reply) and answer.is_known:
                left = answer.left
                pool.note(has_progress=left != part.questions or answer.has_found)
            pool.put_back(family, part, left)
        if isinstance(answer, Lost):
            logger.info("lost the worker at %s: %s", slot[0], answer.reason)
            self._losses[slot] = self._losses.get(slot, 0) + 1
        if isinstance(answer, Lost) or not answer.is_known:
            self._forget(slot)
            return
        self._losses.pop(slot, None)
        self._learn(slot, answer)
        self._idle.append(slot)

    def _forget(self, slot: Slot) -> None:
        self._loading.pop(slot, None)
        self._ledger.part_with(slot)
        if slot in self._idle:
            self._idle.remove(slot)

    def _learn(self, slot: Slot, reply: Reply) -> None:
        # Cheap results are passed on. To this process, which only looks at what is left, they are
        # not worth the time it takes to keep them: it finds again those that it needs.
        self._search.add_entries(reply.entries)
        self._ledger.add(reply.entries, slot)
        self._ledger.add(reply.cheap_entries, slot)
        self._ledger.count(reply.counts)
        if reply.tree is not None:
            tree = tree_of(reply.tree)
            self._search.start_from(tree.question, tree.no, tree.yes, 0.0, "a worker")
        self._shortages[slot] = self._shortages.get(slot, 0) + 1 if reply.is_memory_short else 0
        if self._shortages[slot] >= _MOST_SHORTAGES:
            raise Stopped("memory_limit")

    def _turn(self, watch: Watch | None, clock: Clock) -> None:
        if self._pressed:
            raise Stopped("interrupted")
        limit = self._settings.time_limit
        if limit is not None and clock.seconds > limit:
            raise Stopped("time_limit")
        if watch is not None and watch.turn(self._rows(), self._snapshot(clock)):
            raise Stopped("interrupted")

    def _pass_progress(self, watch: Watch) -> None:
        def now() -> Snapshot:
            return self._counted(Snapshot(**self._search.snapshot()))

        if watch.turn(self._rows(), now):
            self._search.interrupt()

    def _rows(self) -> list[Snapshot]:
        return [self._counted(row) for row in progress_rows(self._search)]

    def _snapshot(self, clock: Clock) -> Callable[[], Snapshot]:
        def now() -> Snapshot:
            self._raise_bound()
            row = Snapshot(**self._search.snapshot())
            return replace(self._counted(row), seconds=clock.seconds)

        return now

    def _counted(self, row: Snapshot) -> Snapshot:
        n = self._ledger.counts
        return replace(
            row, **{name: getattr(row, name) + n[name] for name in n if hasattr(row, name)}
        )

    def _raise_bound(self) -> None:
        """No tree costs less than the least of what is open, at the last depth."""
        if not isinstance(self._search, BitSearch):
            return
        standing, nowhere = self._search.standing(), np.empty(0, np.int32)
        open_ = self._search.open_questions(nowhere, standing["final_depth"], standing["objective"])
        self._search.raise_lower_bound_to(open_["bound"])

    def _ended_early(self, reason: str, clock: Clock) -> dict[str, Any]:
        """The best tree so far and what is proven of it."""
        self._raise_bound()
        # A search over cuts looks up what is known of them, for its bound.
        moment = _LAST_LOOK_S if isinstance(self._search, CutSearch) else -1.0
        limits = {**self._limits(clock), "time_limit_s": moment, "seconds_gone": 0.0}
        raw = self._search.run(limits)
        is_proven = raw["status"] == "optimal"
        return {
            **raw,
            "status": raw["status"] if is_proven else reason,
            "seconds": clock.seconds,
        }


@contextmanager
def _noticed_ctrl_c() -> Iterator[list[Any]]:
    """A list that is no longer empty once Ctrl-C was pressed.

    The exception alone may get lost: where it is raised while an object is deleted, or in a
    callback of Dask, Python goes on without it.
    """
    handler, pressed = signal.getsignal(signal.SIGINT), list[Any]()
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def note(*given: Any) -> Any:
        pressed.append(given)
        return handler(*given)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, handler)


def _check_signature(slot: Slot, theirs: str, ours: str) -> None:
    if theirs != ours:
        raise ClusterError(
            f"the worker at {slot[0]} reads the problem otherwise than this process does. "
            "Install the same version of survtree on both."
        )
