"""What the parts share: a part and its file, raw tables, and a fit of one over every cut."""

import argparse
import statistics
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.new_rows import tables
from benchmarks.runner import Answer, rounded
from benchmarks.tables import Table, machine, revision
from survtree import OptimalSurvivalTree
from survtree._questions.asked import cuts_in
from survtree._questions.questions import Questions

EVERY_CUT: dict[str, Any] = {"thresholds": "all", "missing": "question"}
SIZES = ("rows", "columns", "questions", "cuts")
FOUND = ("status", "objective", "lower_bound", "n_leaves")
COSTS = ("seconds", "search_seconds", "lane_rows")
FACTS = (*SIZES, *FOUND, *COSTS)

Row = Mapping[str, str]


@dataclass(frozen=True)
class Part:
    """One file of results: its columns, how it is filled, and what it says."""

    name: str
    fields: tuple[str, ...]
    keys: tuple[str, ...]
    run: Callable[[Table, argparse.Namespace], None]
    summary: Callable[[Sequence[Row]], list[str]]

    def path(self, out: Path) -> Path:
        """Beside `out`, with the name of the part added."""
        return out.with_name(f"{out.stem}_{self.name}.csv")

    def table(self, out: Path) -> Table:
        """What was measured so far."""
        return Table(self.path(out), self.fields, self.keys)


def origin() -> dict[str, Any]:
    """The machine, and our commit."""
    return {**machine(), "programs": f"survtree{revision()}"}


def chosen(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Those of a part's tables that were asked for; all of them if none was named."""
    return [name for name in names if not wanted or name in wanted]


def loaded(names: Iterable[str], is_done: Callable[[str], bool]) -> Iterator[tables.Rows]:
    """One table after the other, without those that are in the file already."""
    return (tables.load(name) for name in names if not is_done(name))


def n_cuts(questions: Questions) -> int:
    """How many of the questions are cuts of a numeric column."""
    return len(cuts_in(questions.asked))


def fitted(rows: tables.Rows, **options: Any) -> OptimalSurvivalTree:
    """A model with one thread; what its warnings would say is in the status."""
    model = OptimalSurvivalTree(n_jobs=1, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows.X, (rows.event, rows.time))


def facts_of_fit(rows: tables.Rows, **options: Any) -> Answer:
    """Sizes, what was found, and what it took; of the search alone, from its first line on."""
    start = perf_counter()
    model = fitted(rows, **options)
    seconds = perf_counter() - start
    certificate = model.certificate_
    return {
        "rows": len(rows.X),
        "columns": rows.X.shape[1],
        "questions": len(model.questions_),
        "cuts": n_cuts(model.questions_),
        **{name: getattr(certificate, name) for name in FOUND},
        "seconds": rounded(seconds),
        "search_seconds": rounded(certificate.seconds - model.history_[0].seconds),
        "lane_rows": certificate.counts["lane_rows"],
        "is_teacher_cut": model.seed_ is None,
        "is_every_cut": len(model.questions_) >= certificate.n_splits,
    }


def middle(answers: Sequence[Answer]) -> Answer:
    """One answer for all repeats: medians of seconds, the rest is that of the last run."""
    seconds: Answer = {
        name: rounded(statistics.median(answer[name] for answer in answers))
        for name in ("seconds", "search_seconds")
        if name in answers[-1]
    }
    return {**answers[-1], **seconds, "runs": len(answers)}


def is_proven(row: Row) -> bool:
    return row["status"] == "optimal"


def size_words(row: Row) -> str:
    return f"{int(row['rows']):,} rows, {int(row['columns']):,} columns, {int(row['cuts']):,} cuts"


def gap_words(row: Row) -> str:
    """How far a search that was stopped had come."""
    gap = 1 - float(row["lower_bound"]) / float(row["objective"])
    return f"{row['dataset']} ({size_words(row)}): {row['status']}, gap {100 * gap:.1f} %"
