"""Every cut of every numeric column: what is proven, how fast, and what it takes.

    python -m benchmarks.every_cut [--parts NAME ...] [--tables NAME ...] [--data FOLDER]

Raw tables (new_rows/tables.py), thresholds="all", missing="question", at least 7 rows per leaf, one
thread. `seconds` are those of a whole fit, `search_seconds` those of the search alone, `cuts` are
the candidate splits at a number, `lane_rows` the pairs of row and split that were looked at.

depth2   tables of at most 10,000 rows and 100 columns, the paper's objective, penalty 0.005, 60 s
depth3   eight tables, penalty 0.005 (veteran 0.002) and 0.001: the search over questions, the
         search over cuts and the one that the package chooses, in turns, medians of 3 runs; the
         first is run once where it takes over 20 s. Objectives must agree to 1e-12. Here `seconds`
         are those of a solve call, which includes copying the problem and scoring the tree again.
         `relaxed_objective` is that of the tree found, with floors in place of losses
osst     osst on the paper's 0/1 columns of whas500, depth 4, penalty 0.0015, in turns with
         our whole fits over every cut of whas500 and GBSG2, depth 3, penalty 0.005; its seconds are
         those of its native call
depth4   five small tables, penalty 0.005 (veteran 0.002), 600 s
default  all tables, default options (a teacher), depth 3: over the cuts that a fit chooses
         (thresholds={}), and as a fit does by itself, going on over every cut where that is cheap
memory   1,000,000 made-up rows, 10 columns of distinct numbers, depth 2, penalty 0.01, 60 s, in a
         process of its own: its peak when the input is made, and after the fit

Each part has a file; rows that are there are not run again. Only osst needs --data.
"""

import argparse
from pathlib import Path

from benchmarks.every_cut import beside_osst, memory, two_engines, whole_fits
from benchmarks.every_cut.part import Part
from benchmarks.tables import parser_of

PARTS = {
    part.name: part
    for part in (
        whole_fits.DEPTH2,
        two_engines.PART,
        beside_osst.PART,
        whole_fits.DEPTH4,
        whole_fits.DEFAULTS,
        memory.PART,
    )
}


def arguments_of() -> argparse.Namespace:
    parser = parser_of(__doc__, "every_cut.csv", needs_data=False)
    parser.add_argument("--data", type=Path, help="folder that make data filled; for osst")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--tables", nargs="+", default=[], help="only these")
    parser.add_argument("--repeats", type=int, default=3, help="of depth3 and osst")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds, of depth3 and osst")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of memory")
    arguments = parser.parse_args()
    needs_data = "osst" in arguments.parts and not arguments.summary
    if needs_data and (arguments.data is None or not arguments.data.is_dir()):
        parser.error(f"--data must be the folder that 'make data' filled; got {arguments.data}")
    return arguments


def filled(part: Part, arguments: argparse.Namespace) -> list[str]:
    """What a part says, after what it lacked was run; nothing if its file is empty."""
    if arguments.fresh and not arguments.summary:
        part.path(arguments.out).unlink(missing_ok=True)
    table = part.table(arguments.out)
    if not arguments.summary:
        part.run(table, arguments)
    return part.summary(table.rows) if table.rows else []


def main() -> None:
    arguments = arguments_of()
    found = [filled(PARTS[name], arguments) for name in arguments.parts]
    print("\n\n".join("\n".join(lines) for lines in found if lines))


if __name__ == "__main__":
    main()
