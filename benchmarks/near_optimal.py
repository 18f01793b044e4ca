"""Near-optimal sets: how many trees, and how long until they are there.

    python -m benchmarks.near_optimal --data FOLDER [--repeats 3]

Depth 3 and 4, at least 7 rows per leaf, a penalty of 0.002 per leaf: sixteen data sets as the 0/1
columns of the paper (`answers` 01), and as raw tables with the splits that thresholds="auto"
chooses (raw; `raw_sources.py` says where they are from); three of these with every cut at depth 3
(all). `within` is the slack as a share of the optimum. `fit_s` is a whole fit; `first_s` a whole
call of near_optimal for the first 1,000 trees, or all if there are fewer, and reading them as
arrays; in turns, medians, one thread. `trees` counts up to 200,000 of them (`is_complete`: that is
all), in `all_s` seconds.
"""

from math import exp, log
from statistics import mean, median
from time import perf_counter
from typing import Any

from benchmarks import data, raw_sources
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import NearOptimalTrees, OptimalSurvivalTree

PENALTY = 0.002
SHARES = (0.005, 0.01, 0.02, 0.05)
FIRST, MOST = 1_000, 200_000
LIMIT_S = 60.0
EVERY_CUT = ("veterans", "gbsg2", "whas500")
KEY = ("answers", "dataset", "max_depth", "within")
FIELDS = (
    *(*KEY, "rows", "questions", "leaves", "trees", "is_complete"),
    *("fit_s", "first_s", "first_over_fit", "all_s"),
)


def cases() -> list[tuple[str, str, int]]:
    both = [(kind, name) for kind in ("01", "raw") for name in data.NAMES]
    deep = [(kind, name, depth) for kind, name in both for depth in (3, 4)]
    return [*deep, *(("all", name, 3) for name in EVERY_CUT)]


def rows_of_case(folder: Any, kind: str, name: str) -> tuple[Any, Any]:
    if kind != "01":
        return raw_sources.read(folder, name)
    table = data.read(folder, name)
    return table.X, (table.event, table.time)


def listed(model: OptimalSurvivalTree, within: float, n: int) -> NearOptimalTrees:
    near = model.near_optimal(within, n, time_limit=LIMIT_S)
    for _ in near.trees:  # arrays, without the curves of a model
        pass
    return near


def seconds_of(run: Any) -> tuple[float, Any]:
    start = perf_counter()
    out = run()
    return perf_counter() - start, out


def row_of(model: OptimalSurvivalTree, X: Any, y: Any, within: float, n: int) -> dict[str, Any]:
    fits, firsts = [], []
    for _ in range(n):
        fits.append(seconds_of(lambda: model.fit(X, y))[0])
        firsts.append(seconds_of(lambda: listed(model, within, FIRST))[0])
    all_s, every = seconds_of(lambda: model.near_optimal(within, MOST, time_limit=LIMIT_S))
    fit_s, first_s = median(fits), median(firsts)
    rows, questions = model._state.problem.answers.shape
    return {
        "rows": rows,
        "questions": questions,
        "leaves": model.n_leaves_,
        "trees": len(every.trees),
        "is_complete": every.is_complete,
        "fit_s": f"{fit_s:.5f}",
        "first_s": f"{first_s:.5f}",
        "first_over_fit": f"{first_s / fit_s:.2f}",
        "all_s": f"{all_s:.5f}",
    }


def show(table: Table) -> None:
    for kind, words in (
        ("01", "0/1 columns"),
        ("raw", "raw, chosen cuts"),
        ("all", "raw, every cut"),
    ):
        for depth in ("3", "4"):
            rows = [r for r in table.rows if (r["answers"], r["max_depth"]) == (kind, depth)]
            if not rows:
                continue
            print(f"{words}, depth {depth}")
            for share in map(str, SHARES):
                some = [row for row in rows if row["within"] == share]
                ratios = [float(row["first_over_fit"]) for row in some]
                print(
                    f"  within {100 * float(share):g} %: {_sizes(some)} trees; first trees / fit: "
                    f"geometric mean {exp(mean(map(log, ratios))):.2f}, most {max(ratios):.2f}"
                )
    counted = [row for row in table.rows if int(row["trees"]) >= 100_000]
    rates = [int(row["trees"]) / float(row["all_s"]) for row in counted]
    if rates:
        print(f"lists of 100,000 trees or more: {median(rates):,.0f} trees a second, median")


def _sizes(rows: list[dict[str, str]]) -> str:
    sizes = sorted(int(row["trees"]) for row in rows)
    more = "" if all(row["is_complete"] == "True" for row in rows) else " or more"
    return f"{sizes[0]:,} to {sizes[-1]:,}{more} (median {median(sizes):,.0f})"


def main() -> None:
    parser = parser_of(__doc__, "near_optimal.csv")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEY)
    for kind, name, depth in () if arguments.summary else cases():
        left = [share for share in SHARES if not table.has(kind, name, depth, share)]
        if not left:
            continue
        X, y = rows_of_case(arguments.data, kind, name)
        thresholds = "all" if kind == "all" else "auto"
        model = OptimalSurvivalTree(depth, PENALTY, thresholds=thresholds, missing="question")
        for share in left:
            found = row_of(model, X, y, share, arguments.repeats)
            key = dict(zip(KEY, (kind, name, depth, share), strict=True))
            table.add({**key, **found, **machine(), "programs": f"survtree{revision()}"})
    show(table)


if __name__ == "__main__":
    main()
