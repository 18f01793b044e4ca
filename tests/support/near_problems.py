"""All nearly optimal trees of small problems by brute force, and the check of the search."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from survtree import _native
from survtree._base.tree import Tree
from survtree._data.table import Bools
from survtree._search.engines import CUTS, bit_search_of
from survtree._search.near_trees import BestFound, NearSearch, NearTrees, with_questions
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import find
from tests.support.brute_force import BruteForce, NestedTree
from tests.support.cut_problems import cut_case
from tests.support.problems import (
    OF_BITS,
    by_likelihood,
    competing,
    limits_and_rules,
    oracle_of,
    random_case,
    root_loss,
    teacher_case,
)

MOST_TREES = 3000  # by brute force
Partition = frozenset[bytes]
Key = tuple[Any, ...]


@dataclass(frozen=True)
class NearCase:
    """A problem with a slack that no tree is at the edge of."""

    seed: int
    problem: Problem
    max_leaves: int | None
    within: float


def near_case(seed: int, loss: str = "") -> NearCase:
    """Raw columns with every cut, or columns of 0 and 1; some with few leaves.

    Without a word of the loss all but that by the likelihood take turns.
    """
    rng = np.random.default_rng([2029, seed])
    if seed % 3 == 0:
        kind = ("brier", "teacher", "incidence")[rng.integers(3)]
        # That by the likelihood knows one cause only.
        problem = cut_case(seed, loss="brier" if loss else kind).problem
    else:
        case = random_case(seed) if seed % 3 == 1 else teacher_case(seed)
        case = competing(case) if seed % 4 == 1 and not loss else case
        problem = _smaller(case.problem, rng)
    if loss == "likelihood":
        problem = by_likelihood(problem)
    if rng.random() < 0.6:  # a penalty that many trees can pay
        penalty = float(rng.choice([0.0, 0.002, 0.02])) * root_loss(problem)
        problem = replace(problem, regularization=penalty)
    max_leaves = int(rng.integers(1, 7)) if rng.random() < 0.3 else None
    return NearCase(seed, problem, max_leaves, float(rng.choice([0.0, 0.01, 0.05, 0.2, 1.0])))


def _smaller(problem: Problem, rng: np.random.Generator) -> Problem:
    """The first columns, and not so deep: the trees are to be counted by hand."""
    n_columns = min(int(rng.integers(1, 6)), problem.answers.shape[1])
    depth = int(rng.integers(0, 4)) if problem.max_depth is None else min(problem.max_depth, 3)
    return replace(with_questions(problem, range(n_columns)), max_depth=depth)


class AllTrees(BruteForce):
    """Every tree within a budget, by recursion; and the best under conditions."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.scale = self.oracle.leaf_loss(np.ones(len(self.features), dtype=bool))
        self._under: dict[Any, float] = {}

    def within(self, depth: int, budget: float, order: dict[int, int]) -> dict[Partition, Any]:
        """Partition -> (objective, key of the first tree that makes it, that tree)."""
        self._order = order
        return self._within(np.ones(len(self.features), dtype=bool), depth, budget)

    def _within(self, rows: Bools, depth: int, budget: float) -> dict[Partition, Any]:
        out: dict[Partition, Any] = {}
        if self._as_leaf(rows, depth) <= budget:
            out[frozenset([rows.tobytes()])] = self._as_leaf(rows, depth), (0,), None
        for j, no, yes in self._splits(rows) if depth > 0 else []:
            best_no, best_yes = self._best(no, depth - 1), self._best(yes, depth - 1)
            of_sides = budget - self.penalties[j]
            if best_no + best_yes > of_sides:
                continue
            no_trees = self._within(no, depth - 1, of_sides - best_yes)
            yes_trees = self._within(yes, depth - 1, of_sides - best_no)
            for (p, (v, k, t)), (q, (w, m, u)) in product(no_trees.items(), yes_trees.items()):
                if v + w > of_sides:
                    continue
                value, key = v + w + self.penalties[j], (1, self._order[j], k, m)
                known = out.get(p | q)
                # The cheapest tree of a partition counts; only penalties make them differ.
                is_equal = known is not None and abs(value - known[0]) <= 1e-12 * self.scale
                if known is None or (key < known[1] if is_equal else value < known[0]):
                    out[p | q] = value, key, (j, t, u)
            if len(out) > MOST_TREES:
                raise TooManyError
        return out

    def best_under(
        self, rows: Bools, depth: int, sets: tuple[frozenset[int], ...], most: int
    ) -> float:
        """The least objective with a split from each set and at most so many leaves."""
        most = min(most, 2**depth)
        if not sets and most == 2**depth:
            return self._best(rows, depth)
        name = rows.tobytes(), depth, sets, most
        if name not in self._under:
            self._under[name] = self._best_under(rows, depth, sets, most)
        return self._under[name]

    def _best_under(
        self, rows: Bools, depth: int, sets: tuple[frozenset[int], ...], most: int
    ) -> float:
        best = np.inf if sets else self._as_leaf(rows, depth)
        if depth == 0 or most < 2:
            return best
        for j, no, yes in self._splits(rows):
            left = tuple(one for one in sets if j not in one)
            for where, n in product(product((0, 1), repeat=len(left)), range(1, most)):
                halves = [
                    tuple(s for s, w in zip(left, where, strict=True) if w == h) for h in (0, 1)
                ]
                value = self.best_under(no, depth - 1, halves[0], n) + self.penalties[j]
                if value < best:
                    value += self.best_under(yes, depth - 1, halves[1], most - n)
                best = min(best, value)
        return best


class TooManyError(Exception):
    """More trees than brute force can take."""


def all_trees_of(problem: Problem) -> AllTrees:
    every = range(problem.matrix.shape[1])
    return AllTrees(problem.matrix, oracle_of(problem), *limits_and_rules(problem, every))


@dataclass(frozen=True)
class Expected:
    """What brute force says: partitions by ascending objective, ties by the tie rule."""

    optimum: float
    slack: float
    rows: list[tuple[float, Key, NestedTree, Partition]]


def expected_of(case: NearCase) -> Expected | None:
    """None if there are too many trees, or two that only rounding could tell apart."""
    problem, slow = case.problem, all_trees_of(case.problem)
    depth = slow.depth_of(problem.max_depth, case.max_leaves)
    search = bit_search_of(problem, SearchSettings())
    order = {j: k for k, j in enumerate(search.questions)}
    # Columns that are asked by another one come last: they are nobody's first.
    order = {j: order.get(j, len(order) + j) for j in range(slow.features.shape[1])}
    scale = _scale(problem)
    most = case.max_leaves or slow.features.shape[0]
    rows = np.ones(len(slow.features), dtype=bool)
    optimum = slow.best_under(rows, depth, (), most) if case.max_leaves else slow.optimum(depth)
    try:
        found = slow.within(depth, optimum * (1 + 1.2 * case.within) + 1e-7 * scale, order)
    except TooManyError:
        return None
    listed = [
        (value, key, tree, partition)
        for partition, (value, key, tree) in found.items()
        if len(partition) <= most
    ]
    listed.sort(key=lambda row: row[0])
    values = [row[0] for row in listed]
    # The slack ends in the widest gap between two objectives of the last sixth.
    edge = optimum * (1 + case.within)
    above = [v for v in values if v > edge + 1e-9 * scale]
    slack = ((above[0] + max(v for v in values if v < above[0])) / 2 if above else edge) - optimum
    if slack < 1e-9 * scale:
        slack = 0.0 if not above else slack
    steps = np.diff(values)
    if ((steps > 1e-14 * scale) & (steps < 1e-8 * scale)).any():
        return None  # neither a tie nor clearly none
    kept = [row for row in listed if row[0] <= optimum + slack + 1e-10 * scale]
    return Expected(optimum, slack, _in_tie_order(kept, 1e-10 * scale))


def _in_tie_order(rows: list[Any], tolerance: float) -> list[Any]:
    out: list[Any] = []
    while rows:
        ties = [row for row in rows if row[0] <= rows[0][0] + tolerance]
        out += sorted(ties, key=lambda row: row[1])
        rows = rows[len(ties) :]
    return out


def partition_of(problem: Problem, tree: Tree) -> Partition:
    leaves = problem.leaf_of_row(tree)
    return frozenset((leaves == k).tobytes() for k in range(len(tree.leaves)))


def nested(tree: Tree, node: int = 0) -> NestedTree:
    if tree.question[node] < 0:
        return None
    return (
        int(tree.question[node]),
        nested(tree, int(tree.no[node])),
        nested(tree, int(tree.yes[node])),
    )


def ways(case: NearCase) -> Iterator[SearchSettings]:
    """Some ways to search, other ones for each seed."""
    rng = np.random.default_rng([2030, case.seed])
    kernels = _native.kernels()
    off = tuple(name for name in OF_BITS if rng.random() < 0.4)
    layout = str(rng.choice(["rows", "blocks"])) if case.problem.targets is None else ""
    yield SearchSettings(solver="search", bounds_off=off, kernel=str(rng.choice(kernels)))
    yield SearchSettings(solver="search", layout=layout, check_keys=True)
    if case.problem.max_depth:
        switches = tuple(name for name in ("floors", "permutation") if rng.random() < 0.4)
        yield SearchSettings(solver=CUTS, bounds_off=switches, kernel=str(rng.choice(kernels)))


def check_near(case: NearCase) -> int:
    """Raises AssertionError with the seed. The number of trees that were compared."""
    expected = expected_of(case)
    if expected is None:
        return 0
    problem = replace(case.problem, max_leaves=case.max_leaves)
    # As a fit has it: by another way of adding up than that of brute force.
    optimum = find(problem, SearchSettings())[0].objective
    for settings in ways(case):
        search = NearSearch(problem, optimum, settings)
        every = search.trees(expected.slack, MOST_TREES + 1)
        _compare(case, settings, expected, every, expected.rows)
        some = max(1, len(expected.rows) // 3)
        first = search.trees(expected.slack, some)
        _compare(case, settings, expected, first, expected.rows[:some])
        _check_conditions(case, settings, search)
    return len(expected.rows)


def _compare(
    case: NearCase, settings: SearchSettings, expected: Expected, found: NearTrees, rows: list[Any]
) -> None:
    where = f"{settings}, {case}"
    is_all = len(rows) == len(expected.rows)
    assert found.status == ("complete" if is_all else "limit"), (found.status, where)
    assert len(found.trees) == len(rows), (len(found.trees), len(rows), where)
    scale = _scale(case.problem)
    for k, (value, _, tree, partition) in enumerate(rows):
        got = found.trees[k]
        assert abs(found.objectives[k] - value) <= 1e-9 * scale, (k, where)
        assert partition_of(case.problem, got) == partition, (k, nested(got), tree, where)
        assert nested(got) == tree, (k, nested(got), tree, where)


def _check_conditions(case: NearCase, settings: SearchSettings, search: NearSearch) -> None:
    """The best trees under conditions are those of brute force."""
    rng = np.random.default_rng([2031, case.seed])
    problem, slow = case.problem, all_trees_of(case.problem)
    n_questions = slow.features.shape[1]
    if n_questions == 0:
        return
    column = np.array([asked.column for asked in problem.questions.asked])
    picked = [frozenset(np.flatnonzero(column == c).tolist()) for c in rng.permutation(column)[:2]]
    scale = _scale(problem)
    most = case.max_leaves or len(slow.features)
    full_depth = slow.depth_of(problem.max_depth, case.max_leaves)
    for uses in ((picked[0],), tuple(set(picked))):
        _check_best(case, settings, slow, search.best(uses=uses), uses, most, scale)
    few, depth = int(rng.integers(1, 5)), int(rng.integers(0, full_depth + 1))
    found = search.best(uses=picked[:1], max_leaves=few, max_depth=depth)
    value = slow.best_under(_all(slow), depth, tuple(picked[:1]), min(few, most))
    _check_value(case, settings, found, value, scale)
    found = search.best(avoids=picked[0])
    slow.features[:, list(picked[0])] = False  # constant columns split nothing
    fresh = all_trees_of(problem)
    must_split = fresh.must_split(problem.max_depth, case.max_leaves)
    fresh.features = slow.features
    is_possible = not must_split or fresh.must_split(problem.max_depth, case.max_leaves)
    depth = fresh.depth_of(problem.max_depth, case.max_leaves)
    value = fresh.best_under(_all(slow), depth, (), most) if is_possible else np.inf
    _check_value(case, settings, found, value, scale)
    _check_first(case, settings, search, picked[0], most, scale)


def _check_first(
    case: NearCase,
    settings: SearchSettings,
    search: NearSearch,
    first: frozenset[int],
    most: int,
    scale: float,
) -> None:
    problem, slow = case.problem, all_trees_of(case.problem)
    value, depth = np.inf, slow.depth_of(problem.max_depth, case.max_leaves)
    for j, no, yes in slow._splits(_all(slow)) if depth else []:
        if j in first:
            for n in range(1, min(most, 2**depth)):
                parts = slow.best_under(no, depth - 1, (), n) + slow.penalties[j]
                parts += slow.best_under(yes, depth - 1, (), most - n)
                value = min(value, parts)
    _check_value(case, settings, search.best(first=first), value, scale)


def _scale(problem: Problem) -> float:
    return root_loss(problem) + problem.regularization


def _all(slow: AllTrees) -> Bools:
    return np.ones(len(slow.features), dtype=bool)


def _check_best(
    case: NearCase,
    settings: SearchSettings,
    slow: AllTrees,
    found: BestFound,
    uses: tuple[frozenset[int], ...],
    most: int,
    scale: float,
) -> None:
    depth = slow.depth_of(case.problem.max_depth, case.max_leaves)
    value = slow.best_under(_all(slow), depth, uses, most)
    _check_value(case, settings, found, value, scale)
    if found.tree is not None:
        asked = set(found.tree.question.tolist())
        assert all(asked & one for one in uses), (uses, nested(found.tree), case)


def _check_value(
    case: NearCase, settings: SearchSettings, found: BestFound, value: float, scale: float
) -> None:
    where = f"{settings}, {found}, {value}, {case}"
    assert found.status == ("impossible" if np.isinf(value) else "optimal"), where
    if np.isfinite(value):
        assert abs(found.objective - value) <= 1e-9 * scale, where
