"""The trees of the page of near-optimal trees, with nothing in it twice.

Thousands of trees share their splits, their leaves and nearly all of their model files. So the page
has a list of splits, one of leaves and one of curves, to which trees refer by number, one model
file, and of each tree what is different in its own. The page puts them together again.
"""

import base64
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from survtree._model.fitted import FittedTree
from survtree._model.model_file import as_dict, small_parts
from survtree._questions.forms import says_yes_if_missing
from survtree._scoring.curves import LeafCurve
from survtree._show.leaf_facts import conditions, paths_to_nodes

# A value that few trees have for themselves is kept once.
MOST_DISTINCT = 0.25
LARGE = ("columns", "questions", "tree", "leaves")  # of a model file


class Pool:
    """Things by number, each of them once."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._place: dict[Hashable, int] = {}

    def place(self, key: Hashable, item: Any) -> int:
        """The number of what the key stands for."""
        if key not in self._place:
            self._place[key] = len(self.items)
            self.items.append(item)
        return self._place[key]


class TreePools:
    """Splits, conditions, curves and leaves of all trees of a page."""

    def __init__(self) -> None:
        self.splits, self.conditions, self.curves, self.leaves = Pool(), Pool(), Pool(), Pool()

    def nodes(self, model: FittedTree) -> list[int]:
        """The tree as it is counted, no before yes: numbers of splits; below 0 those of leaves.

        A leaf is -1 minus its number.
        """
        tree, paths = model.tree_, paths_to_nodes(model.tree_, model.questions_)
        curves = model.leaf_curves_
        out, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if (place := int(tree.question[node])) >= 0:
                out.append(self.splits.place(place, place))
                waiting += [int(tree.yes[node]), int(tree.no[node])]
            else:
                where = conditions(model, paths[node])
                out.append(-1 - self._leaf(curves[node], where))
        return out

    def _leaf(self, curve: LeafCurve, where: tuple[str, ...]) -> int:
        parts = (curve.times, curve.events, curve.censored)
        # With weights, other rows may have the same curve.
        counts = (*(part.tobytes() for part in parts), curve.n_rows, curve.n_events)
        texts = [self.conditions.place(text, text) for text in where]
        leaf = [self.curves.place(counts, curve), *texts]
        return self.leaves.place(tuple(leaf), leaf)


def tree_list(models: Iterable[Any], regularization: float) -> dict[str, Any]:
    """All trees and what they share; objectives are for one penalty per leaf.

    Models are looked at one by one, since all of them at once would take much memory.
    """
    pools, parts = TreePools(), []
    lists: dict[str, list[Any]] = {"trees": [], "objectives": [], "groups": [], "shrinkages": []}
    first: Any = None
    for model in models:
        first = model if first is None else first
        lists["trees"].append(pools.nodes(model))
        cost = model.loss_ + model.certificate_.columns_penalty
        lists["objectives"].append(float(cost + regularization * model.n_leaves_))
        lists["groups"].append(_order_of_leaves(model))
        lists["shrinkages"].append(float(model.shrinkage_))
        parts.append(dict(_paths(small_parts(model, model._state))))
    return {
        "columns": [
            {"name": name, "has_missing": seen.has_missing}
            for name, seen in zip(first.questions_.names, first.binarizer_.seen_, strict=True)
        ],
        "splits": [_split(first, place) for place in pools.splits.items],
        "conditions": pools.conditions.items,
        "curves": packed_curves(pools.curves.items, first.unique_times_),
        "leaves": pools.leaves.items,
        **lists,
        "shrinkages": listed(lists["shrinkages"]),
        "file": as_dict(first, first._state) | {"tree": None, "leaves": None},
        "differing": differing(parts),
    }


def _split(model: FittedTree, place: int) -> dict[str, Any]:
    question = model.questions_.asked[place]
    return {
        "place": place,
        "text": model.questions_.text(place),
        "column": question.column,
        "is_yes_if_missing": says_yes_if_missing(question),
    }


def _order_of_leaves(model: FittedTree) -> list[int]:
    """The leaves by risk, as places among the leaves: decided here, so that names stay right."""
    number = model.tree_.leaf_numbers()
    return [int(number[node]) for node in model.groups_.values()]


def packed_curves(curves: Sequence[LeafCurve], times: Any) -> dict[str, Any]:
    """The counts of all curves in a few bytes for each of their steps.

    A step is a number of seven bits a byte, the low ones first: four times the number of times gone
    by since the last step, plus two if rows were censored, plus one if their weight is not the most
    common one. Then the place of that weight follows. No digit of a weight is lost.
    """
    steps = [_steps(curve, times) for curve in curves]
    common = Counter(weight for _, _, weights in steps for weight in weights)
    amounts = [weight for weight, _ in common.most_common()]
    place = {weight: k for k, weight in enumerate(amounts)}
    texts, sizes = bytearray(), []
    for gaps, kinds, weights in steps:
        begin = len(texts)
        for gap, kind, weight in zip(gaps, kinds, weights, strict=True):
            k = place[weight]
            _add_number(texts, 4 * gap + 2 * kind + (k > 0))
            if k:
                _add_number(texts, k)
        sizes.append(len(texts) - begin)
    return {
        "times": times.tolist(),
        "amounts": amounts,
        "rows": [curve.n_rows for curve in curves],
        "events": [curve.n_events for curve in curves],
        "sizes": sizes,
        "steps": base64.b64encode(bytes(texts)).decode("ascii"),
    }


def _steps(curve: LeafCurve, times: Any) -> tuple[list[int], list[int], list[float]]:
    """How many times go by before each step, whether rows were censored then, and their weight."""
    at = np.searchsorted(times, curve.times)
    places = np.concatenate([at[curve.events > 0], at[curve.censored > 0]])
    kinds = np.repeat([0, 1], [np.count_nonzero(curve.events), np.count_nonzero(curve.censored)])
    weights = np.concatenate([curve.events[curve.events > 0], curve.censored[curve.censored > 0]])
    order = np.lexsort((kinds, places))
    gaps = np.diff(places[order], prepend=0)
    return gaps.tolist(), kinds[order].tolist(), weights[order].tolist()


def _add_number(texts: bytearray, value: int) -> None:
    while value > 127:
        texts.append(value & 127 | 128)
        value >>= 7
    texts.append(value)


def differing(files: Sequence[dict[tuple[str, ...], Any]]) -> list[dict[str, Any]]:
    """The values of model files that are not the same in all, each with its path in the file."""
    first = files[0]
    paths = list(dict.fromkeys(path for file in files for path in file))
    return [
        {"path": list(path), **listed([file.get(path) for file in files])}
        for path in paths
        if any(file.get(path) != first.get(path) for file in files)
    ]


def _paths(file: dict[str, Any]) -> Iterable[tuple[tuple[str, ...], Any]]:
    """Values by their path; parts of the file have parts, which are taken whole."""
    for key, value in file.items():
        if key in LARGE:
            continue
        if key in ("options", "certificate"):
            yield from (((key, name), each) for name, each in value.items())
        else:
            yield (key,), value


def listed(values: Sequence[Any]) -> dict[str, Any]:
    """Values one after another; those that repeat once, and where they are."""
    pool = Pool()
    at = [pool.place(repr(value), value) for value in values]
    if len(pool.items) > MOST_DISTINCT * len(values):
        return {"values": list(values)}
    return {"values": pool.items, "at": at}
