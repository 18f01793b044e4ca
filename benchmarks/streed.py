"""Seconds of STreeD (pystreed), divided by ours, at depth 4 on 16 data sets.

    python -m benchmarks.streed --data FOLDER [--limit 120] [--repeats 3]

Both return the best tree of at most 15 splits with at least 7 rows per leaf, STreeD by its own
loss, ours by the integrated Brier score at regularization 0: both search the same set of trees, but
the objectives cannot be compared. Runs alternate; STreeD runs once if it needs 2 s or more. Cases
that are already in the output file are not run again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import data, suites
from benchmarks.programs import Program, Request, request, started
from benchmarks.runner import columns, geometric_mean, in_turns, medians, rounded
from benchmarks.tables import CASE, Table, machine, parsed, parser_of

PER_PROGRAM = ("status", "seconds", "runs", "n_leaves", "bytes")
NAMES = ("streed", "ours")
FIELDS = (
    *CASE,
    "ratio",
    "ours_objective",
    *(f"{program}_{name}" for program in NAMES for name in PER_PROGRAM),
)


def measure_both(
    programs: Mapping[str, Program], case: suites.Case, asked: Request, repeats: int
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A row with their ratio, if both finished, and the medians of STreeD and of ours."""
    answers = in_turns(programs, dict.fromkeys(NAMES, asked), repeats)
    theirs, ours = medians(answers["streed"]), medians(answers["ours"])
    row = {
        **asdict(case),
        **columns("streed", theirs, PER_PROGRAM),
        **columns("ours", ours, PER_PROGRAM),
    }
    if theirs["status"] == ours["status"] == "optimal":
        row["ratio"] = rounded(theirs["seconds"] / ours["seconds"])
    return row, theirs, ours


def measure(
    programs: Mapping[str, Program], case: suites.Case, asked: Request, repeats: int
) -> dict[str, Any]:
    """One row: medians of both programs."""
    row, _, ours = measure_both(programs, case, asked, repeats)
    return {**row, "ours_objective": ours.get("objective", "")}


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    """A line a data set, and the geometric mean where both finished."""
    lines = [
        f"{row['dataset']}: STreeD {shown(row, 'streed')}, ours {shown(row, 'ours')}"
        + (f", ratio {float(row['ratio']):.2f}" if row["ratio"] else "")
        for row in rows
    ]
    ratios = [float(row["ratio"]) for row in rows if row["ratio"]]
    if not ratios:
        return "\n".join([*lines, "no case on which both finished"])
    mean = geometric_mean(ratios)
    return "\n".join([*lines, f"STreeD / ours, {len(ratios)} cases: geometric mean {mean:.2f}"])


def shown(row: Mapping[str, str], program: str) -> str:
    seconds = row[f"{program}_seconds"]
    return (
        f"{row[f'{program}_status']} {float(seconds):.3g} s"
        if seconds
        else row[f"{program}_status"]
    )


def main() -> None:
    parser = parser_of(__doc__, "streed.csv")
    parser.add_argument("--names", nargs="+", default=data.NAMES, choices=data.NAMES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fit")
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS)
    if not arguments.summary:
        with started(*NAMES) as programs:
            for case in suites.STREED:
                if case.dataset not in arguments.names or table.has(*asdict(case).values()):
                    continue
                source = data.locate(arguments.data, case.dataset)
                splits = suites.STREED_MAX_SPLITS
                asked = request(source, case, arguments.limit, max_num_nodes=splits)
                row = measure(programs, case, asked, arguments.repeats)
                table.add({**row, **machine(*programs.values())})
    print(summary(table.rows))


if __name__ == "__main__":
    main()
