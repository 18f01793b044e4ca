"""Paths, limits on leaves and all optimal trees of a problem against brute force."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from survtree._base.tree import Tree
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import find, frontier, optimal_trees, solve
from tests.support.brute_force import BruteForce, NestedTree
from tests.support.problems import brute_force, kept_columns, random_case, root_loss

MOST_TREES = 3000  # of as many optimal trees brute force makes no list


def shallow_problem(seed: int) -> Problem:
    """A random problem small enough to look at all its trees for each number of leaves."""
    return shallow(random_case(seed).problem)


def shallow(problem: Problem) -> Problem:
    """The same with a lower limit on depth, if need be."""
    is_small = problem.max_depth is None and problem.answers.shape[1] <= 4
    return problem if is_small else replace(problem, max_depth=min(3, problem.max_depth or 3))


def losses_by_leaves(
    slow: BruteForce, rows: np.ndarray, depth: int, most: int, memo: dict
) -> np.ndarray:
    """The least loss of the rows with exactly 0, 1, 2, ... leaves; inf where there is no tree.

    Penalties of columns are part of the loss here.
    """
    key = rows.tobytes(), depth
    if key not in memo:
        best = np.full(most + 1, np.inf)
        if np.isfinite(slow._as_leaf(rows, depth)):
            best[1] = slow.oracle.leaf_loss(rows)
        for j, no, yes in slow._splits(rows) if depth > 0 else []:
            a, b = (losses_by_leaves(slow, part, depth - 1, most, memo) for part in (no, yes))
            for i in np.flatnonzero(np.isfinite(a)):
                end = most + 1 - i
                best[i:] = np.minimum(best[i:], a[i] + b[:end] + slow.penalties[j])
        memo[key] = best
    return memo[key]


def brute_losses(problem: Problem) -> np.ndarray:
    """The least loss with exactly 0, 1, 2, ... leaves."""
    slow = brute_force(problem)
    n, depth = len(slow.features), slow.depth_of(problem.max_depth)
    return losses_by_leaves(slow, np.ones(n, dtype=bool), depth, min(2**depth, n), {})


def best_objective(losses: np.ndarray, penalty: float, most: int | None = None) -> float:
    leaves = np.arange(len(losses))[: None if most is None else most + 1]
    return float(np.min(losses[leaves] + penalty * leaves))


def check_path(problem: Problem, losses: np.ndarray, seed: int) -> None:
    """For every penalty per leaf a tree of the path has the least objective."""
    scale = root_loss(problem)
    solutions = frontier(problem, SearchSettings())
    points = [(len(one.tree.leaves), one.cost) for one in solutions]
    assert points == sorted(points), seed
    lowest = problem.regularization
    breaks = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    assert all(b > lowest for b in breaks), seed
    assert breaks == sorted(breaks, reverse=True), seed
    others = np.random.default_rng(seed).uniform(lowest, lowest + scale / 2, 10)
    for penalty in [lowest, *breaks, *others, scale]:
        if penalty >= lowest:
            found = min(loss + penalty * n for n, loss in points)
            assert abs(found - best_objective(losses, penalty)) <= 1e-9 * (scale + penalty), seed


def check_limit_on_leaves(problem: Problem, losses: np.ndarray, most: int, seed: int) -> None:
    """The least objective of the trees with at most so many leaves."""
    penalty = problem.regularization
    solution, _ = find(replace(problem, max_leaves=most), SearchSettings())
    assert solution.status == "optimal"
    assert solution.lower_bound == solution.objective
    assert len(solution.tree.leaves) <= most
    if most == 1:  # then no first split is asked for
        losses = brute_losses(replace(problem, max_depth=0))
    wanted = best_objective(losses, penalty, most)
    slack = 1e-9 * (root_loss(problem) + penalty)
    assert abs(solution.objective - wanted) <= slack, (seed, most)


def nested(tree: Tree, node: int = 0) -> NestedTree:
    """A Tree as nested tuples, as the brute force makes them."""
    if tree.question[node] < 0:
        return None
    no, yes = (nested(tree, children[node]) for children in (tree.no, tree.yes))
    return int(tree.question[node]), no, yes


def _rename(tree: NestedTree, kept: list[int]) -> NestedTree:
    if tree is None:
        return None
    return kept[tree[0]], _rename(tree[1], kept), _rename(tree[2], kept)


def check_optimal_trees(problem: Problem, seed: int) -> int:
    """The optimal trees are those that brute force finds; returns how many, 0 if too many."""
    problem = replace(
        problem,
        max_depth=3 if problem.max_depth is None else min(3, problem.max_depth),
        min_samples_leaf=max(3, problem.min_samples_leaf),
    )
    slow = brute_force(problem)
    trees = slow.optimal_trees(problem.max_depth, 1e-12 * root_loss(problem))
    if len(trees) > MOST_TREES:
        return 0
    limits = SearchSettings(solver=("search", "lattice")[seed // 8 % 2])
    found = optimal_trees(problem, slow.optimum(problem.max_depth), len(trees) + 9, limits)
    # Brute force numbers the distinct columns; of equal columns both keep the same one.
    kept = list(kept_columns(problem))
    assert {nested(tree) for tree in found} == {_rename(tree, kept) for tree in trees}, seed
    assert len(found) == len(trees), seed
    assert nested(solve(problem, SearchSettings()).tree) == nested(found[0]), seed
    return len(trees)
