"""The workers of a Dask cluster as a crew. Each order is a task of its own, for one worker."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias
from uuid import uuid4

import dask
from distributed import CancelledError, KilledWorker

from survtree._base import ClusterError
from survtree._search.cluster import worker
from survtree._search.cluster.crew import Answer, Lost, Slot
from survtree._search.cluster.parts import Order
from survtree._search.cluster.read_client import like_this_process
from survtree._search.problem import Problem, SearchSettings

logger = logging.getLogger("survtree")
_Future: TypeAlias = Any  # Dask's types say little
_LOOK_EVERY_S = 0.5  # at who is there
_MOST_WAIT_S = 30.0  # for an answer that a worker says it has
_MOST_TELLING_S = 1.0
# Not worth a warning: Dask's advice is to load data by Dask.
_QUIET = {"distributed.admin.large-graph-warning-threshold": "1 TB"}


class DaskCrew:
    """Every thread of every worker that has the versions of this process."""

    def __init__(self, client: Any, good: set[str]) -> None:
        self._client = client
        self._search_name = uuid4().hex[:8]
        self._done: queue.SimpleQueue[tuple[Slot, _Future]] = queue.SimpleQueue()
        self._futures: dict[Slot, _Future | None] = {}  # none: it could not be sent
        # Workers by address, and whether they can search.
        self._seen: dict[str, bool] = dict.fromkeys(good, True)
        self._slots: set[Slot] = set()
        self._loaded: set[Slot] = set()
        self._last_look = -_LOOK_EVERY_S
        self._n_tasks = 0

    def slots(self) -> set[Slot]:
        """Those that are there now, as of the last half second."""
        if time.monotonic() - self._last_look >= _LOOK_EVERY_S:
            self._last_look = time.monotonic()
            self._look()
        return self._slots

    def _look(self) -> None:
        try:
            n_threads = dict(self._client.nthreads())
            new = n_threads.keys() - self._seen.keys()
            if new:
                good, refused = like_this_process(self._client)
                for why in refused.keys() & new:
                    logger.warning("not searching with a worker: %s", refused[why])
                # One that did not say its versions this time is asked again.
                self._seen |= {a: a in good for a in new & (good | refused.keys())}
        except Exception as error:  # a client that has lost its scheduler raises all kinds
            logger.warning("the scheduler does not answer: %s", error)
            n_threads = {}
        self._slots = {
            (address, k)
            for address, n in n_threads.items()
            if self._seen.get(address)
            for k in range(max(1, n))
        }

    def load(self, slot: Slot, problem: Problem, settings: SearchSettings) -> None:
        """Send the problem, once per slot."""
        self._loaded.add(slot)
        self._submit(slot, "survtree-load", worker.load, problem, settings)

    def order(self, slot: Slot, order: Order) -> None:
        """Send an order."""
        self._submit(slot, "survtree-search", worker.work, order)

    def _submit(self, slot: Slot, kind: str, function: Callable[..., Any], *data: Any) -> None:
        self._n_tasks += 1
        try:
            with dask.config.set(_QUIET):
                future = self._client.submit(
                    function,
                    self._name(slot),
                    *data,
                    key=f"{kind}-{self._search_name}-{self._n_tasks}",
                    workers=[slot[0]],
                    pure=False,
                )
        except Exception as error:  # as in _look
            logger.warning("nothing can be sent to the worker at %s: %s", slot[0], error)
            self._futures[slot] = None
            return
        self._futures[slot] = future
        future.add_done_callback(lambda done: self._done.put((slot, done)))

    def _name(self, slot: Slot) -> str:
        # With its address: workers may be threads of one process.
        return f"{self._search_name}-{slot[0]}-{slot[1]}"

    def nudge(self, slots: set[Slot]) -> None:
        """Let slots that are at work answer soon."""
        self._tell(worker.nudge, slots)

    def _tell(self, function: Callable[..., Any], slots: set[Slot]) -> None:
        names = [self._name(slot) for slot in slots]
        workers = sorted({address for address, _ in slots & self._slots})
        if not workers:
            return

        def tell() -> None:
            # Who cannot be told is found to be lost soon.
            with suppress(Exception):
                self._client.run(function, names, workers=workers, on_error="ignore")

        # A worker whose process is stopped never answers; nobody waits for it.
        telling = threading.Thread(target=tell, daemon=True)
        telling.start()
        telling.join(timeout=_MOST_TELLING_S)

    def abandon(self, slot: Slot) -> None:
        """Nobody waits for what a slot was asked last."""
        self._cancel(self._futures.pop(slot, None))

    def _cancel(self, future: _Future | None) -> None:
        if future is not None:
            with suppress(Exception):  # as in _look
                future.cancel()

    def wait(self, seconds: float) -> list[tuple[Slot, Answer]]:
        """Answers that have come; waits so long if there are none."""
        answers: list[tuple[Slot, Answer]] = []
        gone = [s for s, future in self._futures.items() if s not in self._slots or future is None]
        for slot in gone:
            self.abandon(slot)
            answers.append((slot, Lost("it has left the cluster")))
        try:
            while True:
                slot, future = self._done.get(timeout=0.0 if answers else seconds)
                if self._futures.get(slot) is future:
                    del self._futures[slot]
                    answers.append((slot, _answer_of(slot, future)))
        except queue.Empty:
            return answers

    def dismiss(self) -> None:
        """Nobody has to keep anything of this search."""
        for slot in list(self._futures):
            self.abandon(slot)
        if self._loaded:
            self._tell(worker.forget, self._loaded)


def _answer_of(slot: Slot, future: _Future) -> Answer:
    if future.status == "cancelled":
        return Lost("its task was cancelled")
    try:
        answer: Answer = future.result(timeout=_MOST_WAIT_S)
    except (KilledWorker, CancelledError, OSError, TimeoutError) as error:
        return Lost(str(error) or type(error).__name__)
    except MemoryError:
        return Lost("it has too little memory")
    except Exception as error:
        raise ClusterError(f"the worker at {slot[0]} failed: {error!r}") from error
    return answer
