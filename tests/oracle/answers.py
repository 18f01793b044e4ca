"""Write down what fits answer, to the last bit, so that two versions can be compared with diff.

    python -m tests.oracle.answers -n 5000 --data FOLDER > answers.txt

Only the public interface is used, so that the same file runs with older versions. A line holds a
name and, in full digits, the objective, loss, bound, status, tree, work counts, fingerprint, and a
hash of what the model predicts. With ``--models`` a model file is written for every 50th problem.
"""

import argparse
import hashlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import data
from survtree import OptimalSurvivalTree, export_json, regularization_path

# What the cache takes in memory is not an answer.
NOT_ANSWERS = ("cache_bytes", "lattice_bytes")
DEPTHS = (2, 3)
PENALTIES = (0.01, 0.002)


def line_of(name: str, model: Any, X: Any) -> str:
    """Everything a fitted model says, in one line."""
    tree = model.tree_
    curves = model.predict_survival_function(X, return_array=True)
    hazards = model.predict_cumulative_hazard_function(X, return_array=True)
    parts = (model.predict(X), model.predict_median(X), model.apply(X), curves, hazards)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    counts = model.certificate_.counts
    told = (
        *(model.objective_, model.loss_, model.lower_bound_, model.status_, model.ibs_ratio_),
        *(tree.question.tolist(), tree.no.tolist(), tree.yes.tolist()),
        {key: counts[key] for key in sorted(counts) if key not in NOT_ANSWERS},
        *(model.certificate_.fingerprint, model.questions_.texts),
        digest.hexdigest(),
    )
    return f"{name}\t" + "\t".join(map(repr, told))


def random_table(rng: np.random.Generator) -> pl.DataFrame:
    """Numbers with ties, flags and categories, some related to the outcome."""
    n = int(rng.integers(15, 120))
    columns: dict[str, Any] = {}
    for j in range(int(rng.integers(1, 6))):
        kind = rng.integers(4)
        if kind == 0:
            columns[f"number{j}"] = rng.normal(size=n).round(int(rng.integers(0, 3)))
        elif kind == 1:
            columns[f"flag{j}"] = rng.integers(2, size=n)
        elif kind == 2:
            columns[f"level{j}"] = rng.choice(list("abc"), size=n)
        else:
            columns[f"count{j}"] = rng.integers(5, size=n)
    return pl.DataFrame(columns)


def random_outcome(rng: np.random.Generator, X: pl.DataFrame) -> tuple[Any, Any]:
    """Ties, any share of censoring, and times that depend on every other column."""
    n = len(X)
    ranks = [X[name].rank("dense").to_numpy() for name in X.columns[::2]]
    scale = np.exp(sum(0.7 * (rank - rank.mean()) / (rank.std() + 1e-9) for rank in ranks))
    time = (scale * rng.exponential(size=n)).round(int(rng.integers(1, 4))) + 0.01
    event = rng.random(n) < rng.choice([0.2, 0.6, 1.0])
    event[int(rng.integers(n))] = True
    return event, time


def random_options(rng: np.random.Generator) -> dict[str, Any]:
    """Options that lead through different parts of the package."""
    options: dict[str, Any] = {
        "max_depth": int(rng.integers(1, 5)),
        "regularization": float(rng.choice([0.0, 0.0005, 0.002, 0.01])),
        "min_samples_leaf": int(rng.integers(1, 9)),
        "thresholds": ("auto", "all", 3, ("width", 3))[int(rng.integers(4))],
    }
    choice = int(rng.integers(8))
    if choice == 0:
        options["max_leaves"] = int(rng.integers(1, 6))
    elif choice == 1:
        options["time_buckets"] = int(rng.integers(2, 12))
    elif choice == 2:
        options["node_limit"] = int(rng.integers(1, 30))
    elif choice == 3:
        options["gap"] = 0.05
    elif choice == 4:
        options["encoding"] = "paper"
        options["thresholds"] = "auto"
    return options


def random_line(seed: int, models: Path | None) -> str:
    """A random problem, fitted."""
    rng = np.random.default_rng(seed)
    X = random_table(rng)
    y = random_outcome(rng, X)
    weight = rng.choice([0.5, 1.0, 3.0], size=len(X)) if seed % 3 == 0 else None
    model = OptimalSurvivalTree(**random_options(rng)).fit(X, y, weight)
    if models is not None and seed % 50 == 0:
        export_json(model, models / f"model{seed}.json")
    return line_of(f"random {seed}", model, X)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=5000, help="random problems")
    parser.add_argument("--data", type=Path, help="folder with the paper's data sets")
    parser.add_argument("--models", type=Path, help="folder for model files")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for seed in range(arguments.n):
        print(random_line(seed, arguments.models), flush=True)
    for name in data.NAMES if arguments.data else ():
        table = data.read(arguments.data, name)
        y = (table.event, table.time)
        for depth in DEPTHS:
            for penalty in PENALTIES:
                model = OptimalSurvivalTree(depth, penalty).fit(table.X, y)
                print(line_of(f"{name} {depth} {penalty}", model, table.X), flush=True)
        path = regularization_path(table.X, y, max_depth=2, min_regularization=0.005)
        for k, model in enumerate(path):
            print(line_of(f"{name} path {k}", model, table.X), flush=True)


if __name__ == "__main__":
    main()
