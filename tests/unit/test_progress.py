"""What a fit tells while it searches: the table, who hears it, the callback that may stop it."""

import io
import logging
import pickle
import re
import signal
import subprocess
import sys
import threading
import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

from survtree import OptimalSurvivalTree, SearchStoppedWarning, Snapshot, __version__
from survtree._search.history import steady
from survtree._search.live_bar import TerminalBar
from survtree._search.progress import PRUNINGS, header, logger, pruned_by
from survtree.datasets import load
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem

ROW = re.compile(r" +\d+\.\ds +[\d,]+ \| +\d\.\d{4} +\d\.\d{4} +\d+\.\d % \| +\d+  \w.*")


@pytest.fixture(scope="module")
def veterans():
    return load("veterans", encoding="paper")


@pytest.fixture(scope="module")
def hard():
    return hard_problem()


@pytest.fixture
def unheard(monkeypatch):
    """Nobody listens but our own handlers, as in a script that sets up no logging; pytest does."""
    monkeypatch.setattr(logger, "hasHandlers", lambda: bool(logger.handlers))


@pytest.fixture
def lines(caplog):
    """Fits, and returns what was logged, line by line."""

    def fit(X, y, *arguments, **options):
        caplog.clear()
        caplog.set_level("INFO", logger="survtree")
        OptimalSurvivalTree(*arguments, **options).fit(X, y)
        return [record.getMessage() for record in caplog.records if record.name == "survtree"]

    return fit


def hard_tree(**options):
    return OptimalSurvivalTree(DEPTH, REGULARIZATION, **options)


def test_a_bound_that_rounding_put_too_high_gives_way_to_later_ones():
    counts = dict.fromkeys(PRUNINGS.values(), 0)
    bounds = [(0.1, 0.3), (0.2 + 1e-16, 0.2 - 1e-16), (0.15, 0.2), (0.2, 0.2)]
    given = [
        Snapshot(k, k, *pair, n_leaves=2, found_by="greedy", **counts)
        for k, pair in enumerate(bounds)
    ]
    found = steady(given)
    assert [each.seconds for each in found] == [0, 1, 2, 3]
    assert found[-1] == given[-1]
    for before, after in pairwise(found):
        assert before.lower_bound <= after.lower_bound <= after.objective <= before.objective
    assert steady([]) == ()


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_histories_never_move_back(n_jobs):
    for name in ("aids", "veterans"):
        tree = OptimalSurvivalTree(3, 0.001, n_jobs=n_jobs, callback=lambda snapshot: None)
        model = tree.fit(*load(name))
        for before, after in pairwise(model.history_):
            assert before.lower_bound <= after.lower_bound <= after.objective <= before.objective


def without_clock(lines):
    return [re.sub(r"^ +\d+\.\ds", "", line) for line in lines]


def test_the_table_has_a_head_a_line_for_each_event_and_an_end(lines, veterans):
    top, names, *rows, end = lines(*veterans, 3, 0.01, verbose=1, n_jobs=2)
    assert top == (
        f"survtree {__version__} | 137 rows  14 questions  97 event times | "
        "regularization 0.010  depth 3 | 2 threads"
    )
    assert names == "   time       solved |    lower  objective      gap | leaves  found by"
    assert len(rows) >= 3
    assert all(ROW.fullmatch(row) for row in rows), rows
    assert {row.index("|") for row in rows} == {names.index("|")}
    assert rows[0].endswith(" 1  one leaf")
    assert " 0.0 % | " in rows[-1]
    assert re.fullmatch(
        r"optimal: loss 0\.\d{6} \+ \d lea(f|ves) x 0\.010 = 0\.\d{6}(; pruned by .*)?", end
    )


def test_the_head_tells_of_one_thread_no_limit_and_a_small_penalty(lines, veterans):
    top = lines(*veterans, None, 0.0125, verbose=1, gap=0.5, n_jobs=2)[0]
    assert top.endswith("| regularization 0.0125  depth no limit | 1 thread")


def test_the_end_says_what_is_not_proven_and_which_times_were_rounded(lines, veterans):
    end = lines(*veterans, 4, 0.0005, verbose=1, gap=0.9)[-1]
    assert re.match(r"gap_reached: loss .*; lower bound .*, gap .* %: not proven best", end)
    end = lines(*veterans, 2, 0.01, verbose=1, time_buckets=5)[-1]
    assert "on rounded times (loss on exact times 0." in end


def test_verbose_2_adds_the_prunings_to_each_line(lines, veterans):
    _, names, *rows, _ = lines(*veterans, 4, 0.0001, verbose=2)
    assert names == header(2)
    assert " ".join(names.split("|")[2].split()) == "budget penalty leaf count floor guess cache"
    assert len({len(line.rsplit("|", 1)[0]) for line in (names, *rows)}) == 1
    counts = [[int(n.replace(",", "")) for n in row.split("|")[2].split()] for row in rows]
    assert all(len(row) == len(PRUNINGS) for row in counts)
    assert all((np.diff(counts, axis=0) >= 0).ravel())
    assert counts[0] == [0] * len(PRUNINGS)


def test_the_end_of_the_table_adds_up_what_the_certificate_counts():
    counts = dict(zip(PRUNINGS.values(), (610, 270, 0, 0, 1, 119), strict=True))
    assert pruned_by(counts) == "; pruned by budget 61 %, penalty 27 %, guess under 1 %, cache 12 %"
    assert pruned_by({**counts, "subsets_solved": 10**9}) == pruned_by(counts)
    assert pruned_by({"subsets_solved": 5}) == ""


@pytest.mark.parametrize("depth", [3, 4])  # searched; filled by a lattice
def test_lines_of_two_fits_differ_by_their_clocks_only(depth, lines, monkeypatch):
    X, y = hard_problem(500, 40)
    first = lines(X, y, depth, 0.0005, verbose=2, callback=lambda snapshot: None)
    monkeypatch.setattr("survtree._search.progress.BEAT_S", 0.0)  # as many beats as can be
    second = lines(X, y, depth, 0.0005, verbose=2, callback=lambda snapshot: None)
    assert len(first) > 4
    assert without_clock(first) == without_clock(second)


def test_without_a_listener_lines_go_to_standard_error_while_the_fit_lasts(
    unheard, capsys, veterans
):
    OptimalSurvivalTree(2, 0.01, verbose=1).fit(*veterans)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"survtree {__version__} | 137 rows")
    assert "\x1b" not in err  # no bar: nobody looks at a terminal
    assert logger.handlers == []
    assert logger.level == logging.NOTSET


def test_a_listener_of_the_users_gets_the_lines_and_standard_error_nothing(
    unheard, capsys, veterans
):
    heard = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())
    logger.addHandler(handler)
    try:
        OptimalSurvivalTree(2, 0.01, verbose=1).fit(*veterans)
        assert heard == []  # the level is the user's as well: warnings only
        logger.setLevel("INFO")
        OptimalSurvivalTree(2, 0.01, verbose=1).fit(*veterans)
    finally:
        logger.setLevel("NOTSET")
        logger.removeHandler(handler)
    assert heard[1] == header()
    assert heard[-1].startswith("optimal: ")
    assert capsys.readouterr() == ("", "")


def test_a_fit_that_is_not_verbose_says_nothing(unheard, capsys, lines, veterans):
    assert lines(*veterans, 2) == []
    assert capsys.readouterr() == ("", "")


def test_rich_is_not_imported_for_plain_lines():
    script = (
        "import sys; from survtree import OptimalSurvivalTree as T;"
        "T(regularization=0.01, verbose=1).fit([[0], [1]] * 9, ([True] * 18, range(1, 19)));"
        "sys.exit('rich' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "found by" in run.stderr


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("most", [30_000, 10**9])
def test_bounds_never_move_apart_from_snapshot_to_snapshot(n_jobs, most, monkeypatch):
    monkeypatch.setattr("survtree._search.progress.BEAT_S", 0.0)
    seen = []

    def callback(snapshot):
        seen.append(snapshot)
        return snapshot.subsets_solved > most

    model = OptimalSurvivalTree(5 if most < 10**9 else 4, 0.0005, n_jobs=n_jobs, callback=callback)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchStoppedWarning)
        model.fit(*hard_problem(500, 40))
    assert model.status_ == ("interrupted" if most < 10**9 else "optimal")
    assert all(isinstance(snapshot, Snapshot) for snapshot in seen)
    for snapshot in seen:
        assert snapshot.lower_bound <= snapshot.objective
        assert 0 <= snapshot.gap <= 1
    for before, after in pairwise(seen):
        assert after.objective <= before.objective
        assert after.lower_bound >= before.lower_bound
        assert after.seconds >= before.seconds
        assert after.subsets_solved >= before.subsets_solved
    last = seen[-1]
    assert (last.objective, last.lower_bound) == (model.objective_, model.lower_bound_)
    assert last.n_leaves == model.n_leaves_
    assert last.subsets_solved == model.certificate_.counts["subsets_solved"]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("yes", [True, np.True_])
def test_a_callback_that_returns_true_between_two_lines_stops_the_search(yes, n_jobs, hard, caplog):
    caplog.set_level("INFO", logger="survtree")
    model = hard_tree(
        verbose=1,
        n_jobs=n_jobs,
        callback=lambda snapshot: yes if snapshot.line() not in caplog.text else False,
    )
    with pytest.warns(SearchStoppedWarning, match="stopped by the callback"):
        model.fit(*hard)
    assert model.status_ == "interrupted"
    assert model.lower_bound_ < model.objective_
    assert model.certificate_.verify(*hard)


@pytest.mark.parametrize("answer", [None, 1, "yes", [True], np.ones(2), np.False_])
def test_other_answers_of_a_callback_stop_nothing(answer):
    X, y = hard_problem(500, 40)
    model = OptimalSurvivalTree(4, 0.0005, callback=lambda snapshot: answer).fit(X, y)
    assert model.status_ == "optimal"


def test_a_callback_that_wants_to_stop_a_search_that_is_over_is_too_late(veterans):
    model = OptimalSurvivalTree(1, 0.01, callback=lambda snapshot: True).fit(*veterans)
    assert model.status_ == "optimal"


@pytest.mark.parametrize("error", [RuntimeError, SystemExit])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_in_a_callback_ends_the_fit_and_nothing_else(
    error, n_jobs, hard, unheard, capsys
):
    raised = error("mine")
    calls = []

    def refuse(snapshot):
        calls.append(snapshot)
        raise raised

    model = hard_tree(verbose=1, n_jobs=n_jobs, callback=refuse)
    with pytest.raises(error, match="mine") as caught:
        model.fit(*hard)
    assert caught.value is raised
    assert len(calls) == 1  # nobody asks again while the search stops
    assert not hasattr(model, "tree_")
    assert logger.handlers == []
    X, y = hard_problem(200, 10)
    assert model.set_params(callback=None, max_depth=2).fit(X, y).status_ == "optimal"


def interrupting(times):
    """A callback that raises KeyboardInterrupt that often: so does Ctrl-C while it runs."""
    calls = iter(range(times))

    def callback(snapshot):
        if next(calls, None) is not None:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_first_interrupt_stops_the_search_and_the_second_the_fit(n_jobs, hard):
    model = hard_tree(n_jobs=n_jobs, callback=interrupting(1))
    with pytest.warns(SearchStoppedWarning, match="stopped by an interrupt"):
        model.fit(*hard)
    assert model.status_ == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callback=interrupting(2)).fit(*hard)


def test_an_interrupt_is_not_laid_to_the_callback_that_agrees_with_it_later(hard):
    calls = []

    def callback(snapshot):
        calls.append(snapshot)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return True

    with pytest.warns(SearchStoppedWarning, match="stopped by an interrupt"):
        hard_tree(callback=callback).fit(*hard)
    assert len(calls) > 1


def test_a_fit_in_another_thread_calls_back_in_that_thread(hard, unheard, capsys):
    threads, models = set(), []

    def callback(snapshot):
        threads.add(threading.current_thread())
        return True

    def fit():
        with pytest.warns(SearchStoppedWarning):
            models.append(hard_tree(callback=callback, verbose=1).fit(*hard))

    thread = threading.Thread(target=fit)
    thread.start()
    thread.join()
    assert threads == {thread}
    assert models[0].status_ == "interrupted"
    assert "found by" in capsys.readouterr().err


def test_other_threads_count_on_while_a_fit_goes_on(hard):
    count = 0
    is_over = threading.Event()

    def counting():
        nonlocal count
        while not is_over.is_set():
            count += 1

    thread = threading.Thread(target=counting)
    start = []

    def callback(snapshot):  # between two calls only the other thread needs the interpreter
        start.append(count)
        return count > start[0] + 1000

    thread.start()
    try:
        with pytest.warns(SearchStoppedWarning, match="the callback"):
            hard_tree(callback=callback).fit(*hard)
    finally:
        is_over.set()
        thread.join()


def test_a_callback_is_a_parameter_like_others(veterans):
    model = OptimalSurvivalTree(1, callback=print)
    assert clone(model).get_params()["callback"] is print
    assert pickle.loads(pickle.dumps(model)).callback is print
    fitted = OptimalSurvivalTree(1, callback=lambda snapshot: None).fit(*veterans)
    assert clone(fitted).callback is fitted.callback
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(fitted)
    fitted.set_params(callback=None)
    assert pickle.loads(pickle.dumps(fitted)).n_leaves_ == fitted.n_leaves_


@pytest.mark.parametrize("callback", [True, "print", 3, []])
def test_what_cannot_be_called_is_refused(callback, veterans):
    with pytest.raises(TypeError, match="callback must be a callable that takes a Snapshot, or N"):
        OptimalSurvivalTree(callback=callback).fit(*veterans)


class Writer:
    """All that some programs put in the place of standard error."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text


def test_any_object_that_can_write_serves_as_standard_error(unheard, monkeypatch, veterans):
    for stderr in (Writer(), None):
        monkeypatch.setattr("sys.stderr", stderr)
        OptimalSurvivalTree(1, verbose=1).fit(*veterans)
        assert stderr is None or "found by" in stderr.text


def test_ctrl_c_while_a_bar_is_drawn_counts_when_it_is_drawn(monkeypatch):
    bar, calls = TerminalBar(io.StringIO()), []
    monkeypatch.setattr(bar._live, "start", lambda: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(bar._live, "update", lambda *_, **__: calls.append("drawn"))
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bar.show(0.5, "half")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, old)
    assert calls == ["drawn"]
