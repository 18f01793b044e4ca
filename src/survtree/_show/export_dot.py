"""A tree as source for Graphviz."""

import textwrap

from sklearn.utils.validation import check_is_fitted

from survtree._model.fitted import FittedTree
from survtree._show.leaf_facts import Leaf, leaf_facts, median_text, risk_text, size_text

MOST_ON_A_LINE = 40
HEAD = """\
digraph survtree {
  graph [ordering=out, ranksep=0.4, nodesep=0.25];
  node [shape=box, fontname="Helvetica", fontsize=11, margin="0.12,0.07", color="#555555"];
  edge [fontname="Helvetica", fontsize=10, color="#555555", arrowsize=0.7];\
"""
LEAF_STYLE = 'style="filled,rounded", fillcolor="#eef3f8"'


def export_dot(model: FittedTree, *, confidence: float = 0.95) -> str:
    r"""The tree as source for Graphviz: ``dot -Tsvg tree.dot``.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    confidence : float, default=0.95
        Of the limits of the median, which are in brackets.

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
    check_is_fitted(model)
    facts = leaf_facts(model, (), confidence=confidence)
    told = {leaf.node: leaf for leaf in facts.leaves}
    tree, lines = model.tree_, [HEAD]
    for node in range(tree.n_nodes):
        if tree.question[node] < 0:
            lines.append(f'  n{node} [label="{_leaf_label(told[node])}", {LEAF_STYLE}];')
            continue
        question = textwrap.wrap(model.questions_.text(int(tree.question[node])), MOST_ON_A_LINE)
        lines.append(f'  n{node} [label="{_label(question)}"];')
        for answer, child in (("yes", tree.yes[node]), ("no", tree.no[node])):
            lines.append(f'  n{node} -> n{child} [label=" {answer} "];')
    return "\n".join([*lines, "}"])


def _leaf_label(leaf: Leaf) -> str:
    median = median_text(leaf.median)
    return _label([f"leaf {leaf.node}", size_text(leaf), median, risk_text(leaf)])


def _label(lines: list[str]) -> str:
    return r"\n".join(map(escaped, lines))


def escaped(text: str) -> str:
    """Graphviz would read a backslash as an escape, and &lt; as <."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
