"""The only caller of the native module: hands over arrays, waits, brings the answer back."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree import _native
from survtree._limits import Limits
from survtree._options import MAX_DEPTH_LIMIT
from survtree._problem import InternalError, Problem
from survtree._progress import ProgressRow
from survtree._replay import request
from survtree._tree import Tree

MAX_THREADS = 256
# Two ways of adding up the same loss: a difference beyond rounding is a bug in one of them.
RESCORE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Solution:
    """The tree found and what was proven about it."""

    tree: Tree
    objective: float
    loss: float
    lower_bound: float
    tolerance: float
    status: str
    is_upper_bound_wrong: bool
    seconds: float
    counts: dict[str, int] = field(repr=False)
    one_leaf_loss: float
    unique_times: NDArray[np.float64] = field(repr=False)
    event_times: NDArray[np.float64] = field(repr=False)


def solve(
    problem: Problem,
    limits: Limits,
    on_progress: Callable[[ProgressRow], None] | None = None,
) -> Solution:
    """Search, then re-score the tree with the independent loss.

    Ctrl-C ends the search early, with what it has; the status says so.
    """
    search = _search_of(problem, limits)
    on_turn = None if on_progress is None else lambda: _report(search, on_progress)
    raw = _translated(lambda: search.run(on_turn))
    if on_turn is not None:
        on_turn()
    tree = _tree_of(raw.pop("tree"))
    found = _native.rescore(*_arrays(problem), tree.question, tree.no, tree.yes)
    solution = Solution(
        tree=tree,
        one_leaf_loss=found["one_leaf_loss"],
        unique_times=found["times"],
        event_times=found["event_times"],
        **raw,
    )
    _check(problem, limits, solution, found)
    return solution


def loss_of(problem: Problem, tree: Tree) -> float:
    """The independent loss of a tree."""
    found = _native.rescore(*_arrays(problem), tree.question, tree.no, tree.yes)
    return float(found["loss"])


def optimal_trees(problem: Problem, optimum: float, limit: int) -> list[Tree]:
    """Every tree that attains the optimum, at most ``limit``, in the order of the tie rule."""
    # The bound is loosened by more than rounding, so that the optimum itself stays within it.
    search = _search_of(problem, Limits(upper_bound=optimum * (1 + 1e-9)))
    if _translated(search.run)["status"] == "interrupted":
        raise KeyboardInterrupt
    return [_tree_of(raw) for raw in _translated(lambda: search.optimal_trees(limit))]


def _search_of(problem: Problem, limits: Limits) -> _native.Search:
    infinity = float("inf")
    options = {
        "max_depth": MAX_DEPTH_LIMIT if problem.max_depth is None else problem.max_depth,
        "regularization": problem.regularization,
        "min_samples_leaf": min(problem.min_samples_leaf, 2**62),
        "gap": limits.gap,
        "upper_bound": infinity if limits.upper_bound is None else limits.upper_bound,
        "time_limit_s": infinity if limits.time_limit is None else limits.time_limit,
        "memory_limit_bytes": min(limits.memory_limit or 2**63, 2**63),
        "n_threads": _n_threads(limits.n_jobs),
        "greedy_from": limits.greedy_from,
        "check_keys": limits.check_keys,
        "kernel": limits.kernel,
        "layout": limits.layout,
        "solver": limits.solver or ("search" if limits.bounds_off else ""),
        "bounds_off": list(limits.bounds_off),
    }
    ranks = np.asarray(problem.questions.ranks(), dtype=np.uint32)
    return _native.Search(*_arrays(problem), ranks, options)


def _arrays(problem: Problem) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    events = problem.events
    return (
        np.ascontiguousarray(problem.features),
        np.ascontiguousarray(events.time),
        np.ascontiguousarray(events.event).view(np.uint8),
        np.ascontiguousarray(events.weight),
    )


def _n_threads(n_jobs: int | None) -> int:
    """None is one thread, -1 as many as there are cores, -2 one less, ..."""
    if n_jobs is None:
        return 1
    n = n_jobs if n_jobs > 0 else (os.cpu_count() or 1) + 1 + n_jobs
    return max(1, min(n, MAX_THREADS))


def _translated(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except _native.ContractError as error:
        raise InternalError(str(error)) from error


def _report(search: _native.Search, on_progress: Callable[[ProgressRow], None]) -> None:
    for row in search.take_progress():
        on_progress(ProgressRow(*row))


def _tree_of(raw: dict[str, Any]) -> Tree:
    return Tree(raw["question"], raw["no"], raw["yes"])


def _check(problem: Problem, limits: Limits, solution: Solution, found: dict[str, Any]) -> None:
    """Raise InternalError unless the tree is allowed and costs what the search says."""
    tree = solution.tree
    leaves = tree.leaves.tolist()
    smallest = min(found["rows_of_node"][leaf] for leaf in leaves)
    loss = found["loss"]
    scale = solution.one_leaf_loss
    objective = loss + problem.regularization * len(leaves)
    depth = int(tree.depths().max())
    claims = {
        "every leaf has rows": smallest > 0,
        "every leaf has min_samples_leaf rows": depth == 0 or smallest >= problem.min_samples_leaf,
        "the tree is no deeper than max_depth": problem.max_depth is None
        or depth <= problem.max_depth,
        "the loss is the independent loss": abs(loss - solution.loss) <= RESCORE_TOLERANCE * scale,
        "the objective is loss + regularization x leaves": abs(objective - solution.objective)
        <= RESCORE_TOLERANCE * max(scale, objective),
        "the lower bound is not above the objective": solution.lower_bound <= solution.objective,
    }
    broken = [claim for claim, holds in claims.items() if not holds]
    if broken:
        raise InternalError(
            f"the returned tree failed its check ({'; '.join(broken)}): search says loss "
            f"{solution.loss!r}, independent loss is {loss!r}. This is a bug in survtree; "
            f"{request(problem, limits)}"
        )
