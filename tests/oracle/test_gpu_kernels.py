"""The kernels of the GPU, compiled for the CPU, find the trees of the core: the same source.

What a GPU itself does with them is tested on a machine that has one: benchmarks/gpu.py.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from survtree._search.engines import search_of
from survtree._search.gpu.engine import GpuSearch
from survtree._search.gpu.lattice import MOST_DEPTH
from survtree._search.gpu.source import LOSSES
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, solve
from tests.support.cut_problems import cut_case
from tests.support.host_device import HostDevice, on_host
from tests.support.problems import (
    Case,
    competing,
    likelihood_case,
    random_case,
    teacher_case,
    with_rules,
)


def check_same(problem: Problem) -> Solution:
    """Both give the same tree with the same numbers."""
    problem = replace(problem, max_depth=min(problem.max_depth or 4, MOST_DEPTH))
    plain = solve(problem, SearchSettings())
    with on_host():
        found = solve(problem, SearchSettings(device="cuda"))
    for name in ("question", "no", "yes"):
        assert np.array_equal(getattr(found.tree, name), getattr(plain.tree, name))
    names = ("objective", "loss", "lower_bound", "status", "tolerance")
    assert all(getattr(found, name) == getattr(plain, name) for name in names)
    assert found.counts["gpu_lane_rows"] >= 0
    return found


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_trees_of_bits_are_those_of_the_core(first: int) -> None:
    for seed in range(first, first + 50):
        check_same(random_case(seed).problem)


OF_LOSS: dict[str, Callable[[int], Case]] = {
    "teacher": teacher_case,
    "likelihood": likelihood_case,
    "incidence": lambda seed: competing(random_case(seed)),
}


@pytest.mark.parametrize("loss", list(OF_LOSS))
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_trees_of_other_losses_are_those_of_the_core(first: int, loss: str) -> None:
    for seed in range(first, first + 50):
        check_same(OF_LOSS[loss](seed).problem)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_trees_of_cuts_are_those_of_the_core(first: int, loss: str) -> None:
    for seed in range(first, first + 50):
        check_same(cut_case(seed, loss=loss).problem)


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_rules_about_columns_hold(first: int) -> None:
    for seed in range(first, first + 50):
        check_same(with_rules(random_case(seed).problem, seed))


def test_a_search_by_depths_ends_like_one_that_goes_straight_to_the_last() -> None:
    problem = random_case(3).problem
    problem = replace(problem, max_depth=3)
    search = search_of(problem, SearchSettings())
    seen: list[int] = []
    gpu = GpuSearch(problem, search, HostDevice(), lambda: seen.append(1))
    tree = gpu.run()
    again = gpu.best_so_far()
    assert np.array_equal(tree.question, again.question)
    assert len(seen) > 0
