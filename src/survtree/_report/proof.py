"""What was proven, in words and numbers, and what the check on the rows found."""

from collections.abc import Sequence
from typing import Any

from survtree._certificate import Certificate, Verification, price_text
from survtree._progress import Snapshot
from survtree._report.values import plain

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
        **{name: plain(getattr(certificate, name)) for name in numbers},
        **{name: getattr(certificate, name) for name in same},
        "price": price_text(certificate.regularization),
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
        "loss": plain(guess.loss),
        "conditional_bound": plain(guess.conditional_bound),
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
    return [{name: plain(getattr(snapshot, name)) for name in names} for snapshot in kept]
