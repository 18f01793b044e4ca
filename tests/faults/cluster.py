"""One search on a real Dask cluster, of which workers are killed at random moments.

    python -m tests.faults.cluster -n 20

Every round a fit is shared by two worker processes; one of them is killed (kill -9) at a random
moment, and in every other round a new one is started then. The answer must be that of a fit in one
process, to the last bit.
"""

import argparse
import os
import random
import signal
import sys
import threading
import time
from contextlib import contextmanager
from unittest import mock

import survtree
from survtree import OptimalSurvivalTree
from survtree._search.cluster import shared_search
from survtree._search.cluster.parts import Slice
from survtree.datasets import load
from tests.support.dask_processes import dask_cluster, worker_of

# A search of seconds in many orders.
QUICK = shared_search.Pace(*[Slice(0.05)] * 4, nudge_after_s=0.02)


@contextmanager
def quick():
    """Slices are short, so that small searches are shared too."""
    with mock.patch.object(shared_search, "Pace", return_value=QUICK):
        yield


def model(**options):
    return OptimalSurvivalTree(**{"max_depth": 4, "regularization": 0.002, **options})


def told(fitted):
    """All that a fit says of its tree."""
    stated = fitted.certificate_
    return (
        survtree.export_text(fitted),
        stated.objective,
        stated.loss,
        stated.lower_bound,
        stated.status,
    )


def kill_soon(victim, after_s, then):
    time.sleep(after_s)
    os.kill(victim.pid, signal.SIGKILL)
    then()


def killed_round(X, y, seed):
    """What a fit says during which a worker was killed, and how many tasks there were."""
    rng = random.Random(seed)
    with dask_cluster(2) as (client, workers), survtree.cluster(client), quick():
        address = client.scheduler.address

        def then():
            if seed % 2:
                workers.append(worker_of(address))

        after_s = rng.uniform(0.0, 2.5)
        killer = threading.Thread(target=kill_soon, args=(workers[0], after_s, then))
        killer.start()
        fitted = model().fit(X, y)
        killer.join()
    return told(fitted), fitted.certificate_.counts.get("cluster_tasks", 0), after_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=20, help="number of rounds")
    arguments = parser.parse_args()
    X, y = load("gbsg2")
    alone, n_failed = told(model().fit(X, y)), 0
    for seed in range(arguments.n):
        found, n_tasks, after_s = killed_round(X, y, seed)
        n_failed += found != alone
        verdict = "the same answer" if found == alone else "ANOTHER ANSWER"
        print(f"round {seed + 1}: killed after {after_s:.2f} s, {n_tasks} tasks, {verdict}")
    print(f"{arguments.n} rounds, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
