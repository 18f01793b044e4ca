"""Our objective compared with that of osst, case by case.

    python -m benchmarks.parity --data FOLDER [--names gbsg2 ...] [--depths 2 3] [--limit 60]
    python -m benchmarks.parity --summary

Each case runs osst in a fresh process and ours, re-scores osst's tree with our
independent loss, and fails if ours is worse than that or further than 2e-5 (relative; theirs is
float32) from the objective osst reports. Cases that are already in the output file are not
run again.
"""

import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, programs, runner, suites
from benchmarks.tables import CASE, Table, machine, parsed, parser_of, revision
from survtree import OptimalSurvivalTree
from survtree._scoring.losses import LossByDefinition

FIELDS = (
    *CASE,
    "osst_status",
    "osst_objective",
    "osst_rescored",
    "ours_status",
    "ours_objective",
    "osst_seconds",
    "ours_seconds",
    "verdict",
)


def leaves_of(tree: dict[str, Any], case: data.Encoded) -> np.ndarray:
    """Leaf number of each row under osst's nested tree."""
    out = np.zeros(len(case.X), dtype=int)
    todo = [(tree, np.ones(len(case.X), dtype=bool))]
    n_leaves = 0
    while todo:
        node, rows = todo.pop()
        if "feature" not in node:
            out[rows] = n_leaves
            n_leaves += 1
            continue
        says_yes = case.X[:, case.columns.index(node["feature"])] == 1
        todo += [(node["true"], rows & says_yes), (node["false"], rows & ~says_yes)]
    return out


def compare(case: suites.Case, folder: Path, limit_s: float, osst: programs.Program) -> Any:
    """One row of the table."""
    source, encoded = data.locate(folder, case.dataset), data.read(folder, case.dataset)
    theirs = osst.fit(programs.request(source, case, limit_s))
    start = time.perf_counter()
    ours = OptimalSurvivalTree(
        case.max_depth, case.regularization, min_samples_leaf=suites.MIN_SAMPLES_LEAF
    )
    ours.fit(encoded.X, (encoded.event, encoded.time))
    row = {
        **asdict(case),
        "osst_status": theirs["status"],
        "ours_status": ours.status_,
        "ours_objective": repr(ours.objective_),
        "ours_seconds": f"{time.perf_counter() - start:.4f}",
        "verdict": "not compared",
    }
    if theirs["status"] != "closed":
        return row
    leaf_of_row = leaves_of(theirs["tree"], encoded)
    rescored = LossByDefinition(encoded.time, encoded.event).tree_loss(leaf_of_row)
    rescored += case.regularization * len(np.unique(leaf_of_row))
    return row | {
        "osst_objective": repr(theirs["objective"]),
        "osst_rescored": repr(rescored),
        "osst_seconds": f"{theirs['seconds']:.4f}",
        "verdict": verdict(theirs["objective"], rescored, ours.objective_),
    }


def verdict(reported: float, rescored: float, ours: float) -> str:
    """Ours must be no worse than their tree, and as close to what they report as floats allow."""
    if ours > rescored + 1e-12:
        return "ours worse"
    return "agrees" if abs(reported - ours) <= runner.RELATIVE * ours else "ours better"


def run(table: Table, cases: list[suites.Case], folder: Path, limit_s: float) -> None:
    """All cases that are not in the table yet."""
    with programs.started("osst") as running:
        osst = running["osst"]
        told = {**machine(), "programs": f"{osst.version}; survtree{revision()}"}
        for case in cases:
            if not table.has(*(getattr(case, name) for name in CASE)):
                table.add({**compare(case, folder, limit_s, osst), **told})


def main() -> int:
    parser = parser_of(__doc__, "parity_osst.csv")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for osst")
    parser.add_argument("--names", nargs="+", choices=data.NAMES, default=data.NAMES)
    parser.add_argument("--depths", nargs="+", type=int, default=[2, 3, 4])
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS)
    cases = [
        case
        for case in suites.PARITY
        if case.dataset in arguments.names and case.max_depth in arguments.depths
    ]
    if not arguments.summary:
        run(table, cases, arguments.data, arguments.limit)
    verdicts = Counter(row["verdict"] for row in table.rows)
    print(", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    return 1 if verdicts["ours worse"] else 0


if __name__ == "__main__":
    sys.exit(main())
