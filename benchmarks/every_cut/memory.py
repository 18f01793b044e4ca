"""Part memory: what a fit over every cut of very many rows takes, in a process of its own."""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.every_cut.part import Part, Row, origin
from benchmarks.tables import HERE, Table

N_COLUMNS = 10
LIMIT_S = 60.0
FIELDS = (
    *("rows", "columns", "cuts", "status", "objective", "lower_bound", "n_leaves", "seconds"),
    *("input_bytes", "before_bytes", "peak_bytes", "bytes_per_row"),
)
FIT = """
import json, resource, sys, time, warnings
import numpy as np, pandas as pd
from survtree import OptimalSurvivalTree
n_rows, n_columns, limit = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rng = np.random.default_rng(0)
values = rng.normal(size=(n_rows, n_columns))
X = pd.DataFrame(values, columns=[f"x{j}" for j in range(n_columns)], copy=False)
risk = values[:, 0] + values[:, 1] * (values[:, 2] > 0)
time_to_event = np.ceil(50 * np.minimum(rng.exponential(np.exp(-risk)), 20))
y = rng.random(n_rows) < 0.7, time_to_event
before = peak()
warnings.simplefilter("ignore")
start = time.perf_counter()
model = OptimalSurvivalTree(2, 0.01, thresholds="all", time_limit=limit, n_jobs=1).fit(X, y)
seconds = time.perf_counter() - start
print(json.dumps({
    "rows": n_rows, "columns": n_columns, "status": model.status_, "seconds": round(seconds, 2),
    "objective": model.objective_, "lower_bound": model.lower_bound_, "n_leaves": model.n_leaves_,
    "input_bytes": values.nbytes + sum(part.nbytes for part in y), "before_bytes": before,
    "peak_bytes": peak(), "cuts": len(model.questions_),
}))
"""


def measured(n_rows: int) -> dict[str, Any]:
    """One row; a fit that dies, for lack of memory for example, is one too."""
    done = subprocess.run(
        [sys.executable, "-c", FIT, str(n_rows), str(N_COLUMNS), str(LIMIT_S)],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parent,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return {"rows": n_rows, "columns": N_COLUMNS, "status": f"failed: {last}"}
    found: dict[str, Any] = json.loads(done.stdout)
    above = found["peak_bytes"] - found["before_bytes"]
    return {**found, "bytes_per_row": round(above / n_rows)}


def run(table: Table, arguments: argparse.Namespace) -> None:
    if not table.has(arguments.rows):
        table.add({**measured(arguments.rows), **origin()})


def summary(rows: Sequence[Row]) -> list[str]:
    return [line_of(row) for row in rows]


def line_of(row: Row) -> str:
    what = f"{int(row['rows']):,} made-up rows, {row['columns']} columns, depth 2, penalty 0.01"
    if not row["peak_bytes"]:
        return f"{what}: {row['status']}"
    before, peak = (float(row[name]) / 1e6 for name in ("before_bytes", "peak_bytes"))
    return (
        f"{what}, {int(row['cuts']):,} cuts: {row['status']} after {row['seconds']} s; peak "
        f"{before:,.0f} MB before the fit, {peak:,.0f} MB after it, "
        f"{int(row['bytes_per_row']):,} bytes per row above the input"
    )


PART = Part("memory", FIELDS, ("rows",), run, summary)
