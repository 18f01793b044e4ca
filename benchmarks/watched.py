"""The additional work of a search that can be stopped or watched.

    python -m benchmarks.watched --data FOLDER [--repeats 5]

Searches that prove their optimum within seconds, with and without the steps that make early results
useful: good trees are looked for early, and the lower bound is raised step by step. Both alternate,
one thread; medians of seconds, and lane-rows, which are the same every time.
"""

from math import exp, log
from statistics import mean, median
from typing import Any

from benchmarks.problems import filled
from benchmarks.tables import CASE, Table
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, solve

CASES = (
    ("employee", 6, 0.0005),
    ("aids", 6, 0.0002),
    ("churn", 5, 0.0025),
    ("credit", 4, 0.001),
    ("gbsg2", 5, 0.0005),
    ("flchain", 4, 0.001),
    ("uissurv", 4, 0.002),
    ("whas500", 5, 0.001),
    ("maintenance", 5, 0.0005),
    ("insurance", 5, 0.001),
)
FIELDS = (*CASE, "plain_s", "watched_s", "seconds_ratio", "lane_rows_ratio")


def row_of(problem: Problem, repeats: int) -> dict[str, Any]:
    found: dict[bool, list[Solution]] = {False: [], True: []}
    for _ in range(repeats):
        for is_watched, solutions in found.items():
            solutions.append(solve(problem, SearchSettings(wants_bounds=is_watched)))
    plain, watched = (median(one.seconds for one in found[which]) for which in (False, True))
    lane_rows = [found[which][0].counts["lane_rows"] for which in (False, True)]
    assert found[False][0].objective == found[True][0].objective
    return {
        "plain_s": f"{plain:.3f}",
        "watched_s": f"{watched:.3f}",
        "seconds_ratio": f"{watched / plain:.2f}",
        "lane_rows_ratio": f"{lane_rows[1] / lane_rows[0]:.2f}",
    }


def show(table: Table) -> None:
    for row in table.rows:
        print(
            f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']}: "
            f"{row['plain_s']} s, watched {row['watched_s']} s; seconds x {row['seconds_ratio']}, "
            f"lane-rows x {row['lane_rows_ratio']}"
        )
    for name in ("seconds_ratio", "lane_rows_ratio"):
        ratios = [float(row[name]) for row in table.rows]
        if ratios:
            average = exp(mean(map(log, ratios)))
            print(f"{name}: geometric mean {average:.2f}, largest {max(ratios):.2f}")


def main() -> None:
    show(filled(__doc__, "watched.csv", FIELDS, row_of, CASES))


if __name__ == "__main__":
    main()
