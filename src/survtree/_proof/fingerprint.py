"""The fingerprint of a problem: of its data, its penalties and its rules."""

import hashlib
import json
from typing import TYPE_CHECKING

from survtree._search.problem import Problem, rules_of_splits

if TYPE_CHECKING:
    from survtree._proof.certificate import Certificate


def problem_fingerprint(data: str, rules: "Problem | Certificate", horizon: float | None) -> str:
    """SHA-256 of the fingerprint of the data and of all that is asked of a tree."""
    names = ("max_depth", "min_samples_leaf", "min_events_leaf", "max_leaves")
    counts = (getattr(rules, name) for name in names)
    stated = [float(rules.regularization), *counts, None if horizon is None else float(horizon)]
    if rules.loss_kind == "likelihood":  # data with targets have a fingerprint of their own
        stated.append(rules.loss_kind)
    stated += rules_of_splits(rules.questions, rules.column_penalties, rules.first_split)
    return hashlib.sha256(f"{data} {json.dumps(stated)}".encode()).hexdigest()
