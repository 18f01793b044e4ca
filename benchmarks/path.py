"""The regularization path compared with single fits: are they equal, and how long does it take?

    python -m benchmarks.path --data FOLDER [--repeats 5]

Eight data sets, penalties of the paper's protocol from 0.00001 on. For each the path is compared
with fits at 20 penalties (the breakpoints of the path, then penalties between them):
`largest_difference` of their objectives. Then path, one fit at the smallest penalty, and twelve
fits at the paper's penalties alternate, one thread; medians of seconds of the search, without
reading the table.
"""

from dataclasses import replace
from itertools import pairwise
from math import exp, inf, log
from statistics import mean, median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.problems import filled
from benchmarks.tables import CASE, Table
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, frontier, solve

PENALTIES = (0.1, 0.05, 0.01, 0.005, 0.0025, 0.001, 5e-4, 2.5e-4, 1e-4, 5e-5, 2.5e-5, 1e-5)
CASES = tuple(
    (name, depth, PENALTIES[-1])
    for name, depth in (
        ("veterans", 4),
        ("gbsg2", 4),
        ("whas500", 4),
        ("uissurv", 4),
        ("aids", 4),
        ("churn", 4),
        ("employee", 4),
        ("credit", 3),
    )
)
FIELDS = (
    *(*CASE, "trees", "most_leaves", "largest_difference"),
    *("path_s", "one_fit_s", "twelve_fits_s", "path_over_one_fit", "twelve_fits_over_path"),
)


def fits(problem: Problem, penalties: Any) -> list[Solution]:
    return [
        solve(replace(problem, regularization=float(penalty)), SearchSettings())
        for penalty in penalties
    ]


def twenty_penalties(solutions: list[Solution], lowest: float) -> list[float]:
    """Breakpoints of the path, and penalties between them."""
    points = [(len(one.tree.leaves), one.loss) for one in solutions]
    breaks = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    between = np.geomspace(lowest, max(lowest, *breaks) * 2, 20 - min(19, len(breaks)))
    return [*breaks[:19], *between]


def largest_difference(problem: Problem, solutions: list[Solution]) -> float:
    worst = 0.0
    for penalty in twenty_penalties(solutions, problem.regularization):
        on_path = min(one.loss + penalty * len(one.tree.leaves) for one in solutions)
        worst = max(worst, abs(on_path - fits(problem, [penalty])[0].objective))
    return worst


def row_of(problem: Problem, repeats: int) -> dict[str, Any]:
    solutions = frontier(problem, SearchSettings())
    ways = {
        "path": lambda: frontier(problem, SearchSettings()),
        "one_fit": lambda: fits(problem, PENALTIES[-1:]),
        "twelve_fits": lambda: fits(problem, PENALTIES),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = perf_counter()
            way()
            seconds[name].append(perf_counter() - start)
    took = {name: median(times) for name, times in seconds.items()}
    return {
        "trees": len(solutions),
        "most_leaves": len(solutions[-1].tree.leaves),
        "largest_difference": f"{largest_difference(problem, solutions):.1e}",
        **{f"{name}_s": f"{s:.4f}" for name, s in took.items()},
        "path_over_one_fit": f"{took['path'] / took['one_fit']:.2f}",
        "twelve_fits_over_path": f"{took['twelve_fits'] / took['path']:.2f}",
    }


def show(table: Table) -> None:
    for row in table.rows:
        print(
            f"{row['dataset']}, depth {row['max_depth']}: {row['trees']} trees up to "
            f"{row['most_leaves']} leaves, largest difference {row['largest_difference']}; path "
            f"{row['path_s']} s = {row['path_over_one_fit']} fits; twelve fits take "
            f"{row['twelve_fits_over_path']} times as long"
        )
    for name, worst in (("path_over_one_fit", max), ("twelve_fits_over_path", min)):
        ratios = [float(row[name]) for row in table.rows] or [inf]
        print(f"{name}: geometric mean {exp(mean(map(log, ratios))):.2f}, worst {worst(ratios)}")


def main() -> None:
    show(filled(__doc__, "path.csv", FIELDS, row_of, CASES))


if __name__ == "__main__":
    main()
