"""Compare the search with brute force on many random problems: `make oracle N=5000`.

Every problem is solved with all bounds on and with a few random sets of them off; every 25th with
every combination of switches, the cache on beyond depth 4. Layouts, kernels,
solvers, with and without greedy trees at the start and bounds raised on the way, and one or three
threads take turns. Every fourth problem has its path, a limit on leaves, or all its optimal trees
compared as well, at depth 3 or less; every other one is solved with a horizon, against brute force
on the loss integrated to it. `--loss teacher` does the same with the loss against a teacher,
`--loss incidence` with competing risks, and `--loss likelihood` with that by the likelihood, of
which a horizon is only a change of the data; there the last two levels are solved by pairs every
other time. `--rules` gives the problems penalties of columns, a first split, or both.
`--shrinkage` checks shrunken curves of random trees against their definition instead, and needs no
search.
"""

import argparse
import collections
import sys
import time
from dataclasses import replace

import numpy as np

from survtree import _native
from tests.support.loss_to_horizon import check_horizon
from tests.support.many_trees import (
    brute_losses,
    check_limit_on_leaves,
    check_optimal_trees,
    check_path,
    shallow,
)
from tests.support.problems import (
    ALL_SWITCHES,
    MAKE_CASE,
    Case,
    brute_force,
    check_case,
    with_rules,
)
from tests.support.shrunken_trees import check_shrinkage


def check_many_trees(case: Case, counts: collections.Counter[str]) -> None:
    """The path of a problem and a limit on leaves, or all its optimal trees."""
    seed = case.seed
    try:
        problem = shallow(case.problem)
        if seed % 8 == 0:
            counts["problems with all optimal trees"] += check_optimal_trees(problem, seed) > 0
            return
        losses = brute_losses(problem)
        check_path(problem, losses, seed)
        counts["problems with paths"] += 1
        most = int(np.random.default_rng(seed).integers(1, max(2, len(losses))))
        check_limit_on_leaves(problem, losses, most, seed)
        counts["problems with max_leaves"] += 1
    except Exception as error:
        print(f"FAILED seed {seed}, many trees: {error}", flush=True)
        counts["failed"] += 1


def check_with_horizon(case: Case, counts: collections.Counter[str]) -> None:
    """A horizon, and the loss integrated to it."""
    try:
        check_horizon(case)
        counts["problems with a horizon"] += 1
    except Exception as error:
        print(f"FAILED seed {case.seed}, horizon: {error}", flush=True)
        counts["failed"] += 1


def check_shrinkages(seeds: range) -> int:
    """Shrunken curves of random trees; the number that are not those of the definition."""
    start, n_failed = time.perf_counter(), 0
    for seed in seeds:
        try:
            check_shrinkage(seed)
        except Exception as error:
            print(f"FAILED seed {seed}, shrinkage: {error}", flush=True)
            n_failed += 1
    print(f"{time.perf_counter() - start:.0f} s")
    print(f"{len(seeds)} trees with shrunken curves, {n_failed} failed")
    return n_failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=5000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--loss", default="brier", choices=MAKE_CASE, help="which loss")
    parser.add_argument("--rules", action="store_true", help="rules about columns")
    parser.add_argument("--shrinkage", action="store_true", help="shrunken curves of trees")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.n)
    if arguments.shrinkage:
        return 1 if check_shrinkages(seeds) else 0
    make_case = MAKE_CASE[arguments.loss]
    counts: collections.Counter[str] = collections.Counter()
    start = time.perf_counter()
    for seed in seeds:
        case = make_case(seed)
        if arguments.rules:
            case = replace(case, problem=with_rules(case.problem, seed))
        optimum = brute_force(case.problem).optimum(case.problem.max_depth)
        rng = np.random.default_rng(seed)
        every = seed % 25 == 0
        picked = ALL_SWITCHES if every else [(), *rng.choice(np.array(ALL_SWITCHES, object), 3), ()]
        layouts = ("rows", "blocks", "")
        kernels = _native.kernels()
        if case.problem.max_depth in (5, None):  # without the cache these take minutes
            picked = [tuple(set(off) - {"permutation"}) for off in picked]
        for k, off in enumerate(picked):
            if arguments.loss == "likelihood" and (seed // 2 + k) % 2:
                off = (*off, "pairs")
            how = {
                "layout": layouts[k % 3],
                "kernel": kernels[(seed + k) % len(kernels)],
                "n_jobs": 1 + 2 * (k % 5 == 1),
                "solver": ("search", "lattice", "")[k // 3 % 3],
                "greedy_from": 0 if (seed + k) % 2 else 2**62,
                "wants_bounds": (seed + k) % 3 == 0,
            }
            try:
                check_case(case, optimum, bounds_off=tuple(off), **how)
            except Exception as error:
                print(f"FAILED seed {seed}, off {tuple(off)}, {how}: {error}", flush=True)
                counts["failed"] += 1
        if seed % 4 == 0:
            check_many_trees(case, counts)
        elif seed % 2 == 1 and arguments.loss in ("brier", "incidence") and not arguments.rules:
            check_with_horizon(case, counts)
        counts["problems"] += 1
        counts["solves"] += len(picked)
        counts[f"problems with all {len(ALL_SWITCHES)} switch combinations"] += every
        for kind in ("features", "times", "censoring", "weights"):
            counts[f"{kind}: {getattr(case, kind)}"] += 1
        counts[f"depth: {case.problem.max_depth}"] += 1
        counts[f"events per leaf: {case.problem.min_events_leaf} or more"] += 1
        if arguments.rules:
            counts["problems with penalties of columns"] += bool(case.problem.column_penalties)
            counts["problems with a first split"] += case.problem.first_split is not None
        if counts["problems"] % 1000 == 0:
            print(f"{counts['problems']} problems, {counts['failed']} failed", flush=True)
    for name in sorted(counts):
        print(f"{counts[name]:8,}  {name}")
    print(f"{time.perf_counter() - start:.0f} s")
    print(f"{counts['solves']} solves, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
