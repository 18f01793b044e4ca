"""The search on a GPU: whole searches beside those of a core, the kernel alone, random problems.

    python -m benchmarks.gpu write --data FOLDER --problems PLACE      # where the data are
    python -m benchmarks.gpu searches --problems PLACE --device cuda   # where the GPU is; or cpu
    python -m benchmarks.gpu turns --problems PLACE --names household  # both devices in turns
    python -m benchmarks.gpu kernel
    python -m benchmarks.gpu random --first 0 -n 20000

A machine with a GPU often has nothing else: `write` makes files of the problems, which need no
more than NumPy to be read. Seconds of a search are those from arrays in memory to the tree that was
scored again, the median of several; `first_s` is that of the first, which compiles. `random`
compares trees and numbers with those of the core, on the problems of tests/oracle.
"""

import argparse
import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.gpu_problems import stored_problems, write
from benchmarks.tables import HERE, Table, machine, revision
from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._search.gpu.engine import cuda_device
from survtree._search.gpu.lattice import MOST_DEPTH, DeviceRows, Lattice, Rules, Splits
from survtree._search.near_trees import NearSearch, NearTrees
from survtree._search.problem import Problem, SearchSettings
from survtree._search.run import ON_GPU
from survtree._search.solve import frontier, solve

KEYS = ("mode", "loss", "answers", "dataset", "max_depth", "regularization", "device")
MOST_SECONDS_AGAIN = 30.0
SEARCH_FIELDS = (
    *(*KEYS, "rows", "questions", "status", "objective", "lower_bound", "n_leaves"),
    *("seconds", "runs", "first_s", "gpu_lane_rows", "where"),
)
KERNEL_ROWS = (500, 1_000, 2_000, 4_000, 8_000)
KERNEL_QUESTIONS = 256
TURNS = 20


def searches(arguments: argparse.Namespace) -> None:
    table = Table(arguments.results / "gpu_searches.csv", SEARCH_FIELDS, KEYS)
    for stored in stored_problems(arguments.problems):
        problem = stored.problem
        case = (problem.max_depth, problem.regularization, arguments.device)
        key = (stored.mode, stored.loss, stored.answers, stored.dataset, *case)
        if (arguments.names and stored.dataset not in arguments.names) or table.has(*key):
            continue
        settings = SearchSettings(device=arguments.device, time_limit=arguments.limit)
        run = partial(MODES[stored.mode], problem, settings)
        first_s, found = seconds_of(run)
        times = [first_s]
        if first_s < MOST_SECONDS_AGAIN:
            times = [seconds_of(run)[0] for _ in range(5 if first_s < 5.0 else 1)]
        seconds = {
            "seconds": f"{statistics.median(times):.6g}",
            "where": where(arguments.device, arguments.where),
        }
        sizes = {"rows": problem.answers.shape[0], "questions": problem.answers.shape[1]}
        runs = {"first_s": f"{first_s:.6g}", "runs": len(times)}
        row = {**dict(zip(KEYS, key, strict=True)), **sizes, **found, **runs, **seconds}
        table.add({**row, **facts_of_machine()})


def turns(arguments: argparse.Namespace) -> None:
    """Both devices in turns, for problems that take about as long on both."""
    fields = ("dataset", "max_depth", "device", "least_s", "seconds", "runs", "where")
    table = Table(arguments.results / "gpu_turns.csv", fields, ("dataset", "max_depth", "device"))
    for stored in stored_problems(arguments.problems):
        if arguments.names and stored.dataset not in arguments.names:
            continue
        times: dict[str, list[float]] = {"cuda": [], "cpu": []}
        for device in [*times] * (1 + TURNS):
            run = partial(MODES[stored.mode], stored.problem, SearchSettings(device=device))
            times[device].append(seconds_of(run)[0])
        for device, (_, *again) in times.items():  # the first compiles
            row = {"dataset": stored.dataset, "max_depth": stored.problem.max_depth}
            found = {"least_s": f"{min(again):.6g}", "seconds": f"{statistics.median(again):.6g}"}
            facts = {"device": device, "runs": TURNS, "where": where(device, arguments.where)}
            table.add({**row, **found, **facts, **facts_of_machine()})


def fit(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    """One tree."""
    found = solve(problem, settings)
    return {
        "status": found.status,
        "objective": repr(found.objective),
        "lower_bound": repr(found.lower_bound),
        "n_leaves": len(found.tree.leaves),
        "gpu_lane_rows": found.counts.get(ON_GPU, ""),
    }


def path(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    """All best trees: their numbers of leaves, and the objective of the last."""
    found = frontier(problem, settings)
    return {
        "status": found[-1].status,
        "objective": repr(found[-1].objective),
        "lower_bound": repr(found[-1].lower_bound),
        "n_leaves": " ".join(str(len(each.tree.leaves)) for each in found),
        "gpu_lane_rows": found[-1].counts.get(ON_GPU, ""),
    }


def folds(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    """Paths without a fifth of the rows, one after the other, as cross-validation searches them."""
    fold = np.arange(len(problem.events)) % 5
    found = [path(without(problem, fold == k), settings) for k in range(5)]
    lane_rows = [each["gpu_lane_rows"] for each in found if each["gpu_lane_rows"] != ""]
    objectives = " ".join(each["objective"] for each in found)
    same = {"lower_bound": "", "n_leaves": "", "gpu_lane_rows": sum(lane_rows) or ""}
    return {"status": found[0]["status"], "objective": objectives, **same}


def without(problem: Problem, rows: np.ndarray) -> Problem:
    events = problem.events
    kept = EventTable(events.event[~rows], events.time[~rows], events.weight[~rows])
    return replace(problem, answers=problem.answers[~rows], events=kept)


def near(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    """All trees within 2 %, the search for the best one included: how many there are."""
    best = solve(problem, settings)
    found = NearSearch(problem, best.objective, settings).trees(0.02 * best.objective, 100_000)
    return {
        "status": found.status,
        "objective": repr(float(found.objectives[-1])),
        "lower_bound": "",
        "n_leaves": len(found.trees),
        "gpu_lane_rows": found.counts.get(ON_GPU, ""),
    }


MODES = {"fit": fit, "path": path, "folds": folds, "near": near}


def kernel(arguments: argparse.Namespace) -> None:
    """Random answers, one row in two with an event; cells of a quarter of the rows."""
    fields = ("rows", "questions", "lane_rows", "seconds", "lane_rows_per_s", "where")
    table = Table(arguments.results / "gpu_kernel.csv", fields, ("rows",))
    for n_rows in KERNEL_ROWS:
        lattice = Lattice(cuda_device(), Rules(0.001, 7, 0, np.empty(0, bool)), lambda: None)
        rows = random_rows(n_rows)
        times = [seconds_of(lambda r=rows, x=lattice: last_level(x, r))[0] for _ in range(6)][1:]
        seconds = statistics.median(times)
        lane_rows = comb(KERNEL_QUESTIONS, 2) * n_rows * (KERNEL_QUESTIONS - 2)
        row = {"rows": n_rows, "questions": KERNEL_QUESTIONS, "lane_rows": lane_rows}
        speed = {"seconds": f"{seconds:.6g}", "lane_rows_per_s": f"{lane_rows / seconds:.4g}"}
        table.add(
            {
                **row,
                **speed,
                "where": where(arguments.device, arguments.where),
                **facts_of_machine(),
            }
        )


def last_level(lattice: Lattice, rows: DeviceRows) -> Splits:
    return lattice.splits(rows, 3)


def random_rows(n_rows: int) -> DeviceRows:
    rng = np.random.default_rng(n_rows)
    times = np.sort(rng.exponential(size=n_rows))
    elapsed = times / times[-1] / n_rows
    facts = np.zeros((n_rows, 7))
    facts[:, 0], facts[:, 1] = 1.0, 1.0
    facts[:, 2] = facts[:, 4] = elapsed
    return DeviceRows(
        loss="brier",
        answers=rng.integers(0, 2**32, (n_rows, KERNEL_QUESTIONS // 32), dtype=np.uint32),
        first_cut=np.empty(0, np.uint32),
        n_questions=KERNEL_QUESTIONS,
        facts=facts,
        common=np.array([elapsed[-1], 0.0]),
        copies=np.ones(n_rows, np.uint32),
        events=(rng.random(n_rows) < 0.5).astype(np.uint32),
        is_weighted=False,
        split_penalties=np.empty(0),
    )


def random(arguments: argparse.Namespace) -> None:
    """All kinds of problems of the oracle, bit for bit; all of it on the GPU."""
    fields = ("kind", "first_seed", "problems", "failed", "seconds", "where")
    table = Table(arguments.results / "gpu_random.csv", fields, ("kind", "first_seed"))
    for kind, is_same in random_kinds().items():
        if arguments.kinds and kind not in arguments.kinds:
            continue
        began, seeds = perf_counter(), range(arguments.first, arguments.first + arguments.n)
        with (
            mock.patch("survtree._search.run.FIRST_WORK", 0),
            mock.patch("survtree._search.gpu.optima.WORTH_WORK", 0),
        ):
            failed = [seed for seed in seeds if not is_same(seed)]
        print(kind, failed, flush=True)
        row = {"kind": kind, "first_seed": arguments.first, "problems": arguments.n}
        seconds = f"{perf_counter() - began:.6g}"
        found = {
            "failed": len(failed),
            "seconds": seconds,
            "where": where(arguments.device, arguments.where),
        }
        table.add({**row, **found, **facts_of_machine()})


def random_kinds() -> dict[str, Callable[[int], bool]]:
    """Whether a GPU gives what the core gives, by seed."""
    from tests.support.cut_problems import cut_case
    from tests.support.near_problems import near_case
    from tests.support.problems import (
        competing,
        likelihood_case,
        random_case,
        teacher_case,
        with_rules,
    )

    return {
        "bits": lambda seed: is_same_tree(random_case(seed).problem),
        "bits, rules": lambda seed: is_same_tree(with_rules(random_case(seed).problem, seed)),
        "teacher": lambda seed: is_same_tree(teacher_case(seed).problem),
        "likelihood": lambda seed: is_same_tree(likelihood_case(seed).problem),
        "incidence": lambda seed: is_same_tree(competing(random_case(seed)).problem),
        "cuts": lambda seed: is_same_tree(cut_case(seed).problem),
        "cuts, teacher": lambda seed: is_same_tree(cut_case(seed, loss="teacher").problem),
        "cuts, likelihood": lambda seed: is_same_tree(cut_case(seed, loss="likelihood").problem),
        "cuts, incidence": lambda seed: is_same_tree(cut_case(seed, loss="incidence").problem),
        "paths": lambda seed: is_same_path(random_case(seed).problem),
        "paths, teacher": lambda seed: is_same_path(teacher_case(seed).problem),
        "near-optimal": lambda seed: is_same_list(near_case(seed).problem, near_case(seed).within),
    }


def on_both(problem: Problem, run: Callable[[Problem, SearchSettings], Any]) -> tuple[Any, Any]:
    """What a core gives, and what a GPU gives."""
    problem = replace(problem, max_depth=min(problem.max_depth or 4, MOST_DEPTH))
    return run(problem, SearchSettings()), run(problem, SearchSettings(device="cuda"))


def is_same_tree(problem: Problem) -> bool:
    """Whether a GPU gives the tree and the numbers of the core."""

    def facts(problem: Problem, settings: SearchSettings) -> Any:
        found = solve(problem, settings)
        return nodes(found.tree), found.objective, found.lower_bound, found.status

    plain, found = on_both(problem, facts)
    return bool(plain == found)


def is_same_path(problem: Problem) -> bool:
    def facts(problem: Problem, settings: SearchSettings) -> Any:
        return [(nodes(each.tree), each.objective) for each in frontier(problem, settings)]

    # Below such a penalty trees of different sizes may differ by rounding alone.
    least = 1e-6 * solve(replace(problem, max_depth=0), SearchSettings()).one_leaf_loss
    problem = replace(problem, regularization=max(problem.regularization, least))
    plain, found = on_both(problem, facts)
    return bool(plain == found)


def is_same_list(problem: Problem, within: float) -> bool:
    """The same trees in the same order; their objectives may differ by rounding."""

    def trees(problem: Problem, settings: SearchSettings) -> NearTrees:
        best = solve(problem, SearchSettings()).objective
        return NearSearch(problem, best, settings).trees(within, 500)

    plain, found = on_both(problem, trees)
    return (
        list(map(nodes, plain.trees)) == list(map(nodes, found.trees))
        and np.allclose(plain.objectives, found.objectives, rtol=1e-12, atol=0.0)
        and plain.status == found.status
    )


def nodes(tree: Tree) -> Any:
    return tree.question.tolist(), tree.no.tolist(), tree.yes.tolist()


def seconds_of(run: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    out = run()
    return perf_counter() - start, out


def where(device: str, core: str) -> str:
    """The GPU and the versions that matter; or what to say of a core."""
    if device == "cpu":
        return core
    import cupy

    runtime = cupy.cuda.runtime
    versions = f"CUDA {runtime.runtimeGetVersion()}, driver {runtime.driverGetVersion()}"
    return f"{cuda_device().name}, {versions}, CuPy {cupy.__version__}"


def facts_of_machine() -> dict[str, Any]:
    return {**machine(), "programs": f"survtree{revision()}"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = {"searches": searches, "turns": turns, "kernel": kernel, "random": random}
    parser.add_argument("what", nargs="?", choices=("write", *actions))
    parser.add_argument("--summary", action="store_true", help="only print what the file says")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--problems", type=Path)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--names", nargs="*")
    parser.add_argument("--kinds", nargs="*", help="of random problems; all of them by default")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--where", default="one core", help="what the CPU's rows say")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-n", type=int, default=1_000)
    arguments = parser.parse_args()
    if arguments.summary or arguments.what is None:
        from benchmarks.gpu_page import summary  # with packages that only pages need

        print(summary())
    elif arguments.what == "write":
        write(arguments.data, arguments.problems)
    else:
        actions[arguments.what](arguments)


if __name__ == "__main__":
    main()
