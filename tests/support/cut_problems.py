"""Random small tables with every cut of their columns, by seed, and the check of their engine.

Brute force looks at all trees on all cuts. The engine must find its optimum, and among equals the
tree of the search over bits, whatever is switched off and however it is stopped on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product

import numpy as np

from survtree import _native
from survtree._data.table import Column, EventTable, Table, table_of
from survtree._questions.binarizer import Binarizer
from survtree._search.engines import CUTS, search_of
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, find, optimal_trees, solve
from tests.support.loss_to_horizon import random_horizon
from tests.support.many_trees import nested
from tests.support.problems import (
    brute_force,
    by_likelihood,
    competing_events,
    random_events,
    random_targets,
    random_times,
    random_weights,
    slack_of,
)

SWITCHES = ((), ("floors",), ("permutation",), ("floors", "permutation"))
MOST_TREES = 40
PENALTIES = (0.0, 1e-9, 1e-5, 1e-3, 0.003, 0.01, 0.03, 0.1)


@dataclass(frozen=True)
class CutCase:
    """A problem with its answers as codes, and the story of how it was made."""

    seed: int
    problem: Problem
    columns: tuple[str, ...]
    times: str
    censoring: str
    weights: str
    has_horizon: bool

    @property
    def as_bits(self) -> Problem:
        """The same problem with its answers as a matrix."""
        return replace(self.problem, answers=self.problem.matrix)


def _numbers(rng: np.random.Generator, n: int) -> np.ndarray:
    """Continuous, with ties, of either sign, huge or next to each other."""
    values = rng.normal(size=n)
    kind = rng.integers(5)
    if kind == 0:
        return values
    if kind == 1:
        return values.round(0) + 0.0
    if kind == 2:
        return rng.integers(0, rng.integers(2, 9), n).astype(float)
    if kind == 3:
        return values.round(1) * 10.0 ** rng.integers(-300, 300)
    return 1.0 + np.spacing(1.0) * rng.integers(0, 6, n)


def _column(rng: np.random.Generator, n: int, name: str) -> tuple[str, Column]:
    kind = str(rng.choice(["number", "number", "number", "gaps", "zero_one", "flag", "level"]))
    if kind in ("number", "gaps"):
        values = _numbers(rng, n)
        if kind == "gaps":
            values[rng.random(n) < 0.3] = np.nan
        return kind, Column(name, "number", values)
    if kind == "zero_one":
        return kind, Column(name, "number", rng.integers(0, 2, n).astype(float))
    has_gaps = rng.random() < 0.3
    if kind == "flag":
        return kind, Column(name, "flag", rng.integers(-int(has_gaps), 2, n).astype(np.int8))
    places = rng.integers(-int(has_gaps), 4, n).astype(np.intp)
    return kind, Column(name, "ordered" if rng.random() < 0.5 else "level", places, tuple("abcd"))


def _table(rng: np.random.Generator, n: int) -> tuple[tuple[str, ...], Table]:
    named = [_column(rng, n, name) for name in "abc"[: rng.integers(1, 4)]]
    return tuple(kind for kind, _ in named), table_of([column for _, column in named])


def cut_case(seed: int, *, loss: str = "brier") -> CutCase:
    """5 to 14 rows, 1 to 3 columns cut between any two values, and depth 1 to 3."""
    rng = np.random.default_rng([2026, seed])
    n = int(rng.integers(5, 15))
    kinds, table = _table(rng, n)
    missing = str(rng.choice(["question", "better"]))
    questions = Binarizer("all", missing=missing).fit_table(table, None).questions_
    answers = questions.coded(table)
    times, time = random_times(rng, answers.matrix())
    censoring, event = random_events(rng, time)
    weights, weight = random_weights(rng, n)
    events = EventTable(event, np.maximum(time, 1.0 * (time.max() == 0)), weight)
    if loss == "incidence":
        censoring, events = competing_events(events, seed)
        event = events.event
    penalty, targets = float(rng.choice(PENALTIES)), None
    if seed % 2:
        events = events.until(random_horizon(rng, events.time, event))
    if loss == "teacher":
        times, targets = random_targets(rng, answers.matrix())
        penalty *= min(1.0, 10 * float(targets.var(axis=0).sum()))
    problem = Problem(
        answers,
        events,
        questions,
        regularization=penalty,
        max_depth=int(rng.integers(1, 4)),
        min_samples_leaf=int(rng.integers(1, 4)),
        targets=targets,
        min_events_leaf=int(rng.integers(2)),
    )
    if loss == "likelihood":
        problem = by_likelihood(problem)
    return CutCase(seed, problem, kinds, times, censoring, weights, bool(seed % 2))


def check_cuts(case: CutCase, solver: str = CUTS) -> int:
    """Solve in many ways; raises AssertionError with the seed. Returns the number of solves."""
    bits = case.as_bits
    plain = solve(bits, SearchSettings(solver="search"))
    optimum = brute_force(bits).optimum(bits.max_depth)
    slack = slack_of(bits)
    assert abs(plain.objective - optimum) <= slack, f"the search over bits: {case}"
    n_solves = 0
    for problem, settings in _ways(case, plain, solver):
        found = solve(problem, settings)
        _check_optimal(case, settings, found, plain)
        is_wrong = settings.upper_bound is not None and settings.upper_bound < optimum - slack
        _check(case, settings, found.is_upper_bound_wrong or not is_wrong, "a wrong upper bound")
        n_solves += 1
    _check_limits(case, optimum, solver)
    _check_all_trees(case, plain, solver)
    return n_solves + _check_stops(case, plain, optimum, solver) + _check_start(case, plain, solver)


def _check_all_trees(case: CutCase, plain: Solution, solver: str) -> None:
    """All optimal trees are those of the search over bits, in the same order."""
    lists = [
        [nested(tree) for tree in optimal_trees(problem, plain.objective, MOST_TREES, settings)]
        for problem, settings in (
            (case.problem, SearchSettings(solver=solver)),
            (case.as_bits, SearchSettings(solver="search")),
        )
    ]
    _check(case, SearchSettings(solver=solver), lists[0] == lists[1], "all optimal trees")


def _check(case: CutCase, settings: SearchSettings, holds: bool, claim: str) -> None:
    chosen = {f.name: getattr(settings, f.name) for f in fields(settings)}
    unusual = {f.name: chosen[f.name] for f in fields(settings) if chosen[f.name] != f.default}
    assert holds, f"{claim}: {unusual}, {case}"


def _check_optimal(
    case: CutCase, settings: SearchSettings, found: Solution, plain: Solution
) -> None:
    """The optimum is reached and proven, and the tree is that of the search over bits."""
    slack = slack_of(case.problem)
    _check(case, settings, found.status == "optimal", f"status {found.status}")
    _check(case, settings, found.lower_bound == found.objective, "the bounds meet")
    difference = found.objective - plain.objective
    _check(case, settings, abs(difference) <= slack, f"above the optimum by {difference!r}")
    trees = nested(found.tree), nested(plain.tree)
    _check(case, settings, trees[0] == trees[1], f"{trees[0]} is not the tree {trees[1]}")


def _check_bounds(case: CutCase, settings: SearchSettings, found: Solution, optimum: float) -> None:
    """Whatever stopped the search, the optimum lies between its bounds."""
    slack = slack_of(case.problem)
    bounds = found.lower_bound, found.objective
    holds = bounds[0] - slack <= optimum <= bounds[1] + slack
    _check(case, settings, holds, f"the optimum {optimum!r} is between {bounds}")


def _ways(case: CutCase, plain: Solution, solver: str) -> Iterator[tuple[Problem, SearchSettings]]:
    """Every kernel and set of switches, with an upper bound or none; some with bits as codes."""
    rng = np.random.default_rng([2027, case.seed])
    above, below = 1.0 + 10.0 ** -rng.integers(0, 13), 1.0 - 10.0 ** -rng.integers(1, 13)
    for off, kernel in product(SWITCHES, _native.kernels()):
        for factor in (None, 1.0, above, below):
            settings = SearchSettings(
                solver=solver,
                bounds_off=off,
                kernel=kernel,
                upper_bound=None if factor is None else float(factor * plain.objective),
                n_jobs=int(rng.integers(1, 3)),
                most_lanes=int(rng.choice([1, 2, 3, 8, 65_536])),
                wants_bounds=bool(rng.integers(2)),
            )
            yield case.problem if rng.random() < 0.8 else case.as_bits, settings


def _check_stops(case: CutCase, plain: Solution, optimum: float, solver: str) -> int:
    """A search in small parts: bounds that hold at every stop, and the same tree in the end."""
    rng = np.random.default_rng([2028, case.seed])
    # Without a cache ("permutation") every part would begin anew.
    wants_bounds, off = bool(rng.integers(2)), SWITCHES[rng.integers(2)]
    status, objective, kept, n_parts = "node_limit", np.inf, None, 0
    while status == "node_limit":
        settings = SearchSettings(
            solver=solver,
            node_limit=int(rng.integers(1, 20)),
            wants_bounds=wants_bounds,
            bounds_off=off,
            most_lanes=int(rng.choice([2, 65_536])),
        )
        found, kept = find(case.problem, settings, None, kept)
        _check_bounds(case, settings, found, optimum)
        is_better = found.objective <= objective + slack_of(case.problem)
        _check(case, settings, is_better, "no part has a worse tree than the one before")
        status, objective, n_parts = found.status, found.objective, n_parts + 1
        _check(case, settings, n_parts < 10_000, "the parts come to an end")
    _check_optimal(case, settings, found, plain)
    return n_parts


def _check_limits(case: CutCase, optimum: float, solver: str) -> None:
    """A gap, and hardly any memory: bounds that hold, and no worse a tree than allowed."""
    for limits in ({"gap": 0.05}, {"memory_limit": 20_000}):
        settings = SearchSettings(solver=solver, wants_bounds=True, **limits)
        found = solve(case.problem, settings)
        _check_bounds(case, settings, found, optimum)
        is_known = found.status in ("optimal", "gap_reached", "memory_limit")
        _check(case, settings, is_known, f"status {found.status}")
        is_near = found.objective * (1 - settings.gap) <= found.lower_bound * (1 + 1e-9)
        _check(case, settings, is_near or found.status == "memory_limit", "the gap is reached")


def _check_start(case: CutCase, plain: Solution, solver: str) -> int:
    """A search that is given the best tree and a bound ends with the same tree."""
    settings = SearchSettings(solver=solver)
    search = search_of(case.problem, settings)
    tree = plain.tree
    bound = plain.objective * float(np.random.default_rng(case.seed).choice([0.0, 0.9, 1.0]))
    search.start_from(tree.question, tree.no, tree.yes, bound, "guess")
    _check_optimal(case, settings, solve(case.problem, settings, search=search), plain)
    return 1


def story_of(case: CutCase) -> Iterator[str]:
    """What a run of many problems counts."""
    problem = case.problem
    yield from (f"column: {kind}" for kind in case.columns)
    yield f"times: {case.times}"
    yield f"censoring: {case.censoring}"
    yield f"weights: {case.weights}"
    yield f"depth: {problem.max_depth}"
    yield f"rows per leaf: {problem.min_samples_leaf} or more"
    yield f"events per leaf: {problem.min_events_leaf} or more"
    yield f"horizon: {'yes' if case.has_horizon else 'no'}"
