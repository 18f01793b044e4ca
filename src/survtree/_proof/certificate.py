"""Certificates: what was proven about a tree, and a check of it that uses no solver code.

A full certificate has the claims of the search as well, in a form that ``checker`` can check.
"""

import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.files import whole_file
from survtree._base.numbers import (
    format_count,
    format_exact,
    format_penalty,
    format_percent,
    relative_gap,
)
from survtree._base.tree import Tree
from survtree._proof.checks import check_has_proof, check_proof_depth
from survtree._proof.choice import Choice
from survtree._proof.column_terms import (
    penalty_of_columns,
    sentences_of_rules,
    words_of_columns,
)
from survtree._proof.fingerprint import problem_fingerprint
from survtree._proof.guess import Guess
from survtree._proof.recheck import Verification, recheck
from survtree._proof.recheck_model import ModelFacts
from survtree._questions.binarizer import Binarizer
from survtree._questions.coded_answers import CodedAnswers
from survtree._questions.questions import Questions
from survtree._scoring.teachers import BUILT_IN
from survtree._search.problem import LossKind, Problem
from survtree._search.progress import Watch, pruned_by
from survtree._search.run import ON_GPU
from survtree._search.solve import KeptSearch, Solution, claims_of

MAGIC = "survtree proof 2"


@dataclass(frozen=True)
class ProofLog:
    """A tree and the claims that prove it optimal, the one about all rows last.

    A claim is about the rows with given answers to ``n_steps`` questions (column + 1 for yes,
    minus that for no): no tree on them that is at most ``depth`` deep costs less than ``bound``.
    """

    problem: Problem = field(repr=False)
    tree: Tree = field(repr=False)
    objective: float
    steps: NDArray[np.int32] = field(repr=False)
    n_steps: NDArray[np.int32] = field(repr=False)
    depth: NDArray[np.int32] = field(repr=False)
    bound: NDArray[np.float64] = field(repr=False)
    horizon: float | None = None

    def __len__(self) -> int:
        return len(self.bound)

    def to_bytes(self) -> bytes:
        """The file, as docs/reference/proof-file.md describes it."""
        lines = [MAGIC, json.dumps(self._head(), ensure_ascii=True), *self._rows(), *self._claims()]
        body = "".join(f"{line}\n" for line in lines).encode("ascii")
        return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode("ascii")

    def _head(self) -> dict[str, Any]:
        p = self.problem
        fingerprint = p.fingerprint()
        return {
            "objective": float(self.objective),
            "regularization": float(p.regularization),
            "max_depth": p.max_depth,
            "min_samples_leaf": p.min_samples_leaf,
            **({"min_events_leaf": p.min_events_leaf} if p.min_events_leaf else {}),
            **({"split_penalties": p.split_penalties.tolist()} if p.column_penalties else {}),
            **({} if p.first_split is None else {"first_split": _numbers_of(p.may_be_first)}),
            "horizon": self.horizon,
            "tree": nested(self.tree),
            "n_rows": len(p.answers),
            "names": p.questions.fingerprint_names,
            "fingerprint": fingerprint,
            "problem_fingerprint": problem_fingerprint(fingerprint, p, self.horizon),
            **({} if p.targets is None else {"n_targets": p.targets.shape[1]}),
            **({"loss": p.loss} if p.loss_kind == "likelihood" else {}),
        }

    def _rows(self) -> list[str]:
        """Time, event, weight, answers and, if there are any, targets of each row."""
        events, targets = self.problem.events, self.problem.targets
        lines = [
            f"{float(time)!r} {int(kind)} {float(weight)!r} {''.join(map(str, answers.tolist()))}"
            for time, kind, weight, answers in zip(
                events.time, events.kinds, events.weight, self.problem.matrix, strict=True
            )
        ]
        if targets is None:
            return lines
        return [
            " ".join([line, *map(repr, vector)])
            for line, vector in zip(lines, targets.tolist(), strict=True)
        ]

    def _claims(self) -> list[str]:
        """Depth, bound and steps of each claim."""
        ends = np.cumsum(self.n_steps).tolist()
        starts = [0, *ends[:-1]]
        steps = [str(step) for step in self.steps.tolist()]
        return [
            " ".join([str(depth), repr(bound), *steps[start:end]])
            for depth, bound, start, end in zip(
                self.depth.tolist(), self.bound.tolist(), starts, ends, strict=True
            )
        ]


def _numbers_of(questions: NDArray[np.bool_]) -> list[int]:
    """Counted from 1, as in a proof file."""
    return [int(j) + 1 for j in np.flatnonzero(questions)]


def nested(tree: Tree) -> Any:
    """[column + 1, subtree of the noes, subtree of the yeses]; a leaf is None."""
    parts: list[Any] = [None] * tree.n_nodes
    for node in reversed(np.flatnonzero(tree.question >= 0).tolist()):  # children before parents
        no, yes = parts[tree.no[node]], parts[tree.yes[node]]
        parts[node] = [int(tree.question[node]) + 1, no, yes]
    return parts[0]


def proof_of(
    kept: KeptSearch,
    solution: Solution,
    watch: Watch | None = None,
    horizon: float | None = None,
) -> ProofLog | None:
    """The proof of a solution with status "optimal"; None if a limit ended it early, or too long.

    A proof has the answers of all rows, and their fingerprint.
    """
    answers = kept.problem.answers
    if isinstance(answers, CodedAnswers) and answers.has_own_fingerprint:
        return None
    claims = claims_of(kept, watch)
    if claims is None:
        return None
    return ProofLog(kept.problem, solution.tree, solution.objective, **claims, horizon=horizon)


@dataclass(frozen=True)
class Certificate:
    """The numbers behind a fitted tree. ``status`` is "optimal" only if the bounds meet.

    ``guess`` has the assumption if the proof depends on a reference model. ``loss_kind`` tells
    which loss was minimised: "brier", "likelihood", "incidence" for the Brier score of the
    cumulative incidence of one of several causes, or "teacher" for the squared distance to the
    vectors ``targets``, which a model file does not keep. ``teacher_seed`` and ``teacher_rows`` are
    those of a built-in teacher, and make them again. ``choice`` says which tree this is if it is
    not simply the optimum: of status "near_optimal", or the best under a condition.
    """

    objective: float
    loss: float
    lower_bound: float
    status: str
    n_leaves: int
    regularization: float
    max_depth: int | None
    min_samples_leaf: int
    tolerance: float
    fingerprint: str
    seconds: float
    counts: dict[str, int] = field(repr=False)
    tree: Tree = field(repr=False)
    binarizer: Binarizer = field(repr=False)
    time_buckets: int | tuple[float, ...] | None = None
    max_leaves: int | None = None
    min_events_leaf: int = 0
    column_penalties: dict[str, float] | None = None  # for every split on the column
    first_split: str | None = None  # the column that all rows are split on, if it can split them
    horizon: float | None = None  # the loss is integrated up to here; None: to the last time
    exact_loss: float | None = None  # on the times as they are, where the search rounded them
    guess: Guess | None = None
    choice: Choice | None = None
    loss_kind: LossKind = "brier"
    teacher: str | None = None  # the name of whoever the tree is fitted to
    teacher_seed: int | None = None
    teacher_rows: int | None = None  # to how many it was fitted, if to a sample
    rows_fingerprint: str | None = None  # without the targets; None: there are none
    n_candidates: int | None = None  # of earlier files: questions before a model chose among them
    n_splits: int | None = None  # candidate splits there are, with every cut; earlier files: None
    n_tried: int | None = None  # splits among which those of the tree were refined, if they were
    every_cut_bound: float | None = None  # of all trees over every cut, if known
    proof: ProofLog | None = field(default=None, repr=False)
    targets: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    # What the model states of its leaves, for the recheck.
    model: ModelFacts | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, problem: Problem, solution: Solution, **rest: Any) -> "Certificate":
        """The certificate of a solution; ``rest`` are the fields that neither of the two has."""
        fingerprint, of_rows = problem.fingerprints()
        return cls(
            objective=solution.objective,
            loss=solution.loss,
            lower_bound=solution.lower_bound,
            status=solution.status,
            n_leaves=len(solution.tree.leaves),
            regularization=problem.regularization,
            max_depth=problem.max_depth,
            min_samples_leaf=problem.min_samples_leaf,
            max_leaves=problem.max_leaves,
            min_events_leaf=problem.min_events_leaf,
            column_penalties=problem.column_penalties,
            first_split=problem.first_split,
            tolerance=solution.tolerance,
            fingerprint=fingerprint,
            seconds=solution.seconds,
            counts=solution.counts,
            tree=solution.tree,
            loss_kind=problem.loss_kind,
            rows_fingerprint=None if problem.targets is None else of_rows,
            targets=problem.targets,
            **rest,
        )

    def at(self, regularization: float) -> "Certificate":
        """The same tree for another penalty of its interval, not below that of the search."""
        objective = self.loss + regularization * self.n_leaves + self.columns_penalty
        # A bound at the penalty of the search also holds at a higher one.
        bound = objective if self.status == "optimal" else min(objective, self.lower_bound)
        return replace(self, regularization=regularization, objective=objective, lower_bound=bound)

    @property
    def questions(self) -> Questions:
        """The candidate splits."""
        return self.binarizer.questions_

    @property
    def columns_penalty(self) -> float:
        """What the columns that the tree splits on add to its objective."""
        return penalty_of_columns(self.tree, self.questions, self.column_penalties)

    @property
    def columns_words(self) -> str:
        """The same in words, to follow the other terms of the objective; often empty."""
        return words_of_columns(self.tree, self.questions, self.column_penalties)

    @property
    def column_rules(self) -> list[str]:
        """The rules of the user about columns, in sentences."""
        return sentences_of_rules(self.column_penalties, self.first_split)

    @property
    def can_be_rechecked(self) -> bool:
        """Whether the rows of the fit are enough to compute the loss again."""
        is_kept = self.loss_kind != "teacher" or self.targets is not None
        return is_kept or self.teacher_seed is not None

    @property
    def teacher_words(self) -> str:
        """What the teacher is, for readers; empty if there is none."""
        words = BUILT_IN.get(self.teacher or "", self.teacher or "")
        if self.teacher_rows is None:
            return words
        return f"{words}, fitted to a sample of {format_count(self.teacher_rows, 'row')}"

    @property
    def problem_fingerprint(self) -> str:
        """Of the data, the penalty and the rules; a proof of this tree has the same."""
        return problem_fingerprint(self.fingerprint, self, self.horizon)

    @property
    def gap(self) -> float:
        """(objective - lower_bound) / objective."""
        return relative_gap(self.objective, self.lower_bound)

    def summary(self) -> str:
        """One line: the terms of the objective, and whether it is proven."""
        screening = f". {self.screening}" if self.screening else ""
        if self.status == "optimal":
            limits = "the limits and the rules about columns" if self.column_rules else "the limits"
            said = f"no tree within {limits} has a lower objective"
            if self.condition:
                trees = f"of the trees within {limits} that {self.condition}"
                said = f"{trees}, none has a lower objective"
            return f"{self._terms()}; {said}{screening}"
        return f"{self._terms()}{self._what_is_open()}{screening}"

    @property
    def condition(self) -> str:
        """What was asked of the tree besides the limits, to follow "trees that"; often empty."""
        return "" if self.choice is None else self.choice.condition

    @property
    def is_every_cut(self) -> bool:
        """Whether numbers were cut, and every cut of them was searched."""
        questions = self.binarizer.questions_
        return (
            self.n_splits is not None
            and len(questions) >= self.n_splits
            and not questions.are_columns
            and any(question.cut is not None for question in questions.asked)
        )

    @property
    def screening(self) -> str:
        """Whether every cut was searched, or how many of the splits there are; "" without cuts."""
        n, n_all = len(self.binarizer.questions_), self.n_splits or self.n_candidates or 0
        if n < n_all:
            bound = self.every_cut_bound
            over_all = "" if bound is None else f"; over every cut, no tree is below {bound:.6f}"
            return f"{n:,} of {n_all:,} possible splits were searched{self._refined()}{over_all}"
        return "Every cut was searched" if self.is_every_cut else ""

    def _refined(self) -> str:
        if not self.is_refined:
            return ""
        among = "all" if self.n_tried == self.n_splits else f"{self.n_tried:,}"
        return f"; those of the tree were refined among {among}"

    @property
    def is_refined(self) -> bool:
        """Whether splits beside the chosen ones were tried in the tree."""
        return self.n_tried is not None

    def last_line(self) -> str:
        """The end of the progress table: the summary, and what pruned the search."""
        rest = "" if self.status == "optimal" else self._what_is_open()
        where = "; searched on a GPU" if self.is_from_gpu else ""
        return f"{self._terms()}{rest}{where}{pruned_by(self.counts)}"

    @property
    def is_from_gpu(self) -> bool:
        """Whether a GPU found the tree."""
        return ON_GPU in self.counts

    def _terms(self) -> str:
        causes = self.binarizer.causes_
        words = {
            "teacher": " against the teacher",
            "likelihood": " by the likelihood",
            "incidence": f" of the incidence of {causes.target_words}" if causes else "",
        }
        of = words.get(self.loss_kind, "")
        of += f" ({self.teacher_words})" if self.teacher_words else ""
        parts = (
            f"{self.status}: loss {self.loss:.6f}{of} + {format_count(self.n_leaves, 'leaf')} x "
            f"{format_penalty(self.regularization)}{self.columns_words} = {self.objective:.6f}"
        )
        if self.horizon is not None:
            parts += f" with the loss integrated to {format_exact(self.horizon)}"
        if self.exact_loss is not None:
            parts += f" on rounded times (loss on exact times {self.exact_loss:.6f})"
        return parts

    def _what_is_open(self) -> str:
        bound = f"lower bound {self.lower_bound:.6f}, gap {format_percent(self.gap, 2)}"
        if self.status == "guessed":
            return f"; best if the reference is right, {bound} whether it is or not"
        if self.status == "near_optimal":
            excess = self.objective - self.lower_bound
            return f"; {excess:.6f} above the proven optimum {self.lower_bound:.6f}"
        if self.condition:
            bound += f" for trees that {self.condition}"
        return f"; {bound}: not proven best"

    def write_proof(self, path: str | os.PathLike[str]) -> None:
        """Write all of the proof, for ``survtree check-proof``; needs ``certificate="full"``."""
        proof = check_has_proof(self.proof, self.status)
        check_proof_depth(int(proof.tree.depths().max()))
        with whole_file(path) as file:
            file.write(proof.to_bytes())

    def verify(
        self, X: Any, y: Any = None, sample_weight: Any = None, targets: Any = None
    ) -> Verification:
        """Recheck data, loss, leaf curves, shrinkage and arithmetic, without the solver.

        If the fit took the outcome from columns of a frame, that frame is enough: leave out y.
        Rows must come in the order of the fit: the fingerprint depends on it. Of a model that was
        loaded from a file, a built-in teacher is fitted again; the ``targets`` of another teacher
        must be given.
        """
        rows = self.binarizer.read_with_outcome(X, y, sample_weight, needs_weight=True)
        return recheck(self, rows, targets)
