"""Trees of rpart and ctree (partykit) for all folds of a table, by trees.R."""

import csv
import subprocess
import tempfile
import threading
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


class RServer:
    """An R process that answers one request after another; starting R for each takes longer than
    most fits.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["Rscript", "--vanilla", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def trees(self, method: str, rows: Rows, folds: list[Fold]) -> Iterator[RTree]:
        """A tree for each fold, in turn."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            table, held_out = Path(folder) / "table.csv", Path(folder) / "folds.csv"
            _plain(rows).to_csv(table, index=False)
            with held_out.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(fold.test + 1 for fold in folds)
            print(method, table, held_out, file=stdin, flush=True)
            for fold in folds:
                line = stdout.readline()
                if not line:
                    raise ChildProcessError("R ended")
                yield _read(line, fold)

    def stop(self) -> None:
        """At once."""
        self._process.kill()
        self._process.communicate()


_of_thread = threading.local()


def server() -> RServer:
    """The server of this thread, started if there is none."""
    if not hasattr(_of_thread, "server"):
        _of_thread.server = RServer()
    found: RServer = _of_thread.server
    return found


def stop_server() -> None:
    """What a server that was not read to its end still writes is of no use."""
    if hasattr(_of_thread, "server"):
        _of_thread.server.stop()
        del _of_thread.server


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
