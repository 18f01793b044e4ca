"""The checker of proof files, with the losses of ``checker_losses``.

Shares no code with the search, nor with the rest of the package.

A proof file (docs/reference/proof-file.md) holds a problem, a tree and a list of claims

    no tree on these rows, at most so deep, costs less than this bound

of which each must follow from those before it and from what is computed here, by one rule. A tree
on a set of rows is a leaf, or splits on one of the questions; so it costs at least the smallest of

    the rows as one leaf,
    for each question, what the two parts cost at least, added up;

and a part costs at least the bound of an earlier claim about it, or else what any tree does: it is
a leaf, or has two leaves or more and at least the loss of the best curve of each group of rows that
no question separates; or of the best vector, where the loss is against a teacher. The last claim is
about all rows, and must meet the objective of the tree.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._proof.checker_losses import TOLERANCE, Bools, Floats, ProofProblem, losses_of

MAGIC = "survtree proof 1"
# Errors that reading a malformed file may raise.
UNREADABLE = (
    *(ValueError, TypeError, AttributeError, LookupError, ArithmeticError),
    *(RecursionError, MemoryError),
)


@dataclass(frozen=True)
class Verdict:
    """Whether a proof file proves its claim; if not, why."""

    is_accepted: bool
    reason: str
    n_claims: int = 0
    objective: float = float("nan")
    fingerprint: str = ""

    def __bool__(self) -> bool:
        return self.is_accepted

    def __str__(self) -> str:
        return f"{'accepted' if self.is_accepted else 'rejected'}: {self.reason}"


class RejectedError(Exception):
    """The file does not prove its claim."""


def check_proof(path: str | Path) -> Verdict:
    """Replay a proof file claim by claim; anything that does not follow rejects it."""
    try:
        return _checked(Path(path).read_bytes())
    except RejectedError as error:
        return Verdict(False, str(error))


def _need(holds: bool | np.bool_, why: str) -> None:
    if not holds:
        raise RejectedError(why)


class _Checker:
    """Claims that were found right, by the set of rows they are about."""

    def __init__(self, problem: ProofProblem) -> None:
        self.p = problem
        self.losses = losses_of(problem)
        self.questions = _distinct(problem.answers)
        everyone = np.arange(len(problem.time))
        self.root_loss = float(self.losses.as_leaves(everyone, np.ones((len(everyone), 1)))[0])
        # With an infinite loss every number would be within the tolerance of every other.
        _need(np.isfinite(self.root_loss), "the loss of one leaf is too large a number")
        self.slack = TOLERANCE * self.root_loss
        self.accepted: dict[bytes, list[tuple[int, float]]] = {}

    def useful_depth(self, n_rows: int, n_events: int, depth: int) -> int:
        """The depth that a tree on so many rows can make use of.

        A path to its deepest leaf has that many leaves beside it, each with enough rows and events,
        and never splits on the same question twice.
        """
        leaves = n_rows // self.p.min_rows
        if self.p.min_events > 0:
            leaves = min(leaves, n_events // self.p.min_events)
        return max(0, min(depth, leaves - 1, len(self.questions)))

    def follows(self, path: Sequence[int], depth: int, bound: float) -> None:
        """Keep the claim if it follows; otherwise raise RejectedError."""
        inside = np.ones(len(self.p.time), dtype=bool)
        for step in path:
            column = self.p.answers[:, abs(step) - 1]
            inside &= column if step > 0 else ~column
        rows = np.flatnonzero(inside)
        _need(len(rows) > 0, "a claim is about no rows")
        least = self.least(rows, depth, bound)
        _need(
            bound <= least + self.slack,
            f"what is claimed of rows {list(path)} at depth {depth}, {bound!r}, does not follow: "
            f"{least!r} does",
        )
        self.accepted.setdefault(_key(inside), []).append((depth, bound))

    def least(self, rows: NDArray[np.intp], depth: int, bound: float) -> float:
        """What any tree on these rows costs at least, as far as a claim of ``bound`` needs it."""
        penalty = self.p.regularization
        whole = float(self.losses.as_leaves(rows, np.ones((len(rows), 1)))[0]) + penalty
        event = self.p.event[rows]
        if self.useful_depth(len(rows), int(event.sum()), depth) == 0:
            return whole
        yes = self.p.answers[np.ix_(rows, self.questions)]
        n_yes, n_events = yes.sum(axis=0), yes[event].sum(axis=0)
        fits = np.minimum(n_yes, len(rows) - n_yes) >= max(1, self.p.min_rows)
        fits &= np.minimum(n_events, event.sum() - n_events) >= self.p.min_events
        sides = [yes[:, fits], ~yes[:, fits]]
        floors, knowns = zip(*(self.floors(rows, side, depth - 1) for side in sides), strict=True)
        lanes = floors[0] + floors[1]
        # Claims are looked up only where what is known without them is too low.
        for lane in np.flatnonzero(lanes < bound):
            parts = [
                known(lane) if known is not None else floor[lane]
                for floor, known in zip(floors, knowns, strict=True)
            ]
            lanes[lane] = parts[0] + parts[1]
        return min(whole, float(lanes.min(initial=np.inf)))

    def floors(
        self, rows: NDArray[np.intp], side: Bools, depth: int
    ) -> tuple[Floats, Callable[[int], float] | None]:
        """What each part costs at least by itself, and a function that uses the claims as well."""
        penalty = self.p.regularization
        leaves = self.losses.as_leaves(rows, side.astype(float)) + penalty
        sizes = zip(side.sum(axis=0), side[self.p.event[rows]].sum(axis=0), strict=True)
        splits = self.losses.floor[rows] @ side + 2 * penalty
        useful = np.array([self.useful_depth(int(n), int(e), depth) for n, e in sizes], dtype=int)
        floor = np.where(useful == 0, leaves, np.minimum(leaves, splits))

        def known(lane: int) -> float:
            if useful[lane] == 0:
                return float(floor[lane])
            inside = np.zeros(len(self.p.time), dtype=bool)
            inside[rows[side[:, lane]]] = True
            claims = self.accepted.get(_key(inside), [])
            return max([float(floor[lane]), *(b for d, b in claims if d >= useful[lane])])

        return floor, known if depth > 0 else None


def _key(inside: Bools) -> bytes:
    return np.packbits(inside).tobytes()


def _distinct(answers: Bools) -> NDArray[np.intp]:
    """Questions that separate the rows in different ways."""
    flipped = answers ^ answers[:1]
    _, first = np.unique(flipped, axis=1, return_index=True)
    kept = np.sort(first)
    return kept[flipped[:, kept].any(axis=0)]


# The rest reads the file and checks it.


def _checked(raw: bytes) -> Verdict:
    body, _, end = raw.rpartition(b"sha256 ")
    _need(raw.startswith(MAGIC.encode()), f"the file does not begin with {MAGIC!r}")
    checksum = hashlib.sha256(body).hexdigest().encode()
    _need(end.strip() == checksum, "the file is damaged: its checksum does not match")
    try:
        with np.errstate(all="ignore"):  # what is not finite is not accepted
            return _replayed(body.decode("utf-8"))
    except UNREADABLE as error:
        raise RejectedError(f"the file cannot be read: {type(error).__name__}: {error}") from error


def _replayed(text: str) -> Verdict:
    _, first, *rest = text.splitlines()
    head = json.loads(first)
    n_rows = head["n_rows"]
    _need(isinstance(n_rows, int) and n_rows > 0, "n_rows is a number of rows")
    problem = _problem_of(head, [line.split(" ") for line in rest[:n_rows]])
    checker = _Checker(problem)
    objective = _tree_cost(head["tree"], checker)
    _need(
        abs(objective - head["objective"]) <= checker.slack,
        f"the tree costs {objective!r}, not {head['objective']!r}",
    )
    n_claims, bound = _last_bound(rest[n_rows:], checker)
    _need(
        bound >= objective - checker.slack,
        f"the last claim proves {bound!r}, which is below the tree's {objective!r}",
    )
    against = "" if problem.targets is None else " against the teacher"
    limit = "any depth" if problem.max_depth is None else f"depth {problem.max_depth} or less"
    events = f" and {problem.min_events} events" if problem.min_events > 0 else ""
    loss = "" if problem.horizon is None else f", with the loss integrated to {problem.horizon:g},"
    reason = (
        f"no tree of {limit} with at least {problem.min_rows} rows{events} per leaf{loss} costs "
        f"less than {objective:.12g}{against} ({n_claims:,} claims checked)"
    )
    return Verdict(True, reason, n_claims, objective, head["fingerprint"])


def _last_bound(lines: Sequence[str], checker: _Checker) -> tuple[int, float]:
    """How many claims follow from each other, and the bound of the last, which is on all rows."""
    problem, claim = checker.p, None
    for line in lines:
        claim = _claim_of(line, problem.answers.shape[1])
        checker.follows(*claim)
    if claim is None:
        raise RejectedError("there are no claims")
    path, depth, bound = claim
    most = len(checker.questions) if problem.max_depth is None else problem.max_depth
    enough = checker.useful_depth(len(problem.time), int(problem.event.sum()), most)
    _need(not path and depth >= enough, "the last claim is not about all rows and depths")
    return len(lines), bound


def _problem_of(head: dict[str, Any], cells: list[list[str]]) -> ProofProblem:
    n, names, n_targets = head["n_rows"], head["names"], head.get("n_targets", 0)
    _need(isinstance(n_targets, int) and n_targets >= 0, "n_targets is a number >= 0")
    is_whole = len(cells) == n and all(len(row) == 4 + n_targets for row in cells)
    _need(is_whole, "there are fewer rows than n_rows in the head")
    time, weight = (np.array([float(row[k]) for row in cells]) for k in (0, 2))
    event = np.array([_flag(row[1]) for row in cells])
    answers = np.array([[_flag(c) for c in row[3]] for row in cells]).reshape(n, -1)
    if not names:
        answers = np.zeros((n, 0), dtype=bool)
    _need(answers.shape == (n, len(names)), "each row answers every question")
    _need(np.isfinite(time).all() and (time >= 0).all(), "times are finite and >= 0")
    _need(time.max() > 0, "the last time is > 0")
    _need(np.isfinite(weight).all() and (weight > 0).all(), "weights are finite and > 0")
    penalty, depth, least = (head[k] for k in ("regularization", "max_depth", "min_samples_leaf"))
    _need(isinstance(penalty, float) and 0 <= penalty < np.inf, "regularization is a number >= 0")
    _need(depth is None or (isinstance(depth, int) and depth >= 0), "max_depth is a number >= 0")
    horizon = head.get("horizon")  # files of earlier versions have none
    _need(
        horizon is None or (isinstance(horizon, float) and 0 < horizon < np.inf),
        "horizon is a number > 0",
    )
    _need(horizon is None or time.max() <= horizon, "no time is after the horizon")
    _need(isinstance(least, int) and least >= 1, "min_samples_leaf is a number >= 1")
    events = head.get("min_events_leaf", 0)
    _need(isinstance(events, int) and events >= 0, "min_events_leaf is a number >= 0")
    targets = _targets_of(cells, n_targets)
    _need(
        _fingerprint(head, answers, time, event, weight, targets) == head["fingerprint"],
        "the fingerprint is of other data",
    )
    order = np.argsort(time, kind="stable")
    arrays = (answers[order], time[order], event[order], weight[order])
    vectors = None if targets is None else targets[order]
    return ProofProblem(*arrays, penalty, depth, least, vectors, events, horizon)


def _targets_of(cells: list[list[str]], n_targets: int) -> Floats | None:
    if n_targets == 0:
        return None
    targets = np.array([[float(cell) for cell in row[4:]] for row in cells])
    _need(np.isfinite(targets).all(), "targets are finite")
    return targets


def _flag(text: str) -> bool:
    _need(text in ("0", "1"), f"answers and events are 0 or 1, not {text!r}")
    return text == "1"


def _fingerprint(
    head: dict[str, Any],
    answers: Bools,
    time: Floats,
    event: Bools,
    weight: Floats,
    targets: Floats | None,
) -> str:
    """As docs/reference/proof-file.md defines it."""
    names = [name.encode("utf-8", "surrogatepass") for name in head["names"]]
    is_weighted = bool((weight != 1.0).any())
    digest = hashlib.sha256(repr([answers.shape, is_weighted, *map(len, names)]).encode())
    for part in (b"".join(names), np.packbits(answers), np.packbits(event)):
        digest.update(bytes(part))
    digest.update(time.astype("<f8").tobytes())
    if is_weighted:
        digest.update(weight.astype("<f8").tobytes())
    if targets is not None:
        digest.update(f"targets {targets.shape}".encode())
        digest.update(targets.astype("<f8").tobytes())
    return digest.hexdigest()


def _claim_of(line: str, n_questions: int) -> tuple[list[int], int, float]:
    depth, bound, *path = line.split(" ")
    steps = [int(step) for step in path]
    are_known = all(1 <= abs(step) <= n_questions for step in steps)
    _need(are_known, "a claim is about a question that does not exist")
    _need(int(depth) >= 0 and np.isfinite(float(bound)), "a claim has a depth and a finite bound")
    return steps, int(depth), float(bound)


def _tree_cost(tree: Any, checker: _Checker) -> float:
    """The objective of a tree ([question, no, yes], a leaf is null), if it is allowed."""
    p = checker.p

    def cost(node: Any, rows: NDArray[np.intp], depth: int) -> float:
        if node is None:
            _need(len(rows) >= p.min_rows or depth == 0, "a leaf of the tree has too few rows")
            is_enough = p.event[rows].sum() >= p.min_events or depth == 0
            _need(is_enough, "a leaf of the tree has too few events")
            loss = checker.losses.as_leaves(rows, np.ones((len(rows), 1)))[0]
            return float(loss) + p.regularization
        question, no, yes = node
        _need(p.max_depth is None or depth < p.max_depth, "the tree is too deep")
        _need(
            isinstance(question, int) and 1 <= question <= p.answers.shape[1],
            "the tree splits on a question that does not exist",
        )
        is_yes = p.answers[rows, question - 1]
        _need(is_yes.any() and not is_yes.all(), "the tree has a leaf without rows")
        return cost(no, rows[~is_yes], depth + 1) + cost(yes, rows[is_yes], depth + 1)

    return cost(tree, np.arange(len(p.time)), 0)
