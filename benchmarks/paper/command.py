"""The command line all experiments share, and where their tables lie."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.paper.settings import BlackBoxes, Grid, Sizes
from benchmarks.tables import Table

Settings = TypeVar("Settings", Grid, Sizes, BlackBoxes)

HERE = Path(__file__).parent
RESULTS = HERE / "results"
CLOSED_SOURCE = (
    "Interpretable AI's optimal survival trees: closed source, not run here; the paper has them. "
    "Its documentation: minimises error + cp x complexity within max_depth and minbucket; its "
    "authors: local search, no proof for a tree, more accurate than greedy survival trees."
)


def parser_of(
    doc: str | None, *, has_limit: bool = False, has_depths: bool = False
) -> argparse.ArgumentParser:
    """Options of an experiment: has it a limit for one fit of a program, and several depths?"""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder that make data filled")
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument("--out", type=Path, help="folder of the tables")
    parser.add_argument("--fresh", action="store_true", help="forget what the tables hold")
    parser.add_argument("--summary", action="store_true", help="only print what the tables say")
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="only these of its data sets")
    if has_limit:
        parser.add_argument("--limit", type=float, help="seconds for one fit")
    if has_depths:
        parser.add_argument("--depths", type=int, nargs="+", metavar="N", help="only these")
    return parser


def asked(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """The settings of an experiment with what the arguments change of them."""
    changes: dict[str, Any] = {}
    if arguments.datasets:
        known = settings.datasets
        unknown = [name for name in arguments.datasets if name not in known]
        if unknown:
            raise SystemExit(f"--datasets must be of {', '.join(known)}; got {', '.join(unknown)}")
        changes["datasets"] = tuple(arguments.datasets)
    for name, option in (("limit_s", "limit"), ("depths", "depths")):
        if getattr(arguments, option, None):
            changes[name] = getattr(arguments, option)
    return replace(settings, **changes)


def parsed(
    parser: argparse.ArgumentParser, *files: str, argv: list[str] | None = None
) -> argparse.Namespace:
    """Arguments; checks that there is data to run on and forgets these tables if told to."""
    arguments = parser.parse_args(argv)
    arguments.out = arguments.out or (RESULTS / "quick" if arguments.quick else RESULTS)
    if arguments.summary:
        return arguments
    if arguments.data is None or not arguments.data.is_dir():
        parser.error(f"--data must be the folder that 'make data' filled; got {arguments.data}")
    for name in files if arguments.fresh else ():
        (arguments.out / name).unlink(missing_ok=True)
    return arguments


def groups_of(table: Table, keys: tuple[str, ...]) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """Rows by the contents of these columns, in order of appearance."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table.rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def printed(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Columns of text, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (header, *rows)
    ]
    return "\n".join(lines)
