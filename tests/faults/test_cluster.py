"""A real Dask cluster: a scheduler and two worker processes, started here and partly killed."""

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, bootstrap
from survtree.datasets import load
from tests.support.dask_processes import dask_cluster

X, Y = load("gbsg2")
# Long enough to be met at work: the deepest searches come first.
TUNED = OptimalSurvivalTreeCV(max_depths=(2, 4), cv=3, min_regularization=0.004, random_state=0)
# What dask itself does is not ours to judge.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed by signals"),
]


@pytest.fixture
def cluster():
    """(client, worker processes) of a cluster on this machine."""
    with dask_cluster(2) as (client, workers):
        yield client, workers


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
