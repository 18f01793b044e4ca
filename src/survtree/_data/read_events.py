"""The outcome of rows as an EventTable: event flags or competing causes, times and weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.words import list_names
from survtree._data.causes import CausedOutcome, Causes, label_of_cause, label_of_number
from survtree._data.read_outcome import (
    MOST_CAUSES,
    REMOVE_MISSING,
    SHAPES,
    WORDS_FOR_CENSORED,
    check_events,
    check_lengths,
    check_time,
    event_and_time,
    looks_like_causes,
    named,
    read_column,
    read_outcome,
)
from survtree._data.read_weight import check_weight
from survtree._data.table import Codes, Column, EventTable, Floats, Outcome

# The target and the label of censored rows in a column of event flags.
USUAL = (("1", "0"), ("True", "False"))
CAUSE = "must hold what ended each row: 0 (censored) or the number or name of a cause"


def check_outcome(y: Any, sample_weight: Any, n_rows: int) -> EventTable:
    """The outcome and weights of a fit, as many as X has rows."""
    if y is None or (isinstance(y, CausedOutcome) and y.y is None):
        raise ValueError(
            f"this estimator requires y to be passed, but the target y is None. Pass {SHAPES}; or "
            "name the columns of a frame: fit(frame, duration_col=..., event_col=...)."
        )
    outcome = read_events(y)
    if len(outcome.time) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows; X has {n_rows}, y has "
            f"{len(outcome.time)}. Take both from the same rows."
        )
    return check_events(outcome.table(check_weight(sample_weight, n_rows)))


def read_events(y: Any, role: str = "y") -> Outcome:
    """Event flags and times, or causes and times if the outcome comes with a cause."""
    if isinstance(y, Outcome):
        return y
    if not isinstance(y, CausedOutcome):
        return Outcome(*read_outcome(y, role))
    if isinstance(y.y, Outcome):
        return y.y
    event_values, time_values = event_and_time(y.y, role, looks_like_causes)
    of = "" if role == "y" else f" of {role}"
    name = named(f"event{of}", event_values)
    column = read_column(name, event_values, _no_causes)
    labels, places = _labels(column, name)
    time = check_time(time_values, f"time{of}")
    check_lengths(len(places), len(time), of)
    _check_not_swapped(labels, time, of)
    causes = y.known or _causes(labels, y.cause, y.censored)
    if y.known is not None and column.kind == "flag":
        labels = _labels_of_flags(labels, y.known, f"event{of}")
    codes = _codes(labels, causes, f"event{of}")[places]
    event = np.asarray(codes == causes.target)
    if causes.are_several:
        return Outcome(event, time, codes, causes)
    are_told = y.known is not None or not _are_usual(causes, column)
    return Outcome(event, time, causes=causes if are_told else None)


def _are_usual(causes: Causes, column: Column) -> bool:
    """Whether the labels of one cause are those of event flags, which nobody need remember."""
    is_text = column.kind in ("level", "ordered")
    return not is_text and (causes.target_name, causes.censored) in USUAL


def cautions_of_censored(y: Any, events: EventTable) -> tuple[str, ...]:
    """What must be said of the rows of a fit if none has the label of censored rows."""
    is_named = isinstance(y, CausedOutcome) and y.known is None and y.censored is not None
    return none_censored(y.censored) if is_named and not events.is_censored.any() else ()


def none_censored(censored: Any) -> tuple[str, ...]:
    """The caution that no row has a label, which may be misspelled."""
    return (
        f"censored must be the label of censored rows, if there are some; no row has {censored!r}, "
        "so none counts as censored. If some are, name the label that they have.",
    )


def _check_not_swapped(labels: list[str], time: Floats, of: str) -> None:
    """Refuse more causes than times, where the times could be causes."""
    n_times = len(np.unique(time))
    if len(labels) > n_times and looks_like_causes(time):
        raise ValueError(
            f"event{of} must hold causes, of which there are fewer than times; it holds "
            f"{len(labels)} distinct values, and time {n_times}. Are event and time swapped? A "
            "pair is (event, time)."
        )


def _labels(column: Column, role: str) -> tuple[list[str], NDArray[np.intp]]:
    """The distinct labels of a column of causes, in their order, and which of them each row has."""
    is_missing = column.is_missing()
    if is_missing.any():
        row = int(np.argmax(is_missing))
        raise ValueError(f"{role} {CAUSE}; row {row} has a missing value. {REMOVE_MISSING}")
    if column.kind in ("level", "ordered"):
        occurring = column.occurring()
        labels = [column.levels[place] for place in occurring]
        places = np.searchsorted(occurring, column.values)
    elif column.kind == "flag":
        flags, places = np.unique(column.values == 1, return_inverse=True)
        labels = [str(flag) for flag in flags.tolist()]
    else:
        numbers, places = np.unique(column.values.astype(np.float64), return_inverse=True)
        labels = [label_of_number(number) for number in numbers.tolist()]
        is_odd = (numbers < 0) | (numbers != np.round(numbers))
        if is_odd.any():
            row = int(np.argmax(places == np.flatnonzero(is_odd)[0]))
            shown = f"{column.values[row]:g}"
            raise ValueError(
                f"{role} {CAUSE}; row {row} has {shown}. Are event and time swapped? A pair is "
                "(event, time)."
            )
    if len(labels) > MOST_CAUSES:
        raise ValueError(
            f"{role} {CAUSE}, at most {MOST_CAUSES} of them; it holds {len(labels):,} distinct "
            f"values: {list_names(labels, 3)}. Are event and time swapped? A pair is (event, time)."
        )
    return labels, np.asarray(places, dtype=np.intp)


def _no_causes(role: str, what: str) -> str:
    return f"{role} {CAUSE}; it holds {what}. Convert it to numbers or texts."


def _causes(labels: list[str], cause: Any, censored: Any) -> Causes:
    """The causes among the labels, of which one is the target."""
    without = _censored_label(labels) if censored is None else label_of_cause(censored, labels)
    names = tuple(label for label in labels if label != without)
    if cause is None:
        raise ValueError(
            f"cause must come with censored; it is missing. Pass the one of {list_names(names)} "
            "that the tree is about, as cause=."
        )
    wanted = label_of_cause(cause, labels)
    if wanted not in names:
        raise ValueError(
            f"cause must be one of those in y, {list_names(names)} ({without!r} is censored); got "
            f"{cause!r}. Name one of them."
        )
    if without not in labels:
        _check_not_misspelled(without, [name for name in names if name != wanted])
    return Causes(names, names.index(wanted) + 1, without)


def _check_not_misspelled(censored: str, others: list[str]) -> None:
    """Refuse a label of censored rows that no row has, if it is likely another one that is meant.

    Its rows would be taken for rows that ended by another cause.
    """
    spellings = {censored.strip().lower(), *WORDS_FOR_CENSORED}
    likely = [label for label in others if label.strip().lower() in spellings]
    if likely:
        raise ValueError(
            f"censored must be the label that censored rows have; no row has {censored!r}, but "
            f"some have {list_names(likely)}, which would be a cause. Pass censored={likely[0]!r}; "
            "or, if that is a cause, give its rows another label."
        )


def _censored_label(labels: list[str]) -> str:
    """The label of censored rows, where nobody has named it."""
    if all(label.isdigit() for label in labels):
        return "0"
    if set(labels) <= {"False", "True"}:
        return "False"
    found = [label for label in labels if label.lower() in WORDS_FOR_CENSORED]
    if len(found) == 1:
        return found[0]
    came, rest = "none is known as such", "; if no row was censored, censored='censored'"
    if found:
        came, rest = f"{list_names(found)} might all be", ""
    raise ValueError(
        f"censored must name the label of rows that were censored, one of {list_names(labels)}; "
        f"{came}. Pass the one that means that nothing had happened yet, as censored={rest}."
    )


def _labels_of_flags(labels: list[str], known: Causes, role: str) -> list[str]:
    """For True and False the labels of the fit, if it is certain which are meant."""
    if {*labels} <= {*known.names, known.censored}:
        return labels
    if known.are_several or known.target_name.lower() in WORDS_FOR_CENSORED:
        raise ValueError(
            f"{role} must hold the causes of the fit, {list_names(known.names)}, or "
            f"{known.censored!r} (censored); it holds flags, which do not tell which of them is "
            "meant. Pass the column of these labels."
        )
    return [known.target_name if label == "True" else known.censored for label in labels]


def _codes(labels: list[str], causes: Causes, role: str) -> Codes:
    """The code of each label: 0 if it is that of censored rows, else the number of its cause."""
    code_of = {name: k + 1 for k, name in enumerate(causes.names)} | {causes.censored: 0}
    unknown = [label for label in labels if label not in code_of]
    if unknown:
        raise ValueError(
            f"{role} must hold the causes of the fit, {list_names(causes.names)}, or "
            f"{causes.censored!r} (censored); it holds {list_names(unknown)}. Correct the label, "
            "or fit on rows that have it."
        )
    return np.array([code_of[label] for label in labels], dtype=np.uint8)
