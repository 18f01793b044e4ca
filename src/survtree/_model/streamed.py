"""A fit on rows that are not in memory: passes over them, then a search over groups of rows.

What the passes find is a ``Study`` and a fitted ``Binarizer``, as of rows in memory; from there on
the fit is the same. Its rows are groups, each of which counts for as many rows as it stands for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from sklearn.utils.validation import validate_data

from survtree._data.causes import with_cause
from survtree._data.column_summaries import MOST_SORTED, Facts, Summary, facts_of, summary_of
from survtree._data.lazy_rows import LazyRows
from survtree._data.read_columns import as_levels, cautions_of_levels, check_no_dates, names_in
from survtree._data.read_events import none_censored
from survtree._data.read_lazy import LazyOutcome, check_covariate_types, read_lazy_outcome
from survtree._data.read_lazy_columns import check_no_intervals, lazy_roles, named_columns
from survtree._data.read_outcome import cautions_of_event, check_events
from survtree._data.read_rows import Study
from survtree._data.table import Column, Floats
from survtree._questions.binarizer import Binarizer, KnownColumns
from survtree._questions.checks import Rule, check_levels, check_rules
from survtree._questions.encodings import cuts_between, n_quantiles
from survtree._questions.lazy_groups import CountedRows, counted_rows, groups_of


@dataclass(frozen=True)
class LazyStudy:
    """Lazy rows that count, the columns of the table, and what must be said of them."""

    counted: CountedRows  # with facts of the columns that are not left out
    names: tuple[str, ...]
    left_out: tuple[str, ...]
    cautions: tuple[str, ...]

    @property
    def facts(self) -> dict[str, Facts]:
        """Of the columns that are not left out."""
        return self.counted.facts


def grouped_study(
    lazy: LazyStudy, binarizer: Binarizer, memory_limit: int | None, kept: str | None
) -> Study:
    """The groups of all rows; the binarizer gets the questions about them."""
    summaries, columns, rules = _summaries(binarizer, lazy)
    check_levels([c for c in columns if c.name in lazy.facts], binarizer.max_levels)
    cuts = [
        _cuts(summaries.get(column.name), column, rule)
        for column, rule in zip(columns, rules, strict=True)
    ]
    n_values = [summaries[name].n_values if name in summaries else 0 for name in lazy.names]
    known = KnownColumns(columns, cuts, n_values)
    table, events = groups_of(lazy.counted, columns, cuts, summaries, memory_limit)
    binarizer.fit_table(table, events, lazy.left_out, kept, known)
    every = np.ones(table.n_rows, dtype=bool)
    cautions = (*lazy.cautions, *_cautions_of_texts(binarizer, lazy, columns))
    return Study(table, check_events(events), every, lazy.left_out, cautions)


def lazy_study(estimator: Any, rows: LazyRows) -> LazyStudy:
    """Checks of outcome and columns, in passes over all rows.

    The estimator gets ``n_features_in_`` and ``feature_names_in_``.
    """
    names, missing = rows.names, estimator.missing
    empty = rows.frame.select(names).clear().collect()
    validate_data(estimator, empty, reset=True, skip_check_array=True)
    outcome = read_lazy_outcome(rows)
    exclude, _ = named_columns(estimator, names)
    looked_at = [name for name in names if name not in exclude]
    check_covariate_types(rows.frame, looked_at)
    check_no_intervals(rows, looked_at)
    n_rows, found = facts_of(rows.frame, looked_at)
    roles = lazy_roles(estimator, rows.frame, found, n_rows, names)
    facts = [each for each in found if each.name not in roles.left_out]
    counted = counted_rows(rows, outcome, n_rows, facts, missing)
    cautions = (*roles.cautions, *_cautions_of_outcome(rows, outcome))
    return LazyStudy(counted, tuple(names), roles.left_out, cautions)


def _cautions_of_outcome(rows: LazyRows, outcome: LazyOutcome) -> tuple[str, ...]:
    """What must be said of the event column and its labels."""
    columns = pl.Series(rows.event, [0]), pl.Series(rows.time, [1.0])
    found = cautions_of_event(with_cause(columns, rows.cause, rows.censored))
    is_missed = rows.censored is not None and (outcome.codes > 0).all()
    return (*found, *none_censored(rows.censored)) if is_missed else found


def _values_wanted(rule: Rule, facts: Facts) -> int | None:
    """At how many quantiles; None: all, by which it is known which gaps given cuts cut."""
    is_short = facts.n_rows <= MOST_SORTED
    return None if rule.kind == "given" and is_short else n_quantiles(rule)


def _summaries(
    estimator: Binarizer, lazy: LazyStudy
) -> tuple[dict[str, Summary], list[Column], list[Rule]]:
    """The values of the columns, the columns with each value once, and how to cut them."""
    schema = lazy.counted.rows.frame.collect_schema()
    categorical = names_in(estimator.categorical)
    bare = [_bare_column(name, schema[name], categorical) for name in lazy.names]
    rules = check_rules(estimator.thresholds, bare)
    frame = lazy.counted.rows.frame
    summaries = {
        name: summary_of(frame, lazy.facts[name], _values_wanted(rule, lazy.facts[name]))
        for name, rule in zip(lazy.names, rules, strict=True)
        if name in lazy.facts
    }
    columns = [
        _declared(summaries[column.name].column, categorical)
        if column.name in summaries
        else column
        for column in bare
    ]
    return summaries, columns, rules


def _bare_column(name: str, dtype: pl.DataType, categorical: Sequence[str]) -> Column:
    """Without values: of which kind it is."""
    if dtype.is_numeric() and name not in categorical:
        return Column(name, "number", np.empty(0))
    if dtype == pl.Boolean and name not in categorical:
        return Column(name, "flag", np.empty(0, dtype=np.int8))
    return Column(name, "level", np.empty(0, dtype=np.intp))


def _declared(column: Column, categorical: Sequence[str]) -> Column:
    is_code = column.name in categorical and column.kind in ("number", "flag")
    return as_levels(column) if is_code else column


def _cuts(summary: Summary | None, column: Column, rule: Rule) -> Floats | None:
    """Where a column of numbers is cut; None if it is not."""
    if summary is None or column.kind != "number" or summary.facts.is_zero_one:
        return None
    facts = summary.facts
    n = int(summary.up_to[-1]) if len(summary.up_to) else 0
    if summary.n_values > len(summary.values):
        n = facts.n_rows - facts.n_missing
    return cuts_between(summary.values, summary.up_to, n, rule)


def _cautions_of_texts(
    estimator: Binarizer, lazy: LazyStudy, columns: Sequence[Column]
) -> list[str]:
    """What to say of the levels of columns; text that is all dates is refused."""
    _, named = named_columns(estimator, lazy.names)
    rest = [c for c in columns if c.name in lazy.facts and c.name not in named]
    check_no_dates(rest)
    return [text for column in rest for text in cautions_of_levels(column)]
