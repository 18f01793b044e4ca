"""The speed suite on a GPU: is every objective that of the core?

    python -m benchmarks.gpu_suite write --data FOLDER --problems PLACE  # where the data are
    python -m benchmarks.gpu_suite run --problems PLACE                  # where the GPU is

The cases are those of speed_osst.csv, which has the core's objectives. Everything is searched on
the GPU, without a core's first look. `difference` is the largest of a data set, relative to the
objective; more than 1e-12 is a failure.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from unittest import mock

from benchmarks.gpu import facts_of_machine, where
from benchmarks.tables import HERE, Table, rows_of
from survtree._search.problem import Problem, SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.replay import save
from survtree._search.solve import solve

FIELDS = ("dataset", "cases", "failed", "difference", "seconds", "where")
SPEED = "speed_osst"
TOLERANCE = 1e-12


def write(data: Path, problems: Path) -> None:
    """One file a data set, with the packages that read the data."""
    from benchmarks.data import NAMES, read
    from benchmarks.problems import problem_of

    problems.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        path = save(problem_of(read(data, name), 5, 0.001), SearchSettings(), problems)
        path.rename(problems / f"{name}.npz")


def difference(problem: Problem, row: dict[str, str]) -> float:
    """Between the objectives of GPU and core in one case, relative to the latter."""
    depth, penalty = int(row["max_depth"]), float(row["regularization"])
    asked = replace(problem, max_depth=depth, regularization=penalty)
    found = solve(asked, SearchSettings(device="cuda"))
    assert found.status == "optimal"
    expected = float(row["ours_objective"])
    return abs(found.objective - expected) / expected


def run(problems: Path, results: Path) -> None:
    """A row a data set."""
    table = Table(results / "gpu_suite.csv", FIELDS, ("dataset",))
    for path in sorted(problems.glob("*.npz")):
        problem, began = read_replay(path).problem, perf_counter()
        rows = [row for row in rows_of(SPEED) if row["dataset"] == path.stem]
        rows = [row for row in rows if row["ours_status"] == "optimal"]
        with mock.patch("survtree._search.run.FIRST_WORK", 0):
            found = [difference(problem, row) for row in rows]
        seconds = f"{perf_counter() - began:.6g}"
        numbers = {"cases": len(found), "failed": sum(each > TOLERANCE for each in found)}
        numbers |= {"difference": f"{max(found):.3g}", "seconds": seconds}
        facts = {"where": where("cuda", ""), **facts_of_machine()}
        table.add({"dataset": path.stem, **numbers, **facts})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("write", "run"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    if arguments.what == "write":
        write(arguments.data, arguments.problems)
    else:
        run(arguments.problems, arguments.results)


if __name__ == "__main__":
    main()
