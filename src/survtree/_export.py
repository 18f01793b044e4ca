"""A fitted tree in other forms. So far: text."""

import math
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from survtree._estimator import OptimalSurvivalTree


def export_text(model: "OptimalSurvivalTree") -> str:
    """The tree as indented text, with rows, events and median survival of each leaf."""
    check_is_fitted(model)
    lines: list[str] = []
    _add_lines(model, 0, "", "", lines)
    if _has_gaps(model):
        lines.append('A missing value answers no, except to "is missing".')
    return "\n".join(lines)


def _has_gaps(model: "OptimalSurvivalTree") -> bool:
    """Did a column that the tree asks about have missing values?"""
    asked = [model.questions_.asked[j] for j in model.tree_.question if j >= 0]
    return any(model.binarizer_.seen_[question.column].has_missing for question in asked)


def _add_lines(
    model: "OptimalSurvivalTree", node: int, branch: str, indent: str, lines: list[str]
) -> None:
    tree = model.tree_
    if tree.question[node] < 0:
        lines.append(f"{branch}{_leaf_text(model, node)}")
        return
    lines.append(f"{branch}{model.questions_.text(int(tree.question[node]))}?")
    _add_lines(model, int(tree.yes[node]), f"{indent}├─ yes: ", f"{indent}│       ", lines)
    _add_lines(model, int(tree.no[node]), f"{indent}└─ no:  ", f"{indent}        ", lines)


def _leaf_text(model: "OptimalSurvivalTree", node: int) -> str:
    curve = model.leaf_curves_[node]
    median = curve.quantile(0.5)
    shown = "not reached" if math.isinf(median) else f"{median:g}"
    return f"leaf {node}: n {curve.n_rows:,}, events {curve.n_events:,}, median {shown}"
