"""What a report tells, as one dict of plain values that could be written as JSON."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from survtree import _validation
from survtree._certificate import Verification
from survtree._conditions import columns_asked
from survtree._curves import LeafCurve
from survtree._leaf_facts import LeafFacts, leaf_facts
from survtree._report.columns import data_facts
from survtree._report.proof import history_facts, proof_facts
from survtree._report.reproduce import reproduce_facts
from survtree._report.scores import Scoring, score_facts
from survtree._report.tree_facts import curve_facts, form_fields, tree_facts
from survtree._report.values import interval, plain
from survtree._resample import cohort_of


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
        "log_rank": {key: plain(value) for key, value in told.log_rank._asdict().items()},
        "curves": curve_facts(model.leaf_curves_, told),
        "proof": proof_facts(model.certificate_, len(model.questions_), found),
        "history": history_facts(model.history_),
        "reproduce": reproduce_facts(model, wishes.command),
        "data": None if given is None else _data(model, given),
        "scores": None if found is None else _scores(model, given, told, wishes, found),
    }


def _data(model: Any, given: Given) -> dict[str, Any]:
    n_given = _validation.check_table(clone(model), given.X, reset=True).n_rows
    table, events = model.binarizer_.read_with_outcome(*given, model)
    return data_facts(table, events, columns_asked(model), n_given)


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
        "ibs_ratio": plain(model.ibs_ratio_),
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
            "median": interval(leaf.median),
            "survival": [interval(survival) for survival in leaf.survival],
            "restricted_mean": interval(leaf.restricted_mean),
            "hazard_ratio": interval(leaf.hazard_ratio),
        }
        for leaf in told.leaves
    ]
