"""The outcome in every form that users have it: event flag and time of each row."""

import re
from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from survtree._base.words import did_you_mean, list_names
from survtree._data.causes import CausedOutcome, label_of_cause
from survtree._data.read_array import unmasked
from survtree._data.read_table import (
    Message,
    as_frame,
    column_of_array,
    column_of_series,
    floats_of,
    reads_as_number,
)
from survtree._data.table import Bools, Column, EventTable, Floats, Outcome

MOST_CAUSES = 20  # more labels than this are no causes
WORDS_FOR_CENSORED = frozenset({"0", "alive", "censored", "f", "false", "n", "no", "none"})
NAMES_OF_CENSORED = frozenset(
    (
        *("alive", "living", "survived", "survivor", "surviving"),
        *("cens", "censor", "censored", "censoring", "censorship"),
    )
)
NEGATIONS = frozenset({"no", "non", "not"})
WORD = re.compile(r"[a-z]+")
SHAPES = "a structured array (event, time), a two-column frame, or a pair (event, time)"
FLAG = "must be True/False or 1/0 (1: the event was seen, 0: censored)"
REMOVE_MISSING = "Remove the rows with a missing flag."
SWAPPED = "Are event and time swapped? A pair is (event, time)."
# A few small whole numbers are taken for codes rather than times.
LARGEST_CODE, MOST_CODES = 9, 5


def read_outcome(y: Any, role: str = "y") -> tuple[Bools, Floats]:
    """Event flags and times, equally many; ``role`` is the name of the argument."""
    event_values, time_values = event_and_time(y, role)
    of = "" if role == "y" else f" of {role}"
    event = _check_event(event_values, f"event{of}")
    time = check_time(time_values, f"time{of}")
    check_lengths(len(event), len(time), of)
    return event, time


def check_lengths(n_events: int, n_times: int, of: str) -> None:
    """Refuse flags and times of different rows."""
    if n_events != n_times:
        raise ValueError(
            f"event and time{of} must have the same length; got {n_events} and {n_times}. Take "
            "both from the same rows."
        )


def looks_like_causes(values: Any) -> bool:
    """Whether a column holds texts or few codes, rather than times."""
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if array.dtype.kind not in "iuf":
        return True
    return bool(((array >= 0) & (array <= MOST_CAUSES) & (array == np.round(array))).all())


def _columns_of(y: Any) -> tuple[Any, Any]:
    """The columns of events and times, whether or not a cause is named beside them."""
    if isinstance(y, Outcome):
        return y.event, y.time
    if isinstance(y, CausedOutcome):
        inner = y.y
        is_read = isinstance(inner, Outcome)
        return _columns_of(inner) if is_read else event_and_time(inner, "y", looks_like_causes)
    return event_and_time(y, "y")


def name_of_time(y: Any) -> str:
    """The name of the column of times, if it has one."""
    return _name_of(_columns_of(y)[1])


def cautions_of_event(y: Any) -> tuple[str, ...]:
    """What must be said of the column of event flags, if its name is that of the opposite."""
    if isinstance(y, CausedOutcome) and is_coding_told(y.cause, y.censored):
        return ()
    name = _name_of(_columns_of(y)[0])
    if not is_named_as_censored(name):
        return ()
    column = f"frame[{name!r}]"
    return (f"{inverted(name)} turn it round: {column} = {column} == 0.",)


def is_coding_told(cause: Any, censored: Any) -> bool:
    """Whether a user has said what the values of the event column mean, not just that 1 is it."""
    return censored is not None or (cause is not None and label_of_cause(cause) != "1")


def inverted(name: str) -> str:
    """The caution about an event column with such a name, up to what to do."""
    return (
        f"the event column {name!r} has the name of rows without an event: True (1) must mean that "
        "the event was seen, False (0) that the row was censored. If it is the other way round,"
    )


def is_named_as_censored(name: str) -> bool:
    """Is it a usual name of rows without an event?"""
    if not name:  # as of arrays; a first fit need not compile the patterns then
        return False
    words = set(WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
    return bool(words & NAMES_OF_CENSORED) and not words & NEGATIONS


def _name_of(values: Any) -> str:
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else ""


def check_events(events: EventTable) -> EventTable:
    """Refuse an outcome without any event, or in which all times are 0."""
    check_time_passes(events.time)
    if events.event.any():
        return events
    n = events.n_rows
    raise ValueError(
        f"no event was observed ({n} of {n} rows are censored), so all trees score the same. Is "
        "the event flag inverted?"
    )


def check_time_passes(time: Floats, role: str = "times") -> None:
    """Refuse times that are all 0."""
    if time.max() == 0:
        raise ValueError(
            f"{role} must not all be 0, which leaves no time over which to judge a curve; all "
            f"{len(time):,} are. Use a finer unit of time, or another column."
        )


def split_outcome(X: Any, y: Any, duration_col: Any, event_col: Any) -> tuple[Any, Any]:
    """X and y; with column names given, both are taken from one frame."""
    if duration_col is None and event_col is None:
        return X, y
    if duration_col is None or event_col is None:
        absent, remedy = "duration_col", "Name the column of times."
        if event_col is None:
            absent = "event_col"
            remedy = "If every row had its event, add a column of ones and name it."
        raise ValueError(
            f"duration_col and event_col must come together; {absent} is missing. {remedy}"
        )
    if y is not None:
        raise ValueError(
            "duration_col and event_col must come without y; got all three. Leave out y, or the "
            "two names."
        )
    frame = as_frame(X)
    if frame is None:
        raise ValueError(
            "duration_col and event_col must name columns of a frame (pandas, polars, pyarrow); X "
            f"is of type {type(X).__name__}. Pass a frame, or y = (event, time)."
        )
    for role, name in (("duration_col", duration_col), ("event_col", event_col)):
        check_is_column(role, name, frame.columns)
    check_differ(duration_col, event_col)
    pair = frame.get_column(event_col), frame.get_column(duration_col)
    return frame.drop(duration_col, event_col).to_native(), pair


def check_differ(duration_col: Any, event_col: Any) -> None:
    """Refuse one column for both times and events."""
    if duration_col == event_col:
        raise ValueError(
            f"duration_col and event_col must differ; both are {event_col!r}. One names the times, "
            "the other the event flags."
        )


def check_is_column(role: str, name: Any, columns: list[Any]) -> None:
    """Refuse a name that no column of a frame has."""
    if name in columns:
        return
    hint = did_you_mean(name, columns) or " Check its spelling."
    raise ValueError(
        f"{role} must name a column of the frame; there is no {name!r} in "
        f"{list_names(columns)}.{hint}"
    )


def event_and_time(
    y: Any, role: str, is_event: Callable[[Any], bool] | None = None
) -> tuple[Any, Any]:
    """The column of events and that of times; ``is_event`` tells them apart if the order does not.

    By default whichever alone holds only 0/1 or bool is the event.
    """
    is_event = is_event or _is_flag
    frame = as_frame(y)
    if frame is not None:
        return _of_two_columns([frame.get_column(name) for name in frame.columns], role, is_event)
    if isinstance(y, (tuple, list)) and len(y) == 2 and all(np.ndim(part) > 0 for part in y):
        return y[0], y[1]
    try:
        array = y if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    except ValueError as error:  # parts of different lengths
        raise ValueError(_no_outcome(y, role, f"{type(y).__name__} of uneven parts")) from error
    if array.dtype.names is not None:
        return _of_two_columns([array[name] for name in array.dtype.names], role, is_event)
    if array.ndim == 2 and array.shape[1] == 2:
        return _of_two_columns([array[:, 0], array[:, 1]], role, is_event)
    shape = f" of shape {array.shape}" if array.ndim else ""
    raise ValueError(_no_outcome(y, role, f"{type(y).__name__}{shape}"))


def _no_outcome(y: Any, role: str, came: str) -> str:
    remedy = "Pass event and time, and nothing else."
    if isinstance(y, str):
        came, remedy = repr(y), "To name columns of a frame pass duration_col= and event_col=."
    elif isinstance(y, dict):
        remedy = "Pass a pair of its entries."
    elif np.ndim(y) == 1 and not isinstance(y, (tuple, list)):
        remedy = "If these are times and every row had its event, pass (np.ones(len(y)), y)."
    return f"{role} must hold event and time of each row: {SHAPES}; got {came}. {remedy}"


def _of_two_columns(
    columns: list[Any], role: str, is_event: Callable[[Any], bool]
) -> tuple[Any, Any]:
    """(event, time); whichever column alone looks like events holds them."""
    if len(columns) != 2:
        raise ValueError(
            f"{role} must have two columns, the event flag and the time; it has {len(columns)}. "
            "Pass a pair (event, time) of the two you mean."
        )
    first, second = columns
    is_swapped = is_event(second) and not is_event(first)
    if is_event is looks_like_causes and is_event(first) and is_event(second):
        raise ValueError(
            f"{role} must be a pair (event, time) where both of its columns could hold causes, as "
            "small whole numbers do; got two such columns. Pass a pair of the two."
        )
    return (second, first) if is_swapped else (first, second)


def _is_flag(values: Any) -> bool:
    array = values.to_numpy() if isinstance(values, nw.Series) else np.asarray(values)
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind == "O":  # nullable columns come as objects
        return all(isinstance(v, (int, float, np.bool_)) and v in (0, 1) for v in array.tolist())
    return array.dtype.kind in "iuf" and bool(((array == 0) | (array == 1)).all())


def _check_event(values: Any, role: str) -> Bools:
    role = named(role, values)
    column = read_column(role, values, _not_a_flag)
    if column.kind not in ("flag", "number"):
        if not column.levels:
            raise ValueError(f"{role} {FLAG}; every row has a missing value. {REMOVE_MISSING}")
        likely = [level for level in column.levels if level.lower() not in WORDS_FOR_CENSORED]
        first = (likely or column.levels)[0]
        raise ValueError(
            f"{role} {FLAG}; it holds text: {list_names(column.levels, 3)}. Pass a comparison, for "
            f"example event == {first!r}; or, if these are competing causes, name the one that the "
            f"tree is about, cause={first!r}."
        )
    is_seen = np.asarray(column.values == 1)
    if (is_seen | (column.values == 0)).all():
        return is_seen
    is_missing = column.is_missing()
    is_odd = ~is_missing & (column.values != 0) & (column.values != 1)
    row = int(np.argmax(is_odd if is_odd.any() else is_missing))
    shown, hint = "a missing value", REMOVE_MISSING
    if is_odd.any():
        shown = f"{column.values[row]:g}"
        hint = _event_hint(np.unique(column.values[~is_missing]))
    raise ValueError(f"{role} {FLAG}; row {row} has {shown}. {hint}")


def _event_hint(codes: NDArray[Any]) -> str:
    """What the flag may be instead, given its distinct values."""
    if np.isin(codes, (1, 2)).all():
        return "For 1 = censored, 2 = event pass event == 2."
    are_small = (codes == codes.round()).all() and np.abs(codes).max() <= LARGEST_CODE
    if len(codes) > MOST_CODES or not are_small:
        return SWAPPED
    listed = ", ".join(f"{code:g}" for code in codes)
    return (
        f"If {listed} are competing causes (0: censored), name the one that the tree is about, for "
        "example cause=1. Otherwise pass a comparison with the event you mean, for example "
        "event == 1; all others count as censored then."
    )


def _not_a_flag(role: str, what: str) -> str:
    remedy = "Pass a comparison that says whether the event was seen."
    if what == "dates":
        remedy = "If they are the dates of events, pass whether there is one."
    return f"{role} {FLAG}; it holds {what}. {remedy}"


def check_time(values: Any, role: str) -> Floats:
    """A column of times."""
    role = named(role, values)
    time = numbers_of(role, values)
    if len(time) == 0 or (time.min() >= 0 and 0 < time.max() < np.inf):
        return time
    shown = role.replace("time", "times", 1)
    for is_bad, need, remedy in (
        (np.isnan(time), "be finite", "Remove the row: without a time it says nothing."),
        (np.isinf(time), "be finite", "Censor the row at the last time it was seen."),
        (time < 0, "not be negative", "Remove the row or move the time origin."),
    ):
        if is_bad.any():
            row = int(np.argmax(is_bad))
            raise ValueError(f"{shown} must {need}; row {row} has {time[row]}. {remedy}")
    return time


def numbers_of(role: str, values: Any) -> Floats:
    """A column of numbers, NaN where missing."""
    column = read_column(role, values, _not_numbers)
    if column.kind == "number":
        return np.asarray(column.values, dtype=np.float64)
    if column.kind == "flag":
        raise ValueError(_not_numbers(role, "flags"))
    odd = [place for place, level in enumerate(column.levels) if not reads_as_number(level)]
    if not odd:
        raise ValueError(_not_numbers(role, f"text: {list_names(column.levels, 3)}"))
    row = int(np.argmax(column.values == odd[0]))
    raise ValueError(
        f"{role} must hold numbers; row {row} has the text {column.levels[odd[0]]!r}. Replace it, "
        "then convert the text to numbers."
    )


def _not_numbers(role: str, what: str) -> str:
    remedy = "Convert it to numbers."
    if what == "flags" and role.split()[0] == "time":
        remedy = SWAPPED
    elif what == "dates":
        remedy = "Pass the time from entry to event or end of observation, for example in days."
    elif what == "durations":
        remedy = "Convert it to numbers, for example days."
    return f"{role} must hold numbers; it holds {what}. {remedy}"


def named(role: str, values: Any) -> str:
    """The name of the argument, and that of the column if it has one of its own."""
    name = getattr(values, "name", None)
    return f"{role} (column {name!r})" if isinstance(name, str) and name not in ("", role) else role


def read_column(role: str, values: Any, message: Message) -> Column:
    """One column of the outcome; its values are not checked yet."""
    is_plain = isinstance(values, (np.ndarray, list, tuple))  # asking narwhals takes a while
    series = values if is_plain else nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.dtype.is_numeric():
            return Column(role, "number", floats_of(series))
        return column_of_series(role, series, message)
    if isinstance(values, np.ma.MaskedArray):
        values = unmasked(values)
    array = np.asarray(values)
    if array.ndim != 1:
        came = f"an array of shape {array.shape}" if array.ndim else repr(values)
        remedy = "Pass one of its columns." if array.ndim else "Pass an array."
        if array.ndim and array.size == len(array):
            remedy = "Flatten it, for example with ravel()."
        raise ValueError(f"{role} must be one column, with one value per row; got {came}. {remedy}")
    if array.dtype.kind in "iuf":
        return Column(role, "number", array.astype(np.float64))
    return column_of_array(role, array, message)
