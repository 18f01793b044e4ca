"""Two threads compared with one, on cases where one thread needs over a second.

    python -m benchmarks.threads --data FOLDER [--repeats 3] [--limit 600]

Runs alternate. A row holds the medians, their ratio (1 thread divided by 2) and whether both found
the same objective and the same tree. A case that one thread solves in a second or less is noted and
not counted. Cases that are already in the output file are not run again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import data, suites
from benchmarks.programs import Program, request, started
from benchmarks.runner import columns, geometric_mean, in_turns, medians, rounded
from benchmarks.tables import CASE, Table, machine, parsed, parser_of

LABELS = {"one": 1, "two": 2}
PER_LABEL = ("status", "seconds", "objective", "bytes")
FIELDS = (
    *CASE,
    "ratio",
    "same_objective",
    "same_tree",
    *(f"{label}_{name}" for label in LABELS for name in PER_LABEL),
)
LEAST_S = 1.0


def measure(
    ours: Program, source: data.Source, case: suites.Case, limit_s: float, repeats: int
) -> dict[str, Any]:
    """One row; the first run of one thread decides whether the case counts."""
    asked = {label: request(source, case, limit_s, n_jobs=n) for label, n in LABELS.items()}
    first = ours.fit(asked["one"])
    if first["status"] == "optimal" and first["seconds"] <= LEAST_S:
        return {**asdict(case), **columns("one", first, PER_LABEL)}
    answers = in_turns(dict.fromkeys(LABELS, ours), asked, repeats, steady=LABELS)
    one, two = medians(answers["one"]), medians(answers["two"])
    row = {**asdict(case), **columns("one", one, PER_LABEL), **columns("two", two, PER_LABEL)}
    if one["status"] == two["status"] == "optimal":
        row["ratio"] = rounded(one["seconds"] / two["seconds"])
        row["same_objective"] = one["objective"] == two["objective"]
        row["same_tree"] = one["tree"] == two["tree"]
    return row


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    """Ratios of the cases that count, and what differed."""
    counted = [row for row in rows if row["ratio"] and float(row["one_seconds"]) > LEAST_S]
    if not counted:
        return "no case on which one thread needs over a second"
    lines = [
        f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']}: "
        f"1 thread {float(row['one_seconds']):.2f} s, 2 threads {float(row['two_seconds']):.2f} s, "
        f"ratio {float(row['ratio']):.2f}" + ("" if is_same(row) else "  THE ANSWERS DIFFER")
        for row in counted
    ]
    ratios = [float(row["ratio"]) for row in counted]
    mean, smallest = geometric_mean(ratios), min(ratios)
    return "\n".join([*lines, f"geometric mean {mean:.2f}, smallest {smallest:.2f}"])


def is_same(row: Mapping[str, str]) -> bool:
    return row["same_objective"] == row["same_tree"] == "True"


def main() -> int:
    parser = parser_of(__doc__, "threads.csv")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one fit")
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS)
    if not arguments.summary:
        with started("ours") as programs:
            for case in suites.THREADS:
                if table.has(*asdict(case).values()):
                    continue
                source = data.locate(arguments.data, case.dataset)
                row = measure(programs["ours"], source, case, arguments.limit, arguments.repeats)
                table.add({**row, **machine(programs["ours"])})
    print(summary(table.rows))
    return 0 if all(is_same(row) for row in table.rows if row["ratio"]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
