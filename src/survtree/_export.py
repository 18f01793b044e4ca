"""A fitted tree in other forms. So far: text."""

import math
from collections.abc import Mapping

from sklearn.utils.validation import check_is_fitted

from survtree._curves import LeafCurve
from survtree._fitted import FittedTree
from survtree._questions import Questions
from survtree._tree import Tree


def export_text(model: FittedTree) -> str:
    """The tree as indented text, with rows, events and median survival of each leaf."""
    check_is_fitted(model)
    text = tree_text(model.tree_, model.questions_, model.leaf_curves_)
    return (
        f'{text}\nA missing value answers no, except to "is missing".' if _has_gaps(model) else text
    )


def tree_text(tree: Tree, questions: Questions, curves: Mapping[int, LeafCurve]) -> str:
    """The same of a tree, what it asks, and the curves of its leaves by node number."""
    lines: list[str] = []

    def add(node: int, branch: str, indent: str) -> None:
        if tree.question[node] < 0:
            lines.append(f"{branch}{_leaf_text(node, curves[node])}")
            return
        lines.append(f"{branch}{questions.text(int(tree.question[node]))}?")
        add(int(tree.yes[node]), f"{indent}├─ yes: ", f"{indent}│       ")
        add(int(tree.no[node]), f"{indent}└─ no:  ", f"{indent}        ")

    add(0, "", "")
    return "\n".join(lines)


def _has_gaps(model: FittedTree) -> bool:
    """Did a column that the tree asks about have missing values?"""
    asked = [model.questions_.asked[j] for j in model.tree_.question if j >= 0]
    return any(model.binarizer_.seen_[question.column].has_missing for question in asked)


def _leaf_text(node: int, curve: LeafCurve) -> str:
    median = curve.quantile(0.5)
    shown = "not reached" if math.isinf(median) else f"{median:g}"
    return f"leaf {node}: n {curve.n_rows:,}, events {curve.n_events:,}, median {shown}"
