"""Trees of all programs on rows that they did not see: train and test IBS ratio by leaves.

    python -m benchmarks.paper.generalization --data FOLDER [--quick] [--limit 120] [--summary]

Five folds (KFold, shuffled, seed 666), five data sets, depth 1 to 4 (the paper counts the root: 2
to 5), at least 7 rows a leaf, grids as in optimality.py. Scores are ours: Kaplan-Meier curves of
the training rows in each leaf; the censoring curve, and the one curve that the IBS ratio compares
with, are those of the training rows of the fold. The same run writes quality.csv, which
benchmarks.paper.quality shows. A run may take --limit seconds (120, with --quick 5).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from benchmarks import data
from benchmarks.paper import settings
from benchmarks.paper.command import CLOSED_SOURCE, asked, groups_of, parsed, parser_of, printed
from benchmarks.paper.growers import Grower, Grown, Part, all_growers, parted
from benchmarks.paper.scoring import Training, held_out
from benchmarks.tables import Table, machine

FILE, QUALITY_FILE = "generalization.csv", "quality.csv"
KEYS = ("dataset", "fold", "max_depth", "program")
TREE = (*KEYS, "limit_s", "setting", "status", "n_leaves")
FIELDS = (*TREE, "train_ibs_ratio", "test_ibs_ratio")
SCORES = ("harrell_c", "uno_c", "mean_auc")
QUALITY_FIELDS = (*KEYS, "n_leaves", *SCORES)  # the same trees in the same order


@dataclass(frozen=True)
class Tables:
    """Both are filled by one run."""

    generalization: Table
    quality: Table

    @classmethod
    def of(cls, folder: Path) -> "Tables":
        return cls(
            Table(folder / FILE, FIELDS, KEYS), Table(folder / QUALITY_FILE, QUALITY_FIELDS, KEYS)
        )

    def add_all(self, rows: list[dict[str, Any]], key: tuple[Any, ...]) -> None:
        """What either lacks: a run may have been stopped between the two."""
        for table in (self.quality, self.generalization):
            if not table.has(*key):
                table.add_all(rows)


def folds_of(n_rows: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The paper's folds: training rows and held-out rows."""
    folds = KFold(settings.N_FOLDS, shuffle=True, random_state=settings.FOLD_SEED)
    return list(folds.split(np.zeros(n_rows)))


def row_of(tree: Grown, part: Part, training: Training) -> dict[str, Any]:
    row = {"setting": tree.setting, "status": tree.status}
    if tree.seconds is None:
        return row
    curves = training.curves(tree.leaves, tree.new_leaves)
    train, new = ((rows.event, rows.time) for rows in (part.train, part.new))
    scores = {"train_ibs_ratio": training.ratio(tree.leaves), **held_out(new, curves, train)}
    told = {name: f"{score:.6f}" for name, score in scores.items()}
    return {**row, "n_leaves": tree.n_leaves, **told}


def run(tables: Tables, folder: Path, grid: settings.Grid) -> None:
    """Every data set, fold, depth and program that is not in the tables yet."""
    with all_growers() as growers:
        for name in grid.datasets:
            case = data.read(folder, name)
            for fold, places in enumerate(folds_of(len(case.time))):
                with parted(case, *places) as part:
                    run_fold(tables, growers, part, (name, fold), grid)


def run_fold(
    tables: Tables, growers: list[Grower], part: Part, at: tuple[str, int], grid: settings.Grid
) -> None:
    training = Training.of(part.train.event, part.train.time)
    for depth in grid.depths:
        for grower in growers:
            key = (*at, depth, grower.name)
            if tables.generalization.has(*key):  # it is written last
                continue
            named = {**dict(zip(KEYS, key, strict=True)), "limit_s": grid.limit_s}
            rows = [row_of(tree, part, training) for tree in grower.grow(part, depth, grid)]
            tables.add_all([{**named, **row, **machine(grower)} for row in rows], key)


def by_leaves(rows: list[dict[str, str]], field: str) -> dict[int, list[float]]:
    """A number a fold by number of leaves; of several trees of one size, the mean."""
    folds: dict[int, dict[str, list[float]]] = {}
    for row in rows:
        if row["n_leaves"]:
            at = folds.setdefault(int(row["n_leaves"]), {})
            at.setdefault(row["fold"], []).append(float(row[field]))
    return {k: [float(np.mean(v)) for v in found.values()] for k, found in sorted(folds.items())}


def means(rows: list[dict[str, str]], field: str) -> dict[int, tuple[float, float, int]]:
    """Mean and standard error over folds by number of leaves, and how many folds have that size."""
    return {
        leaves: (
            float(np.mean(values)),
            float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0,
            len(values),
        )
        for leaves, values in by_leaves(rows, field).items()
    }


def best_of(rows: list[dict[str, str]], field: str) -> tuple[int, float, float] | None:
    """The number of leaves that scores best, of those that all folds have."""
    found = means(rows, field)
    everywhere = {k: v for k, v in found.items() if v[2] == settings.N_FOLDS and k > 1}
    if not everywhere:
        return None
    leaves = max(everywhere, key=lambda k: everywhere[k][0])
    return leaves, *everywhere[leaves][:2]


def shown(found: tuple[int, float, float] | None, scale: float) -> str:
    if found is None:
        return "-"
    leaves, mean, error = found
    digits = 1 if scale > 1 else 3
    return f"{scale * mean:.{digits}f} +- {scale * error:.{digits}f} ({leaves})"


def summary(table: Table, fields: Mapping[str, float]) -> str:
    """By data set, depth and program: each score at the number of leaves where it is best."""
    lines = [
        (*key, *(shown(best_of(rows, field), scale) for field, scale in fields.items()))
        for key, rows in groups_of(table, ("dataset", "max_depth", "program")).items()
    ]
    header = ("data set", "depth", "program", *fields)
    note = "Mean +- standard error over folds, in brackets the number of leaves where it is best."
    return "\n".join([printed(header, lines), note, CLOSED_SOURCE])


def filled(doc: str | None, argv: list[str] | None) -> Tables:
    """Both tables, after a run unless only what they say is asked for."""
    arguments = parsed(
        parser_of(doc, has_limit=True, has_depths=True), FILE, QUALITY_FILE, argv=argv
    )
    tables = Tables.of(arguments.out)
    if not arguments.summary:
        grid = settings.GENERALIZATION_QUICK if arguments.quick else settings.GENERALIZATION
        run(tables, arguments.data, asked(grid, arguments))
    return tables


def main(argv: list[str] | None = None) -> None:
    table = filled(__doc__, argv).generalization
    print(summary(table, {"train_ibs_ratio": 100.0, "test_ibs_ratio": 100.0}))


if __name__ == "__main__":
    main()
