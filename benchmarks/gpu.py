"""The search on a GPU: whole searches beside those of a core, the kernel alone, random problems.

    python -m benchmarks.gpu write --data FOLDER --problems PLACE      # where the data are
    python -m benchmarks.gpu searches --problems PLACE --device cuda   # where the GPU is; or cpu
    python -m benchmarks.gpu kernel
    python -m benchmarks.gpu random --first 0 -n 20000

A machine with a GPU often has nothing else: `write` makes files of the problems, which need no
more than NumPy to be read. Seconds of a search are those from arrays in memory to the tree that was
scored again, the median of several; `first_s` is that of the first, which compiles. `random`
compares trees and numbers with those of the core, on the problems of tests/oracle.
"""

import argparse
import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.tables import HERE, Table, machine, revision
from survtree import OptimalSurvivalTree
from survtree._base.checks import check_options
from survtree._data.table import EventTable
from survtree._model.prepare import prepare
from survtree._questions.questions import Questions
from survtree._search.gpu.engine import cuda_device
from survtree._search.gpu.lattice import DeviceRows, Lattice, Rules, Splits
from survtree._search.problem import Problem, SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.replay import save
from survtree._search.solve import Solution, solve

ENCODED = (
    *(("whas500", 5, 0.001), ("gbsg2", 4, 0.001), ("flchain", 4, 0.001), ("flchain", 5, 0.0005)),
    *(("credit", 5, 0.0005), ("credit", 6, 0.0005), ("churn", 4, 0.001)),
)
EVERY_CUT = (("whas500", 3, 0.005), ("gbsg2", 3, 0.005), ("whas500", 4, 0.005))
KEYS = ("answers", "dataset", "max_depth", "regularization", "device")
SEARCH_FIELDS = (
    *(*KEYS, "rows", "questions", "status", "objective", "lower_bound", "n_leaves"),
    *("seconds", "runs", "first_s", "gpu_lane_rows", "where"),
)
KERNEL_ROWS = (500, 1_000, 2_000, 4_000, 8_000)
KERNEL_QUESTIONS = 256
Problems = Iterator[tuple[str, Problem]]

NOTES = """
CI has no GPU: these figures were made by hand, on the machine that the rows name. There is no limit
on time in them, and the CPU's seconds are those of one core of the same machine.

**Searches.** `answers` is `01` for 0/1 columns and `cuts` for every cut of raw columns.
`gpu_lane_rows` counts pairs of a row and a split of its cell as if every question were asked of
every cell; questions that do not part the rows of a cell are left out, so that less is done.
Objectives, bounds and statuses are those of the core, bit for bit, wherever both ran. `household`
has 190,915 different rows and 15 questions, of which a core closes nearly all at once: there a GPU
is slower, and `device="auto"` stays on the CPU.

**Kernel.** Random answers to 256 questions, events in every other row, all pairs of questions: the
cells of a pair are listed, and each is split on every question.

**Random problems.** Those of the oracle, with ties, weights, equal rows, any censoring, rules about
columns and leaves: trees, objectives, bounds and statuses of a GPU beside those of the core.
Fourteen processes shared the GPU; seconds are added up.
"""


def problems_of(folder: Path) -> Problems:
    """By kind of answers and name; with the packages that read the data."""
    from benchmarks import data
    from benchmarks.problems import problem_of

    for name, depth, penalty in ENCODED:
        yield f"01 {name}", problem_of(data.read(folder, name), depth, penalty)
    yield "01 household", household(folder / data.HOUSEHOLD, 5, 0.01)
    for name, depth, penalty in EVERY_CUT:
        yield f"cuts {name}", every_cut(name, depth, penalty)


def household(path: Path, max_depth: int, penalty: float) -> Problem:
    """Two million rows."""
    with np.load(path) as file:
        X, event, time = (file[name] for name in ("X", "event", "time"))
    events = EventTable(event.astype(bool), time.astype(float), np.ones(len(time)))
    questions = Questions(tuple(f"f{j}" for j in range(X.shape[1])))
    return Problem(X.astype(np.uint8), events, questions, penalty, max_depth, 7)


def every_cut(name: str, max_depth: int, penalty: float) -> Problem:
    """A raw table of scikit-survival with every cut of its columns, in codes."""
    from sksurv import datasets

    X, y = getattr(datasets, f"load_{name}")()
    given = {"thresholds": "all", "teacher": None, "horizon": None, "min_events_leaf": 0}
    model = OptimalSurvivalTree(max_depth, penalty, min_samples_leaf=7, **given)
    return prepare(model, check_options(model), X, y, None).problem


def write(arguments: argparse.Namespace) -> None:
    for name, problem in problems_of(arguments.data):
        path = save(problem, SearchSettings(), arguments.problems)
        path.rename(arguments.problems / f"{name} {problem.max_depth}.npz")


def searches(arguments: argparse.Namespace) -> None:
    table = Table(arguments.results / "gpu_searches.csv", SEARCH_FIELDS, KEYS)
    for path in sorted(arguments.problems.glob("*.npz")):
        answers, dataset, _ = path.stem.split(" ")
        problem = read_replay(path).problem
        key = (answers, dataset, problem.max_depth, problem.regularization, arguments.device)
        if (arguments.names and dataset not in arguments.names) or table.has(*key):
            continue
        settings = SearchSettings(device=arguments.device, time_limit=arguments.limit)
        first_s, _ = seconds_of(lambda p=problem, s=settings: solve(p, s))
        runs = [
            seconds_of(lambda p=problem, s=settings: solve(p, s)) for _ in range(repeats(first_s))
        ]
        times, found = [run[0] for run in runs] or [first_s], (runs or [(first_s, _)])[-1][1]
        facts = {**facts_of(problem, found), "first_s": f"{first_s:.6g}", "runs": len(times)}
        seconds = {"seconds": f"{statistics.median(times):.6g}", "where": where(arguments.device)}
        table.add({**dict(zip(KEYS, key, strict=True)), **facts, **seconds, **facts_of_machine()})


def repeats(first_s: float) -> int:
    """None where one takes long."""
    return 5 if first_s < 5.0 else 1 if first_s < 30.0 else 0


def facts_of(problem: Problem, found: Solution) -> dict[str, Any]:
    return {
        "rows": problem.answers.shape[0],
        "questions": problem.answers.shape[1],
        "status": found.status,
        "objective": repr(found.objective),
        "lower_bound": repr(found.lower_bound),
        "n_leaves": len(found.tree.leaves),
        "gpu_lane_rows": found.counts.get("gpu_lane_rows", ""),
    }


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
        table.add({**row, **speed, "where": where("cuda"), **facts_of_machine()})


def last_level(lattice: Lattice, rows: DeviceRows) -> Splits:
    return lattice.splits(rows, 3)


def random_rows(n_rows: int) -> DeviceRows:
    rng = np.random.default_rng(n_rows)
    times = np.sort(rng.exponential(size=n_rows))
    elapsed = times / times[-1] / n_rows
    facts = np.zeros((n_rows, 6))
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
    """All kinds of problems of the oracle, bit for bit."""
    from tests.support.cut_problems import cut_case
    from tests.support.problems import random_case, teacher_case, with_rules

    kinds: dict[str, Callable[[int], Problem]] = {
        "bits": lambda seed: random_case(seed).problem,
        "bits, rules": lambda seed: with_rules(random_case(seed).problem, seed),
        "teacher": lambda seed: teacher_case(seed).problem,
        "cuts": lambda seed: cut_case(seed).problem,
        "cuts, teacher": lambda seed: cut_case(seed, loss="teacher").problem,
    }
    fields = ("kind", "first_seed", "problems", "failed", "seconds", "where")
    table = Table(arguments.results / "gpu_random.csv", fields, ("kind", "first_seed"))
    for kind, made in kinds.items():
        began, seeds = perf_counter(), range(arguments.first, arguments.first + arguments.n)
        failed = [seed for seed in seeds if not is_same(made(seed))]
        print(kind, failed, flush=True)
        row = {"kind": kind, "first_seed": arguments.first, "problems": arguments.n}
        seconds = f"{perf_counter() - began:.6g}"
        found = {"failed": len(failed), "seconds": seconds, "where": where("cuda")}
        table.add({**row, **found, **facts_of_machine()})


def is_same(problem: Problem) -> bool:
    """Whether a GPU gives the tree and the numbers of the core."""
    problem = replace(problem, max_depth=min(problem.max_depth or 4, 7))
    plain, found = (solve(problem, SearchSettings(device=name)) for name in ("cpu", "cuda"))
    arrays = (
        (getattr(each.tree, name) for name in ("question", "no", "yes")) for each in (plain, found)
    )
    numbers = [(each.objective, each.lower_bound, each.status) for each in (plain, found)]
    return all(map(np.array_equal, *arrays)) and numbers[0] == numbers[1]


def seconds_of(run: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    out = run()
    return perf_counter() - start, out


def where(device: str) -> str:
    """The GPU and the versions that matter."""
    if device == "cpu":
        return "one core"
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
    parser.add_argument("what", choices=("write", "searches", "kernel", "random"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--problems", type=Path)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--names", nargs="*")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-n", type=int, default=1_000)
    arguments = parser.parse_args()
    {"write": write, "searches": searches, "kernel": kernel, "random": random}[arguments.what](
        arguments
    )


if __name__ == "__main__":
    main()
