"""A tree as text: indented, as rules, or a line a leaf."""

from collections.abc import Mapping, Sequence

from sklearn.utils.validation import check_is_fitted

from survtree._base.checks import check_choice
from survtree._base.tree import Tree
from survtree._model.fitted import FittedTree
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurve
from survtree._show.conditions import columns_asked, has_gaps
from survtree._show.leaf_facts import (
    Leaf,
    LeafFacts,
    leaf_facts,
    limits_text,
    median_text,
    ratio_text,
    risk_text,
    size_text,
    survival_texts,
    takes_missing,
    time_text,
    where_text,
)

STYLES = ("tree", "rules", "leaves")
MISSING_SAYS_NO = 'A missing value answers no, except to "is missing".'
MISSING_GOES_ALONG = (
    "A missing value in a column that had none at the fit answers no: it counts as above, as 0 or "
    "False, and as none of the levels named."
)


def export_text(
    model: FittedTree,
    style: str = "tree",
    *,
    times: Sequence[float] = (),
    confidence: float = 0.95,
) -> str:
    """The tree as text.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    style : {"tree", "rules", "leaves"}, default="tree"
        "tree": the questions with their branches, and rows, events and median survival of each
        leaf. "rules": the same as nested if and else, and the median with its limits. "leaves": a
        line a leaf, with all that holds of its rows, its risk and its hazard ratio.
    times : list of times, optional
        Survival of each leaf is told at these.
    confidence : float, default=0.95
        Of the limits in brackets.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, export_text
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> print(export_text(model))
    Karnofsky_score <= 45?
    ├─ yes: leaf 2: n 38, events 37, median 20
    └─ no:  leaf 1: n 99, events 91, median 111
    >>> print(export_text(model, "rules", times=[90]))
    if Karnofsky_score <= 45:
        leaf 2: n 38, events 37, median 20 (15 to 25), S(90) 0.08 (0.02 to 0.19)
    else:
        leaf 1: n 99, events 91, median 111 (92 to 139), S(90) 0.61 (0.51 to 0.70)
    In brackets: limits of 95 % confidence.
    """
    check_is_fitted(model)
    style = check_choice("style", style, STYLES)
    if style == "tree" and len(times) == 0:
        return _as_tree(model, None)
    facts = leaf_facts(model, times, confidence=confidence)
    if style == "tree":
        return _as_tree(model, facts)
    return _as_rules(model, facts) if style == "rules" else _as_leaves(model, facts)


def tree_text(
    tree: Tree,
    questions: Questions,
    curves: Mapping[int, LeafCurve],
    more: Mapping[int, str] | None = None,
) -> str:
    """A tree, what it asks, and the curves of its leaves by node number, with more to say of each.

    For those who have no fitted model.
    """
    lines: list[str] = []

    def add(node: int, branch: str, indent: str) -> None:
        if tree.question[node] < 0:
            tail = "" if more is None else more[node]
            lines.append(f"{branch}{_leaf_text(node, curves[node])}{tail}")
            return
        lines.append(f"{branch}{questions.text(int(tree.question[node]))}?")
        add(int(tree.yes[node]), f"{indent}├─ yes: ", f"{indent}│       ")
        add(int(tree.no[node]), f"{indent}└─ no:  ", f"{indent}        ")

    add(0, "", "")
    return "\n".join(lines)


def _leaf_text(node: int, curve: LeafCurve) -> str:
    median = time_text(curve.quantile(0.5))
    return f"leaf {node}: n {curve.n_rows:,}, events {curve.n_events:,}, median {median}"


def _as_tree(model: FittedTree, facts: LeafFacts | None) -> str:
    """Facts are for survival at some times only."""
    more = facts and {leaf.node: _survival_tail(leaf, facts) for leaf in facts.leaves}
    lines = [tree_text(model.tree_, model.questions_, model.leaf_curves_, more)]
    lines += [limits_text(facts)] if facts else []
    lines += [MISSING_SAYS_NO] if has_gaps(model) else []
    return "\n".join(lines)


def _as_rules(model: FittedTree, facts: LeafFacts) -> str:
    tree, questions, lines = model.tree_, model.questions_, []
    told = {leaf.node: leaf for leaf in facts.leaves}

    def add(node: int, indent: str) -> None:
        if tree.question[node] < 0:
            leaf = told[node]
            median = median_text(leaf.median)
            tail = _survival_tail(leaf, facts)
            lines.append(f"{indent}leaf {node}: {size_text(leaf)}, {median}{tail}")
            return
        lines.append(f"{indent}if {questions.text(int(tree.question[node]))}:")
        add(int(tree.yes[node]), f"{indent}    ")
        lines.append(f"{indent}else:")
        add(int(tree.no[node]), f"{indent}    ")

    add(0, "")
    notes = [limits_text(facts)] + ([MISSING_SAYS_NO] if has_gaps(model) else [])
    return "\n".join([*lines, *notes])


def _as_leaves(model: FittedTree, facts: LeafFacts) -> str:
    lines = []
    for leaf in facts.leaves:
        where = where_text(leaf)
        said = [size_text(leaf), median_text(leaf.median), risk_text(leaf)]
        said.append(ratio_text(leaf, facts.reference))
        tail = _survival_tail(leaf, facts)
        lines.append(f"leaf {leaf.node}: {where}; {', '.join(said)}{tail}")
    lines.append(limits_text(facts))
    seen = [model.binarizer_.seen_[column] for column in columns_asked(model)]
    if takes_missing(model) and not all(column.has_missing for column in seen):
        lines.append(MISSING_GOES_ALONG)
    return "\n".join(lines)


def _survival_tail(leaf: Leaf, facts: LeafFacts) -> str:
    return "".join(f", {text}" for text in survival_texts(leaf, facts.times))
