"""All trees on some rows at once: what the best tree costs that begins with each question.

The cells of all sets of ``depth - 1`` questions are split once more, each on every question that
parts its rows; sums of sibling cells are carried up from set to smaller set (kernels/block.h).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import comb, inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base import DeviceError
from survtree._search.gpu.device import INSTEAD, Device, Launch
from survtree._search.gpu.source import (
    ARGUMENTS,
    COMBINE,
    LANES,
    LEAVES,
    MOST_LEVELS,
    OPTIMA,
    THREADS,
    Variant,
    own_bytes,
    scratch_bytes,
)

MOST_DEPTH = MOST_LEVELS + 1
LANE_ROWS_A_SECOND = 3e11  # about, of a large GPU
_LAUNCH_S = 0.1  # of a call of a kernel, about: then others have a turn


@dataclass(frozen=True)
class Rules:
    """Which trees there are, and what a leaf costs."""

    penalty: float
    min_rows: int
    min_events: int
    may_be_first: NDArray[np.bool_]  # by question; empty if any may split all rows


@dataclass(frozen=True)
class DeviceRows:
    """Rows of a problem as the core has collapsed them, with their answers and what a loss sees."""

    loss: str
    answers: NDArray[np.uint32]  # rows x words, a bit a question; or two codes a word
    first_cut: NDArray[np.uint32]  # of each column, and the end; empty if answers are bits
    n_questions: int
    facts: NDArray[np.float64]
    common: NDArray[np.float64]
    copies: NDArray[np.uint32]
    events: NDArray[np.uint32]
    is_weighted: bool
    split_penalties: NDArray[np.float64]  # of each question; empty if there are none

    @property
    def has_codes(self) -> bool:
        """Whether questions are cuts of columns."""
        return len(self.first_cut) > 0

    @property
    def column(self) -> NDArray[np.uint32]:
        """Of each cut."""
        counts = (self.first_cut[1:] - self.first_cut[:-1]).astype(np.intp)
        return np.repeat(np.arange(len(counts), dtype=np.uint32), counts)

    def says_yes(self, question: int) -> NDArray[np.bool_]:
        """The answers of all rows to one question."""
        if not self.has_codes:
            words = self.answers[:, question // 32]
            return np.asarray(words >> np.uint32(question % 32) & 1 != 0)
        column = int(np.searchsorted(self.first_cut, question, side="right")) - 1
        codes = self.answers.view(np.uint16)[:, column]
        return np.asarray(codes <= question - int(self.first_cut[column]))

    @property
    def parts(self) -> NDArray[np.bool_]:
        """Which questions part the rows; of cuts that part them alike, one."""
        out = np.zeros(self.n_questions, bool)
        if not self.has_codes:
            some, every = np.bitwise_or.reduce(self.answers), np.bitwise_and.reduce(self.answers)
            bits = np.unpackbits((some & ~every).view(np.uint8), bitorder="little")
            return bits[: self.n_questions].astype(bool)
        codes = self.answers.view(np.uint16)
        for j, first in enumerate(self.first_cut[:-1].tolist()):
            out[first + np.unique(codes[:, j])[:-1].astype(np.intp)] = True
        return out

    def take(self, rows: NDArray[Any]) -> "DeviceRows":
        """Some of them."""
        names = ("answers", "facts", "copies", "events")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


@dataclass(frozen=True)
class Splits:
    """The cost of a leaf, and of the best tree that begins with each question, on some rows."""

    leaf: float
    values: NDArray[np.float64]

    @property
    def optimum(self) -> float:
        """The least of all."""
        return min(self.leaf, float(self.values.min(initial=inf)))


class Stopped(Exception):  # noqa: N818, since it is no error
    """Somebody wants the search to end."""


class Lattice:
    """Fills tables of optima on a device; ``on_turn`` is called between launches."""

    def __init__(self, device: Device, rules: Rules, on_turn: Callable[[], None]) -> None:
        self._device = device
        self._rules = rules
        self._on_turn = on_turn
        self._kept: _Run | None = None
        self.lane_rows = 0.0  # at most; those that do not part rows are left out

    def use(self, rules: Rules) -> None:
        """From now on."""
        self._rules = rules

    def splits(self, rows: DeviceRows, depth: int) -> Splits:
        """What trees of at most ``depth`` splits cost, by their first question."""
        run = self._run(rows)
        depth = min(depth, rows.n_questions)
        leaf, values = run.one_split()
        self.lane_rows += len(rows.answers) * rows.n_questions
        if depth > 1:
            values = run.pairs(depth)
            self.lane_rows += work(len(rows.answers), rows.n_questions, depth)
        return Splits(leaf, values)

    def sides(self, rows: DeviceRows, depth: int) -> NDArray[np.float64]:
        """The optima of both sides of each question, in trees of at least two splits.

        Of cuts that part the rows alike all but one are infinite.
        """
        depth = min(depth, max(2, rows.n_questions))
        self.lane_rows += work(len(rows.answers), rows.n_questions, depth)
        found = self._run(rows).sides(depth)
        return np.where(rows.parts[:, np.newaxis], found, inf).ravel()

    def _run(self, rows: DeviceRows) -> "_Run":
        """The rows on the device; those that came first, which are all, stay there."""
        if self._kept is not None and self._kept.rows is rows:
            self._kept.use(self._rules)
            return self._kept
        run = _Run(self._device, rows, self._rules, self._on_turn)
        self._kept = self._kept or run
        return run


def work(n_rows: int, n_questions: int, depth: int) -> float:
    """Lane-rows of a lattice, at most."""
    return float(comb(n_questions, max(0, depth - 1))) * n_rows * n_questions


def table_bytes(n_questions: int, depth: int) -> int:
    """Of all tables of a lattice."""
    return sum(8 * comb(n_questions, level) << level for level in range(1, max(2, depth - 1)))


class _Run:
    """One table of rows on the device."""

    def __init__(
        self, device: Device, rows: DeviceRows, rules: Rules, on_turn: Callable[[], None]
    ) -> None:
        self._device, self.rows, self._on_turn = device, rows, on_turn
        n_components = rows.facts.shape[1] - 2 if rows.loss == "teacher" else 0
        self._variant = Variant(rows.loss, rows.has_codes, rows.is_weighted, n_components)
        arrays: dict[str, NDArray[Any]] = {
            "answers": rows.answers,
            "facts": rows.facts,
            "copies": rows.copies,
            "events": rows.events,
            "choose": _binomials(rows.n_questions),
        }
        if rows.has_codes:
            cuts = np.arange(rows.n_questions, dtype=np.uint32)
            arrays["column"] = rows.column
            arrays["cut"] = cuts - rows.first_cut[rows.column]
            arrays["first_cut"] = rows.first_cut
        if len(rows.split_penalties) > 0:
            arrays["split_penalty"] = rows.split_penalties
        self._kept = {name: device.put(values) for name, values in arrays.items()}
        self._arguments = np.zeros((), ARGUMENTS)
        for name, array in self._kept.items():
            self._arguments[name] = device.address(array)
        self._arguments["common"][: len(rows.common)] = rows.common
        self.use(rules)

    def use(self, rules: Rules) -> None:
        """From now on."""
        rows = self.rows
        numbers = {
            "n_rows": len(rows.answers),
            "n_questions": rows.n_questions,
            "n_words": rows.answers.shape[1],
            "n_columns": max(0, len(rows.first_cut) - 1),
            "n_facts": rows.facts.shape[1],
            "min_rows": min(rules.min_rows, 2**62),
            "min_events": min(rules.min_events, 2**62),
            "penalty": rules.penalty,
        }
        if rows.loss == "brier":
            numbers["dust"] = 1e-30 * float(rows.facts[:, 0].min())
        for name, number in numbers.items():
            self._arguments[name] = number

    def one_split(self) -> tuple[float, NDArray[np.float64]]:
        """The cost of all rows as a leaf, and that of each split with two leaves."""
        values = self._table(self.rows.n_questions + 1)
        self._solve(0, LANES, values=values)
        found = self._device.take(values).view(np.float64)
        return float(found[-1]), self._with_like_cuts(found[:-1])

    def pairs(self, depth: int) -> NDArray[np.float64]:
        """What a tree of that depth costs at least, by its first question."""
        sides = self.sides(depth)
        values = sides[:, 0] + sides[:, 1]
        penalties = self.rows.split_penalties
        return np.asarray(values + penalties if len(penalties) > 0 else values)

    def sides(self, depth: int) -> NDArray[np.float64]:
        """The optima of both sides of each question, in trees of that depth."""
        m = self.rows.n_questions
        tables = {level: self._table(comb(m, level) << level) for level in range(1, depth - 1)}
        for level, table in tables.items():
            self._solve(level, LEAVES, values=table)
        if depth == 2:
            tables[1] = self._table(2 * m)
            self._solve(1, OPTIMA, values=tables[1])
        else:
            self._solve(depth - 1, COMBINE, below=tables[depth - 2])
        for level in range(depth - 2, 1, -1):
            self._add_up(level, tables[level], tables[level - 1])
        return self._device.take(tables[1]).view(np.float64).reshape(m, 2)

    def _table(self, size: int) -> Any:
        if not self._device.has_room(8 * size):
            raise DeviceError(
                f"the GPU has too little free memory: a table of {8 * size:,} bytes is needed. "
                f"Free some, {INSTEAD}"
            )
        return self._device.table(size)

    def _solve(self, level: int, mode: int, values: Any = None, below: Any = None) -> None:
        rows, device = self.rows, self._device
        n_sets, own = comb(rows.n_questions, level), self._own_bytes(level)
        size = scratch_bytes(self._variant, len(rows.answers), rows.answers.shape[1])
        n_blocks = min(device.n_blocks, n_sets)
        while n_blocks > 1 and not device.has_room(2 * n_blocks * size):
            n_blocks //= 2
        scratch = device.room(n_blocks * size)
        arguments = self._arguments.copy()
        arguments["level"], arguments["mode"] = level, mode
        arguments["values"] = 0 if values is None else device.address(values)
        arguments["below"] = 0 if below is None else device.address(below)
        arguments["scratch"], arguments["scratch_bytes"] = device.address(scratch), size
        lane_rows = float(len(rows.answers)) * max(32, rows.n_questions)
        for portion in _portions(n_sets, lane_rows, n_blocks):
            launch = Launch(self._variant, "solve_sets", arguments, portion, n_blocks, own)
            device.launch(launch)
            self._on_turn()

    def _own_bytes(self, level: int) -> int:
        """Memory that each block needs for itself."""
        rows = self.rows
        n_columns = max(0, len(rows.first_cut) - 1)
        wanted = own_bytes(self._variant, 1 << level, rows.n_questions, n_columns)
        if wanted > self._device.own_bytes:
            raise DeviceError(
                f"{rows.n_questions:,} questions are too many for a search on this GPU at this "
                f"depth. Choose fewer thresholds, a smaller max_depth, {INSTEAD}"
            )
        return wanted

    def _add_up(self, level: int, values: Any, below: Any) -> None:
        arguments = self._arguments.copy()
        arguments["level"] = level
        arguments["values"] = self._device.address(values)
        arguments["below"] = self._device.address(below)
        n_sets = comb(self.rows.n_questions, level)
        n_blocks = min(self._device.n_blocks, -(-n_sets // THREADS))
        self._device.launch(Launch(self._variant, "add_up", arguments, (n_sets,), n_blocks))

    def _with_like_cuts(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cuts that part the rows like the one before them cost the same."""
        rows = self.rows
        if not rows.has_codes:
            return values
        out = values.copy()
        codes = rows.answers.view(np.uint16)
        for j, (first, end) in enumerate(zip(rows.first_cut, rows.first_cut[1:], strict=False)):
            present = np.unique(codes[:, j])
            cuts = np.arange(int(end) - int(first))
            like = np.searchsorted(present, cuts, side="right") - 1
            known = values[int(first) + np.minimum(present[np.maximum(like, 0)], cuts)]
            out[int(first) : int(end)] = np.where(like >= 0, known, inf)
        return out


def _binomials(n_questions: int) -> NDArray[np.uint64]:
    """C(n, k) at [k, n]; more than 64 bits are never asked for."""
    out = np.zeros((MOST_LEVELS + 1, n_questions + 1), np.uint64)
    for k in range(MOST_LEVELS + 1):
        out[k] = [min(comb(n, k), 2**63) for n in range(n_questions + 1)]
    return out


def _portions(n_sets: int, lane_rows: float, n_blocks: int) -> Iterator[tuple[int, int]]:
    """Ranges of sets that take about as long as a launch may; sized by how long the last took."""
    size = max(n_blocks, int(LANE_ROWS_A_SECOND * _LAUNCH_S / lane_rows))
    first = 0
    while first < n_sets:
        last, began = min(n_sets, first + size), perf_counter()
        yield first, last
        took = max(1e-4, perf_counter() - began)
        size = max(1, int(size * min(4.0, max(0.25, _LAUNCH_S / took))))
        first = last
