"""The only caller of the native module: hands over arrays, waits, brings the answer back."""

import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from survtree import _native
from survtree._options import MAX_DEPTH_LIMIT
from survtree._oracle import Oracle
from survtree._problem import InternalError, Problem
from survtree._progress import ProgressRow
from survtree._tree import Tree

BOUNDS = (
    "hierarchical",
    "subtree",
    "look_ahead",
    "equivalent_points",
    "incremental_progress",
    "leaf_count",
    "permutation",
)
# Two ways of adding up the same loss: a difference beyond rounding is a bug in one of them.
RESCORE_TOLERANCE = 1e-9
WAKE_UP_S = 0.05


@dataclass(frozen=True)
class Limits:
    """How the search may end, and what it may lean on. None of it changes the optimum."""

    gap: float = 0.0
    upper_bound: float | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    bounds_off: tuple[str, ...] = ()
    check_keys: bool = False
    kernel: str = ""  # the best one of this machine


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
    counts: dict[str, int] = field(default_factory=dict)


def solve(
    problem: Problem,
    limits: Limits,
    on_progress: Callable[[ProgressRow], None] | None = None,
) -> Solution:
    """Search, then re-score the tree with the independent loss."""
    search = _search_of(problem, limits)
    raw = _run(search, search.run, on_progress)
    tree = _tree_of(raw.pop("tree"))
    solution = Solution(tree=tree, **raw)
    _rescore(problem, limits, solution)
    return solution


def optimal_trees(problem: Problem, optimum: float, limit: int) -> list[Tree]:
    """Every tree that attains the optimum, at most ``limit``, in the order of the tie rule."""
    # The bound is loosened by more than rounding, so that the optimum itself stays within it.
    search = _search_of(problem, Limits(upper_bound=optimum * (1 + 1e-9)))
    _run(search, search.run, None)
    trees = _run(search, lambda: search.optimal_trees(limit), None)
    return [_tree_of(raw) for raw in trees]


def _search_of(problem: Problem, limits: Limits) -> Any:
    infinity = float("inf")
    options = {
        "max_depth": MAX_DEPTH_LIMIT if problem.max_depth is None else problem.max_depth,
        "regularization": problem.regularization,
        "min_samples_leaf": problem.min_samples_leaf,
        "gap": limits.gap,
        "upper_bound": infinity if limits.upper_bound is None else limits.upper_bound,
        "time_limit_s": infinity if limits.time_limit is None else limits.time_limit,
        "memory_limit_bytes": 2**63 if limits.memory_limit is None else limits.memory_limit,
        "check_keys": limits.check_keys,
        "kernel": limits.kernel,
        "bounds_off": list(limits.bounds_off),
    }
    events = problem.events
    return _native.Search(
        np.ascontiguousarray(problem.features),
        np.ascontiguousarray(events.time),
        events.event.astype(np.uint8),
        np.ascontiguousarray(events.weight),
        np.asarray(problem.binarizer.ranks(), dtype=np.uint32),
        options,
    )


def _run(
    search: Any, work: Callable[[], Any], on_progress: Callable[[ProgressRow], None] | None
) -> Any:
    """Run the work in a thread of its own, so that this one can take Ctrl-C and show progress.

    The first Ctrl-C asks the search to stop and hand over what it has; a second one is raised.
    """
    outcome: list[Any] = []
    done = threading.Event()

    def target() -> None:
        try:
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            done.set()

    thread = threading.Thread(target=target, name="survtree-search", daemon=True)
    thread.start()
    _wait(search, done, on_progress)
    thread.join()
    result, error = outcome[0]
    if isinstance(error, _native.ContractError):
        raise InternalError(str(error)) from error
    if error is not None:
        raise error
    return result


def _wait(
    search: Any, done: threading.Event, on_progress: Callable[[ProgressRow], None] | None
) -> None:
    try:
        while not done.wait(WAKE_UP_S):
            _report(search, on_progress)
    except KeyboardInterrupt:
        search.interrupt()
        done.wait()
    except BaseException:
        search.interrupt()  # a progress listener raised: end the search, then let it through
        done.wait()
        raise
    _report(search, on_progress)


def _report(search: Any, on_progress: Callable[[ProgressRow], None] | None) -> None:
    rows: Iterable[Any] = search.take_progress() if on_progress is not None else ()
    for row in rows:
        assert on_progress is not None
        on_progress(ProgressRow(*row))


def _tree_of(raw: dict[str, Any]) -> Tree:
    return Tree(raw["question"], raw["no"], raw["yes"])


def _rescore(problem: Problem, limits: Limits, solution: Solution) -> None:
    """Raise InternalError unless the tree is allowed and costs what the search says."""
    events, tree = problem.events, solution.tree
    oracle = Oracle(events.time, events.event, events.weight)
    leaf_of_row = tree.apply(problem.features)
    leaves, sizes = np.unique(leaf_of_row, return_counts=True)
    loss = oracle.tree_loss(leaf_of_row)
    scale = oracle.leaf_loss(np.ones(len(events), dtype=bool))
    objective = loss + problem.regularization * len(leaves)
    depth = int(tree.depths().max())
    claims = {
        "every leaf has rows": len(leaves) == len(tree.leaves),
        "every leaf has min_samples_leaf rows": depth == 0
        or int(sizes.min()) >= problem.min_samples_leaf,
        "the tree is no deeper than max_depth": problem.max_depth is None
        or depth <= problem.max_depth,
        "the loss is the independent loss": abs(loss - solution.loss) <= RESCORE_TOLERANCE * scale,
        "the objective is loss + regularization x leaves": abs(objective - solution.objective)
        <= RESCORE_TOLERANCE * max(scale, objective),
        "the lower bound is not above the objective": solution.lower_bound <= solution.objective,
    }
    broken = [claim for claim, holds in claims.items() if not holds]
    if broken:
        path = save_replay(problem, limits)
        raise InternalError(
            f"the returned tree failed its check ({'; '.join(broken)}): search says loss "
            f"{solution.loss!r}, independent loss is {loss!r}. This is a bug in survtree; please "
            f"report it with the replay file {path}."
        )


def save_replay(problem: Problem, limits: Limits) -> str:
    """Write data and options of a fit to a new file in the temporary folder; return its path."""
    options = {
        "regularization": problem.regularization,
        "max_depth": problem.max_depth,
        "min_samples_leaf": problem.min_samples_leaf,
        "gap": limits.gap,
        "upper_bound": limits.upper_bound,
        "names": list(problem.binarizer.names),
    }
    handle, path = tempfile.mkstemp(prefix="survtree-replay-", suffix=".npz")
    with os.fdopen(handle, "wb") as file:
        np.savez_compressed(
            file,
            features=problem.features,
            time=problem.events.time,
            event=problem.events.event,
            weight=problem.events.weight,
            options=np.frombuffer(json.dumps(options).encode(), dtype=np.uint8),
        )
    return path
