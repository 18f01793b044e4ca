"""The paper's run-time protocol with ours alone: how much of its grid is proven within a minute.

    python -m benchmarks.protocol --data FOLDER [--limit 60] [--names gbsg2] [--depths 1 2 3]

17 data sets, depth 1 to 5 (the paper counts nodes on a path: 2 to 6), 12 regularizations, one
thread, one run each. Cases that are already in the output file are not run again.
"""

from collections.abc import Sequence

from benchmarks import data, ours_alone, suites
from benchmarks.tables import Table, parsed, parser_of

N_SLOWEST = 10


def summary(rows: Sequence[dict[str, str]]) -> str:
    """How many are proven, what is not, and the slowest."""
    proven = [row for row in rows if row["status"] == "optimal"]
    others = [row for row in rows if row["status"] != "optimal"]
    slowest = sorted(proven, key=lambda row: float(row["seconds"]), reverse=True)[:N_SLOWEST]
    return "\n".join(
        [
            f"{len(proven)} of {len(rows)} cases proven; the slowest of them:",
            *(f"  {ours_alone.shown(row)}" for row in slowest),
            *(["not proven:"] if others else []),
            *(f"  {ours_alone.shown(row)}" for row in others),
        ]
    )


def main() -> None:
    everyone = (*data.NAMES, "household")
    parser = parser_of(__doc__, "protocol.csv")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one fit")
    parser.add_argument("--names", nargs="+", default=everyone, choices=everyone)
    parser.add_argument("--depths", type=int, nargs="+", default=(1, 2, 3, 4, 5))
    arguments = parsed(parser)
    table = Table(arguments.out, ours_alone.FIELDS)
    if not arguments.summary:
        cases = [
            case
            for case in suites.PROTOCOL
            if case.dataset in arguments.names and case.max_depth in arguments.depths
        ]
        ours_alone.run(table, cases, arguments.data, arguments.limit)
    print(summary(table.rows))


if __name__ == "__main__":
    main()
