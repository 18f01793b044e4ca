"""Held-out scores of the structures of many trees, by the same folds.

The splits of a tree are kept; the curves of its leaves are estimated on the training rows of a fold
and scored on its held-out rows. The splits have seen all rows, so the scores are too good. They
compare trees of one set, whose splits have all seen the same.
"""

from collections.abc import Callable, Sequence

import numpy as np

from survtree._data.table import Bools, Floats, Places
from survtree._model.cross_validation import Fold
from survtree._model.near_curves import Path, RowsOfPaths, SharedCurves
from survtree._model.prepare import Prepared
from survtree._scoring.curves import Curves
from survtree._scoring.losses import RowLosses
from survtree._scoring.tail import one_curve_losses

MOST_CELLS = 2**21  # (leaf, time) at once
Leaf = tuple[Path, float]  # path and shrinkage
Trees = Sequence[tuple[Sequence[Path], float]]


def held_out_ratios(prepared: Prepared, trees: Trees, folds: Sequence[Fold]) -> Floats:
    """The IBS ratio of each tree on the held-out rows of each fold: trees x folds."""
    return np.array([_ratios(prepared, trees, fold) for fold in folds]).T


def _ratios(prepared: Prepared, trees: Trees, fold: Fold) -> Floats:
    train, test = (prepared.exact.take(places) for places in fold)
    scored, trained = test.until(prepared.horizon), train.until(prepared.horizon)
    of_train = RowsOfPaths(len(train), _answers(prepared, fold.train))
    of_test = RowsOfPaths(len(test), _answers(prepared, fold.test))
    leaves = list(dict.fromkeys((path, shrinkage) for paths, shrinkage in trees for path in paths))
    curves = SharedCurves(train, of_train, train.event_times)
    losses = _losses(curves, of_test, leaves, train.event_times, RowLosses(scored, trained))
    base = float(one_curve_losses(scored, trained).sum())
    lost = np.array([sum(losses[path, s] for path in paths) for paths, s in trees])
    if base == 0:
        return np.where(lost == 0, 0.0, -np.inf)
    return np.asarray(1.0 - lost / base)


def _answers(prepared: Prepared, places: Places) -> Callable[[int], Bools]:
    return lambda question: prepared.problem.rows_of_yes(question)[places]


def _losses(
    curves: SharedCurves, rows: RowsOfPaths, leaves: list[Leaf], times: Floats, score: RowLosses
) -> dict[Leaf, float]:
    """What the held-out rows of each leaf lose, some leaves at a time."""
    found: dict[Leaf, float] = {}
    size = max(1, MOST_CELLS // len(times))
    for first in range(0, len(leaves), size):
        some = leaves[first : first + size]
        survival = np.concatenate([curves.predicted(path, [s]) for path, s in some])
        places = [rows.of(path) for path, _ in some]
        leaf_of_row = np.repeat(np.arange(len(some)), [len(each) for each in places])
        lost = score.of(np.concatenate(places), Curves(times[np.newaxis], survival), leaf_of_row)
        sums = np.bincount(leaf_of_row, lost, len(some))
        found |= dict(zip(some, sums.tolist(), strict=True))
    return found
