"""One column of a user's table, whatever its library calls its type, as a Column."""

import datetime
import enum
import numbers
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from survtree._data.table import Column

DATES = (datetime.date, np.datetime64)
DURATIONS = (datetime.timedelta, np.timedelta64)
MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})
# The message about a column (its name, what it holds); the outcome has messages of its own.
Message = Callable[[str, str], str]


def not_a_covariate(name: str, what: str) -> str:
    """The message about a column of X that cannot be split on."""
    remedy = {
        "dates": "Turn it into a number, for example days since a start date, or leave it out.",
        "durations": "Turn it into a number, for example days, or leave it out.",
    }.get(what, "Turn it into numbers, flags or text, or leave it out.")
    return f"column {name!r} must hold numbers, flags or categories; it holds {what}. {remedy}"


def column_of_series(
    name: str, series: nw.Series[Any], message: Message = not_a_covariate
) -> Column:
    """A column of a frame."""
    dtype, native = series.dtype, series.to_native()
    if _is_of_objects(native):  # narwhals would judge them by the first hundred
        return column_of_objects(name, series.to_list(), message)
    if dtype.is_numeric():
        return column_of_numbers(name, floats_of(series), dtype.is_integer())
    if dtype == nw.Boolean:
        return _flags(name, series.fill_null(False).to_numpy(), series.is_null().to_numpy())
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        is_missing = series.is_null().to_numpy().astype(bool)
        levels = _levels(name, series.to_list(), is_missing, _declared_levels(series))
        return levels._replace(kind="ordered") if _is_ordered(native) else levels
    if dtype.is_temporal():
        what = {nw.Duration: "durations", nw.Time: "times of day"}.get(type(dtype), "dates")
        raise ValueError(message(name, what))
    if dtype in (nw.Object, nw.Unknown):
        return column_of_objects(name, series.to_list(), message)
    raise ValueError(message(name, f"values of type {dtype}"))


def column_of_array(name: str, values: NDArray[Any], message: Message = not_a_covariate) -> Column:
    """A column of a NumPy array."""
    kind = values.dtype.kind
    if kind == "b":
        return _flags(name, values, np.zeros(len(values), dtype=bool))
    if kind in "iuf":
        with np.errstate(over="ignore"):  # what is too large becomes infinity, and is refused
            return column_of_numbers(name, values.astype(np.float64, copy=False), kind != "f")
    if kind in "mM":
        raise ValueError(message(name, "durations" if kind == "m" else "dates"))
    return column_of_objects(name, values.tolist(), message)


def column_of_numbers(name: str, values: NDArray[np.float64], is_whole: bool = False) -> Column:
    """Numbers, NaN where missing; infinity has no place between two others."""
    if not np.isfinite(values).all():
        is_infinite = np.isinf(values)
        if is_infinite.any():
            row = int(np.argmax(is_infinite))
            raise ValueError(
                f"column {name!r} must hold finite numbers; row {row} has {values[row]}. Replace "
                "it by a number, or by NaN (missing) if it is unknown."
            )
        # R's missing value is a NaN that some processors raise a flag for whenever it is looked at.
        values = np.where(np.isnan(values), np.nan, values)
    return Column(name, "number", values, is_whole=is_whole)


def floats_of(series: nw.Series[Any]) -> NDArray[np.float64]:
    """A series of numbers, NaN where null."""
    # pyarrow's casts are not Python's: decimals come out a bit off, and integers that a float can
    # only come near to are refused.
    if series.dtype == nw.Decimal:
        cells = series.to_list()
        return np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells])
    if series.implementation.is_polars():
        series = series.cast(nw.Float64)
    return np.asarray(series.to_numpy(), dtype=np.float64)


def column_of_objects(
    name: str, values: Sequence[Any], message: Message = not_a_covariate
) -> Column:
    """A column of Python objects: flags, numbers or text, and nothing else beside them."""
    is_missing = np.fromiter(map(_is_missing, values), dtype=bool, count=len(values))
    present = [v for v, gone in zip(values, is_missing, strict=True) if not gone]
    kinds = {_kind_of(kind): kind for kind in dict.fromkeys(map(type, present))}
    if not kinds:
        return Column(name, "number", np.full(len(values), np.nan))
    if set(kinds) == {"flags"}:
        flags = np.zeros(len(values), dtype=bool)
        flags[~is_missing] = present
        return _flags(name, flags, is_missing)
    if set(kinds) <= {"flags", "numbers"}:
        found = np.full(len(values), np.nan)
        found[~is_missing] = _floats(name, present, np.flatnonzero(~is_missing))
        return column_of_numbers(name, found)
    if set(kinds) == {"text"}:
        return _levels(name, values, is_missing, None)
    odd = next((kind for kind in kinds if kind not in ("flags", "numbers", "text")), None)
    if odd is not None:
        raise ValueError(message(name, odd))
    raise ValueError(_mixed(name, values, message))


def text_of(value: Any) -> str:
    """A level in words; whole numbers read alike, whatever their type."""
    if isinstance(value, enum.Enum):
        return str(value.value) if isinstance(value.value, str) else value.name
    if isinstance(value, Decimal):
        return f"{value:.0f}" if value == value.to_integral_value() else str(value)
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


def reads_as_number(level: str) -> bool:
    """Would it be a number if the column were not text?"""
    try:
        float(level)
    except ValueError:
        return False
    return True


def _is_missing(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signaling NaN raises
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return type(value).__name__ in MISSING_TYPES


def _kind_of(kind: type) -> str:
    if issubclass(kind, (bool, np.bool_)):
        return "flags"
    if issubclass(kind, (str, enum.Enum)):
        return "text"
    if issubclass(kind, DURATIONS):
        return "durations"
    if issubclass(kind, (numbers.Real, Decimal)):
        return "numbers"
    if issubclass(kind, datetime.time):
        return "times of day"
    return "dates" if issubclass(kind, DATES) else f"objects of type {kind.__name__}"


def _floats(name: str, values: Sequence[Any], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    out = np.empty(len(values))
    for k, value in enumerate(values):
        try:
            out[k] = float(value)
        except OverflowError as error:
            raise ValueError(
                f"column {name!r} must hold finite numbers; row {rows[k]} has one that is too "
                "large for a float. Replace it, or make it None if it is unknown."
            ) from error
    return out


def _flags(name: str, values: NDArray[Any], is_missing: NDArray[np.bool_]) -> Column:
    flags = values.astype(np.int8)
    flags[is_missing] = -1
    return Column(name, "flag", flags)


def _levels(
    name: str, values: Sequence[Any], is_missing: NDArray[np.bool_], declared: list[str] | None
) -> Column:
    # Each distinct value is put in words once; rows only look their level up.
    distinct = dict.fromkeys(v for v, gone in zip(values, is_missing, strict=True) if not gone)
    words = {value: text_of(value) for value in distinct}
    levels = declared if declared is not None else sorted(set(words.values()), key=_natural)
    place = {level: k for k, level in enumerate(levels)}
    places = np.full(len(values), -1, dtype=np.intp)
    places[~is_missing] = [
        place[words[v]] for v, gone in zip(values, is_missing, strict=True) if not gone
    ]
    return Column(name, "level", places, tuple(levels))


def _natural(level: str) -> tuple[bool, float, str]:
    """Numbers by size, before all other text."""
    try:
        number = float(level)
    except ValueError:
        return True, 0.0, level
    return (False, number, level) if number == number else (True, 0.0, level)


def _is_of_objects(native: Any) -> bool:
    dtype = getattr(native, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _is_ordered(native: Any) -> bool:
    """Do its categories have an order? Asked of pandas' and pyarrow's own types."""
    dtype = getattr(native, "dtype", None)
    dtype = getattr(dtype, "pyarrow_dtype", dtype)
    return bool(getattr(dtype if dtype is not None else native.type, "ordered", False))


def _declared_levels(series: nw.Series[Any]) -> list[str] | None:
    """The categories in the order in which the column's type lists them, used or not."""
    native = series.to_native()
    if series.implementation.is_polars():
        # A Categorical lists what any column of the process ever held; only an Enum declares.
        categories = native.dtype.categories if series.dtype == nw.Enum else None
    elif hasattr(native, "cat"):
        categories = native.cat.categories
    elif series.dtype == nw.Categorical:  # a pyarrow dictionary, in pandas or not
        array = series.to_arrow()
        array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
        categories = array.dictionary.drop_null().to_pylist()
    else:
        return None
    return None if categories is None else list(dict.fromkeys(map(text_of, categories)))


def _mixed(name: str, values: Sequence[Any], message: Message) -> str:
    """Names the first text and the first number of a column that has both."""
    present = [(row, v) for row, v in enumerate(values) if not _is_missing(v)]
    row, text = next((row, v) for row, v in present if _kind_of(type(v)) == "text")
    other, number = next((row, v) for row, v in present if _kind_of(type(v)) != "text")
    if message is not not_a_covariate:
        both = f"text and numbers: row {row} has {str(text)!r}, row {other} has {number}"
        return message(name, both)
    return (
        f"column {name!r} must hold either numbers or text; row {row} has {str(text)!r}, row "
        f"{other} has {number}. If {str(text)!r} stands for a missing value, make it None; if "
        "the column holds categories, make all of it text."
    )
