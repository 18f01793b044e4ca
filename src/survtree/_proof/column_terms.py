"""What the columns that a tree splits on add to its objective, in numbers and in words."""

from collections import Counter
from math import fsum

from survtree._base.numbers import format_count, format_penalty
from survtree._base.tree import Tree
from survtree._base.words import quoted_name
from survtree._questions.questions import Questions

Penalties = dict[str, float] | None


def penalty_of_columns(tree: Tree, questions: Questions, penalties: Penalties) -> float:
    """The sum over all splits."""
    counts = _penalized_splits(tree, questions, penalties)
    return fsum(n * (penalties or {})[name] for name, n in counts.items())


def words_of_columns(tree: Tree, questions: Questions, penalties: Penalties) -> str:
    """For example " + 2 splits on biopsy x 0.002"; empty if no split has a penalty."""
    known = penalties or {}
    return "".join(
        f" + {format_count(n, 'split')} on {quoted_name(name)} x {format_penalty(known[name])}"
        for name, n in _penalized_splits(tree, questions, penalties).items()
    )


def sentences_of_rules(penalties: Penalties, first_split: str | None) -> list[str]:
    """What is asked of splits on some columns, a sentence for each rule."""
    out = [
        f"Each split on {quoted_name(name)} adds {format_penalty(penalty)} to the objective."
        for name, penalty in (penalties or {}).items()
    ]
    if first_split is not None:
        out.append(f"The first split must be on {quoted_name(first_split)}, if one can be.")
    return out


def _penalized_splits(tree: Tree, questions: Questions, penalties: Penalties) -> dict[str, int]:
    """How many splits are on each column that has a penalty."""
    if not penalties:
        return {}
    asked = [questions.asked[j] for j in tree.question.tolist() if j >= 0]
    names = [questions.names[question.column] for question in asked]
    return dict(Counter(name for name in names if penalties.get(name)))
