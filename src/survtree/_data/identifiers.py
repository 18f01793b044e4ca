"""Columns that name rows or subjects, and pairs of columns that are the ends of intervals.

Nothing is learned from a row's number, but a tree can split on it: tables are often sorted by time
or by outcome. The rules go by values and names, and err on the side of keeping a column: a
covariate that happens to have a different value in each row is kept unless it is all text, or
counts up evenly from row to row, or has the name of an identifier.
"""

import re

import numpy as np

from survtree._base.words import plain_name
from survtree._data.table import Column, Floats

# With fewer rows, an even row of numbers or texts that all differ may be chance; with so few, a
# name says little.
FEWEST_ROWS, FEWEST_NAMED = 20, 10
SUBJECTS = frozenset(
    (
        *("id", "pid", "uid", "ptid", "patno", "patient", "patientno", "patientnumber", "subject"),
        *("subjid", "usubjid", "subjectno", "person", "participant", "individual", "mrn", "seqn"),
    )
)
COUNTERS = frozenset(
    (
        *("index", "idx", "row", "rows", "rowname", "rownames", "rownumber", "rowno", "unnamed0"),
        *("case", "caseno", "casenumber", "record", "recordno", "obs", "observation", "sample"),
        *("serial", "serialno", "uuid", "key", "name", "barcode"),
    )
)
# patient_id, patient id, patientId and patientID, but not covid, thyroid or HYBRID.
ENDS_IN_ID = re.compile(r"(^|[^a-zA-Z])(id|Id|ID)$|[a-z](Id|ID)$")
# Text of a number with decimals: a measured value, which may well differ in each row.
MEASURED = re.compile(r"\s*[+-]?\d+[.,]\d+\s*")
# Ids of groups of subjects repeat by right.
GROUPS = re.compile(r"site|cent|hosp|clinic|group|cluster|family|country|region|school|batch")
# Subjects have a few rows each; what repeats more often is a group, or a code.
MOST_ROWS_OF_ONE = 10
STARTS = frozenset(
    (
        *("start", "tstart", "starttime", "timestart", "begin", "entry", "entrytime"),
        *("enter", "time1", "t0", "tentry"),
    )
)
STOPS = frozenset(
    (
        *("stop", "tstop", "stoptime", "timestop", "end", "endtime", "tend", "exit"),
        *("exittime", "time2", "texit"),
    )
)
# A share of starts at which another row ends; by chance few do.
MOST_STARTS = 0.9


def is_identifier(column: Column) -> bool:
    """Does a column number or name the rows, each of which has another value?"""
    n_rows, is_text = len(column.values), column.kind == "level"
    if column.kind not in ("number", "level") or n_rows < FEWEST_NAMED:
        return False
    if is_named_as_identifier(column.name):
        # A subject may be unknown; what numbers rows has no gaps.
        is_subject = is_named_as_subject(column.name)
        known = column.take(np.flatnonzero(~column.is_missing())) if is_subject else column
        n_known = len(known.values)
        is_one_each = n_known >= FEWEST_NAMED and _n_distinct(known) == n_known
        return (is_text or _is_whole(known)) and is_one_each
    if n_rows < FEWEST_ROWS:
        return False
    if is_text:
        is_measured = any(map(MEASURED.fullmatch, column.levels))
        return not is_measured and _n_distinct(column) == n_rows
    return column.is_whole and _counts_up(np.asarray(column.values, dtype=np.float64))


def repeats_subjects(column: Column) -> bool:
    """Does a column name subjects, some of which have several rows?"""
    is_subject = is_named_as_subject(column.name)
    n_rows, is_text = len(column.values), column.kind == "level"
    if not is_subject or n_rows < FEWEST_ROWS or not (is_text or _is_whole(column)):
        return False
    return n_rows / MOST_ROWS_OF_ONE <= _n_distinct(column) < n_rows


def is_named_as_subject(name: str) -> bool:
    """Is it a usual name of a column that names subjects, and not groups of them?"""
    plain = plain_name(name)
    return plain in SUBJECTS or (bool(ENDS_IN_ID.search(name)) and not GROUPS.search(plain))


def is_named_as_identifier(name: str) -> bool:
    """Is it a usual name of a column that numbers rows or subjects?"""
    is_usual = plain_name(name) in SUBJECTS | COUNTERS or not name.strip()
    return is_usual or bool(ENDS_IN_ID.search(name))


def _n_distinct(column: Column) -> int:
    """How many values occur; none if one is missing."""
    if column.is_missing().any():
        return 0
    return len(column.occurring() if column.kind == "level" else np.unique(column.values))


def _is_whole(column: Column) -> bool:
    return column.kind == "number" and bool((column.values == np.floor(column.values)).all())


def _counts_up(values: Floats) -> bool:
    """Each value by the same above the one before."""
    steps = np.diff(values)
    return bool(steps[0] > 0 and (steps == steps[0]).all())


def are_interval(start: Floats, stop: Floats) -> bool:
    """Could each row be an interval of time, some of which begin late?"""
    return bool((start <= stop).all() and (start >= 0).all() and (start > 0).any())


def begin_where_others_end(start: Floats, stop: Floats) -> bool:
    """Do nearly all late rows begin at a time at which another row ends?"""
    late = start[start > 0]
    return len(late) > 0 and float(np.isin(late, stop).mean()) >= MOST_STARTS
