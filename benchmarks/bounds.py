"""What each bound is worth: the work of a search with one of them off, over that with all on.

    python -m benchmarks.bounds --data FOLDER

Counts of work, not seconds, so one run each is enough. A bound that never changes a count is not
worth its lines.
"""

import argparse
import math
from pathlib import Path

from benchmarks import data
from benchmarks.problems import problem_of
from survtree._search.problem import BOUNDS, Problem, SearchSettings
from survtree._search.solve import solve

# data set, max_depth, regularization
CASES = (
    ("veterans", 4, 0.001),
    ("gbsg2", 5, 0.005),
    ("whas500", 4, 0.01),
    ("whas500", 4, 0.001),
    ("uissurv", 4, 0.01),
    ("maintenance", 4, 0.0025),
    ("aids", 4, 0.001),
    ("insurance", 4, 0.005),
    ("credit", 3, 0.005),
    ("churn", 3, 0.01),
)
TIME_LIMIT = 60.0


def lane_rows(problem: Problem, off: tuple[str, ...]) -> float:
    limits = SearchSettings(bounds_off=off, solver="search", time_limit=TIME_LIMIT)
    solution = solve(problem, limits)
    return solution.counts["lane_rows"] if solution.status == "optimal" else math.inf


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the CSV files")
    arguments = parser.parse_args()
    print("lane-rows with one bound off, as a multiple of those with all on")
    print(f"{'case':28}{'all on':>12}", *(f"{name[:12]:>13}" for name in BOUNDS))
    for name, depth, regularization in CASES:
        problem = problem_of(data.read(arguments.data, name), depth, regularization)
        base = lane_rows(problem, ())
        ratios = [lane_rows(problem, (bound,)) / base for bound in BOUNDS]
        print(
            f"{f'{name}, {depth}, {regularization}':28}{base:12,.0f}",
            *(f"{ratio:13.3f}" for ratio in ratios),
            flush=True,
        )


if __name__ == "__main__":
    main()
