"""What a report tells, as one dict of plain values that could be written as JSON."""

import ast
import inspect
import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from survtree._base.numbers import (
    format_penalty,
    json_interval,
    json_number,
)
from survtree._model.prepare import cohort_of
from survtree._proof.certificate import Certificate, Verification
from survtree._scoring.curves import LeafCurve
from survtree._search.progress import Snapshot
from survtree._show.conditions import columns_asked
from survtree._show.leaf_facts import LeafFacts, leaf_facts
from survtree._show.report_data import data_facts
from survtree._show.report_scores import Scoring, score_facts
from survtree._show.report_tree_facts import curve_facts, form_fields, tree_facts


class Given(NamedTuple):
    """Rows with a known outcome, as the user has them."""

    X: Any
    y: Any
    sample_weight: Any


class Wishes(NamedTuple):
    """What the user asked of the page."""

    title: str
    times: Any
    cv: Any
    command: str | None
    random_state: Any


def report_facts(model: Any, given: Given | None, wishes: Wishes) -> dict[str, Any]:
    """All that the page tells."""
    told = leaf_facts(model, wishes.times)
    found = None if given is None else model.certificate_.verify(*given)
    return {
        "title": wishes.title,
        "summary": _summary(model, told),
        "tree": tree_facts(model, told),
        "fields": form_fields(model),
        "leaves": leaf_list(told),
        "reference_leaf": told.reference,
        "times": list(told.times),
        "until": told.until,
        "confidence": told.confidence,
        "log_rank": {key: json_number(value) for key, value in told.log_rank._asdict().items()},
        "curves": curve_facts(model.leaf_curves_, told),
        "proof": proof_facts(model.certificate_, len(model.questions_), found),
        "history": history_facts(model.history_),
        "reproduce": reproduce_facts(model, wishes.command),
        "data": None if given is None else _data(model, given),
        "scores": None if found is None else _scores(model, given, told, wishes, found),
    }


def _data(model: Any, given: Given) -> dict[str, Any]:
    table, events, is_kept = model.binarizer_.read_with_outcome(*given, model)
    return data_facts(table, events, columns_asked(model), len(is_kept))


def _scores(
    model: Any, given: Any, told: LeafFacts, wishes: Wishes, found: Verification
) -> dict[str, Any]:
    rows = cohort_of(clone(model), *given)
    scoring = Scoring(wishes.cv, check_random_state(wishes.random_state), np.array(told.times))
    return score_facts(model, rows, scoring, is_training=found.checks["data"])


def _summary(model: Any, told: LeafFacts) -> dict[str, Any]:
    curves: list[LeafCurve] = list(model.leaf_curves_.values())
    names = model.questions_.names
    return {
        "rows": sum(curve.n_rows for curve in curves),
        "events": sum(curve.n_events for curve in curves),
        "leaves": len(told.leaves),
        "depth": int(model.tree_.depths().max()),
        "columns": [names[j] for j in columns_asked(model)],
        "ibs_ratio": json_number(model.ibs_ratio_),
        "line": model.certificate_.summary(),
    }


def leaf_list(told: LeafFacts) -> list[dict[str, Any]]:
    """The leaves in the order of the tree."""
    return [
        {
            "node": leaf.node,
            "where": list(leaf.where),
            "rows": leaf.n_rows,
            "events": leaf.n_events,
            "share": leaf.share,
            "risk": leaf.risk,
            "median": json_interval(leaf.median),
            "survival": [json_interval(survival) for survival in leaf.survival],
            "restricted_mean": json_interval(leaf.restricted_mean),
            "hazard_ratio": json_interval(leaf.hazard_ratio),
        }
        for leaf in told.leaves
    ]


STATUSES = {
    "optimal": "Proven: no tree within the limits below has a lower objective.",
    "guessed": "Best if the reference model is right; the lower bound holds whether it is or not.",
    "gap_reached": "The search ended at the gap that was asked for: no tree is below the lower "
    "bound.",
    "time_limit": "Stopped by the time limit: the tree is valid, but not proven best.",
    "memory_limit": "Stopped by the memory limit: the tree is valid, but not proven best.",
    "node_limit": "Stopped by the node limit: the tree is valid, but not proven best.",
    "interrupted": "The search was interrupted: the tree is valid, but not proven best.",
}
COUNTS = {
    "subsets_solved": "subsets of rows solved",
    "lane_rows": "rows read, once for each question asked of them",
    "cache_hits": "subsets found solved before",
    "pruned_by_budget": "subsets closed because the best tree left them no room",
    "pruned_by_incremental_progress": "subsets closed because no split could repay its leaf",
    "pruned_by_leaf_count": "subsets closed because the tree would have had too many leaves",
    "pruned_by_guess": "subsets closed by the reference alone",
}
MOST_SNAPSHOTS = 500


def proof_facts(
    certificate: Certificate, n_questions: int, found: Verification | None
) -> dict[str, Any]:
    """The certificate; with rows, what its check on them found."""
    numbers = ("objective", "loss", "lower_bound", "gap", "regularization", "exact_loss", "seconds")
    same = ("status", "n_leaves", "max_depth", "min_samples_leaf", "max_leaves", "fingerprint")
    buckets = certificate.time_buckets
    return {
        **{name: json_number(getattr(certificate, name)) for name in numbers},
        **{name: getattr(certificate, name) for name in same},
        "price": format_penalty(certificate.regularization),
        "words": STATUSES[certificate.status],
        "n_questions": n_questions,
        "n_buckets": len(buckets) if isinstance(buckets, tuple) else buckets,
        "counts": _counts(certificate.counts),
        "guess": _guess(certificate),
        "check": None if found is None else _check(found),
    }


def _counts(counts: dict[str, int]) -> list[dict[str, Any]]:
    return [{"words": words, "n": counts[key]} for key, words in COUNTS.items() if counts.get(key)]


def _guess(certificate: Certificate) -> dict[str, Any] | None:
    guess = certificate.guess
    if guess is None:
        return None
    return {
        "assumption": guess.assumption,
        "reference": guess.reference,
        "loss": json_number(guess.loss),
        "conditional_bound": json_number(guess.conditional_bound),
        "n_closed": guess.n_closed,
    }


def _check(found: Verification) -> dict[str, Any]:
    claims = [
        {"claim": claim, "holds": holds, "detail": found.details[claim]}
        for claim, holds in found.checks.items()
    ]
    return {
        "is_valid": found.is_valid,
        "claims": claims,
        "not_rechecked": list(found.not_rechecked),
    }


def history_facts(history: Sequence[Snapshot]) -> list[dict[str, Any]]:
    """How the bounds closed in on each other; nothing if they were never apart."""
    if len(history) < 2 or not history[-1].seconds or not history[0].objective:
        return []
    step = -(-len(history) // MOST_SNAPSHOTS)
    kept = [*history[:-1:step], history[-1]]
    names = ("seconds", "lower_bound", "objective")
    return [{name: json_number(getattr(snapshot, name)) for name in names} for snapshot in kept]


PAPER = (
    "Rui Zhang, Rui Xin, Margo Seltzer and Cynthia Rudin. Optimal Sparse Survival Trees. "
    "International Conference on Artificial Intelligence and Statistics (AISTATS), 2024."
)


def reproduce_facts(model: Any, command: str | None) -> dict[str, Any]:
    """The command if there was one, and the call in Python."""
    code, is_exact = python_call(model)
    return {
        "command": command,
        "code": code,
        "is_exact": is_exact,
        "versions": {
            "survtree": version("survtree"),
            "Python": platform.python_version(),
            "NumPy": version("numpy"),
            "scikit-learn": version("scikit-learn"),
        },
        "paper": PAPER,
    }


def python_call(model: Any) -> tuple[str, bool]:
    """Code that makes the model with what differs from the defaults, and whether it tells all."""
    kind = type(model).__name__
    options = model.get_params(deep=False)
    arguments, is_exact = [], True
    for name, parameter in inspect.signature(type(model)).parameters.items():
        value = options[name]
        if not _is_same(value, parameter.default):
            text = _literal(value)
            is_exact = is_exact and text is not None
            arguments.append(f"{name}={text or '...'}")
    call = f"{kind}({', '.join(arguments)})"
    if len(call) > 88:
        call = f"{kind}(\n    " + ",\n    ".join(arguments) + ",\n)"
    return f"from survtree import {kind}\n\nmodel = {call}\nmodel.fit(X, y)", is_exact


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)


def _literal(value: Any) -> str | None:
    """The value as code, if it can be written as such."""
    text = repr(
        value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
    )
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return text
