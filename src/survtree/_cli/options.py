"""Options of the estimator as the command line calls them."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from survtree._base.options import DEFAULTS, OPTIONS

# Shorter than in Python, where a word says enough.
SHORT = {"max_depth": "depth", "n_jobs": "jobs", "random_state": "seed"}
# Of use only in Python, or decided by the command itself.
NOT_OFFERED = ("certificate", "warm_start", "verbose", "callback", "upper_bound")

OFFERED = tuple(option for option in OPTIONS if option.name not in NOT_OFFERED)
FLAGS = {o.name: "--" + SHORT.get(o.name, o.name).replace("_", "-") for o in OFFERED}
HELPS = {option.name: option.help for option in OFFERED}
__all__ = ["DEFAULTS", "FLAGS", "HELPS", "OFFERED"]


def _number(text: str) -> int | float | str:
    """A number if it is one; what is none is for the checks of options to refuse."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def or_none(text: str) -> Any:
    """A number, or None for none."""
    return None if text.lower() == "none" else _number(text)


def cuts(text: str) -> Any:
    """Thresholds of one column, or of all: a word, a count, width:4, or numbers with commas."""
    if text.startswith("width:"):
        return ("width", _number(text.removeprefix("width:")))
    if "," in text:
        return [_number(part) for part in text.split(",")]
    return _number(text)


def thresholds_of(texts: list[str]) -> Any:
    """Thresholds of all columns, or by name if they are passed as COLUMN=THRESHOLDS."""
    if not texts:
        return DEFAULTS["thresholds"]
    if len(texts) == 1 and "=" not in texts[0]:
        return cuts(texts[0])
    named = [text.rpartition("=") for text in texts]
    for name, sign, value in named:
        if not sign:
            raise typer.BadParameter(
                f"{value!r} must be COLUMN=THRESHOLDS beside others of that form",
                param_hint="--thresholds",
            )
        del name
    return {name: cuts(value) for name, _, value in named}


def buckets_of(text: str) -> Any:
    """A number of buckets, or their ends with commas."""
    value = cuts(text)
    return None if value == "none" else value


def _option(name: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(FLAGS[name], help=HELPS[name], metavar=metavar, **more)


@dataclass
class Reading:
    """How a table is read and which of its columns are the outcome."""

    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Holds the times.")] = None
    event: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Holds the event flags: 1 was seen, 0 censored."),
    ] = None
    event_value: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="Value that means the event, if not 1; repeatable."),
    ] = None
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Holds the weights of the rows.")
    ] = None
    na: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Means missing, beside NA, NaN, null...; repeatable."),
    ] = None
    format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="csv, tsv, parquet or arrow.")
    ] = None
    separator: Annotated[
        str | None, typer.Option(metavar="SIGN", help="Between the cells of a CSV file.")
    ] = None
    encoding: Annotated[str, typer.Option("--text-encoding", help="Of a CSV file.")] = "utf-8"


@dataclass
class Choosing:
    """Which columns become questions, and how."""

    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Is not asked about; repeatable."),
    ] = None
    thresholds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[COLUMN=]CUTS",
            help=f"{HELPS['thresholds']} auto, all, guess, a number a column, width:4, or numbers "
            "like 40,50; by column: age=40,50; repeatable.",
        ),
    ] = None
    missing: Annotated[str, _option("missing", "error|question|drop")] = DEFAULTS["missing"]
    encoding_: Annotated[str, typer.Option("--encoding", help=HELPS["encoding"])] = DEFAULTS[
        "encoding"
    ]
    max_levels: Annotated[int, _option("max_levels")] = DEFAULTS["max_levels"]
    time_buckets: Annotated[str | None, _option("time_buckets", "N|TIMES")] = DEFAULTS[
        "time_buckets"
    ]

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        buckets = self.time_buckets
        return {
            "thresholds": thresholds_of(self.thresholds or []),
            "missing": self.missing,
            "encoding": self.encoding_,
            "max_levels": self.max_levels,
            "time_buckets": None if buckets is None else buckets_of(buckets),
        }


@dataclass
class Limiting:
    """The size of a tree, and how a search may end."""

    min_samples_leaf: Annotated[int, _option("min_samples_leaf")] = DEFAULTS["min_samples_leaf"]
    max_leaves: Annotated[int | None, _option("max_leaves")] = DEFAULTS["max_leaves"]
    time_limit: Annotated[float | None, _option("time_limit", "SECONDS")] = DEFAULTS["time_limit"]
    memory_limit: Annotated[str | None, _option("memory_limit", "4GB")] = DEFAULTS["memory_limit"]
    node_limit: Annotated[int | None, _option("node_limit")] = DEFAULTS["node_limit"]

    def arguments(self) -> dict[str, Any]:
        """As the estimators take them."""
        memory = None if self.memory_limit is None else or_none(self.memory_limit)
        return {**vars(self), "memory_limit": memory}


Depth = Annotated[str, _option("max_depth", "N|none")]
Regularization = Annotated[float, _option("regularization")]
Jobs = Annotated[int | None, _option("n_jobs")]
Seed = Annotated[int | None, _option("random_state")]
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Arrow file; - is standard input."),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A file that 'survtree fit' wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Times = Annotated[
    str | None, typer.Option(metavar="T,T,...", help="Times at which survival is told.")
]


def times_of(text: str | None) -> Any:
    """Times with commas."""
    return None if text is None else [_number(part) for part in text.split(",")]
