from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Progress = dict[str, Any]  # the fields of a Snapshot, by name

class ContractError(RuntimeError): ...

class Search:
    def __init__(
        self,
        features: NDArray[np.uint8],
        loss: str,
        time: NDArray[np.float64],
        event: NDArray[np.uint8],
        weight: NDArray[np.float64],
        targets: NDArray[np.float64],
        column_rank: NDArray[np.uint32],
        guessed_loss: NDArray[np.float64],
        options: dict[str, Any],
    ) -> None: ...
    def start_from(
        self,
        column: NDArray[np.int32],
        no: NDArray[np.int32],
        yes: NDArray[np.int32],
        lower_bound: float,
        found_by: str,
    ) -> None: ...
    @property
    def cache_bytes(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    def run(
        self, limits: dict[str, Any], on_turn: Callable[[], None] | None = None
    ) -> dict[str, Any]: ...
    def optimal_trees(self, limit: int) -> list[dict[str, Any]]: ...
    @property
    def questions(self) -> list[int]: ...
    def proof(self, limit: int, on_turn: Callable[[], None] | None = None) -> dict[str, Any]: ...
    def list_new_entries(self, costly_from: int) -> None: ...
    def take_entries(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
    def all_entries(self) -> NDArray[np.uint8]: ...
    def add_entries(self, entries: NDArray[np.uint8]) -> None: ...
    def standing(self) -> dict[str, Any]: ...
    def counts_so_far(self) -> dict[str, int]: ...
    def raise_lower_bound_to(self, bound: float) -> None: ...
    def signature(self) -> str: ...
    def open_questions(
        self, path: NDArray[np.int32], depth: int, budget: float
    ) -> dict[str, Any]: ...
    def try_below(
        self,
        path: NDArray[np.int32],
        questions: NDArray[np.int64],
        deferred: NDArray[np.int64],
        depth: int,
        budget: float,
        limits: dict[str, Any],
        on_turn: Callable[[], None] | None = None,
    ) -> dict[str, Any]: ...
    def device_arrays(self) -> dict[str, Any]: ...
    def first_question(self, questions: list[int]) -> int: ...
    def accept(
        self,
        column: NDArray[np.int32],
        no: NDArray[np.int32],
        yes: NDArray[np.int32],
        found_by: str,
        limits: dict[str, Any],
    ) -> dict[str, Any]: ...
    def interrupt(self) -> None: ...
    def take_progress(self) -> list[Progress]: ...
    def snapshot(self) -> Progress: ...

class CutSearch:
    def __init__(
        self,
        codes: NDArray[np.uint32],
        loss: str,
        time: NDArray[np.float64],
        event: NDArray[np.uint8],
        weight: NDArray[np.float64],
        targets: NDArray[np.float64],
        question_column: NDArray[np.uint32],
        question_cut: NDArray[np.uint32],
        question_rank: NDArray[np.uint32],
        options: dict[str, Any],
    ) -> None: ...
    def start_from(
        self,
        column: NDArray[np.int32],
        no: NDArray[np.int32],
        yes: NDArray[np.int32],
        lower_bound: float,
        found_by: str,
    ) -> None: ...
    @property
    def cache_bytes(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    def run(
        self, limits: dict[str, Any], on_turn: Callable[[], None] | None = None
    ) -> dict[str, Any]: ...
    def optimal_trees(self, limit: int) -> list[dict[str, Any]]: ...
    def list_new_entries(self, costly_from: int) -> None: ...
    def take_entries(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
    def all_entries(self) -> NDArray[np.uint8]: ...
    def add_entries(self, entries: NDArray[np.uint8]) -> None: ...
    def standing(self) -> dict[str, Any]: ...
    def counts_so_far(self) -> dict[str, int]: ...
    def raise_lower_bound_to(self, bound: float) -> None: ...
    def signature(self) -> str: ...
    def open_questions(
        self, path: NDArray[np.int32], depth: int, budget: float
    ) -> dict[str, Any]: ...
    def try_below(
        self,
        path: NDArray[np.int32],
        questions: NDArray[np.int64],
        deferred: NDArray[np.int64],
        depth: int,
        budget: float,
        limits: dict[str, Any],
        on_turn: Callable[[], None] | None = None,
    ) -> dict[str, Any]: ...
    def device_arrays(self) -> dict[str, Any]: ...
    def first_question(self, questions: list[int]) -> int: ...
    def accept(
        self,
        column: NDArray[np.int32],
        no: NDArray[np.int32],
        yes: NDArray[np.int32],
        found_by: str,
        limits: dict[str, Any],
    ) -> dict[str, Any]: ...
    def interrupt(self) -> None: ...
    def take_progress(self) -> list[Progress]: ...
    def snapshot(self) -> Progress: ...

class Frontier:
    def __init__(
        self,
        features: NDArray[np.uint8],
        loss: str,
        time: NDArray[np.float64],
        event: NDArray[np.uint8],
        weight: NDArray[np.float64],
        targets: NDArray[np.float64],
        column_rank: NDArray[np.uint32],
        options: dict[str, Any],
    ) -> None: ...
    @property
    def cache_bytes(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    def run(
        self, limits: dict[str, Any], on_turn: Callable[[], None] | None = None
    ) -> dict[str, Any]: ...
    def interrupt(self) -> None: ...
    def take_progress(self) -> list[Progress]: ...
    def snapshot(self) -> Progress: ...

class NearTrees:
    def __init__(self, search: Search | CutSearch, query: dict[str, Any]) -> None: ...
    @property
    def cache_bytes(self) -> int: ...
    @property
    def n_trees(self) -> int: ...
    def find(
        self,
        optimum: float,
        slack: float,
        n: int,
        limits: dict[str, Any],
        on_turn: Callable[[], None] | None = None,
    ) -> dict[str, Any]: ...
    def find_best(
        self, lowest: float, limits: dict[str, Any], on_turn: Callable[[], None] | None = None
    ) -> dict[str, Any]: ...
    def objectives(self, n: int) -> NDArray[np.float64]: ...
    def trees(self, first: int, end: int) -> dict[str, Any]: ...

def rescore(
    features: NDArray[np.uint8],
    loss: str,
    time: NDArray[np.float64],
    event: NDArray[np.uint8],
    weight: NDArray[np.float64],
    targets: NDArray[np.float64],
    column: NDArray[np.int32],
    no: NDArray[np.int32],
    yes: NDArray[np.int32],
) -> dict[str, Any]: ...
def rescore_codes(
    codes: NDArray[np.uint32],
    question_column: NDArray[np.uint32],
    question_cut: NDArray[np.uint32],
    loss: str,
    time: NDArray[np.float64],
    event: NDArray[np.uint8],
    weight: NDArray[np.float64],
    targets: NDArray[np.float64],
    column: NDArray[np.int32],
    no: NDArray[np.int32],
    yes: NDArray[np.int32],
) -> dict[str, Any]: ...
def subset_facts(
    features: NDArray[np.uint8],
    loss: str,
    time: NDArray[np.float64],
    event: NDArray[np.uint8],
    weight: NDArray[np.float64],
    targets: NDArray[np.float64],
    column_rank: NDArray[np.uint32],
    kernel: str = "",
    layout: str = "",
) -> dict[str, Any]: ...
def kernels() -> list[str]: ...
