"""Our trees beside those of other programs on training rows: what the tables of README and of the
page of claims say, computed from the paper's experiments.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.figures import digits
from benchmarks.paper import optimality, run_time
from benchmarks.paper.command import RESULTS
from benchmarks.tables import Table

DEPTHS = ("2", "3", "4", "5")


@dataclass(frozen=True)
class Rival:
    """Another program: its name in the files, with its version, and in words what its trees are."""

    key: str
    words: str
    kind: str
    takes: str


RIVALS = (
    Rival(
        "osst",
        "osst 0.1.8 (the paper's authors)",
        "optimal, same objective, single precision",
        "0/1 columns; of numbers it makes one for each cut",
    ),
    Rival(
        "streed",
        "STreeD (SurTree, pystreed 1.4.0)",
        "optimal, another loss",
        "numbers, cut at quantiles",
    ),
    Rival("sksurv", "scikit-survival 0.28", "greedy", "numbers, missing cells, weights"),
    Rival("rpart", "rpart 4.1.19", "greedy, pruned", "raw tables, missing cells, weights"),
    Rival(
        "ctree",
        "partykit's ctree 1.2-16",
        "greedy, by significance tests",
        "raw tables, missing cells, weights",
    ),
)


def tables() -> tuple[Table, Table]:
    """What was measured of training scores, and of seconds."""
    return (
        Table(RESULTS / optimality.FILE, optimality.FIELDS, optimality.KEYS),
        Table(RESULTS / run_time.FILE, run_time.FIELDS, run_time.KEYS),
    )


def counts(table: Table, key: str) -> tuple[int, int, int]:
    """Different trees of a program than which ours is better, equal, worse."""
    rows = [row for row in table.rows if row["program"] == key]
    found = []
    for name in dict.fromkeys(row["dataset"] for row in rows):
        of_set = optimality.distinct(row for row in rows if row["dataset"] == name)
        found += [row["verdict"] for row in of_set]
    return found.count("ours better"), found.count("equal"), len(optimality.worse(rows))


def behind(table: Table, key: str) -> tuple[float, float]:
    """Percentage points of training IBS ratio below ours: least and most of a data set's means."""
    means = []
    for name in dict.fromkeys(row["dataset"] for row in table.rows):
        group = [r for r in table.rows if (r["dataset"], r["program"]) == (name, key)]
        compared = [
            row for row in optimality.distinct(group) if row["verdict"] in ("ours better", "equal")
        ]
        lost = [100 * (float(r["ours_ibs_ratio"]) - float(r["ibs_ratio"])) for r in compared]
        means += [float(np.mean(lost))] if lost else []
    return min(means), max(means)


def times_ours(table: Table, key: str, depth: str) -> tuple[float, int, int]:
    """Seconds of a program / ours: geometric mean, data sets that both finish, sets it does not."""
    means = run_time.means_of(table)
    names = {row["dataset"] for row in table.rows}
    done = {name for name in names if (name, depth, key) in means}
    both = [name for name in done if (name, depth, "ours") in means]
    logs = [np.log(means[n, depth, key] / means[n, depth, "ours"]) for n in both]
    return float(np.exp(np.mean(logs))), len(both), len(names - done)


def long_lines() -> list[tuple[str, ...]]:
    """The table of the page of claims."""
    trees, times = tables()
    lines = []
    for rival in RIVALS:
        low, high = behind(trees, rival.key)
        ratios = [digits(times_ours(times, rival.key, depth)[0]) for depth in DEPTHS]
        lost = f"{low:.1f} to {high:.1f}" if high >= 0.05 else "0"
        compared = " / ".join(map(str, counts(trees, rival.key)))
        lines.append((rival.words, rival.kind, rival.takes, compared, lost, ", ".join(ratios)))
    return lines


def short_lines() -> list[tuple[str, ...]]:
    """The table of README."""
    trees, times = tables()
    lines = []
    for rival in RIVALS:
        three, five = (times_ours(times, rival.key, depth) for depth in ("3", "5"))
        missed = f" ({five[2]} data set{'s' * (five[2] > 1)} not finished)" if five[2] else ""
        compared = " / ".join(map(str, counts(trees, rival.key)))
        lines.append(
            (rival.words, rival.kind, compared, digits(three[0]), digits(five[0]) + missed)
        )
    return lines


def faster_line() -> str:
    """Which programs need fewer seconds than ours on average, and at which depths."""
    _, times = tables()
    told = []
    for rival in RIVALS:
        faster = [depth for depth in DEPTHS if times_ours(times, rival.key, depth)[0] < 1]
        if faster:
            told.append(f"{rival.words} at depth {' and '.join(faster)}")
    return f"Faster than ours on average: {', '.join(told)}." if told else ""
