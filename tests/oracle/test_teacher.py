"""The loss against a teacher: brute force, bits of all kernels, paths and proofs.

`python -m tests.oracle.run --loss teacher` solves thousands more of the same problems.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from survtree import _native
from survtree._data.read_table import default_names
from survtree._questions.questions import Questions
from survtree._search.problem import SearchSettings
from survtree._search.solve import solve
from tests.oracle.proofs import Tampering, proof_of_case, verdict_of
from tests.support.many_trees import (
    brute_losses,
    check_limit_on_leaves,
    check_optimal_trees,
    check_path,
    nested,
    shallow,
)
from tests.support.problems import (
    ALL_SWITCHES,
    brute_force,
    check_case,
    oracle_of,
    root_loss,
    subset_facts,
    teacher_case,
)


@pytest.mark.parametrize("block", range(10))
def test_objective_is_the_brute_force_optimum(block):
    for seed in range(100_000 + 20 * block, 100_020 + 20 * block):
        case = teacher_case(seed)
        optimum = brute_force(case.problem).optimum(case.problem.max_depth)
        for kernel, solver in product(_native.kernels(), ("search", "lattice")):
            check_case(case, optimum, kernel=kernel, solver=solver)


@pytest.mark.parametrize("seed", range(200_000, 200_006))
def test_every_switch_combination_reaches_the_brute_force_optimum(seed):
    case = teacher_case(seed)
    case = replace(case, problem=shallow(case.problem))
    optimum = brute_force(case.problem).optimum(case.problem.max_depth)
    for off in ALL_SWITCHES:
        check_case(case, optimum, bounds_off=off)


@pytest.mark.parametrize("seed", range(600_000, 600_060))
def test_losses_of_every_kernel_are_those_of_the_oracle(seed):
    problem = teacher_case(seed).problem
    oracle = oracle_of(problem)
    found = [subset_facts(problem, kernel) for kernel in _native.kernels()]
    assert all(other == found[0] for other in found)
    slack = 1e-11 * oracle.one_leaf_loss()  # wide weights
    assert found[0]["loss"] == pytest.approx(oracle.one_leaf_loss(), abs=slack)
    facts = [found[0][name] for name in ("column", "no_loss", "yes_loss")]
    for column, no, yes in zip(*facts, strict=True):
        answers = problem.answers[:, column] == 1
        assert yes == pytest.approx(oracle.leaf_loss(answers), abs=slack)
        assert no == pytest.approx(oracle.leaf_loss(~answers), abs=slack)


@pytest.mark.parametrize("seed", range(610_000, 610_030))
def test_the_order_of_rows_changes_nothing(seed):
    problem = teacher_case(seed).problem
    mixed = np.random.default_rng(seed).permutation(len(problem.answers))
    other = replace(
        problem,
        answers=np.ascontiguousarray(problem.answers[mixed]),
        events=problem.events.take(mixed),
        targets=problem.targets[mixed],
    )
    a, b = (solve(each, SearchSettings()) for each in (problem, other))
    assert a.objective == b.objective
    assert nested(a.tree) == nested(b.tree)


def test_lanes_of_many_questions_and_components():
    case = teacher_case(0)
    rng = np.random.default_rng(0)
    n = len(case.problem.answers)
    problem = replace(
        case.problem,
        answers=rng.integers(0, 2, (n, 150), dtype=np.uint8),
        questions=Questions(default_names(150)),
    )
    for k in range(1, 31):
        problem = replace(problem, targets=rng.normal(size=(n, k)))
        oracle = oracle_of(problem)
        for kernel in _native.kernels():
            facts = subset_facts(problem, kernel)
            no = [oracle.leaf_loss(problem.answers[:, j] == 0) for j in facts["column"]]
            yes = [oracle.leaf_loss(problem.answers[:, j] == 1) for j in facts["column"]]
            assert facts["no_loss"] == pytest.approx(no, rel=1e-11)
            assert facts["yes_loss"] == pytest.approx(yes, rel=1e-11)


@pytest.mark.parametrize("block", range(5))
def test_paths_limits_on_leaves_and_all_optimal_trees(block):
    for seed in range(800_000 + 10 * block, 800_010 + 10 * block):
        problem = shallow(teacher_case(seed).problem)
        losses = brute_losses(problem)
        check_path(problem, losses, seed)
        check_limit_on_leaves(problem, losses, 1 + seed % 5, seed)
        check_optimal_trees(problem, seed)


@pytest.mark.parametrize("block", range(4))
def test_right_proofs_are_accepted_and_tampered_ones_are_not(block):
    for seed in range(910_000 + 10 * block, 910_010 + 10 * block):
        case = teacher_case(seed)
        proof = proof_of_case(case)
        verdict = verdict_of(proof.to_bytes())
        optimum = brute_force(case.problem).optimum(case.problem.max_depth)
        assert verdict, (case, verdict)
        assert "against the teacher" in verdict.reason
        assert abs(verdict.objective - optimum) <= 1e-9 * root_loss(case.problem), case
        assert verdict.fingerprint == case.problem.fingerprint()
        tampering = Tampering(case, proof, np.random.default_rng(seed))
        for way in tampering.ways():
            assert not verdict_of(tampering.tampered(way)), (case, way)
