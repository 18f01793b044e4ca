"""Lists of nearly optimal trees that are too long for brute force, and what must hold of them.

The search over bits and the search over cuts know nothing of each other: both must list the same
trees. And a list within a smaller slack is the beginning of one within a larger slack. Tables with
many more cuts than one look takes, and deep trees, in which many paths lead to the same rows.
"""

from dataclasses import dataclass, replace

import numpy as np

from survtree._data.table import Column, EventTable, table_of
from survtree._questions.binarizer import Binarizer
from survtree._search.engines import CUTS
from survtree._search.near_trees import NearSearch, NearTrees
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import find
from tests.support.near_problems import partition_of
from tests.support.problems import (
    by_likelihood,
    competing_events,
    random_events,
    random_targets,
    random_times,
    random_weights,
    root_loss,
)

MOST_TREES = 2_000  # in a list
MOST_COMPARED = 300  # one by one
SOLVERS = ("search", CUTS)
SHARES = (0.3, 1.0)  # of the slack
LOSSES = ("brier", "teacher", "incidence", "likelihood")
DEEPEST = 15  # of 16 seeds: 0/1 columns and the likelihood, with pairs of questions far down


@dataclass(frozen=True)
class ListCase:
    """A problem, and the slack of its longer list as a share of the optimum."""

    seed: int
    problem: Problem
    within: float


def list_case(seed: int) -> ListCase:
    """Every second one has hundreds of cuts; the others have columns of 0 and 1 and are deep."""
    rng = np.random.default_rng([2031, seed])
    has_cuts, loss = seed % 2 == 0, LOSSES[seed // 2 % len(LOSSES)]
    n = int(rng.integers(70, 130)) if has_cuts else int(rng.integers(40, 120))
    columns = [_column(rng, n, name, has_cuts) for name in _names(rng, has_cuts)]
    table = table_of(columns)
    questions = Binarizer("all", missing="question").fit_table(table, None).questions_
    answers = questions.coded(table)
    time = random_times(rng, answers.matrix())[1]
    event = random_events(rng, time)[1]
    weight = random_weights(rng, n)[1]
    events = EventTable(event, np.maximum(time, 1.0 * (time.max() == 0)), weight)
    if loss == "incidence":
        events = competing_events(events, seed)[1]
    problem = Problem(
        answers,
        events,
        questions,
        regularization=0.0,
        max_depth=int(rng.integers(1, 3)) if has_cuts else int(rng.integers(3, 5)),
        min_samples_leaf=int(rng.integers(1, 8)),
        targets=random_targets(rng, answers.matrix())[1] if loss == "teacher" else None,
    )
    problem = by_likelihood(problem) if loss == "likelihood" else problem
    penalty = float(rng.choice([0.005, 0.02, 0.05])) * root_loss(problem)
    within = float(rng.choice([0.02, 0.05, 0.15]))
    problem = replace(problem, regularization=penalty)
    if seed % 16 == DEEPEST:
        problem, within = replace(problem, max_depth=5, min_samples_leaf=2), 0.05
    return ListCase(seed, problem, within)


def _names(rng: np.random.Generator, has_cuts: bool) -> str:
    return "abc"[: rng.integers(1, 4)] if has_cuts else "abcdefg"[: rng.integers(4, 8)]


def _column(rng: np.random.Generator, n: int, name: str, has_cuts: bool) -> Column:
    if not has_cuts:
        return Column(name, "number", (rng.random(n) < rng.uniform(0.3, 0.7)).astype(float))
    if name == "c" and rng.random() < 0.5:
        return Column(name, "level", rng.integers(0, 4, n).astype(np.intp), tuple("abcd"))
    values = rng.normal(size=n)
    return Column(name, "number", values if rng.random() < 0.7 else values.round(1))


def check_lists(case: ListCase) -> int:
    """Raises AssertionError with the seed. The number of trees in the longest complete list."""
    if case.problem.regularization == 0.0:  # one leaf loses nothing, and so does every tree
        return 0
    optimum = _optimum(case)
    lists = {
        (solver, share): NearSearch(case.problem, optimum, SearchSettings(solver=solver)).trees(
            share * case.within * optimum, MOST_TREES
        )
        for solver in SOLVERS
        for share in SHARES
    }
    slight = 1e-11 * root_loss(case.problem)
    for (solver, share), found in lists.items():
        where, values = (solver, share, case.seed), found.objectives
        others, longer = lists[SOLVERS[0], share], lists[solver, SHARES[-1]].objectives
        assert (np.diff(values) >= -slight).all(), where
        assert (found.status, len(values)) == (others.status, len(others.objectives)), where
        assert (abs(values - others.objectives) <= slight).all(), where
        assert (abs(values - longer[: len(values)]) <= slight).all(), where
        if found.is_complete:
            limit = optimum * (1 + share * case.within)
            assert len(values) >= (longer <= limit - slight).sum(), where
            assert _partitions(case, found) == _partitions(case, others), where
    return max((len(found.objectives) for found in lists.values() if found.is_complete), default=0)


def _optimum(case: ListCase) -> float:
    """By both searches, which must agree."""
    first, *others = (
        find(case.problem, SearchSettings(solver=solver))[0].objective for solver in SOLVERS
    )
    for other in others:
        assert abs(first - other) <= 1e-12 * root_loss(case.problem), (first, other, case.seed)
    return first


def _partitions(case: ListCase, found: NearTrees) -> set[frozenset[bytes]]:
    """Of all trees of a list, each of which parts the rows in another way; of long lists none."""
    if len(found.trees) > MOST_COMPARED:
        return set()
    parts = {partition_of(case.problem, tree) for tree in found.trees}
    assert len(parts) == len(found.trees), case.seed
    return parts
