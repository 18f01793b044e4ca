"""The checker of proof files, with ``read_proof`` and the losses of ``checker_losses``.

Shares no code with the search, nor with the rest of the package.

A proof file (docs/reference/proof-file.md) holds a problem, a tree and a list of claims

    no tree on these rows, at most so deep, costs less than this bound

of which each must follow from those before it and from what is computed here, by one rule. A tree
on a set of rows is a leaf, or splits on one of the questions; so it costs at least the smallest of

    the rows as one leaf,
    for each question, its penalty and what the two parts cost at least, added up;

where a rule says which questions may split all rows, only these count there, and no leaf does if
one of them can;

and a part costs at least the bound of an earlier claim about it, or else what any tree does: it is
a leaf, or has two leaves or more, a split, and at least the loss of the best curve of each group of
rows that no question separates; or of the best vector, where the loss is against a teacher. The
last claim is about all rows, and must meet the objective of the tree.

Rounding never helps a claim. Losses are rounded down by more than they can be off, sums to the next
number below, and what counts of a claim is not what it states but what was found to follow, if that
is less. So the bound of the last claim holds for every tree. The search rounds too; therefore a
claim may state more than follows by ``TOLERANCE``, and a tree is optimal if it costs at most that
much more than the bound.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, nextafter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._proof.checker_losses import UNIT, at_least, at_most, below, losses_of
from survtree._proof.read_proof import (
    Bools,
    Floats,
    ProofFile,
    ProofProblem,
    RejectedError,
    claim_of,
    need,
    read_proof,
)

Places = NDArray[np.intp]
# By how much what follows may fall short of a claim, as a share of the loss of one leaf.
TOLERANCE = 1e-9
TOO_FINE = "all that trees differ by is between times or targets that are too near to each other"
# Errors that reading a malformed file may raise.
UNREADABLE = (
    *(ValueError, TypeError, AttributeError, LookupError, ArithmeticError),
    *(RecursionError, MemoryError),
)


@dataclass(frozen=True)
class Verdict:
    """Whether a proof file proves its claim; if not, why.

    ``objective`` is what the file says that its tree costs. No tree costs less than
    ``lower_bound``, whatever rounding did. ``fingerprint`` is of the data, as that of a certificate
    is; ``problem_fingerprint`` is of the data, the penalty and the rules.
    """

    is_accepted: bool
    reason: str
    n_claims: int = 0
    objective: float = float("nan")
    fingerprint: str = ""
    lower_bound: float = float("nan")
    regularization: float = float("nan")
    problem_fingerprint: str = ""

    def __bool__(self) -> bool:
        return self.is_accepted

    def __str__(self) -> str:
        return f"{'accepted' if self.is_accepted else 'rejected'}: {self.reason}"


def check_proof(path: str | Path) -> Verdict:
    """Replay a proof file claim by claim; anything that does not follow rejects it."""
    raw = Path(path).read_bytes()
    try:
        with np.errstate(all="ignore"):  # what is not finite is not accepted
            return _verdict(read_proof(raw))
    except RejectedError as error:
        return Verdict(False, str(error))
    except UNREADABLE as error:
        return Verdict(False, f"the file cannot be read: {type(error).__name__}: {error}")


class _Checker:
    """Claims that were found right, by the set of rows they are about."""

    def __init__(self, problem: ProofProblem) -> None:
        self.p = problem
        self.losses = losses_of(problem)
        n = problem.answers.shape[1]
        self.penalties = np.zeros(n) if problem.penalties is None else problem.penalties
        self.questions = _distinct(problem.answers, self.penalties)
        self.n_different = len(self.questions)
        if problem.first is not None:
            first = np.flatnonzero(problem.first)
            others = first[_distinct(problem.answers[:, first], self.penalties[first])]
            self.questions = np.union1d(self.questions, others)
        self.least_split = float(self.penalties[self.questions].min(initial=np.inf))
        self.must_split = self.can_begin()
        self.accepted: dict[bytes, list[tuple[int, float]]] = {}
        root = self.computed(np.arange(len(problem.time)))
        # Otherwise what was left out of the losses could be all that trees differ by.
        need(self.losses.shift <= 1e-3 * TOLERANCE * root or root == 0.0, TOO_FINE)
        # The last digits of a large penalty are lost in sums with it. A tree that must split pays
        # penalties of several leaves, and of its first split.
        paid = problem.regularization
        if self.must_split:
            paid = 4.0 * (paid + float(self.penalties[problem.first].max()))
        self.slack = TOLERANCE * root + 16.0 * UNIT * paid
        need(np.isfinite(self.slack), "the penalty or the loss of one leaf is too large a number")

    def computed(self, rows: Places) -> float:
        """The loss of these rows as one leaf, up to rounding."""
        return float(self.losses.as_leaves(rows, np.ones((len(rows), 1)))[0])

    def can_begin(self) -> bool:
        """Whether a rule says which questions may split all rows, and one of them can."""
        p = self.p
        if p.first is None or p.max_depth == 0:
            return False
        return bool(self.fits(np.arange(len(p.time)), np.flatnonzero(p.first)).any())

    def fits(self, rows: Places, questions: Places) -> Bools:
        """Which questions leave enough rows and events on both sides."""
        yes, event = self.p.answers[np.ix_(rows, questions)], self.p.event[rows]
        n_yes, n_events = yes.sum(axis=0), yes[event].sum(axis=0)
        enough = np.minimum(n_yes, len(rows) - n_yes) >= max(1, self.p.min_rows)
        enough &= np.minimum(n_events, event.sum() - n_events) >= self.p.min_events
        return np.asarray(enough)

    def most_depth(self) -> int:
        """The depth that trees on all rows can make use of."""
        p = self.p
        if p.first is not None and not self.must_split:
            return 0
        most = self.n_different if p.max_depth is None else p.max_depth
        return int(self.useful_depth(len(p.time), p.event.sum(), most))

    def useful_depth(self, n_rows: Any, n_events: Any, depth: int) -> Any:
        """The depth that a tree on so many rows can make use of; or of trees, on arrays of them.

        A path to its deepest leaf has that many leaves beside it, each with enough rows and events,
        and never splits the rows in the same way twice.
        """
        leaves = np.asarray(n_rows) // self.p.min_rows
        if self.p.min_events > 0:
            leaves = np.minimum(leaves, np.asarray(n_events) // self.p.min_events)
        return np.clip(leaves - 1, 0, min(depth, self.n_different))

    def follows(self, path: Sequence[int], depth: int, bound: float) -> float:
        """Keep what follows of a claim, and return it; raise RejectedError if that is less."""
        inside = np.ones(len(self.p.time), dtype=bool)
        for step in path:
            column = self.p.answers[:, abs(step) - 1]
            inside &= column if step > 0 else ~column
        rows = np.flatnonzero(inside)
        need(len(rows) > 0, "a claim is about no rows")
        least = self.least(rows, depth, bound)
        need(
            bound <= least + self.slack,
            f"what is claimed of rows {list(path)} at depth {depth}, {bound!r}, does not follow: "
            f"{least!r} does",
        )
        self.accepted.setdefault(_key(inside), []).append((depth, min(bound, least)))
        return min(bound, least)

    def least(self, rows: Places, depth: int, bound: float) -> float:
        """What any tree on these rows costs at least, as far as a claim of ``bound`` needs it."""
        penalty = self.p.regularization
        leaf = at_least(self.losses, np.array([self.computed(rows)]))
        whole = float(below(leaf + penalty)[0])
        is_everyone = len(rows) == len(self.p.time)
        if is_everyone:
            depth = min(depth, self.most_depth())
        if self.useful_depth(len(rows), self.p.event[rows].sum(), depth) == 0:
            return whole
        questions = self.questions[self.fits(rows, self.questions)]
        if is_everyone and self.must_split and self.p.first is not None:
            questions, whole = questions[self.p.first[questions]], float(np.inf)
        yes, penalties = self.p.answers[np.ix_(rows, questions)], self.penalties[questions]
        sides = [yes, ~yes]
        floors, knowns = zip(*(self.floors(rows, side, depth - 1) for side in sides), strict=True)
        lanes = below(below(floors[0] + floors[1]) + penalties)
        # Claims are looked up only where what is known without them is too low.
        for lane in np.flatnonzero(lanes < bound):
            parts = [
                known(lane) if known is not None else float(floor[lane])
                for floor, known in zip(floors, knowns, strict=True)
            ]
            lanes[lane] = nextafter(nextafter(parts[0] + parts[1], 0.0) + penalties[lane], 0.0)
        need(np.isfinite(lanes).all(), "a bound is too large a number")
        return min(whole, float(lanes.min(initial=np.inf)))

    def floors(
        self, rows: Places, side: Bools, depth: int
    ) -> tuple[Floats, Callable[[int], float] | None]:
        """What each part costs at least by itself, and a function that uses the claims as well."""
        penalty, inside = self.p.regularization, side.astype(float)
        leaves = below(at_least(self.losses, self.losses.as_leaves(rows, inside)) + penalty)
        of_groups = self.losses.floor[rows] @ inside * (1.0 - (len(rows) + 2) * UNIT)
        splits = below(below(of_groups + 2.0 * penalty) + self.least_split)
        n_rows, n_events = side.sum(axis=0), side[self.p.event[rows]].sum(axis=0)
        useful = self.useful_depth(n_rows, n_events, depth)
        floor: Floats = np.where(useful == 0, leaves, np.minimum(leaves, splits))

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


def _distinct(answers: Bools, penalties: Floats) -> Places:
    """Questions that separate the rows in different ways, the cheapest of each."""
    flipped = answers ^ answers[:1]
    by_penalty = np.argsort(penalties, kind="stable")
    _, places = np.unique(flipped[:, by_penalty], axis=1, return_index=True)
    kept = np.sort(by_penalty[places])
    return kept[flipped[:, kept].any(axis=0)]


def _verdict(file: ProofFile) -> Verdict:
    """What is proven, if the tree is allowed and the claims follow."""
    checker = _Checker(file.problem)
    low, high = _tree_cost(file.tree, checker)
    need(
        low - checker.slack <= file.objective <= high + checker.slack,
        f"the tree costs {high!r}, not {file.objective!r}",
    )
    bound = _last_bound(file.claims, checker)
    need(
        bound >= high - checker.slack,
        f"what follows of the last claim is {bound!r}, which is below the tree's {high!r}",
    )
    within = max(high, file.objective) - bound
    reason = (
        f"no tree {_rules(file.problem)} costs less than {file.objective:.12g}"
        f"{_scored_by(file.problem)} (to within {within:.1g}; {len(file.claims):,} claims checked)"
    )
    return Verdict(
        True,
        reason,
        n_claims=len(file.claims),
        objective=file.objective,
        fingerprint=file.fingerprint,
        lower_bound=bound,
        regularization=file.problem.regularization,
        problem_fingerprint=file.problem_fingerprint,
    )


def _rules(p: ProofProblem) -> str:
    """Which trees are meant."""
    limit = "any depth" if p.max_depth is None else f"depth {p.max_depth} or less"
    events = f" and {p.min_events} events" if p.min_events > 0 else ""
    first = " that begin as the rule says" if p.first is not None else ""
    return f"of {limit} with at least {p.min_rows} rows{events} per leaf{first}"


def _scored_by(p: ProofProblem) -> str:
    """What they cost."""
    until = "" if p.horizon is None else f" integrated to {p.horizon!r}"
    against = "" if p.targets is None else " against the teacher"
    against += " by the likelihood" if p.is_by_likelihood else ""
    if p.other is not None and p.targets is None:
        against = " of the incidence of one of several causes"
    loss = f", with the loss{until}{against}" if until or against else ""
    splits = "" if p.penalties is None else " and the penalties of splits"
    return f" at a penalty of {p.regularization!r} per leaf{splits}{loss}"


def _last_bound(lines: Sequence[str], checker: _Checker) -> float:
    """What follows of the last claim, which must be about all rows and depths."""
    problem, claim, bound = checker.p, None, 0.0
    for line in lines:
        claim = claim_of(line, problem.answers.shape[1])
        bound = checker.follows(*claim)
    if claim is None:
        raise RejectedError("there are no claims")
    path, depth, _ = claim
    is_about_all = not path and depth >= checker.most_depth()
    need(is_about_all, "the last claim is not about all rows and depths")
    return bound


def _tree_cost(tree: Any, checker: _Checker) -> tuple[float, float]:
    """Numbers around the objective of a tree ([question, no, yes], a leaf is null), if allowed."""
    losses: list[float] = []
    _add_leaves(tree, checker, np.arange(len(checker.p.time)), 0, losses)
    _check_first(tree, checker)
    computed, rounding = sum(losses), len(losses) * UNIT
    penalties = len(losses) * checker.p.regularization + fsum(_split_penalties(tree, checker))
    low = float(np.maximum(computed * (1 - checker.losses.error - rounding), 0.0))
    high = at_most(checker.losses, computed) + len(losses) * checker.losses.shift
    need(np.isfinite(high + penalties), "the tree costs too large a number")
    return (low + penalties) * (1 - 4 * UNIT), (high + penalties) * (1 + rounding + 4 * UNIT)


def _split_penalties(node: Any, checker: _Checker) -> list[float]:
    """Of all splits of a tree that is allowed."""
    if node is None:
        return []
    question, no, yes = node
    below_it = _split_penalties(no, checker) + _split_penalties(yes, checker)
    return [float(checker.penalties[question - 1]), *below_it]


def _check_first(tree: Any, checker: _Checker) -> None:
    """The tree begins as the rule says, if there is one."""
    first = checker.p.first
    if first is None:
        return
    is_leaf = tree is None
    need(is_leaf or checker.must_split, "no split may be the first, and the tree has one")
    need(not (is_leaf and checker.must_split), "the tree has no split, and some may be the first")
    need(is_leaf or first[tree[0] - 1], "the first split of the tree is not one that may be")


def _add_leaves(node: Any, checker: _Checker, rows: Places, depth: int, out: list[float]) -> None:
    """The losses of the leaves below a node."""
    p = checker.p
    if node is None:
        need(len(rows) >= p.min_rows or depth == 0, "a leaf of the tree has too few rows")
        is_enough = p.event[rows].sum() >= p.min_events or depth == 0
        need(is_enough, "a leaf of the tree has too few events")
        out.append(checker.computed(rows))
        return
    need(isinstance(node, list) and len(node) == 3, "a split has a question and two parts")
    question, no, yes = node
    need(p.max_depth is None or depth < p.max_depth, "the tree is too deep")
    need(
        type(question) is int and 1 <= question <= p.answers.shape[1],
        "the tree splits on a question that does not exist",
    )
    is_yes = p.answers[rows, question - 1]
    need(is_yes.any() and not is_yes.all(), "the tree has a leaf without rows")
    _add_leaves(no, checker, rows[~is_yes], depth + 1, out)
    _add_leaves(yes, checker, rows[is_yes], depth + 1, out)
