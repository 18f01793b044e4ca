"""Searches that made-up workers share, against searches of one process.

`python -m tests.oracle.cluster` runs thousands more of the same.
"""

import numpy as np
import pytest

from survtree._search.engines import CUTS, run_limits, search_of
from survtree._search.problem import SearchSettings
from tests.oracle.cluster import problem_of
from tests.support.made_up_crew import answer_of, check_shared
from tests.support.problems import MAKE_CASE

BITS = SearchSettings(solver="search")


@pytest.mark.parametrize("solver", ["search", CUTS])
@pytest.mark.parametrize("loss", MAKE_CASE)
def test_workers_that_come_and_go_reach_the_answer_of_one_process(loss, solver):
    orders = lost = 0
    for seed in range(60):
        problem = problem_of(seed, loss, seed % 3 == 0, solver == CUTS)
        crew = check_shared(problem, seed, SearchSettings(solver=solver))
        orders, lost = orders + len(crew.orders), lost + crew.n_lost
    assert orders > 30
    assert lost > 0


def test_without_any_worker_the_search_ends_in_this_process():
    for seed in range(10):
        crew = check_shared(problem_of(seed, "brier", False, False), seed, BITS, n=0, risk=0.0)
        assert crew.orders == []


@pytest.mark.parametrize("solver", ["search", CUTS])
def test_any_part_of_the_results_of_another_search_leaves_the_answer_as_it_is(solver):
    settings, size = SearchSettings(solver=solver), 48 if solver == CUTS else 32
    n_less = 0
    for seed in range(80):
        problem = problem_of(seed, "brier", seed % 4 == 0, solver == CUTS)
        one, other = search_of(problem, settings), search_of(problem, settings)
        one.list_new_entries(40)
        raw = one.run(run_limits(settings, one))
        entries = np.concatenate(one.take_entries()).reshape(-1, size)
        kept = np.random.default_rng(seed).random(len(entries)) < (seed % 5) / 4
        other.add_entries(np.ascontiguousarray(entries[kept]).ravel())
        found = other.run(run_limits(settings, other))
        assert answer_of(found) == answer_of(raw)
        n_less += found["counts"]["subsets_solved"] < raw["counts"]["subsets_solved"]
        assert [each.size for each in one.take_entries()] == [0, 0]
        everything = {row.tobytes() for row in one.all_entries().reshape(-1, size)}
        assert len(everything) == raw["counts"]["cache_entries"]
    assert n_less > 10
