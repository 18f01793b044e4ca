"""Ours on raw tables without any preparation: ten of SurvSet, and one of 2,000,000 rows.

    python -m benchmarks.raw_tables [--all]

Each table is used as it is, with its categories and missing cells: default options and
missing="question". One run per table, one thread, in one process. `binarize_seconds` is the part of
`seconds` that turns columns into candidate splits (questions). With --all, every table of SurvSet
that has no time-varying covariates. `words` says whether plain Python code, which reads the printed
splits and the raw rows, finds the leaves that `apply` returns. Tables that are already in the
output file are not run again.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import Binarizer, OptimalSurvivalTree
from tests.support.plain_rules import leaf

TEN = (
    "support2",
    "rhc",
    "smarto",
    "hdfail",
    "Dialysis",
    "prostate",
    "vlbw",
    "Framingham",
    "hepatoCellular",
    "dataOvarian1",
)
# Two kinds of event beside censoring: not the outcome of one event that this is about.
NOT_ONE_EVENT = {"follic"}
MOST_ROWS_READ = 100_000
MADE_UP = "2,000,000 made-up rows"
FACTS = ("rows", "columns", "gaps", "questions", "binarize_seconds", "seconds")
FOUND = ("status", "n_leaves", "ibs_ratio", "words")
FIELDS = ("dataset", *FACTS, *FOUND)


class Raw(NamedTuple):
    """A table as it comes, and its outcome."""

    name: str
    X: pd.DataFrame
    y: tuple[np.ndarray, np.ndarray]


def survset(names: tuple[str, ...] | None) -> Iterator[Raw]:
    """Tables of the package SurvSet, by name; None: all."""
    from SurvSet.data import SurvLoader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its pickles are of an older NumPy
        loader = SurvLoader()
        known = loader.df_ds
        if names is None:
            names = tuple(name for name in known.ds[~known.is_td] if name not in NOT_ONE_EVENT)
        for name in names:
            frame = loader.load_dataset(name)["df"]
            y = frame["event"].to_numpy(), frame["time"].to_numpy()
            yield Raw(name, frame.drop(columns=["pid", "event", "time"]), y)


def made_up() -> Raw:
    """Five columns of real numbers and five of integers, two million rows."""
    rng = np.random.default_rng(0)
    n = 2_000_000
    columns = {f"real {j}": rng.normal(size=n) for j in range(5)}
    columns |= {f"integer {j}": rng.integers(0, 40, n) for j in range(5)}
    risk = columns["real 0"] - 0.1 * columns["integer 0"] * (columns["real 1"] > 0)
    time_to_event = np.ceil(50 * np.minimum(rng.exponential(np.exp(-risk)), 20))
    return Raw(MADE_UP, pd.DataFrame(columns), (rng.random(n) < 0.7, time_to_event))


def measured(raw: Raw) -> dict[str, Any]:
    """One row of the table."""
    start = time.perf_counter()
    Binarizer(missing="question").fit(raw.X, raw.y).transform(raw.X)
    binarized = time.perf_counter()
    model = OptimalSurvivalTree(missing="question").fit(raw.X, raw.y)
    done = time.perf_counter()
    return {
        "dataset": raw.name,
        "rows": len(raw.X),
        "columns": raw.X.shape[1],
        "gaps": int(raw.X.isna().sum().sum()),
        "questions": len(model.questions_),
        "binarize_seconds": f"{binarized - start:.2f}",
        "seconds": f"{done - binarized:.2f}",
        "status": model.status_,
        "n_leaves": model.n_leaves_,
        "ibs_ratio": f"{model.ibs_ratio_:.3f}",
        "words": words(model, raw.X),
    }


def words(model: OptimalSurvivalTree, X: pd.DataFrame) -> str:
    """Do the printed questions lead to the leaves? Of a long table, the first rows."""
    some = X.head(MOST_ROWS_READ)
    rows = some.astype(object).to_dict("records")
    agree = [leaf(model, row, {}) for row in rows] == model.apply(some).tolist()
    return "agree" if agree else "differ"


def shown(row: dict[str, str]) -> str:
    return (
        f"{row['dataset']}: {int(row['rows']):,} rows, {row['columns']} columns, "
        f"{int(row['gaps']):,} gaps: {row['questions']} questions, {row['seconds']} s "
        f"({row['binarize_seconds']} s to binarize), {row['status']}, {row['n_leaves']} leaves, "
        f"IBS ratio {row['ibs_ratio']}, "
        f"words {row['words']}"
    )


def main() -> None:
    parser = parser_of(__doc__, "raw_tables.csv", needs_data=False)
    parser.add_argument("--all", action="store_true", help="all tables of SurvSet")
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, ("dataset",))
    if not arguments.summary:
        for raw in survset(None if arguments.all else TEN):
            if not table.has(raw.name):
                table.add({**measured(raw), **machine(), "programs": f"survtree{revision()}"})
        if not table.has(MADE_UP):
            table.add({**measured(made_up()), **machine(), "programs": f"survtree{revision()}"})
    print("\n".join(map(shown, table.rows)))
    print(f"slowest: {max(float(row['seconds']) for row in table.rows):.1f} s")


if __name__ == "__main__":
    main()
