"""The search against brute force. `make oracle` runs thousands more of the same."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from survtree import _native
from survtree._data.read_table import default_names
from survtree._data.table import EventTable
from survtree._questions.questions import Questions
from survtree._scoring.losses import LossByDefinition
from survtree._search import solve
from survtree._search.problem import Problem
from survtree._search.progress import Watch
from tests.support.many_trees import check_optimal_trees, nested
from tests.support.problems import (
    ALL_SWITCHES,
    case_and_optimum,
    check_case,
    random_case,
    root_loss,
    subset_facts,
)

N_BLOCKS = 20


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_objective_is_the_brute_force_optimum(block):
    for seed in range(100_000 + 20 * block, 100_020 + 20 * block):
        case, optimum = case_and_optimum(seed)
        for layout, solver in product(("rows", "blocks"), ("search", "lattice")):
            check_case(case, optimum, layout=layout, solver=solver)


# Problems whose optimum has three leaves or more: where it is one leaf, bounds have little to do.
WITH_SPLITS = (7, 13, 26, 33, 49, 51, 74, 79, 106, 126, 128, 133, 140, 141, 171, 177, 184, 187, 188)


@pytest.mark.parametrize("seed", [200_000 + k for k in WITH_SPLITS])
def test_every_switch_combination_reaches_the_brute_force_optimum(seed):
    case, optimum = case_and_optimum(seed)
    for off in ALL_SWITCHES:
        assert len(check_case(case, optimum, bounds_off=off).tree.leaves) >= 3


@pytest.mark.parametrize("seed", range(220_000, 220_040))
def test_fewest_events_per_leaf_are_kept_at_the_brute_force_optimum(seed):
    for n_events, layout, solver in product(range(6), ("rows", "blocks"), ("search", "lattice")):
        case, optimum = case_and_optimum(seed, min_events_leaf=n_events)
        solution = check_case(case, optimum, layout=layout, solver=solver)
        is_split = len(solution.tree.leaves) > 1
        assert not is_split or case.problem.events_of_leaves(solution.tree).min() >= n_events


@pytest.mark.parametrize("seed", range(250_000, 250_040))
def test_neither_threads_nor_the_solver_change_the_tree(seed):
    case = random_case(seed)
    alone, *others = (
        solve.solve(
            case.problem, solve.SearchSettings(n_jobs=n_jobs, solver=solver, check_keys=True)
        )
        for n_jobs, solver in product((1, 4), ("search", "lattice"))
    )
    for other in others:
        assert other.objective == alone.objective
        assert other.lower_bound == alone.lower_bound
        assert nested(other.tree) == nested(alone.tree)


@pytest.mark.parametrize("seed", range(260_000, 260_040))
def test_greedy_trees_at_the_start_change_nothing_in_the_end(seed):
    problem = replace(random_case(seed).problem, max_depth=5)
    never, always = (
        solve.solve(problem, solve.SearchSettings(solver="search", greedy_from=work))
        for work in (2**62, 0)
    )
    assert always.objective == never.objective
    assert always.lower_bound == never.lower_bound
    assert nested(always.tree) == nested(never.tree)


def test_a_stopped_search_shows_a_greedy_tree():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (2000, 50), dtype=np.uint8)
    time = rng.exponential(1.0 + X[:, 0] + 2.0 * X[:, 1] * X[:, 2] * X[:, 3])
    events = EventTable(rng.random(2000) < 0.8, time, np.ones(2000))
    problem = Problem(X, events, Questions(default_names(50)), 0.0001, 7, 7)
    rows = []

    def stop_at_a_greedy_tree(row):
        rows.append(row)
        return row.found_by.startswith("greedy") and row.objective < rows[0].objective

    # A machine too busy to come so far in ten minutes would fail here.
    limits = solve.SearchSettings(time_limit=600.0)
    solution = solve.solve(problem, limits, Watch(0, stop_at_a_greedy_tree))
    assert solution.status == "interrupted"
    greedy = [row for row in rows if row.found_by.startswith("greedy")]
    assert greedy
    assert min(row.objective for row in greedy) < rows[0].objective
    assert [row.objective for row in rows] == sorted((r.objective for r in rows), reverse=True)


def test_more_questions_than_a_word_has_bits():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (80, 70), dtype=np.uint8)
    events = EventTable(rng.random(80) < 0.7, rng.integers(1, 12, 80).astype(float), np.ones(80))
    problem = Problem(X, events, Questions(default_names(70)), 0.001, 3, 7)
    found = {
        (solution.objective, str(nested(solution.tree)))
        for kernel, layout, solver in product(
            _native.kernels(), ("rows", "blocks"), ("search", "lattice")
        )
        for solution in [
            solve.solve(problem, solve.SearchSettings(kernel=kernel, layout=layout, solver=solver))
        ]
    }
    objectives, trees = zip(*found, strict=True)
    assert len(set(trees)) == 1
    assert max(objectives) - min(objectives) <= 1e-12 * max(objectives)


@pytest.mark.parametrize("seed", range(300_000, 300_060))
def test_a_gap_is_kept(seed):
    case, optimum = case_and_optimum(seed)
    solution = solve.solve(case.problem, solve.SearchSettings(gap=0.1))
    slack = 1e-9 * root_loss(case.problem)
    assert solution.lower_bound <= optimum + slack
    assert optimum <= solution.objective + slack
    assert solution.objective - solution.lower_bound <= 0.1 * solution.objective + slack
    assert (solution.status == "optimal") == (solution.lower_bound == solution.objective)


@pytest.mark.parametrize("seed", range(400_000, 400_040))
@pytest.mark.parametrize("factor", [1.0, 1.5, 0.5])
def test_an_upper_bound_changes_nothing_but_the_warning(seed, factor):
    case, optimum = case_and_optimum(seed)
    if optimum <= 0:
        return
    # A hair above the optimum: brute force adds up in another order.
    bound = optimum * factor * (1 + 1e-9)
    solution = check_case(case, optimum, upper_bound=bound)
    assert solution.is_upper_bound_wrong == (factor < 1)


def test_optimal_trees_are_all_optimal_trees():
    seeds = range(500_000, 500_180)
    n_trees = [check_optimal_trees(random_case(seed).problem, seed) for seed in seeds]
    assert sum(n > 0 for n in n_trees) > 100
    assert sum(n > 1 for n in n_trees) > 15


@pytest.mark.parametrize("layout", ["rows", "blocks"])
@pytest.mark.parametrize("seed", range(600_000, 600_100))
def test_losses_of_the_core_are_those_of_the_oracle(seed, layout):
    problem = random_case(seed).problem
    events = problem.events
    facts = subset_facts(problem, layout=layout)
    oracle = LossByDefinition(events.time, events.event, events.weight)
    everyone = np.ones(len(events), dtype=bool)
    scale = oracle.leaf_loss(everyone)
    assert facts["loss"] == pytest.approx(scale, rel=1e-12)
    for column, no, yes in zip(facts["column"], facts["no_loss"], facts["yes_loss"], strict=True):
        answers = problem.answers[:, column] == 1
        assert yes == pytest.approx(oracle.leaf_loss(answers), rel=1e-11, abs=1e-13 * scale)
        assert no == pytest.approx(oracle.leaf_loss(~answers), rel=1e-11, abs=1e-13 * scale)


@pytest.mark.parametrize("layout", ["rows", "blocks"])
@pytest.mark.parametrize("seed", range(610_000, 610_040))
def test_every_kernel_gives_the_same_bits(seed, layout):
    problem = random_case(seed).problem
    facts = [subset_facts(problem, kernel, layout) for kernel in _native.kernels()]
    assert _native.kernels()[0] == "plain"
    assert all(other == facts[0] for other in facts)
    limits = [solve.SearchSettings(kernel=kernel, layout=layout) for kernel in _native.kernels()]
    trees = [solve.solve(problem, one) for one in limits]
    assert len({solution.objective for solution in trees}) == 1
    assert len({nested(solution.tree) for solution in trees}) == 1


def test_kernels_agree_on_many_columns():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (90, 150), dtype=np.uint8)
    X[:, 60:80] = 0  # columns left out shift the lanes across words
    time = rng.integers(1, 30, 90).astype(float)
    events = EventTable(rng.random(90) < 0.6, time, np.ones(90))
    oracle = LossByDefinition.of(events)
    problem = Problem(X, events, Questions(default_names(150)), 0.0, 1, 1)
    for kernel, layout in product(_native.kernels(), ("rows", "blocks")):
        facts = subset_facts(problem, kernel, layout)
        assert len(facts["column"]) == 130
        for column, no, yes in zip(
            facts["column"], facts["no_loss"], facts["yes_loss"], strict=True
        ):
            says_yes = X[:, column] == 1
            assert yes == pytest.approx(oracle.leaf_loss(says_yes), rel=1e-11)
            assert no == pytest.approx(oracle.leaf_loss(~says_yes), rel=1e-11)
