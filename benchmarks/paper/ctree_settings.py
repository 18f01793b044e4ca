"""Which training IBS ratios can trees of ctree have on one data set, whatever its settings?

    python -m benchmarks.paper.ctree_settings --data FOLDER [--dataset maintenance] [--leaves 4]

The paper shows a tree of ctree with 4 leaves on maintenance, at 52.26 %, which trees.py does not
reproduce. Here ctree runs with 864 settings: test statistic, statistic of the split, type of the
test, depth, least rows in a leaf, significance level. Prints each different result with the number
of settings that lead to it; writes no table. Some minutes.
"""

import argparse
import csv
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.paper.command import printed
from benchmarks.paper.growers import parted
from benchmarks.paper.r_programs import HOW_TO, PACKAGES, missing, ran
from benchmarks.paper.scoring import Training

LIMIT_S = 3600.0


def results_of(case: data.Encoded) -> dict[tuple[int, str], list[str]]:
    """By number of leaves and IBS ratio in percent: the settings that lead there."""
    training, places = Training.of(case.event, case.time), np.arange(len(case.time))
    found: dict[tuple[int, str], list[str]] = defaultdict(list)
    with parted(case, places, places[:1]) as part, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "trees.csv"
        if not ran("ctree_settings.R", (part.train.path, out), LIMIT_S):
            raise SystemExit(f"ctree did not finish within {LIMIT_S:.0f} s")
        with out.open(newline="", encoding="utf-8") as file:
            for words, *numbers in csv.reader(file):
                leaves = np.array(numbers, dtype=int)
                size = len(np.unique(leaves))
                found[size, f"{100 * training.ratio(leaves):.2f}"].append(words)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that make data filled")
    parser.add_argument("--dataset", default="maintenance")
    parser.add_argument("--leaves", type=int, help="only trees of this size")
    arguments = parser.parse_args()
    if lacking := missing(*PACKAGES["ctree"]):
        raise SystemExit(f"{', '.join(lacking)} missing; {HOW_TO}")
    found = results_of(data.read(arguments.data, arguments.dataset))
    lines = [
        (str(size), ratio, str(len(settings)), settings[0])
        for (size, ratio), settings in sorted(found.items())
        if arguments.leaves in (None, size)
    ]
    print(printed(("leaves", "IBS ratio %", "settings", "one of them"), lines))


if __name__ == "__main__":
    main()
