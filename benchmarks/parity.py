"""Our objective beside that of the original program, case by case.

    python -m benchmarks.parity --data FOLDER [--out results.csv]

Each case runs the original in a fresh process and ours, re-scores the original's tree with our
independent loss, and fails if ours is worse than that or further than 2e-5 (relative; theirs is
float32) from the objective the original reports.
"""

import argparse
import csv
import itertools
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, programs
from survtree import OptimalSurvivalTree
from survtree._oracle import Oracle

SMALL = ("veterans", "servo", "sync", "real-estate", "gbsg2", "whas500", "uissurv", "maintenance")
FIELDS = (
    "dataset",
    "max_depth",
    "regularization",
    "osst_status",
    "osst_objective",
    "osst_rescored",
    "ours_status",
    "ours_objective",
    "osst_seconds",
    "ours_seconds",
    "verdict",
)
RELATIVE = 2e-5


def cases() -> list[tuple[str, int, float]]:
    """Depth 2 to 4; two regularizations for all sets, two more for the small ones."""
    everyone = itertools.product((2, 3, 4), data.NAMES, (0.01, 0.001))
    small = itertools.product((2, 3, 4), SMALL, (0.005, 0.0001))
    return [(name, depth, r) for depth, name, r in [*everyone, *small]]


def leaves_of(tree: dict[str, Any], case: data.Encoded) -> np.ndarray:
    """Leaf number of each row under the original's nested tree."""
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


def compare(name: str, depth: int, regularization: float, folder: Path, limit_s: float) -> Any:
    """One row of the table."""
    case = data.read(folder, name)
    theirs = programs.run("osst", case, depth, regularization, limit_s)
    start = time.perf_counter()
    ours = OptimalSurvivalTree(depth, regularization, min_samples_leaf=programs.MIN_SAMPLES_LEAF)
    ours.fit(case.X, (case.event, case.time))
    row = {
        "dataset": name,
        "max_depth": depth,
        "regularization": regularization,
        "osst_status": theirs["status"],
        "ours_status": ours.status_,
        "ours_objective": repr(ours.objective_),
        "ours_seconds": f"{time.perf_counter() - start:.4f}",
        "verdict": "not compared",
    }
    if theirs["status"] != "closed":
        return row
    leaf_of_row = leaves_of(theirs["tree"], case)
    rescored = Oracle(case.time, case.event).tree_loss(leaf_of_row)
    rescored += regularization * len(np.unique(leaf_of_row))
    is_close = abs(theirs["objective"] - ours.objective_) <= RELATIVE * ours.objective_
    is_no_worse = ours.objective_ <= rescored + 1e-12
    row |= {
        "osst_objective": repr(theirs["objective"]),
        "osst_rescored": repr(rescored),
        "osst_seconds": f"{theirs['seconds']:.4f}",
        "verdict": "agrees" if is_close and is_no_worse else "ours worse",
    }
    if not is_close and is_no_worse:
        row["verdict"] = "ours better"
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the CSV files")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/parity_osst.csv"))
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the original")
    arguments = parser.parse_args()
    verdicts: dict[str, int] = {}
    with arguments.out.open("w", newline="") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        for name, depth, regularization in cases():
            row = compare(name, depth, regularization, arguments.data, arguments.limit)
            table.writerow(row)
            file.flush()
            verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
            print(name, depth, regularization, row["verdict"], flush=True)
    print(verdicts)
    return 1 if verdicts.get("ours worse") else 0


if __name__ == "__main__":
    sys.exit(main())
