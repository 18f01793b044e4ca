"""The only caller of the native module: which engine searches, and what it is given.

The engines are a search and a lattice over all answers as bits, a search over codes, which is for
very many cuts, and a search for whole paths.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree import _native
from survtree._base import InternalError
from survtree._base.options import MAX_DEPTH_LIMIT
from survtree._base.tree import Tree
from survtree._questions.coded_answers import CodedAnswers
from survtree._search.problem import Problem, SearchSettings
from survtree._search.progress import Snapshot, Watch
from survtree._search.replay import request

MAX_THREADS = 256
NO_LIMIT = 2**64 - 1
MAX_CUTS_DEPTH = 6  # deeper trees are searched with the answers as bits
CUTS = "cuts"  # the engine for codes, among the solvers
BOUNDS_OF_CUTS = frozenset({"floors", "permutation"})  # that can be switched off there
_Array: TypeAlias = NDArray[Any]
BitSearch: TypeAlias = _native.Search
CutSearch: TypeAlias = _native.CutSearch
TreeSearch: TypeAlias = BitSearch | CutSearch
NativeNearTrees: TypeAlias = _native.NearTrees
AnySearch: TypeAlias = TreeSearch | _native.Frontier
Watched: TypeAlias = AnySearch | NativeNearTrees


def search_of(problem: Problem, settings: SearchSettings) -> TreeSearch:
    """A search that has not begun; it holds a copy of the problem in the form of the core."""
    if not uses_cuts(problem, settings):
        return bit_search_of(problem, settings)
    with with_bug_report(problem, settings):
        return _native.CutSearch(*_coded_arrays(problem), _options(problem, settings))


def uses_cuts(problem: Problem, settings: SearchSettings) -> bool:
    """Whether the engine for codes searches: it knows neither guesses nor proofs."""
    if settings.guessed_losses is not None or settings.wants_proof:
        return False
    if settings.solver:
        return settings.solver == CUTS
    return (
        isinstance(problem.answers, CodedAnswers)
        and not settings.layout
        and not settings.check_keys
        and problem.max_leaves is None
        and BOUNDS_OF_CUTS.issuperset(settings.bounds_off)
        and problem.max_depth is not None
        and problem.max_depth <= MAX_CUTS_DEPTH
    )


def bit_search_of(problem: Problem, settings: SearchSettings) -> BitSearch:
    """A search over all answers as bits, whoever is best suited."""
    solver = "" if settings.solver == CUTS else settings.solver
    options = {
        **_options(problem, settings),
        **{name: getattr(settings, name) for name in ("greedy_from", "check_keys", "layout")},
        "solver": solver or ("search" if settings.bounds_off else ""),
    }
    guess = np.empty(0) if settings.guessed_losses is None else settings.guessed_losses
    data = (*arrays_of(problem), _ranks(problem), np.ascontiguousarray(guess))
    with with_bug_report(problem, settings):
        return _native.Search(*data, options)


def frontier_of(
    problem: Problem, settings: SearchSettings, max_leaves: int | None
) -> _native.Frontier:
    """A search for whole paths that has not begun."""
    options = {
        **_limits_of_trees(problem),
        **_rules_of_splits(problem),
        "min_regularization": problem.regularization,
        "max_leaves": NO_LIMIT if max_leaves is None else max_leaves,
        "n_threads": n_threads(settings),
    }
    return _native.Frontier(*arrays_of(problem), _ranks(problem), options)


def _options(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    return {
        **_limits_of_trees(problem),
        **_rules_of_splits(problem),
        "kernel": settings.kernel,
        "most_lanes": max(1, settings.most_lanes),
        "regularization": problem.regularization,
        "upper_bound": np.inf if settings.upper_bound is None else settings.upper_bound,
        "n_threads": n_threads(settings),
        "bounds_off": list(settings.bounds_off),
    }


def _limits_of_trees(problem: Problem) -> dict[str, int]:
    return {
        "max_depth": MAX_DEPTH_LIMIT if problem.max_depth is None else problem.max_depth,
        "min_samples_leaf": min(problem.min_samples_leaf, 2**62),
        "min_events_leaf": min(problem.min_events_leaf, 2**62),
    }


def _rules_of_splits(problem: Problem) -> dict[str, _Array]:
    """With the numbers of rows that entries stand for, which are none if each is one."""
    copies = problem.events.copies
    is_one_each = copies is None or copies.max() == 1
    return {
        "copies": np.empty(0, np.uint32) if is_one_each else np.ascontiguousarray(copies),
        "split_penalties": np.ascontiguousarray(problem.split_penalties),
        "may_be_first": np.ascontiguousarray(problem.may_be_first).view(np.uint8),
    }


def _ranks(problem: Problem) -> NDArray[np.uint32]:
    """The last resort in ties; questions that may be first come before others."""
    ranks = problem.questions.ranks()
    if problem.first_split is None:
        return ranks
    out = np.empty_like(ranks)
    out[np.lexsort((ranks, ~problem.may_be_first))] = np.arange(len(ranks), dtype=ranks.dtype)
    return out


def arrays_of(problem: Problem) -> tuple[_Array, str, _Array, _Array, _Array, _Array]:
    """The data of a problem, as the native module takes them: the answers as a matrix."""
    return np.ascontiguousarray(problem.matrix), *_outcome_arrays(problem)


def _outcome_arrays(problem: Problem) -> tuple[str, _Array, _Array, _Array, _Array]:
    """The loss by name, and what any loss sees of the rows."""
    events, targets = problem.events, problem.targets
    return (
        problem.loss_kind,
        np.ascontiguousarray(events.time),
        events.kinds,
        np.ascontiguousarray(events.weight),
        np.empty((len(events.time), 0)) if targets is None else np.ascontiguousarray(targets),
    )


def _coded_arrays(
    problem: Problem,
) -> tuple[_Array, str, _Array, _Array, _Array, _Array, _Array, _Array, _Array]:
    """Likewise, with the answers as codes."""
    answers = problem.answers
    if not isinstance(answers, CodedAnswers):
        answers = CodedAnswers.of_matrix(answers)
    codes = np.ascontiguousarray(answers.codes)
    questions = answers.question_column, answers.question_cut, _ranks(problem)
    return codes, *_outcome_arrays(problem), *questions


def rescored(problem: Problem, tree: Tree) -> dict[str, Any]:
    """What the independent loss finds about a tree."""
    nodes, answers = (tree.question, tree.no, tree.yes), problem.answers
    if not isinstance(answers, CodedAnswers):
        return _native.rescore(*arrays_of(problem), *nodes)
    codes, column, cut = answers.codes, answers.question_column, answers.question_cut
    outcome = _outcome_arrays(problem)
    return _native.rescore_codes(np.ascontiguousarray(codes), column, cut, *outcome, *nodes)


def near_of(
    search: TreeSearch,
    settings: SearchSettings,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    uses: Sequence[Collection[int]] = (),
    first: Collection[int] | None = None,
    optima: Callable[[Sequence[tuple[int, bool]], int], NDArray[np.float64]] | None = None,
) -> NativeNearTrees:
    """A search for all good trees that goes on with what a search for the best one has kept.

    ``uses`` are sets of questions, from each of which there is a split; ``first`` are those that
    the first split is one of. ``optima`` are those that a GPU finds (``gpu/optima.py``).
    """
    memory = settings.memory_limit
    query = {
        "max_depth": MAX_DEPTH_LIMIT if max_depth is None else max_depth,
        "max_leaves": 2**32 - 1 if max_leaves is None else max_leaves,
        "uses": [list(one) for one in uses],
        "first": None if first is None else list(first),
        "most_bytes": NO_LIMIT if memory is None else memory // 2,
        "optima": optima,
    }
    return _native.NearTrees(search, query)


def run_limits(settings: SearchSettings, search: Watched) -> dict[str, Any]:
    """When a search may stop, as the native module takes it."""
    node_limit = settings.node_limit
    return {
        "gap": settings.gap,
        "time_limit_s": np.inf if settings.time_limit is None else settings.time_limit,
        "seconds_gone": settings.seconds_gone,
        "slice_s": np.inf,
        "memory_limit_bytes": _cache_limit(settings.memory_limit, search),
        "node_limit": min(NO_LIMIT, NO_LIMIT if node_limit is None else node_limit),
        "work_limit": NO_LIMIT if settings.work_limit is None else settings.work_limit,
        "wants_bounds": settings.wants_bounds,
    }


def _cache_limit(memory_limit: int | None, search: Watched) -> int:
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


def n_threads(settings: SearchSettings) -> int:
    """Threads of a search: None is one, -1 as many as there are cores, -2 one less, ...

    One if a gap is allowed: which tree within it is found would depend on which thread is first.
    """
    if settings.n_jobs is None or settings.gap > 0:
        return 1
    n = settings.n_jobs if settings.n_jobs > 0 else (os.cpu_count() or 1) + 1 + settings.n_jobs
    return max(1, min(n, MAX_THREADS))


@contextmanager
def with_bug_report(problem: Problem, settings: SearchSettings) -> Iterator[None]:
    """Broken invariants of the core become InternalErrors that name a replay file."""
    try:
        yield
    except _native.ContractError as error:
        message = f"{error}. This is a bug in survtree; {request(problem, settings)}"
        raise InternalError(message) from error


def pass_progress(search: AnySearch, watch: Watch) -> None:
    """What a search does at its turns: tell the watch, and stop if that wants it."""
    if watch.turn(progress_rows(search), lambda: Snapshot(**search.snapshot())):
        search.interrupt()


def progress_rows(search: AnySearch) -> list[Snapshot]:
    """The lines of the table since the last call."""
    return [Snapshot(**row) for row in search.take_progress()]


def tree_of(raw: dict[str, Any]) -> Tree:
    """A tree, as the native module returns it."""
    return Tree(raw["question"], raw["no"], raw["yes"])
