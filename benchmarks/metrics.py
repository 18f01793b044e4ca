"""Seconds of every metric on 100,000 rows and a tree of 8 leaves.

    python -m benchmarks.metrics [--rows 100000]

Simulated rows with three columns that matter, a third of them censored; the curves come from the
fitted tree. One run each, one thread; the sum is of all lines. Needs no data.
"""

from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import OptimalSurvivalTree, metrics

FIELDS = ("metric", "rows", "leaves", "seconds", "value")


def made_up(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n, 3))
    time = rng.exponential(np.exp(X @ [0.8, 0.5, 0.3]))
    censored = rng.exponential(4.0, n)
    return X, (time <= censored, np.minimum(time, censored))


def main() -> None:
    parser = parser_of(__doc__, "metrics.csv", needs_data=False)
    parser.add_argument("--rows", type=int, default=100_000)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, ("metric",))
    if not arguments.summary:
        fill(table, arguments.rows)
    for row in table.rows:
        print(f"{row['metric']}: {row['seconds']} s ({row['value']})")
    total = sum(float(row["seconds"]) for row in table.rows)
    what = f"{table.rows[0]['rows']} rows, {table.rows[0]['leaves']} leaves"
    print(f"all metrics, {what}: {total:.2f} s")


def fill(table: Table, n_rows: int) -> None:
    X, y = made_up(n_rows)
    model = OptimalSurvivalTree(3, 0.0, time_buckets=100).fit(X, y)
    risk = model.predict(X)
    calls = {
        "brier_score": lambda: metrics.brier_score(y, model, [0.5, 1.0, 2.0], X=X)[0],
        "integrated_brier_score": lambda: metrics.integrated_brier_score(y, model, X=X),
        "ibs_ratio": lambda: metrics.ibs_ratio(y, model, X=X),
        "per_sample_loss": lambda: metrics.per_sample_loss(y, model, X=X).sum(),
        "harrell_c": lambda: metrics.harrell_c(y, model, X=X),
        "uno_c": lambda: metrics.uno_c(y, model, X=X),
        "harrell_c_of_risk": lambda: metrics.harrell_c_of_risk(y, risk),
        "uno_c_of_risk": lambda: metrics.uno_c_of_risk(y, risk),
        "cumulative_dynamic_auc": lambda: metrics.cumulative_dynamic_auc(y, model, X=X).mean,
        "calibration_curve": lambda: metrics.calibration_curve(y, model, 1.0, X=X)[1][0],
        "log_likelihood": lambda: metrics.log_likelihood(y, model, X=X),
    }
    for name, call in calls.items():
        if not table.has(name):
            start = perf_counter()
            value = call()
            row = {"metric": name, "rows": n_rows, "leaves": model.n_leaves_}
            took = {"seconds": f"{perf_counter() - start:.3f}", "value": f"{value:.6f}"}
            table.add({**row, **took, **machine(), "programs": f"survtree{revision()}"})


if __name__ == "__main__":
    main()
