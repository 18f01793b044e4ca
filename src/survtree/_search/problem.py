"""Everything the answer depends on, frozen, and its fingerprint. Never knows how it is solved."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._questions.questions import Questions


@dataclass(frozen=True)
class Problem:
    """A table of yes/no answers, its outcome, and what the user calls a good tree."""

    answers: NDArray[np.uint8] = field(repr=False)  # rows x questions, 0 or 1, row-major
    events: EventTable = field(repr=False)
    questions: Questions = field(repr=False)
    regularization: float
    max_depth: int | None
    min_samples_leaf: int
    max_leaves: int | None = None

    def leaf_of_row(self, tree: Tree) -> NDArray[np.intp]:
        """The leaf of each row, counted from 0 in the order of the tree's leaves."""
        nodes = tree.apply(len(self.answers), lambda j: self.answers[:, j] != 0)
        return tree.leaf_numbers()[nodes]

    def is_same(self, other: "Problem") -> bool:
        """Whether both have the same answer, described in the same words."""
        mine, theirs = (
            (p.regularization, p.max_depth, p.min_samples_leaf, p.max_leaves, p.questions.texts)
            for p in (self, other)
        )
        pairs = [(self.answers, other.answers)] + [
            (getattr(self.events, name), getattr(other.events, name))
            for name in ("time", "event", "weight")
        ]
        return mine == theirs and all(np.array_equal(a, b) for a, b in pairs)

    def fingerprint(self) -> str:
        """SHA-256 of questions, answers, times, events and weights, in the order of the rows."""
        events, names = self.events, self.questions.fingerprint_names
        is_weighted = bool((events.weight != 1.0).any())
        # Lengths first, so that no two problems are written alike.
        raw = [name.encode("utf-8", "surrogatepass") for name in names]
        sizes = [self.answers.shape, is_weighted, *map(len, raw)]
        digest = hashlib.sha256(repr(sizes).encode() + b"".join(raw))
        digest.update(np.packbits(self.answers).data)
        digest.update(np.packbits(events.event).data)
        digest.update(np.ascontiguousarray(events.time, dtype="<f8").data)
        if is_weighted:
            digest.update(np.ascontiguousarray(events.weight, dtype="<f8").data)
        return digest.hexdigest()
