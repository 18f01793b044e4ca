"""Options and arguments that commands share, and how their texts become values."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from survtree._base.options import DEFAULTS, OPTIONS

# Shorter than in Python, where a short word is clear enough.
SHORT = {"max_depth": "depth", "n_jobs": "jobs", "random_state": "seed"}
# Of use only in Python, or decided by the command itself.
NOT_OFFERED = ("certificate", "warm_start", "verbose", "callback", "upper_bound")

OFFERED = tuple(option for option in OPTIONS if option.name not in NOT_OFFERED)
FLAGS = {o.name: "--" + SHORT.get(o.name, o.name).replace("_", "-") for o in OFFERED}
HELPS = {option.name: option.help for option in OFFERED}


def _number(text: str) -> int | float | str:
    """A number if it is one; other texts are refused by the checks of the options."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def number_or_none(text: str) -> Any:
    """A number, or None for none."""
    return None if text.lower() == "none" else _number(text)


def numbers_of(text: str | None) -> Any:
    """Numbers with commas."""
    return None if text is None else [_number(part) for part in text.split(",")]


def _cuts(text: str) -> Any:
    """Thresholds of one column, or of all: a word, a count, width:4, or numbers with commas."""
    if text.startswith("width:"):
        return ("width", _number(text.removeprefix("width:")))
    return numbers_of(text) if "," in text else _number(text)


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


def _option(name: str, metavar: str | None = None, more: str = "") -> Any:
    return typer.Option(FLAGS[name], help=HELPS[name] + more, metavar=metavar)


@dataclass
class Reading:
    """How a table is read and which of its columns are the outcome."""

    time: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of times; found by its name if left out."),
    ] = None
    event: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of event flags (1 event, 0 censored); found likewise."
        ),
    ] = None
    event_value: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="Value that means the event, if not 1; repeatable."),
    ] = None
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of row weights.")
    ] = None
    na: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="Text that means missing, besides NA, NaN, null...; repeatable."
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="csv, tsv, parquet or arrow, if the file's ending does not say."
        ),
    ] = None
    separator: Annotated[
        str | None, typer.Option(metavar="SIGN", help="Separator of a CSV file; found if left out.")
    ] = None
    encoding: Annotated[
        str, typer.Option("--text-encoding", metavar="NAME", help="Text encoding of a CSV file.")
    ] = "utf-8"


@dataclass
class Splitting:
    """Which columns the tree may split on, and how."""

    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Never split on this column; repeatable."),
    ] = None
    thresholds: Annotated[
        list[str] | None,
        _option(
            "thresholds",
            "[COLUMN=]CUTS",
            " auto, all, guess, a number per column, width:4, or numbers like 40,50; by column: "
            "age=40,50; repeatable.",
        ),
    ] = None
    missing: Annotated[str, _option("missing", "error|question|drop")] = DEFAULTS["missing"]
    # Reading has an encoding of another kind.
    encoding_: Annotated[str, _option("encoding", "questions|paper")] = DEFAULTS["encoding"]
    max_levels: Annotated[int, _option("max_levels")] = DEFAULTS["max_levels"]
    time_buckets: Annotated[str | None, _option("time_buckets", "N|TIMES")] = None

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        return {
            "thresholds": _thresholds(self.thresholds or []),
            "missing": self.missing,
            "encoding": self.encoding_,
            "max_levels": self.max_levels,
            "time_buckets": _time_buckets(self.time_buckets),
        }


@dataclass
class Limiting:
    """The size of a tree, and how a search may end."""

    min_samples_leaf: Annotated[int, _option("min_samples_leaf")] = DEFAULTS["min_samples_leaf"]
    max_leaves: Annotated[int | None, _option("max_leaves")] = None
    time_limit: Annotated[float | None, _option("time_limit", "SECONDS")] = None
    memory_limit: Annotated[str | None, _option("memory_limit", "SIZE", " For example 4GB.")] = None
    node_limit: Annotated[int | None, _option("node_limit")] = None

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        memory = None if self.memory_limit is None else number_or_none(self.memory_limit)
        return {**vars(self), "memory_limit": memory}


Depth = Annotated[str, _option("max_depth", "N|none")]
Regularization = Annotated[float, _option("regularization")]
MinRegularization = Annotated[float, typer.Option(help="Smallest penalty per leaf of interest.")]
Jobs = Annotated[int | None, _option("n_jobs")]
Seed = Annotated[int | None, _option("random_state")]
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Arrow file; - is standard input."),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A file that 'survtree fit' wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Times = Annotated[
    str | None, typer.Option(metavar="T,T,...", help="Times at which survival is given.")
]
