"""Seconds by number of rows: household at 100 to 2,049,280 rows with 20, 50 and 80 % censoring.

    python -m benchmarks.paper.scalability --data FOLDER [--quick] [--limit 600] [--summary]

Depth 4 (the paper counts the root: 5), regularization 0.01, at least 7 rows a leaf. The file has 20
% censored rows; for 50 and 80 % some events, drawn with a fixed seed, are called censored at the
same time. Rows are in one random order (fixed seed) and a part is its beginning. A fit may take
--limit seconds (600; with --quick 5) and is then killed; a program that was killed is spared larger
parts.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, household, suites
from benchmarks.paper import settings
from benchmarks.paper.command import CLOSED_SOURCE, asked, groups_of, parsed, parser_of, printed
from benchmarks.paper.growers import NAMES
from benchmarks.paper.timed import FACTS, READ_CSV, Timed, fitted, is_finished, ran_out, timed
from benchmarks.tables import Table, machine

FILE = "scalability.csv"
KEYS = ("program", "censored", "rows")
FIELDS = (*KEYS, "max_depth", "regularization", "limit_s", "censored_share", *FACTS)
SEED = 0

Arrays = Mapping[str, np.ndarray]


def shuffled(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        arrays = {name: file[name] for name in ("X", "event", "time")}
    order = np.random.default_rng(SEED).permutation(len(arrays["X"]))
    return {name: values[order] for name, values in arrays.items()}


def censored_more(event: np.ndarray, percent: int) -> np.ndarray:
    """Events, of which so many are called censored that about this share of the rows is.

    Each event has a number of its own, so what is censored at 50 % also is at 80 %.
    """
    is_event = event == 1
    kept = min(1.0, (1 - percent / 100) / is_event.mean())
    draw = np.random.default_rng(SEED + 1).random(len(event))
    more: np.ndarray = is_event & (draw < kept)
    # The file itself has 20 %: nothing is drawn where that is asked for.
    return more if percent / 100 > 1 - is_event.mean() + 0.005 else is_event


def is_hopeless(program: str, censored: int, rows: Sequence[Mapping[str, str]]) -> bool:
    """Whether a smaller part with as much censoring was too much for the program."""
    return any(
        (row["program"], row["censored"]) == (program, str(censored)) and ran_out(row)
        for row in rows
    )


def run(table: Table, path: Path, sizes: settings.Sizes) -> None:
    """Everything that is not in the table yet, small parts first."""
    arrays = shuffled(path)
    with timed(NAMES) as programs:
        for percent in sizes.censored:
            event = censored_more(arrays["event"], percent)
            for n_rows in sizes.rows:
                part = {name: values[:n_rows] for name, values in arrays.items()}
                part["event"] = event[:n_rows].astype(np.uint8)
                run_part(table, programs, part, percent, sizes)


def run_part(
    table: Table,
    programs: Mapping[str, Timed],
    part: Arrays,
    percent: int,
    sizes: settings.Sizes,
) -> None:
    n_rows = len(part["time"])
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs.items():
            if table.has(name, percent, n_rows):
                continue
            facts: dict[str, Any] = {"status": "skipped"}
            if not is_hopeless(name, percent, table.rows):
                source = source_of(Path(folder) / "part", part, name)
                case = suites.Case("household", sizes.max_depth, sizes.regularization)
                facts = fitted(program, source, case, sizes.limit_s)
            key = dict(zip(KEYS, (name, percent, n_rows), strict=True))
            how = {n: getattr(sizes, n) for n in ("max_depth", "regularization", "limit_s")}
            share = {"censored_share": f"{1 - part['event'].mean():.4f}"}
            table.add({**key, **how, **share, **facts, **machine(program)})


def source_of(path: Path, part: Arrays, program: str) -> data.Source:
    """The part as a file that the program reads, written once."""
    is_csv = program in READ_CSV
    file = path.with_suffix(".csv" if is_csv else ".npz")
    return data.Source(file) if file.exists() else household.written(path, part, is_csv)


def shown(rows: Sequence[Mapping[str, str]]) -> str:
    if not rows:
        return "-"
    row = rows[0]
    return f"{float(row['seconds']):.3g}" if is_finished(row) else row["status"]


def summary(table: Table) -> str:
    """Seconds: a line a part, a column a program."""
    names = [name for name in NAMES if any(row["program"] == name for row in table.rows)]
    lines = [
        (
            f"{censored} %",
            f"{int(n_rows):,}",
            *(shown([row for row in rows if row["program"] == name]) for name in names),
        )
        for (censored, n_rows), rows in groups_of(table, ("censored", "rows")).items()
    ]
    return "\n".join([printed(("censored", "rows", *names), lines), "Seconds.", CLOSED_SOURCE])


def main(argv: list[str] | None = None) -> None:
    arguments = parsed(parser_of(__doc__, has_limit=True), FILE, argv=argv)
    table = Table(arguments.out / FILE, FIELDS, KEYS)
    if not arguments.summary:
        sizes = settings.SCALABILITY_QUICK if arguments.quick else settings.SCALABILITY
        run(table, data.locate(arguments.data, "household").path, asked(sizes, arguments))
    print(summary(table))


if __name__ == "__main__":
    main()
