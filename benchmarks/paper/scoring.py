"""Our scores of anybody's leaves, so that trees are compared and not conventions.

A tree is reduced to the leaf of each row. Its curves are the Kaplan-Meier curves of the training
rows of each leaf, its training loss is that of our oracle, and rows that it did not see are scored
by survtree.metrics with the censoring curve of the training rows.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from survtree._base import BeyondTrainingWarning
from survtree._scoring.concordance import cumulative_dynamic_auc, harrell_c, uno_c
from survtree._scoring.losses import LossByDefinition
from survtree._scoring.scores import ibs_ratio

Outcome = tuple[np.ndarray, np.ndarray]  # event flags, times
Curves = tuple[np.ndarray, np.ndarray]  # survival by row and time, times


@dataclass(frozen=True)
class Training:
    """What trees lose on their training rows."""

    oracle: LossByDefinition
    one_leaf_loss: float

    @classmethod
    def of(cls, event: np.ndarray, time: np.ndarray) -> "Training":
        oracle = LossByDefinition(time, event)
        return cls(oracle, oracle.one_leaf_loss())

    def loss(self, leaves: np.ndarray) -> float:
        """Loss of a tree, however its leaves are numbered."""
        return self.oracle.tree_loss(np.unique(leaves, return_inverse=True)[1])

    def ratio(self, leaves: np.ndarray) -> float:
        return self.ratio_of_loss(self.loss(leaves))

    def ratio_of_loss(self, loss: float) -> float:
        return 1 - loss / self.one_leaf_loss

    def curves(self, leaves: np.ndarray, new_leaves: np.ndarray) -> Curves:
        """The curve of each new row: that of the training rows in its leaf."""
        names, place = np.unique(leaves, return_inverse=True)
        survival = np.array([self.oracle.survival(place == k) for k in range(len(names))])
        found = np.searchsorted(names, new_leaves)
        if not np.array_equal(names[np.minimum(found, len(names) - 1)], new_leaves):
            raise ValueError("a row ends in a leaf that no training row is in")
        return survival[found], self.oracle.times


def smallest(leaves: np.ndarray) -> int:
    """Rows in the smallest leaf."""
    return int(np.unique(leaves, return_counts=True)[1].min())


def held_out(new: Outcome, curves: Curves, train: Outcome) -> dict[str, Any]:
    """All scores of rows that the model did not see."""
    with warnings.catch_warnings():
        # Some test rows end later than all training rows; G keeps its last value there.
        warnings.simplefilter("ignore", BeyondTrainingWarning)
        return {
            "test_ibs_ratio": ibs_ratio(new, curves, train=train),
            "harrell_c": harrell_c(new, curves),
            "uno_c": uno_c(new, curves, train=train),
            "mean_auc": cumulative_dynamic_auc(new, curves, train=train).mean,
        }
