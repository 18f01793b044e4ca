"""The only caller of the native module: passes arrays to the search and checks its answer."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree import _native
from survtree._base import InternalError
from survtree._base.options import MAX_DEPTH_LIMIT
from survtree._base.tree import Tree
from survtree._search.problem import Clock, Problem, SearchSettings, are_equal
from survtree._search.progress import Snapshot, Watch
from survtree._search.replay import request

MAX_THREADS = 256
NO_LIMIT = 2**64 - 1
MOST_CLAIMS = 5_000_000  # of a proof; some hundred megabytes
# Two ways of adding up the same loss: a difference beyond rounding is a bug in one of them.
RESCORE_TOLERANCE = 1e-9
_Array: TypeAlias = NDArray[Any]
AnySearch: TypeAlias = _native.Search | _native.Frontier


@dataclass(frozen=True)
class Solution:
    """The tree found and what was proven about it."""

    tree: Tree
    objective: float
    loss: float
    lower_bound: float
    guessed_bound: float
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
    settings: SearchSettings,
    watch: Watch | None = None,
    search: _native.Search | None = None,
    clock: Clock | None = None,
) -> Solution:
    """Search, then re-score the tree with the independent loss.

    Ctrl-C, or the watch, may stop the search early; then the status is "interrupted". A ``search``
    that was stopped before continues where it was.
    """
    clock = clock or Clock.started(settings.seconds_gone)
    search = search_of(problem, settings) if search is None else search
    on_turn = None if watch is None else lambda: _pass_progress(search, watch)
    settings = replace(settings, seconds_gone=clock.seconds)
    with _with_bug_report(problem, settings):
        raw = search.run(_run_limits(settings, search), on_turn)
    if watch is not None:
        watch.end(_progress_rows(search))
    tree = _tree_of(raw.pop("tree"))
    return _checked_solution(problem, settings, tree, _rescored(problem, tree), raw)


@dataclass(frozen=True)
class KeptSearch:
    """A search with everything that it remembers, its problem and its settings."""

    problem: Problem
    settings: SearchSettings
    search: _native.Search

    def is_for(self, problem: Problem, settings: SearchSettings) -> bool:
        """Whether it can be continued for this problem; its limits may differ."""
        return (
            self.problem.is_same(problem)
            and self.settings.upper_bound == settings.upper_bound
            and n_threads(self.settings) == n_threads(settings)
            and are_equal(self.settings.guessed_losses, settings.guessed_losses)
        )

    def is_proof(self, problem: Problem) -> bool:
        """Whether it is for this problem and uses no guess."""
        return self.settings.guessed_losses is None and self.problem.is_same(problem)


def find(
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None = None,
    kept: KeptSearch | None = None,
    clock: Clock | None = None,
) -> tuple[Solution, KeptSearch | None]:
    """What a fit calls: search, or continue a search that was stopped; or guess, then prove.

    A search with a limit on leaves cannot be continued, so none is returned.
    """
    clock = clock or Clock.started(settings.seconds_gone)
    if problem.max_leaves is not None:
        return frontier(problem, settings, problem.max_leaves, clock, watch)[-1], None
    if settings.guessed_losses is not None and settings.proves:
        guess = replace(settings, proves=False)
        guessed, kept = find(problem, guess, watch, kept, clock)
        if guessed.status != "guessed":  # stopped
            return guessed, kept
        settings = replace(guess, guessed_losses=None)
        search = search_of(problem, settings)
        # A tree to beat and a bound that holds; the proof uses nothing else of the guess.
        tree = guessed.tree
        search.start_from(tree.question, tree.no, tree.yes, guessed.lower_bound, "guess")
    elif kept is not None and kept.is_for(problem, settings):
        search = kept.search
    else:
        search = search_of(problem, settings)
    solution = solve(problem, settings, watch, search, clock)
    return solution, KeptSearch(problem, settings, search)


def frontier(
    problem: Problem,
    settings: SearchSettings,
    max_leaves: int | None = None,
    clock: Clock | None = None,
    watch: Watch | None = None,
) -> list[Solution]:
    """The best trees for every penalty from the problem's regularization on, fewest leaves first.

    With a limit on leaves: those for every number of leaves that pays at that penalty, the last
    being the best of all. Objectives and bounds are for the problem's regularization, and so is
    what the watch gets to see.
    """
    clock = clock or Clock.started(settings.seconds_gone)
    options = {
        **_limits_of_trees(problem),
        "min_regularization": problem.regularization,
        "max_leaves": NO_LIMIT if max_leaves is None else max_leaves,
        "n_threads": n_threads(settings),
    }
    with _with_bug_report(problem, settings):
        search = _native.Frontier(*arrays_of(problem), _ranks(problem), options)
        on_turn = None if watch is None else lambda: _pass_progress(search, watch)
        settings = replace(settings, seconds_gone=clock.seconds)
        raw = search.run(_run_limits(settings, search), on_turn)
    if watch is not None:
        watch.end(_progress_rows(search))
    return [_solution_of(problem, settings, _tree_of(tree), raw) for tree in raw["trees"]]


def _solution_of(
    problem: Problem, settings: SearchSettings, tree: Tree, raw: dict[str, Any]
) -> Solution:
    """One tree of a frontier; if that is not complete, only the bound of the root is proven."""
    found, penalty = _rescored(problem, tree), problem.regularization
    objective = found["loss"] + penalty * len(tree.leaves)
    first = min(raw["root_loss"] + penalty, raw["root_floor"] + 2 * penalty)
    bound = objective if raw["is_complete"] else min(first, objective)
    stated = {
        **{name: raw[name] for name in ("tolerance", "status", "seconds", "counts")},
        "objective": objective,
        "loss": found["loss"],
        "is_upper_bound_wrong": False,
        "lower_bound": bound,
        "guessed_bound": bound,
    }
    return _checked_solution(problem, settings, tree, found, stated)


def loss_of(problem: Problem, tree: Tree) -> float:
    """The independent loss of a tree."""
    return float(_rescored(problem, tree)["loss"])


def optimal_trees(
    problem: Problem, optimum: float, limit: int, settings: SearchSettings | None = None
) -> list[Tree]:
    """Every tree that attains the optimum, at most ``limit``, in the order of the tie rule."""
    # The bound exceeds the optimum by more than rounding errors, so that it does not exclude it.
    settings = replace(settings or SearchSettings(), upper_bound=optimum * (1 + 1e-9))
    search = search_of(problem, settings)
    with _with_bug_report(problem, settings):
        if search.run(_run_limits(settings, search))["status"] == "interrupted":
            raise KeyboardInterrupt
        return [_tree_of(raw) for raw in search.optimal_trees(limit)]


def claims_of(kept: KeptSearch, watch: Watch | None = None) -> dict[str, Any] | None:
    """The claims that together prove the optimum of a search, as arrays.

    None if a limit ended the work early, or if there would be too many claims.
    """
    on_turn = None if watch is None else lambda: _pass_progress(kept.search, watch)
    with _with_bug_report(kept.problem, kept.settings):
        raw = kept.search.proof(MOST_CLAIMS, on_turn)
    return raw if raw.pop("is_complete") else None


def search_of(problem: Problem, settings: SearchSettings) -> _native.Search:
    """A search that has not begun; it holds a copy of the problem in the form of the core."""
    as_they_are = ("greedy_from", "check_keys", "kernel", "layout")
    options = {
        **_limits_of_trees(problem),
        **{name: getattr(settings, name) for name in as_they_are},
        "regularization": problem.regularization,
        "upper_bound": np.inf if settings.upper_bound is None else settings.upper_bound,
        "n_threads": n_threads(settings),
        "solver": settings.solver or ("search" if settings.bounds_off else ""),
        "bounds_off": list(settings.bounds_off),
    }
    guess = np.empty(0) if settings.guessed_losses is None else settings.guessed_losses
    data = (*arrays_of(problem), _ranks(problem), np.ascontiguousarray(guess))
    with _with_bug_report(problem, settings):
        return _native.Search(*data, options)


def _limits_of_trees(problem: Problem) -> dict[str, int]:
    return {
        "max_depth": MAX_DEPTH_LIMIT if problem.max_depth is None else problem.max_depth,
        "min_samples_leaf": min(problem.min_samples_leaf, 2**62),
        "min_events_leaf": min(problem.min_events_leaf, 2**62),
    }


def _ranks(problem: Problem) -> NDArray[np.uint32]:
    return np.asarray(problem.questions.ranks(), dtype=np.uint32)


def _run_limits(settings: SearchSettings, search: AnySearch) -> dict[str, Any]:
    return {
        "gap": settings.gap,
        "time_limit_s": np.inf if settings.time_limit is None else settings.time_limit,
        "seconds_gone": settings.seconds_gone,
        "memory_limit_bytes": _cache_limit(settings.memory_limit, search),
        "node_limit": NO_LIMIT if settings.node_limit is None else settings.node_limit,
        "wants_bounds": settings.wants_bounds,
    }


def _cache_limit(memory_limit: int | None, search: AnySearch) -> int:
    """Bytes that the cache of the search may take, so that the process stays within the limit.

    The search always gets a tenth of the limit, even if the rest of the process uses all of it.
    """
    if memory_limit is None:
        return NO_LIMIT
    others = max(0, _resident_bytes() - search.cache_bytes)
    return min(NO_LIMIT, max(memory_limit // 10, memory_limit - others))


def _resident_bytes() -> int:
    """Memory that the process uses; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def arrays_of(problem: Problem) -> tuple[_Array, _Array, _Array, _Array, _Array]:
    """The data of a problem, as the native module takes them."""
    events, targets = problem.events, problem.targets
    return (
        np.ascontiguousarray(problem.answers),
        np.ascontiguousarray(events.time),
        np.ascontiguousarray(events.event).view(np.uint8),
        np.ascontiguousarray(events.weight),
        # Without a column: the Brier loss.
        np.empty((len(events.time), 0)) if targets is None else np.ascontiguousarray(targets),
    )


def n_threads(settings: SearchSettings) -> int:
    """Threads of a search: None is one, -1 as many as there are cores, -2 one less, ...

    One if a gap is allowed: which tree within it is found would depend on which thread is first.
    """
    if settings.n_jobs is None or settings.gap > 0:
        return 1
    n = settings.n_jobs if settings.n_jobs > 0 else (os.cpu_count() or 1) + 1 + settings.n_jobs
    return max(1, min(n, MAX_THREADS))


@contextmanager
def _with_bug_report(problem: Problem, settings: SearchSettings) -> Iterator[None]:
    """Broken invariants of the core become InternalErrors that name a replay file."""
    try:
        yield
    except _native.ContractError as error:
        message = f"{error}. This is a bug in survtree; {request(problem, settings)}"
        raise InternalError(message) from error


def _pass_progress(search: AnySearch, watch: Watch) -> None:
    if watch.turn(_progress_rows(search), lambda: Snapshot(**search.snapshot())):
        search.interrupt()


def _progress_rows(search: AnySearch) -> list[Snapshot]:
    return [Snapshot(**row) for row in search.take_progress()]


def _tree_of(raw: dict[str, Any]) -> Tree:
    return Tree(raw["question"], raw["no"], raw["yes"])


def _rescored(problem: Problem, tree: Tree) -> dict[str, Any]:
    """What the independent loss finds about a tree."""
    return _native.rescore(*arrays_of(problem), tree.question, tree.no, tree.yes)


def _checked_solution(
    problem: Problem,
    settings: SearchSettings,
    tree: Tree,
    found: dict[str, Any],
    stated: dict[str, Any],
) -> Solution:
    """A tree with what the search states and what the independent loss found, which must agree."""
    times = {"unique_times": found["times"], "event_times": found["event_times"]}
    solution = Solution(tree=tree, one_leaf_loss=found["one_leaf_loss"], **times, **stated)
    _check(problem, settings, solution, found)
    return solution


def _check(
    problem: Problem, settings: SearchSettings, solution: Solution, found: dict[str, Any]
) -> None:
    """Raise InternalError unless the tree is allowed and has the loss that the search states."""
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
        "every leaf has min_events_leaf events": problem.min_events_leaf == 0
        or depth == 0
        or problem.events_of_leaves(tree).min() >= problem.min_events_leaf,
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
            f"{request(problem, settings)}"
        )
