"""A problem, which is everything the answer depends on, and the settings of a search for it.

The problem never knows how it is solved, and the settings never change its optimum.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from time import perf_counter
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._data.table import Bools, EventTable, Places, mixed
from survtree._questions.coded_answers import Answers, CodedAnswers
from survtree._questions.questions import Questions

LossKind: TypeAlias = Literal["brier", "incidence", "teacher", "likelihood"]
ChosenLoss: TypeAlias = Literal["brier", "likelihood"]  # a teacher brings its own
BOUNDS = (
    *("hierarchical", "subtree", "look_ahead", "equivalent_points"),
    *("incremental_progress", "leaf_count", "permutation", "floors", "pairs"),
)

SEED_OF_OTHER_HASH = 0x243F6A8885A308D3
DEVICES = ("cpu", "cuda", "auto")

# What is asked of a tree, beside the data and the loss.
RULES = (
    *("loss", "regularization", "max_depth", "min_samples_leaf", "max_leaves", "min_events_leaf"),
    *("column_penalties", "first_split"),
)


@dataclass(frozen=True)
class Problem:
    """A table of yes/no answers, its outcome, and what the user calls a good tree."""

    answers: Answers = field(repr=False)  # rows x questions, 0 or 1, row-major; or codes of them
    events: EventTable = field(repr=False)
    questions: Questions = field(repr=False)
    regularization: float
    max_depth: int | None
    min_samples_leaf: int
    max_leaves: int | None = None
    # A vector per row, rows x components, whose squared distance from the mean of its leaf is the
    # loss in place of the Brier score: a teacher's curves. Times and events then only describe.
    targets: NDArray[np.float64] | None = field(default=None, repr=False)
    min_events_leaf: int = 0
    loss: ChosenLoss = "brier"
    # Rules about columns, by name: added to the objective for every split on one of them; and the
    # one that all rows are split on, if it can split them.
    column_penalties: dict[str, float] | None = None
    first_split: str | None = None

    @cached_property
    def split_penalties(self) -> NDArray[np.float64]:
        """What each question adds to the objective for a split on it; empty if none does."""
        if not self.column_penalties:
            return np.empty(0)
        return self.questions.in_columns(self.column_penalties)

    @cached_property
    def may_be_first(self) -> Bools:
        """Which questions may split all rows; empty if there is no rule about it."""
        if self.first_split is None:
            return np.empty(0, dtype=bool)
        return np.asarray(self.questions.in_columns({self.first_split: 1.0}) > 0)

    def penalties_of(self, tree: Tree) -> float:
        """What the columns that a tree splits on add to its objective."""
        if not self.column_penalties:
            return 0.0
        return fsum(self.split_penalties[tree.question[tree.question >= 0]].tolist())

    def objective_of(self, tree: Tree, loss: float) -> float:
        """The objective of a tree with this loss."""
        return loss + self.regularization * len(tree.leaves) + self.penalties_of(tree)

    @property
    def must_split(self) -> bool:
        """Whether a rule asks for a first split, and there is one that leaves enough rows."""
        if self.first_split is None or self.max_depth == 0 or self.max_leaves == 1:
            return False
        return any(
            self._fits(rows) and self._fits(~rows)
            for rows in map(self.rows_of_yes, np.flatnonzero(self.may_be_first).tolist())
        )

    def _fits(self, rows: Bools) -> bool:
        n_rows, n_events = self.events.count(rows), self.events.count(rows & self.events.event)
        return n_rows >= max(1, self.min_samples_leaf) and n_events >= self.min_events_leaf

    @property
    def loss_kind(self) -> LossKind:
        """Which loss a tree is judged by: that against a teacher if there are targets."""
        if self.targets is not None:
            return "teacher"
        return "incidence" if self.loss == "brier" and self.events.has_others else self.loss

    @property
    def matrix(self) -> NDArray[np.uint8]:
        """All answers, rows x questions, row-major; large where they are coded."""
        return self.answers.matrix() if isinstance(self.answers, CodedAnswers) else self.answers

    def take(self, rows: Bools | Places) -> "Problem":
        """The same about some of the rows."""
        answers = self.answers
        some = answers.rows(rows) if isinstance(answers, CodedAnswers) else answers[rows]
        targets = None if self.targets is None else self.targets[rows]
        return replace(self, answers=some, events=self.events.take(rows), targets=targets)

    def leaf_of_row(self, tree: Tree) -> NDArray[np.intp]:
        """The leaf of each row, counted from 0 in the order of the tree's leaves."""
        nodes = tree.apply(len(self.answers), self.rows_of_yes)
        return tree.leaf_numbers()[nodes]

    def rows_of_yes(self, j: int) -> Bools:
        """The rows that answer yes to question j."""
        if isinstance(self.answers, CodedAnswers):
            return self.answers.column(j)
        return np.asarray(self.answers[:, j] != 0)

    def events_of_leaves(self, tree: Tree) -> NDArray[np.intp]:
        """The number of events in each leaf, as rows, whatever their weights."""
        leaves, events = self.leaf_of_row(tree), self.events
        return events.counts_in(leaves, len(tree.leaves), events.event)

    def rows_of_leaves(self, tree: Tree) -> NDArray[np.intp]:
        """The number of rows in each leaf, whatever their weights."""
        return self.events.counts_in(self.leaf_of_row(tree), len(tree.leaves))

    def is_same(self, other: "Problem") -> bool:
        """Whether both have the same answer, described in the same words."""
        mine, theirs = ([getattr(p, name) for name in RULES] for p in (self, other))
        pairs = [
            (getattr(self.events, name), getattr(other.events, name))
            for name in ("time", "kinds", "weight")
        ]
        return (
            mine == theirs
            and are_equal(self.targets, other.targets)
            and are_equal(self.events.copies, other.events.copies)
            and all(np.array_equal(a, b) for a, b in pairs)
            and _are_same_answers(self, other)
            and self.questions.texts == other.questions.texts
        )

    def fingerprint(self) -> str:
        """SHA-256 of questions, answers, outcome, weights and targets, in the order of the rows."""
        return self.fingerprints()[0]

    def fingerprints(self) -> tuple[str, str]:
        """That, and the same without targets: are rows those of a fit, whoever taught it?"""
        digest = self._digest_of_rows()
        of_rows = digest.hexdigest()
        if self.targets is not None:
            digest.update(f"targets {self.targets.shape}".encode())
            digest.update(np.ascontiguousarray(self.targets, dtype="<f8").data)
        return digest.hexdigest(), of_rows

    def fingerprint_in_any_order(self) -> str:
        """SHA-256 of questions, answers and outcome, whatever the order of the rows.

        Groups have that of the rows they stand for. Weights are known by two sums, to eight digits:
        those of groups are sums, which are not the same to the last digit in another order.
        """
        names = [name.encode("utf-8", "surrogatepass") for name in self.questions.fingerprint_names]
        head = [self.events.n_rows, len(self.questions), *map(len, names), *self._sums_over_rows]
        return hashlib.sha256(repr(head).encode() + b"".join(names)).hexdigest()

    def fingerprint_of_groups(self) -> str:
        """The fingerprint of the same rows where equal ones were counted."""
        return hashlib.sha256(self.fingerprint_in_any_order().encode()).hexdigest()

    @cached_property
    def _sums_over_rows(self) -> list[int | str]:
        """Of two hashes of answers and outcome of each row, modulo 2^64; and of weights.

        One of the sums of weights has each of them times a number that the hash gives, so that it
        is another one if two rows exchange their weights.
        """
        events = self.events
        out = np.zeros(len(events), dtype=np.uint64)
        for part in _words_of(self.answers):
            out = mixed(out, part)
        out = mixed(mixed(out, (events.time + 0.0).view(np.uint64)), events.kinds.astype(np.uint64))
        copies = np.uint64(1) if events.copies is None else events.copies.astype(np.uint64)
        hashes = out, mixed(out, np.uint64(SEED_OF_OTHER_HASH))
        shares = events.weight, events.weight * (out * 2.0**-64 + 1.0)
        return [
            *(int((each * copies).sum(dtype=np.uint64)) for each in hashes),
            *(f"{each.sum(dtype=np.longdouble):.8g}" for each in shares),
        ]

    def _digest_of_rows(self) -> "hashlib._Hash":
        events = self.events
        if events.copies is not None:  # whose groups come in no order
            return hashlib.sha256(self.fingerprint_in_any_order().encode())
        is_weighted = bool((events.weight != 1.0).any())
        # Lengths first, so that no two problems are written alike.
        sizes = [self.answers.shape, is_weighted]
        if isinstance(self.answers, CodedAnswers) and self.answers.has_own_fingerprint:
            digest = hashlib.sha256(repr(sizes).encode())
            for each in self.questions.own_fingerprint_parts():
                digest.update(each)
        else:
            names = self.questions.fingerprint_names
            raw = [name.encode("utf-8", "surrogatepass") for name in names]
            digest = hashlib.sha256(repr([*sizes, *map(len, raw)]).encode() + b"".join(raw))
        if isinstance(self.answers, CodedAnswers):
            for part in self.answers.fingerprint_parts():
                digest.update(part)
        else:
            digest.update(np.packbits(self.answers).data)
        digest.update(np.packbits(events.event).data)
        if events.has_others:
            digest.update(b"others" + np.packbits(events.is_other).tobytes())
        digest.update(np.ascontiguousarray(events.time, dtype="<f8").data)
        if is_weighted:
            digest.update(np.ascontiguousarray(events.weight, dtype="<f8").data)
        return digest


def _words_of(answers: Answers) -> Iterator[NDArray[np.uint64]]:
    """What rows answer, as numbers, one each: codes as they are, or 64 bits at a time."""
    if isinstance(answers, CodedAnswers):
        yield from (codes.astype(np.uint64) for codes in answers.codes)
        return
    n_rows, n_questions = answers.shape
    for first in range(0, n_questions, 64):
        bits = np.packbits(answers[:, first : first + 64], axis=1)
        word = np.zeros((n_rows, 8), dtype=np.uint8)
        word[:, : bits.shape[1]] = bits
        yield word.view("<u8").ravel()


def rules_of_splits(
    questions: Questions, column_penalties: dict[str, float] | None, first_split: str | None
) -> list[list[list[float]] | None]:
    """What a fingerprint knows of the rules about columns; nothing if there are none.

    By question, as pairs of how many in a row have the same number, and that number.
    """
    if not column_penalties and first_split is None:
        return []
    by_question = (column_penalties or None, None if first_split is None else {first_split: 1.0})
    penalties, first = (
        None if values is None else questions.in_columns(values) for values in by_question
    )
    return [_runs(penalties), _runs(None if first is None else first.astype(np.int64))]


def _runs(numbers: NDArray[Any] | None) -> list[list[Any]] | None:
    if numbers is None:
        return None
    starts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)])
    lengths = np.diff(starts, append=len(numbers))
    return [[n, each] for n, each in zip(lengths.tolist(), numbers[starts].tolist(), strict=True)]


def _are_same_answers(a: Problem, b: Problem) -> bool:
    if a.answers.shape != b.answers.shape:
        return False
    if isinstance(a.answers, CodedAnswers) and isinstance(b.answers, CodedAnswers):
        return a.answers.is_same(b.answers)
    return np.array_equal(a.matrix, b.matrix)


def are_equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    """Whether both are there with the same numbers, or neither is there."""
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


@dataclass(frozen=True)
class Clock:
    """Counts the seconds since a fit began: its time limit and its history start then."""

    start: float

    @classmethod
    def started(cls, seconds_gone: float = 0.0) -> "Clock":
        """One that has been running for so many seconds."""
        return cls(perf_counter() - seconds_gone)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return perf_counter() - self.start


@dataclass(frozen=True)
class SearchSettings:
    """Everything about a search that does not change its optimum, except for a guess.

    ``guessed_losses`` are those of a reference model, one per row. The search assumes that no tree
    has a lower loss on a group of equal rows; its answer is only as good as this guess.

    Replay files keep the fields by their types: numbers >= 0, flags, words that have ``choices``,
    tuples of such words, and float arrays with one number per row. Each field has a default, which
    is used for files of older versions that do not have it.
    """

    gap: float = 0.0
    upper_bound: float | None = None
    time_limit: float | None = None
    seconds_gone: float = 0.0  # of the time limit, before the search began
    memory_limit: int | None = None
    node_limit: int | None = None
    work_limit: int | None = None  # pairs of row and cut, of a search over codes
    wants_bounds: bool = False  # raise the lower bound during the search, at some cost
    guessed_losses: NDArray[np.float64] | None = field(default=None, repr=False)
    wants_proof: bool = False  # all claims of the search are to be written down
    proves: bool = False  # search again without the guess after it has led to a tree
    bounds_off: tuple[str, ...] = field(default=(), metadata={"choices": BOUNDS})
    check_keys: bool = False
    most_lanes: int = 65_536  # cuts that a search over codes looks at in one step, at most
    greedy_from: int = 10_000_000  # lane-rows of work before greedy trees are tried
    # An empty word leaves the choice to the core.
    kernel: str = field(default="", metadata={"choices": ("", "plain", "avx2", "avx512")})
    layout: str = field(default="", metadata={"choices": ("", "rows", "blocks")})
    solver: str = field(default="", metadata={"choices": ("", "search", "lattice", "cuts")})
    n_jobs: int | None = None
    device: str = field(default="cpu", metadata={"choices": DEVICES})

    def further(self) -> "SearchSettings":
        """For searches beyond the one that was asked for: on the CPU where a GPU cannot."""
        return replace(self, device="auto") if self.device == "cuda" else self
