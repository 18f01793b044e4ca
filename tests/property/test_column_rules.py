"""What must hold of penalties of columns and of a first split, without any brute force."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from survtree._search.problem import SearchSettings
from survtree._search.solve import solve
from tests.support.problems import random_case, root_loss

SEEDS = range(40)


def case_of(seed):
    """Not too deep, and with a column to speak of."""
    problem = random_case(seed).problem
    depth = 3 if problem.max_depth is None else min(problem.max_depth, 3)
    return replace(problem, max_depth=depth)


def optimum(problem, **rules):
    return solve(replace(problem, **rules), SearchSettings())


def columns_of(problem, solution):
    asked = solution.tree.question[solution.tree.question >= 0]
    return [problem.questions.names[j] for j in asked]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_objective_never_falls_when_a_penalty_grows(seed):
    problem, rng = case_of(seed), np.random.default_rng(seed)
    name, scale = str(rng.choice(problem.questions.names)), root_loss(problem)
    penalties = [0.0, *np.sort(scale * rng.random(3))]
    found = [optimum(problem, column_penalties={name: p}).objective for p in penalties]
    assert all(a <= b + 1e-9 * scale for a, b in pairwise(found))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_with_a_huge_penalty_is_never_split_on(seed):
    problem = case_of(seed)
    free = optimum(problem)
    for name in {*columns_of(problem, free)}:
        huge = optimum(problem, column_penalties={name: 1e6 * (1.0 + root_loss(problem))})
        assert name not in columns_of(problem, huge)
        assert huge.objective >= free.objective - 1e-9 * root_loss(problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_penalties_are_a_penalty_per_leaf_less_one(seed):
    # A tree has one split less than leaves.
    problem = case_of(seed)
    penalty = 0.01 * root_loss(problem)
    everywhere = dict.fromkeys(problem.questions.names, penalty)
    ruled = optimum(problem, column_penalties=everywhere)
    plain = optimum(problem, regularization=problem.regularization + penalty)
    slack = 1e-9 * (root_loss(problem) + plain.objective)
    assert ruled.objective == pytest.approx(plain.objective - penalty, abs=slack)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_least_over_first_splits_is_the_optimum_of_trees_that_split(seed):
    problem = case_of(seed)
    best = optimum(problem)
    found = [optimum(problem, first_split=name) for name in problem.questions.names]
    split = [one for one in found if len(one.tree.leaves) > 1]
    for one, name in zip(found, problem.questions.names, strict=True):
        assert len(one.tree.leaves) == 1 or columns_of(problem, one)[0] == name
    if len(best.tree.leaves) > 1:
        least = min(one.objective for one in split)
        assert least == pytest.approx(best.objective, abs=1e-9 * root_loss(problem))
    for one in split:
        assert one.objective >= best.objective - 1e-9 * root_loss(problem)


@pytest.mark.parametrize("seed", range(15))
def test_rules_do_not_depend_on_the_order_of_columns(seed):
    problem, rng = case_of(seed), np.random.default_rng(seed)
    names = problem.questions.names
    order = rng.permutation(len(names))
    others = replace(
        problem,
        answers=np.ascontiguousarray(problem.answers[:, order]),
        questions=replace(problem.questions, names=tuple(names[j] for j in order)),
    )
    rules = {
        "column_penalties": {name: 0.01 * root_loss(problem) for name in names[::2]},
        "first_split": names[0],
    }
    one, other = optimum(problem, **rules), optimum(others, **rules)
    assert columns_of(problem, one) == columns_of(others, other)
    assert one.objective == other.objective
