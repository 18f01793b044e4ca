"""Seconds of all programs: 17 data sets, depth 1 to 5, 12 penalties per leaf.

    python -m benchmarks.paper.run_time --data FOLDER [--quick] [--limit 60] [--summary]

The paper counts the root: its depth is 2 to 6. Ours and osst are run once at each penalty,
ours without any reference model; SurTree (pystreed), scikit-survival, rpart and ctree have no such
penalty and are run three times a depth. One thread, at least 7 rows a leaf. A fit may take --limit
seconds (60, with --quick 5; the paper: 60 minutes) and is then killed, after which the program is
spared the cases of that data set that are no easier. Every adapter fits in a fresh process.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, household, suites
from benchmarks.paper import settings
from benchmarks.paper.command import CLOSED_SOURCE, asked, groups_of, parsed, parser_of, printed
from benchmarks.paper.growers import NAMES
from benchmarks.paper.timed import (
    FACTS,
    HAVE_A_PENALTY,
    READ_CSV,
    Timed,
    fitted,
    is_finished,
    ran_out,
    timed,
)
from benchmarks.tables import Table, machine

FILE = "run_time.csv"
KEYS = ("dataset", "program", "max_depth", "regularization", "run")
FIELDS = (*KEYS, "limit_s", *FACTS)
N_RUNS = 3

Key = tuple[str, str, int, Any, int]


def keys_of(grid: settings.Grid, programs: Sequence[str]) -> Iterator[Key]:
    """All runs, easy ones first: a program that a limit ended is spared those that are harder."""
    for name in grid.datasets:
        for depth in grid.depths:
            for program in programs:
                if program in HAVE_A_PENALTY:
                    yield from ((name, program, depth, value, 0) for value in grid.regularizations)
                else:
                    yield from ((name, program, depth, "", run) for run in range(N_RUNS))


def is_hopeless(key: Key, rows: Sequence[Mapping[str, str]]) -> bool:
    """Whether a limit ended the program on a case of this set that is no harder."""
    name, program, depth, penalty, _ = key
    return any(
        (row["dataset"], row["program"]) == (name, program)
        and ran_out(row)
        and int(row["max_depth"]) <= depth
        and (penalty == "" or float(row["regularization"]) >= penalty)
        for row in rows
    )


class Sources:
    """Files of the data sets; household, which is none of text, is written as one if need be."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder, self.scratch = folder, scratch

    def of(self, name: str, program: str) -> data.Source:
        source = data.locate(self.folder, name)
        # R sees the same columns as everybody: without one that only numbers the rows.
        in_r = program in ("rpart", "ctree")
        if not (in_r or (source.path.suffix == ".npz" and program in READ_CSV)):
            return source
        path = self.scratch / f"{name}.csv"
        if not path.exists():
            household.written(path, arrays_of(self.folder, name), True)
        return data.Source(path)


def arrays_of(folder: Path, name: str) -> dict[str, np.ndarray]:
    if name == "household":
        with np.load(data.locate(folder, name).path) as file:
            return {part: file[part] for part in ("X", "event", "time")}
    case = data.read(folder, name)
    return {"X": case.X, "event": case.event, "time": case.time}


def run(table: Table, folder: Path, grid: settings.Grid) -> None:
    """Everything that is not in the table yet."""
    with timed(NAMES) as programs, tempfile.TemporaryDirectory() as scratch:
        sources = Sources(folder, Path(scratch))
        for key in keys_of(grid, tuple(programs)):
            if not table.has(*key):
                facts = run_one(programs[key[1]], sources, key, grid.limit_s, table)
                named = dict(zip(KEYS, key, strict=True))
                table.add({**named, "limit_s": grid.limit_s, **facts, **machine(programs[key[1]])})


def run_one(
    program: Timed, sources: Sources, key: Key, limit_s: float, table: Table
) -> dict[str, Any]:
    name, _, depth, penalty, _ = key
    if is_hopeless(key, table.rows):
        return {"status": "skipped"}
    case = suites.Case(name, depth, penalty or 0.0)
    return fitted(program, sources.of(name, program.name), case, limit_s)


def interval(seconds: Sequence[float]) -> str:
    """Mean and 95 % interval of it (normal) over the penalties or runs that finished."""
    if not seconds:
        return "-"
    mean = np.mean(seconds)
    half = 1.96 * np.std(seconds, ddof=1) / np.sqrt(len(seconds)) if len(seconds) > 1 else 0.0
    return f"{mean:.3g} +- {round(half, 9):.2g}"


def cell(rows: Sequence[Mapping[str, str]]) -> str:
    """Seconds, and how many runs did not finish."""
    done = [float(row["seconds"]) for row in rows if is_finished(row)]
    lost = len(rows) - len(done)
    return interval(done) + (f" ({lost} of {len(rows)} not finished)" if lost else "")


def summary(table: Table) -> str:
    """A line a data set and depth, a column a program."""
    groups = groups_of(table, ("dataset", "max_depth"))
    names = [name for name in NAMES if any(row["program"] == name for row in table.rows)]
    lines = [
        (*key, *(cell([row for row in rows if row["program"] == name]) for name in names))
        for key, rows in groups.items()
    ]
    note = "Seconds: mean +- half of the 95 % interval over penalties (ours, osst) or runs."
    shown = [printed(("data set", "depth", *names), lines), note, "", *ratios(table, names)]
    return "\n".join([*shown, CLOSED_SOURCE])


def means_of(table: Table) -> dict[tuple[str, str, str], float]:
    """Mean seconds by data set, depth and program, where every run finished.

    Of those that finished alone a mean would say how easy they were.
    """
    groups = groups_of(table, ("dataset", "max_depth", "program"))
    return {
        key: float(np.mean([float(row["seconds"]) for row in rows]))
        for key, rows in groups.items()
        if all(map(is_finished, rows))
    }


def ratios(table: Table, names: Sequence[str]) -> list[str]:
    """By depth: how many times our seconds each program takes, over the sets that both finish."""
    means = means_of(table)
    lines = []
    for depth in dict.fromkeys(row["max_depth"] for row in table.rows):
        cells = []
        for name in names[1:]:
            sets = [n for n, d, p in means if (d, p) == (depth, name) and (n, d, "ours") in means]
            logs = [np.log(means[n, depth, name] / means[n, depth, "ours"]) for n in sets]
            cells.append(f"{np.exp(np.mean(logs)):.3g} ({len(sets)})" if logs else "-")
        lines.append((depth, *cells))
    note = "Seconds / ours: geometric mean over the data sets (how many) that both finish entirely."
    return [printed(("depth", *names[1:]), lines), note]


def main(argv: list[str] | None = None) -> None:
    arguments = parsed(parser_of(__doc__, has_limit=True, has_depths=True), FILE, argv=argv)
    table = Table(arguments.out / FILE, FIELDS, KEYS)
    if not arguments.summary:
        grid = settings.RUN_TIME_QUICK if arguments.quick else settings.RUN_TIME
        run(table, arguments.data, asked(grid, arguments))
    print(summary(table))


if __name__ == "__main__":
    main()
