"""What the page of near-optimal trees says, as one dict of plain values that could be JSON."""

import warnings
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_random_state

from survtree._base import SearchStoppedWarning
from survtree._base.numbers import format_count, json_number
from survtree._model.cross_validation import folds_of
from survtree._model.near_path import PathToFit, held_out_by_size
from survtree._model.read_conditions import NotFoundInTimeError
from survtree._search.progress import watching
from survtree._show.explore_trees import tree_list
from survtree._show.leaf_facts import CONFIDENCE, leaf_facts
from survtree._show.report_facts import proof_facts
from survtree._show.report_scores import WHY_NOT, folds_to_make

# With more columns than this that no tree uses, the best tree with each would take long to find.
MOST_UNUSED = 20
WHY_INCOMPLETE = {
    "limit": "There are more trees within the slack than the {n} best that are listed here: pass a "
    "larger limit, or a smaller slack.",
    "interrupted": "The search was interrupted; the {n} best trees are listed.",
}
STOPPED = "The search was stopped by the {reason}; the {n} best trees are listed."


class Scores(NamedTuple):
    """Means and standard errors of held-out IBS ratios by size, or why there are none."""

    means: list[float | None]
    errors: list[float | None]
    n_folds: int
    why_not: str
    n_stopped: int = 0  # folds whose fit was ended by a limit


def scores_by_size(near: Any, found: PathToFit | None, cv: Any, seed: int) -> Scores:
    """Cross-validation of the sizes, on the rows of the fit; usual folds if they are affordable."""
    rows = near.rows
    given, reason = (None, "streamed") if rows.X is None else folds_to_make(near.model, rows, cv)
    if found is None or reason:
        return Scores([], [], 0, WHY_NOT[reason] if reason else "")
    folds = folds_of(given, rows.events, check_random_state(seed), is_kept=rows.is_kept)
    penalties = [model.regularization_ for model in found.models]
    with watching(0, None) as watch, warnings.catch_warnings():
        # In parts of one study, late rows and values seen elsewhere are a matter of course.
        warnings.simplefilter("ignore", UserWarning)
        ratios, n_stopped = held_out_by_size(near.model, penalties, rows, folds, watch)
    n = ratios.shape[1]
    errors = ratios.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(ratios), np.nan)
    means = list(map(json_number, ratios.mean(axis=1)))
    return Scores(means, list(map(json_number, errors)), n, "", n_stopped)


class Asked(NamedTuple):
    """The best tree with a column, or without it, which is not in the set; None if not found."""

    kind: str
    column: int
    model: Any


def explore_facts(
    near: Any, found: PathToFit | None, scores: Scores, times: Any = None
) -> dict[str, Any]:
    """All that the page says, as plain values."""
    best = near[0]
    every = list(_asked(near))
    asked = [each for each in every if each.model is not None]
    sizes = [] if found is None else found.models
    others = [each.model for each in asked] + list(sizes)
    models = chain((near[place] for place in range(len(near))), others)
    shared = tree_list(models, best.regularization_)
    places = _places(shared["trees"], len(near))
    of_leaves = leaf_facts(best, times)
    n_asked = len(near) + len(asked)
    return {
        **shared,
        "summary": _summary(near, best),
        "asked": [
            {
                "tree": places[len(near) + k],
                "kind": each.kind,
                "column": each.column,
                "is_proven": each.model.status_ == "optimal",
            }
            for k, each in enumerate(asked)
        ],
        "path": _path_rows(found, scores, places[n_asked:]),
        # What the sizes are compared by: the IBS ratio is a share of it.
        "score": "Loss" if best.certificate_.loss_kind == "brier" else "Integrated Brier score",
        "path_stopped_by": "" if found is None else found.stopped_by,
        "n_folds": scores.n_folds,
        "n_folds_stopped": scores.n_stopped,
        "why_no_folds": scores.why_not,
        "offered": _offered(near, every),
        "times": list(of_leaves.times),
        "unit": of_leaves.unit,
        "has_medians": of_leaves.has_medians,
        "is_shrunken": of_leaves.shrinkage > 0,
        "z": float(ndtri(0.5 + CONFIDENCE / 2)),
        "proof": proof_facts(near.model.certificate_, len(near.model.questions_), None),
    }


def _places(trees: list[list[int]], n_set: int) -> list[int]:
    """Where each tree is found first: those beside the set may be in it."""
    first: dict[tuple[int, ...], int] = {}
    found = [first.setdefault(tuple(nodes), place) for place, nodes in enumerate(trees)]
    return [*range(n_set), *found[n_set:]]


def _summary(near: Any, best: Any) -> dict[str, Any]:
    curves = best.leaf_curves_.values()
    return {
        "n_trees": len(near),
        "is_complete": bool(near.is_complete),
        "slack": float(near.slack),
        "optimum": float(best.objective_),
        "rows": sum(curve.n_rows for curve in curves),
        "events": sum(curve.n_events for curve in curves),
        "why_incomplete": _why_incomplete(near),
    }


def _why_incomplete(near: Any) -> str:
    if near.is_complete:
        return ""
    text = WHY_INCOMPLETE.get(near.status, STOPPED)
    return text.format(n=format_count(len(near)), reason=near.status.replace("_", " "))


def columns_of_trees(near: Any) -> list[frozenset[int]]:
    """The places of the columns that each tree of the set splits on."""
    asked = near.model.questions_.asked
    return [
        frozenset(asked[j].column for j in tree.question[tree.question >= 0].tolist())
        for tree in near.trees
    ]


def _asked(near: Any) -> Iterator[Asked]:
    """The best trees without each column of the optimum, and with each other one.

    The set has one tree of those that divide the rows in the same way. So its trees do not say what
    a column costs, unless it costs nothing.
    """
    used = columns_of_trees(near)
    questions = near.model.questions_
    in_any, in_best = frozenset.union(*used), used[0]
    unused = sorted({question.column for question in questions.asked} - in_any)
    wanted = [("without", column) for column in sorted(in_best)]
    wanted += [("with", column) for column in sorted(in_any - in_best)]
    if len(unused) <= MOST_UNUSED:
        wanted += [("with", column) for column in unused]
    for kind, column in wanted:
        condition = {"uses" if kind == "with" else "avoids": [questions.names[column]]}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SearchStoppedWarning)
                model = near.best(**condition)
            if model.status_ == "interrupted":  # by Ctrl-C, which is about all columns
                raise KeyboardInterrupt
            yield Asked(kind, column, model)
        except NotFoundInTimeError:
            yield Asked(kind, column, None)
        except ValueError:  # no tree fulfils it
            continue


def _offered(near: Any, asked: list[Asked]) -> list[dict[str, Any]]:
    """The columns that can be wished for or against, those that are missed most first."""
    used, names = columns_of_trees(near), near.model.questions_.names
    known = {(each.kind, each.column): each.model for each in asked}
    found_none = {key for key, model in known.items() if model is None}
    columns = sorted({*frozenset.union(*used), *(column for _, column in known)})
    rows = []
    for column in columns:
        parts: dict[str, dict[str, Any] | None] = {}
        for kind in ("with", "without"):
            is_there = kind == "with"
            place = next((k for k, each in enumerate(used) if (column in each) == is_there), None)
            model = known.get((kind, column))
            found = [] if place is None else [float(near.objectives[place])]
            found += [] if model is None else [model.objective_]
            is_proven = place == 0 or (model is not None and model.status_ == "optimal")
            parts[kind] = _excess(near, min(found), is_proven=is_proven) if found else None
        share = sum(column in each for each in used) / len(used)
        unknown = [kind for kind in parts if parts[kind] is None and (kind, column) in found_none]
        of_column = {"column": column, "name": names[column], "share": share, "unknown": unknown}
        rows.append({**of_column, **parts})
    rows.sort(key=lambda row: -(row["without"] or {"excess": np.inf})["excess"])
    return rows


def _excess(near: Any, objective: float, *, is_proven: bool) -> dict[str, Any]:
    excess = max(0.0, objective - near.optimum)
    share = excess / near.optimum if near.optimum > 0 else 0.0
    return {"excess": float(share), "is_proven": is_proven}


def _path_rows(found: PathToFit | None, scores: Scores, places: list[int]) -> list[dict[str, Any]]:
    if found is None:
        return []
    unknown = [None] * len(places)
    columns = (
        found.models,
        found.lowest_penalties,
        places,
        scores.means or unknown,
        scores.errors or unknown,
    )
    return [
        {
            "tree": place,
            "leaves": model.n_leaves_,
            "loss": float(model.loss_),
            "ratio": float(model.ibs_ratio_),
            "from": json_number(penalty),
            "held_out": mean,
            "error": error,
        }
        for model, penalty, place, mean, error in zip(*columns, strict=True)
    ]
