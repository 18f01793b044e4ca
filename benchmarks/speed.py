"""Seconds and memory of osst, divided by ours, case by case.

    python -m benchmarks.speed --data FOLDER [--depths 2 3 4] [--names gbsg2] [--limit 120]
    python -m benchmarks.speed --summary

Each case runs osst, ours, osst, ours, ... in fresh processes; a row holds the medians. Where osst
needs 2 s or more it is run once; ours is always repeated. Once osst exceeds the limit on a data
set, it is not run on the harder cases of that set (at least as deep, and at most as large a penalty
per leaf); ours is. Cases that are already in the output file are not run again.
Both programs use one thread.

The summary covers cases on which osst needs 20 ms to 120 s. Bytes are the peak above what
the imports took; their ratio covers cases on which osst takes over 1 GB.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import data, suites
from benchmarks.programs import Program, request, started
from benchmarks.runner import by_group, columns, geometric_mean, in_turns, medians, rounded, verdict
from benchmarks.tables import CASE, Table, machine, parsed, parser_of

PER_PROGRAM = ("status", "seconds", "runs", "objective", "bytes")
FIELDS = (
    *CASE,
    "ratio",
    "verdict",
    *(f"osst_{name}" for name in PER_PROGRAM),
    *(f"ours_{name}" for name in PER_PROGRAM),
)
COUNTED_SECONDS = (0.02, 120.0)
COUNTED_BYTES = 1e9
SKIPPED = "skipped: slower case exceeded the limit"

Row = Mapping[str, str]


def is_hopeless(case: suites.Case, rows: Sequence[Row]) -> bool:
    """Whether osst was killed on a case of this set that is no harder than this one."""
    return any(
        row["dataset"] == case.dataset
        and row["osst_status"].startswith("killed")
        and int(row["max_depth"]) <= (case.max_depth or 0)
        and float(row["regularization"]) >= case.regularization
        for row in rows
    )


def measure(
    programs: Mapping[str, Program],
    source: data.Source,
    case: suites.Case,
    limit_s: float,
    repeats: int,
    is_skipped: bool,
) -> dict[str, Any]:
    """One row: medians of both programs, or of ours alone."""
    names = ("ours",) if is_skipped else ("osst", "ours")
    asked = {name: request(source, case, limit_s) for name in names}
    answers = in_turns(programs, asked, repeats)
    theirs = {"status": SKIPPED} if is_skipped else within(limit_s, medians(answers["osst"]))
    ours = medians(answers["ours"])
    row = {
        **asdict(case),
        "verdict": verdict(theirs, ours),
        **columns("osst", theirs, PER_PROGRAM),
        **columns("ours", ours, PER_PROGRAM),
    }
    if theirs["status"] == "closed" and ours["status"] == "optimal":
        row["ratio"] = rounded(theirs["seconds"] / ours["seconds"])
    return row


def within(limit_s: float, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, unless it came in the seconds of grace that are meant for reading the data."""
    return answer if answer.get("seconds", 0.0) <= limit_s else {"status": "killed"}


def run(
    table: Table, cases: Sequence[suites.Case], folder: Path, limit_s: float, repeats: int
) -> None:
    """All cases that are not in the table yet."""
    with started("osst", "ours") as programs:
        for case in cases:
            if table.has(*asdict(case).values()):
                continue
            source, is_skipped = data.locate(folder, case.dataset), is_hopeless(case, table.rows)
            row = measure(programs, source, case, limit_s, repeats, is_skipped)
            table.add({**row, **machine(*programs.values())})


def ratio_of(row: Row) -> float:
    return float(row["ratio"])


def memory_ratio_of(row: Row) -> float:
    return float(row["osst_bytes"]) / float(row["ours_bytes"])


def named(row: Row) -> str:
    return f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']}"


def summary(rows: Sequence[Row]) -> str:
    """What the table says about time and memory, and every case on which ours was worse."""
    verdicts = [row["verdict"] for row in rows]
    lines = [
        *time_lines([row for row in rows if row["ratio"]]),
        *memory_lines([row for row in rows if row["osst_status"] == "closed"]),
        "objectives: " + ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)),
        *(f"OURS WORSE: {named(row)}" for row in rows if row["verdict"] == "ours worse"),
    ]
    return "\n".join(lines)


def time_lines(rows: Sequence[Row]) -> list[str]:
    low, high = COUNTED_SECONDS
    counted = [row for row in rows if low <= float(row["osst_seconds"]) <= high]
    if not counted:
        return ["time: no case to count"]
    smallest, largest = min(counted, key=ratio_of), max(counted, key=ratio_of)
    lines = [
        f"time, original / ours, {len(counted)} cases: "
        f"geometric mean {geometric_mean(map(ratio_of, counted)):.1f}",
        f"  smallest {ratio_of(smallest):.1f} ({named(smallest)})",
        f"  largest {ratio_of(largest):.1f} ({named(largest)})",
    ]
    for key in ("max_depth", "dataset"):
        means = by_group(counted, key, ratio_of).items()
        lines.append(f"  by {key}: " + ", ".join(f"{name} {mean:.1f}" for name, mean in means))
    return lines


def memory_lines(rows: Sequence[Row]) -> list[str]:
    counted = [row for row in rows if float(row["osst_bytes"]) > COUNTED_BYTES]
    if not counted:
        return ["memory: no case on which osst took over 1 GB"]
    smallest = min(counted, key=memory_ratio_of)
    return [
        f"memory, original / ours, {len(counted)} cases: "
        f"geometric mean {geometric_mean(map(memory_ratio_of, counted)):.1f}",
        f"  smallest {memory_ratio_of(smallest):.1f} ({named(smallest)})",
    ]


def main() -> int:
    parser = parser_of(__doc__, "speed_osst.csv")
    parser.add_argument("--depths", type=int, nargs="+", default=suites.SPEED_DEPTHS)
    parser.add_argument("--names", nargs="+", default=data.NAMES, choices=data.NAMES)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fit")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS)
    if not arguments.summary:
        cases = suites.grid(arguments.depths, arguments.names, suites.SPEED_REGULARIZATIONS)
        run(table, cases, arguments.data, arguments.limit, arguments.repeats)
    print(summary(table.rows))
    return 1 if any(row["verdict"] == "ours worse" for row in table.rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
