"""Seconds of this checkout divided by those of another one, on a sample of the speed suite.

    python -m benchmarks.versions FOLDER --data FOLDER [--cases 40] [--repeats 7]

FOLDER is a checkout of another version with its own `.venv`. Each case runs before, after, before,
after, ... in fresh processes, one thread each; medians are compared. Cases are drawn at random with
a fixed seed from the grid of the speed suite. Objectives, trees and counts of work must be equal.
"""

import argparse
import random
from pathlib import Path
from typing import Any

from benchmarks import data, programs, suites
from benchmarks.runner import geometric_mean, in_turns, medians

# What the cache takes in memory may differ between two versions.
NOT_COMPARED = ("cache_bytes", "lattice_bytes")
LIMIT_S = 60.0


def sampled(n_cases: int, seed: int) -> list[suites.Case]:
    cases = suites.grid((2, 3, 4), data.NAMES, suites.SPEED_REGULARIZATIONS)
    return random.Random(seed).sample(cases, n_cases)


def same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether two answers are equal in all but seconds and memory."""
    names = ("status", "objective", "lower_bound", "tree")
    before_counts, after_counts = (
        # A count of 0 may not be there at all in a version that does not know it.
        {name: n for name, n in answer["counts"].items() if n and name not in NOT_COMPARED}
        for answer in (before, after)
    )
    return before_counts == after_counts and all(before[n] == after[n] for n in names)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, help="checkout of the other version")
    parser.add_argument("--data", type=Path, required=True, help="folder that make data filled")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    python = given.before.resolve() / ".venv" / "bin" / "python"
    programs.ADAPTERS["before"] = (python, "survtree_adapter.py")
    ratios, n_different = [], 0
    with programs.started("before", "ours") as running:
        for case in sampled(given.cases, given.seed):
            asked = programs.request(data.locate(given.data, case.dataset), case, LIMIT_S)
            both = {"before": asked, "ours": asked}
            answers = in_turns(running, both, given.repeats, steady=("before", "ours"))
            before, after = (medians(answers[name]) for name in ("before", "ours"))
            ratios.append(after["seconds"] / before["seconds"])
            n_different += not same(before, after)
            print(
                f"{case.dataset:12} depth {case.max_depth}  {case.regularization:<7} "
                f"{before['seconds']:9.4f} s  {after['seconds']:9.4f} s  {ratios[-1]:6.3f}",
                flush=True,
            )
    print(
        f"{len(ratios)} cases: geometric mean of after/before {geometric_mean(ratios):.3f}, "
        f"smallest {min(ratios):.3f}, largest {max(ratios):.3f}; {n_different} answers differ"
    )


if __name__ == "__main__":
    main()
