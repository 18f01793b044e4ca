"""One search on a real Dask cluster: the answer of one process, whatever happens to the workers.

`python -m tests.faults.cluster` kills many more.
"""

import os
import signal
import threading
import time
from unittest import mock

import numpy as np
import pytest
from distributed import Client, LocalCluster

import survtree
from survtree import ClusterError, OptimalSurvivalTree, SearchStoppedWarning
from survtree._search.cluster import read_client
from survtree.datasets import load
from tests.faults.cluster import killed_round, model, quick, told
from tests.support.dask_processes import (
    dask_cluster,
    has_searched,
    import_what_they_need,
    worker_of,
)
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem

X, Y = load("gbsg2")
# What dask itself does is not ours to judge.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed by signals"),
]


@pytest.fixture(scope="module")
def alone():
    return told(model().fit(X, Y))


@pytest.fixture
def cluster():
    with dask_cluster(2) as (client, workers), quick(), survtree.cluster(client):
        yield client, workers


def hard_fit(**options):
    tree = OptimalSurvivalTree(DEPTH, REGULARIZATION, **options)
    with pytest.warns(SearchStoppedWarning):
        return tree.fit(*hard_problem(1500, 50))


def test_two_workers_find_the_answer_of_one_process(cluster, alone, caplog):
    with caplog.at_level("INFO", logger="survtree"):
        fitted = model(verbose=1).fit(X, Y)
    assert told(fitted) == alone
    counts = fitted.certificate_.counts
    assert counts["cluster_tasks"] > 2
    assert 0 < counts["cluster_lane_rows"] < counts["lane_rows"]
    assert fitted.certificate_.verify(X, Y)
    assert "found by" in caplog.text
    assert list(cluster[0].run(remembered).values()) == [0, 0]


def remembered():
    from survtree._search.cluster import worker

    return len(worker._sessions)


def test_every_cut_and_a_likelihood_go_there_too(cluster):
    for options in (
        {"thresholds": "all", "max_depth": 3, "regularization": 0.01},
        {"loss": "likelihood", "max_depth": 5, "regularization": 0.01},
    ):
        there = model(**options).fit(X, Y)
        assert there.certificate_.counts["cluster_tasks"] > 0
        with mock.patch("survtree._search.run.current_client", return_value=None):
            here = model(**options).fit(X, Y)
        assert told(there) == told(here)


def test_a_worker_that_is_killed_or_comes_late_changes_nothing(alone):
    for seed in (2, 3):
        found, n_tasks, _ = killed_round(X, Y, seed)
        assert found == alone
        assert n_tasks > 0


def test_threads_of_one_worker_search_side_by_side(alone):
    with dask_cluster(1, n_threads=2) as (client, _), survtree.cluster(client), quick():
        assert told(model().fit(X, Y)) == alone


def test_an_address_is_enough(alone):
    with dask_cluster(1) as (client, _):
        address = client.scheduler.address
        with survtree.cluster(address), quick():
            assert told(model().fit(X, Y)) == alone
    with pytest.raises(ClusterError, match=r"no scheduler answers at 'tcp://127.0.0.1:1'"):
        survtree.cluster("tcp://127.0.0.1:1").__enter__()


def test_a_time_limit_leaves_a_tree_and_a_valid_bound(cluster):
    fitted = hard_fit(time_limit=8.0)
    assert fitted.status_ == "time_limit"
    assert 0 < fitted.lower_bound_ < fitted.objective_
    assert fitted.certificate_.counts["cluster_tasks"] > 0


@pytest.fixture
def ctrl_c():
    """As at a terminal, whatever the process that runs the tests does with it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_leaves_a_tree_and_a_valid_bound(cluster, ctrl_c):
    timer = threading.Timer(8.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    fitted = hard_fit()
    assert fitted.status_ == "interrupted"
    assert fitted.lower_bound_ < fitted.objective_


def test_a_callback_sees_the_work_of_all_and_may_stop_it(cluster):
    seen = []

    def stop_late(snapshot):
        seen.append(snapshot)
        return snapshot.seconds > 6.0

    fitted = hard_fit(callback=stop_late)
    assert fitted.status_ == "interrupted"
    assert seen[-1].subsets_solved <= fitted.certificate_.counts["subsets_solved"]
    bounds = np.array([snapshot.lower_bound for snapshot in seen])
    assert (np.diff(bounds) >= 0).all()


def test_other_versions_are_told_before_anything_is_searched():
    match = r"the scheduler has survtree \S+, this process has 0\.0\.1; install the same"
    with (
        dask_cluster(1) as (client, _),
        mock.patch.object(read_client, "SURVTREE_VERSION", "0.0.1"),
        pytest.raises(ClusterError, match=match),
    ):
        survtree.cluster(client).__enter__()


OTHER_VERSION = """
from distributed import versions
def other(name, real=versions.version):
    return "0.0.1" if name == "survtree" else real(name)
versions.version = other
"""


def test_a_worker_of_another_version_is_named_or_left_out(alone, tmp_path, caplog):
    (tmp_path / "other.py").write_text(OTHER_VERSION)
    more = ("--no-nanny", "--preload", str(tmp_path / "other.py"))
    with dask_cluster(1) as (client, workers), quick():
        with survtree.cluster(client), caplog.at_level("INFO", logger="survtree"):
            workers.append(worker_of(client.scheduler.address, more=more))
            client.wait_for_workers(2, timeout=60)
            fitted = model().fit(X, Y)
        with pytest.raises(ClusterError, match=r"the worker at tcp://\S+ has survtree 0\.0\.1, "):
            survtree.cluster(client).__enter__()
    assert told(fitted) == alone
    assert fitted.certificate_.counts["cluster_tasks"] > 0
    assert "not searching with a worker: the worker at tcp://" in caplog.text


def wait_until_searching(client):
    for _ in range(600):
        if client.run_on_scheduler(has_searched):
            break
        time.sleep(0.05)


def restart_when_searching(client):
    wait_until_searching(client)
    client.restart()


def test_workers_that_the_scheduler_restarts_change_nothing(alone, caplog):
    with dask_cluster(0) as (client, workers), survtree.cluster(client), quick():
        address = client.scheduler.address
        workers.append(worker_of(address, more=("--nanny",)))
        client.wait_for_workers(1, timeout=60)
        client.run(import_what_they_need)
        with (
            Client(address, set_as_default=False) as other,
            caplog.at_level("INFO", logger="survtree"),
        ):
            restart = threading.Thread(target=restart_when_searching, args=(other,))
            restart.start()
            fitted = model().fit(X, Y)
            restart.join()
        assert told(fitted) == alone
        assert fitted.certificate_.counts["cluster_tasks"] > 0
        assert "lost the worker at" in caplog.text
        assert told(model().fit(X, Y)) == alone


def test_what_stays_in_one_process_is_said(cluster, caplog):
    with caplog.at_level("INFO", logger="survtree"):
        model(max_leaves=4, max_depth=3).fit(X, Y)
    assert "not searching on the cluster: paths and max_leaves stay" in caplog.text


def test_a_full_proof_of_a_shared_search_can_be_checked(cluster):
    options = {"certificate": "full", "max_depth": 4, "regularization": 0.005}
    fitted = model(**options).fit(X, Y)
    assert fitted.certificate_.counts.get("cluster_tasks", 0) > 0
    assert fitted.certificate_.proof is not None
    assert fitted.certificate_.verify(X, Y)


def test_workers_may_all_come_late(alone):
    with dask_cluster(0) as (client, workers), survtree.cluster(client), quick():
        assert told(model().fit(X, Y)) == alone
        workers.append(worker_of(client.scheduler.address))
        client.wait_for_workers(1, timeout=60)
        assert told(model().fit(X, Y)) == alone


def test_workers_that_are_threads_of_one_process_have_searches_of_their_own(alone):
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with (
        LocalCluster(**options, dashboard_address=None) as local,
        Client(local) as client,
        quick(),
        survtree.cluster(client),
    ):
        assert told(model().fit(X, Y)) == alone


def shut_down_when_searching(client, other):
    wait_until_searching(other)
    client.shutdown()


def test_a_scheduler_that_is_lost_does_not_lose_the_result(alone, caplog):
    with (
        dask_cluster(1) as (client, _),
        Client(client.scheduler.address, set_as_default=False) as other,
        quick(),
        survtree.cluster(client),
    ):
        ended = threading.Thread(target=shut_down_when_searching, args=(client, other))
        ended.start()
        try:
            with caplog.at_level("WARNING", logger="survtree"):
                assert told(model().fit(X, Y)) == alone
            assert "the scheduler does not answer" in caplog.text
        finally:
            ended.join()
