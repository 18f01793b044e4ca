"""Any column and any table a user may come with, and what is to become of them.

Each column knows, from its cells alone, whether it can be used: the tests hold the package to it.
"""

import datetime
import enum
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import strategies as st

MISSING = (None, float("nan"), pd.NA, pd.NaT, np.float64("nan"), Decimal("NaN"), Decimal("sNaN"))
NAMES = (
    *("a", "b", "x0", "x1", "x10", "", " ", "\n", "a\x00b", "\U0001f600", "é", "a <= 1"),
    *("a is b or c", "a is missing", "'a'", "duration", "0", "\ud800"),
)


class Arm(enum.Enum):
    """Categories as an enumeration: its words, or its names where it has no words."""

    PLACEBO = "placebo"
    DRUG = "drug"
    OTHER = 3


def is_missing(cell: Any) -> bool:
    """Is there no value?"""
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, (float, np.floating)):
        return math.isnan(cell)
    return cell is None or cell is pd.NA or cell is pd.NaT


def kind_of(cell: Any) -> str:
    """What a cell can be part of."""
    if isinstance(cell, (bool, np.bool_)):
        return "flag"
    if isinstance(cell, (str, enum.Enum)):
        return "text"
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return "unusable"
    if not isinstance(cell, (int, float, np.integer, np.floating, Decimal, Fraction)):
        return "unusable"
    try:
        return "number" if math.isfinite(float(cell)) else "unusable"
    except OverflowError:
        return "unusable"


@dataclass(frozen=True)
class Cells:
    """A column: its cells as Python values, and what a pandas frame is to hold of them."""

    cells: list[Any]
    series: pd.Series
    declared: str = ""  # the kind that the type alone tells, even if all cells are missing

    @property
    def gaps(self) -> list[bool]:
        """Where there is no value."""
        return list(map(is_missing, self.cells))

    @property
    def kinds(self) -> set[str]:
        """What its cells can be part of."""
        if self.declared:
            return {self.declared}
        return {kind_of(cell) for cell in self.cells if not is_missing(cell)}

    @property
    def is_usable(self) -> bool:
        """Numbers and flags, or words, and nothing else?"""
        return self.kinds <= {"flag", "number"} or self.kinds == {"text"}

    @property
    def is_categorical(self) -> bool:
        """Do thresholds have nothing to cut here?"""
        return self.kinds == {"text"}


FLOATS = st.one_of(
    st.floats(allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1e-310, -5e-324, 1.7e308, -1.7e308, 0.1, 1 / 3]),
    st.integers(-3, 3).map(float),
)
INTEGERS = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))
TEXT = st.one_of(
    st.sampled_from(["a", "b", "yes", "no", "", " ", "missing", "a or b", "'a'", "1", "2.0", "\n"]),
    st.text(max_size=3),
)
NUMBERS = st.one_of(
    INTEGERS,
    FLOATS,
    st.booleans(),
    st.fractions(),
    st.decimals(allow_nan=False, allow_infinity=False, places=2),
    st.sampled_from([2**64, -(10**300), np.int8(3), np.float32(0.5), np.bool_(True)]),
)
UNUSABLE = st.one_of(
    st.sampled_from([float("inf"), -float("inf"), 10**400, np.longdouble("1e4000")]),
    st.sampled_from([b"", b"a", [], [1], (), {}, set(), 1j, object(), Ellipsis, int]),
    st.dates(),
    st.datetimes(min_value=datetime.datetime(1990, 1, 1), max_value=datetime.datetime(2030, 1, 1)),
    st.times(),
    st.timedeltas(max_value=datetime.timedelta(9), min_value=datetime.timedelta(0)),
    st.sampled_from([np.datetime64("2020-01-01"), np.timedelta64(1, "D"), pd.Period("2020")]),
)
ARMS = st.sampled_from(Arm)


def _column(n: int, cells: st.SearchStrategy[Any], has_gaps: bool) -> st.SearchStrategy[list[Any]]:
    some = st.one_of(cells, st.sampled_from(MISSING)) if has_gaps else cells
    return st.lists(some, min_size=n, max_size=n)


@st.composite
def object_columns(draw: st.DrawFn, n: int) -> Cells:
    """Python objects, of one sort or mixed."""
    sorts = (NUMBERS, TEXT, TEXT | ARMS, st.booleans(), FLOATS, st.nothing())
    mixed = (NUMBERS | TEXT, NUMBERS | UNUSABLE, TEXT | UNUSABLE, UNUSABLE)
    is_mixed = draw(st.integers(0, 4)) == 0
    sort = draw(st.sampled_from(mixed if is_mixed else sorts))
    cells = draw(_column(n, sort, has_gaps=sort.is_empty or draw(st.booleans())))
    series = pd.Series([None] * n, dtype=object)
    for row, cell in enumerate(cells):
        series.iat[row] = cell
    return Cells(cells, series)


def _whole_numbers(size: int) -> st.SearchStrategy[int]:
    return st.integers(-3, 3) | st.integers(-(2 ** (size - 1)), 2 ** (size - 1) - 1)


# dtype -> cells it can hold; with None where it can hold gaps
TYPED = {
    "bool": st.booleans(),
    "int8": _whole_numbers(8),
    "int64": _whole_numbers(64),
    "uint64": st.integers(0, 2**64 - 1),
    "float16": st.floats(width=16),
    "float32": st.floats(width=32),
    "float64": FLOATS | st.sampled_from([float("inf"), float("nan")]),
    "Int8": _whole_numbers(8) | st.none(),
    "Int64": _whole_numbers(64) | st.none(),
    "UInt64": st.integers(0, 2**64 - 1) | st.none(),
    "Float32": st.floats(width=32, allow_nan=False) | st.none(),
    "Float64": FLOATS.filter(math.isfinite) | st.none(),
    "boolean": st.booleans() | st.none(),
    "string": TEXT | st.none(),
    "int64[pyarrow]": _whole_numbers(64) | st.none(),
    "uint64[pyarrow]": st.integers(0, 2**64 - 1) | st.none(),
    "double[pyarrow]": FLOATS.filter(math.isfinite) | st.none(),
    "bool[pyarrow]": st.booleans() | st.none(),
    "string[pyarrow]": TEXT | st.none(),
    "datetime64[ns]": st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2030, 1, 1)),
    "timedelta64[ns]": st.timedeltas(datetime.timedelta(0), datetime.timedelta(9)),
    "complex128": st.complex_numbers(allow_nan=False),
    "binary[pyarrow]": st.binary(max_size=2) | st.none(),
    "date32[day][pyarrow]": st.dates(datetime.date(1990, 1, 1)) | st.none(),
}
DECLARED = {
    **dict.fromkeys(("string", "string[pyarrow]"), "text"),
    **dict.fromkeys(("datetime64[ns]", "timedelta64[ns]", "complex128"), "unusable"),
    **dict.fromkeys(("binary[pyarrow]", "date32[day][pyarrow]"), "unusable"),
}


@st.composite
def typed_columns(draw: st.DrawFn, n: int) -> Cells:
    """Columns of pandas' own types, NumPy's, nullable and of pyarrow."""
    dtype = draw(st.sampled_from(sorted(TYPED)))
    cells = draw(st.lists(TYPED[dtype], min_size=n, max_size=n))
    if dtype in ("datetime64[ns]", "timedelta64[ns]", "complex128"):
        series = pd.Series(np.array(cells, dtype=dtype))
    else:
        series = pd.Series(pd.array(cells, dtype=dtype))
    return Cells(cells, series, DECLARED.get(dtype, ""))


@st.composite
def categorical_columns(draw: st.DrawFn, n: int) -> Cells:
    """Categories with and without an order, some of them unused, of pandas and of pyarrow."""
    sort = draw(st.sampled_from((TEXT, st.integers(-9, 9), FLOATS.filter(math.isfinite))))
    levels = draw(st.lists(sort, min_size=1, max_size=8, unique=True))
    places = draw(st.lists(st.integers(-1, len(levels) - 1), min_size=n, max_size=n))
    is_ordered = draw(st.booleans())
    if draw(st.booleans()):
        series = pd.Series(pd.Categorical.from_codes(places, levels, ordered=is_ordered))
    else:
        indices = pa.array([None if k < 0 else k for k in places], pa.int8())
        array = pa.DictionaryArray.from_arrays(indices, pa.array(levels), ordered=is_ordered)
        series = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([array])))
    # Whatever the levels are, as categories they are words.
    return Cells([None if k < 0 else str(levels[k]) for k in places], series, "text")


def columns(n: int) -> st.SearchStrategy[Cells]:
    """Any column of ``n`` rows."""
    return st.one_of(object_columns(n), typed_columns(n), categorical_columns(n))


INDICES = st.sampled_from(
    [
        lambda n: pd.RangeIndex(n),
        lambda n: pd.RangeIndex(100, 100 - n, -1),
        lambda n: pd.Index([0] * n),
        lambda n: pd.Index([None] * n, dtype=object),
        lambda n: pd.Index([f"row {k}" for k in range(n)]),
        lambda n: pd.date_range("2020", periods=n),
        lambda n: pd.MultiIndex.from_arrays([range(n), ["a"] * n]),
    ]
)


@dataclass(frozen=True)
class RawTable:
    """Columns, their names, and the table made of them."""

    X: Any
    columns: list[Cells]
    names: list[Any]  # as messages call them

    @property
    def gaps(self) -> np.ndarray:
        """Where there is no value, rows x columns."""
        return np.array([column.gaps for column in self.columns]).T

    def rows(self, is_wanted: np.ndarray) -> Any:
        """Some of the rows, as the same sort of table."""
        if isinstance(self.X, list):
            return [row for row, wanted in zip(self.X, is_wanted, strict=True) if wanted]
        return self.X[is_wanted]


@st.composite
def pandas_tables(draw: st.DrawFn, n: int) -> RawTable:
    """A pandas frame; its names may be odd, repeated, or no text."""
    found = draw(st.lists(columns(n), min_size=1, max_size=5))
    some_name = st.sampled_from(NAMES) | st.text(max_size=4)
    is_unique = draw(st.integers(0, 9)) > 0
    p = len(found)
    names = draw(st.lists(some_name, min_size=p, max_size=p, unique=is_unique))
    frame = pd.concat([column.series for column in found], axis=1)
    frame.columns = pd.Index(names, dtype=object)
    if draw(st.integers(0, 9)) == 0:
        frame.columns = draw(st.sampled_from([range(p), [("a", j) for j in range(p)]]))
        names = [f"x{j}" for j in range(p)]
    frame.index = draw(INDICES)(n)
    return RawTable(frame, found, names)


@st.composite
def plain_tables(draw: st.DrawFn, n: int) -> RawTable:
    """A NumPy array of objects, or nested lists of them."""
    found = draw(st.lists(object_columns(n), min_size=1, max_size=5))
    rows = [list(cells) for cells in zip(*(column.cells for column in found), strict=True)]
    table: Any = rows
    if draw(st.booleans()):
        table = np.empty((n, len(found)), dtype=object)
        for row, column in np.ndindex(table.shape):
            table[row, column] = rows[row][column]
    return RawTable(table, found, [f"x{j}" for j in range(len(found))])


@st.composite
def outcomes(draw: st.DrawFn, n: int) -> tuple[list[bool], list[float]]:
    """Events and times, rarely without any event or any time."""
    event = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    time = draw(st.lists(st.integers(0, 6).map(float), min_size=n, max_size=n))
    if draw(st.integers(0, 9)) > 0:
        event[-1], time[-1] = True, 7.0
    return event, time
