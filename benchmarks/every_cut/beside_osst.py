"""Part osst: osst on the paper's 0/1 columns, ours on every cut of the raw table."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import data, suites
from benchmarks.every_cut.part import (
    EVERY_CUT,
    FACTS,
    Part,
    Row,
    chosen,
    facts_of_fit,
    middle,
    origin,
    size_words,
)
from benchmarks.new_rows import tables
from benchmarks.programs import Program, request, started
from benchmarks.runner import Answer, Fits, columns, in_turns, rounded
from benchmarks.tables import Table

# osst counts the nodes of a path; its adapter adds one, and converts the penalty.
THEIRS = suites.Case("whas500", 4, 0.0015)
OURS = ("whas500", "GBSG2")
DEPTH, REGULARIZATION = 3, 0.005
PER_OSST = ("status", "seconds", "runs", "objective")
FIELDS = (
    *("dataset", "max_depth", "regularization", "ratio", "search_ratio", *FACTS, "runs"),
    *(f"osst_{name}" for name in PER_OSST),
)


@dataclass(frozen=True)
class EveryCut:
    """Our fit of a table, in the place of a program."""

    rows: tables.Rows

    def fit(self, request: Mapping[str, Any]) -> Answer:
        return facts_of_fit(
            self.rows,
            **EVERY_CUT,
            max_depth=DEPTH,
            regularization=REGULARIZATION,
            min_samples_leaf=suites.MIN_SAMPLES_LEAF,
        )


def run(table: Table, arguments: argparse.Namespace) -> None:
    """Our tables and osst in turns; all rows are measured together."""
    names = chosen(OURS, arguments.tables)
    if all(map(table.has, names)):
        return
    source = data.locate(arguments.data, THEIRS.dataset)
    with started("osst") as programs:
        osst = programs["osst"]
        fits: dict[str, Fits] = {"osst": osst}
        fits |= {name: EveryCut(tables.load(name)) for name in names}
        asked: dict[str, dict[str, Any]] = {name: {} for name in fits}
        asked["osst"] = request(source, THEIRS, arguments.limit)
        found = in_turns(fits, asked, arguments.repeats, steady=tuple(fits))
        theirs = middle(found["osst"])
        rows = [row_of(name, middle(found[name]), theirs) for name in names]
        table.add_all({**row, **both(osst)} for row in rows if not table.has(row["dataset"]))


def both(osst: Program) -> dict[str, Any]:
    facts = origin()
    return {**facts, "programs": f"{osst.version}; {facts['programs']}"}


def row_of(name: str, ours: Answer, theirs: Answer) -> Answer:
    row = {
        "dataset": name,
        "max_depth": DEPTH,
        "regularization": REGULARIZATION,
        **ours,
        **columns("osst", theirs, PER_OSST),
    }
    if theirs["status"] == "closed":
        row["ratio"] = rounded(ours["seconds"] / theirs["seconds"])
        row["search_ratio"] = rounded(ours["search_seconds"] / theirs["seconds"])
    return row


def summary(rows: Sequence[Row]) -> list[str]:
    return [line_of(row) for row in rows]


def line_of(row: Row) -> str:
    theirs = (
        f"osst on {THEIRS.dataset} as 0/1 columns, depth {THEIRS.max_depth}, penalty "
        f"{THEIRS.regularization}: {row['osst_status']}"
    )
    ours = (
        f"ours on every cut of {row['dataset']} ({size_words(row)}), depth {row['max_depth']}, "
        f"penalty {row['regularization']}: {row['status']}, {float(row['seconds']):.3g} s"
    )
    if not row["ratio"]:
        return f"{theirs}; {ours}"
    return (
        f"{theirs}, {float(row['osst_seconds']):.3g} s; {ours}; ours / osst "
        f"{float(row['ratio']):.3g} (the search alone {float(row['search_ratio']):.3g})"
    )


PART = Part("osst", FIELDS, ("dataset",), run, summary)
