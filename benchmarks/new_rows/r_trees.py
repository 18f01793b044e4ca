"""Trees of rpart and ctree (partykit) for all folds of a table, by one R process: trees.R."""

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.new_rows.tables import Fold, Rows

SCRIPT = Path(__file__).parent / "trees.R"


class RTree(NamedTuple):
    """Where the training and the held-out rows of a fold end, and the seconds of the fit."""

    leaves: np.ndarray
    new_leaves: np.ndarray
    seconds: float


def r_trees(method: str, rows: Rows, folds: list[Fold]) -> Iterator[RTree]:
    """A tree for each fold, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        table, held_out = Path(folder) / "table.csv", Path(folder) / "folds.csv"
        _plain(rows).to_csv(table, index=False)
        with held_out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(fold.test + 1 for fold in folds)
        command = ["Rscript", "--vanilla", str(SCRIPT), method, str(table), str(held_out)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for fold in folds:
                line = process.stdout.readline()
                if not line:
                    raise ChildProcessError(f"R ended with status {process.wait()}")
                yield _read(line, fold)


def _plain(rows: Rows) -> pd.DataFrame:
    """Columns named n1, f2, ... for numbers and factors: R reads them by the first letter."""
    columns = {}
    for place, (_, column) in enumerate(rows.X.items()):
        is_number = pd.api.types.is_numeric_dtype(column)
        columns[f"{'n' if is_number else 'f'}{place}"] = column
    return pd.DataFrame({**columns, "event": rows.event.astype(int), "time": rows.time})


def _read(line: str, fold: Fold) -> RTree:
    seconds, *leaves = line.split(",")
    numbers = np.array(leaves, dtype=int)
    cut = len(fold.train)
    return RTree(numbers[:cut], numbers[cut:], float(seconds))
