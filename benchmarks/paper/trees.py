"""The trees that the paper shows: ours of the same size beside its numbers.

    python -m benchmarks.paper.trees --data FOLDER [--quick] [--summary]

The paper tells the number of leaves and the training IBS ratio of each tree, of the depth limit
only its grid. So ours is searched at several depth limits, with at least 7 rows a leaf (the paper's
rule elsewhere) and without such a rule (1 row), and the row that gives the paper's number tells
which limits that tree had. rpart, ctree and scikit-survival are run over their grids
(optimality.py) at such limits, and of the trees with as many leaves as the paper's the best is set
beside its number. Our trees are printed. Seconds in all; --quick changes nothing but the folder.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import data
from benchmarks.paper.command import parsed, parser_of, printed
from benchmarks.paper.growers import Grower, all_growers, parted
from benchmarks.paper.scoring import Training
from benchmarks.paper.settings import Grid
from benchmarks.tables import Table, machine, revision
from survtree import OptimalSurvivalTree, __version__, export_text

FILE = "trees.csv"
KEYS = ("dataset", "program", "n_leaves", "max_depth", "min_samples_leaf")
FIELDS = (*KEYS, "paper_ibs_ratio", "ibs_ratio", "status", "verdict")
# The paper prints two digits of a percentage, and may have cut the rest or rounded it.
DIGITS = 0.0101


@dataclass(frozen=True)
class Shown:
    """One tree of the paper: IBS ratio in percent."""

    dataset: str
    program: str
    n_leaves: int
    percent: float
    depths: tuple[int, ...]
    rows: tuple[int, ...]  # least in a leaf


PAPER = (
    Shown("veterans", "ours", 8, 32.83, (3, 4, 5), (7, 1)),
    Shown("veterans", "rpart", 10, 27.95, (4, 5, 6, 8), (7, 1)),
    Shown("churn", "ours", 7, 48.68, (3, 4, 5), (7, 1)),
    Shown("maintenance", "ours", 4, 73.25, (2, 3), (7, 1)),
    Shown("maintenance", "ctree", 4, 52.26, (2, 3), (7, 1)),
    Shown("maintenance", "sksurv", 4, 71.05, (2, 3), (7, 1)),
)


def verdict_of(percent: float, paper: float) -> str:
    """The paper's tree as good as this one, worse or better."""
    if abs(percent - paper) < DIGITS:
        return "same"
    return "better" if percent > paper else "less"


def our_model(case: data.Encoded, shown: Shown, depth: int, rows: int) -> OptimalSurvivalTree:
    """The best tree with at most as many leaves as the paper's."""
    model = OptimalSurvivalTree(
        depth, 0.0, max_leaves=shown.n_leaves, min_samples_leaf=rows, time_limit=120
    )
    X = {name: case.X[:, j] for j, name in enumerate(case.columns)}
    return model.fit(pl.DataFrame(X), (case.event, case.time))


def our_rows(case: data.Encoded, shown: Shown, table: Table) -> Iterator[dict[str, Any]]:
    for rows, depth in itertools.product(shown.rows, shown.depths):
        if table.has(shown.dataset, "ours", shown.n_leaves, depth, rows):
            continue
        model = our_model(case, shown, depth, rows)
        facts = {"max_depth": depth, "min_samples_leaf": rows, "status": model.status_}
        yield {**facts, **compared(100 * model.ibs_ratio_, shown)}


def compared(percent: float, shown: Shown) -> dict[str, Any]:
    told = {"paper_ibs_ratio": shown.percent, "ibs_ratio": f"{percent:.4f}"}
    return {**told, "verdict": verdict_of(percent, shown.percent)}


def rival_rows(
    case: data.Encoded, shown: Shown, grower: Grower, table: Table
) -> Iterator[dict[str, Any]]:
    """The best of a rival's trees that have as many leaves as the paper says."""
    training = Training.of(case.event, case.time)
    places = np.arange(len(case.time))
    with parted(case, places, places[:1]) as part:
        for rows, depth in itertools.product(shown.rows, shown.depths):
            if table.has(shown.dataset, grower.name, shown.n_leaves, depth, rows):
                continue
            grown = grower.grow(part, depth, Grid((), (), (), shown.n_leaves, 60.0, rows))
            found = [training.ratio(t.leaves) for t in grown if t.n_leaves == shown.n_leaves]
            facts = {"max_depth": depth, "min_samples_leaf": rows, "status": "fitted"}
            if found:
                yield {**facts, **compared(100 * max(found), shown)}
            else:
                none = {"paper_ibs_ratio": shown.percent, "verdict": "no tree of that size"}
                yield {**facts, **none}


def run(table: Table, folder: Path) -> None:
    """Every tree and limit that is not in the table yet."""
    with all_growers(("rpart", "ctree", "sksurv")) as growers:
        by_name = {grower.name: grower for grower in growers}
        for shown in PAPER:
            case = data.read(folder, shown.dataset)
            key = {n: getattr(shown, n) for n in ("dataset", "program", "n_leaves")}
            if shown.program == "ours":
                told = {**machine(), "programs": f"survtree {__version__}{revision()}"}
                rows = our_rows(case, shown, table)
            elif shown.program in by_name:
                told = machine(by_name[shown.program])
                rows = rival_rows(case, shown, by_name[shown.program], table)
            else:
                continue
            for row in rows:
                table.add({**key, **row, **told})


def explained(rows: list[Mapping[str, str]]) -> str:
    """What a number of the paper comes from, as far as our trees can tell."""
    same = [row for row in rows if row["verdict"] == "same"]
    better = [row for row in rows if row["verdict"] == "better"]
    out = "same as the paper's: " + ("; ".join(map(limits_of, same)) or "none")
    if better:
        most = max(better, key=lambda row: float(row["ibs_ratio"]))
        out += f"; better: {limits_of(most)}, {float(most['ibs_ratio']):.2f} %"
    return out


def limits_of(row: Mapping[str, str]) -> str:
    least = int(row["min_samples_leaf"])
    return f"depth {row['max_depth']}, at least {least} row{'s' if least > 1 else ''} a leaf"


def summary(table: Table) -> str:
    lines = [
        tuple(row[name] or "-" for name in (*KEYS, "paper_ibs_ratio", "ibs_ratio", "verdict"))
        for row in table.rows
    ]
    header = ("data set", "program", "leaves", "depth", "min rows", "paper %", "here %", "verdict")
    out = [printed(header, lines)]
    for shown in PAPER:
        key = (shown.dataset, shown.program, str(shown.n_leaves))
        rows = [row for row in table.rows if tuple(row[n] for n in KEYS[:3]) == key]
        name = f"{shown.dataset}, {shown.program}, {shown.n_leaves} leaves ({shown.percent} %)"
        out.append(f"{name}: {explained(rows) if rows else 'not run'}")
    return "\n".join(out)


def pictures(table: Table, folder: Path) -> str:
    """Our trees as text: those that are the same as the paper's, or the best ones."""
    out = []
    for shown in PAPER:
        rows = [
            row
            for row in table.rows
            if (row["dataset"], row["program"]) == (shown.dataset, "ours")
            and row["verdict"] == "same"
        ]
        if shown.program != "ours" or not rows:
            continue
        depth, least = int(rows[0]["max_depth"]), int(rows[0]["min_samples_leaf"])
        model = our_model(data.read(folder, shown.dataset), shown, depth, least)
        title = f"{shown.dataset}: {limits_of(rows[0])}, IBS ratio {100 * model.ibs_ratio_:.2f} %"
        out.append(f"{title}, {model.status_}\n{export_text(model)}")
    return "\n\n".join(out)


def main(argv: list[str] | None = None) -> None:
    arguments = parsed(parser_of(__doc__), FILE, argv=argv)
    table = Table(arguments.out / FILE, FIELDS, KEYS)
    if not arguments.summary:
        run(table, arguments.data)
        print(pictures(table, arguments.data))
    print(summary(table))


if __name__ == "__main__":
    main()
