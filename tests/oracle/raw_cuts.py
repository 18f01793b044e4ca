"""Compare the engine for cuts with brute force on many random tables of raw columns.

    python -m tests.oracle.raw_cuts -n 20000 [--loss teacher] [--rules]

Every problem is solved with every set of its switches, by every kernel, without an upper bound and
with right and wrong ones; in small parts with a limit on nodes; and from a tree that is given. The
tree must be that of the search over bits, whose optimum must be that of brute force over all trees
on all cuts. `--solver search` checks this program with the search over bits.
"""

import argparse
import collections
import sys
import time
from dataclasses import replace

from survtree._search.engines import CUTS
from tests.support.cut_problems import check_cuts, cut_case, story_of
from tests.support.problems import MAKE_CASE, with_rules


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=5000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--loss", default="brier", choices=MAKE_CASE, help="which loss")
    parser.add_argument("--rules", action="store_true", help="rules about columns")
    parser.add_argument("--solver", default=CUTS, help="the engine that is checked")
    arguments = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    start = time.perf_counter()
    for seed in range(arguments.first, arguments.first + arguments.n):
        case = cut_case(seed, loss=arguments.loss)
        if arguments.rules:
            case = replace(case, problem=with_rules(case.problem, seed))
        try:
            counts["solves"] += check_cuts(case, arguments.solver)
        except Exception as error:
            print(f"FAILED seed {seed}: {type(error).__name__} {error}", flush=True)
            counts["failed"] += 1
        counts.update(("problems", *story_of(case)))
        if counts["problems"] % 1000 == 0:
            print(f"{counts['problems']} problems, {counts['failed']} failed", flush=True)
    for name in sorted(counts):
        print(f"{counts[name]:8,}  {name}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
