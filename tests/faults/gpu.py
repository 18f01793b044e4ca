"""What may go wrong on a GPU, on a machine that has one: python -m tests.faults.gpu PROBLEM.npz

The file is a problem that takes some seconds there (benchmarks/gpu.py writes some). Each line says
what was tried and what came of it; any failure is a traceback.
"""

import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from unittest import mock

import numpy as np

from survtree._base import DeviceError
from survtree._search.gpu.engine import cuda_device
from survtree._search.near_trees import NearSearch
from survtree._search.problem import Problem, SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.solve import Solution, frontier, solve
from tests.support.problems import random_case

ON_GPU = SearchSettings(device="cuda")


def is_sound(found: Solution, status: str) -> bool:
    return found.status == status and found.lower_bound <= found.objective


def time_limit(problem: Problem) -> None:
    began = perf_counter()
    found = solve(problem, replace(ON_GPU, time_limit=1.0))
    assert is_sound(found, "time_limit"), found
    print(f"time limit of 1 s: ended after {perf_counter() - began:.2f} s, {found.objective:.6f}")


def interrupt(problem: Problem) -> None:
    began = perf_counter()
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    found = solve(problem, ON_GPU)
    assert is_sound(found, "interrupted"), found
    print(f"Ctrl-C after 1 s: ended after {perf_counter() - began:.2f} s, {found.objective:.6f}")


def two_at_once() -> None:
    problems = [replace(random_case(seed).problem, max_depth=4) for seed in range(40)]
    plain = [solve(problem, SearchSettings()) for problem in problems]
    found: dict[int, list[Solution]] = {}

    def fits(k: int) -> None:
        found[k] = [solve(problem, ON_GPU) for problem in problems]

    threads = [threading.Thread(target=fits, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in found.values():
        for a, b in zip(each, plain, strict=True):
            assert np.array_equal(a.tree.question, b.tree.question)
            assert a.objective == b.objective
    print(f"{len(found)} threads at once: {len(found) * len(problems)} trees are those of the core")


def too_little_memory(problem: Problem) -> None:
    import cupy

    device = cuda_device()
    taken, size = [], 2**34
    while size > 2**20:  # in ever smaller pieces, until nothing is left
        try:
            taken.append(cupy.empty(size, np.uint8))
        except cupy.cuda.memory.OutOfMemoryError:
            size //= 2
    try:
        solve(problem, ON_GPU)
    except DeviceError as error:
        print(f"no memory left: {error}")
    else:
        print("no memory left: what is needed was found in the rest")
    found = solve(replace(problem, max_depth=2), SearchSettings(device="auto"))
    assert found.status == "optimal", found
    del taken
    cupy.get_default_memory_pool().free_all_blocks()
    assert device.has_room(2**30)
    print("auto went on without it, and afterwards the GPU is free again")


def path_in_time(problem: Problem) -> None:
    began = perf_counter()
    found = frontier(problem, replace(ON_GPU, time_limit=1.0))
    assert all(is_sound(each, "time_limit") for each in found), found
    print(f"a path in 1 s: ended after {perf_counter() - began:.2f} s, {len(found)} trees")


def list_in_time(problem: Problem) -> None:
    problem = replace(problem, max_depth=3)
    best = solve(problem, ON_GPU).objective
    began = perf_counter()
    found = NearSearch(problem, best, replace(ON_GPU, time_limit=1.0)).trees(best, 10**6)
    assert found.status == "time_limit", found
    print(f"a list in 1 s: ended after {perf_counter() - began:.2f} s, {len(found.trees)} trees")


def main() -> None:
    problem = read_replay(Path(sys.argv[1])).problem
    with mock.patch("survtree._search.run.FIRST_WORK", 0):  # all of it on the GPU
        two_at_once()
        time_limit(problem)
        interrupt(problem)
        path_in_time(problem)
        list_in_time(problem)
        too_little_memory(problem)


if __name__ == "__main__":
    main()
