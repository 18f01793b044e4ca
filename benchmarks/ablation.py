"""The paper's ablation: the search with and without a reference model, and guess, then prove.

    python -m benchmarks.ablation --data FOLDER [--repeats 5]

Four cases; depths are those of the paper minus one. A forest of 100 trees of depth 9 is fitted once
per case, with seed 0; its time has a separate column. Then exact search, guess (relying on the
forest), and guess then prove alternate, one thread; medians of their seconds. `share_saved` is the
share of the exact search's seconds, without those of the forest.
"""

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.problems import filled
from benchmarks.tables import CASE, Table
from survtree._search.problem import Problem, SearchSettings
from survtree._search.read_reference import reference_losses
from survtree._search.solve import find, solve

CASES = (("churn", 5, 0.0025), ("employee", 5, 0.01), ("servo", 4, 0.01), ("sync", 4, 0.01))
FIELDS = (
    *CASE,
    *("exact_s", "guess_s", "prove_s", "forest_s"),
    *("exact_objective", "guess_objective", "prove_objective"),
    *("exact_subsets", "guess_subsets", "closed_by_guess", "guess_lower_bound"),
    "share_saved",
)


def row_of(problem: Problem, repeats: int) -> dict[str, Any]:
    start = perf_counter()
    losses = reference_losses("forest", None, problem.matrix, problem.events, 0)
    forest_s = perf_counter() - start
    plain, guessing = SearchSettings(), SearchSettings(guessed_losses=losses)
    proving = SearchSettings(guessed_losses=losses, proves=True)
    ways = {
        "exact": lambda: solve(problem, plain),
        "guess": lambda: solve(problem, guessing),
        "prove": lambda: find(problem, proving)[0],
    }
    found = {}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = perf_counter()
            found[name] = way()
            seconds[name].append(perf_counter() - start)
    took = {name: median(times) for name, times in seconds.items()}
    assert found["exact"].status == found["prove"].status == "optimal"
    return {
        **{f"{name}_s": f"{s:.4f}" for name, s in took.items()},
        "forest_s": f"{forest_s:.2f}",
        **{f"{name}_objective": f"{one.objective:.6f}" for name, one in found.items()},
        "exact_subsets": found["exact"].counts["subsets_solved"],
        "guess_subsets": found["guess"].counts["subsets_solved"],
        "closed_by_guess": found["guess"].counts["pruned_by_guess"],
        "guess_lower_bound": f"{found['guess'].lower_bound:.6f}",
        "share_saved": f"{1 - took['guess'] / took['exact']:.3f}",
    }


def show(table: Table) -> None:
    for row in table.rows:
        print(
            f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']}: exact "
            f"{row['exact_s']} s ({row['exact_objective']}), guess {row['guess_s']} s "
            f"({row['guess_objective']}, no tree below {row['guess_lower_bound']}), saves "
            f"{100 * float(row['share_saved']):.0f} %; guess then prove {row['prove_s']} s; forest "
            f"{row['forest_s']} s"
        )
    if table.rows:
        mean = np.mean([float(row["share_saved"]) for row in table.rows])
        print(f"mean share of time saved by guessing, without the forest: {100 * mean:.0f} %")


def main() -> None:
    show(filled(__doc__, "ablation.csv", FIELDS, row_of, CASES))


if __name__ == "__main__":
    main()
