"""Ours without a limit on depth: is the optimum proven, how fast, and how large is the tree?

    python -m benchmarks.no_limit --data FOLDER [--limit 600] [--memory-gb 8]

One run per case, one thread. Cases that are already in the output file are not run again.
"""

from benchmarks import ours_alone, suites
from benchmarks.tables import Table, parsed, parser_of


def detail(row: dict[str, str]) -> str:
    """A line: the tree, and what the search did and kept."""
    if not row["cache_bytes"]:
        return ours_alone.shown(row)
    return (
        f"{ours_alone.shown(row)}, of depth {row['depth']}, "
        f"{int(row['subsets_solved']):,} subsets solved, "
        f"cache {int(row['cache_bytes']) / 1e6:.1f} MB"
    )


def main() -> None:
    parser = parser_of(__doc__, "no_limit.csv")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one fit")
    parser.add_argument("--memory-gb", type=float, default=8.0, help="what the search may keep")
    arguments = parsed(parser)
    table = Table(arguments.out, ours_alone.FIELDS)
    if not arguments.summary:
        memory = int(arguments.memory_gb * 1e9)
        ours_alone.run(table, suites.NO_LIMIT, arguments.data, arguments.limit, memory_limit=memory)
    print("\n".join(map(detail, table.rows)))


if __name__ == "__main__":
    main()
