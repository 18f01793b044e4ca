"""Searches that made-up workers share, against searches of one process.

`python -m tests.oracle.cluster` runs thousands more of the same.
"""

import signal

import numpy as np
import pytest

from survtree._search.cluster import shared_search
from survtree._search.cluster.crew import Lost
from survtree._search.cluster.parts import Loaded, Slice
from survtree._search.cluster.shared_search import Pace, SharedSearch
from survtree._search.engines import CUTS, run_limits, search_of
from survtree._search.problem import Clock, SearchSettings
from tests.oracle.cluster import problem_of
from tests.support.made_up_crew import SMALL, MadeUpCrew, answer_of, check_shared
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


@pytest.mark.parametrize("solver", ["search", CUTS])
def test_slices_that_are_too_short_for_anything_are_made_longer(solver):
    # A look at all rows may take longer than a slice; what it has seen is then lost.
    nothing = Slice(1e-7)
    for seed in range(20):
        problem = problem_of(seed, "brier", False, solver == CUTS)
        pace = Pace(nothing, nothing, nothing, nothing, beat_s=0.0)
        check_shared(problem, seed, SearchSettings(solver=solver), risk=0.0, pace=pace)


class Mute(MadeUpCrew):
    """One worker takes what it is given and says nothing, not even that it has the problem."""

    says_loaded = False

    def wait(self, seconds):
        quiet = {s: m for s, m in self._open.items() if s == ("worker 0", 0)}
        if self.says_loaded:
            quiet = {s: m for s, m in quiet.items() if not isinstance(m, Loaded)}
        self._open = {s: m for s, m in self._open.items() if s not in quiet}
        answers = super().wait(seconds)
        self._open |= quiet
        return answers


@pytest.mark.parametrize("says_loaded", [True, False])
@pytest.mark.parametrize("n", [1, 3])
def test_nobody_waits_for_a_worker_that_does_not_answer(n, says_loaded, monkeypatch):
    monkeypatch.setattr(shared_search, "_MOST_WAIT_S", 0.0)
    monkeypatch.setattr(shared_search, "_MOST_LOADING_S", 0.0)
    monkeypatch.setattr(Mute, "says_loaded", says_loaded)
    for seed in range(10):
        check_shared(problem_of(seed, "brier", False, False), seed, BITS, n=n, risk=0.0, kind=Mute)


class Forgetful(MadeUpCrew):
    """No worker ever gets as far as an answer, but all stay where they are."""

    def wait(self, seconds):
        lost = [(slot, Lost("it has too little memory")) for slot in self._open]
        self.n_lost += len(lost)
        self._open = {}
        return lost


def test_workers_that_fail_again_and_again_are_left_alone():
    for seed in range(10):
        problem = problem_of(seed, "brier", False, False)
        crew = check_shared(problem, seed, BITS, n=2, risk=0.0, kind=Forgetful)
        assert crew.n_lost <= 2 * 3


class Deaf(MadeUpCrew):
    """Ctrl-C is pressed where Python loses the exception: while an object is deleted."""

    class Doomed:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def wait(self, seconds):
        if len(self.orders) == 3:
            doomed = self.Doomed()
            del doomed
        return super().wait(seconds)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_that_python_loses_stops_the_search():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        statuses = []
        for seed in range(40):
            problem = problem_of(seed, "brier", False, False)
            crew, search = Deaf(seed, 3, 0.0), search_of(problem, BITS)
            raw = SharedSearch(search, problem, BITS, crew, SMALL).run(None, Clock.started())
            if len(crew.orders) >= 3:
                statuses.append(raw["status"])
        assert len(statuses) > 3
        assert "interrupted" in statuses
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
