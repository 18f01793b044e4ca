"""Paths, limits on leaves and lists of near-optimal trees with the kernels compiled for the CPU."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from survtree._base.tree import Tree
from survtree._search.near_trees import NearSearch
from survtree._search.problem import Problem, SearchSettings
from survtree._search.run import ON_GPU
from survtree._search.solve import Solution, find, frontier
from tests.support.cut_problems import cut_case
from tests.support.host_device import on_host
from tests.support.near_problems import near_case
from tests.support.problems import (
    competing,
    likelihood_case,
    random_case,
    root_loss,
    teacher_case,
    with_rules,
)

ON_CUDA = SearchSettings(device="cuda")
KINDS: dict[str, Callable[[int], Problem]] = {
    "bits": lambda seed: random_case(seed).problem,
    "rules": lambda seed: with_rules(random_case(seed).problem, seed),
    "teacher": lambda seed: teacher_case(seed).problem,
    "likelihood": lambda seed: likelihood_case(seed).problem,
    "incidence": lambda seed: competing(random_case(seed)).problem,
    "cuts": lambda seed: cut_case(seed).problem,
}


def nodes(tree: Tree) -> Any:
    return tree.question.tolist(), tree.no.tolist(), tree.yes.tolist()


def facts(found: Solution) -> Any:
    return nodes(found.tree), found.objective, found.lower_bound, found.status


def shallow(problem: Problem) -> Problem:
    return replace(problem, max_depth=min(problem.max_depth or 4, 5))


def beyond_rounding(problem: Problem) -> Problem:
    """With a penalty at which trees of different sizes differ by more than a tolerance."""
    return replace(problem, regularization=max(problem.regularization, 1e-6 * root_loss(problem)))


@pytest.mark.parametrize("kind", list(KINDS))
def test_paths_are_those_of_the_core(kind: str) -> None:
    for seed in range(100):
        problem = beyond_rounding(shallow(KINDS[kind](seed)))
        plain = frontier(problem, SearchSettings())
        with on_host():
            found = frontier(problem, ON_CUDA)
        assert ON_GPU in found[0].counts
        assert list(map(facts, found)) == list(map(facts, plain)), seed


@pytest.mark.parametrize("kind", list(KINDS))
def test_trees_of_few_leaves_are_those_of_the_core(kind: str) -> None:
    n_on_gpu = 0
    for seed in range(60):
        problem = beyond_rounding(shallow(KINDS[kind](seed)))
        problem = replace(problem, max_leaves=1 + seed % 5)
        plain, _ = find(problem, SearchSettings())
        with on_host():
            found, _ = find(problem, ON_CUDA)
        assert facts(found) == facts(plain), seed
        n_on_gpu += ON_GPU in found.counts
    assert n_on_gpu > 40  # the others need more than the best trees for each penalty


@pytest.mark.parametrize("loss", ["", "likelihood"])
def test_lists_of_near_optimal_trees_are_those_of_the_core(loss: str) -> None:
    n_on_gpu = 0
    for seed in [*range(80), 274, 1056]:  # the last two with such objectives
        case = near_case(seed, loss)
        problem = replace(shallow(case.problem), max_leaves=case.max_leaves)
        optimum = find(problem, SearchSettings())[0].objective
        with on_host():
            lists = [
                NearSearch(problem, optimum, settings).trees(case.within, 300)
                for settings in (SearchSettings(), ON_CUDA)
            ]
        plain, found = lists
        assert list(map(nodes, found.trees)) == list(map(nodes, plain.trees)), seed
        # Leaves with the same rows may be reached in another order, and added up otherwise.
        assert found.objectives == pytest.approx(plain.objectives, rel=1e-12, abs=0.0), seed
        assert found.status == plain.status, seed
        n_on_gpu += ON_GPU in found.counts
    assert n_on_gpu > 40
