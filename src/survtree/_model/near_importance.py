"""How much each column matters: what the best tree without it loses, and the best tree with it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from survtree._base.tree import Tree
from survtree._model.read_conditions import questions_by_column
from survtree._proof.choice import columns_of
from survtree._questions.questions import Questions
from survtree._search.near_trees import NearSearch


def importance_columns(
    search: NearSearch, tree: Tree, trees: Sequence[Tree], optimum: float
) -> dict[str, Any]:
    """A row for each column that has candidate splits, the one that is missed most first.

    The optimal tree itself is the best without every column that it does not split on, and the best
    with those that it does; so each column takes one search.
    """
    questions = search.problem.questions
    used = [columns_of(each, questions) for each in trees]
    in_optimum = columns_of(tree, questions)
    depths = _depths(trees, questions)
    rows = [
        {
            "column": name,
            **_excesses(search, places, optimum, is_used=name in in_optimum),
            "used": sum(name in columns for columns in used) / len(used),
            "first": sum(columns[:1] == (name,) for columns in used) / len(used),
            "mean_depth": np.mean(depths[name]) if name in depths else np.nan,
        }
        for name, places in questions_by_column(questions).items()
    ]
    rows.sort(key=_order)
    names = ["column", "excess_without", "excess_without_percent", "excess_with"]
    names += ["excess_with_percent", "used", "first", "mean_depth", "is_proven"]
    kinds = {"column": str, "is_proven": bool}
    return {
        name: np.array([row[name] for row in rows], dtype=kinds.get(name, float)) for name in names
    }


def _depths(trees: Sequence[Tree], questions: Questions) -> dict[str, list[int]]:
    """The depth of the topmost split on each column, in each tree that has one."""
    found: dict[str, list[int]] = {}
    for tree in trees:
        topmost: dict[str, int] = {}
        for question, depth in zip(tree.question.tolist(), tree.depths().tolist(), strict=True):
            if question >= 0:
                name = questions.names[questions.asked[question].column]
                topmost[name] = min(depth, topmost.get(name, depth))
        for name, depth in topmost.items():
            found.setdefault(name, []).append(depth)
    return found


def _excesses(
    search: NearSearch, places: frozenset[int], optimum: float, *, is_used: bool
) -> dict[str, Any]:
    """Both excesses; one of them is 0. NaN: no tree can split on the column, or none was found."""
    found = search.best(avoids=places) if is_used else search.best(uses=[places])
    if found.status == "interrupted":  # by Ctrl-C, which is about all columns
        raise KeyboardInterrupt
    excess = max(found.objective - optimum, 0.0) if found.tree is not None else np.nan
    with_it, without = (0.0, excess) if is_used else (excess, 0.0)
    share = 100.0 / optimum if optimum > 0 else np.nan
    return {
        "excess_without": without,
        "excess_without_percent": without * share,
        "excess_with": with_it,
        "excess_with_percent": with_it * share,
        "is_proven": found.status in ("optimal", "impossible"),
    }


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Those that are missed most, then those that cost least to use, then by their name.

    What is not known counts as infinite.
    """
    without, with_it = np.nan_to_num([row["excess_without"], row["excess_with"]], nan=np.inf)
    return -without, with_it, row["column"]
