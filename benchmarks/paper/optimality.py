"""Training IBS ratio by number of leaves, all programs: is any tree better than ours of its size?

    python -m benchmarks.paper.optimality --data FOLDER [--quick] [--limit 120] [--summary]

Eight of the paper's data sets, depth 1 to 8 (the paper counts the root: 2 to 9), at least 7 rows a
leaf. Ours finds the best tree of every number of leaves within a depth limit; each rival's tree is
scored by us and set beside ours of the same depth limit and at most as many leaves. A rival's tree
that is better than one of ours that is proven is a bug, of which this tells with exit status 1.
Where our search was stopped nothing is proven, and the row says so. A run may take --limit seconds
(120, with --quick 5); after a program was killed, its harder settings of that depth are left out.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.paper import settings
from benchmarks.paper.command import CLOSED_SOURCE, asked, groups_of, parsed, parser_of, printed
from benchmarks.paper.growers import RIVALS, Grower, Grown, Part, all_growers, parted
from benchmarks.paper.scoring import Training, smallest
from benchmarks.suites import MIN_SAMPLES_LEAF
from benchmarks.tables import Table, machine

FILE = "optimality.csv"
KEYS = ("dataset", "max_depth", "program")
FIELDS = (
    *KEYS,
    *("limit_s", "setting", "status", "seconds", "n_leaves", "depth", "ibs_ratio"),
    *("ours_ibs_ratio", "verdict"),
)
TOLERANCE = 1e-9
WORSE = "OURS WORSE"

Row = Mapping[str, str]


def rows_of(
    grown: Iterable[Grown], ours: list[Row], training: Training, depth: int
) -> list[dict[str, Any]]:
    """A row a tree; `ours` are the rows of our trees of that depth, if this is a rival."""
    out = []
    for tree in grown:
        row = {"setting": tree.setting, "status": tree.status}
        if tree.seconds is not None:
            row |= scored(tree, training) | {"seconds": f"{tree.seconds:.4g}"}
            if ours:
                row |= compared(tree, training.ratio(tree.leaves), ours, depth)
        out.append(row)
    return out


def scored(tree: Grown, training: Training) -> dict[str, Any]:
    ratio = training.ratio(tree.leaves)
    return {"n_leaves": tree.n_leaves, "depth": tree.depth, "ibs_ratio": f"{ratio:.12f}"}


def compared(tree: Grown, ratio: float, ours: list[Row], depth: int) -> dict[str, Any]:
    """Our best tree with at most as many leaves, and who is better."""
    best = max(float(o["ibs_ratio"]) for o in ours if int(o["n_leaves"]) <= tree.n_leaves)
    is_proven = all(o["status"] == "optimal" for o in ours)
    is_inside = tree.depth <= depth and smallest(tree.leaves) >= MIN_SAMPLES_LEAF
    verdict = verdict_of(ratio, best, is_proven=is_proven, is_inside=is_inside)
    return {"ours_ibs_ratio": f"{best:.12f}", "verdict": verdict}


def verdict_of(theirs: float, ours: float, *, is_proven: bool, is_inside: bool) -> str:
    """Who is better; `is_inside` tells whether their tree keeps the limits that ours keeps."""
    if not is_inside:
        return "breaks the limits"
    if theirs > ours + TOLERANCE:
        return WORSE if is_proven else "better than ours, which is not proven"
    return "equal" if theirs > ours - TOLERANCE else "ours better"


def run(table: Table, folder: Path, grid: settings.Grid) -> None:
    """Every data set, depth and program that is not in the table yet."""
    with all_growers() as growers:
        for name in grid.datasets:
            case = data.read(folder, name)
            training = Training.of(case.event, case.time)
            everything = np.arange(len(case.time))
            with parted(case, everything, everything[:1]) as part:
                for depth in grid.depths:
                    run_depth(table, growers, part, training, (name, depth), grid)


def run_depth(
    table: Table,
    growers: list[Grower],
    part: Part,
    training: Training,
    at: tuple[str, int],
    grid: settings.Grid,
) -> None:
    for grower in growers:
        if table.has(*at, grower.name):
            continue
        ours = [] if grower.name == "ours" else ours_in(table, *at)
        rows = rows_of(grower.grow(part, at[1], grid), ours, training, at[1])
        key = {**dict(zip(KEYS, at, strict=False)), "program": grower.name}
        key["limit_s"] = grid.limit_s
        table.add_all({**key, **row, **machine(grower)} for row in rows)


def ours_in(table: Table, dataset: str, depth: int) -> list[Row]:
    key = (dataset, str(depth), "ours")
    return [row for row in table.rows if tuple(row[name] for name in KEYS) == key]


def worse(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["verdict"] == WORSE]


def summary(table: Table) -> str:
    """By data set and rival: trees compared, how many ours beats, and by how much.

    Trees of one leaf are all alike and left out; so are repeats, which several settings may give.
    """
    lines = []
    for (name, program), group in groups_of(table, ("dataset", "program")).items():
        if program == "ours":
            continue
        rows = distinct(group)
        verdicts = [row["verdict"] for row in rows]
        lost = [
            100 * (float(row["ours_ibs_ratio"]) - float(row["ibs_ratio"]))
            for row in rows
            if row["verdict"] in ("ours better", "equal")
        ]
        counts = (len(lost), verdicts.count("ours better"), verdicts.count("equal"))
        killed = sum(row["status"].startswith("killed") for row in rows)
        shown = (f"{np.mean(lost):.2f}", f"{max(lost):.2f}") if lost else ("-", "-")
        others = len(rows) - len(lost) - killed
        lines.append((name, program, *map(str, counts), *shown, str(killed), str(others)))
    header = (
        *("data set", "program", "trees", "ours better", "equal"),
        *("mean points lost", "most", "killed", "other"),
    )
    better, equal = (sum(int(line[k]) for line in lines) for k in (3, 4))
    total = f"In all: ours better {better}, equal {equal}, worse {len(worse(table.rows))}."
    by_program = {
        name: [sum(int(line[k]) for line in lines if line[1] == name) for k in (3, 4)]
        for name in dict.fromkeys(line[1] for line in lines)
    }
    totals = [f"{name}: ours better {a}, equal {b}." for name, (a, b) in by_program.items()]
    names = {row["program"] for row in table.rows}
    absent = [f"{name}: no rows." for name in RIVALS if name not in names]
    bugs = told(worse(table.rows))
    return "\n".join([printed(header, lines), *totals, total, *absent, CLOSED_SOURCE, *bugs])


def distinct(rows: Iterable[Row]) -> list[Row]:
    """Trees of at least two leaves that differ in size or score, and runs that gave none."""
    names = ("max_depth", "n_leaves", "ibs_ratio", "status")
    larger = [row for row in rows if row["n_leaves"] != "1"]
    return list({tuple(row[name] for name in names): row for row in larger}.values())


def told(bugs: list[Row]) -> list[str]:
    names = (*KEYS, "setting", "n_leaves", "ibs_ratio", "ours_ibs_ratio")
    return [f"{WORSE}: " + ", ".join(f"{n} {row[n]}" for n in names) for row in bugs]


def main(argv: list[str] | None = None) -> int:
    arguments = parsed(parser_of(__doc__, has_limit=True, has_depths=True), FILE, argv=argv)
    table = Table(arguments.out / FILE, FIELDS, KEYS)
    if not arguments.summary:
        grid = settings.OPTIMALITY_QUICK if arguments.quick else settings.OPTIMALITY
        run(table, arguments.data, asked(grid, arguments))
    print(summary(table))
    return 1 if worse(table.rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
