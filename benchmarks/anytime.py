"""Results before the end of the search: objective and lower bound over time on five hard cases.

    python -m benchmarks.anytime --data FOLDER [--seconds 20]
    python -m benchmarks.anytime --data FOLDER --best [--seconds 300]

Each case is searched once, in one thread, for so many seconds; each change of a bound is a row.
With --best only the end of a long run is kept, as the best objective known for the case. Both are
compared in the end. Cases that are already in the output file are not run again.
"""

from itertools import pairwise
from pathlib import Path

from benchmarks import data
from benchmarks.problems import problem_of
from benchmarks.tables import CASE, HERE, Table, machine, parsed, parser_of, revision
from survtree._base.numbers import relative_gap
from survtree._search.problem import SearchSettings
from survtree._search.progress import Snapshot, Watch
from survtree._search.solve import solve

HARD = (
    ("credit", 6, 0.0005),
    ("churn", 6, 0.0005),
    ("whas500", 8, 0.001),
    ("flchain", 6, 0.0005),
    ("employee", 6, 0.0005),
)
SECONDS = (0.2, 1.0, 5.0)
FIELDS = (*CASE, "seconds", "lower_bound", "objective", "n_leaves", "found_by", "status")
BEST = HERE / "results" / "best_known.csv"


def run(table: Table, folder: Path, seconds: float, *, only_the_end: bool) -> None:
    """Search each case that the table does not have."""
    for case in HARD:
        if table.has(*case):
            continue
        rows: list[Snapshot] = []
        problem = problem_of(data.read(folder, case[0]), *case[1:])
        limits = SearchSettings(time_limit=seconds, wants_bounds=True)
        solution = solve(problem, limits, Watch(0, rows.append))
        programs = f"survtree{revision()}"
        for row in rows[-1:] if only_the_end else with_news(rows):
            found = {
                "seconds": f"{row.seconds:.3f}",
                "lower_bound": f"{row.lower_bound:.9f}",
                "objective": f"{row.objective:.9f}",
                "n_leaves": row.n_leaves,
                "found_by": row.found_by,
                "status": solution.status if row is rows[-1] else "",
            }
            key = dict(zip(CASE, case, strict=True))
            table.add({**key, **found, **machine(), "programs": programs})


def with_news(rows: list[Snapshot]) -> list[Snapshot]:
    """The rows in which a bound moved, and the last."""
    moved = [
        row
        for before, row in pairwise(rows)
        if (before.objective, before.lower_bound) != (row.objective, row.lower_bound)
    ]
    return [rows[0], *moved, *rows[-1:]]


def at(rows: list[dict[str, str]], seconds: float) -> dict[str, str]:
    """The last row not later than this."""
    return [row for row in rows if float(row["seconds"]) <= seconds][-1]


def show(table: Table) -> None:
    """A line a case and time: objective over the best known, and the gap."""
    best = {row["dataset"]: row for row in Table(BEST, FIELDS).rows}
    for case in HARD:
        rows = [row for row in table.rows if row["dataset"] == case[0]]
        known = min([*rows, *([best[case[0]]] if case[0] in best else [])], key=_objective)
        for seconds in SECONDS if rows else ():
            row = at(rows, seconds)
            gap = relative_gap(_objective(row), float(row["lower_bound"]))
            over = _objective(row) / _objective(known) - 1
            print(
                f"{case[0]}, depth {case[1]}, {case[2]}: after {seconds} s {_objective(row):.6f}, "
                f"{100 * over:.2f} % above {_objective(known):.6f} (found within "
                f"{float(known['seconds']):.0f} s), gap {100 * gap:.0f} %, {row['found_by']}"
            )


def _objective(row: dict[str, str]) -> float:
    return float(row["objective"])


def main() -> None:
    parser = parser_of(__doc__, "anytime.csv")
    parser.add_argument("--seconds", type=float, help="for each case")
    parser.add_argument("--best", action="store_true", help="long runs, of which the end is kept")
    arguments = parsed(parser)
    table = Table(BEST if arguments.best else arguments.out, FIELDS)
    if not arguments.summary:
        seconds = arguments.seconds or (300.0 if arguments.best else 20.0)
        run(table, arguments.data, seconds, only_the_end=arguments.best)
    if not arguments.best:
        show(table)


if __name__ == "__main__":
    main()
