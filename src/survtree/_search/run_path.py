"""Where a search for a whole path runs: on the CPU, or by searches at single penalties on a GPU."""

import logging
from dataclasses import replace
from typing import Any

import numpy as np

from survtree._base import DeviceError
from survtree._base.tree import Tree
from survtree._search.cluster.context import current_client
from survtree._search.engines import (
    frontier_of,
    progress_rows,
    rescored,
    run_limits,
    search_of,
)
from survtree._search.gpu.engine import why_not
from survtree._search.gpu.hull import Hull
from survtree._search.gpu.lattice import Stopped
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Watch
from survtree._search.run import (
    FIRST_ON_CPU_S,
    ON_GPU,
    WORTH_ON_GPU_S,
    OnGpu,
    check_gpu,
    gpu_search,
    little_on_cpu,
    on_cpu,
    soon_on_cpu,
)

logger = logging.getLogger("survtree")
_SEARCHES = 15  # at single penalties, about
_ONE_LEAF = Tree(*(np.array([-1], np.int32) for _ in range(3)))


def run_path(
    problem: Problem,
    settings: SearchSettings,
    max_leaves: int | None,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any]:
    """The result as the native search for paths returns it, wherever the search ran."""
    check_gpu(problem, settings)
    if current_client() is not None:
        logger.info("not searching on the cluster: paths and max_leaves stay in one process")
    frontier = frontier_of(problem, settings, max_leaves)
    raw = None
    if settings.device != "cpu":
        raw = (
            little_on_cpu(frontier, problem, settings, watch, clock)
            if settings.device == "cuda"
            else soon_on_cpu(frontier, settings, watch, clock, FIRST_ON_CPU_S)
        )
        raw = raw or _on_gpu(problem, settings, max_leaves, watch, clock)
    raw = raw or on_cpu(frontier, settings, watch, clock)
    if watch is not None:
        watch.end(progress_rows(frontier))
    return raw


def _on_gpu(
    problem: Problem,
    settings: SearchSettings,
    max_leaves: int | None,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any] | None:
    """None if the CPU has to do it: no GPU can, or the limit on leaves needs more than a hull."""
    reason = why_not(problem, settings)
    if reason is None:
        problem = replace(problem, max_leaves=None)
        try:
            gpu = gpu_search(search_of(problem, settings), problem, settings, watch, clock)
            is_worth = _SEARCHES * gpu.search.estimated_s() < WORTH_ON_GPU_S
            if settings.device == "cuda" or is_worth:
                return _hull(gpu, problem, settings, max_leaves, clock)
            reason = "it would take too long there"
        except DeviceError as error:
            if settings.device == "cuda":
                raise
            reason = str(error)
    logger.info("searching on the CPU: %s", reason)
    return None


def _hull(
    gpu: OnGpu, problem: Problem, settings: SearchSettings, max_leaves: int | None, clock: Clock
) -> dict[str, Any] | None:
    """All best trees, or those that were found until somebody stopped it."""
    status, search = "optimal", gpu.search
    hull = Hull(
        search.tree_at,
        lambda tree: float(rescored(problem, tree)["loss"]) + problem.penalties_of(tree),
        problem.regularization,
        search.tolerance,
    )
    try:
        hull.find(search.tree_at(problem.regularization, 1) if problem.must_split else _ONE_LEAF)
    except (Stopped, KeyboardInterrupt) as stop:
        status = str(stop) if isinstance(stop, Stopped) else "interrupted"
    trees = hull.trees()
    if not trees and status == "interrupted":
        raise KeyboardInterrupt  # before there was anything to return
    if max_leaves is not None:
        n_all = len(trees)
        trees = [tree for tree in trees if len(tree.leaves) <= max_leaves]
        is_exact = len(trees) == n_all or (trees and len(trees[-1].leaves) == max_leaves)
        if status == "optimal" and not is_exact:
            return None
    return _raw(gpu, trees, status, settings, clock) if trees else None


def _raw(
    gpu: OnGpu, trees: list[Tree], status: str, settings: SearchSettings, clock: Clock
) -> dict[str, Any]:
    """As the native search for paths returns it."""
    arrays = [{"question": tree.question, "no": tree.no, "yes": tree.yes} for tree in trees]
    last, limits = trees[-1], run_limits(settings, gpu.native)
    known = gpu.native.accept(last.question, last.no, last.yes, "GPU", limits)
    return {
        "trees": arrays,
        "is_complete": status == "optimal",
        "status": status,
        "tolerance": gpu.search.tolerance,
        "root_loss": 0.0,  # nothing is proven of a path that was stopped
        "root_floor": 0.0,
        "seconds": clock.seconds,
        "counts": {**known["counts"], ON_GPU: gpu.search.lane_rows},
    }
