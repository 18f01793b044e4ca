"""Held-out C index of trees by the likelihood, beside SurTree, greedy trees and the Brier score.

    python -m benchmarks.likelihood_new_rows --data FOLDER [--names ...] [--depth 3]

Five folds (those of benchmarks.paper.generalization), at least 7 rows per leaf, no penalty; each
program gives its best tree of every number of leaves up to 2^depth. A tree is scored by the
Kaplan-Meier curves of the training rows in its leaves: Harrell's C, Uno's C and the IBS ratio of
the held-out rows. `ours` minimises the integrated Brier score, `ours_likelihood` the likelihood, as
SurTree (streed) does; scikit-survival's trees (sksurv) are greedy, by log-rank tests. What is
already in the output file is not run again.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from benchmarks import data
from benchmarks.paper import settings
from benchmarks.paper.generalization import folds_of, means, row_of
from benchmarks.paper.growers import Grower, InPython, Ours, Part, parted
from benchmarks.paper.scoring import Training
from benchmarks.programs import started
from benchmarks.tables import Table, machine, parsed, parser_of

NAMES = ("employee", "credit", "servo")
KEYS = ("dataset", "fold", "max_depth", "program")
SCORES = ("harrell_c", "uno_c", "test_ibs_ratio")
FIELDS = (*KEYS, "setting", "status", "n_leaves", *SCORES)
GRID = replace(settings.GENERALIZATION, most_leaves=8)


@contextmanager
def all_growers() -> Iterator[list[Grower]]:
    """Both of ours and two others, ready to grow."""
    with started("streed", "sksurv") as programs:
        yield [Ours(), Ours("likelihood"), *map(InPython, programs.values())]


def run_fold(
    table: Table, growers: Sequence[Grower], part: Part, at: tuple[str, int], depth: int
) -> None:
    """Every program that is not in the table yet."""
    training = Training.of(part.train.event, part.train.time)
    for grower in growers:
        key = (*at, depth, grower.name)
        if table.has(*key):
            continue
        named = dict(zip(KEYS, key, strict=True))
        rows = [row_of(tree, part, training) for tree in grower.grow(part, depth, GRID)]
        table.add_all([{**named, **row, **machine(grower)} for row in rows])


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    """By data set and program: mean scores over folds, of the largest trees that all folds have."""
    lines = []
    for dataset, depth, program in dict.fromkeys(
        (row["dataset"], row["max_depth"], row["program"]) for row in rows
    ):
        of_program = [
            dict(row)
            for row in rows
            if (row["dataset"], row["max_depth"], row["program"]) == (dataset, depth, program)
        ]
        found = {score: means(of_program, score) for score in SCORES}
        sizes = [k for k, v in found["harrell_c"].items() if v[2] == settings.N_FOLDS]
        if not sizes:
            continue
        parts = [
            f"{score} {found[score][max(sizes)][0]:.3f} (s.e. {found[score][max(sizes)][1]:.3f})"
            for score in SCORES
        ]
        where = f"{dataset}, depth {depth}, {program}, {max(sizes)} leaves"
        lines.append(f"{where}: {', '.join(parts)}")
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__, "likelihood_new_rows.csv")
    parser.add_argument("--names", nargs="+", default=NAMES, choices=data.NAMES)
    parser.add_argument("--depth", type=int, default=3)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    if not arguments.summary:
        with all_growers() as growers:
            for name in arguments.names:
                case = data.read(arguments.data, name)
                for fold, places in enumerate(folds_of(len(case.time))):
                    with parted(case, *places) as part:
                        run_fold(table, growers, part, (name, fold), arguments.depth)
    print(summary(table.rows))


if __name__ == "__main__":
    main()
