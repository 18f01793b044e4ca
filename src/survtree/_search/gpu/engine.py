"""A search on a GPU in place of one in the core: which problems can go there, and its result."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base import DeviceError
from survtree._base.tree import Tree
from survtree._search.gpu.device import INSTEAD, CudaDevice, Device
from survtree._search.gpu.lattice import (
    LANE_ROWS_A_SECOND,
    MOST_DEPTH,
    DeviceRows,
    Lattice,
    Rules,
    Splits,
    table_bytes,
    work,
)
from survtree._search.gpu.reading import TreeReader, useful_depth
from survtree._search.gpu.source import LOSSES
from survtree._search.problem import Problem, SearchSettings

_SHOWN_FROM_S = 0.5  # estimated: then smaller depths go first, for those who may stop it


@cache
def cuda_device() -> CudaDevice:
    """The GPU, once there is need of one."""
    return CudaDevice()


def why_not(problem: Problem, settings: SearchSettings) -> str | None:
    """What keeps this problem from a GPU, if anything."""
    if problem.max_depth is None or problem.max_depth > MOST_DEPTH:
        return f"max_depth must be a number up to {MOST_DEPTH} there, not {problem.max_depth}"
    if problem.loss_kind not in LOSSES:
        return f"the loss {problem.loss_kind!r} has no kernel there"
    only_on_cpu = {
        "a reference model": settings.guessed_losses is not None,
        "a full certificate": settings.wants_proof,
        "a node_limit": settings.node_limit is not None,
    }
    found = [name for name, is_asked in only_on_cpu.items() if is_asked]
    return f"{found[0]} works on the CPU only" if found else None


def device_rows(problem: Problem, arrays: dict[str, Any]) -> DeviceRows:
    """The rows of a native search. Raises DeviceError if a GPU cannot hold them."""
    n_rows, questions = len(arrays["copies"]), arrays["questions"]
    if len(questions) > 2**16 - 1 or len(arrays.get("codes", [0])) == 0 < len(questions):
        raise DeviceError(
            f"{len(questions):,} questions are too many for a search on a GPU. Choose fewer "
            f"thresholds, {INSTEAD}"
        )
    if "codes" in arrays:
        codes = arrays["codes"].reshape(n_rows, -1)
        padded = np.pad(codes, ((0, 0), (0, codes.shape[1] % 2)))
        answers, first_cut = np.ascontiguousarray(padded).view(np.uint32), arrays["first_cut"]
    else:
        answers, first_cut = arrays["answers"].reshape(n_rows, -1), np.empty(0, np.uint32)
    penalties = problem.split_penalties
    return DeviceRows(
        loss=problem.loss_kind,
        answers=answers,
        first_cut=first_cut,
        n_questions=len(questions),
        facts=arrays["facts"].reshape(n_rows, -1),
        common=arrays["common"],
        copies=arrays["copies"],
        events=arrays["events"],
        is_weighted=arrays["is_weighted"],
        split_penalties=penalties[questions] if len(penalties) > 0 else penalties,
    )


class GpuSearch:
    """The search for one problem on a device; ``search`` is the native one it stands for."""

    def __init__(
        self, problem: Problem, search: Any, device: Device, on_turn: Callable[[], None]
    ) -> None:
        arrays = search.device_arrays()
        self._search, self._device = search, device
        self.rows = device_rows(problem, arrays)
        self._questions, self.tolerance = arrays["questions"], arrays["tolerance"]
        first = problem.may_be_first
        self._rules = Rules(
            penalty=problem.regularization,
            min_rows=problem.min_samples_leaf,
            min_events=problem.min_events_leaf,
            may_be_first=first[self._questions] if len(first) > 0 else first,
        )
        self._lattice = Lattice(device, self._rules, on_turn)
        assert problem.max_depth is not None
        depth = min(problem.max_depth, useful_depth(self.rows, self._rules))
        self._depth = min(depth, self.rows.n_questions)
        self._done, self._found = 0, Splits(0.0, np.empty(0))

    @property
    def lane_rows(self) -> int:
        """Pairs of row and split that were looked at, at most."""
        return int(self._lattice.lane_rows)

    def estimated_s(self) -> float:
        """Infinite where tables would not fit."""
        rows = self.rows
        if not self._device.has_room(table_bytes(rows.n_questions, self._depth)):
            return inf
        # A teacher's numbers are added up in portions, each of which takes like a Brier score.
        times = rows.facts.shape[1] / 12 if rows.loss == "teacher" else 1.0
        return times * work(len(rows.answers), rows.n_questions, self._depth) / LANE_ROWS_A_SECOND

    def run(self) -> Tree:
        """The best tree. Where that takes long, depth after depth."""
        is_long = self.estimated_s() > _SHOWN_FROM_S
        for depth in range(1 if is_long else self._depth, self._depth + 1):
            if depth > 0:
                self._found = self._lattice.splits(self.rows, depth)
            self._done = depth
        return self._tree(self._lattice)

    def tree_at(self, penalty: float, depth: int | None = None) -> Tree:
        """The best tree for another penalty, perhaps of another depth."""
        self._rules = replace(self._rules, penalty=penalty)
        self._lattice.use(self._rules)
        self._done = self._depth if depth is None else min(depth, self._depth)
        if self._done > 0:
            self._found = self._lattice.splits(self.rows, self._done)
        return self._tree(self._lattice)

    def sides(self, rows: DeviceRows, depth: int) -> NDArray[np.float64]:
        """Of some rows: the optima of both sides of each question, question after question."""
        return self._lattice.sides(rows, depth)

    def best_so_far(self) -> Tree:
        """The best tree of the depth that is done; nobody can stop this."""
        return self._tree(Lattice(self._device, self._rules, lambda: None))

    def _tree(self, lattice: Lattice) -> Tree:
        reader = TreeReader(lattice, self._search, self._rules, self.tolerance)
        return reader.tree(self.rows, self._done, self._found, self._questions)
