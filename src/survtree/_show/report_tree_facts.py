"""The tree, its curves, and what must be known of a row to find its leaf."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import json_number, round_ticks
from survtree._base.words import quoted_name
from survtree._model.fitted import FittedTree
from survtree._questions.questions import InLevels, InRange, IsMissing, IsOne, Question
from survtree._scoring.curves import LeafCurve, StepFunction
from survtree._show.conditions import columns_asked, levels_at_end
from survtree._show.leaf_facts import LeafFacts

Floats = NDArray[np.float64]
# Places that a screen can tell apart in a picture of curves: across, and up.
ACROSS, UP = 1280, 640


def tree_facts(model: FittedTree, told: LeafFacts) -> list[dict[str, Any]]:
    """Nodes by number. ``rank`` counts the leaves by risk, the lowest first."""
    tree = model.tree_
    by_risk = sorted(told.leaves, key=lambda leaf: (leaf.risk, leaf.node))
    ranks = {leaf.node: rank for rank, leaf in enumerate(by_risk)}
    counts = {leaf.node: (leaf.n_rows, leaf.n_events) for leaf in told.leaves}
    columns = columns_asked(model)
    nodes: list[dict[str, Any]] = []
    for node in reversed(range(tree.n_nodes)):  # children come after parents
        question, no, yes = (int(a[node]) for a in (tree.question, tree.no, tree.yes))
        if question < 0:
            nodes.append({"node": node, "rank": ranks[node]})
        else:
            counts[node] = (counts[no][0] + counts[yes][0], counts[no][1] + counts[yes][1])
            asked = model.questions_.asked[question]
            field = columns.index(asked.column)
            words = _words(asked, model.questions_.names[asked.column])
            asks = {"field": field, "question": _answered_by(asked)}
            nodes.append({"node": node, "no": no, "yes": yes, **words, **asks})
        nodes[-1] |= {"rows": counts[node][0], "events": counts[node][1]}
    return nodes[::-1]


def _words(question: Question, name: str) -> dict[str, str]:
    """The question in three parts, so that the name can be set apart: it may run right to left."""
    text, column = question.text(name), quoted_name(name)
    has_two_ends = isinstance(question, InRange) and not (question.is_cut or question.is_one_value)
    before = text[: text.index(" < ") + 3] if has_two_ends else ""
    after = text[len(before) + len(column) :]
    return {"text": text, "before": before, "name": column, "after": after}


def _answered_by(question: Question) -> dict[str, Any]:
    """What the page needs to answer the question; of a range, an open end is None."""
    if isinstance(question, InLevels):
        return {"form": "levels", "levels": list(question.levels)}
    if isinstance(question, InRange):
        return {
            "form": "range",
            "low": json_number(question.low),
            "high": json_number(question.high),
        }
    return {"form": "missing"}


def form_fields(model: FittedTree) -> list[dict[str, Any]]:
    """One field a column that the tree asks about, as ``columns_asked`` has them."""
    return [_field(model, column) for column in columns_asked(model)]


def _field(model: FittedTree, column: int) -> dict[str, Any]:
    seen = model.binarizer_.seen_[column]
    asked = [question for question in model.questions_.asked if question.column == column]
    field = {
        "name": model.questions_.names[column],
        "kind": "number",
        "choices": [],
        "can_be_missing": model.binarizer_.missing == "question",
    }
    if seen.kind in ("level", "ordered"):
        return field | {"kind": "level", "choices": _levels(asked, seen.levels)}
    if all(isinstance(question, (IsOne, IsMissing)) for question in asked):
        words = ("True", "False") if seen.kind == "flag" else ("1", "0")
        return field | {"kind": "flag", "choices": list(words)}
    return field


def _levels(asked: list[Question], levels: frozenset[str]) -> list[str]:
    """The levels in their order, if they have one; it is that of the levels inside questions."""
    low, high = levels_at_end(asked, "low"), levels_at_end(asked, "high")
    return [*low, *sorted(levels - set(low) - set(high)), *high]


def curve_facts(
    curves: dict[int, LeafCurve], told: LeafFacts, across: int = ACROSS, up: int = UP
) -> dict[str, Any]:
    """Curves with their limits, thinned to what can be seen, and how many are at risk when."""
    end = max(float(curve.times[-1]) for curve in curves.values())
    ticks = round_ticks(end)
    return {
        "end": end,
        "ticks": ticks,
        "leaves": [
            _curve(node, curve, told.confidence, lambda part: thinned(part, end, across, up))
            for node, curve in curves.items()
        ],
        "at_risk": {node: curve.at_risk(ticks).tolist() for node, curve in curves.items()},
    }


def _curve(
    node: int, curve: LeafCurve, confidence: float, thin: Callable[[StepFunction], Any]
) -> dict[str, Any]:
    low, high = curve.band(confidence)
    parts = {"survival": curve.survival, "low": low, "high": high}
    steps = {name: thin(function) for name, function in parts.items()}
    return {"node": node, "end": float(curve.times[-1]), **steps}


def thinned(
    curve: StepFunction, end: float, across: int = ACROSS, up: int = UP
) -> list[list[float]]:
    """Steps (time, value) that can be told apart on a screen; each is a step of the curve itself.

    A step is kept where the value gets to another place of the screen, and of those at the same
    place across the last: so the picture is never off by more than such a place.
    """
    levels = np.rint(np.append(curve.before, curve.y) * up)
    is_seen = np.diff(levels) != 0
    times, values = curve.x[is_seen], curve.y[is_seen]
    place = np.floor(times / end * across)
    is_last = np.append(np.diff(place) > 0, True)[: len(times)]
    return [
        list(pair) for pair in zip(times[is_last].tolist(), values[is_last].tolist(), strict=True)
    ]
