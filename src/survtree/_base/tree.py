"""A tree: splits and leaves as arrays, without training data, times or losses."""

from collections.abc import Callable, Iterator
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

    @classmethod
    def of_split(cls, question: int, no: "Tree", yes: "Tree") -> "Tree":
        """A tree that begins with a question, with these two below it."""

        def joined(first: int, parts: tuple[NDArray[np.int32], NDArray[np.int32]]) -> list[int]:
            """A child of the root, then those of both parts, whose nodes have moved."""
            moved = [
                np.where(part < 0, NO_CHILD, part + start)
                for part, start in zip(parts, (1, 1 + no.n_nodes), strict=True)
            ]
            return [first, *moved[0].tolist(), *moved[1].tolist()]

        asked = [question, *no.question.tolist(), *yes.question.tolist()]
        lists = asked, joined(1, (no.no, yes.no)), joined(1 + no.n_nodes, (no.yes, yes.yes))
        return cls(*(np.array(each, dtype=np.int32) for each in lists))

    def below(self, node: int) -> "Tree":
        """The part of the tree that begins at a node."""
        end = node + 1
        depth = self.depths()
        while end < self.n_nodes and depth[end] > depth[node]:
            end += 1
        here = slice(node, end)
        children = (np.where(side[here] < 0, NO_CHILD, side[here] - node) for side in self._sides)
        return Tree(self.question[here], *(side.astype(np.int32) for side in children))

    def is_same(self, other: "Tree") -> bool:
        """Whether both have the same questions at the same places."""
        # Nodes are in preorder, so the questions are all there is.
        return np.array_equal(self.question, other.question)

    @property
    def _sides(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return self.no, self.yes

    @property
    def n_nodes(self) -> int:
        """Splits and leaves together."""
        return len(self.question)

    @property
    def leaves(self) -> NDArray[np.intp]:
        """Node numbers of the leaves, in preorder."""
        return np.flatnonzero(self.question < 0)

    def as_read(self) -> list[int]:
        """Nodes as a reader meets them: a split, then its yes, then its no."""
        read, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            read.append(node)
            if self.question[node] >= 0:
                waiting += [int(self.no[node]), int(self.yes[node])]
        return read

    def depths(self) -> NDArray[np.int32]:
        """Number of splits above each node."""
        depth = [0] * self.n_nodes
        for node, question, no, yes in self._nodes():  # parents come before children
            if question >= 0:
                depth[no] = depth[yes] = depth[node] + 1
        return np.array(depth, dtype=np.int32)

    def _nodes(self) -> Iterator[tuple[int, int, int, int]]:
        """Number, question and children of each node, as plain integers."""
        arrays = self.question.tolist(), self.no.tolist(), self.yes.tolist()
        return zip(range(self.n_nodes), *arrays, strict=True)

    def leaf_numbers(self) -> NDArray[np.intp]:
        """Place of each node among the leaves; without a meaning at splits."""
        return (self.question < 0).cumsum() - 1

    def apply(self, n_rows: int, answer: Callable[[int], NDArray[np.bool_]]) -> NDArray[np.intp]:
        """The leaf (as node number) of each row; ``answer`` gives the rows that answer yes."""
        # Small integers and masks: a pass over them is cheaper than one look-up per row.
        at = np.zeros(n_rows, dtype=np.min_scalar_type(self.n_nodes))
        for node, question, no, yes in self._nodes():
            if question >= 0:
                is_here = at == node
                np.putmask(at, is_here, no)
                np.putmask(at, is_here & answer(question), yes)
        return at.astype(np.intp)

    def ancestors(self) -> NDArray[np.bool_]:
        """Matrix (node, node): is the column's node on the path to the row's, ends included?"""
        above = np.eye(self.n_nodes, dtype=bool)
        for node in range(self.n_nodes):
            for child in (self.no[node], self.yes[node]):
                if child != NO_CHILD:
                    above[child] |= above[node]
        return above
