"""A tree as text: indented, as rules, one line per leaf, or as source for Graphviz."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from survtree._base.checks import check_choice
from survtree._base.numbers import format_decimals, format_median
from survtree._base.tree import Tree
from survtree._base.words import quoted_name
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurve, PredictedCurve
from survtree._show.leaf_facts import (
    NO,
    NO_OR_MISSING,
    YES,
    Leaf,
    LeafFacts,
    answers_on_edges,
    columns_asked,
    facts_to_write,
    given_names,
    shrinkage_of,
    takes_missing,
    where_text,
)
from survtree._show.leaf_texts import (
    curve_texts,
    group_text,
    notes_of,
    ratio_text,
    risk_text,
    shrinkage_notes,
    size_text,
    survival_name,
)
from survtree._show.shown_curves import shown_curve, words_of
from survtree._show.usual_times import has_medians, stated_time, unit_of

STYLES = ("tree", "rules", "leaves")
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
    times: Sequence[float] | None = None,
    confidence: float = 0.95,
    time_unit: str | None = None,
) -> str:
    """The tree as text.

    Leaves are called by their groups: 1 has the lowest risk. If most groups do not reach their
    median, survival at a round time is given instead.

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
    time_unit : str, optional
        The unit of time, such as "days"; by default that of the model.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, export_text
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> print(export_text(model))
    Karnofsky_score <= 45?
    ├─ yes: group 2: n 38, events 37, median 20
    └─ no:  group 1: n 99, events 91, median 111
    >>> print(export_text(model, "rules", times=[90], time_unit="days"))
    if Karnofsky_score <= 45:
        group 2: n 38, events 37, median 20 days (15 to 25), S(90 days) 0.08 (0.02 to 0.19)
    else:
        group 1: n 99, events 91, median 111 days (92 to 139), S(90 days) 0.61 (0.51 to 0.70)
    In brackets: 95 % confidence limits.
    """
    model = shown_tree_of(model)
    style = check_choice("style", style, STYLES)
    if style == "tree" and times is None:
        return _as_brief_tree(model, unit_of(model, time_unit))
    facts = facts_to_write(model, times, confidence, time_unit)
    if style == "tree":
        return _as_tree(model, facts)
    return _as_rules(model, facts) if style == "rules" else _as_leaves(model, facts)


def tree_text(
    tree: Tree,
    questions: Questions,
    leaves: Mapping[int, str],
    answers: Mapping[int, str] | None = None,
) -> str:
    """A tree with a text for each leaf, and the answers to each node if they are not yes and no."""
    lines: list[str] = []
    # A list and no recursion: a tree may be deeper than Python lets functions call each other.
    waiting = [(0, "", "")]
    while waiting:
        node, branch, indent = waiting.pop()
        if tree.question[node] < 0:
            lines.append(f"{branch}{leaves[node]}")
            continue
        lines.append(f"{branch}{questions.text(int(tree.question[node]))}?")
        yes, no = int(tree.yes[node]), int(tree.no[node])
        said = NO if answers is None else answers[no]
        waiting.append((no, f"{indent}└─ {f'{said}:':<4} ", f"{indent}        "))
        waiting.append((yes, f"{indent}├─ {YES}: ", f"{indent}│       "))
    return "\n".join(lines)


def brief_text(group: str, curve: LeafCurve, number: str) -> str:
    """A leaf in few words; the number is of its curve."""
    return f"{group}: n {curve.n_rows:,}, events {curve.n_events:,}, {number}"


def _as_brief_tree(model: FittedTree, unit: str | None) -> str:
    """Without limits, hazard ratios and tests, which take long for large trees."""
    shrinkage, names = shrinkage_of(model), given_names(model)
    time = None if has_medians(model) else stated_time(model, unit)
    words = words_of(model.causes_)
    what = "median" if time is None else survival_name(time, unit, words.letter)

    def value(curve: LeafCurve | PredictedCurve) -> str:
        if time is None:
            return format_median(curve.quantile(0.5), unit)
        return format_decimals(float(shown_curve(curve)(time)), 2)

    leaves = {}
    for group, node in model.groups_.items():
        own, predicted = model.leaf_curves_[node], model.predicted_curves_[node]
        number = f"{what} {value(own)}"
        if shrinkage > 0:
            number = f"predicted {what} {value(predicted)}, {words.estimator} {value(own)}"
        leaves[node] = brief_text(group_text(group, names[node]), own, number)
    lines = [tree_text(model.tree_, model.questions_, leaves, answers_on_edges(model))]
    lines += shrinkage_notes(shrinkage, words)
    return "\n".join(lines if time is None else [*lines, words.stated])


def _as_tree(model: FittedTree, facts: LeafFacts) -> str:
    leaves = {leaf.node: _leaf_line(leaf, facts) for leaf in facts.leaves}
    tree = tree_text(model.tree_, model.questions_, leaves, answers_on_edges(model))
    return "\n".join([tree, *notes_of(facts)])


def _leaf_line(leaf: Leaf, facts: LeafFacts) -> str:
    texts = [size_text(leaf), *curve_texts(leaf, facts)]
    return f"{group_text(leaf.group, leaf.name)}: {', '.join(texts)}"


def _as_rules(model: FittedTree, facts: LeafFacts) -> str:
    tree, questions, answers = model.tree_, model.questions_, answers_on_edges(model)
    leaves = {leaf.node: leaf for leaf in facts.leaves}
    lines: list[str] = []
    waiting = [(0, "", "")]  # nodes, each with the line before it
    while waiting:
        node, before, indent = waiting.pop()
        lines += [before] * bool(before)
        if tree.question[node] < 0:
            lines.append(f"{indent}{_leaf_line(leaves[node], facts)}")
            continue
        question, no = int(tree.question[node]), int(tree.no[node])
        name = quoted_name(questions.names[questions.asked[question].column])
        missing = f", or if {name} is missing" if answers[no] == NO_OR_MISSING else ""
        deeper = f"{indent}    "
        waiting.append((no, f"{indent}else{missing}:", deeper))
        waiting.append((int(tree.yes[node]), f"{indent}if {questions.text(question)}:", deeper))
    return "\n".join([*lines, *notes_of(facts)])


def _as_leaves(model: FittedTree, facts: LeafFacts) -> str:
    lines = []
    for leaf in facts.leaves:
        parts = [size_text(leaf), *curve_texts(leaf, facts), risk_text(leaf)]
        parts.append(ratio_text(leaf, facts.reference))
        name = group_text(leaf.group, leaf.name)
        lines.append(f"{name}: {where_text(leaf)}; {', '.join(parts)}")
    lines += notes_of(facts)
    seen = [model.binarizer_.seen_[column] for column in columns_asked(model)]
    if takes_missing(model) and not all(column.has_missing for column in seen):
        lines.append(MISSING_GOES_ALONG)
    return "\n".join(lines)


def export_dot(
    model: Any,
    *,
    times: Sequence[float] | None = None,
    confidence: float = 0.95,
    time_unit: str | None = None,
) -> str:
    r"""The tree as source for Graphviz: ``dot -Tsvg tree.dot``.

    Parameters
    ----------
    model, times, confidence, time_unit
        As in ``export_text``.

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
    facts = facts_to_write(model, times, confidence, time_unit)
    leaves = {leaf.node: leaf for leaf in facts.leaves}
    tree, lines, answers = model.tree_, [DOT_HEAD], answers_on_edges(model)
    for node in range(tree.n_nodes):
        if tree.question[node] < 0:
            leaf = leaves[node]
            label = [group_text(leaf.group, leaf.name), size_text(leaf)]
            label += [*curve_texts(leaf, facts), risk_text(leaf)]
            lines.append(f'  n{node} [label="{_dot_label(label)}", {DOT_LEAF_STYLE}];')
            continue
        question = textwrap.wrap(model.questions_.text(int(tree.question[node])), DOT_LINE_WIDTH)
        lines.append(f'  n{node} [label="{_dot_label(question)}"];')
        for child in (int(tree.yes[node]), int(tree.no[node])):
            lines.append(f'  n{node} -> n{child} [label=" {answers[child]} "];')
    if notes := notes_of(facts, has_limits=False):
        lines.append(f'  label="{_dot_label(notes)}"; fontname="Helvetica"; fontsize=10;')
    return "\n".join([*lines, "}"])


def _dot_label(lines: list[str]) -> str:
    """Lines in quotes. Graphviz would read a backslash as an escape, and &lt; as <."""
    text = "\n".join(lines).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return text.replace("\n", r"\n")
