"""Each bound's claim on its own, and the claims that do not hold for Kaplan-Meier leaves."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._scoring.losses import LossByDefinition
from survtree._search.problem import SearchSettings
from survtree._search.solve import solve
from tests.support.brute_force import BruteForce
from tests.support.problems import brute_force, random_case, subset_facts

SEEDS = range(700_000, 700_060)


def group_bound(problem):
    """The core's equivalent-points bound of all rows."""
    return subset_facts(problem)["group_loss"]


def groups(problem):
    """Masks of rows with equal features."""
    _, group = np.unique(problem.answers, axis=0, return_inverse=True)
    return [group.ravel() == g for g in range(group.max() + 1)]


@pytest.mark.parametrize("seed", SEEDS)
def test_equivalent_points_bound_is_below_the_best_curves_and_every_tree(seed):
    problem = random_case(seed).problem
    events = problem.events
    oracle = LossByDefinition(events.time, events.event, events.weight)
    exact = sum(oracle.best_curve_loss(rows) for rows in groups(problem))
    bound = group_bound(problem)
    slack = 1e-12 * oracle.leaf_loss(np.ones(len(events), dtype=bool))
    assert bound <= exact + slack
    best = BruteForce(problem.answers, oracle, 0.0, 1).optimum(problem.max_depth)
    assert bound <= best + slack


def test_equivalent_points_bound_is_not_vacuous():
    # Jensen's inequality gives away little: most of the exact bound is left.
    kept = exact = 0.0
    for seed in SEEDS:
        problem = random_case(seed).problem
        events = problem.events
        oracle = LossByDefinition(events.time, events.event, events.weight)
        kept += group_bound(problem)
        exact += sum(oracle.best_curve_loss(rows) for rows in groups(problem))
    assert kept >= 0.9 * exact > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_splits_of_an_optimal_tree_repay_their_leaves(seed):
    """Incremental progress: a split node loses more than a penalty; sibling leaves save one."""
    problem = random_case(seed).problem
    events, penalty = problem.events, problem.regularization
    slow = brute_force(problem)
    oracle = slow.oracle
    slack = 1e-12 * oracle.leaf_loss(np.ones(len(events), dtype=bool))

    def walk(tree, rows):
        if tree is None:
            return
        column = slow.features[:, tree[0]]
        assert oracle.leaf_loss(rows) >= penalty - slack
        if tree[1] is None and tree[2] is None:
            children = oracle.leaf_loss(rows & column) + oracle.leaf_loss(rows & ~column)
            assert oracle.leaf_loss(rows) - children >= penalty - slack
        walk(tree[1], rows & ~column)
        walk(tree[2], rows & column)

    depth = 2 if problem.max_depth is None else min(2, problem.max_depth)
    for tree in slow.optimal_trees(depth, 0.0)[:50]:
        walk(tree, np.ones(len(events), dtype=bool))


@pytest.mark.parametrize("seed", SEEDS)
def test_leaf_count_is_bounded_by_the_objective(seed):
    problem = random_case(seed).problem
    if problem.regularization == 0:
        return
    slow = brute_force(problem)
    depth = 2 if problem.max_depth is None else min(2, problem.max_depth)
    most = (slow.optimum(depth) - group_bound(problem)) / problem.regularization

    def leaves(tree):
        return 1 if tree is None else leaves(tree[1]) + leaves(tree[2])

    assert all(leaves(tree) <= most + 1e-6 for tree in slow.optimal_trees(depth, 0.0)[:50])


class Floors:
    """What no curve for some rows can undercut, as a loss."""

    def __init__(self, problem):
        self.leaf_loss = LossByDefinition.of(problem.events).best_curve_loss


@pytest.mark.parametrize("seed", SEEDS)
def test_relaxed_trees_cost_no_more_on_fewer_rows_and_no_more_than_trees(seed):
    """Floors: a leaf that pays its floor, and may be of any size."""
    rng, problem = np.random.default_rng(seed), random_case(seed).problem
    slow = brute_force(problem)
    relaxed = BruteForce(slow.features, Floors(problem), problem.regularization, 1)
    n, depth = len(problem.events), min(2, problem.max_depth or 2)
    slack = 1e-12 * slow.oracle.leaf_loss(np.ones(n, dtype=bool))
    for _ in range(5):
        rows = rng.random(n) < rng.uniform(0.2, 1.0)
        fewer = rows & (rng.random(n) < rng.uniform(0.2, 1.0))
        assert relaxed._best(fewer, depth) <= relaxed._best(rows, depth) + slack
        assert relaxed._best(rows, depth) <= slow._best(rows, depth) + slack


def test_floors_close_cuts_and_save_work():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    time = rng.exponential(1.0 + 2.0 * (X[:, 0] > 0.5)) + 0.01
    model = OptimalSurvivalTree(2, 0.01, thresholds="all").fit(X, (rng.random(400) < 0.8, time))
    on, off = (
        solve(model._fitted.problem, SearchSettings(bounds_off=off)).counts
        for off in ((), ("floors",))
    )
    assert on["pruned_by_floor"] > 0 == off["pruned_by_floor"]
    assert on["lane_rows"] < off["lane_rows"]


def test_a_split_can_raise_the_loss():
    time = np.array([1, 2, 3, 3, 5, 6.0])
    event = np.array([1, 0, 1, 0, 1, 0], dtype=bool)
    x = np.array([1, 1, 0, 1, 0, 0], dtype=bool)
    oracle = LossByDefinition(time, event)
    assert oracle.leaf_loss(x) + oracle.leaf_loss(~x) > oracle.leaf_loss(x | ~x) + 5e-4


def test_the_subset_bound_does_not_hold():
    """A subset can cost more than the whole: the censored row in between helps the others."""
    oracle = LossByDefinition(np.array([1.0, 2.0, 5.0]), np.array([True, False, True]))
    everyone, some = np.array([True, True, True]), np.array([True, False, True])
    assert oracle.leaf_loss(everyone) == pytest.approx(8 / 45)
    assert oracle.leaf_loss(some) == pytest.approx(11 / 60)
    # With equal features no tree splits, so these are optima too, at any depth.
    searcher = BruteForce(np.zeros((3, 1), dtype=int), oracle, 0.01, 1)
    assert searcher._best(some, 3) > searcher.optimum(3) + 5e-3


@pytest.mark.parametrize("seed", range(20))
def test_the_best_curve_is_monotone_where_the_subset_bound_fails(seed):
    """The form that does hold: the pointwise best curve of a subset never loses more."""
    rng = np.random.default_rng(seed)
    oracle = LossByDefinition(rng.integers(1, 9, 25).astype(float), rng.random(25) < 0.5)
    rows = rng.random(25) < 0.8
    some = rows & (rng.random(25) < 0.6)
    assert oracle.best_curve_loss(some) <= oracle.best_curve_loss(rows) + 1e-15
