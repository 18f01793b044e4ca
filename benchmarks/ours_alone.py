"""What the tables without a rival share: one run of ours a case, one row each."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import data, suites
from benchmarks.programs import request, started
from benchmarks.runner import medians
from benchmarks.tables import CASE, Table, machine

FACTS = ("status", "seconds", "objective", "lower_bound", "n_leaves", "depth", "bytes")
COUNTS = ("subsets_solved", "cache_bytes")
FIELDS = (*CASE, *FACTS, *COUNTS)


def run(
    table: Table, cases: Iterable[suites.Case], folder: Path, limit_s: float, **more: Any
) -> None:
    """All cases that are not in the table yet; `more` goes into the requests."""
    with started("ours") as programs:
        ours = programs["ours"]
        for case in cases:
            if table.has(*asdict(case).values()):
                continue
            asked = request(data.locate(folder, case.dataset), case, limit_s, **more)
            table.add({**asdict(case), **facts(medians([ours.fit(asked)])), **machine(ours)})


def facts(answer: dict[str, Any]) -> dict[str, Any]:
    """Blank where a killed run has nothing to say."""
    counts = answer.get("counts", {})
    return {name: answer.get(name, "") for name in FACTS} | {
        name: counts.get(name, "") for name in COUNTS
    }


def shown(row: dict[str, str]) -> str:
    """A row as a line for the summary."""
    seconds = f"{float(row['seconds']):.3g} s" if row["seconds"] else "-"
    return (
        f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']}: "
        f"{row['status']}, {seconds}, {row['n_leaves']} leaves"
    )
