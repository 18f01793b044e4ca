"""Where a search runs: on the CPU, on a GPU, or first on the one and then on the other."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from survtree._base import DeviceError
from survtree._search.engines import TreeSearch, pass_progress, progress_rows, run_limits
from survtree._search.gpu.engine import GpuSearch, cuda_device, why_not
from survtree._search.gpu.lattice import Stopped
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Snapshot, Watch

logger = logging.getLogger("survtree")
ON_GPU = "gpu_lane_rows"  # among the counts of a search: it ran on a GPU
_FIRST_ON_CPU_S = 0.1  # what a core solves within this does not go to a GPU
_WORTH_ON_GPU_S = 600.0  # estimated; beyond it a core that prunes may well be faster
_SOME_WORK_S = 5.0  # likewise, where a search may do only so much work
_ONE_LEAF = np.array([-1], np.int32)


def run(
    search: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any]:
    """The result of a search as the native module returns it, wherever the search ran."""
    if settings.device == "cpu":
        return _on_cpu(search, settings, watch, clock)
    reason = why_not(problem, settings)
    if settings.device == "cuda":
        if reason is not None:
            raise DeviceError(refusal(problem, settings))
        return _on_gpu(_gpu_search(search, problem, settings, watch, clock), settings, clock)
    return _on_either(search, problem, settings, watch, clock, reason)


def refusal(problem: Problem, settings: SearchSettings) -> str:
    """What is said where a GPU is asked for that cannot search for this tree."""
    reason = why_not(problem, settings)
    return (
        f"device='cuda' cannot search for this tree: {reason}. Change that, or use device='cpu' "
        "or 'auto'."
    )


def _on_either(
    search: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
    reason: str | None,
) -> dict[str, Any]:
    """On the CPU for a moment, and for as long again as a GPU would take; then there, if it can."""
    if reason is None:
        if (raw := _soon_on_cpu(search, settings, watch, clock, _FIRST_ON_CPU_S)) is not None:
            return raw
        try:
            gpu = _gpu_search(search, problem, settings, watch, clock)
            expected_s = gpu.search.estimated_s()
            if expected_s < (_WORTH_ON_GPU_S if settings.work_limit is None else _SOME_WORK_S):
                if (raw := _soon_on_cpu(search, settings, watch, clock, expected_s)) is not None:
                    return raw
                return _on_gpu(gpu, settings, clock)
            reason = "it would take too long there"
        except DeviceError as error:
            reason = str(error)
    logger.info("searching on the CPU: %s", reason)
    return _on_cpu(search, settings, watch, clock)


def _soon_on_cpu(
    search: TreeSearch, settings: SearchSettings, watch: Watch | None, clock: Clock, within_s: float
) -> dict[str, Any] | None:
    """What a core finds within some seconds; None if it needs more."""
    soon = clock.seconds + within_s
    if settings.time_limit is not None and soon >= settings.time_limit:
        return None
    raw = _on_cpu(search, replace(settings, time_limit=soon), watch, clock)
    return None if raw["status"] == "time_limit" else raw


def _on_cpu(
    search: TreeSearch, settings: SearchSettings, watch: Watch | None, clock: Clock
) -> dict[str, Any]:
    on_turn = None if watch is None else lambda: pass_progress(search, watch)
    settings = replace(settings, seconds_gone=clock.seconds)
    return search.run(run_limits(settings, search), on_turn)


class _OnGpu:
    """A search on a GPU beside the native one that it stands for."""

    def __init__(self, native: TreeSearch, search: GpuSearch) -> None:
        self.native = native
        self.search = search


def _gpu_search(
    native: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> _OnGpu:
    native.start_from(_ONE_LEAF, _ONE_LEAF, _ONE_LEAF, 0.0, "one leaf")
    on_turn = _turn(native, settings, watch, clock)
    return _OnGpu(native, GpuSearch(problem, native, cuda_device(), on_turn))


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


def _on_gpu(gpu: _OnGpu, settings: SearchSettings, clock: Clock) -> dict[str, Any]:
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
