"""What a metric needs, read and checked: outcomes, predicted curves or risks, and options.

The metrics see rows by curve and time: a tree has few curves that differ, so sums over rows are
made by curve, and sums over pairs of rows are sums over pairs of curves. Nothing here is ever
rows x rows.
"""

import hashlib
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base import BeyondTrainingWarning
from survtree._base.checks import is_count, is_number
from survtree._base.warn import warn
from survtree._data.causes import Causes, known_causes_of, with_known_causes
from survtree._data.read_events import read_events
from survtree._data.read_index import matched
from survtree._data.read_outcome import check_time_passes, numbers_of
from survtree._data.read_roles import Roles, rows_of
from survtree._data.read_table import as_frame
from survtree._data.read_weight import check_weight
from survtree._data.table import EventTable, Floats, Places, weight_at
from survtree._scoring.curves import Curves
from survtree._scoring.read_curves import (
    CURVES,
    check_curves,
    check_pair,
    curves_of_functions,
    predicted_functions,
    prediction_call,
)

# At most this many cells (times x curves) are looked at at once.
MOST_CELLS = 2**19
KINDS = (
    "a fitted model (with X), a pair (survival probabilities by row and time, times) or a list of "
    "step functions"
)
# What options of metrics must be.
NUMBERS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "tau": ("a positive time or None", lambda tau: tau > 0),
    "horizon": ("a positive time or None", lambda horizon: 0 < horizon < np.inf),
    "time": ("one finite number, not negative", lambda time: 0 <= time < sys.float_info.max),
    "floor": ("a probability below 1", lambda floor: 0 <= floor < 1),
}


@dataclass(frozen=True)
class Scored:
    """The outcome of each row, the distinct curves, and which of them each row has."""

    events: EventTable
    curves: Curves
    curve_of_row: Places
    roles: Roles | None = None  # the columns of the outcome, if the model knows them
    causes: Causes | None = None  # by whose labels the model reads outcomes, if not by flags

    def batches(self, times: Floats) -> Iterator[Floats]:
        """Ascending times, some at a time."""
        size = max(1, MOST_CELLS // len(self.curves.survival))
        for first in range(0, len(times), size):
            yield times[first : first + size]

    def later(self, times: Floats) -> Floats:
        """The weight of rows that end after each time: times x curves."""
        weight = self._by_time_and_curve(times, self.events.weight)
        return weight[:0:-1].cumsum(axis=0)[::-1]

    def happened(self, times: Floats, factor: Floats) -> Floats:
        """The weight x factor of events up to each time: times x curves."""
        return self._by_time_and_curve(times, self._event_weight(factor))[:-1].cumsum(axis=0)

    def ended_otherwise(self, times: Floats, factor: Floats) -> Floats:
        """The weight x factor of rows that ended by another cause up to each time."""
        weight = self.events.weight * self.events.is_other * factor
        return self._by_time_and_curve(times, weight)[:-1].cumsum(axis=0)

    def happening(self, times: Floats, factor: Floats) -> Floats:
        """The weight x factor of events at each time: times x curves."""
        is_at = np.isin(self.events.time, times)
        return self._by_time_and_curve(times, self._event_weight(factor) * is_at)[:-1]

    def _event_weight(self, factor: Floats) -> Floats:
        return np.asarray(self.events.weight * self.events.event * factor)

    def _by_time_and_curve(self, times: Floats, weight: Floats) -> Floats:
        """Weights of rows by how many of the times are before their end, and by curve."""
        n_curves = len(self.curves.survival)
        place = np.searchsorted(times, self.events.time, side="left")
        cells = (len(times) + 1) * n_curves
        return weight_at(place * n_curves + self.curve_of_row, weight, cells).reshape(-1, n_curves)


def scored(y: Any, curves: Any, X: Any, sample_weight: Any, horizon: Any = None) -> Scored:
    """What a user passed, checked; the outcome as it is known at the horizon."""
    until = None if horizon is None else check_number("horizon", horizon)
    roles = getattr(curves, "roles_", None)
    y, X, sample_weight = _parts_of_frame(y, X, sample_weight, roles)
    y, sample_weight = matched(X, y, sample_weight)
    curves, X = model_and_rows(curves, X)
    causes = known_causes_of(curves)
    y = with_known_causes(y, causes)
    events = check_scored(y, sample_weight).until(until)
    found, curve_of_row = check_predicted(curves, X, len(events))
    if not events.counts.all():
        events, curve_of_row = events.counted(), curve_of_row[events.counts]
    return Scored(events, found, curve_of_row, roles, causes)


def _parts_of_frame(y: Any, X: Any, sample_weight: Any, roles: Roles | None) -> tuple[Any, ...]:
    """Outcome, covariates and weights apart, if one frame holds them, as y or as X."""
    whole = X if y is None else y if X is None and _is_whole(y, roles) else None
    if whole is None:
        return y, X, sample_weight
    X, y, sample_weight = rows_of(whole, None, sample_weight, roles, needs_weight=False)
    return y, X, sample_weight


def _is_whole(table: Any, roles: Roles | None) -> bool:
    """Has the table more than an outcome?"""
    frame = None if roles is None else as_frame(table)
    return frame is not None and len(frame.columns) > 2


def model_and_rows(model: Any, X: Any) -> tuple[Any, Any]:
    """The model inside searches and pipelines, which do not predict curves, and its rows."""
    from sklearn.pipeline import Pipeline  # slow to import, and seldom needed

    while not hasattr(model, "predict_survival_function"):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline) and len(model) > 1:
            X, model = model[:-1].transform(X), model[-1]
        else:
            break
    return model, X


def check_scored(
    y: Any, sample_weight: Any, role: str = "y", weights: str = "sample_weight"
) -> EventTable:
    """An outcome to score on, or to take the censoring curve from: it may be without events."""
    y, sample_weight = matched(None, y, sample_weight, role, weights)
    outcome = read_events(y, role)
    time = outcome.time
    if len(time) == 0:
        raise ValueError(f"{role} must have at least one row; it has none. Look at what split it.")
    check_time_passes(time, "times" if role == "y" else f"times of {role}")
    return outcome.table(check_weight(sample_weight, len(time), weights, role))


def trained_on(
    events: EventTable,
    train: Any,
    train_weight: Any,
    horizon: float | None = None,
    roles: Roles | None = None,
    causes: Causes | None = None,
) -> EventTable:
    """The rows whose censoring curve counts: those scored, unless others are given.

    Warns once if they end before the rows that are scored.
    """
    if train is not None:
        if _is_whole(train, roles):
            _, train, train_weight = rows_of(train, None, train_weight, roles, needs_weight=True)
        train = with_known_causes(train, causes)
        training = check_scored(train, train_weight, "train", "train_weight").until(horizon)
        training = training.counted()
        _warn_of_late_rows(events, training)
        return training
    if train_weight is not None:
        raise ValueError(
            "train_weight must come with train; train is missing. Pass the outcome of the training "
            "rows, or the weights of the rows of y as sample_weight."
        )
    return events


def _warn_of_late_rows(events: EventTable, train: EventTable) -> None:
    """One warning for all rows that end after the training rows."""
    last = train.time.max()
    n_late = int((events.time > last).sum())
    if n_late:
        warn(
            f"train must reach as far as y; its last time is {last:g}, that of y is "
            f"{events.time.max():g} ({n_late:,} of {len(events):,} rows end later). From {last:g} "
            "on, the censoring curve keeps its last positive value.",
            BeyondTrainingWarning,
        )


def check_predicted(curves: Any, X: Any, n_rows: int) -> tuple[Curves, Places]:
    """The distinct curves, and which of them each row has."""
    if isinstance(curves, type):
        came = f"the class {curves.__name__}"
        raise TypeError(f"curves must be {KINDS}; got {came}. Pass an instance that was fitted.")
    if hasattr(curves, "predict_survival_function"):
        if X is None:
            raise ValueError(
                f"a model as curves needs the rows to predict; got {type(curves).__name__} without "
                "X. Pass X=..., the rows of y."
            )
        functions = predicted_functions(curves, X, n_rows, CURVES)
        return _of_functions(functions, prediction_call(curves))
    if X is not None and not hasattr(curves, "fit"):
        raise ValueError(
            f"X must come with a model; curves are of type {type(curves).__name__}. Leave out X, "
            "or pass the fitted model as curves."
        )
    if isinstance(curves, tuple) and not _are_functions(curves):
        return _of_pair(curves, n_rows)
    return _of_functions(_listed(curves, n_rows))


def _of_pair(pair: Any, n_rows: int) -> tuple[Curves, Places]:
    times, matrix = check_pair(pair, n_rows, CURVES)
    first, which = _distinct(map(_digest, np.ascontiguousarray(matrix)))
    distinct = matrix if len(first) == n_rows else matrix[first]
    if len(times) == 0:  # curves that never step are 1 from time 0 on
        times, distinct = np.zeros(1), np.ones((len(first), 1))
    return check_curves(times[np.newaxis], distinct, first, CURVES), which


def _of_functions(functions: list[Any], call: str = "") -> tuple[Curves, Places]:
    """Rows of one leaf share a function, so in most trees equal curves are the same object."""
    first, which = _distinct(map(id, functions))
    curves = curves_of_functions([functions[k] for k in first], first, CURVES, call)
    times, survival = np.broadcast_to(curves.times, curves.survival.shape), curves.survival
    first, same = _distinct(map(_digest, times, survival))
    if len(first) == len(survival):
        return curves, which
    is_shared = len(curves.times) == 1
    return Curves(curves.times if is_shared else times[first], survival[first]), same[which]


def _distinct(keys: Iterable[Hashable]) -> tuple[Places, Places]:
    """Places of keys that differ, in their order, and which of these each key equals."""
    place_of: dict[Hashable, int] = {}
    first: list[int] = []
    which: list[int] = []
    for row, key in enumerate(keys):
        place = place_of.setdefault(key, len(place_of))
        if place == len(first):
            first.append(row)
        which.append(place)
    return np.array(first, dtype=np.intp), np.array(which, dtype=np.intp)


def _digest(*parts: NDArray[Any]) -> bytes:
    """Stands for rows of numbers, and takes less memory."""
    return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=16).digest()


def _are_functions(values: Any) -> bool:
    return len(values) > 0 and hasattr(values[0], "x") and hasattr(values[0], "y")


def _listed(curves: Any, n_rows: int) -> list[Any]:
    """The functions, as many as rows; or an error that says what came instead."""
    what, remedy = type(curves).__name__, "Pass one of these."
    if hasattr(curves, "fit"):
        what += ", which has no predict_survival_function"
    elif len(getattr(curves, "shape", ())) == 2:
        what += f" of shape {curves.shape}"
        remedy = "Pass probabilities in a pair with their times."
    elif isinstance(curves, (list, tuple)) or len(getattr(curves, "shape", ())) == 1:
        functions = list(curves)
        if len(functions) == n_rows:
            return functions
        raise ValueError(
            f"curves must have one step function for each row of y; there are {n_rows:,} rows and "
            f"{len(functions):,} functions. {CURVES.row_remedy}"
        )
    raise TypeError(f"curves must be {KINDS}; got {what}. {remedy}")


def check_risk(risk: Any, n_rows: int) -> Floats:
    """One number per row, infinite ones included: these can be ranked."""
    values = numbers_of("risk", risk)
    if len(values) != n_rows:
        raise ValueError(
            f"risk must have one number for each row of y; there are {n_rows:,} rows, it has "
            f"{len(values):,}. Take both from the same rows."
        )
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise ValueError(f"risk must not be missing; row {row} has {values[row]}. Remove the row.")
    return values


def check_pairs(n_pairs: float, metric: str) -> None:
    """Refuse rows of which no two can be compared."""
    if not n_pairs > 0:
        raise ValueError(
            f"{metric} needs an event and a row that is followed for longer; y has no such pair. "
            "Pass more rows, or a later tau if there is one."
        )


def check_one_cause(events: EventTable, metric: str) -> None:
    """Refuse competing risks where a score is about one cause."""
    if events.cause is not None:
        raise ValueError(
            f"{metric} must be given an outcome with one cause; y has competing risks. Use "
            "brier_score, integrated_brier_score, ibs_ratio, harrell_c, uno_c or "
            "cumulative_dynamic_auc."
        )


def check_number(name: str, value: Any) -> float:
    """An option of a metric that is a number in some range."""
    need, is_allowed = NUMBERS[name]
    if not is_number(value) or not is_allowed(float(value)):
        raise ValueError(f"{name} must be {need}; got {value!r}.")
    return float(value)


def check_group_count(n_groups: Any) -> int:
    """How many groups of rows are compared."""
    if not is_count(n_groups):
        raise ValueError(f"n_groups must be a positive integer; got {n_groups!r}.")
    return int(n_groups)
