"""Where a search runs: on the CPU, then perhaps on a GPU, or on the processes of a cluster."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from survtree._base import DeviceError
from survtree._search.cluster.context import current_client, on_cluster, why_not_there
from survtree._search.engines import (
    AnySearch,
    TreeSearch,
    pass_progress,
    progress_rows,
    run_limits,
)
from survtree._search.gpu.engine import GpuSearch, cuda_device, why_not
from survtree._search.gpu.lattice import Stopped, work
from survtree._search.gpu.optima import Optima
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Snapshot, Watch

logger = logging.getLogger("survtree")
ON_GPU = "gpu_lane_rows"  # among the counts of a search: it ran on a GPU
FIRST_ON_CPU_S = 0.1  # what a core solves within this does not go to a GPU
WORTH_ON_GPU_S = 600.0  # estimated; beyond it a core that prunes may well be faster
_SOME_WORK_S = 5.0  # likewise, where a search may do only so much work
_ONE_LEAF = np.array([-1], np.int32)
# Pairs of row and question, about, that a core may look at before a GPU is asked: at most some
# hundredths of a second, and a quarter of what the GPU will take. Bounds often close what looks
# large.
FIRST_WORK = 20_000_000
_LEAST_FIRST_WORK = 2_000_000  # a millisecond
_SHARE_OF_GPU = 1 / 700  # of its own, since it does far more in the same time
_FEWEST_NODES = 3  # all rows, and both sides of a split


def run(
    search: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any]:
    """The result of a search as the native module returns it, wherever the search ran."""
    if (client := current_client()) is not None and settings.device != "cuda":
        if (reason := why_not_there(problem, settings)) is None:
            return on_cluster(client, search, problem, settings, watch, clock)
        logger.info("not searching on the cluster: %s", reason)
    if settings.device == "cpu":
        return on_cpu(search, settings, watch, clock)
    check_gpu(problem, settings)
    if settings.device == "cuda":
        if (raw := little_on_cpu(search, problem, settings, watch, clock)) is not None:
            return raw
        return _on_gpu(gpu_search(search, problem, settings, watch, clock), settings, clock)
    return _on_either(search, problem, settings, watch, clock)


def check_gpu(problem: Problem, settings: SearchSettings) -> None:
    """Raises DeviceError if a GPU is asked for and there is none, or it cannot search for this.

    Before a core looks: whether that is enough does not decide whether it is an error.
    """
    if settings.device != "cuda":
        return
    if (reason := why_not(problem, settings)) is not None:
        raise DeviceError(
            f"device='cuda' cannot search for this tree: {reason}. Change that, or use "
            "device='cpu' or 'auto'."
        )
    cuda_device()


def _on_either(
    search: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any]:
    """On the CPU for a moment, and for as long again as a GPU would take; then there, if it can."""
    if (reason := why_not(problem, settings)) is None:
        if (raw := soon_on_cpu(search, settings, watch, clock, FIRST_ON_CPU_S)) is not None:
            return raw
        try:
            gpu = gpu_search(search, problem, settings, watch, clock)
            expected_s = gpu.search.estimated_s()
            if expected_s < (WORTH_ON_GPU_S if settings.work_limit is None else _SOME_WORK_S):
                if (raw := soon_on_cpu(search, settings, watch, clock, expected_s)) is not None:
                    return raw
                return _on_gpu(gpu, settings, clock)
            reason = "it would take too long there"
        except DeviceError as error:
            reason = str(error)
    logger.info("searching on the CPU: %s", reason)
    return on_cpu(search, settings, watch, clock)


def little_on_cpu(
    search: AnySearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any] | None:
    """What a core finds with little work; None if it needs more."""
    if FIRST_WORK == 0:
        return None
    n_questions = max(1, problem.answers.shape[1])
    on_gpu = work(search.n_rows, n_questions, problem.max_depth or 0)
    one = search.n_rows * n_questions
    first = min(FIRST_WORK, max(_LEAST_FIRST_WORK, _SHARE_OF_GPU * on_gpu))
    nodes = max(_FEWEST_NODES, int(first / one))
    limits = replace(settings, node_limit=nodes, work_limit=nodes * one)
    raw = on_cpu(search, limits, watch, clock)
    return None if raw["status"] == "node_limit" else raw


def soon_on_cpu(
    search: AnySearch, settings: SearchSettings, watch: Watch | None, clock: Clock, within_s: float
) -> dict[str, Any] | None:
    """What a core finds within some seconds; None if it needs more."""
    soon = clock.seconds + within_s
    if settings.time_limit is not None and soon >= settings.time_limit:
        return None
    raw = on_cpu(search, replace(settings, time_limit=soon), watch, clock)
    return None if raw["status"] == "time_limit" else raw


def on_cpu(
    search: AnySearch, settings: SearchSettings, watch: Watch | None, clock: Clock
) -> dict[str, Any]:
    on_turn = None if watch is None else lambda: pass_progress(search, watch)
    settings = replace(settings, seconds_gone=clock.seconds)
    return search.run(run_limits(settings, search), on_turn)


class OnGpu:
    """A search on a GPU beside the native one that it stands for."""

    def __init__(self, native: TreeSearch, search: GpuSearch) -> None:
        self.native = native
        self.search = search


def gpu_search(
    native: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> OnGpu:
    native.start_from(_ONE_LEAF, _ONE_LEAF, _ONE_LEAF, 0.0, "one leaf")
    on_turn = _turn(native, settings, watch, clock)
    return OnGpu(native, GpuSearch(problem, native, cuda_device(), on_turn))


def _turn(
    native: TreeSearch, settings: SearchSettings, watch: Watch | None, clock: Clock
) -> Callable[[], None]:
    """What is done between calls of the GPU: look at the clock, and tell the watch."""

    def turn() -> None:
        if settings.time_limit is not None and clock.seconds > settings.time_limit:
            raise Stopped("time_limit")
        if watch is not None and watch.turn(
            progress_rows(native), lambda: Snapshot(**native.snapshot())
        ):
            raise Stopped("interrupted")

    return turn


def _on_gpu(gpu: OnGpu, settings: SearchSettings, clock: Clock) -> dict[str, Any]:
    native, reason = gpu.native, ""
    try:
        tree = gpu.search.run()
    except (Stopped, KeyboardInterrupt) as stop:
        reason = str(stop) if isinstance(stop, Stopped) else "interrupted"
        tree = gpu.search.best_so_far()
    limits = run_limits(replace(settings, seconds_gone=clock.seconds), native)
    arrays = tree.question, tree.no, tree.yes
    if reason:  # the native search has no time left: it says what is proven of this tree
        native.start_from(*arrays, 0.0, "GPU")
        raw = native.run({**limits, "time_limit_s": 0.0, "seconds_gone": 1.0})
        is_proven = raw["status"] == "optimal"
        raw = {**raw, "status": raw["status"] if is_proven else reason, "seconds": clock.seconds}
    else:
        raw = native.accept(*arrays, "GPU", limits)
    raw["counts"] = {**raw["counts"], ON_GPU: gpu.search.lane_rows}
    return raw


def optima_on_gpu(native: TreeSearch, problem: Problem, settings: SearchSettings) -> Optima | None:
    """What a GPU can do for the search for all good trees; None if it was not asked, or cannot."""
    if settings.device == "cpu":
        return None
    check_gpu(problem, settings)
    reason = why_not(problem, settings)
    if reason is None:
        try:
            clock = Clock.started(settings.seconds_gone)
            return Optima(gpu_search(native, problem, settings, None, clock).search)
        except DeviceError as error:
            if settings.device == "cuda":
                raise
            reason = str(error)
    logger.info("searching on the CPU: %s", reason)
    return None
