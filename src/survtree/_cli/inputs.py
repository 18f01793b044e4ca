"""What commands take: options that they share, and tables from files.

Each option is declared once, in a group of options (a dataclass) or as a type. What is guessed
about the columns of a table is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from survtree._base.options import DEFAULTS, OPTIONS
from survtree._base.words import list_names
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

    exclude: list[str] | None = option(None, "COLUMN", f"{HELPS['exclude']} Repeatable.")
    categorical: list[str] | None = option(None, "COLUMN", f"{HELPS['categorical']} Repeatable.")
    thresholds: list[str] | None = option(
        None,
        "[COLUMN=]CUTS",
        f"{HELPS['thresholds']} auto, all, guess, a number per column, width:4, or numbers like "
        "40,50; by column: age=40,50; repeatable.",
    )
    missing: str = _listed("missing", "error|question|better|drop")
    # Reading has an encoding of another kind.
    encoding_: str = _listed("encoding", "questions|paper")
    max_levels: int = _listed("max_levels")
    levels: str = _listed("levels", "each|grouped")
    time_buckets: str | None = _listed("time_buckets", "N|TIMES")
    horizon: str = _listed("horizon", "TIME|auto|none")
    time_unit: str | None = _listed("time_unit", "UNIT", " For example days.")

    def named(self) -> set[str]:
        """Columns that the user wants to be split on."""
        cuts = _thresholds(self.thresholds or [])
        return {*(self.categorical or ()), *(cuts if isinstance(cuts, dict) else ())}

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them, apart from excluded columns, which are not passed on."""
        return {
            "thresholds": _thresholds(self.thresholds or []),
            "categorical": self.categorical or None,
            "missing": self.missing,
            "encoding": self.encoding_,
            "max_levels": self.max_levels,
            "levels": self.levels,
            "time_buckets": _time_buckets(self.time_buckets),
            "horizon": number_or_none(self.horizon),
            "time_unit": self.time_unit,
        }


@dataclass
class Limiting:
    """The size of a tree, and how a search may end."""

    min_samples_leaf: int = _listed("min_samples_leaf")
    min_events_leaf: str = _listed("min_events_leaf", "N")
    max_leaves: int | None = _listed("max_leaves")
    time_limit: float | None = _listed("time_limit", "SECONDS")
    memory_limit: str | None = _listed("memory_limit", "SIZE", " For example 4GB.")
    node_limit: int | None = _listed("node_limit")

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        memory = None if self.memory_limit is None else number_or_none(self.memory_limit)
        events = number_or_word(self.min_events_leaf)
        return {**vars(self), "memory_limit": memory, "min_events_leaf": events}


@dataclass
class Teaching:
    """What a tree is fitted to, and what its leaves predict."""

    teacher: str = _listed("teacher", "auto|forest|cox|none")
    shrinkage: str = _listed("shrinkage", "auto|ROWS")

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        return {
            "teacher": number_or_none(self.teacher),
            "shrinkage": number_or_word(self.shrinkage),
        }


def to_file(help: str, default: Any = None) -> Any:
    """The option of a command that names the file to write."""
    return typer.Option(default, "-o", "--output", metavar="FILE", help=help)


def _flag(name: str, metavar: str | None = None) -> Any:
    return typer.Option(*flags_of(name), metavar=metavar, help=HELPS[name])


Depth = Annotated[str, _flag("max_depth", "N|none")]
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
TimeUnit = Annotated[
    str | None,
    typer.Option(
        FLAGS["time_unit"], metavar="UNIT", help="The unit of the times; by default the model's."
    ),
]


def model_of(file: str, time_unit: str | None = None) -> Any:
    """The model of a file, with another unit of time if one is given."""
    from survtree import load

    model = load(file)
    return model if time_unit is None else model.set_params(time_unit=time_unit)


class Study(NamedTuple):
    """A table whose event column holds flags, the weights of its rows, and the roles of columns."""

    frame: "pl.DataFrame"
    weight: "pl.Series | None"
    roles: "Roles"
    cautions: tuple[str, ...] = ()  # what was said of columns that are left out

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


def study_to_fit(data: str, reading: Reading, splitting: Splitting) -> Study:
    """All columns but the excluded ones and those that only number the rows."""
    from survtree._data.read_columns import warn_of_data

    source = source_of(data, reading)
    frame = _read(source, splitting.categorical or ())
    roles = roles_of(reading, frame, source.name)
    out, outcome = splitting.exclude or [], (roles.time, roles.event)
    check_columns("--exclude", out, frame.columns, source.name)
    check_columns("--categorical", splitting.categorical or (), frame.columns, source.name)
    check_not_excluded(out, outcome)
    covariates = frame.drop(*outcome, *([roles.weight] if roles.weight else []), strict=False)
    left_out, cautions = _identifiers(covariates, out, splitting.named())
    warn_of_data(cautions)
    covariates = covariates.drop(left_out, strict=False)
    check_odd_texts(covariates, source.name, is_text=_is_text(source))
    study = _study(frame.drop(set(left_out) - {roles.weight}), roles, source.name)
    return study._replace(cautions=cautions)


def _read(source: "Source", categorical: Sequence[str] = ()) -> "pl.DataFrame":
    """The whole table; text that holds numbers is read as numbers, and that is said."""
    from survtree._data.files import texts_of_numbers, with_numbers

    frame = source.read()
    found = [name for name in texts_of_numbers(frame) if name not in categorical]
    if found:
        note(f"text is read as numbers, in which a comma is a decimal point: {list_names(found)}")
    return with_numbers(frame, found)


def _identifiers(
    frame: "pl.DataFrame", exclude: Sequence[str], named: set[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns to leave out, and what to say: by the rule of the fit, which must not see them."""
    import narwhals as nw
    import polars as pl

    from survtree._data.identifiers import is_named_as_identifier
    from survtree._data.read_columns import identifiers_among
    from survtree._data.read_table import column_of_series

    maybe = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_integer() or dtype == pl.String
        if is_named_as_identifier(name) or frame[name].n_unique() == len(frame)
    ]
    series = [nw.from_native(frame[name], series_only=True) for name in maybe]
    return identifiers_among(list(map(column_of_series, maybe, series)), exclude, named)


def _is_text(source: "Source") -> bool:
    return source.format in ("csv", "tsv") or source.path.endswith((".csv", ".tsv", ".tab"))


def study_to_check(data: str, reading: Reading, model: Any, file: str) -> Study:
    """The columns that a model needs, and the outcome; by default that of its fit."""
    source = source_of(data, reading)
    frame = _read(source, model.categorical or ())
    known = model.roles_
    if known is not None:
        reading.time = reading.time or known.time
        reading.event = reading.event or known.event
        reading.weights = reading.weights or known.weight
        reading.event_value = reading.event_value or list(known.event_values)
    roles = roles_of(reading, frame, source.name)
    names = check_has_names(model, file)
    check_has_columns(names, frame.columns, source.name)
    kept = [*names, roles.time, roles.event, *([roles.weight] if roles.weight else [])]
    return _study(frame.select(list(dict.fromkeys(kept))), roles, source.name)


def note_rows(model: Any, study: Study) -> None:
    """Say how many rows a fit left out, if it did."""
    n = sum(curve.n_rows for curve in model.leaf_curves_.values())
    if n < len(study.frame):
        note(f"fitted {rows_left(n, len(study.frame))}")


def rows_left(n_rows: int, n_all: int) -> str:
    """On which rows something was done, where some have missing values or a weight of 0."""
    why = "which have missing values or a weight of 0"
    return f"on {n_rows:,} of {n_all:,} rows, without {n_all - n_rows:,} {why}"


def roles_of(reading: Reading, frame: "pl.DataFrame", file: str) -> "Roles":
    """Which columns are time, event and weight: as named, or those with the usual names."""
    from survtree._data.read_roles import Roles

    columns = frame.columns
    time, event = reading.time, reading.event
    for flag, name in (("--time", time), ("--event", event), ("--weights", reading.weights)):
        check_columns(flag, [] if name is None else [name], columns, file)
    if time is None:
        time = guessed_role("--time", TIME_NAMES, frame, file)
        note(f"time is taken from the column {time!r}, by its name; --time names another")
    if event is None:
        event = guessed_role("--event", EVENT_NAMES, frame, file)
        note(f"events are taken from the column {event!r}, by its name; --event names another")
    return Roles(time, event, tuple(reading.event_value or ()), reading.weights)


def _study(frame: "pl.DataFrame", roles: "Roles", file: str) -> Study:
    flags = check_event_values(frame[roles.event], roles.event_values, file)
    weight = None if roles.weight is None else frame[roles.weight]
    if roles.weight is not None:
        frame = frame.drop(roles.weight)
    return Study(frame.with_columns(flags), weight, roles)
