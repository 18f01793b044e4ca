"""What commands take: options that they share, and tables from files.

Each option is declared once, in a group of options (a dataclass) or as a type. What is guessed
about the columns of a table is said.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from survtree._base.options import DEFAULTS, OPTIONS
from survtree._cli.printing import note
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
    from survtree._data.read_roles import Roles

# Flags have the names of Python; these have a shorter one too.
SHORT = {
    "max_depth": "--depth",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "max_depths": "--depths",
    "cv": "--folds",
    "n_repeats": "--repeats",
    "duration_col": "--time",
    "event_col": "--event",
    "sample_weight": "--weights",
}
# Of use only in Python, or decided by the command itself.
NOT_OFFERED = ("certificate", "warm_start", "verbose", "callback", "upper_bound")

OFFERED = tuple(option for option in OPTIONS if option.name not in NOT_OFFERED)
HELPS = {option.name: option.help for option in OFFERED}


def flags_of(name: str) -> tuple[str, ...]:
    """The flags of an argument of Python, the one with its name first."""
    return (f"--{name.replace('_', '-')}", *([SHORT[name]] if name in SHORT else []))


FLAGS = {o.name: flags_of(o.name)[0] for o in OFFERED}


def number_or_word(text: str) -> int | float | str:
    """A number if it is one; which words there are is known to the checks of the options."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def number_or_none(text: str) -> Any:
    """A number, or None for none."""
    return None if text.lower() == "none" else number_or_word(text)


def numbers_of(text: str | None) -> Any:
    """Numbers with commas."""
    return None if text is None else [number_or_word(part) for part in text.split(",")]


def _cuts(text: str) -> Any:
    """Thresholds of one column, or of all: a word, a count, width:4, or numbers with commas."""
    if text.startswith("width:"):
        return ("width", number_or_word(text.removeprefix("width:")))
    return numbers_of(text) if "," in text else number_or_word(text)


def _thresholds(texts: list[str]) -> Any:
    """Thresholds of all columns, or by name if they are passed as COLUMN=THRESHOLDS."""
    if not texts:
        return DEFAULTS["thresholds"]
    if len(texts) == 1 and "=" not in texts[0]:
        return _cuts(texts[0])
    for text in texts:
        if "=" not in text:
            raise typer.BadParameter(
                f"{text!r} must be COLUMN=THRESHOLDS if --thresholds is repeated",
                param_hint="--thresholds",
            )
    by_column = (text.rpartition("=") for text in texts)
    return {name: _cuts(value) for name, _, value in by_column}


def _time_buckets(text: str | None) -> Any:
    """A number of buckets, or their ends with commas."""
    return None if text is None or text == "none" else _cuts(text)


def option(default: Any, metavar: str | None, help: str, *names: str) -> Any:
    """A field of a group of options; its name is the option's unless names are given."""
    declared = typer.Option(default, *names, metavar=metavar, help=help)
    return field(default=default, metadata={"option": declared})


def _listed(name: str, metavar: str | None = None, more: str = "") -> Any:
    """Likewise, for an option of the estimators: flag, help and default are those of the table."""
    return option(DEFAULTS[name], metavar, HELPS[name] + more, *flags_of(name))


@dataclass
class Format:
    """How a table is written."""

    na: list[str] | None = option(
        None, "TEXT", "Text that means missing, besides NA, NaN, null...; repeatable."
    )
    format: str | None = option(
        None, "FORMAT", "csv, tsv, parquet or arrow, if the file's ending does not say."
    )
    separator: str | None = option(None, "SIGN", "Separator of a CSV file; found if left out.")
    encoding: str = option("utf-8", "NAME", "Text encoding of a CSV file.", "--text-encoding")


@dataclass
class Outcome:
    """Which columns of a table are the outcome."""

    time: str | None = option(
        None,
        "COLUMN",
        "Column of times; found by its name if left out.",
        *flags_of("duration_col"),
    )
    event: str | None = option(
        None,
        "COLUMN",
        "Column of event flags (1 event, 0 censored); found likewise.",
        *flags_of("event_col"),
    )
    event_value: list[str] | None = option(
        None, "VALUE", "Value that means the event, if not 1; repeatable."
    )
    weights: str | None = option(
        None, "COLUMN", "Column of row weights.", *flags_of("sample_weight")
    )


@dataclass
class Reading(Format, Outcome):
    """How a table is read and which of its columns are the outcome."""


@dataclass
class Splitting:
    """Which columns the tree may split on, and how."""

    exclude: list[str] | None = option(None, "COLUMN", "Never split on this column; repeatable.")
    thresholds: list[str] | None = option(
        None,
        "[COLUMN=]CUTS",
        f"{HELPS['thresholds']} auto, all, guess, a number per column, width:4, or numbers like "
        "40,50; by column: age=40,50; repeatable.",
    )
    missing: str = _listed("missing", "error|question|drop")
    # Reading has an encoding of another kind.
    encoding_: str = _listed("encoding", "questions|paper")
    max_levels: int = _listed("max_levels")
    levels: str = _listed("levels", "each|grouped")
    time_buckets: str | None = _listed("time_buckets", "N|TIMES")
    horizon: str = _listed("horizon", "TIME|auto|none")

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        return {
            "thresholds": _thresholds(self.thresholds or []),
            "missing": self.missing,
            "encoding": self.encoding_,
            "max_levels": self.max_levels,
            "levels": self.levels,
            "time_buckets": _time_buckets(self.time_buckets),
            "horizon": number_or_none(self.horizon),
        }


@dataclass
class Limiting:
    """The size of a tree, and how a search may end."""

    min_samples_leaf: int = _listed("min_samples_leaf")
    min_events_leaf: str = _listed("min_events_leaf", "N|auto")
    max_leaves: int | None = _listed("max_leaves")
    time_limit: float | None = _listed("time_limit", "SECONDS")
    memory_limit: str | None = _listed("memory_limit", "SIZE", " For example 4GB.")
    node_limit: int | None = _listed("node_limit")

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        memory = None if self.memory_limit is None else number_or_none(self.memory_limit)
        events = number_or_none(self.min_events_leaf)
        return {**vars(self), "memory_limit": memory, "min_events_leaf": events}


def to_file(help: str, default: Any = None) -> Any:
    """The option of a command that names the file to write."""
    return typer.Option(default, "-o", "--output", metavar="FILE", help=help)


def _flag(name: str, metavar: str | None = None) -> Any:
    return typer.Option(*flags_of(name), metavar=metavar, help=HELPS[name])


Depth = Annotated[str, _flag("max_depth", "N|none")]
Shrinkage = Annotated[str, _flag("shrinkage", "auto|ROWS")]
Teacher = Annotated[str, _flag("teacher", "auto|forest|cox|none")]
Regularization = Annotated[str, _flag("regularization", "auto|PENALTY")]
MinRegularization = Annotated[float, typer.Option(help="Smallest penalty per leaf of interest.")]
Jobs = Annotated[int | None, _flag("n_jobs")]
Seed = Annotated[int, _flag("random_state")]
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Arrow file; - is standard input."),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A file that 'survtree fit' wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Times = Annotated[
    str | None, typer.Option(metavar="T,T,...", help="Times at which survival is given.")
]


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


def source_of(data: str, form: Format) -> "Source":
    """Where the table is and how it is written."""
    from survtree._data.files import Source

    return Source(data, form.format, form.separator, tuple(form.na or ()), form.encoding)


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
    from survtree._data.read_roles import Roles

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
