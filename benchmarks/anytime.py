"""What a search that is stopped has to show: objective and lower bound after some seconds.

    python -m benchmarks.anytime --data FOLDER

Six problems that take long, each stopped after 0.2, 1 and 5 s, with and without the greedy trees it
starts from (core/start.cpp). One run each, one thread. Cases that are already in the output file
are not run again.
"""

from itertools import product

import numpy as np

from benchmarks import data
from benchmarks.tables import CASE, Table, machine, parsed, parser_of, revision
from survtree._event_table import EventTable
from survtree._limits import Limits
from survtree._problem import Problem
from survtree._questions import Questions
from survtree._solve import solve

HARD = (
    ("credit", 6, 0.0005),
    ("churn", 6, 0.0005),
    ("whas500", 8, 0.001),
    ("flchain", 6, 0.0005),
    ("employee", 6, 0.0005),
    ("aids", 6, 0.0002),
)
SECONDS = (0.2, 1.0, 5.0)
STARTS = {"greedy": Limits().greedy_from, "none": 2**62}
KEYS = (*CASE, "time_limit", "start")
FIELDS = (*KEYS, "status", "seconds", "objective", "lower_bound", "n_leaves")


def problem_of(case: data.Encoded, max_depth: int, regularization: float) -> Problem:
    events = EventTable(case.event, case.time, np.ones(len(case.time)))
    return Problem(case.X, events, Questions(tuple(case.columns)), regularization, max_depth, 7)


def main() -> None:
    arguments = parsed(parser_of(__doc__, "anytime.csv"))
    table = Table(arguments.out, FIELDS, KEYS)
    for case, seconds, start in product(HARD, SECONDS, STARTS):
        if arguments.summary or table.has(*case, seconds, start):
            continue
        problem = problem_of(data.read(arguments.data, case[0]), *case[1:])
        limits = Limits(time_limit=seconds, greedy_from=STARTS[start])
        solution = solve(problem, limits)
        found = {
            "status": solution.status,
            "seconds": f"{solution.seconds:.3f}",
            "objective": f"{solution.objective:.6f}",
            "lower_bound": f"{solution.lower_bound:.6f}",
            "n_leaves": len(solution.tree.leaves),
        }
        key = dict(zip(KEYS, (*case, seconds, start), strict=True))
        table.add({**key, **found, **machine(), "programs": f"survtree{revision()}"})
    for row in table.rows:
        print(
            f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']}, "
            f"{row['time_limit']} s, start {row['start']}: {row['objective']} "
            f"(lower bound {row['lower_bound']}), {row['status']}"
        )


if __name__ == "__main__":
    main()
