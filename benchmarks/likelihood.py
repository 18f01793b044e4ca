"""Seconds of SurTree (pystreed), divided by ours, on the same loss: the likelihood.

    python -m benchmarks.likelihood --data FOLDER [--depths 3 4 5] [--limit 120] [--repeats 3]

Both minimise LeBlanc and Crowley's loss over the same questions at depth 3, 4 and 5, with at least
7 rows per leaf and without a penalty: ours with `loss="likelihood"`. `ours_loss` and `streed_loss`
are the losses of the two trees by our definition, `streed_score` is what SurTree says of its own.
On some sets that is not the definition's number, and there its tree may be worse by the definition.
`better` says whose tree is. Runs alternate; SurTree runs once if it needs 2 s or more. Cases that
are already in the output file are not run again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks import data, suites
from benchmarks.programs import Program, Request, request, started
from benchmarks.rivals.reading import read_arrays
from benchmarks.runner import geometric_mean
from benchmarks.streed import NAMES, PER_PROGRAM, measure_both, shown
from benchmarks.tables import CASE, Table, machine, parsed, parser_of
from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._scoring.losses import LikelihoodLossByDefinition

FIELDS = (
    *CASE,
    *("ratio", "better", "ours_loss", "streed_loss", "streed_score"),
    *(f"{program}_{name}" for program in NAMES for name in PER_PROGRAM),
)
TIE = 1e-9


def losses_of(asked: Request, trees: Mapping[str, Any]) -> dict[str, float]:
    """The loss of each tree by its definition."""
    rows = read_arrays(asked)
    losses = LikelihoodLossByDefinition(EventTable(rows.event, rows.time, np.ones(len(rows.time))))
    found = {}
    for name, arrays in trees.items():
        tree = Tree(*(np.array(each, dtype=np.int32) for each in arrays))
        nodes = tree.apply(len(rows.time), lambda j: rows.X[:, j] != 0)
        found[name] = losses.tree_loss(nodes)
    return found


def measure(
    programs: Mapping[str, Program], case: suites.Case, asked: Request, repeats: int
) -> dict[str, Any]:
    """One row: medians of both programs, and the losses of both trees."""
    row, theirs, ours = measure_both(programs, case, asked, repeats)
    row["streed_score"] = theirs.get("score", "")
    found = {
        name: each["tree"] for name, each in (("streed", theirs), ("ours", ours)) if "tree" in each
    }
    losses = losses_of(asked, found)
    row |= {f"{name}_loss": loss for name, loss in losses.items()}
    if len(losses) == 2:
        excess = losses["streed"] - losses["ours"]
        row["better"] = "ours" if excess > TIE else "streed" if excess < -TIE else "equal"
    return row


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    """A line a case, and the geometric mean of each depth and of all, where both finished."""
    lines = [
        f"depth {row['max_depth']}, {row['dataset']}: SurTree {shown(row, 'streed')}, "
        f"ours {shown(row, 'ours')}"
        + (f", ratio {float(row['ratio']):.2f}" if row["ratio"] else "")
        + (f", better: {row['better']}" if row["better"] else "")
        for row in rows
    ]
    for depth in sorted({row["max_depth"] for row in rows}):
        lines.append(_mean([row for row in rows if row["max_depth"] == depth], f"depth {depth}"))
    lines.append(_mean(rows, "all depths"))
    by_set: dict[str, list[float]] = {}
    for row in rows:
        if row["ratio"]:
            by_set.setdefault(row["dataset"], []).append(float(row["ratio"]))
    if by_set:
        name, ratios = min(by_set.items(), key=lambda pair: geometric_mean(pair[1]))
        lines.append(f"lowest mean of a data set: {name}, {geometric_mean(ratios):.2f}")
    return "\n".join(lines)


def _mean(rows: Sequence[Mapping[str, str]], what: str) -> str:
    ratios = [float(row["ratio"]) for row in rows if row["ratio"]]
    if not ratios:
        return f"{what}: no case on which both finished"
    n_worse = sum(row["better"] == "streed" for row in rows)
    return (
        f"SurTree / ours, {what}, {len(ratios)} cases: geometric mean "
        f"{geometric_mean(ratios):.2f}, lowest {min(ratios):.2f}; our tree is worse in {n_worse}"
    )


def main() -> None:
    parser = parser_of(__doc__, "likelihood.csv")
    parser.add_argument("--names", nargs="+", default=data.NAMES, choices=data.NAMES)
    parser.add_argument("--depths", nargs="+", type=int, default=suites.LIKELIHOOD_DEPTHS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fit")
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS)
    if not arguments.summary:
        with started(*NAMES) as programs:
            for case in suites.grid(tuple(arguments.depths), tuple(arguments.names), (0.0,)):
                if table.has(*asdict(case).values()):
                    continue
                source = data.locate(arguments.data, case.dataset)
                splits = 2**case.max_depth - 1
                asked = request(
                    source, case, arguments.limit, max_num_nodes=splits, loss="likelihood"
                )
                row = measure(programs, case, asked, arguments.repeats)
                table.add({**row, **machine(*programs.values())})
    print(summary(table.rows))


if __name__ == "__main__":
    main()
