"""The paper's data sets as problems of our search, and the tables that are about nothing else."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.tables import CASE, Table, machine, parsed, parser_of, revision
from survtree._data.table import EventTable
from survtree._questions.questions import Questions
from survtree._search.problem import Problem

Case = tuple[str, int, float]


def problem_of(case: data.Encoded, max_depth: int, regularization: float) -> Problem:
    events = EventTable(case.event, case.time, np.ones(len(case.time)))
    return Problem(case.X, events, Questions(tuple(case.columns)), regularization, max_depth, 7)


def filled(
    doc: str | None,
    out: str,
    fields: tuple[str, ...],
    row_of: Callable[[Problem, int], dict[str, Any]],
    cases: tuple[Case, ...],
) -> Table:
    """A table, after the cases that it lacked were run with so many repeats."""
    parser = parser_of(doc, out)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parsed(parser)
    table = Table(arguments.out, fields)
    for case in cases:
        if arguments.summary or table.has(*case):
            continue
        problem = problem_of(data.read(arguments.data, case[0]), *case[1:])
        found = row_of(problem, arguments.repeats)
        key = dict(zip(CASE, case, strict=True))
        table.add({**key, **found, **machine(), "programs": f"survtree{revision()}"})
    return table
