"""Compare searches that made-up workers share with searches of one process, on random problems.

    python -m tests.oracle.cluster -n 5000 [--loss teacher] [--rules] [--cuts]

Workers are lost, restarted and added at random, and answer in random order. Tree, objective, bounds
and status must be the same to the last bit.
"""

import argparse
import collections
import sys
import time

from survtree._search.engines import CUTS
from survtree._search.problem import SearchSettings
from tests.support.cut_problems import cut_case
from tests.support.made_up_crew import check_shared
from tests.support.problems import MAKE_CASE, with_rules


def problem_of(seed, loss, has_rules, has_cuts):
    case = cut_case(seed, loss=loss) if has_cuts else MAKE_CASE[loss](seed)
    return with_rules(case.problem, seed) if has_rules else case.problem


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--loss", default="brier", choices=MAKE_CASE, help="which loss")
    parser.add_argument("--rules", action="store_true", help="rules about columns")
    parser.add_argument("--cuts", action="store_true", help="the search over cuts")
    arguments = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    start = time.perf_counter()
    settings = SearchSettings(solver=CUTS if arguments.cuts else "search")
    for seed in range(arguments.first, arguments.first + arguments.n):
        problem = problem_of(seed, arguments.loss, arguments.rules, arguments.cuts)
        try:
            crew = check_shared(problem, seed, settings)
            counts.update(orders=len(crew.orders), lost=crew.n_lost, shared=bool(crew.orders))
        except Exception as error:
            print(f"FAILED seed {seed}: {type(error).__name__} {error}", flush=True)
            counts["failed"] += 1
        counts["problems"] += 1
    for name in sorted(counts):
        print(f"{counts[name]:8,}  {name}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
