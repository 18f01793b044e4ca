"""Compare what the importance of columns says with separate searches, on real tables.

    python -m tests.oracle.importance --data FOLDER

Five data sets as the 0/1 columns of the paper. The best tree without a column is that of a fit to
a table that lacks the column; the best tree with it is found by brute force over all trees.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmarks import data
from survtree import OptimalSurvivalTree
from tests.support.near_problems import all_trees_of

CASES = (("veterans", 3), ("gbsg2", 2), ("whas500", 2), ("servo", 3), ("sync", 3))
PENALTY = 0.005


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that make data filled")
    arguments = parser.parse_args()
    worst = 0.0
    for name, depth in CASES:
        table = data.read(arguments.data, name)
        y = table.event, table.time
        model = OptimalSurvivalTree(depth, PENALTY).fit(table.X, y)
        rows = model.near_optimal(0.0).importance().to_dicts()
        found = {row["column"]: row for row in rows}
        slow = all_trees_of(model._state.problem)
        everyone = np.ones(len(table.X), dtype=bool)
        differences = []
        for j in range(table.X.shape[1]):
            without = OptimalSurvivalTree(depth, PENALTY).fit(np.delete(table.X, j, axis=1), y)
            expected = slow.best_under(everyone, depth, (frozenset([j]),), 2**depth)
            row = found[f"x{j}"]
            stated = row["excess_without"], row["excess_with"]
            for excess, objective in zip(stated, (without.objective_, expected), strict=True):
                is_nobody = not np.isfinite(objective) and np.isnan(excess)
                difference = model.objective_ + excess - objective
                differences.append(0.0 if is_nobody else abs(difference))
        worst = max(worst, *differences)
        n = table.X.shape[1]
        print(f"{name}, depth {depth}: {n} columns, largest difference {max(differences):.1e}")
    return 0 if worst <= 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
