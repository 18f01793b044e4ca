"""Options that commands share. Each is declared once, in a group (a dataclass) or as a type."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from survtree._base.options import DEFAULTS, OPTIONS

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


def _penalties(texts: list[str]) -> Any:
    """Penalties by column."""
    for text in texts:
        if "=" not in text:
            raise typer.BadParameter(
                f"{text!r} must be COLUMN=PENALTY, such as biopsy=0.002",
                param_hint="--column-penalties",
            )
    by_column = (text.rpartition("=") for text in texts)
    return {name: number_or_word(value) for name, _, value in by_column} or None


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
    cause: str | None = option(
        None,
        "CAUSE",
        "With competing risks: the value of the event column that the tree is about.",
    )
    censored: str | None = option(
        None, "VALUE", "With --cause: the value of censored rows, if not 0 or a word for it."
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
    levels: str = _listed("levels", "each|grouped|subsets")
    column_penalties: list[str] | None = option(
        None, "COLUMN=PENALTY", f"{HELPS['column_penalties']} Repeatable."
    )
    first_split: str | None = _listed("first_split", "COLUMN")
    time_buckets: str | None = _listed("time_buckets", "N|TIMES")
    horizon: str = _listed("horizon", "TIME|auto|none")
    time_unit: str | None = _listed("time_unit", "UNIT", " For example days.")

    def named(self) -> set[str]:
        """Columns that the user wants to be split on."""
        cuts = _thresholds(self.thresholds or [])
        first = () if self.first_split is None else (self.first_split,)
        return {*(self.categorical or ()), *(cuts if isinstance(cuts, dict) else ()), *first}

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them, apart from excluded columns, which are not passed on."""
        return {
            "thresholds": _thresholds(self.thresholds or []),
            "categorical": self.categorical or None,
            "missing": self.missing,
            "encoding": self.encoding_,
            "max_levels": self.max_levels,
            "levels": self.levels,
            "column_penalties": _penalties(self.column_penalties or []),
            "first_split": self.first_split,
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

    loss: str = _listed("loss")
    teacher: str = _listed("teacher", "auto|forest|cox|none")
    shrinkage: str = _listed("shrinkage", "auto|ROWS")

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        return {
            "loss": self.loss,
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
Device = Annotated[str, _flag("device", "cpu|cuda|auto")]
Seed = Annotated[int, _flag("random_state")]
Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--in-memory",
        help="Read the table in passes and keep groups of equal rows, or read all of it. The "
        "default is --stream where the table would take more than a quarter of the memory.",
        show_default=False,
    ),
]
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
