"""The recheck of what a model states beside its certificate: what its predictions are made of."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import format_count, format_exact
from survtree._base.tree import Tree
from survtree._base.words import list_names
from survtree._data.read_rows import Seen
from survtree._data.table import Column, EventTable, Table
from survtree._questions.binarizer import Binarizer
from survtree._questions.forms import InLevels
from survtree._scoring.curves import LeafCurve, LeafCurves, curves_by_node
from survtree._scoring.losses import LossByDefinition
from survtree._scoring.shrinkage import calibrated_shrinkage
from survtree._scoring.teachers import TeacherCurves

Claim = tuple[bool, str]  # whether it holds, and what was found
Places = NDArray[np.intp]
MOST_NAMED = 3  # leaves or columns in one message


@dataclass(frozen=True)
class ModelFacts:
    """What a model states of its leaves and predictions.

    ``asked_shrinkage`` is the shrinkage that the options ask for; None: the teacher was to choose.
    """

    leaf_curves: LeafCurves = field(repr=False)
    ibs_ratio: float
    shrinkage: float
    asked_shrinkage: float | None = None


@dataclass(frozen=True)
class RowsOfTree:
    """The rows of a fit as a tree parts them, with their outcome as it is and as it is scored.

    The scored outcome ends at the horizon, and its times may be rounded.
    """

    tree: Tree
    leaf_of_row: Places
    exact: EventTable
    scored: EventTable

    def curves(self) -> dict[int, LeafCurve]:
        """Those of the rows of each leaf, by node number, on the times as they are."""
        return curves_by_node(self.exact, self.leaf_of_row, self.tree)


def check_facts(stated: ModelFacts, rows: RowsOfTree) -> dict[str, Claim]:
    """Whether curves, counts and IBS ratio are those of the rows."""
    return {
        "curves": _check_curves(stated.leaf_curves.by_leaf, rows.curves()),
        "IBS ratio": _check_ratio(stated.ibs_ratio, rows),
    }


def _check_curves(stated: dict[int, LeafCurve], found: dict[int, LeafCurve]) -> Claim:
    """Each leaf has the times, events and censorings of its rows."""
    wrong = [leaf for leaf, curve in found.items() if not _is_same(stated[leaf], curve)]
    if not wrong:
        n_rows = sum(curve.n_rows for curve in found.values())
        n_leaves = format_count(len(found), "leaf")
        return True, f"{n_leaves}, each with the times and events of its rows, {n_rows:,} in all"
    told = [_difference(leaf, stated[leaf], found) for leaf in wrong[:MOST_NAMED]]
    rest = "" if len(wrong) <= MOST_NAMED else f"; and {len(wrong) - MOST_NAMED} more leaves"
    return False, "; ".join(told) + rest


def _is_same(stated: LeafCurve, found: LeafCurve) -> bool:
    is_counted = (stated.n_rows, stated.n_events) == (found.n_rows, found.n_events)
    return (
        is_counted
        and np.array_equal(stated.times, found.times)
        and stated.causes == found.causes
        and all(
            np.allclose(mine, right, rtol=1e-9, atol=0.0)
            for (_, mine), (_, right) in zip(
                stated.weights_by_end(), found.weights_by_end(), strict=True
            )
        )
    )


def _difference(leaf: int, stated: LeafCurve, found: dict[int, LeafCurve]) -> str:
    """How the curve of a leaf differs from that of its rows, and whose it is."""
    right = found[leaf]
    twins = [other for other, curve in found.items() if _is_same(stated, curve)]
    if twins:
        return f"leaf {leaf} has the curve of leaf {twins[0]}"
    counts = (stated.n_rows, stated.n_events), (right.n_rows, right.n_events)
    if counts[0] == counts[1]:
        return f"leaf {leaf} has other times or weights than its rows"
    told = [f"{format_count(n, 'row')} and {format_count(d, 'event')}" for n, d in counts]
    return f"leaf {leaf} states {told[0]}, it has {told[1]}"


def _check_ratio(stated: float, rows: RowsOfTree) -> Claim:
    """1 - loss of the tree / loss of a lone leaf, by the Brier score whatever was minimised."""
    losses = LossByDefinition.of(rows.scored)
    one_leaf, ratio = losses.one_leaf_loss(), 0.0
    if rows.tree.n_nodes > 1 and one_leaf > 0:
        ratio = 1.0 - losses.tree_loss(rows.leaf_of_row) / one_leaf
    return abs(ratio - stated) <= 1e-8, f"{ratio:.9g}, stated {stated:.9g}"


def check_shrinkage(
    stated: ModelFacts, rows: RowsOfTree, teacher: TeacherCurves | None, horizon: float | None
) -> dict[str, Claim]:
    """Whether the shrinkage is the one asked for, or that which the teacher's curves choose.

    Nothing is found if the teacher was to choose it and its curves are not there.
    """
    wanted, why = stated.asked_shrinkage, "asked for"
    if wanted is None and teacher is not None:
        events = rows.exact.until(horizon)
        wanted = calibrated_shrinkage(rows.tree, rows.leaf_of_row, rows.curves(), teacher, events)
        why = "chosen by the teacher's curves"
    if wanted is None:
        return {}
    found = f"{format_exact(wanted)} rows {why}, stated {format_exact(stated.shrinkage)}"
    return {"shrinkage": (wanted == stated.shrinkage, found)}


def check_columns(stated: Binarizer, table: Table) -> Claim:
    """Whether the columns hold what the fit is said to have seen of them, and to ask of them."""
    pairs = zip(stated.seen_, table.columns, strict=True)
    asked = {j for j, q in _ends(stated) if not _is_end(q, table.columns[j])}
    wrong = [
        column.name
        for j, (seen, column) in enumerate(pairs)
        if j in asked or not (seen.is_left_out or _is_as_seen(seen, column))
    ]
    if not wrong:
        n_columns = format_count(len(table.columns), "column")
        return True, f"{n_columns} with the levels that are stated"
    names = list_names(wrong, MOST_NAMED)
    return False, f"other levels or missing values are stated than there are in {names}"


def _ends(stated: Binarizer) -> list[tuple[int, InLevels]]:
    """The questions about one end of an order, of which a fingerprint knows a level only."""
    asked = stated.questions_.asked
    return [(q.column, q) for q in asked if isinstance(q, InLevels) and q.end is not None]


def _is_end(question: InLevels, column: Column) -> bool:
    """Whether its levels are the first or the last ones; other sources may know no order."""
    n, is_low = len(question.levels), question.end == "low"
    end = column.levels[:n] if is_low else column.levels[-n:]
    return column.kind != "ordered" or end == question.levels


def _is_as_seen(stated: Seen, column: Column) -> bool:
    """Other sources of the same rows may know flags, numbers and orders by another kind."""
    found = Seen.of(column)
    kinds, are_levels_right = {stated.kind, found.kind}, True
    if kinds == {"level"}:
        are_levels_right = found.levels == stated.levels
    elif kinds <= {"level", "ordered"}:  # those that may occur, or those that do
        are_levels_right = found.levels <= stated.levels or stated.levels <= found.levels
    return are_levels_right and found.has_missing == stated.has_missing
