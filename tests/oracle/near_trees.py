"""Compare the search for all nearly optimal trees with brute force on many random problems.

    python -m tests.oracle.near_trees -n 3000 [--rules]

Every tree, their number and their order, for tables of 0 and 1 and of raw columns with every cut,
all losses, weights, ties, with and without a limit on leaves; by the search over bits and that
over cuts, with sets of switches that differ from problem to problem. Then the best trees that must,
or must not, split on some columns, or begin with one.
"""

import argparse
import collections
import sys
import time
from dataclasses import replace

from tests.support.near_problems import check_near, near_case
from tests.support.problems import with_rules


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=3000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--loss", default="", choices=("", "likelihood"), help="which loss")
    parser.add_argument("--rules", action="store_true", help="rules about columns")
    arguments = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    start, seed = time.perf_counter(), arguments.first
    while counts["problems"] < arguments.n:
        try:
            case = near_case(seed, arguments.loss)
            if arguments.rules:
                case = replace(case, problem=with_rules(case.problem, seed))
            n_trees = check_near(case)
        except Exception as error:
            print(f"FAILED seed {seed}: {type(error).__name__} {error}", flush=True)
            n_trees = 1
            counts["failed"] += 1
        counts["problems" if n_trees else "left out: too many trees"] += 1
        counts["trees"] += n_trees
        seed += 1
        if counts["problems"] % 500 == 0:
            print(f"{counts['problems']} problems, {counts['failed']} failed", flush=True)
    for name in sorted(counts):
        print(f"{counts[name]:10,}  {name}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
