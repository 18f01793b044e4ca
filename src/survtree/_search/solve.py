"""From a problem to its solution: runs a search, or continues one, and checks the answer."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base import InternalError
from survtree._base.tree import Tree
from survtree._search.engines import (
    BitSearch,
    TreeSearch,
    n_threads,
    pass_progress,
    progress_rows,
    rescored,
    run_limits,
    search_of,
    tree_of,
    uses_cuts,
    with_bug_report,
)
from survtree._search.problem import Clock, Problem, SearchSettings, are_equal
from survtree._search.progress import Watch
from survtree._search.replay import request
from survtree._search.run import run
from survtree._search.run_path import run_path

MOST_CLAIMS = 5_000_000  # of a proof; some hundred megabytes
# Two ways of adding up the same loss: a difference beyond rounding is a bug in one of them.
RESCORE_TOLERANCE = 1e-9


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
    columns_penalty: float = 0.0  # what the columns that the tree splits on add to the objective

    @property
    def cost(self) -> float:
        """All of the objective but the penalties of leaves."""
        return self.loss + self.columns_penalty


def solve(
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None = None,
    search: TreeSearch | None = None,
    clock: Clock | None = None,
) -> Solution:
    """Search, then re-score the tree with the independent loss.

    Ctrl-C, or the watch, may stop the search early; then the status is "interrupted". A ``search``
    that was stopped before continues where it was.
    """
    clock = clock or Clock.started(settings.seconds_gone)
    search = search_of(problem, settings) if search is None else search
    with with_bug_report(problem, settings):
        raw = run(search, problem, settings, watch, clock)
    if watch is not None:
        watch.end(progress_rows(search))
    tree = tree_of(raw.pop("tree"))
    return _checked_solution(problem, settings, tree, rescored(problem, tree), raw)


@dataclass(frozen=True)
class KeptSearch:
    """A search with everything that it remembers, its problem and its settings."""

    problem: Problem
    settings: SearchSettings
    search: TreeSearch

    def is_for(self, problem: Problem, settings: SearchSettings) -> bool:
        """Whether it can be continued for this problem; its limits may differ."""
        return (
            self.problem.is_same(problem)
            and self.settings.upper_bound == settings.upper_bound
            and n_threads(self.settings) == n_threads(settings)
            and uses_cuts(self.problem, self.settings) == uses_cuts(problem, settings)
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


def find_better(
    problem: Problem, settings: SearchSettings, tree: Tree, watch: Watch | None, clock: Clock
) -> Solution:
    """Search, with a tree that is known to be good to begin with."""
    search = search_of(problem, settings)
    search.start_from(tree.question, tree.no, tree.yes, 0.0, "fewer cuts")
    return solve(problem, settings, watch, search, clock)


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
    with with_bug_report(problem, settings):
        raw = run_path(problem, settings, max_leaves, watch, clock)
    return [_solution_of(problem, settings, tree_of(tree), raw) for tree in raw["trees"]]


def _solution_of(
    problem: Problem, settings: SearchSettings, tree: Tree, raw: dict[str, Any]
) -> Solution:
    """One tree of a frontier; if that is not complete, only the bound of the root is proven."""
    found, penalty = rescored(problem, tree), problem.regularization
    objective = problem.objective_of(tree, found["loss"])
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


def known_solution(
    problem: Problem, tree: Tree, lower_bound: float, status: str, tolerance: float
) -> Solution:
    """A tree that another search has found, with its loss and what is known of the optimum."""
    found = rescored(problem, tree)
    objective = problem.objective_of(tree, found["loss"])
    bound = objective if status == "optimal" else min(lower_bound, objective)
    stated = {
        "objective": objective,
        "loss": found["loss"],
        "lower_bound": bound,
        "guessed_bound": bound,
        "tolerance": tolerance,
        "status": status,
        "is_upper_bound_wrong": False,
        "seconds": 0.0,
        "counts": {},
    }
    return _checked_solution(problem, SearchSettings(), tree, found, stated)


def loss_of(problem: Problem, tree: Tree) -> float:
    """The independent loss of a tree."""
    return float(rescored(problem, tree)["loss"])


def optimal_trees(
    problem: Problem, optimum: float, limit: int, settings: SearchSettings | None = None
) -> list[Tree]:
    """Every tree that attains the optimum, at most ``limit``, in the order of the tie rule."""
    # The bound exceeds the optimum by more than rounding errors, so that it does not exclude it.
    settings = replace(settings or SearchSettings(), upper_bound=optimum * (1 + 1e-9))
    search = search_of(problem, settings)
    with with_bug_report(problem, settings):
        if search.run(run_limits(settings, search))["status"] == "interrupted":
            raise KeyboardInterrupt
        return [tree_of(raw) for raw in search.optimal_trees(limit)]


def claims_of(kept: KeptSearch, watch: Watch | None = None) -> dict[str, Any] | None:
    """The claims that together prove the optimum of a search, as arrays.

    None if a limit ended the work early, or if there would be too many claims. The settings of the
    search say that a proof is wanted.
    """
    search = kept.search
    assert isinstance(search, BitSearch)
    on_turn = None if watch is None else lambda: pass_progress(search, watch)
    with with_bug_report(kept.problem, kept.settings):
        raw = search.proof(MOST_CLAIMS, on_turn)
    return raw if raw.pop("is_complete") else None


def _checked_solution(
    problem: Problem,
    settings: SearchSettings,
    tree: Tree,
    found: dict[str, Any],
    stated: dict[str, Any],
) -> Solution:
    """A tree with what the search states and what the independent loss found, which must agree."""
    times = {"unique_times": found["times"], "event_times": found["event_times"]}
    one_leaf, of_columns = found["one_leaf_loss"], problem.penalties_of(tree)
    numbers = {"one_leaf_loss": one_leaf, "columns_penalty": of_columns}
    solution = Solution(tree=tree, **numbers, **times, **stated)
    _check(problem, settings, solution, found)
    return solution


def _check(
    problem: Problem, settings: SearchSettings, solution: Solution, found: dict[str, Any]
) -> None:
    """Raise InternalError unless the tree is allowed and has the loss that the search states."""
    tree = solution.tree
    leaves = tree.leaves.tolist()
    smallest = min(found["rows_of_node"][leaf] for leaf in leaves)
    if problem.events.copies is not None:
        smallest = int(problem.rows_of_leaves(tree).min())
    loss = found["loss"]
    scale = solution.one_leaf_loss
    objective = problem.objective_of(tree, loss)
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
        "the tree begins with first_split": problem.first_split is None
        or (problem.may_be_first[tree.question[0]] if depth > 0 else not problem.must_split),
        "the objective is loss + penalties": abs(objective - solution.objective)
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
