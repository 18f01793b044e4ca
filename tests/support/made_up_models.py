"""Fitted models of any shape, made without a fit: for pictures and files of trees."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from survtree import OptimalSurvivalTree
from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._model.lone_leaf import OneLeafReason
from survtree._model.state import Fitted
from survtree._questions.forms import InRange
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurves, leaf_curves
from tests.support.hostile import NAMES

LONG = "the_name_of_this_column_goes_on_and_on_and_on_" * 7
HOSTILE = (
    *NAMES,
    "cost $x^2$ or $y",
    LONG[:300],
    "W" * 300,
    "\u202eevil\u0000",
    "年齢",
)


@dataclass(frozen=True)
class MadeUpCertificate:
    """As much of a certificate as exports read."""

    tree: Tree
    binarizer: Any
    n_leaves: int
    model: Any = None
    loss_kind: str = "brier"


def random_tree(n_leaves: int, seed: int, *, is_chain: bool = False) -> Tree:
    """A tree of so many leaves whose leaves are split at random, or always the last one."""
    rng = np.random.default_rng(seed)
    children: dict[int, tuple[int, int]] = {}
    leaves, n_nodes = [0], 1
    while len(leaves) < n_leaves:
        split = leaves.pop(-1 if is_chain else int(rng.integers(len(leaves))))
        children[split] = (n_nodes, n_nodes + 1)
        leaves += children[split]
        n_nodes += 2
    order: list[int] = []
    waiting = [0]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(children.get(order[-1], ()))
    number = {node: place for place, node in enumerate(order)}
    question, no, yes = (np.full(n_nodes, -1, dtype=np.int32) for _ in range(3))
    for place, (node, pair) in enumerate(children.items()):
        question[number[node]] = place
        no[number[node]], yes[number[node]] = number[pair[0]], number[pair[1]]
    return Tree(question, no, yes)


def made_up(
    tree: Tree, names: tuple[str, ...] = ("age",), seed: int = 0, shrinkage: float = 0.0
) -> Any:
    """A model with this tree, questions about columns of these names, and small leaves."""
    rng = np.random.default_rng(seed)
    nodes, n_splits = tree.leaves.tolist(), int((tree.question >= 0).sum())
    columns = tuple(names[j % len(names)] for j in range(max(1, n_splits)))
    sizes = rng.integers(2, 60, len(nodes))
    leaf_of_row = np.repeat(np.arange(len(nodes)), sizes)
    time = np.ceil(rng.exponential(rng.uniform(50, 900, len(nodes))[leaf_of_row]))
    event = rng.random(len(time)) < rng.uniform(0.1, 1, len(nodes))[leaf_of_row]
    event[0] = True
    events = EventTable(event, time, np.ones(len(time)))
    asked = tuple(InRange(j, high=float(rng.integers(1, 90))) for j in range(len(columns)))
    binarizer = SimpleNamespace(
        questions_=Questions(columns, asked),
        seen_=[SimpleNamespace(has_missing=False)] * len(columns),
        causes_=None,
    )
    curves = dict(zip(nodes, leaf_curves(events, leaf_of_row, len(nodes)), strict=True))
    model = OptimalSurvivalTree()
    model._fitted = Fitted(
        certificate=MadeUpCertificate(tree, binarizer, len(nodes)),
        leaf_curves=LeafCurves(lambda: curves),
        one_leaf_reason=OneLeafReason(lambda: ""),
        ibs_ratio=0.0,
        unique_times=events.unique_times,
        event_times=events.event_times,
        shrinkage=shrinkage,
    )
    return model
