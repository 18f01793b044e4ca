"""Penalties of columns and a first split against brute force, whatever the engine and the loss.

`python -m tests.oracle.run --rules` solves thousands more; so do `raw_cuts`, `near_trees`, `proofs`
and `forged` with that option.
"""

from dataclasses import replace

import numpy as np
import pytest

from survtree import _native
from survtree._search.problem import SearchSettings
from survtree._search.solve import find, frontier
from tests.oracle.forged import forged
from tests.oracle.proofs import Tampering, proof_of_case, verdict_of
from tests.support.cut_problems import check_cuts, cut_case
from tests.support.many_trees import (
    brute_losses,
    check_limit_on_leaves,
    check_optimal_trees,
    check_path,
    shallow,
)
from tests.support.near_problems import check_near, near_case
from tests.support.problems import (
    ALL_SWITCHES,
    brute_force,
    check_case,
    random_case,
    root_loss,
    slack_of,
    teacher_case,
    with_rules,
)


def ruled(case):
    return replace(case, problem=with_rules(case.problem, case.seed))


@pytest.mark.parametrize("make_case", [random_case, teacher_case])
@pytest.mark.parametrize("block", range(4))
def test_objective_is_the_brute_force_optimum(make_case, block):
    for seed in range(300_000 + 25 * block, 300_025 + 25 * block):
        case = ruled(make_case(seed))
        optimum = brute_force(case.problem).optimum(case.problem.max_depth)
        for solver in ("search", "lattice"):
            kernel = _native.kernels()[seed % len(_native.kernels())]
            check_case(case, optimum, solver=solver, kernel=kernel, n_jobs=1 + seed % 2)


@pytest.mark.parametrize("seed", range(310_000, 310_006))
def test_every_switch_combination_reaches_the_brute_force_optimum(seed):
    case = ruled(random_case(seed))
    case = replace(case, problem=shallow(case.problem))
    optimum = brute_force(case.problem).optimum(case.problem.max_depth)
    for off in ALL_SWITCHES:
        check_case(case, optimum, bounds_off=off)


@pytest.mark.parametrize("seed", range(320_000, 320_030))
def test_paths_limits_on_leaves_and_all_optimal_trees(seed):
    problem = shallow(ruled(random_case(seed)).problem)
    losses = brute_losses(problem)
    check_path(problem, losses, seed)
    for most in (1, 2, 3):
        check_limit_on_leaves(problem, losses, most, seed)
    check_optimal_trees(problem, seed)


@pytest.mark.parametrize("loss", ["brier", "teacher", "likelihood", "incidence"])
def test_the_search_over_cuts_agrees_with_that_over_bits(loss):
    for seed in range(330_000, 330_012):
        check_cuts(ruled(cut_case(seed, loss=loss)))


def test_near_optimal_sets_are_those_of_brute_force():
    assert sum(check_near(ruled(near_case(seed))) for seed in range(340_000, 340_060)) > 60


@pytest.mark.parametrize("seed", range(350_000, 350_030))
def test_right_proofs_are_accepted_and_tampered_ones_rejected(seed):
    case, rng = ruled(random_case(seed)), np.random.default_rng(seed)
    proof = proof_of_case(case)
    assert verdict_of(proof.to_bytes())
    tampering = Tampering(case, proof, rng)
    for way in tampering.ways():
        assert not verdict_of(tampering.tampered(way)), way


def test_forged_proofs_are_rejected_or_right():
    outcomes = [outcome for _, _, outcome in forged(range(360_000, 360_006), has_rules=True)]
    assert "FAILED" not in outcomes
    assert {"rejected", "right"} <= {*outcomes}


@pytest.mark.parametrize("seed", range(370_000, 370_040))
def test_stopped_and_guided_searches_keep_to_the_rules_and_their_bounds(seed):
    problem = shallow(ruled(random_case(seed)).problem)
    optimum, slack = brute_force(problem).optimum(problem.max_depth), slack_of(problem)
    for n_nodes in (1, 4, 20):
        kept, status, n_parts = None, "node_limit", 0
        settings = SearchSettings(node_limit=n_nodes, greedy_from=0, wants_bounds=bool(seed % 2))
        while status == "node_limit":
            found, kept = find(problem, settings, None, kept)
            assert found.lower_bound - slack <= optimum <= found.objective + slack
            status, n_parts = found.status, n_parts + 1
            assert n_parts < 10_000
        assert abs(found.objective - optimum) <= slack
        for one in frontier(problem, settings):
            assert one.objective >= optimum - slack
    guess = np.random.default_rng(seed).random(len(problem.events)) * root_loss(problem)
    for proves in (False, True):
        settings = SearchSettings(guessed_losses=guess / len(guess), proves=proves)
        found, _ = find(problem, settings)
        assert found.lower_bound <= optimum + slack
        assert not proves or abs(found.objective - optimum) <= slack
