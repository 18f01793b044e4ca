"""What a report says, as one dict of plain values that could be written as JSON."""

from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from survtree._base.numbers import format_penalty, json_interval, json_number, round_ticks
from survtree._data.causes import with_known_causes
from survtree._data.read_columns import is_only_note
from survtree._model.fitted import FittedTree
from survtree._model.prepare import cohort_of, reader_for
from survtree._model.recipe import versions_now
from survtree._proof.certificate import Certificate
from survtree._proof.recheck import Verification, recheck
from survtree._questions.forms import (
    InLevels,
    InRange,
    IsMissing,
    IsOne,
    Question,
    says_yes_if_missing,
)
from survtree._scoring.tail import heavy_tail, tail_message
from survtree._search.progress import REASONS
from survtree._show.leaf_facts import (
    Leaf,
    LeafFacts,
    Predicted,
    answers_on_edges,
    columns_asked,
    leaf_facts,
    levels_at_end,
    takes_missing,
)
from survtree._show.leaf_texts import group_text
from survtree._show.picture import by_risk, last_time
from survtree._show.report_rows import data_facts
from survtree._show.report_scores import WHY_NOT, Scoring, score_facts, without_rows


def report_facts(
    model: Any,
    rows: tuple[Any, Any, Any] | None,
    *,
    title: str,
    times: Any,
    cv: Any,
    compare: bool,
    command: str | None,
    seed: int,
    groups: Any = None,
) -> dict[str, Any]:
    """All that the page says; ``rows`` are X, y and weights as the user has them."""
    facts, warned = leaf_facts(model, times), list(model.warnings_)
    verified = data = scores = None
    if rows is not None:
        rows = (rows[0], with_known_causes(rows[1], model.binarizer_.known_causes), rows[2])
        study = model.binarizer_.read_with_outcome(*rows, model)
        table, events, is_kept = study[:3]
        verified = recheck(model.certificate_, study, needs_targets=False)
        data = data_facts(table, events, columns_asked(model), len(is_kept), study.left_out)
        is_training = verified.checks["data"]
        cohort, rng = cohort_of(reader_for(model, rows[0]), *rows, groups), check_random_state(seed)
        scoring = Scoring(cv, rng, np.array(facts.times), facts.confidence, compare)
        scores = score_facts(model, cohort, scoring, is_training=is_training)
        tail = heavy_tail(events.until(model.horizon_)) if is_training else None
        can_choose = model.horizon_ is None
        warned += [] if tail is None else [tail_message(tail, can_choose=can_choose)]
    return {
        "title": title,
        "summary": _summary(model, facts),
        "held_out": without_rows() if scores is None else scores["verdict"],
        "why_unknown": WHY_NOT["no rows" if scores is None else scores["why_not_held_out"]],
        "seed": seed,
        "warnings": [text for text in warned if not is_only_note(text)],
        "notes": [text for text in warned if is_only_note(text)],
        "tree": tree_facts(model, facts),
        "fields": form_fields(model),
        "leaves": leaf_list(facts),
        "reference_leaf": facts.reference,
        "unit": facts.unit,
        "has_medians": facts.has_medians,
        "words": facts.words._asdict(),
        "causes": _cause_facts(facts),
        "times": list(facts.times),
        "until": facts.until,
        "confidence": facts.confidence,
        "shrinkage": facts.shrinkage,
        "at_risk": at_risk_facts(model),
        "proof": proof_facts(model.certificate_, len(model.questions_), verified),
        "reproduce": reproduce_facts(model, command),
        "data": data,
        "scores": scores,
    }


def _summary(model: Any, facts: LeafFacts) -> dict[str, Any]:
    curves = list(model.leaf_curves_.values())
    names = model.questions_.names
    return {
        "rows": sum(curve.n_rows for curve in curves),
        "events": sum(curve.n_events for curve in curves),
        "leaves": len(facts.leaves),
        "columns": [names[j] for j in columns_asked(model)],
        "ibs_ratio": json_number(model.ibs_ratio_),
        "one_leaf_reason": model.one_leaf_reason_,
    }


def _cause_facts(facts: LeafFacts) -> dict[str, Any] | None:
    """With competing risks: the name of the target, the other causes, and their rows."""
    causes = facts.causes
    if causes is None:
        return None
    rows = [sum(each) for each in zip(*(leaf.n_by_cause for leaf in facts.leaves), strict=True)]
    return {
        "target": causes.target_label,
        "others": [
            {"name": name, "rows": n}
            for name, n in zip(causes.names, rows, strict=True)
            if name != causes.target_name
        ],
    }


def leaf_list(facts: LeafFacts) -> list[dict[str, Any]]:
    """The leaves in the order of their groups."""
    intervals = ("median", "restricted_mean", "hazard_ratio")
    return [
        {
            "node": leaf.node,
            "group": leaf.group,
            "name": leaf.name,
            "label": group_text(leaf.group, leaf.name),
            "where": list(leaf.where),
            "rows": leaf.n_rows,
            "events": leaf.n_events,
            "share": leaf.share,
            "risk": leaf.risk,
            "survival": list(map(json_interval, leaf.survival)),
            **{name: json_interval(getattr(leaf, name)) for name in intervals},
            "predicted": None if leaf.predicted is None else _predicted(leaf.predicted),
            **({} if leaf.relative_hazard is None else {"relative_hazard": leaf.relative_hazard}),
            **_incidences(leaf, facts),
        }
        for leaf in facts.leaves
    ]


def _incidences(leaf: Leaf, facts: LeafFacts) -> dict[str, Any]:
    """With competing risks: rows and incidence of each cause."""
    if facts.causes is None:
        return {}
    names = facts.causes.names
    intervals = [list(map(json_interval, each)) for each in leaf.incidences]
    return {
        "events_by_cause": dict(zip(names, leaf.n_by_cause, strict=True)),
        "incidence": dict(zip(names, intervals, strict=True)),
    }


def _predicted(found: Predicted) -> dict[str, Any]:
    """Numbers of a shrunken curve."""
    survival = list(map(json_number, found.survival))
    return {"median": json_number(found.median), "survival": survival}


def tree_facts(model: FittedTree, facts: LeafFacts) -> list[dict[str, Any]]:
    """Nodes by number. ``rank`` counts the leaves by risk, the lowest first."""
    tree, columns, answers = model.tree_, columns_asked(model), answers_on_edges(model)
    ranks = {node: rank for rank, node in enumerate(by_risk(model))}
    counts = {leaf.node: (leaf.n_rows, leaf.n_events) for leaf in facts.leaves}
    nodes: list[dict[str, Any]] = []
    for node in reversed(range(tree.n_nodes)):  # children come after parents
        place, no, yes = (int(a[node]) for a in (tree.question, tree.no, tree.yes))
        if place < 0:
            nodes.append({"node": node, "rank": ranks[node]})
        else:
            counts[node] = (counts[no][0] + counts[yes][0], counts[no][1] + counts[yes][1])
            question, text = model.questions_.asked[place], model.questions_.text(place)
            field = columns.index(question.column)
            split = {"text": text, "field": field, "question": _answered_by(question)}
            nodes.append({"node": node, "no": no, "yes": yes, **split})
        nodes[-1] |= {"rows": counts[node][0], "events": counts[node][1]}
        nodes[-1] |= {"answer": answers.get(node, "")}
    return nodes[::-1]


def _answered_by(question: Question) -> dict[str, Any]:
    """What the page needs to answer the question; an open end of a range is None."""
    missing = {"is_yes_if_missing": says_yes_if_missing(question)}
    if isinstance(question, InLevels):
        return {"form": "levels", "levels": list(question.levels), **missing}
    if isinstance(question, InRange):
        low, high = json_number(question.low), json_number(question.high)
        return {"form": "range", "low": low, "high": high, **missing}
    return {"form": "missing", **missing}


def form_fields(model: FittedTree) -> list[dict[str, Any]]:
    """One field for each column that the tree uses, in the order of ``columns_asked``."""
    return [_field(model, column) for column in columns_asked(model)]


def _field(model: FittedTree, column: int) -> dict[str, Any]:
    seen = model.binarizer_.seen_[column]
    splits = [question for question in model.questions_.asked if question.column == column]
    field = {
        "name": model.questions_.names[column],
        "kind": "number",
        "choices": [],
        "can_be_missing": takes_missing(model),
    }
    if seen.kind in ("level", "ordered"):
        return field | {"kind": "level", "choices": _levels(splits, seen.levels)}
    if all(isinstance(question, (IsOne, IsMissing)) for question in splits):
        choices = ["True", "False"] if seen.kind == "flag" else ["1", "0"]
        return field | {"kind": "flag", "choices": choices}
    return field


def _levels(splits: list[Question], levels: frozenset[str]) -> list[str]:
    """The levels in their order, if they have one: splits of ordered levels list them in order."""
    low, high = levels_at_end(splits, "low"), levels_at_end(splits, "high")
    return [*low, *sorted(levels - set(low) - set(high)), *high]


def at_risk_facts(model: FittedTree) -> dict[str, Any]:
    """How many rows of each leaf are at risk at round times."""
    ticks = round_ticks(last_time(model))
    rows = {node: curve.at_risk(ticks).tolist() for node, curve in model.leaf_curves_.items()}
    return {"times": ticks, "rows": rows}


STATUSES = {
    "optimal": "Proven: no tree within the limits below has a lower objective.",
    "near_optimal": "Not the optimum, but near it: the lower bound is the proven optimum.",
    "guessed": "Best if the reference model is right; the lower bound holds whether it is or not.",
    "gap_reached": "The search stopped at the gap that was set: no tree is below the lower bound.",
    "time_limit": "Stopped by the time limit: the tree is valid, but not proven best.",
    "memory_limit": "Stopped by the memory limit: the tree is valid, but not proven best.",
    "node_limit": "Stopped by the node limit: the tree is valid, but not proven best.",
    "interrupted": "The search was interrupted: the tree is valid, but not proven best.",
}
COUNTS = {
    "subsets_solved": "subsets of rows solved",
    "lane_rows": "rows read, counted once for each split that was tried on them",
    **{count: words for _, count, words in REASONS},
}


def proof_facts(
    certificate: Certificate, n_questions: int, verified: Verification | None
) -> dict[str, Any]:
    """The certificate; with rows, the result of its check on them."""
    names = ["objective", "loss", "lower_bound", "gap", "regularization", "exact_loss", "seconds"]
    names += ["status", "n_leaves", "max_depth", "min_samples_leaf", "min_events_leaf"]
    names += ["max_leaves", "horizon", "teacher_words", "fingerprint", "condition"]
    buckets = certificate.time_buckets
    return {
        **{name: json_number(getattr(certificate, name)) for name in names},
        "loss_kind": certificate.loss_kind,
        "loss_words": loss_words(certificate),
        "penalty": format_penalty(certificate.regularization),
        "columns_words": certificate.columns_words.replace(" x ", " × "),
        "column_rules": certificate.column_rules,
        "text": _status_text(certificate),
        "n_questions": n_questions,
        "screening": certificate.screening,
        "is_every_cut": certificate.is_every_cut,
        "n_buckets": len(buckets) if isinstance(buckets, tuple) else buckets,
        "counts": [
            {"text": text, "n": certificate.counts[key]}
            for key, text in COUNTS.items()
            if certificate.counts.get(key)
        ],
        "guess": _guess(certificate),
        "check": None if verified is None else _check(verified),
    }


def loss_words(certificate: Certificate) -> str:
    """What a tree was chosen to make small, beside its penalties."""
    causes = certificate.binarizer.causes_
    if certificate.loss_kind == "teacher":
        curves = "survival curves" if causes is None else "incidences"
        return (
            f"the mean squared distance to the {curves} of the teacher "
            f"({certificate.teacher_words})"
        )
    if certificate.loss_kind == "likelihood":
        return "the deviance of one relative hazard per leaf (LeBlanc and Crowley's likelihood)"
    of = "" if causes is None else f" of the cumulative incidence of {causes.target_label}"
    return f"the integrated Brier score{of}"


def _status_text(certificate: Certificate) -> str:
    if certificate.status == "optimal" and certificate.condition:
        trees = f"of the trees within the limits below that {certificate.condition}"
        return f"Proven: {trees}, none has a lower objective."
    return STATUSES[certificate.status]


def _guess(certificate: Certificate) -> dict[str, Any] | None:
    guess = certificate.guess
    if guess is None:
        return None
    names = ("assumption", "reference", "loss", "conditional_bound", "n_closed")
    return {name: json_number(getattr(guess, name)) for name in names}


def _check(verified: Verification) -> dict[str, Any]:
    claims = [
        {"claim": claim, "holds": holds, "detail": verified.details[claim]}
        for claim, holds in verified.checks.items()
    ]
    left = list(verified.not_rechecked)
    return {"is_valid": verified.is_valid, "claims": claims, "not_rechecked": left}


PAPER = (
    "Rui Zhang, Rui Xin, Margo Seltzer and Cynthia Rudin. Optimal Sparse Survival Trees. "
    "International Conference on Artificial Intelligence and Statistics (AISTATS), 2024."
)


def reproduce_facts(model: Any, command: str | None) -> dict[str, Any]:
    """How to make the model again, and whom to cite."""
    recipe = model.recipe_
    made = recipe.command if command is None else command
    return {
        **asdict(recipe),
        "command": made,
        "has_gaps": "=..." in recipe.code + recipe.code_as_made,
        "page": versions_now(),
        "paper": PAPER,
    }
