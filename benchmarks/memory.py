"""A memory limit on a search that needs ten times as much: memory of the process, and its result.

    python -m benchmarks.memory [--seconds 240]

gbsg2 as it comes with the package (depth 8, regularization 0.00001), searched for so many seconds
without a limit, with one of 1 GB and with one of 200 MB, each in a separate process. `peak_mb` is
the largest resident memory of the whole process, including Python and its libraries; `before_mb`
what they took when the fit began. Needs no data. Cases in the output file are not run again.
"""

import json
import subprocess
import sys
from typing import Any

from benchmarks.tables import HERE, Table, machine, parsed, parser_of, revision

LIMITS = ("None", "1GB", "200MB")
KEYS = ("memory_limit",)
FIELDS = (
    *(*KEYS, "seconds", "status", "before_mb", "peak_mb"),
    *("cache_mb", "cache_shed", "subsets_solved", "objective", "lower_bound"),
)
FIT = """
import json, resource, sys, warnings
from survtree import OptimalSurvivalTree, SearchStoppedWarning
from survtree.datasets import load
limit, seconds = sys.argv[1:]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
warnings.simplefilter("ignore", SearchStoppedWarning)
X, y = load("gbsg2")
before = peak()
model = OptimalSurvivalTree(
    8, 0.00001, time_limit=float(seconds), memory_limit=None if limit == "None" else limit
).fit(X, y)
counts = model.certificate_.counts
print(json.dumps({
    "seconds": round(model.certificate_.seconds, 1), "status": model.status_,
    "before_mb": round(before), "peak_mb": round(peak()),
    "cache_mb": round(counts["cache_bytes"] / 1e6), "cache_shed": counts["cache_shed"],
    "subsets_solved": counts["subsets_solved"],
    "objective": round(model.objective_, 6), "lower_bound": round(model.lower_bound_, 6),
}))
"""


def fitted(limit: str, seconds: float) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", FIT, limit, str(seconds)],
        capture_output=True,
        text=True,
        check=True,
        cwd=HERE.parent,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = parser_of(__doc__, "memory.csv", needs_data=False)
    parser.add_argument("--seconds", type=float, default=240.0)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    for limit in LIMITS:
        if not arguments.summary and not table.has(limit):
            found = fitted(limit, arguments.seconds)
            programs = f"survtree{revision()}"
            table.add({"memory_limit": limit, **found, **machine(), "programs": programs})
    for row in table.rows:
        print(
            f"memory limit {row['memory_limit']}: peak {row['peak_mb']} MB (libraries and data "
            f"{row['before_mb']} MB), {row['status']} after {row['seconds']} s, objective "
            f"{row['objective']}, lower bound {row['lower_bound']}, {int(row['cache_shed']):,} "
            "answers forgotten"
        )


if __name__ == "__main__":
    main()
