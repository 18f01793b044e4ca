"""Random small problems, by seed, and the check of one against brute force."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from survtree import _native
from survtree._data.causes import Causes
from survtree._data.read_table import default_names
from survtree._data.table import EventTable
from survtree._questions.questions import Questions
from survtree._scoring.losses import AnyLossByDefinition, loss_by_definition
from survtree._search import solve
from survtree._search.engines import arrays_of
from survtree._search.problem import BOUNDS, Problem
from tests.support.brute_force import BruteForce, distinct_columns

REGULARIZATIONS = (0.0, 1e-9, 1e-5, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.5)
# Floors are of the search over cuts, which has an oracle of its own (cut_problems.py).
# How pairs are solved is switched beside all combinations of the others.
OF_BITS = [bound for bound in BOUNDS if bound not in ("floors", "pairs")]
ALL_SWITCHES = tuple(chain.from_iterable(combinations(OF_BITS, k) for k in range(len(OF_BITS) + 1)))


@dataclass(frozen=True)
class Case:
    """A problem and the story of how it was made."""

    seed: int
    problem: Problem
    features: str
    times: str
    censoring: str
    weights: str


def _features(rng: np.random.Generator, n: int, p: int) -> tuple[str, np.ndarray]:
    kind = rng.choice(["independent", "thresholds", "duplicates", "rare", "few_rows"])
    if kind == "thresholds":
        cuts = np.sort(rng.random(p))
        return kind, (rng.random((n, 1)) > cuts).astype(np.uint8)
    X = (rng.random((n, p)) < (0.1 if kind == "rare" else rng.uniform(0.2, 0.8))).astype(np.uint8)
    if kind == "duplicates":
        X[:, rng.integers(p)] = 1 - X[:, rng.integers(p)]
        X[:, rng.integers(p)] = X[:, rng.integers(p)]
        X[:, rng.integers(p)] = rng.integers(2)
    if kind == "few_rows":
        X = X[rng.integers(0, max(2, n // 6), n)]
    return str(kind), X


def random_times(rng: np.random.Generator, X: np.ndarray) -> tuple[str, np.ndarray]:
    n, p = X.shape
    effect = X @ rng.normal(0, 1, p)
    time = rng.exponential(np.exp(effect * rng.choice([0.0, 0.5, 1.0]))) + 0.01
    kind = rng.choice(["continuous", "ties", "few", "zero", "shifted"])
    if kind == "ties":
        time = np.ceil(time * 3)
    elif kind == "few":
        time = np.clip(np.ceil(time * 2), 1, 3)
    elif kind == "zero":
        time = np.floor(time * 3)
        time[rng.integers(n)] = 2.0
    elif kind == "shifted":
        time = 1e6 + 0.001 * np.ceil(time * 20)
    return str(kind), time


def random_events(rng: np.random.Generator, time: np.ndarray) -> tuple[str, np.ndarray]:
    n = len(time)
    kind = rng.choice(["none", "some", "half", "heavy", "late"])
    if kind == "late":  # everything after some time is censored
        event = time <= np.quantile(time, rng.uniform(0.2, 0.9))
    else:
        event = rng.random(n) >= {"none": 0.0, "some": 0.2, "half": 0.5, "heavy": 0.95}[str(kind)]
    event[rng.integers(n)] = True
    return str(kind), event


def random_weights(rng: np.random.Generator, n: int) -> tuple[str, np.ndarray]:
    kind = rng.choice(["none", "none", "integer", "real", "wide"])
    weight = {
        "none": np.ones(n),
        "integer": rng.integers(1, 5, n).astype(float),
        "real": rng.uniform(0.1, 3.0, n),
        "wide": 10 ** rng.uniform(-5, 5, n),
    }[str(kind)]
    return str(kind), weight


def random_case(seed: int) -> Case:
    """6 to 120 rows, 1 to 9 columns, every depth and kind of trouble."""
    rng = np.random.default_rng([2024, seed])
    n, p = int(rng.integers(6, 121)), int(rng.integers(1, 10))
    features, X = _features(rng, n, p)
    times, time = random_times(rng, X)
    censoring, event = random_events(rng, time)
    if rng.random() < 0.2:  # duplicate rows, outcome included
        pick = rng.integers(0, max(2, n // 2), n)
        pick[0] = np.flatnonzero(event)[0]
        X, time, event = X[pick], time[pick], event[pick]
    if time.max() == 0:  # refused before the search; see tests/unit/test_validation.py
        time[0] = 2.0
    weights, weight = random_weights(rng, n)
    problem = Problem(
        answers=np.ascontiguousarray(X),
        events=EventTable(event, time.astype(float), weight),
        questions=Questions(default_names(p)),
        regularization=float(rng.choice(REGULARIZATIONS)),
        max_depth=[0, 1, 2, 3, 4, 5, None][rng.integers(7)],
        min_samples_leaf=int(rng.choice([1, 1, 2, 3, 7])),
        min_events_leaf=int(rng.choice([0, 0, 0, 0, 0, 1, 2, 3, 4, 5])),
    )
    return Case(seed, problem, features, times, censoring, weights)


def random_targets(rng: np.random.Generator, X: np.ndarray) -> tuple[str, np.ndarray]:
    """A teacher's vectors, some of which depend on the answers."""
    n, p = X.shape
    k = int(rng.choice([1, 2, 3, 5, 6, 7, 13]))
    targets = X @ rng.normal(0, rng.choice([0.0, 0.3, 1.0]), (p, k)) + rng.normal(0, 1, (n, k))
    kind = rng.choice(["continuous", "ties", "few", "constant", "shifted", "one_far"])
    if kind == "ties":
        targets = np.round(2 * targets) / 3
    elif kind == "few":
        targets = targets[rng.integers(0, 3, n)]
    elif kind == "constant":
        targets[:, rng.random(k) < 0.6] = 0.1
    elif kind == "shifted":
        targets = 1e3 + 0.01 * targets
    elif kind == "one_far":
        targets[rng.integers(n)] += 1e4
    return str(kind), targets


def teacher_case(seed: int) -> Case:
    """A random problem with the loss against a teacher; ``times`` tells the kind of targets."""
    case = random_case(seed)
    problem = case.problem
    kind, targets = random_targets(np.random.default_rng([2025, seed]), problem.answers)
    if seed % 5 == 0:  # equal rows with equal targets
        _, like = np.unique(problem.answers, axis=0, return_inverse=True)
        targets = targets[like.ravel()]
    penalty = problem.regularization * min(1.0, 10 * float(targets.var(axis=0).sum()))
    problem = replace(problem, targets=targets, regularization=penalty)
    return replace(case, problem=problem, times=f"targets {kind}")


def by_likelihood(problem: Problem) -> Problem:
    """The same problem with the loss by the likelihood, whatever it was."""
    events = EventTable(problem.events.event, problem.events.time, problem.events.weight)
    return replace(problem, loss="likelihood", targets=None, events=events)


def likelihood_case(seed: int) -> Case:
    """A random problem with the loss by the likelihood."""
    case = random_case(seed)
    return replace(case, problem=by_likelihood(case.problem))


def competing_events(events: EventTable, seed: int) -> tuple[str, EventTable]:
    """Competing risks: of the rows that were not censored some had another cause."""
    rng = np.random.default_rng([2026, seed])
    kind = rng.choice(["few", "half", "most", "tied"])
    if kind == "tied":  # by time: rows of equal times often differ in their cause
        is_other = np.argsort(np.argsort(events.time)) % 2 == 0
    else:
        is_other = rng.random(len(events)) < {"few": 0.1, "half": 0.5, "most": 0.9}[str(kind)]
    is_other &= events.event
    if is_other[events.event].all():  # the target cause was seen
        is_other[np.flatnonzero(events.event)[0]] = False
    cause = np.where(is_other, 1 + rng.integers(1, 3, len(events)), events.event.astype(int))
    return f"other causes: {kind}", replace(
        events,
        event=events.event & ~is_other,
        cause=cause.astype(np.uint8),
        causes=Causes(("target", "second", "third"), 1),
    )


def competing(case: Case) -> Case:
    """The same problem with competing risks."""
    kind, events = competing_events(case.problem.events, case.seed)
    censoring = f"{case.censoring}, {kind}"
    return replace(case, problem=replace(case.problem, events=events), censoring=censoring)


def incidence_case(seed: int) -> Case:
    """A random problem with competing risks."""
    return competing(random_case(seed))


# By what the oracles call the losses.
MAKE_CASE = {
    "brier": random_case,
    "teacher": teacher_case,
    "likelihood": likelihood_case,
    "incidence": incidence_case,
}


def oracle_of(problem: Problem) -> AnyLossByDefinition:
    """The loss by its definition."""
    return loss_by_definition(problem.events, problem.targets, problem.loss)


def brute_force(problem: Problem) -> BruteForce:
    """The slow searcher for a problem."""
    kept = kept_columns(problem)
    return BruteForce(problem.matrix[:, kept], oracle_of(problem), *limits_and_rules(problem, kept))


def kept_columns(problem: Problem) -> Sequence[int]:
    """Questions that part the rows in different ways, or that rules tell apart."""
    rules = (problem.split_penalties, problem.may_be_first)
    return distinct_columns(problem.matrix, *(each if len(each) else None for each in rules))


def limits_and_rules(problem: Problem, kept: Sequence[int]) -> tuple[Any, ...]:
    """What brute force is told beside the answers to some questions and the loss."""
    limits = (problem.regularization, problem.min_samples_leaf, problem.min_events_leaf)
    penalties, first = problem.split_penalties, problem.may_be_first
    rules = (each[list(kept)] if len(each) else None for each in (penalties, first))
    return *limits, problem.events.event, *rules


RELATIVE_PENALTIES = (0.0, 0.0, 1e-9, 0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 1e4)


def with_rules(problem: Problem, seed: int) -> Problem:
    """The same with penalties of columns, a first split, or both, whatever its loss."""
    rng = np.random.default_rng([2032, seed])
    names, scale = problem.questions.names, root_loss(problem)
    kind = rng.choice(["none", "one", "some", "equal", "all"], p=[0.15, 0.15, 0.3, 0.2, 0.2])
    values = scale * rng.choice(RELATIVE_PENALTIES, len(names))
    if kind == "one":
        values[rng.permutation(len(names))[1:]] = 0.0
    elif kind == "some":
        values[rng.random(len(names)) < 0.5] = 0.0
    elif kind == "equal":
        values[:] = float(rng.choice([problem.regularization, 0.01 * scale]))
    elif kind == "all":
        values = scale * rng.choice([0.001, 0.002, 0.01], len(names))
    penalties = {name: float(each) for name, each in zip(names, values, strict=True) if each > 0}
    first = str(rng.choice(names)) if kind == "none" or rng.random() < 0.5 else None
    if first is not None and penalties.get(first, 0.0) > 10 * scale:
        del penalties[first]
    penalties = {} if kind == "none" else penalties
    return replace(problem, column_penalties=penalties or None, first_split=first)


@functools.lru_cache(maxsize=2000)  # several tests ask about the same problems
def case_and_optimum(seed: int, **changes: Any) -> tuple[Case, float]:
    """A random problem, with some of its fields changed, and its optimum by brute force."""
    case = random_case(seed)
    case = replace(case, problem=replace(case.problem, **changes))
    return case, brute_force(case.problem).optimum(case.problem.max_depth)


def subset_facts(problem: Problem, kernel: str = "", layout: str = "") -> dict[str, Any]:
    """What the core computes of all rows, and of all splits of them."""
    ranks = np.arange(problem.answers.shape[1], dtype=np.uint32)
    return _native.subset_facts(*arrays_of(problem), ranks, kernel, layout)


def root_loss(problem: Problem) -> float:
    """Loss of a lone leaf."""
    return oracle_of(problem).one_leaf_loss()


def slack_of(problem: Problem) -> float:
    """By how much objectives may differ that are added up in different ways."""
    # Where rows must be split, penalties may be far larger than all losses.
    is_paid = problem.first_split is not None
    return 1e-9 * root_loss(problem) + 1e-14 * problem.regularization * is_paid


def check_case(case: Case, optimum: float, **limits: Any) -> solve.Solution:
    """Solve and compare with the brute-force optimum; raises AssertionError with the seed."""
    solution = solve.solve(case.problem, solve.SearchSettings(check_keys=True, **limits))
    slack = slack_of(case.problem)
    where = f"seed {case.seed}, {limits}: {case}"
    assert solution.status == "optimal", where
    assert solution.lower_bound == solution.objective, where
    assert abs(solution.objective - optimum) <= slack, (
        f"{solution.objective!r} is not the optimum {optimum!r}; {where}"
    )
    # The core checked itself; here the oracle checks the core, and the core's check.
    problem, tree = case.problem, solution.tree
    oracle = oracle_of(problem)
    leaf_of_row = problem.leaf_of_row(tree)
    assert abs(oracle.tree_loss(leaf_of_row) - solution.loss) <= slack, where
    assert abs(oracle.one_leaf_loss() - solution.one_leaf_loss) <= slack, where
    of_leaves, splits = problem.regularization * len(tree.leaves), tree.question[tree.question >= 0]
    of_columns = sum((problem.column_penalties or {}).get(f"x{j}", 0.0) for j in splits)
    parts = solution.loss + of_leaves + of_columns
    assert abs(parts - solution.objective) <= slack, where
    if problem.first_split is not None and len(splits):
        assert f"x{tree.question[0]}" == problem.first_split, where
    assert np.array_equal(solution.unique_times, np.unique(problem.events.time)), where
    seen = problem.events.time[problem.events.event]
    assert np.array_equal(solution.event_times, np.unique(seen)), where
    return solution
