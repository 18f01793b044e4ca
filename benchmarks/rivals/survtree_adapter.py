"""Fit survtree once and report, in the manner of the other adapters.

    python survtree_adapter.py < request.json > result.json

The request is that of `osst_adapter.py`. `seconds` is the whole `fit`, from arrays in memory to a
fitted and re-scored estimator, the first of its process.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from survtree import OptimalSurvivalTree


def main() -> None:
    request = json.load(sys.stdin)
    table = np.loadtxt(Path(request["csv"]), delimiter=",", skiprows=1)
    table = table[:, 1:] if request["index_col"] else table
    features = np.ascontiguousarray(table[:, :-2], dtype=np.uint8)
    event, seen_time = table[:, -2] == 1, table[:, -1]
    model = OptimalSurvivalTree(
        request["max_depth"],
        request["regularization"],
        min_samples_leaf=request["min_samples_leaf"],
        time_limit=request["time_limit"],
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    model.fit(features, (event, seen_time))
    result = {
        "seconds": time.perf_counter() - start,
        "objective": model.objective_,
        "n_leaves": model.n_leaves_,
        "status": model.status_,
        "peak_rss_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "rss_before_fit_bytes": 1024 * before,
        "counts": model.certificate_.counts,
    }
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
