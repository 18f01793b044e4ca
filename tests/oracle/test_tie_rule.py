"""However a search comes to its optimum, the tree is the one that the tie rule chooses."""

import numpy as np
import pytest

from survtree._search.problem import SearchSettings
from survtree._search.solve import find, solve
from tests.support.many_trees import nested
from tests.support.problems import likelihood_case, random_case, teacher_case

N_BLOCKS = 10
N_CASES = 100  # a block, for each loss


def cases(block, make):
    """Problems, random numbers for each, and the solution of a plain search."""
    first = 1_300_000 + N_CASES * block
    for seed in range(first, first + N_CASES):
        problem = make(seed).problem
        yield problem, np.random.default_rng(seed), solve(problem, SearchSettings())


def settings_of_all_kinds(rng, objective):
    """Searches that may end before a plain one does, and with bounds that meet nonetheless."""
    watched = {"wants_bounds": True, "greedy_from": 0}
    below = 1.0 - 10.0 ** -rng.integers(1, 16)
    yield SearchSettings(node_limit=int(rng.integers(1, 60)), **watched)
    yield SearchSettings(gap=10.0 ** -rng.integers(3, 14), **watched)
    yield SearchSettings(upper_bound=below * objective, n_jobs=int(rng.integers(1, 3)))
    yield SearchSettings(upper_bound=0.0, gap=1e-9, **watched)
    yield SearchSettings(memory_limit=20_000, **watched)


@pytest.mark.parametrize("make", [random_case, teacher_case, likelihood_case])
@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_limits_gaps_and_upper_bounds_leave_the_choice_among_equals_alone(block, make):
    n_optimal = 0
    for problem, rng, plain in cases(block, make):
        for settings in settings_of_all_kinds(rng, plain.objective):
            found = solve(problem, settings)
            if found.status == "optimal":
                n_optimal += 1
                assert nested(found.tree) == nested(plain.tree), (problem, settings)
    assert n_optimal > 4 * N_CASES


@pytest.mark.parametrize("make", [random_case, teacher_case, likelihood_case])
@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_search_in_many_small_parts_ends_with_the_tree_of_one_in_one_piece(block, make):
    for problem, rng, plain in cases(block, make):
        kept, status, wants_bounds = None, "node_limit", bool(rng.integers(2))
        while status == "node_limit":
            n_nodes = int(rng.integers(1, 30))
            settings = SearchSettings(node_limit=n_nodes, wants_bounds=wants_bounds, greedy_from=0)
            found, kept = find(problem, settings, None, kept)
            status = found.status
        assert status == "optimal"
        assert nested(found.tree) == nested(plain.tree), problem
