"""A scheduler and workers of Dask as processes of this machine."""

import os
import socket
import subprocess
import sys
from contextlib import closing, contextmanager

from distributed import Client

_QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def free_port():
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def started(*command, **environment):
    """A process with one thread for numbers; what it says is of no interest."""
    own = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    return subprocess.Popen([sys.executable, "-m", *command], env=own, **_QUIET)


def worker_of(address, n_threads=1, more=("--no-nanny",), **environment):
    """A worker process, of a scheduler."""
    command = ("distributed.cli.dask_worker", address, "--nthreads", str(n_threads))
    return started(*command, "--no-dashboard", *more, **environment)


def has_searched(dask_scheduler):
    """Whether a scheduler has seen a part of a search; runs there."""
    return any(str(each[0]).startswith("survtree-search") for each in dask_scheduler.transition_log)


def import_what_they_need():
    import survtree._search.cluster.worker  # noqa: F401


@contextmanager
def dask_cluster(n_workers, n_threads=1):
    """(client, worker processes); whoever adds a process to the list has it ended with the rest."""
    address = f"tcp://127.0.0.1:{free_port()}"
    listen = ("--host", "127.0.0.1", "--port", address.rsplit(":", 1)[1], "--no-dashboard")
    scheduler = started("distributed.cli.dask_scheduler", *listen)
    workers = [worker_of(address, n_threads) for _ in range(n_workers)]
    try:
        with Client(address, timeout=60) as client:
            if n_workers:
                client.wait_for_workers(n_workers, timeout=60)
            client.run(import_what_they_need)
            yield client, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
