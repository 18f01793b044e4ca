"""Parts that fit raw tables as a user does: depth2, depth4 and default."""

import argparse
import statistics
from collections.abc import Sequence

from benchmarks.every_cut.part import (
    EVERY_CUT,
    FACTS,
    Part,
    Row,
    chosen,
    facts_of_fit,
    gap_words,
    is_proven,
    loaded,
    origin,
    size_words,
)
from benchmarks.new_rows import tables
from benchmarks.suites import MIN_SAMPLES_LEAF
from benchmarks.tables import Table

DATASET = ("dataset",)
# depth2
MOST_ROWS, MOST_COLUMNS = 10_000, 100
SHALLOW = {"max_depth": 2, "regularization": 0.005, "time_limit": 60.0}
# depth4: table and penalty; the time limit is that of the fit
DEEP = {"veteran": 0.002, "larynx": 0.005, "cancer": 0.005, "rossi": 0.005, "pbc": 0.005}
DEEP_LIMIT_S = 600.0
# default: as a user fits, and without the search over every cut
DEFAULT = {"max_depth": 3, "missing": "question"}
THRESHOLDS = {"chosen": {}, "auto": "auto"}
QUICK_S = 10.0


def run_depth2(table: Table, arguments: argparse.Namespace) -> None:
    """Every table that is not too large for the question."""
    names = chosen(tables.names(), arguments.tables)
    for rows in loaded(names, table.has):
        if len(rows.X) > MOST_ROWS or rows.X.shape[1] > MOST_COLUMNS:
            continue
        options = {**EVERY_CUT, **SHALLOW, "min_samples_leaf": MIN_SAMPLES_LEAF}
        table.add({"dataset": rows.name, **facts_of_fit(rows, **options), **origin()})


def run_depth4(table: Table, arguments: argparse.Namespace) -> None:
    """A few small tables."""
    for rows in loaded(chosen(DEEP, arguments.tables), table.has):
        found = facts_of_fit(
            rows,
            **EVERY_CUT,
            max_depth=4,
            regularization=DEEP[rows.name],
            min_samples_leaf=MIN_SAMPLES_LEAF,
            time_limit=DEEP_LIMIT_S,
        )
        penalty = {"regularization": DEEP[rows.name]}
        table.add({"dataset": rows.name, **penalty, **found, **origin()})


def run_default(table: Table, arguments: argparse.Namespace) -> None:
    """Every table, first over the cuts that a fit chooses, then as a fit does by itself."""

    def is_done(name: str) -> bool:
        return all(table.has(name, thresholds) for thresholds in THRESHOLDS)

    for rows in loaded(chosen(tables.names(), arguments.tables), is_done):
        for kind, thresholds in THRESHOLDS.items():
            if not table.has(rows.name, kind):
                found = facts_of_fit(rows, **DEFAULT, thresholds=thresholds)
                key = {"dataset": rows.name, "thresholds": kind}
                table.add({**key, **found, **origin()})


def proven_line(rows: Sequence[Row], what: str) -> str:
    """How many were proven, and the seconds of all."""
    seconds = [float(row["seconds"]) for row in rows]
    searches = [float(row["search_seconds"]) for row in rows]
    slowest = max(rows, key=lambda row: float(row["seconds"]))
    return (
        f"{what}: {sum(map(is_proven, rows))} of {len(rows)} tables proven; whole fits take a "
        f"median of {statistics.median(seconds):.3g} s, at most {max(seconds):.3g} s "
        f"({slowest['dataset']}); searches alone {statistics.median(searches):.3g} s and at most "
        f"{max(searches):.3g} s"
    )


def open_lines(rows: Sequence[Row]) -> list[str]:
    return [f"  not proven: {gap_words(row)}" for row in rows if not is_proven(row)]


def depth2_lines(rows: Sequence[Row]) -> list[str]:
    what = f"depth 2, penalty {SHALLOW['regularization']}, limit {SHALLOW['time_limit']:.0f} s"
    return [proven_line(rows, what), *open_lines(rows)]


def depth4_lines(rows: Sequence[Row]) -> list[str]:
    lines = [
        f"  {row['dataset']}, penalty {row['regularization']} ({size_words(row)}): "
        f"{row['status']}, {float(row['seconds']):.3g} s, {row['n_leaves']} leaves"
        for row in rows
    ]
    return [proven_line(rows, f"depth 4, limit {DEEP_LIMIT_S:.0f} s"), *lines, *open_lines(rows)]


def default_lines(rows: Sequence[Row]) -> list[str]:
    """Both kinds of thresholds, and the objectives of one against the other."""
    lines: list[str] = []
    by_kind = {kind: [row for row in rows if row["thresholds"] == kind] for kind in THRESHOLDS}
    for kind, some in by_kind.items():
        if some:
            lines += [proven_line(some, f"defaults, depth 3, thresholds {kind!r}")]
    found = by_kind["auto"]
    if not found:
        return lines
    n_quick = sum(is_over_every_cut(r) and float(r["search_seconds"]) <= QUICK_S for r in found)
    lines.append(
        f"  proven over every cut with at most {QUICK_S:.0f} s of search: {n_quick} of "
        f"{len(found)} tables ({100 * n_quick / len(found):.0f} %)"
    )
    left = [row for row in found if not is_over_every_cut(row)]
    return [
        *lines,
        *refined_lines(by_kind["chosen"], left),
        *change_lines(by_kind["chosen"], found),
        *open_lines(found),
    ]


def refined_lines(chosen_cuts: Sequence[Row], refined: Sequence[Row]) -> list[str]:
    """What refining the tree over chosen cuts did, where every cut is too much; seconds of both."""
    before = {row["dataset"]: row for row in chosen_cuts if is_comparable(row)}
    both = [
        (before[row["dataset"]], row)
        for row in refined
        if row["dataset"] in before and is_comparable(row)
    ]
    if not both:
        return []
    changes = [float(new["objective"]) / float(old["objective"]) - 1 for old, new in both]
    parts = [
        f"{new['dataset']} {100 * change:+.1f} % ({float(old['seconds']):.3g} s, "
        f"{float(new['seconds']):.3g} s)"
        for (old, new), change in zip(both, changes, strict=True)
    ]
    mean = 100 * statistics.fmean(changes)
    return [
        f"  over chosen cuts, then refined: {len(both)} tables, objective {mean:+.1f} % on "
        f"average; with the seconds of fits without and with what follows: {', '.join(parts)}"
    ]


def is_over_every_cut(row: Row) -> bool:
    return is_proven(row) and row["is_every_cut"] == "True"


def change_lines(chosen_cuts: Sequence[Row], every: Sequence[Row]) -> list[str]:
    """How much lower or higher the objective is than over chosen cuts; below 0 is better."""
    before = {row["dataset"]: row for row in chosen_cuts if is_comparable(row)}
    changes = {
        row["dataset"]: float(row["objective"]) / float(before[row["dataset"]]["objective"]) - 1
        for row in every
        if row["dataset"] in before and is_comparable(row)
    }
    if not changes:
        return []
    worst = max(changes, key=lambda name: changes[name])
    mean = statistics.fmean(changes.values())
    n_left = len(every) - len(changes)
    left = f"; {n_left} tables are left out, whose teacher was cut short" if n_left else ""
    return [
        f"  objective against that over chosen cuts, {len(changes)} tables: mean change "
        f"{100 * mean:+.2f} %, worst {100 * changes[worst]:+.2f} % ({worst}){left}"
    ]


def is_comparable(row: Row) -> bool:
    """Whether the teacher is the same in every fit of the table, and so the objective."""
    return row["is_teacher_cut"] == "False"


DEPTH2 = Part("depth2", (*DATASET, *FACTS), DATASET, run_depth2, depth2_lines)
DEPTH4 = Part("depth4", (*DATASET, "regularization", *FACTS), DATASET, run_depth4, depth4_lines)
DEFAULTS = Part(
    "default",
    ("dataset", "thresholds", *FACTS, "is_teacher_cut", "is_every_cut"),
    ("dataset", "thresholds"),
    run_default,
    default_lines,
)
