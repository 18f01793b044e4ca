"""Trees whose size is selected by cross-validation: ours, and scikit-survival's greedy trees.

    python -m benchmarks.tuning --data FOLDER [--max-depth 4] [--n-jobs 1] [--datasets churn ...]

Four data sets, five folds stratified by the event flag, the same for both (seed 0), at least 7 rows
per leaf. Ours, at the defaults of OptimalSurvivalTreeCV (a teacher, shrunken curves), selects among
all trees of the paths of depth 1 to `--max-depth`; scikit-survival's SurvivalTree among max_depth 1
to 10, each fitted on each fold and on all rows. Both are scored alike: IBS ratio on held-out rows;
the censoring curve and the single curve of the ratio are those of the training rows of the fold.
Both take the fewest leaves within one standard error of the best (`rule` one_standard_error), or
the best (minimum). Greedy trees may become far larger, so there is a third row for them
(no_larger): the best of those with no more leaves than ours has by the first rule. Seconds are of
the whole selection, once per program.
"""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from benchmarks import data
from benchmarks.suites import MIN_SAMPLES_LEAF
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import OptimalSurvivalTreeCV
from survtree._base import BeyondTrainingWarning
from survtree._data.table import EventTable
from survtree._model.cross_validation import Fold, chosen, folds_of
from survtree._scoring.scores import ibs_ratio

DATASETS = ("whas500", "gbsg2", "churn", "employee")
RULES = ("one_standard_error", "minimum")
GREEDY_DEPTHS = range(1, 11)
KEYS = ("dataset", "program", "rule")
FIELDS = (
    *KEYS,
    *("rows", "max_depth", "regularization", "n_leaves", "n_candidates"),
    *("ibs_ratio", "standard_error", "seconds", "n_jobs"),
)


def ours(case: data.Encoded, folds: list[Fold], arguments: Namespace) -> Iterator[dict[str, Any]]:
    """A row a rule."""
    model = OptimalSurvivalTreeCV(
        max_depths=range(1, arguments.max_depth + 1),
        cv=folds,
        min_samples_leaf=MIN_SAMPLES_LEAF,
        n_jobs=arguments.n_jobs,
    )
    start = perf_counter()
    results = model.fit(case.X, (case.event, case.time)).cv_results_
    seconds = perf_counter() - start
    scores = np.array([results[f"split{k}_test_score"] for k in range(len(folds))]).T
    sizes = list(zip(results["n_leaves"], results["param_max_depth"], strict=True))
    for rule, k, facts in by_rule(scores, sizes):
        regularization = f"{results['param_regularization'][k]:.6g}"
        yield {"rule": rule, "regularization": regularization, "seconds": seconds, **facts}


def greedy(case: data.Encoded, folds: list[Fold], most_leaves: int) -> Iterator[dict[str, Any]]:
    """The same of scikit-survival; its leaves are counted in the tree of all rows."""
    start = perf_counter()
    scores = np.array([[greedy_score(case, fold, d) for fold in folds] for d in GREEDY_DEPTHS])
    everyone = np.arange(len(case.time))
    leaves = [greedy_tree(case, everyone, d).tree_.n_leaves for d in GREEDY_DEPTHS]
    seconds = perf_counter() - start
    sizes = list(zip(leaves, GREEDY_DEPTHS, strict=True))
    for rule, _, facts in by_rule(scores, sizes, most_leaves):
        yield {"rule": rule, "seconds": seconds, **facts}


def greedy_tree(case: data.Encoded, places: np.ndarray, depth: int) -> Any:
    from sksurv.tree import SurvivalTree

    outcome = np.empty(len(places), dtype=[("event", bool), ("time", float)])
    outcome["event"], outcome["time"] = case.event[places], case.time[places]
    tree = SurvivalTree(max_depth=depth, min_samples_leaf=MIN_SAMPLES_LEAF, random_state=0)
    return tree.fit(case.X[places], outcome)


def greedy_score(case: data.Encoded, fold: Fold, depth: int) -> float:
    tree = greedy_tree(case, fold.train, depth)
    survival = tree.predict_survival_function(case.X[fold.test], return_array=True)
    train, held_out = ((case.event[part], case.time[part]) for part in fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BeyondTrainingWarning)
        return ibs_ratio(held_out, (survival, tree.unique_times_), train=train)


def by_rule(
    scores: np.ndarray, sizes: list[tuple[int, int]], most_leaves: int = 0
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Each rule, the candidate it takes, and what is told of it."""
    means = scores.mean(axis=1)
    errors = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    found = {rule: chosen(means, errors, sizes, rule) for rule in RULES}
    small = [k for k, size in enumerate(sizes) if size[0] <= most_leaves]
    if small:
        found["no_larger"] = max(small, key=lambda k: means[k])
    for rule, k in found.items():
        facts = {"n_leaves": sizes[k][0], "max_depth": sizes[k][1], "n_candidates": len(sizes)}
        score = {"ibs_ratio": f"{means[k]:.4f}", "standard_error": f"{errors[k]:.4f}"}
        yield rule, k, {**facts, **score}


def run(table: Table, arguments: Namespace) -> None:
    """All data sets and programs that are not in the table yet."""
    for name in arguments.datasets:
        case = data.read(arguments.data, name)
        events = EventTable(case.event, case.time, np.ones(len(case.time)))
        folds = folds_of(5, events, check_random_state(0))
        key = {"dataset": name, "rows": len(case.time)}
        if not table.has(name, "ours", RULES[-1]):
            found = ours(case, folds, arguments)
            add(table, {**key, "program": "ours", "n_jobs": arguments.n_jobs}, found)
        if not table.has(name, "sksurv", RULES[-1]):
            found = greedy(case, folds, sparse_leaves(table, name))
            add(table, {**key, "program": "sksurv", "n_jobs": 1}, found)


def add(table: Table, key: dict[str, Any], rows: Iterator[dict[str, Any]]) -> None:
    programs = f"survtree{revision()}; scikit-survival {version('scikit-survival')}"
    for row in rows:
        seconds = f"{row['seconds']:.2f}"
        table.add({**key, **row, "seconds": seconds, **machine(), "programs": programs})


def sparse_leaves(table: Table, dataset: str) -> int:
    """Leaves of ours by the first rule."""
    key = (dataset, "ours", RULES[0])
    return next(int(r["n_leaves"]) for r in table.rows if tuple(r[k] for k in KEYS) == key)


def show(table: Table) -> None:
    for row in table.rows:
        print(
            f"{row['dataset']}, {row['program']}, {row['rule']}: {row['n_leaves']} leaves (depth "
            f"{row['max_depth']}), IBS ratio {row['ibs_ratio']} +- {row['standard_error']}, "
            f"{row['seconds']} s"
        )


def main() -> None:
    parser = parser_of(__doc__, "tuning.csv")
    parser.add_argument("--max-depth", type=int, default=4)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=DATASETS)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    if not arguments.summary:
        run(table, arguments)
    show(table)


if __name__ == "__main__":
    main()
