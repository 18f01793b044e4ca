"""Lazy rows as groups, for a fit or for a model that is fitted: what both do with them.

``grouped_known_rows`` reads rows whose outcome is known and which a model has questions about.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from survtree._data.column_summaries import Facts, Summary, facts_of, summary_of
from survtree._data.lazy_rows import LazyRows
from survtree._data.read_lazy import (
    LazyOutcome,
    check_as_seen,
    check_finite,
    check_no_gaps,
    is_gap,
    read_lazy_outcome,
)
from survtree._data.read_memory import GroupLimit
from survtree._data.read_outcome import check_events
from survtree._data.read_rows import (
    TAKE_MISSING,
    Seen,
    Study,
    as_levels_seen,
    check_rows_left,
    left_out_by,
)
from survtree._data.table import Column, EventTable, Floats, Table
from survtree._questions.asked import Cuts, Part, runs
from survtree._questions.forms import InRange
from survtree._questions.grouped_rows import (
    Coded,
    coded_flags,
    coded_levels,
    coded_numbers,
    grouped,
    grouping_of,
    tables_of,
)

if TYPE_CHECKING:
    from survtree._questions.binarizer import Binarizer

SMALLEST, SMALLEST_BELOW_1 = float(np.nextafter(0.0, 1.0)), 2.0**-53  # steps between floats


@dataclass(frozen=True)
class CountedRows:
    """Lazy rows that count, with what passes over them have found of outcome and columns."""

    rows: LazyRows
    n_rows: int
    n_all: int  # with those that do not count
    outcome: LazyOutcome
    facts: dict[str, Facts]  # of the columns that are looked at


def counted_rows(
    rows: LazyRows, outcome: LazyOutcome, n_rows: int, facts: Sequence[Facts], missing: str
) -> CountedRows:
    """Without rows of weight 0 and, if they are to be dropped, those with gaps."""
    check_finite(rows.frame, facts)
    given, n_all, frame = rows, n_rows, rows.frame
    if rows.weight is not None:
        frame = frame.filter(pl.col(rows.weight) > 0)
    if missing == "drop":
        gaps = [is_gap(each.name, each.dtype) for each in facts if each.n_missing]
        frame = frame.filter(~pl.any_horizontal(gaps)) if gaps else frame
    if frame is not rows.frame:
        rows = replace(rows, frame=frame)
        n_rows, (time, *facts) = facts_of(frame, [rows.time, *(f.name for f in facts)])
        outcome = replace(outcome, time=time)
        check_rows_left(n_all, n_rows, has_events=True)
    if missing not in TAKE_MISSING:
        check_no_gaps(given, facts, n_rows)
    return CountedRows(rows, n_rows, n_all, outcome, {each.name: each for each in facts})


def groups_of(
    counted: CountedRows,
    columns: Sequence[Column],
    cuts: Sequence[Floats | None],
    summaries: Mapping[str, Summary],
    memory_limit: int | None,
) -> tuple[Table, EventTable]:
    """The rows as groups; columns without a summary are not looked at."""
    coded = [
        _coded(summaries.get(column.name), column, points)
        for column, points in zip(columns, cuts, strict=True)
    ]
    rows, outcome = counted.rows, counted.outcome
    times = summary_of(rows.frame, replace(outcome.time, is_zero_one=False), 1)
    is_whole_list = len(times.values) == times.n_values
    grouping = grouping_of(coded, outcome, rows, times.values if is_whole_list else None)
    n_questions = sum(len(points) for points in cuts if points is not None)
    limit = GroupLimit.of(memory_limit, n_questions)
    found = grouped(rows, grouping, counted.n_rows, limit)
    return tables_of(found, grouping, outcome, columns)


def _coded(summary: Summary | None, column: Column, cuts: Floats | None) -> Coded | None:
    if summary is None:
        return None
    if column.kind in ("level", "ordered"):
        return coded_levels(summary, column)
    return coded_flags(summary) if cuts is None else coded_numbers(summary, cuts)


def grouped_known_rows(
    binarizer: "Binarizer",
    rows: LazyRows,
    memory_limit: int | None = None,
    looked_at: Collection[int] | None = None,
) -> Study:
    """Groups of rows with the same answers to a model's questions, the same time and event.

    ``looked_at`` are places of columns: only questions about these can be answered.
    """
    names, seen = binarizer.questions_.names, binarizer.seen_
    wanted = {n: each for n, each in zip(names, seen, strict=True) if not each.is_left_out}
    rows = replace(rows, frame=check_as_seen(rows.frame, wanted))
    outcome = read_lazy_outcome(rows, binarizer.known_causes)
    n_rows, facts = facts_of(rows.frame, list(wanted))
    counted = counted_rows(rows, outcome, n_rows, facts, binarizer.missing)
    some = names if looked_at is None else [names[j] for j in looked_at]
    summaries = {
        name: _known_summary(counted, each, wanted[name])
        for name, each in counted.facts.items()
        if name in some
    }
    columns = [_known_column(name, summaries.get(name), seen[j]) for j, name in enumerate(names)]
    points = _points_by_column(binarizer.questions_.asked)
    cuts = [
        _known_cuts(summaries.get(column.name), column, points[j], seen[j])
        for j, column in enumerate(columns)
    ]
    table, events = groups_of(counted, columns, cuts, summaries, memory_limit)
    is_kept = np.ones(counted.n_all, dtype=bool)
    is_kept[counted.n_rows :] = False
    return Study(table, check_events(events), is_kept, left_out_by(seen, names))


def _known_summary(counted: CountedRows, facts: Facts, seen: Seen) -> Summary:
    """Of numbers nothing but what is known already; of levels those that occur."""
    if seen.kind in ("level", "ordered") or facts.dtype == pl.Boolean:
        return summary_of(counted.rows.frame, facts, None)
    column = Column(facts.name, "number", np.empty(0))
    return Summary(column, np.empty(0, dtype=np.intp), 0, facts)


def _known_cuts(
    summary: Summary | None, column: Column, points: Floats, seen: Seen
) -> Floats | None:
    """Between which numbers rows need not be told apart; None if they are 0 and 1, or no numbers.

    Where the fit saw 0 and 1 only, other numbers are told from them: a warning counts these.
    """
    if summary is None or column.kind != "number" or summary.facts.is_zero_one:
        return None
    if seen.is_zero_one:
        points = np.append(points, [-SMALLEST, 0.0, 1.0 - SMALLEST_BELOW_1, 1.0])
    return np.unique(points)


def _known_column(name: str, summary: Summary | None, seen: Seen) -> Column:
    if summary is None:
        return Column(name, seen.kind, np.empty(0, dtype=np.int8))
    is_code = seen.kind in ("level", "ordered") and summary.column.kind in ("number", "flag")
    return as_levels_seen(summary.column, seen) if is_code else summary.column


def _points_by_column(asked: Sequence[Any]) -> dict[int, Floats]:
    """The numbers that questions about each column compare with."""
    found: dict[int, list[float]] = defaultdict(list)
    for _, part in runs(asked):
        found[part.column] += _points(part)
    return defaultdict(lambda: np.empty(0), {j: np.array(each) for j, each in found.items()})


def _points(part: Part) -> list[float]:
    if isinstance(part, Cuts):
        return list(part.points.tolist())
    if not isinstance(part, InRange):
        return []
    below = [float(np.nextafter(part.low, -np.inf))] if part.is_one_value else []
    return [*below, *(end for end in (part.low, part.high) if np.isfinite(end))]
