"""Time limits on a case that needs minutes: when the fit returns, and whether it is right.

    python -m benchmarks.kept_limits --data FOLDER [--repeats 20]

Fits credit (depth 6, regularization 0.0005) with limits of 0.2, 1 and 5 s in alternation. `seconds`
is the whole fit, by the caller's clock. A limit is kept if that is within 0.1 s + 5 % of it. The
best objective known (benchmarks.anytime --best) must lie between the bounds, and the tree's loss
must be the one that is computed from the definition.
"""

import warnings
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks import data
from benchmarks.anytime import BEST, SECONDS
from benchmarks.anytime import FIELDS as BEST_FIELDS
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import OptimalSurvivalTree, SearchStoppedWarning
from survtree._scoring.losses import LossByDefinition

KEYS = ("time_limit", "repeat")
FIELDS = (*KEYS, "seconds", "status", "objective", "lower_bound", "is_bracket", "is_rescored")


def fitted(encoded: data.Encoded, seconds: float) -> tuple[OptimalSurvivalTree, float]:
    """A model and the seconds it took."""
    model = OptimalSurvivalTree(6, 0.0005, time_limit=seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchStoppedWarning)
        start = perf_counter()
        model.fit(encoded.X, (encoded.event, encoded.time))
        return model, perf_counter() - start


def row_of(encoded: data.Encoded, limit: float, best: float) -> dict[str, Any]:
    model, seconds = fitted(encoded, limit)
    leaf = model.tree_.leaf_numbers()[model.apply(encoded.X)]
    loss = LossByDefinition(encoded.time, encoded.event).tree_loss(leaf)
    objective = loss + 0.0005 * model.n_leaves_
    return {
        "seconds": f"{seconds:.4f}",
        "status": model.status_,
        "objective": f"{model.objective_:.9f}",
        "lower_bound": f"{model.lower_bound_:.9f}",
        "is_bracket": model.lower_bound_ <= best <= model.objective_ + 1e-9,
        "is_rescored": abs(objective - model.objective_) < 1e-9,
    }


def show(table: Table) -> None:
    for limit in SECONDS:
        rows = [row for row in table.rows if float(row["time_limit"]) == limit]
        seconds = [float(row["seconds"]) for row in rows]
        n_kept = sum(s <= limit * 1.05 + 0.1 for s in seconds)
        good = sum(row["is_bracket"] == row["is_rescored"] == "True" for row in rows)
        if rows:
            print(
                f"limit {limit} s: {n_kept} of {len(rows)} fits within it + 0.1 s + 5 %, median "
                f"{median(seconds):.3f} s, longest {max(seconds):.3f} s; bounds and re-scored "
                f"objective right in {good}"
            )


def main() -> None:
    parser = parser_of(__doc__, "kept_limits.csv")
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    if not arguments.summary:
        known = [row for row in Table(BEST, BEST_FIELDS).rows if row["dataset"] == "credit"]
        if not known:
            parser.error("run benchmarks.anytime --best first: it finds what to compare with")
        encoded = data.read(arguments.data, "credit")
        for repeat in range(arguments.repeats):
            for limit in SECONDS:
                if not table.has(limit, repeat):
                    found = row_of(encoded, limit, float(known[0]["objective"]))
                    key = {"time_limit": limit, "repeat": repeat}
                    table.add({**key, **found, **machine(), "programs": f"survtree{revision()}"})
    show(table)


if __name__ == "__main__":
    main()
