"""The best trees by number of leaves, and for every penalty per leaf, against brute force."""

from dataclasses import replace

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._search.problem import SearchSettings
from survtree._search.solve import frontier, optimal_trees, solve
from tests.support.many_trees import (
    brute_losses,
    check_limit_on_leaves,
    check_path,
    nested,
    shallow_problem,
)
from tests.support.problems import random_case, root_loss

N_BLOCKS = 15


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_the_path_has_the_optimum_for_every_penalty(block):
    for seed in range(800_000 + 20 * block, 800_020 + 20 * block):
        problem = shallow_problem(seed)
        check_path(problem, brute_losses(problem), seed)


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_limit_on_leaves_is_kept_at_the_least_objective(block):
    for seed in range(810_000 + 10 * block, 810_010 + 10 * block):
        problem = shallow_problem(seed)
        losses = brute_losses(problem)
        for most in range(1, min(len(losses), 9)):
            check_limit_on_leaves(problem, losses, most, seed)


@pytest.mark.parametrize("seed", range(820_000, 820_060))
def test_the_last_tree_of_a_path_is_that_of_a_fit(seed):
    problem = shallow_problem(seed)
    last, fitted = frontier(problem, SearchSettings())[-1], solve(problem, SearchSettings())
    assert last.objective == pytest.approx(fitted.objective, abs=1e-9 * root_loss(problem))
    if len(optimal_trees(problem, fitted.objective, 2)) == 1:
        assert nested(last.tree) == nested(fitted.tree)


@pytest.mark.parametrize("seed", range(830_000, 830_040))
def test_a_path_that_is_stopped_has_at_least_the_trees_of_a_smaller_depth(seed):
    problem = replace(random_case(seed).problem, max_depth=4)
    whole = frontier(problem, SearchSettings())
    part = frontier(problem, SearchSettings(node_limit=20))
    assert {one.status for one in whole} == {"optimal"}
    if part[0].status == "node_limit":
        penalty, slack = problem.regularization, 1e-9 * root_loss(problem)
        finished = frontier(replace(problem, max_depth=1), SearchSettings())
        assert _least(part, penalty) <= _least(finished, penalty) + slack
        optimum = solve(problem, SearchSettings()).objective
        assert all(one.lower_bound <= optimum + slack for one in part)


def _least(solutions, penalty):
    return min(one.loss + penalty * len(one.tree.leaves) for one in solutions)


@pytest.mark.parametrize("max_leaves", [None, 6])
@pytest.mark.parametrize("seed", range(840_000, 840_015))
def test_threads_find_the_trees_of_one_thread_to_the_last_bit(seed, max_leaves):
    problem = replace(random_case(seed).problem, max_depth=4)
    one, three = (
        [
            (nested(found.tree), found.loss, found.objective, found.lower_bound, found.status)
            for found in frontier(problem, SearchSettings(n_jobs=n), max_leaves)
        ]
        for n in (1, 3)
    )
    assert one == three


@pytest.mark.parametrize("seed", range(850_000, 850_006))
def test_a_number_of_leaves_alone_gives_the_least_loss_of_trees_with_as_many(seed):
    """The whole fit at its defaults: the loss is that against its teacher, and has no penalty."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (90, 4))
    y = rng.random(90) < 0.8, rng.exponential(1.0 + X[:, 0] * X[:, 1]) + 0.01
    fits = [OptimalSurvivalTree(max_leaves=most).fit(X, y) for most in range(1, 7)]
    problem = fits[0]._state.problem
    losses = brute_losses(problem)
    for most, model in enumerate(fits, 1):
        assert np.array_equal(model.certificate_.targets, problem.targets)
        if model.certificate_.max_depth == problem.max_depth:
            assert model.n_leaves_ <= most
            assert model.regularization_ == 0
            assert model.loss_ == pytest.approx(losses[: most + 1].min(), abs=1e-12)
    assert fits[3].n_leaves_ == 4
