"""One search shared by two worker processes of a Dask cluster, by one, and in this process alone.

    python -m benchmarks.cluster --data FOLDER [--repeats 1]

Scheduler and workers run on this machine, one thread each; starting them is not counted, sending
them the problem is. Runs alternate, and a row holds medians. `ratio` is the seconds of one worker
divided by those of two, `gain` those of a plain fit divided by those of two, `overhead` what one
worker takes longer than a plain fit. `work` is lane-rows of all processes divided by those of a
plain search: what is above 1 was done twice. A search that takes a plain fit under 20 s or over
3 minutes is noted and not counted. Cases that are already in the output file are not run again.
"""

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import survtree
from benchmarks import data
from benchmarks.gpu_problems import every_cut
from benchmarks.problems import problem_of
from benchmarks.runner import rounded
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, solve
from tests.support.dask_processes import dask_cluster

KEYS = ("answers", "dataset", "max_depth", "regularization")
WAYS = ("plain", "one", "two")
FIELDS = (
    *(*KEYS, "ratio", "gain", "overhead", "same_answer", "plain_lane_rows"),
    *(f"{way}_seconds" for way in WAYS),
    *(f"{way}_{name}" for way in WAYS[1:] for name in ("work", "tasks", "megabytes")),
)
CASES = (
    *(("01", "churn", 7, 0.01), ("01", "whas500", 12, 0.004), ("01", "churn", 7, 0.001)),
    *(("01", "credit", 6, 0.002), ("cuts", "whas500", 4, 0.02)),
)
LEAST_S, MOST_S = 20.0, 180.0


def problem_for(folder: Path, answers: str, name: str, depth: int, penalty: float) -> Problem:
    if answers == "cuts":
        return every_cut(name, depth, penalty)
    return problem_of(data.read(folder, name), depth, penalty)


def timed(problem: Problem, limit_s: float | None = None) -> tuple[float, Solution]:
    start = time.perf_counter()
    solution = solve(problem, SearchSettings(time_limit=limit_s))
    return time.perf_counter() - start, solution


def on_workers(problem: Problem, n: int) -> tuple[float, Solution]:
    """The same on a fresh cluster of so many workers, which have imported what they need."""
    with dask_cluster(n) as (client, _), survtree.cluster(client):
        return timed(problem)


def answer_of(solution: Solution) -> tuple[Any, ...]:
    tree = solution.tree
    nodes = np.concatenate([tree.question, tree.no, tree.yes]).tolist()
    return nodes, solution.objective, solution.lower_bound, solution.status


def measured(problem: Problem, repeats: int) -> dict[str, Any]:
    """One row; the first plain run decides whether the case counts."""
    first_s, plain = timed(problem, MOST_S)
    row: dict[str, Any] = {"plain_seconds": rounded(first_s)}
    row["plain_lane_rows"] = plain.counts["lane_rows"]
    if plain.status != "optimal" or first_s < LEAST_S:
        return row
    seconds: dict[str, list[float]] = {"plain": [first_s], "one": [], "two": []}
    answers = []
    for k in range(repeats):
        for way, n in zip(WAYS, (0, 1, 2), strict=True):
            if k == n == 0:
                continue  # done
            took, found = on_workers(problem, n) if n else timed(problem)
            seconds[way].append(took)
            answers.append(answer_of(found) == answer_of(plain))
            if n:
                row |= shared_counts(way, found, plain)
    middle = {way: statistics.median(each) for way, each in seconds.items()}
    return {
        **row,
        **{f"{way}_seconds": rounded(each) for way, each in middle.items()},
        "ratio": rounded(middle["one"] / middle["two"]),
        "gain": rounded(middle["plain"] / middle["two"]),
        "overhead": rounded(middle["one"] / middle["plain"] - 1.0),
        "same_answer": all(answers),
    }


def shared_counts(way: str, found: Solution, plain: Solution) -> dict[str, Any]:
    counts = found.counts
    return {
        f"{way}_work": rounded(counts["lane_rows"] / plain.counts["lane_rows"]),
        f"{way}_tasks": counts.get("cluster_tasks", 0),
        f"{way}_megabytes": rounded(counts.get("cluster_bytes", 0) / 1e6),
    }


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    """The searches that count, and those that do not."""
    lines = []
    for row in rows:
        words = f"{row['dataset']} ({row['answers']}), depth {row['max_depth']}, "
        words += f"{row['regularization']}: plain {float(row['plain_seconds']):.1f} s"
        if not row["ratio"]:
            lines.append(f"{words}; not counted")
            continue
        one, two, over = (float(row[name]) for name in ("one_seconds", "two_seconds", "overhead"))
        lines.append(
            f"{words}, one worker {one:.1f} s ({100 * over:+.0f} %), two {two:.1f} s, "
            f"ratio {float(row['ratio']):.2f}, work {float(row['two_work']):.2f}"
            + ("" if row["same_answer"] == "True" else "  THE ANSWERS DIFFER")
        )
    ratios = [float(row["ratio"]) for row in rows if row["ratio"]]
    if ratios:
        lines.append(f"smallest ratio {min(ratios):.2f}, median {statistics.median(ratios):.2f}")
    return "\n".join(lines)


def main() -> int:
    parser = parser_of(__doc__, "cluster_workers.csv")
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    for case in CASES:
        if arguments.summary or table.has(*case):
            continue
        found = measured(problem_for(arguments.data, *case), arguments.repeats)
        key = dict(zip(KEYS, case, strict=True))
        table.add({**key, **found, **machine(), "programs": f"survtree{revision()}"})
    print(summary(table.rows))
    return int(any(row["same_answer"] == "False" for row in table.rows))


if __name__ == "__main__":
    sys.exit(main())
