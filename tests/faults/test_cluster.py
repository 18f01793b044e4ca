"""A real Dask cluster: a scheduler and two worker processes, started here and partly killed."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing

import joblib
import numpy as np
import pytest

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, bootstrap
from survtree.datasets import load

distributed = pytest.importorskip("distributed")

X, Y = load("gbsg2")
# Long enough to be met at work: the deepest searches come first.
TUNED = OptimalSurvivalTreeCV(max_depths=(2, 4), cv=3, min_regularization=0.004, random_state=0)
# What dask itself does is not ours to judge.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def free_port():
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def started(*command):
    """A process with one thread for numbers; what it says is of no interest."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        [sys.executable, "-m", *command], env={**os.environ, "OMP_NUM_THREADS": "1"}, **quiet
    )


@pytest.fixture
def cluster():
    """(client, worker processes) of a cluster on this machine."""
    address = f"tcp://127.0.0.1:{free_port()}"
    listen = ("--host", "127.0.0.1", "--port", address.rsplit(":", 1)[1], "--no-dashboard")
    scheduler = started("distributed.cli.dask_scheduler", *listen)
    worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny")
    workers = [started(*worker, "--no-dashboard") for _ in range(2)]
    try:
        with distributed.Client(address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def told(model):
    """All that a fit says, but for seconds and counts of work."""
    results = {name: np.asarray(values).tolist() for name, values in model.cv_results_.items()}
    return results, model.best_index_, model.predict(X).tolist(), model.objective_


def kill_one_at_work(client, workers, killed):
    """Waits until a worker has something to do, gives it a moment, and kills it."""
    pid_of = client.run(os.getpid)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        busy = [address for address, tasks in client.processing().items() if tasks]
        if busy:
            time.sleep(0.1)
            victim = next(process for process in workers if process.pid == pid_of[busy[0]])
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim)
            return
        time.sleep(0.005)


def test_a_cluster_gives_the_same_result_and_survives_the_loss_of_a_worker(cluster):
    client, workers = cluster
    alone = told(TUNED.fit(X, Y))
    with joblib.parallel_config(backend="dask"):
        assert told(TUNED.fit(X, Y)) == alone
        killed = []
        killer = threading.Thread(target=kill_one_at_work, args=(client, workers, killed))
        killer.start()
        assert told(TUNED.fit(X, Y)) == alone
        killer.join()
    assert len(killed) == 1
    assert killed[0].wait() == -signal.SIGKILL
    assert len(client.scheduler_info()["workers"]) == 1


def test_bootstrap_samples_go_to_a_cluster(cluster):
    tree = OptimalSurvivalTree(max_depth=2, regularization=0.005)
    tuned = OptimalSurvivalTreeCV(max_depths=(1, 2), cv=2, random_state=0)
    for estimator, n in ((tree, 8), (tuned, 3)):
        options = {"n_bootstraps": n, "random_state": 0}
        alone = bootstrap(estimator, X, Y, **options)
        with joblib.parallel_config(backend="dask"):
            spread = bootstrap(estimator, X, Y, **options)
        assert spread.samples.equals(alone.samples)
        assert spread.questions.equals(alone.questions)
        assert str(spread) == str(alone)
