"""The recheck of a certificate on the rows of its fit, without the solver."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from survtree._data.read_rows import Study
from survtree._data.table import EventTable, Table
from survtree._proof.checks import check_can_be_made, check_no_targets, check_targets
from survtree._proof.recheck_model import (
    Claim,
    RowsOfTree,
    check_columns,
    check_facts,
    check_shrinkage,
)
from survtree._questions.coded_answers import answers_of
from survtree._scoring.losses import loss_by_definition
from survtree._scoring.teachers import TeacherCurves, built_in_curves
from survtree._search.problem import Problem

if TYPE_CHECKING:
    from survtree._proof.certificate import Certificate

NOT_RECHECKED = (
    "that no other tree is better: that is the search's work, and this check does not repeat it",
    "that the data are what you meant to analyse, or that the tree will do as well on new rows",
    "what the model says of its options and of how the search went",
)
LOSS_LEFT = "the loss: it was computed against a teacher whose vectors are not kept"
LOSS_OF_OTHERS = "the loss: it was computed against a teacher of the rows of the fit"


@dataclass(frozen=True)
class Verification:
    """The outcome of ``Certificate.verify``: each claim, whether it held, and what was found."""

    checks: dict[str, bool]
    details: dict[str, str]
    not_rechecked: tuple[str, ...] = NOT_RECHECKED

    @property
    def is_valid(self) -> bool:
        """True when every claim held."""
        return all(self.checks.values())

    def __bool__(self) -> bool:
        return self.is_valid

    def __str__(self) -> str:
        lines = [
            f"{'ok  ' if holds else 'FAIL'} {claim}: {self.details[claim]}"
            for claim, holds in self.checks.items()
        ]
        lines += [f"not rechecked: {text}" for text in self.not_rechecked]
        return "\n".join(lines)


def recheck(
    stated: "Certificate", study: Study, targets: Any = None, *, needs_targets: bool = True
) -> Verification:
    """Whether what is stated holds on these rows; ``targets`` are a teacher's vectors.

    If they are neither given nor kept and cannot be made again, that is an error, or the loss is
    not rechecked.
    """
    events = study.events.until(stated.horizon)
    rows = _problem(stated, study.table, events)
    is_same = (stated.rows_fingerprint or stated.fingerprint) in _fingerprints(rows)
    if stated.loss_kind != "teacher":
        check_no_targets(targets)
        return _verification(stated, study, rows, is_same)
    if targets is not None:
        problem = replace(rows, targets=check_targets(targets, len(events)))
        return _verification(stated, study, problem, problem.fingerprint() == stated.fingerprint)
    vectors, curves = stated.targets if is_same else None, None
    if is_same and vectors is None and (needs_targets or stated.can_be_rechecked):
        curves = _curves_again(stated, study.covariates, events)
        vectors = curves.targets()
    return _verification(stated, study, replace(rows, targets=vectors), is_same, curves)


def _fingerprints(rows: Problem) -> tuple[str, str]:
    """Of the rows in their order, and as a fit has it that read them in passes."""
    return rows.fingerprint(), rows.fingerprint_of_groups()


def _problem(stated: "Certificate", table: Table, events: EventTable) -> Problem:
    """The rows as the search had them, without targets."""
    questions, buckets = stated.binarizer.questions_, stated.time_buckets
    return Problem(
        answers_of(questions, table),
        events if buckets is None else events.on_grid(buckets),
        questions,
        stated.regularization,
        stated.max_depth,
        stated.min_samples_leaf,
        stated.max_leaves,
        min_events_leaf=stated.min_events_leaf,
        loss="likelihood" if stated.loss_kind == "likelihood" else "brier",
        column_penalties=stated.column_penalties,
        first_split=stated.first_split,
    )


def _curves_again(stated: "Certificate", table: Table, events: EventTable) -> TeacherCurves:
    """Those of a built-in teacher, fitted again."""
    name, seed = check_can_be_made(stated.teacher, stated.teacher_seed)
    n_fitted = stated.teacher_rows or len(events)
    return built_in_curves(name, table, events, seed, most_rows=n_fitted)


def _verification(
    stated: "Certificate",
    study: Study,
    problem: Problem,
    is_same: bool,
    teacher: TeacherCurves | None = None,
) -> Verification:
    found = {
        "data": (is_same, _fingerprint_text(problem, is_same=is_same)),
        "columns": check_columns(stated.binarizer, study.table),
        **_check_tree(stated, problem),
        **_check_model(stated, study, problem, teacher),
    }
    left: tuple[str, ...] = NOT_RECHECKED
    if problem.loss_kind != stated.loss_kind:
        del found["loss"]
        left = (LOSS_LEFT if is_same else LOSS_OF_OTHERS, *left)
    return Verification(
        {claim: bool(holds) for claim, (holds, _) in found.items()},
        {claim: detail for claim, (_, detail) in found.items()},
        left,
    )


def _fingerprint_text(problem: Problem, *, is_same: bool) -> str:
    text = f"fingerprint {problem.fingerprint()[:16]}"
    if is_same or problem.events.copies is None:
        return text
    return (
        f"{text} of rows that were read in passes; if the fit had its rows in memory, its "
        "fingerprint depends on their order: verify it with the rows in memory"
    )


def _check_model(
    stated: "Certificate", study: Study, problem: Problem, teacher: TeacherCurves | None
) -> dict[str, Claim]:
    """The loss on exact times, and what the model states of leaves and predictions."""
    leaf_of_row, found = problem.leaf_of_row(stated.tree), {}
    if stated.exact_loss is not None:
        oracle = loss_by_definition(study.events.until(stated.horizon), None, problem.loss)
        loss, slack = oracle.tree_loss(leaf_of_row), 1e-9 * max(1.0, oracle.one_leaf_loss())
        is_same = abs(loss - stated.exact_loss) <= slack
        found["exact loss"] = (is_same, f"{loss:.12g}, stated {stated.exact_loss:.12g}")
    if stated.model is None:
        return found
    rows = RowsOfTree(stated.tree, leaf_of_row, study.events, problem.events)
    shrinkage = check_shrinkage(stated.model, rows, teacher, stated.horizon)
    return {**found, **check_facts(stated.model, rows), **shrinkage}


def _check_tree(stated: "Certificate", problem: Problem) -> dict[str, Claim]:
    """The loss, the shape and the arithmetic."""
    leaf_of_row = problem.leaf_of_row(stated.tree)
    sizes, events = problem.rows_of_leaves(stated.tree), problem.events_of_leaves(stated.tree)
    oracle = loss_by_definition(problem.events, problem.targets, problem.loss)
    slack, loss = 1e-9 * max(1.0, oracle.one_leaf_loss()), oracle.tree_loss(leaf_of_row)
    return {
        "loss": (
            abs(loss - stated.loss) <= slack,
            f"{loss:.12g}, stated {stated.loss:.12g}",
        ),
        **_check_shape(stated, sizes[sizes > 0], int(events.min())),
        **_check_first_split(stated, problem),
        **_check_condition(stated),
        **_check_numbers(stated, slack),
    }


def _check_shape(
    stated: "Certificate", sizes: NDArray[np.intp], fewest_events: int
) -> dict[str, Claim]:
    """Number, size and depth of the leaves are within the limits; ``sizes`` are in rows."""
    depth = int(stated.tree.depths().max())
    most = "no limit" if stated.max_depth is None else str(stated.max_depth)
    is_allowed = (
        len(sizes) == stated.n_leaves
        and (stated.max_leaves is None or stated.n_leaves <= stated.max_leaves)
        and (depth == 0 or sizes.min() >= stated.min_samples_leaf)
        and (depth == 0 or fewest_events >= stated.min_events_leaf)
    )
    found = f"{len(sizes)}, the smallest has {sizes.min()} rows"
    if stated.min_events_leaf > 0:
        found += f", the fewest events are {fewest_events}"
    return {
        "leaves": (is_allowed, found),
        "depth": (stated.max_depth is None or depth <= stated.max_depth, f"{depth} of {most}"),
    }


def _check_first_split(stated: "Certificate", problem: Problem) -> dict[str, Claim]:
    """The tree begins with a split on the column that was asked for, if one can."""
    if stated.first_split is None:
        return {}
    root = int(stated.tree.question[0])
    if root < 0:
        holds = not problem.must_split
        return {"first split": (holds, f"none on {stated.first_split} leaves enough rows")}
    return {"first split": (bool(problem.may_be_first[root]), problem.questions.text(root))}


def _check_condition(stated: "Certificate") -> dict[str, Claim]:
    """The tree is one of those that were asked for, if there was a condition."""
    if stated.choice is None or not stated.condition:
        return {}
    holds = stated.choice.holds(stated.tree, stated.binarizer.questions_)
    return {"condition": (holds, f"one of the trees that {stated.condition}")}


def _check_numbers(stated: "Certificate", slack: float) -> dict[str, Claim]:
    """The stated numbers agree with each other."""
    objective = stated.loss + stated.regularization * stated.n_leaves + stated.columns_penalty
    is_closed = stated.lower_bound == stated.objective
    guess = stated.guess
    is_told = guess is None or (
        guess.lower_bound == stated.lower_bound and stated.status != "optimal"
    )
    is_told &= guess is not None or stated.status != "guessed"
    is_told &= (stated.status != "near_optimal") or (
        stated.choice is not None and stated.choice.place is not None
    )
    return {
        "objective": (
            abs(objective - stated.objective) <= slack,
            f"{stated.loss:.12g} + {stated.n_leaves} x {stated.regularization:g}"
            f"{stated.columns_words} = {objective:.12g}",
        ),
        "bounds": (
            stated.lower_bound <= stated.objective
            and (stated.status != "optimal" or is_closed)
            and is_told,
            f"lower bound {stated.lower_bound:.12g}, status {stated.status}",
        ),
    }
