"""Scores of a model on rows that are not in memory.

Any score of a tree sees of a row its leaf, time, event and weight. So rows are grouped by what the
tree splits on and by their outcome, and groups of the same leaf, time and event are one.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from survtree._base import TailWeightWarning
from survtree._data.lazy_rows import LazyRows
from survtree._data.table import EventTable, Places
from survtree._model.fitted import FittedTree
from survtree._questions.lazy_groups import grouped_known_rows
from survtree._scoring.curves import curves_by_node, outcome_of
from survtree._scoring.scores import scores_of
from survtree._scoring.tail import heavy_tail, warn_of_tail


class ScoredRows(NamedTuple):
    """How many rows were scored, of how many, their events, and all scores by name."""

    n_rows: int
    n_all: int
    n_events: int
    are_of_the_fit: bool
    scores: dict[str, float | None]


def streamed_scores(model: FittedTree, rows: LazyRows) -> ScoredRows:
    """The scores of ``scores_of``, found in passes over the rows."""
    asked = model.questions_.asked
    looked_at = {asked[j].column for j in model.tree_.question[model.tree_.question >= 0].tolist()}
    study = grouped_known_rows(model.binarizer_, rows, looked_at=looked_at)
    leaf = model.tree_.leaf_numbers()[model._leaves(study.table, study.events.count)]
    leaf, events = by_leaf(leaf, study.events)
    nodes, curves = model.tree_.leaves[leaf].tolist(), model.predicted_curves_
    training = outcome_of(list(model.leaf_curves_.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TailWeightWarning)  # which would count groups as rows
        functions = [curves[node].survival for node in nodes]
        scores = scores_of(functions, events, training, model.horizon_)
    tail = heavy_tail(events.until(model.horizon_), training.until(model.horizon_))
    warn_of_tail(tail, can_choose=False)
    is_known = has_leaf_curves(model, leaf, events)
    return ScoredRows(events.n_rows, len(study.is_kept), events.n_events, is_known, scores)


def by_leaf(leaf: Places, events: EventTable) -> tuple[Places, EventTable]:
    """Entries of the same leaf, time and end as one, with its leaf."""
    code = events.event.astype(np.uint8) if events.cause is None else events.cause
    frame = pl.DataFrame(
        {
            "leaf": leaf,
            "time": events.time,
            "code": code,
            "weight": events.weight,
            "copies": events.copies,
        }
    )
    found = frame.group_by("leaf", "time", "code").agg(pl.sum("weight"), pl.sum("copies"))
    found = found.sort("leaf", "time", "code")
    code = found["code"].to_numpy()
    target = 1 if events.causes is None else events.causes.target
    return found["leaf"].to_numpy(), EventTable(
        code == target,
        found["time"].to_numpy(),
        found["weight"].to_numpy(),
        None if events.cause is None else code,
        events.causes,
        found["copies"].to_numpy(),
    )


def has_leaf_curves(model: Any, leaf: Places, events: EventTable) -> bool:
    """Whether each leaf has the rows, times and events that it had at the fit."""
    found, stated = curves_by_node(events, leaf, model.tree_), model.leaf_curves_
    return all(
        (curve.n_rows, curve.n_events) == (stated[node].n_rows, stated[node].n_events)
        and np.array_equal(curve.times, stated[node].times)
        and np.allclose(curve.events, stated[node].events, rtol=1e-9, atol=0.0)
        for node, curve in found.items()
    )
