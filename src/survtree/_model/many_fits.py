"""Many fits side by side, through ``joblib``: watched, and kept as far as they came when stopped.

Results do not depend on how many tasks run at once, nor where.
"""

import multiprocessing
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, delayed

from survtree._search.problem import Clock
from survtree._search.progress import FitsSnapshot, Watch


@dataclass(frozen=True)
class FitsDone:
    """Results by the place of their task; all of them, unless something stopped the work."""

    results: dict[int, Any]
    stopped_by: str | None


def fit_many(
    fit: Callable[[Any], Any],
    tasks: Sequence[Any],
    n_jobs: int | None,
    watch: Watch,
    is_enough: Callable[[dict[int, Any]], bool],
) -> FitsDone:
    """The result of each task; of those that were finished, if Ctrl-C or the callback stops them.

    What is not enough to show anything is given up with KeyboardInterrupt; the callback stops only
    what is enough. A task has a ``name`` for the table of progress.
    """
    clock, results, wants_stop, stopped_by = Clock.started(), dict[int, Any](), False, None
    finished = _pool(n_jobs)(delayed(_numbered)(fit, k, task) for k, task in enumerate(tasks))
    try:
        for place, result in finished:
            results[place] = result
            now = FitsSnapshot(clock.seconds, len(results), len(tasks), tasks[place].name)
            wants_stop |= watch.turn([now] if now.is_line else [], lambda now=now: now)  # type: ignore[misc]
            if wants_stop and is_enough(results) and len(results) < len(tasks):
                stopped_by = "the callback"
                break
    except KeyboardInterrupt:
        if not is_enough(results):
            raise
        stopped_by = "an interrupt"
    finally:
        _end(finished)
    return FitsDone(results, stopped_by)


def _numbered(fit: Callable[[Any], Any], place: int, task: Any) -> tuple[int, Any]:
    _leave_ctrl_c_to_others()
    return place, fit(task)


def _leave_ctrl_c_to_others() -> None:
    """In a worker process of joblib: let Ctrl-C pass, which a terminal sends to all processes.

    The process that shares out the work stops the workers. One that were interrupted between two
    tasks would print a traceback first.
    """
    is_worker = type(multiprocessing.current_process()).__name__ == "LokyProcess"
    if is_worker and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _pool(n_jobs: int | None) -> Parallel:
    """One that hands over each result when it is there, if the backend can.

    joblib would put quick tasks together, whose results then come together.
    """
    try:
        return Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    except ValueError:
        return Parallel(n_jobs=n_jobs)


def _end(finished: Any) -> None:
    """Leave what is still under way; joblib would warn of it."""
    if hasattr(finished, "close"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            finished.close()
