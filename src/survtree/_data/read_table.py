"""The covariates: any array or frame as a Table, column by column."""

import datetime
import enum
import numbers
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from survtree._data.read_array import as_array, check_is_table
from survtree._data.table import Bools, Column, Floats, Places, Table, table_of

MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})
# What columns of Python objects hold, by type, in this order: NumPy's durations are numbers too.
KINDS_OF_OBJECTS = {
    (bool, np.bool_): "flags",
    (str, enum.Enum): "text",
    (datetime.timedelta, np.timedelta64): "durations",
    (numbers.Real, Decimal): "numbers",
    (datetime.time,): "times of day",
    (datetime.date, np.datetime64): "dates",
}
# The message about a column (its name, what it holds); the outcome has messages of its own.
Message = Callable[[str, str], str]


def check_table(estimator: Any, X: Any, *, reset: bool, left_out: Sequence[str] = ()) -> Table:
    """X as a Table; with ``reset`` the estimator gets its column names and count.

    Columns that are ``left_out`` may hold anything: what cannot be read is missing.
    """
    if _is_clean_array(X) and (reset or X.shape[1] == estimator.n_features_in_):
        # scikit-learn's checks find nothing here, and take longer than a small fit.
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
        if not hasattr(estimator, "feature_names_in_") and _holds_only_0_and_1(X):
            # A copy: what happens to X after the fit must not reach the model.
            matrix = np.array(X, dtype=np.uint8, order="C")
            return Table(default_names(X.shape[1]), len(X), matrix=matrix)
    frame = as_frame(X)
    if frame is not None:
        _check_names(frame.columns)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if len(frame) == 0:
            raise ValueError(
                "X must have at least one row; it has none. Look at what filtered its rows."
            )
        series = [frame.get_column(name) for name in frame.columns]  # [name] may take rows
        return _table_of_columns(column_of_series, _names(estimator), series, left_out)
    check_is_table(X)
    array = check_array(as_array(X), dtype=None, ensure_all_finite=False, estimator=estimator)
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    return _table_of_columns(column_of_array, _names(estimator), array.T, left_out)


def _table_of_columns(
    read: Callable[[str, Any], Column],
    names: Sequence[str],
    columns: Iterable[Any],
    left_out: Sequence[str],
) -> Table:
    found = []
    for name, values in zip(names, columns, strict=True):
        try:
            found.append(read(name, values))
        except ValueError:
            if name not in left_out:
                raise
            found.append(column_of_numbers(name, np.full(len(values), np.nan)))
    return table_of(found)


def _is_clean_array(X: Any) -> bool:
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"


def _holds_only_0_and_1(array: NDArray[Any]) -> bool:
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind == "f":
        # A look at some rows first: most tables of numbers are found out there.
        return all(bool(((a == 0) | (a == 1)).all()) for a in (array[:64], array))
    return bool(array.min() >= 0 and array.max() <= 1)


def as_frame(table: Any) -> nw.DataFrame[Any] | None:
    """X as a narwhals frame, or None if it is no frame."""
    if isinstance(table, (np.ndarray, list, tuple)):  # asking narwhals takes a while
        return None
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
    except ValueError as error:  # of repeated names; its class depends on the version
        names = getattr(table, "column_names", None) or table.columns  # pyarrow's, the others'
        _check_names(list(names))
        raise ValueError(str(error)) from error
    return frame if isinstance(frame, nw.DataFrame) else None


def _names(estimator: Any) -> tuple[str, ...]:
    """The user's names of the columns, or x0, x1, ... where there are none."""
    named = getattr(estimator, "feature_names_in_", None)
    return tuple(named) if named is not None else default_names(estimator.n_features_in_)


def default_names(n_columns: int) -> tuple[str, ...]:
    """Names of unnamed columns."""
    return tuple(f"x{j}" for j in range(n_columns))


def _check_names(names: Sequence[Any]) -> None:
    if len(names) == 0:
        raise ValueError(
            "X must have at least one column besides event and time; it has none. Add the columns "
            "to split on."
        )
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"column names must differ; {name!r} occurs twice. Rename one of the columns."
            )
        seen.add(name)


def rows_at(X: Any, places: Places) -> Any:
    """Some rows of the user's table, in its own kind."""
    frame = as_frame(X)
    if frame is not None:
        return frame[places.tolist()].to_native()
    if isinstance(X, (list, tuple)):
        return [X[place] for place in places.tolist()]
    return np.asanyarray(X)[places]


def not_a_covariate(name: str, what: str) -> str:
    """The message about a column of X that cannot be split on."""
    remedy = {
        "dates": "Turn it into a number, for example days since a start date",
        "durations": "Turn it into a number, for example days",
    }.get(what.split(" as text")[0], "Turn it into numbers, flags or text")
    told = f"column {name!r} must hold numbers, flags or categories; it holds {what}. {remedy}"
    return f"{told}, or leave it out: exclude={[name]!r}."


def column_of_series(
    name: str, series: nw.Series[Any], message: Message = not_a_covariate
) -> Column:
    """A column of a frame."""
    dtype, native = series.dtype, series.to_native()
    # Objects of a NumPy type: narwhals would judge them by the first hundred.
    is_numpy = isinstance(getattr(native, "dtype", None), np.dtype)
    if (is_numpy and native.dtype.kind == "O") or dtype in (nw.Object, nw.Unknown):
        return column_of_objects(name, series.to_list(), message)
    if dtype.is_numeric():
        return column_of_numbers(name, floats_of(series), dtype.is_integer())
    if dtype == nw.Boolean:
        return _flags(name, series.fill_null(False).to_numpy(), series.is_null().to_numpy())
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        is_missing = series.is_null().to_numpy().astype(bool)
        levels = _levels(name, series.to_list(), is_missing, _declared_levels(series))
        levels = levels._replace(is_text=dtype == nw.String)
        return levels._replace(kind="ordered") if _is_ordered(native) else levels
    if dtype.is_temporal():
        what = {nw.Duration: "durations", nw.Time: "times of day"}.get(type(dtype), "dates")
        raise ValueError(message(name, what))
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


def column_of_numbers(name: str, values: Floats, is_whole: bool = False) -> Column:
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


def floats_of(series: nw.Series[Any]) -> Floats:
    """A series of numbers, NaN where null."""
    # pyarrow's casts are not Python's: decimals come out a bit off, and integers that a float can
    # only come near to are refused.
    if series.dtype == nw.Decimal:
        cells = series.to_list()
        return np.array([np.nan if is_missing_value(cell) else float(cell) for cell in cells])
    if series.implementation.is_polars():
        series = series.cast(nw.Float64)
    return np.asarray(series.to_numpy(), dtype=np.float64)


def column_of_objects(
    name: str, values: Sequence[Any], message: Message = not_a_covariate
) -> Column:
    """A column of Python objects: flags, numbers or text, and nothing else beside them."""
    is_missing = np.fromiter(map(is_missing_value, values), dtype=bool, count=len(values))
    present = [v for v, gone in zip(values, is_missing, strict=True) if not gone]
    kinds = {_kind_of(kind): kind for kind in dict.fromkeys(map(type, present))}
    if not kinds and message is not_a_covariate:  # other rows may have text as well as numbers
        return _levels(name, values, is_missing, None)
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
        return _levels(name, values, is_missing, None)._replace(is_text=True)
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


def is_missing_value(value: Any) -> bool:
    """Is it None, NaN, or pandas' NA or NaT?"""
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signaling NaN raises
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return type(value).__name__ in MISSING_TYPES


def _kind_of(kind: type) -> str:
    found = (what for types, what in KINDS_OF_OBJECTS.items() if issubclass(kind, types))
    return next(found, f"objects of type {kind.__name__}")


def _floats(name: str, values: Sequence[Any], rows: Places) -> Floats:
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


def _flags(name: str, values: NDArray[Any], is_missing: Bools) -> Column:
    flags = values.astype(np.int8)
    flags[is_missing] = -1
    return Column(name, "flag", flags)


def _levels(
    name: str, values: Sequence[Any], is_missing: Bools, declared: list[str] | None
) -> Column:
    present = [v for v, gone in zip(values, is_missing, strict=True) if not gone]
    # Each distinct value is put in words once; rows only look their level up.
    words = {value: text_of(value) for value in dict.fromkeys(present)}
    levels = declared if declared is not None else sorted(set(words.values()), key=natural_order)
    place = {level: k for k, level in enumerate(levels)}
    places = np.full(len(values), -1, dtype=np.intp)
    places[~is_missing] = [place[words[value]] for value in present]
    return Column(name, "level", places, tuple(levels))


def natural_order(level: str) -> tuple[bool, float, str]:
    """Numbers by size, before all other text."""
    number = float(level) if reads_as_number(level) else np.nan
    return (False, number, level) if number == number else (True, 0.0, level)


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
    present = [(row, v) for row, v in enumerate(values) if not is_missing_value(v)]
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
