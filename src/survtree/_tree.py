"""Splits and leaves as arrays. Never knows the training data, times or losses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NO_CHILD = -1


@dataclass(frozen=True)
class Tree:
    """Nodes in preorder; node 0 is the root. ``question`` is -1 at leaves."""

    question: NDArray[np.int32]
    no: NDArray[np.int32]
    yes: NDArray[np.int32]

    @property
    def n_nodes(self) -> int:
        """Splits and leaves together."""
        return len(self.question)

    @property
    def leaves(self) -> NDArray[np.intp]:
        """Node numbers of the leaves, in preorder."""
        return np.flatnonzero(self.question < 0)

    def depths(self) -> NDArray[np.int32]:
        """Questions asked on the way to each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int32)
        for node in range(self.n_nodes):  # parents come before children
            if self.question[node] >= 0:
                depth[[self.no[node], self.yes[node]]] = depth[node] + 1
        return depth

    def apply(self, features: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The leaf (as node number) that each row of answers ends in."""
        at = np.zeros(len(features), dtype=np.intp)
        for node in range(self.n_nodes):
            if self.question[node] >= 0:
                here = np.flatnonzero(at == node)
                answers = features[here, self.question[node]]
                at[here] = np.where(answers, self.yes[node], self.no[node])
        return at

    def ancestors(self) -> NDArray[np.bool_]:
        """Matrix (node, node): is column on the way from the root to row, ends included?"""
        above = np.eye(self.n_nodes, dtype=bool)
        for node in range(self.n_nodes):
            for child in (self.no[node], self.yes[node]):
                if child != NO_CHILD:
                    above[child] |= above[node]
        return above
