"""Odd frames: each goes to the API as it is, and to the command line as CSV and Parquet.

A frame starts from 16 good patients; most have one column more, or one that is spoilt.
"""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

N = 16


def good(**columns: Any) -> pd.DataFrame:
    """The good frame with these columns added or put in the place of others."""
    frame = pd.DataFrame(
        {
            "time": np.arange(1.0, N + 1),
            "event": [1, 1, 0, 1] * 4,
            "age": np.arange(40.0, 40.0 + 2 * N, 2),
            "stage": ["I", "II", "III", "II"] * 4,
        }
    )
    for name, values in columns.items():
        frame[name] = values
    return frame


def spoilt(column: str, value: Any, row: int = 5) -> pd.DataFrame:
    """One cell of the good frame exchanged."""
    cells = good()[column].astype(object).tolist()
    cells[row] = value
    return good(**{column: pd.Series(cells, dtype=object)})


def named(*names: Any) -> pd.DataFrame:
    """The good frame with other names of its columns."""
    frame = good()
    frame.columns = pd.Index(names)
    return frame


def mixed(*values: Any) -> pd.Series:
    """A column that holds these in turn."""
    return pd.Series([values[i % len(values)] for i in range(N)], dtype=object)


CELLS: dict[str, Any] = {
    "NaN": np.nan,
    "None": None,
    "NA": pd.NA,
    "NaT": pd.NaT,
    "inf": np.inf,
    "-inf": -np.inf,
    "the smallest number": 5e-324,
    "the largest number": 1.7976931348623157e308,
    "-0": -0.0,
    "a negative number": -1.0,
    "zero": 0.0,
    "a million million": 10**12,
    "2 to the 63": 2**63,
    "2 to the 64": 2**64,
    "1e400 as a whole number": 10**400,
    "text": "x",
    "empty text": "",
    "blank": " ",
    "a number as text": "7",
    "a number with a comma": "7,5",
    "a number with a unit": "7 mg",
    "True": True,
    "False": False,
    "a complex number": 1 + 2j,
    "a decimal": Decimal("1.5"),
    "a decimal that is none": Decimal("NaN"),
    "a fraction": Fraction(1, 3),
    "a date": datetime.date(2020, 1, 2),
    "a time": pd.Timestamp("2020-01-02"),
    "a span of time": pd.Timedelta(days=3),
    "bytes": b"\xff\x00",
    "a list": [1, 2],
    "a dict": {"a": 1},
    "a set": {1},
    "a type": int,
    "a function": len,
    "an array": np.arange(3),
    "a frame": pd.DataFrame({"a": [1]}),
    "a surrogate": "\ud800",
    "a zero byte": "a\x00b",
    "two lines": "a\nb",
    "a quote": 'a"b',
    "a formula": '=HYPERLINK("x")',
    "a script": "<script>alert(1)</script>",
    "an emoji": "\U0001f600",
    "right to left": "\u202eabc",
    "100,000 letters": "a" * 100_000,
    "a number with 5,000 digits": "9" * 5000,
}

COLUMNS: dict[str, Callable[[], Any]] = {
    "all missing": lambda: [None] * N,
    "all NaN": lambda: [np.nan] * N,
    "one value": lambda: [3] * N,
    "all infinite": lambda: [np.inf] * N,
    "float16": lambda: np.linspace(0, 60000, N).astype("float16"),
    "float32": lambda: np.linspace(0, 1, N).astype("float32"),
    "float128": lambda: np.linspace(0, 1, N).astype(np.longdouble),
    "complex": lambda: np.linspace(0, 1, N) + 1j,
    "int8": lambda: np.arange(-8, 8, dtype="int8"),
    "uint64": lambda: np.arange(2**64 - N, 2**64, dtype="uint64"),
    "int64 beyond doubles": lambda: np.arange(2**53, 2**53 + N),
    "other byte order": lambda: np.arange(N).astype(">f8"),
    "denormal": lambda: np.arange(N) * 5e-324,
    "huge": lambda: np.linspace(-1.7e308, 1.7e308, N),
    "300 orders of magnitude": lambda: 10.0 ** np.linspace(-300, 300, N),
    "flags": lambda: [True, False] * 8,
    "flags with a gap": lambda: pd.array([True, None] * 8, dtype="boolean"),
    "Int64 with a gap": lambda: pd.array([1, None, 3, 4] * 4, dtype="Int64"),
    "numbers and texts": lambda: mixed(1, "a"),
    "numbers and flags": lambda: mixed(1, True, 0.5),
    "texts and flags": lambda: mixed("a", True),
    "texts and gaps": lambda: mixed("a", None, "b"),
    "texts that are numbers": lambda: mixed("1", "2", "3"),
    "yes and no": lambda: mixed("yes", "no"),
    "a level each": lambda: [f"p{i}" for i in range(N)],
    "texts that differ in blanks": lambda: mixed("a", "a ", " a"),
    "texts that look alike": lambda: mixed("\u00e9", "e\u0301"),
    "categories": lambda: pd.Categorical(["a", "b"] * 8),
    "ordered categories": lambda: pd.Categorical(["lo", "hi"] * 8, ["lo", "hi"], ordered=True),
    "categories of numbers": lambda: pd.Categorical([1, 2] * 8),
    "categories nobody has": lambda: pd.Categorical(["a"] * N, ["a", "b", "c"]),
    "categories of dates": lambda: pd.Categorical(pd.date_range("2020", periods=N)),
    "dates": lambda: pd.date_range("2020-01-01", periods=N),
    "dates with a zone": lambda: pd.date_range("2020-01-01", periods=N, tz="Asia/Tokyo"),
    "spans of time": lambda: pd.to_timedelta(np.arange(N), unit="D"),
    "periods": lambda: pd.period_range("2020-01", periods=N, freq="M"),
    "intervals": lambda: pd.interval_range(0, N),
    "sparse numbers": lambda: pd.arrays.SparseArray([0.0, 1.0] * 8),
    "arrow texts": lambda: pd.array(["a", "b"] * 8, dtype="string[pyarrow]"),
    "arrow decimals": lambda: pd.array(
        [Decimal("1.50"), Decimal("2.25")] * 8, dtype=pd.ArrowDtype(pa.decimal128(5, 2))
    ),
    "arrow lists": lambda: pd.array([[1], [2]] * 8, dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "dicts": lambda: mixed({"a": 1}, {"a": 2}),
    "objects": lambda: mixed(object(), object()),
}

FRAMES: dict[str, Callable[[], Any]] = {
    "the good one": good,
    "no rows": lambda: good().iloc[:0],
    "one row": lambda: good().iloc[:1],
    "two rows": lambda: good().iloc[:2],
    "no columns but the outcome": lambda: good()[["time", "event"]],
    "no columns": lambda: good()[[]],
    "no time": lambda: good().drop(columns="time"),
    "no event": lambda: good().drop(columns="event"),
    "every row twice": lambda: pd.concat([good(), good()]),
    "an index of words": lambda: good().set_index(pd.Index(list("abcdefghijklmnop"))),
    "an index twice": lambda: good().set_index(pd.Index([0] * N)),
    "two levels of index": lambda: good().set_index(["age", "stage"], drop=False),
    "a name twice": lambda: named("time", "event", "age", "age"),
    "an empty name": lambda: named("time", "event", "", "stage"),
    "a blank name": lambda: named("time", "event", " ", "stage"),
    "a name with two lines": lambda: named("time", "event", "a\nb", "stage"),
    "a name with a quote": lambda: named("time", "event", 'a"b', "stage"),
    "a name like a script": lambda: named("time", "event", "<script>", "stage"),
    "a name of 10,000 letters": lambda: named("time", "event", "a" * 10_000, "stage"),
    "a number as a name": lambda: named("time", "event", 7, "stage"),
    "only numbers as names": lambda: named(0, 1, 2, 3),
    "None as a name": lambda: named("time", "event", None, "stage"),
    "two levels of names": lambda: good().set_axis(
        pd.MultiIndex.from_product([["a", "b"], ["time", "event"]]), axis=1
    ),
    "10,000 columns": lambda: pd.concat(
        [good(), pd.DataFrame({f"g{j}": (np.arange(N) * (j + 1)) % 7 for j in range(10_000)})],
        axis=1,
    ),
    "every event": lambda: good(event=1),
    "no event seen": lambda: good(event=0),
    "one event": lambda: good(event=[1] + [0] * (N - 1)),
    "events as 1 and 2": lambda: good(event=[1, 2] * 8),
    "events as texts": lambda: good(event=["dead", "alive"] * 8),
    "events as flags": lambda: good(event=[True, False] * 8),
    "events as halves": lambda: good(event=0.5),
    "all times 0": lambda: good(time=0.0),
    "one time": lambda: good(time=3.0),
    "times that sink": lambda: good(time=np.arange(N, 0, -1.0)),
    "times as texts": lambda: good(time=[str(i) for i in range(1, N + 1)]),
    "times as dates": lambda: good(time=pd.date_range("2020", periods=N)),
    "times as spans": lambda: good(time=pd.to_timedelta(np.arange(1, N + 1), unit="D")),
    "times as flags": lambda: good(time=[True, False] * 8),
    "times over 600 orders": lambda: good(time=10.0 ** np.linspace(-300, 300, N)),
    "times one step apart": lambda: good(time=1.0 + np.arange(N) * 2.0**-52),
    "a polars frame": lambda: pl.from_pandas(good()),
    "a polars frame of structs": lambda: pl.from_pandas(good()).with_columns(
        s=pl.struct("age", "stage")
    ),
    "a polars frame of lists": lambda: pl.from_pandas(good()).with_columns(
        s=pl.concat_list("age", "age")
    ),
    "a polars frame of nothing": lambda: pl.from_pandas(good()).with_columns(s=pl.lit(None)),
    "a lazy polars frame": lambda: pl.from_pandas(good()).lazy(),
    "an arrow table": lambda: pa.Table.from_pandas(good()),
    "an arrow table in parts": lambda: pa.concat_tables([pa.Table.from_pandas(good())] * 2),
    "an arrow table with a dictionary": lambda: pa.table(
        {
            "time": list(range(1, N + 1)),
            "event": [1, 0] * 8,
            "stage": pa.array(["I", "II"] * 8).dictionary_encode(),
        }
    ),
}


def all_frames() -> dict[str, Callable[[], Any]]:
    """Every frame by what is odd about it."""
    out = dict(FRAMES)
    for title, make in COLUMNS.items():
        out[f"a column: {title}"] = lambda make=make: good(extra=make())
    for column in ("time", "event", "age", "stage"):
        for title, value in CELLS.items():
            out[f"{column} has {title}"] = lambda column=column, value=value: spoilt(column, value)
    return out
