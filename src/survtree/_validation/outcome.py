"""The outcome: event flag and time of each row, in every shape users have them, and weights."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from survtree._event_table import EventTable
from survtree._table import Column
from survtree._validation.columns import column_of_array, column_of_series, floats_of
from survtree._validation.table import as_frame

MAX_WEIGHT_RATIO = 1e12
WORDS_FOR_CENSORED = frozenset({"0", "alive", "censored", "f", "false", "n", "no", "none"})


def check_outcome(y: Any, sample_weight: Any, n_rows: int) -> EventTable:
    """Y and weights as an EventTable with as many rows as X."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: pass a structured array "
            "(event, time), a two-column frame, or a pair (event, time)."
        )
    event_values, time_values = _event_and_time(y)
    event = _check_event(event_values)
    time = _check_time(time_values)
    if len(event) != len(time):
        raise ValueError(
            f"event and time must have the same length; got {len(event)} and {len(time)}."
        )
    if len(time) != n_rows:
        raise ValueError(
            "X and y must have the same number of rows (inconsistent numbers of samples); "
            f"X has {n_rows}, y has {len(time)}."
        )
    return check_events(EventTable(event, time, _check_weight(sample_weight, n_rows)))


def check_events(events: EventTable | None) -> EventTable:
    """Complain if no event was seen, or nothing took any time."""
    assert events is not None
    if events.time.max() == 0:
        raise ValueError("times must not all be 0: there is no time over which to judge a curve.")
    if events.event.any():
        return events
    n = len(events)
    raise ValueError(
        f"no event was observed ({n} of {n} rows are censored), so all trees score the same. Is "
        "the event flag inverted?"
    )


def split_outcome(X: Any, y: Any, duration_col: Any, event_col: Any) -> tuple[Any, Any]:
    """X and y; with column names given, both are taken from one frame."""
    if duration_col is None and event_col is None:
        return X, y
    frame = as_frame(X)
    if y is not None or duration_col is None or event_col is None or frame is None:
        came = "no frame" if frame is None else "y as well" if y is not None else "one of them"
        raise ValueError(
            "duration_col and event_col must come together, with a frame that has both columns and "
            f"without y; got {came}. If every row had its event, add a column of ones."
        )
    for role, name in (("duration_col", duration_col), ("event_col", event_col)):
        if name not in frame.columns:
            columns = ", ".join(map(repr, frame.columns[:10]))
            raise ValueError(
                f"{role} must name a column of the frame; there is no {name!r} in {columns}."
            )
    if duration_col == event_col:
        raise ValueError(f"duration_col and event_col must differ; both are {event_col!r}.")
    pair = frame.get_column(event_col), frame.get_column(duration_col)
    return frame.drop(duration_col, event_col).to_native(), pair


def _event_and_time(y: Any) -> tuple[Any, Any]:
    frame = as_frame(y)
    if frame is not None:
        return _of_two_columns([frame.get_column(name) for name in frame.columns])
    if isinstance(y, (tuple, list)) and len(y) == 2 and all(np.ndim(part) == 1 for part in y):
        return y[0], y[1]
    array = np.asarray(y)
    if array.dtype.names is not None:
        return _of_two_columns([array[name] for name in array.dtype.names])
    if array.ndim == 2 and array.shape[1] == 2:
        return _of_two_columns([array[:, 0], array[:, 1]])
    raise ValueError(
        "y must tell event and time of each row: a structured array (event, time), a two-column "
        f"frame, or a pair (event, time); got {type(y).__name__} of shape {array.shape}."
    )


def _of_two_columns(columns: list[Any]) -> tuple[Any, Any]:
    """(event, time); whichever column alone holds only 0/1 or bool is the event."""
    if len(columns) != 2:
        raise ValueError(
            f"y must have two columns, the event flag and the time; it has {len(columns)}."
        )
    first, second = columns
    is_swapped = _is_flag(second) and not _is_flag(first)
    return (second, first) if is_swapped else (first, second)


def _is_flag(values: Any) -> bool:
    array = values.to_numpy() if isinstance(values, nw.Series) else np.asarray(values)
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind == "O":  # nullable columns come as objects
        return all(isinstance(v, (int, float, np.bool_)) and v in (0, 1) for v in array.tolist())
    return array.dtype.kind in "iuf" and bool(((array == 0) | (array == 1)).all())


def _check_event(values: Any) -> NDArray[np.bool_]:
    column = _read("event", values)
    if column.kind not in ("flag", "number"):
        shown = ", ".join(map(repr, column.levels[:3]))
        likely = [level for level in column.levels if level.lower() not in WORDS_FOR_CENSORED]
        raise ValueError(
            "event must be True/False or 1/0 (1: the event was seen, 0: censored); it holds text: "
            f"{shown}. Pass a comparison, for example event == {(likely or column.levels)[0]!r}."
        )
    is_missing = column.is_missing()
    is_odd = ~is_missing & (column.values != 0) & (column.values != 1)
    if is_missing.any() or is_odd.any():
        row = int(np.argmax(is_odd if is_odd.any() else is_missing))
        shown = f"{column.values[row]:g}" if is_odd.any() else "a missing value"
        raise ValueError(
            "event must be True/False or 1/0 (1: the event was seen, 0: censored); "
            f"row {row} has {shown}. {_event_hint(column.values[~is_missing], is_missing)}"
        )
    return np.asarray(column.values == 1)


def _event_hint(values: NDArray[Any], is_missing: NDArray[np.bool_]) -> str:
    if np.isin(values, (1, 2)).all() and (values == 2).any():
        return "For 1 = censored, 2 = event pass event == 2."
    if is_missing.any():
        return "Drop the rows with a missing flag."
    return "Are event and time swapped? A pair is (event, time)."


def _check_time(values: Any) -> NDArray[np.float64]:
    time = numbers_of("time", values)
    for is_bad, need, remedy in (
        (np.isnan(time), "be finite", "Remove the row: without a time it says nothing."),
        (np.isinf(time), "be finite", "Censor the row at the last time it was seen."),
        (time < 0, "not be negative", "Remove the row or move the time origin."),
    ):
        if is_bad.any():
            row = int(np.argmax(is_bad))
            raise ValueError(f"times must {need}; row {row} has {time[row]}. {remedy}")
    return time


def numbers_of(role: str, values: Any) -> NDArray[np.float64]:
    """A column of numbers, NaN where missing."""
    column = _read(role, values)
    if column.kind == "number":
        return np.asarray(column.values, dtype=np.float64)
    found = "flags" if column.kind == "flag" else f"text: {column.levels[0]!r}"
    raise ValueError(f"{role} must hold numbers; it holds {found}. Convert the column first.")


def _read(role: str, values: Any) -> Column:
    """One column of the outcome, with nothing said of its values yet."""
    is_plain = isinstance(values, (np.ndarray, list, tuple))  # asking narwhals takes a while
    series = values if is_plain else nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.dtype.is_numeric():
            return Column(role, "number", floats_of(series))
        return column_of_series(role, series)
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{role} must be one column; got shape {array.shape}.")
    if array.dtype.kind in "iuf":
        return Column(role, "number", array.astype(np.float64))
    return column_of_array(role, array)


def _check_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = numbers_of("sample_weight", sample_weight)
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight must have one entry per row; X has {n_rows}, it has {len(weight)}."
        )
    is_bad = ~(np.isfinite(weight) & (weight > 0))
    if is_bad.any():
        row = int(np.argmax(is_bad))
        raise ValueError(
            f"sample_weight must be positive and finite; row {row} has {weight[row]}. "
            "To leave a row out, remove it."
        )
    if weight.max() > MAX_WEIGHT_RATIO * weight.min():
        raise ValueError(
            f"sample_weight must not span more than a factor of {MAX_WEIGHT_RATIO:g}, beyond which "
            f"losses lose digits; got {weight.min():g} to {weight.max():g}. Rescale or clip it."
        )
    return weight
