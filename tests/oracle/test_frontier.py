"""The best trees by number of leaves, and for every price of a leaf, against brute force."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from survtree._limits import Limits
from survtree._solve import find, frontier, optimal_trees, solve
from tests.oracle.problems import brute_force, random_case, root_loss
from tests.oracle.test_brute_force import nested

N_BLOCKS = 15


def shallow_problem(seed):
    """A random problem small enough to look at all its trees for each number of leaves."""
    problem = random_case(seed).problem
    is_small = problem.max_depth is None and problem.features.shape[1] <= 4
    return problem if is_small else replace(problem, max_depth=min(3, problem.max_depth or 3))


def losses_by_leaves(slow, rows, depth, most, memo):
    """The least loss of the rows with exactly 0, 1, 2, ... leaves; inf where there is no tree."""
    key = rows.tobytes(), depth
    if key not in memo:
        best = np.full(most + 1, np.inf)
        best[1] = slow.oracle.leaf_loss(rows)
        for _, no, yes in slow._splits(rows) if depth > 0 else []:
            a, b = (losses_by_leaves(slow, part, depth - 1, most, memo) for part in (no, yes))
            for i in np.flatnonzero(np.isfinite(a)):
                end = most + 1 - i
                best[i:] = np.minimum(best[i:], a[i] + b[:end])
        memo[key] = best
    return memo[key]


def brute_losses(problem):
    slow = brute_force(problem)
    n, p = slow.features.shape
    depth = p if problem.max_depth is None else min(p, problem.max_depth)
    return losses_by_leaves(slow, np.ones(n, dtype=bool), depth, min(2**depth, n), {})


def best_objective(losses, price, most=None):
    leaves = np.arange(len(losses))[: None if most is None else most + 1]
    return np.min(losses[leaves] + price * leaves)


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_the_path_has_the_optimum_for_every_price(block):
    for seed in range(800_000 + 20 * block, 800_020 + 20 * block):
        problem = shallow_problem(seed)
        losses, scale = brute_losses(problem), root_loss(problem)
        solutions = frontier(problem, Limits())
        points = [(len(one.tree.leaves), one.loss) for one in solutions]
        assert points == sorted(points)
        lowest = problem.regularization
        breaks = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        assert all(b > lowest for b in breaks)
        assert breaks == sorted(breaks, reverse=True)
        others = np.random.default_rng(seed).uniform(lowest, lowest + scale / 2, 10)
        for price in [lowest, *breaks, *others, scale]:
            if price >= lowest:
                found = min(loss + price * n for n, loss in points)
                assert abs(found - best_objective(losses, price)) <= 1e-9 * (scale + price), seed


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_limit_on_leaves_is_kept_at_the_least_objective(block):
    for seed in range(810_000 + 10 * block, 810_010 + 10 * block):
        problem = shallow_problem(seed)
        losses, scale = brute_losses(problem), root_loss(problem)
        price = problem.regularization
        for most in range(1, min(len(losses), 9)):
            solution, _ = find(replace(problem, max_leaves=most), Limits())
            assert solution.status == "optimal"
            assert solution.lower_bound == solution.objective
            assert len(solution.tree.leaves) <= most
            wanted = best_objective(losses, price, most)
            assert abs(solution.objective - wanted) <= 1e-9 * (scale + price), (seed, most)


@pytest.mark.parametrize("seed", range(820_000, 820_060))
def test_the_last_tree_of_a_path_is_that_of_a_fit(seed):
    problem = shallow_problem(seed)
    last, fitted = frontier(problem, Limits())[-1], solve(problem, Limits())
    assert last.objective == pytest.approx(fitted.objective, abs=1e-9 * root_loss(problem))
    if len(optimal_trees(problem, fitted.objective, 2)) == 1:
        assert nested(last.tree) == nested(fitted.tree)


@pytest.mark.parametrize("seed", range(830_000, 830_040))
def test_a_path_that_is_stopped_has_the_trees_of_a_smaller_depth(seed):
    problem = replace(random_case(seed).problem, max_depth=4)
    whole = frontier(problem, Limits())
    part = frontier(problem, Limits(node_limit=20))
    assert {one.status for one in whole} == {"optimal"}
    if part[0].status == "node_limit":
        depth = max(int(one.tree.depths().max()) for one in part)
        shallow = frontier(replace(problem, max_depth=max(depth, 0)), Limits())
        assert [one.loss for one in part] == pytest.approx([one.loss for one in shallow])
        optimum = solve(problem, Limits()).objective
        assert all(one.lower_bound <= optimum + 1e-9 * root_loss(problem) for one in part)
