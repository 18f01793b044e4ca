"""From a file to a table and its outcome. What is guessed about the columns is said."""

from typing import TYPE_CHECKING, Any, NamedTuple

from survtree._cli.app import note
from survtree._cli.options import Reading
from survtree._data.read_files import (
    EVENT_NAMES,
    TIME_NAMES,
    check_columns,
    check_event_values,
    check_has_columns,
    check_has_names,
    check_not_excluded,
    check_odd_texts,
    counts_rows,
    guessed_role,
)

if TYPE_CHECKING:
    import polars as pl

    from survtree._data.files import Source
    from survtree._model.fitted import Roles


class Study(NamedTuple):
    """A table whose event column holds flags, the weights of its rows, and the roles of columns."""

    frame: "pl.DataFrame"
    weight: "pl.Series | None"
    roles: "Roles"

    @property
    def covariates(self) -> "pl.DataFrame":
        """Without the outcome."""
        return self.frame.drop(self.roles.time, self.roles.event)

    @property
    def y(self) -> tuple[Any, Any]:
        """Event and time."""
        return self.frame[self.roles.event], self.frame[self.roles.time]

    @property
    def outcome(self) -> dict[str, str]:
        """The names of the outcome's columns, as a fit takes them."""
        return {"duration_col": self.roles.time, "event_col": self.roles.event}


def source_of(data: str, reading: Reading) -> "Source":
    """Where the table is and how it is written."""
    from survtree._data.files import Source

    return Source(
        data, reading.format, reading.separator, tuple(reading.na or ()), reading.encoding
    )


def study_to_fit(data: str, reading: Reading, exclude: list[str] | None) -> Study:
    """All columns but the excluded ones and those that only count the rows."""
    source = source_of(data, reading)
    frame = source.read()
    roles = roles_of(reading, frame.columns, source.name)
    out = set(exclude or ())
    check_columns("--exclude", out, frame.columns, source.name)
    check_not_excluded(out, (roles.time, roles.event))
    for name in frame.columns:
        if name not in {*out, *roles[:2]} and counts_rows(frame[name]):
            note(f"column {name!r} is left out: it counts the rows")
            out.add(name)
    check_odd_texts(frame.drop(out), source.name, is_text=_is_text(source))
    return _study(frame.drop(out - {roles.weight}), roles, source.name)


def _is_text(source: "Source") -> bool:
    return source.format in ("csv", "tsv") or source.path.endswith((".csv", ".tsv", ".tab"))


def study_to_check(data: str, reading: Reading, model: Any, file: str) -> Study:
    """The columns that a model needs, and the outcome; by default that of its fit."""
    source = source_of(data, reading)
    frame = source.read()
    known = model.roles_
    if known is not None:
        reading.time = reading.time or known.time
        reading.event = reading.event or known.event
        reading.weights = reading.weights or known.weight
        reading.event_value = reading.event_value or list(known.event_values)
    roles = roles_of(reading, frame.columns, source.name)
    names = check_has_names(model, file)
    check_has_columns(names, frame.columns, source.name)
    kept = [*names, roles.time, roles.event, *([roles.weight] if roles.weight else [])]
    return _study(frame.select(list(dict.fromkeys(kept))), roles, source.name)


def roles_of(reading: Reading, columns: list[str], file: str) -> "Roles":
    """Which columns are time, event and weight: as named, or those with the usual names."""
    from survtree._model.fitted import Roles

    time, event = reading.time, reading.event
    for flag, name in (("--time", time), ("--event", event), ("--weights", reading.weights)):
        check_columns(flag, [] if name is None else [name], columns, file)
    if time is None:
        time = guessed_role("--time", TIME_NAMES, columns, file)
        note(f"time is taken from the column {time!r}, by its name; --time names another")
    if event is None:
        event = guessed_role("--event", EVENT_NAMES, columns, file)
        note(f"events are taken from the column {event!r}, by its name; --event names another")
    return Roles(time, event, tuple(reading.event_value or ()), reading.weights)


def _study(frame: "pl.DataFrame", roles: "Roles", file: str) -> Study:

    flags = check_event_values(frame[roles.event], roles.event_values, file)
    weight = None if roles.weight is None else frame[roles.weight]
    if roles.weight is not None:
        frame = frame.drop(roles.weight)
    return Study(frame.with_columns(flags), weight, roles)
