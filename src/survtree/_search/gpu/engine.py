"""A search on a GPU in place of one in the core: which problems can go there, and its result."""

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any

import numpy as np

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
from survtree._search.problem import Problem, SearchSettings

FIRST_ON_CPU_S = 0.1  # what a core solves within this need not go to a GPU
_WORTH_ON_GPU_S = 600.0  # estimated; a core that prunes may be faster beyond it
_SHOWN_FROM_S = 0.5  # estimated: then smaller depths go first, for those who may stop it


@cache
def cuda_device() -> CudaDevice:
    """The GPU, once there is need of one."""
    return CudaDevice()


def why_not(problem: Problem, settings: SearchSettings) -> str | None:
    """What keeps this problem from a GPU, if anything, and what to do about it."""
    if problem.max_depth is None or problem.max_depth > MOST_DEPTH:
        return f"max_depth must be a number up to {MOST_DEPTH}, not {problem.max_depth}"
    if problem.max_leaves is not None:
        return "a limit on leaves (max_leaves) is only searched on the CPU"
    if settings.guessed_losses is not None:
        return "a reference model is only used on the CPU"
    if settings.wants_proof:
        return "a proof is only written on the CPU"
    if settings.node_limit is not None:
        return "a limit on subsets (node_limit) is only kept on the CPU"
    return None


def device_rows(problem: Problem, search: Any) -> DeviceRows:
    """The rows of a native search. Raises DeviceError if a GPU cannot hold them."""
    arrays = search.device_arrays()
    n_rows, n_questions = len(arrays["copies"]), len(arrays["questions"])
    if arrays["n_facts"] == 0:
        raise DeviceError(f"the loss {problem.loss_kind!r} has no code for a GPU; {INSTEAD}")
    if n_questions > 2**16 - 1 or len(arrays.get("codes", [0])) == 0 < n_questions:
        raise DeviceError(
            f"{n_questions:,} questions are too many for a search on a GPU; {INSTEAD}"
        )
    if "codes" in arrays:
        codes = arrays["codes"].reshape(n_rows, -1)
        padded = np.pad(codes, ((0, 0), (0, codes.shape[1] % 2)))
        answers, first_cut = np.ascontiguousarray(padded).view(np.uint32), arrays["first_cut"]
    else:
        answers, first_cut = arrays["answers"].reshape(n_rows, -1), np.empty(0, np.uint32)
    return DeviceRows(
        loss=problem.loss_kind,
        answers=answers,
        first_cut=first_cut,
        n_questions=n_questions,
        facts=arrays["facts"].reshape(n_rows, -1),
        common=arrays["common"],
        copies=arrays["copies"],
        events=arrays["events"],
        is_weighted=arrays["is_weighted"],
    )


class GpuSearch:
    """The search for one problem on a device; ``search`` is the native one it stands for."""

    def __init__(
        self, problem: Problem, search: Any, device: Device, on_turn: Callable[[], None]
    ) -> None:
        self._search = search
        self._device = device
        self._rows = device_rows(problem, search)
        self._questions = search.device_arrays()["questions"]
        self._rules = Rules(
            problem.regularization, problem.min_samples_leaf, problem.min_events_leaf
        )
        self._lattice = Lattice(device, self._rules, on_turn)
        assert problem.max_depth is not None
        depth = min(problem.max_depth, useful_depth(self._rows, self._rules))
        self._depth = min(depth, self._rows.n_questions)
        self.depth_done, self._found = 0, Splits(0.0, np.empty(0))

    @property
    def lane_rows(self) -> int:
        """Pairs of row and split that were looked at, at most."""
        return int(self._lattice.lane_rows)

    def estimated_s(self) -> float:
        """Infinite where tables would not fit."""
        rows = self._rows
        if self._depth > 1 and table_bytes(rows.n_questions, self._depth) > self._device.free_bytes:
            return inf
        return work(len(rows.answers), rows.n_questions, self._depth) / LANE_ROWS_A_SECOND

    def run(self) -> Tree:
        """The best tree. Where that takes long, depth after depth."""
        is_long = self.estimated_s() > _SHOWN_FROM_S
        for depth in range(1 if is_long else self._depth, self._depth + 1):
            if depth > 0:
                self._found = self._lattice.splits(self._rows, depth)
            self.depth_done = depth
        return self.tree()

    def tree(self) -> Tree:
        """The best tree of the depth that is done."""
        tolerance = self._search.device_arrays()["tolerance"]
        reader = TreeReader(self._lattice, self._search, self._rules, tolerance)
        return reader.tree(self._rows, self.depth_done, self._found, self._questions)


