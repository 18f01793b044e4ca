"""Near-optimal sets beside those of TreeFARMS and ArborEnum: trees, seconds, trees a second.

    python -m benchmarks.near_rivals --data FOLDER [--names NAME ...] [--repeats 3]

The 0/1 columns of the paper, a penalty of 0.005 per leaf, all trees within 2 % of the optimum, at
most 3 splits deep. The others know no survival: they classify the event flag and minimise errors.
So the sets are of different trees, and only seconds and trees a second can be laid side by side.
Ours counts partitions of the rows, they count trees. Whole fits in fresh processes, in turns,
medians; one thread; at most 120 s and most of the memory for each.
"""

from dataclasses import asdict
from math import exp, log
from statistics import mean
from typing import Any

from benchmarks import data, suites
from benchmarks.programs import Program, request, started
from benchmarks.runner import in_turns, medians
from benchmarks.tables import CASE, Table, machine, parsed, parser_of

NAMES = ("treefarms", "arborenum", "ours")
WITHIN = 0.02
CASES = tuple(suites.Case(name, 3, 0.005) for name in data.NAMES)
PER_PROGRAM = ("status", "n_trees", "seconds", "bytes")
FIELDS = (*CASE, *(f"{program}_{name}" for program in NAMES for name in PER_PROGRAM))


def measure(programs: dict[str, Program], asked: dict[str, Any], repeats: int) -> dict[str, Any]:
    answers = in_turns(programs, dict.fromkeys(NAMES, asked), repeats)
    found = {name: medians(answers[name]) for name in NAMES}
    return {
        f"{name}_{field}": found[name].get(field, "") for name in NAMES for field in PER_PROGRAM
    }


def show(table: Table) -> None:
    for row in table.rows:
        parts = [f"{name} {_words(row, name)}" for name in NAMES]
        print(f"{row['dataset']}: {', '.join(parts)}")
    for name in NAMES[:-1]:
        ratios = [
            float(row[f"{name}_seconds"]) / float(row["ours_seconds"])
            for row in table.rows
            if row[f"{name}_seconds"] and row["ours_seconds"]
        ]
        if ratios:
            print(
                f"seconds of {name} / ours, {len(ratios)} data sets: geometric mean "
                f"{exp(mean(map(log, ratios))):.1f}"
            )


def _words(row: dict[str, str], name: str) -> str:
    if not row[f"{name}_seconds"]:
        return row[f"{name}_status"]
    n_trees, seconds = int(row[f"{name}_n_trees"]), float(row[f"{name}_seconds"])
    return f"{n_trees:,} trees in {seconds:.3g} s ({n_trees / seconds:,.0f} a second)"


def main() -> None:
    parser = parser_of(__doc__, "near_rivals.csv")
    parser.add_argument("--names", nargs="+", default=data.NAMES, choices=data.NAMES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fit")
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS)
    if not arguments.summary:
        with started(*NAMES) as programs:
            for case in CASES:
                if case.dataset not in arguments.names or table.has(*asdict(case).values()):
                    continue
                source = data.locate(arguments.data, case.dataset)
                asked = request(source, case, arguments.limit, within=WITHIN)
                row = measure(programs, asked, arguments.repeats)
                table.add({**asdict(case), **row, **machine(*programs.values())})
    show(table)


if __name__ == "__main__":
    main()
