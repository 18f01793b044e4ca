"""Trees that part the rows nearly alike, by the adjusted Rand index of their leaves."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from survtree._data.table import Floats, Places
from survtree._model.near_curves import Path, RowsOfPaths

Ints = NDArray[np.intp]


def grouped(
    trees: Sequence[Sequence[Path]], rows: RowsOfPaths, agreement: float
) -> tuple[Ints, Floats]:
    """The representative of each tree, by its place, and their adjusted Rand index.

    The best tree represents all that agree with it so far; the best of the others represents all of
    these that agree with it; and so on. So a representative is the best tree of its group.
    """
    partitions = _Partitions(trees, rows)
    representative = np.full(len(trees), -1, dtype=np.intp)
    agrees = np.zeros(len(trees))
    for place in range(len(trees)):
        if representative[place] < 0:
            index = partitions.agreement_with(place)
            index[place] = 1.0
            # Equal partitions have an index of 1 up to rounding.
            is_near = (representative < 0) & (index >= agreement - 1e-12)
            representative[is_near], agrees[is_near] = place, index[is_near]
    return representative, agrees


class _Partitions:
    """The leaves of all trees, each once, and which tree has which."""

    def __init__(self, trees: Sequence[Sequence[Path]], rows: RowsOfPaths) -> None:
        # The order of the splits on a path does not matter.
        leaves = {frozenset(path): path for paths in trees for path in paths}
        number = {key: k for k, key in enumerate(leaves)}
        places = [[number[frozenset(path)] for path in paths] for paths in trees]
        self._of_tree = places
        self._rows = [rows.of(path) for path in leaves.values()]
        self._n_rows = len(rows.of(()))
        self._has = _flags(places, len(leaves))
        self._is_in = _flags(self._rows, self._n_rows)
        sizes = np.array([len(each) for each in self._rows], dtype=float)
        self._pairs_of_tree: Floats = self._has @ _pairs(sizes)

    def agreement_with(self, place: int) -> Floats:
        """The adjusted Rand index of every tree with one of them."""
        leaf_of_row = np.zeros((self._n_rows, len(self._of_tree[place])))
        for k, leaf in enumerate(self._of_tree[place]):
            leaf_of_row[self._rows[leaf], k] = 1.0
        shared = _pairs(self._is_in @ leaf_of_row).sum(axis=1)
        both: Floats = self._has @ shared
        own, n_pairs = self._pairs_of_tree, _pairs(np.array(float(self._n_rows)))
        expected = own * own[place] / max(float(n_pairs), 1.0)
        most = (own + own[place]) / 2
        # Where both are one leaf, or both have a leaf for each row, they are the same.
        is_trivial = most == expected
        return np.where(
            is_trivial, 1.0, (both - expected) / np.where(is_trivial, 1.0, most - expected)
        )


def _flags(places: Sequence[Sequence[int] | Places], n_columns: int) -> csr_array:
    """A matrix with 1 at these places of each row."""
    ends = np.cumsum([0, *map(len, places)])
    columns = np.concatenate([np.asarray(each, dtype=np.intp) for each in places])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(places), n_columns))


def _pairs(n: Floats) -> Floats:
    return np.asarray(n * (n - 1) / 2)
