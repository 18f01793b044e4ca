"""Compare long lists of nearly optimal trees on many random problems, by two searches.

    python -m tests.oracle.near_lists -n 3000

Hundreds of cuts, or deep trees: too many trees for brute force (near_trees.py). What must hold is
in tests/support/near_lists.py.
"""

import argparse
import sys
import time

from tests.support.near_lists import check_lists, list_case


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=3000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    arguments = parser.parse_args()
    start, n_trees, n_failed = time.perf_counter(), 0, 0
    for seed in range(arguments.first, arguments.first + arguments.n):
        try:
            n_trees += check_lists(list_case(seed))
        except Exception as error:
            print(f"FAILED seed {seed}: {type(error).__name__} {error}", flush=True)
            n_failed += 1
    seconds = time.perf_counter() - start
    print(f"{arguments.n:,} problems, {n_trees:,} trees, {n_failed} failed, {seconds:.0f} s")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
