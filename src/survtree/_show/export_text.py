"""A tree as text: indented, as rules, one line per leaf, or as source for Graphviz."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from survtree._base.checks import check_choice
from survtree._base.numbers import format_median
from survtree._base.tree import Tree
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurve
from survtree._scoring.shrinkage import PredictedCurve
from survtree._show.leaf_facts import (
    Leaf,
    LeafFacts,
    columns_asked,
    has_gaps,
    leaf_facts,
    shrinkage_of,
    takes_missing,
    where_text,
)
from survtree._show.leaf_texts import (
    limits_note,
    median_texts,
    ratio_text,
    risk_text,
    shrinkage_notes,
    size_text,
    survival_texts,
)

STYLES = ("tree", "rules", "leaves")
MISSING_SAYS_NO = 'A missing value answers no, except to "is missing".'
MISSING_GOES_ALONG = (
    "A missing value in a column that had none at the fit answers no: it counts as above, as 0 or "
    "False, and as none of the levels named."
)

DOT_LINE_WIDTH = 40
DOT_HEAD = """\
digraph survtree {
  graph [ordering=out, ranksep=0.4, nodesep=0.25];
  node [shape=box, fontname="Helvetica", fontsize=11, margin="0.12,0.07", color="#555555"];
  edge [fontname="Helvetica", fontsize=10, color="#555555", arrowsize=0.7];\
"""
DOT_LEAF_STYLE = 'style="filled,rounded", fillcolor="#eef3f8"'


def export_text(
    model: Any,
    style: str = "tree",
    *,
    times: Sequence[float] = (),
    confidence: float = 0.95,
) -> str:
    """The tree as text.

    If ``shrinkage_`` is above 0, numbers that are predicted and those of the leaf's own
    Kaplan-Meier curve stand beside each other.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it.
    style : {"tree", "rules", "leaves"}, default="tree"
        "tree": the splits with their branches, and rows, events and median survival of each leaf.
        "rules": the same as nested if and else, and the median with its limits. "leaves": one line
        per leaf, with all conditions of its rows, its risk and its hazard ratio.
    times : list of times, optional
        Survival of each leaf is given at these.
    confidence : float, default=0.95
        Confidence level of the limits in brackets.

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
    In brackets: 95 % confidence limits.
    """
    model = shown_tree_of(model)
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
    predicted: Mapping[int, PredictedCurve] | None = None,
    more: Mapping[int, str] | None = None,
) -> str:
    """A tree with the curves of its leaves by node number, and more text for each leaf.

    ``predicted`` are curves that differ from those of the leaves' own rows. For callers that have
    no fitted model.
    """
    lines: list[str] = []

    def add(node: int, branch: str, indent: str) -> None:
        if tree.question[node] < 0:
            tail = "" if more is None else more[node]
            shrunken = None if predicted is None else predicted[node]
            lines.append(f"{branch}{_leaf_text(node, curves[node], shrunken)}{tail}")
            return
        lines.append(f"{branch}{questions.text(int(tree.question[node]))}?")
        add(int(tree.yes[node]), f"{indent}├─ yes: ", f"{indent}│       ")
        add(int(tree.no[node]), f"{indent}└─ no:  ", f"{indent}        ")

    add(0, "", "")
    return "\n".join(lines)


def _leaf_text(node: int, curve: LeafCurve, predicted: PredictedCurve | None) -> str:
    median = format_median(curve.quantile(0.5))
    medians = f"median {median}"
    if predicted is not None:
        shrunken = format_median(predicted.quantile(0.5))
        medians = f"predicted median {shrunken}, Kaplan-Meier {median}"
    return f"leaf {node}: n {curve.n_rows:,}, events {curve.n_events:,}, {medians}"


def _as_tree(model: FittedTree, facts: LeafFacts | None) -> str:
    """Facts are needed only for survival at some times."""
    more = facts and {leaf.node: _survival_tail(leaf, facts) for leaf in facts.leaves}
    shrinkage = shrinkage_of(model)
    predicted = model.predicted_curves_ if shrinkage > 0 else None
    lines = [tree_text(model.tree_, model.questions_, model.leaf_curves_, predicted, more)]
    lines += shrinkage_notes(shrinkage)
    lines += [limits_note(facts)] if facts else []
    lines += [MISSING_SAYS_NO] if has_gaps(model) else []
    return "\n".join(lines)


def _as_rules(model: FittedTree, facts: LeafFacts) -> str:
    tree, questions, lines = model.tree_, model.questions_, []
    leaves = {leaf.node: leaf for leaf in facts.leaves}

    def add(node: int, indent: str) -> None:
        if tree.question[node] < 0:
            leaf = leaves[node]
            medians = ", ".join(median_texts(leaf))
            tail = _survival_tail(leaf, facts)
            lines.append(f"{indent}leaf {node}: {size_text(leaf)}, {medians}{tail}")
            return
        lines.append(f"{indent}if {questions.text(int(tree.question[node]))}:")
        add(int(tree.yes[node]), f"{indent}    ")
        lines.append(f"{indent}else:")
        add(int(tree.no[node]), f"{indent}    ")

    add(0, "")
    notes = [*shrinkage_notes(facts.shrinkage), limits_note(facts)]
    notes += [MISSING_SAYS_NO] if has_gaps(model) else []
    return "\n".join([*lines, *notes])


def _as_leaves(model: FittedTree, facts: LeafFacts) -> str:
    lines = []
    for leaf in facts.leaves:
        parts = [size_text(leaf), *median_texts(leaf), risk_text(leaf)]
        parts += [ratio_text(leaf, facts.reference), *survival_texts(leaf, facts.times)]
        lines.append(f"leaf {leaf.node}: {where_text(leaf)}; {', '.join(parts)}")
    lines += [*shrinkage_notes(facts.shrinkage), limits_note(facts)]
    seen = [model.binarizer_.seen_[column] for column in columns_asked(model)]
    if takes_missing(model) and not all(column.has_missing for column in seen):
        lines.append(MISSING_GOES_ALONG)
    return "\n".join(lines)


def _survival_tail(leaf: Leaf, facts: LeafFacts) -> str:
    return "".join(f", {text}" for text in survival_texts(leaf, facts.times))


def export_dot(model: Any, *, confidence: float = 0.95) -> str:
    r"""The tree as source for Graphviz: ``dot -Tsvg tree.dot``.

    Parameters
    ----------
    model, confidence
        As in ``export_text``; the limits in brackets are those of the median.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, export_dot
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> print("\n".join(export_dot(model).splitlines()[4:7]))
      n0 [label="Karnofsky_score <= 45"];
      n0 -> n2 [label=" yes "];
      n0 -> n1 [label=" no "];
    """
    model = shown_tree_of(model)
    facts = leaf_facts(model, (), confidence=confidence)
    leaves = {leaf.node: leaf for leaf in facts.leaves}
    tree, lines = model.tree_, [DOT_HEAD]
    for node in range(tree.n_nodes):
        if tree.question[node] < 0:
            leaf = leaves[node]
            label = [f"leaf {node}", size_text(leaf), *median_texts(leaf), risk_text(leaf)]
            lines.append(f'  n{node} [label="{_dot_label(label)}", {DOT_LEAF_STYLE}];')
            continue
        question = textwrap.wrap(model.questions_.text(int(tree.question[node])), DOT_LINE_WIDTH)
        lines.append(f'  n{node} [label="{_dot_label(question)}"];')
        for answer, child in (("yes", tree.yes[node]), ("no", tree.no[node])):
            lines.append(f'  n{node} -> n{child} [label=" {answer} "];')
    for note in shrinkage_notes(facts.shrinkage):
        lines.append(f'  label="{_dot_label([note])}"; fontname="Helvetica"; fontsize=10;')
    return "\n".join([*lines, "}"])


def _dot_label(lines: list[str]) -> str:
    """Lines in quotes. Graphviz would read a backslash as an escape, and &lt; as <."""
    text = "\n".join(lines).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return text.replace("\n", r"\n")
