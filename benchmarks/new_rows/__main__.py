"""Held-out quality on many public tables: our trees and other models, at their defaults.

    python -m benchmarks.new_rows [--methods NAME ...] [--tables NAME ...] [--seed N] [--summary]

One line of the result file for each table, repeat, fold and method; what is there is not run again.
rpart and ctree come first, then all others table by table, small tables first. What is measured and
how: scoring.py, models.py, tables.py.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.new_rows import tables
from benchmarks.new_rows.groups import group_lines
from benchmarks.new_rows.jobs import results
from benchmarks.new_rows.models import FIRST, IN_R, METHODS
from benchmarks.new_rows.summary import Results, summary
from benchmarks.paper.r_programs import HOW_TO, missing, versions
from benchmarks.tables import Table, machine, parsed, parser_of, revision

KEYS = ("table", "seed", "repeat", "fold", "method")
SCORES = ("ratio80", "ratio90", "ratio100", "c", "calibration", "leaves", "seconds")
OF_SKSURV = ("forest", "boosting", "cox", "sksurv_depth3", "sksurv_tree")
IN_PYTHON = {**dict.fromkeys(OF_SKSURV, "scikit-survival"), "surtree": "pystreed"}
FIELDS = (*KEYS, "status", *SCORES)


class Job(NamedTuple):
    """One method on those folds of a table that are not in the file yet."""

    method: str
    rows: tables.Rows
    folds: list[tables.Fold]


def jobs(table: Table, arguments: argparse.Namespace) -> Iterator[Job]:
    """What is left to do, in order; a method that failed on a table is not tried again."""
    done = {tuple(row[key] for key in KEYS) for row in table.rows}
    seed, failures = str(arguments.seed), [r for r in table.rows if r["status"] != "fitted"]
    failed = {(row["table"], row["method"]) for row in failures if row["seed"] == seed}
    for rows, method in in_order(arguments):
        folds = tables.folds(rows, arguments.seed)
        left = [f for f in folds if key_of(rows.name, arguments.seed, f, method) not in done]
        if left and (rows.name, method) not in failed:
            yield Job(method, rows, left)


def in_order(arguments: argparse.Namespace) -> Iterator[tuple[tables.Rows, str]]:
    """Small tables first; some methods on all tables before the others."""
    loaded = [tables.load(name, arguments.data) for name in chosen(arguments)]
    loaded.sort(key=lambda rows: rows.X.size)
    first = [name for name in arguments.methods if name in FIRST]
    others = [name for name in arguments.methods if name not in FIRST]
    for methods in (first, others):
        yield from ((rows, method) for rows in loaded for method in methods)


def key_of(name: str, seed: int, fold: tables.Fold, method: str) -> tuple[str, ...]:
    return (name, str(seed), str(fold.repeat), str(fold.fold), method)


def chosen(arguments: argparse.Namespace) -> list[str]:
    """The tables that were asked for, or all."""
    known = tables.names(arguments.data)
    unknown = set(arguments.tables) - set(known)
    if unknown:
        raise SystemExit(f"no such tables: {', '.join(sorted(unknown))}")
    return [name for name in known if name in arguments.tables or not arguments.tables]


def run(table: Table, arguments: argparse.Namespace) -> None:
    """All jobs, one or some at a time; the lines of a job are written together when it ends."""

    def done(job: Job) -> None:
        found = results(job.method, job.rows, job.folds, arguments.limit)
        common = {"table": job.rows.name, "seed": arguments.seed, "method": job.method}
        facts = {**machine(), "programs": programs(job.method)}
        table.add_all([{**common, **result, **facts} for result in found])

    if "surtree" in arguments.methods:
        import_module("benchmarks.new_rows.streed_leaves")  # once, not in the process of each job
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for _ in pool.map(done, list(jobs(table, arguments))):
            pass


def present(methods: list[str]) -> list[str]:
    """Those that can run here; R and its packages may be missing."""
    absent = [name for name in methods if name in IN_R and missing(IN_R[name], "survival")]
    if absent:
        print(f"left out: {', '.join(absent)}; {HOW_TO}")
    return [name for name in methods if name not in absent]


def programs(method: str) -> str:
    """The program behind a method, the one that holds the table, and ours, which scores."""
    in_r = IN_R.get(method)
    if in_r is not None:
        have = versions(in_r)
        told = [f"{name} {have[name]}" for name in (in_r, "R")]
    else:
        package = IN_PYTHON.get(method)
        told = [f"{package} {version(package)}"] if package else []
    return "; ".join([*told, f"SurvSet {version('SurvSet')}", f"survtree{revision()}"])


def arguments_of() -> Any:
    parser = parser_of(__doc__, "new_rows.csv")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--tables", nargs="+", default=[], help="only these")
    parser.add_argument("--seed", type=int, default=0, help="other folds")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a fold")
    parser.add_argument("--jobs", type=int, default=1, help="at the same time")
    return parsed(parser)


def main() -> None:
    arguments = arguments_of()
    table = Table(Path(arguments.out), FIELDS, KEYS)
    if not arguments.summary:
        arguments.methods = present(arguments.methods)
        run(table, arguments)
    found = Results(row for row in table.rows if row["seed"] == str(arguments.seed))
    print("\n".join([summary(found), "", *group_lines(found)]))


if __name__ == "__main__":
    main()
