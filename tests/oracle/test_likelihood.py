"""The loss by the likelihood against brute force.

`python -m tests.oracle.run --loss likelihood` solves thousands more of the same problems.
"""

from itertools import product

import numpy as np
import pytest

from survtree import _native
from tests.support.many_trees import brute_losses, check_limit_on_leaves, check_path, shallow
from tests.support.near_problems import check_near, near_case
from tests.support.problems import (
    brute_force,
    check_case,
    likelihood_case,
    oracle_of,
    root_loss,
    subset_facts,
)

# In the last of these, a tree that a limit on depth had cut once passed for the best of any depth.
SEEDS = (*range(60), 2344)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_kernel_solver_and_way_to_solve_pairs_reaches_the_optimum(seed):
    case = likelihood_case(seed)
    optimum = brute_force(case.problem).optimum(case.problem.max_depth)
    for kernel, solver, off in product(_native.kernels(), ("search", "lattice"), ((), ("pairs",))):
        check_case(case, optimum, kernel=kernel, solver=solver, bounds_off=off)


@pytest.mark.parametrize("seed", range(0, 80, 4))
def test_paths_and_limits_on_leaves_are_those_of_brute_force(seed):
    problem = shallow(likelihood_case(seed).problem)
    losses = brute_losses(problem)
    check_path(problem, losses, seed)
    check_limit_on_leaves(problem, losses, max(1, len(losses) // 2), seed)


@pytest.mark.parametrize("seed", range(40))
def test_all_nearly_optimal_trees_are_found(seed):
    check_near(near_case(seed, "likelihood"))


@pytest.mark.parametrize("seed", range(100, 160))
def test_losses_and_floors_of_the_core_are_those_of_the_definition(seed):
    problem = likelihood_case(seed).problem
    oracle, slack = oracle_of(problem), 1e-11 * root_loss(problem) + 1e-18
    found = [subset_facts(problem, kernel) for kernel in _native.kernels()]
    assert all(facts == found[0] for facts in found[1:])
    facts = found[0]
    assert facts["loss"] == pytest.approx(oracle.one_leaf_loss(), abs=slack)
    for column, no, yes in zip(facts["column"], facts["no_loss"], facts["yes_loss"], strict=True):
        rows = problem.rows_of_yes(column)
        assert no == pytest.approx(oracle.leaf_loss(~rows), abs=slack)
        assert yes == pytest.approx(oracle.leaf_loss(rows), abs=slack)
        assert no + yes <= facts["loss"] + slack
    assert facts["group_loss"] <= facts["loss"] + slack


@pytest.mark.parametrize("seed", range(40))
def test_some_rows_never_lose_more_than_all_and_parts_never_more_than_the_whole(seed):
    problem, rng = likelihood_case(seed).problem, np.random.default_rng(seed)
    oracle, slack = oracle_of(problem), 1e-12 * root_loss(problem)
    more = rng.random(len(problem.events)) < 0.7
    some = more & (rng.random(len(more)) < 0.5)
    parts = oracle.leaf_loss(some) + oracle.leaf_loss(more & ~some)
    assert parts <= oracle.leaf_loss(more) + slack
