"""Optima of both sides of all splits of a subset, for the search for all good trees."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from survtree._search.gpu.engine import GpuSearch
from survtree._search.gpu.lattice import Stopped, work

# Pairs of row and split that a core may have to look at: below, it is as fast by itself.
WORTH_WORK = 30_000_000
_NOBODY_KNOWS = np.empty(0)


class Optima:
    """Asked by the core, subset after subset."""

    def __init__(self, gpu: GpuSearch) -> None:
        self._gpu = gpu
        self._known: dict[tuple[tuple[tuple[int, bool], ...], int], NDArray[np.float64]] = {}
        self.is_interrupted = False

    @property
    def lane_rows(self) -> int:
        """Pairs of row and split that were looked at, at most."""
        return self._gpu.lane_rows

    def __call__(self, path: Sequence[tuple[int, bool]], depth: int) -> NDArray[np.float64]:
        """Two numbers a question, no and yes; none if the core should do it by itself."""
        name = (tuple(path), depth)
        if name not in self._known:
            self._known[name] = self._found(path, depth)
        return self._known[name]

    def _found(self, path: Sequence[tuple[int, bool]], depth: int) -> NDArray[np.float64]:
        rows = self._gpu.rows
        for question, says_yes in path:
            answers = rows.says_yes(question)
            rows = rows.take(answers if says_yes else ~answers)
        if self.is_interrupted or work(len(rows.answers), rows.n_questions, depth) < WORTH_WORK:
            return _NOBODY_KNOWS
        try:
            return self._gpu.sides(rows, depth)
        except Stopped:
            return _NOBODY_KNOWS
        except KeyboardInterrupt:  # the core is told at its next turn
            self.is_interrupted = True
            return _NOBODY_KNOWS
