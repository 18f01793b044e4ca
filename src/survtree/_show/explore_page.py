"""The near-optimal set as one HTML page: to build a tree in, to compare trees, and to take one away."""

import warnings
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.utils import check_random_state

from survtree._base import SearchStoppedWarning
from survtree._base.checks import check_option
from survtree._base.files import whole_file
from survtree._base.numbers import format_count, format_penalty, json_number
from survtree._model.cross_validation import folds_of
from survtree._model.near_path import PathToFit, held_out_by_size, path_to_fit
from survtree._model.prepare import cohort_of
from survtree._model.recipe import versions_now
from survtree._search.problem import SearchSettings
from survtree._search.progress import watching
from survtree._search.read_teacher import seed_of
from survtree._show.checks import check_report_file, check_report_rows, check_report_text
from survtree._show.explore_facts import tree_list
from survtree._show.leaf_facts import CONFIDENCE, leaf_facts
from survtree._show.picture import ON_DARK, ON_LIGHT, screen_colours
from survtree._show.report_facts import proof_facts
from survtree._show.report_page import page_environment, page_part, policy_of
from survtree._show.report_scores import USUAL_FOLDS, WHY_NOT, why_not_refitted

TITLE = "Near-optimal survival trees"
# With more columns than this that no tree uses, the best tree with each would take long to find.
MOST_UNUSED = 20
WHY_INCOMPLETE = {
    "limit": "There are more trees within the slack than the {n} best that are listed here: pass a "
    "larger limit, or a smaller slack.",
    "interrupted": "The search was interrupted; the {n} best trees are listed.",
}
STOPPED = "The search was stopped by the {reason}; the {n} best trees are listed."


def write_explore(
    near: Any,
    file: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    title: str | None = None,
    times: Any = None,
    sizes: bool = True,
    cv: Any = "auto",
    command: str | None = None,
    random_state: Any = 0,
) -> None:
    """Write a near-optimal set as one HTML page, which needs no network."""
    path = check_report_file(file)
    heading = check_report_text("title", title) or TITLE
    shown = check_report_text("command", command)
    seed = seed_of(check_option("random_state", random_state))
    rows = check_report_rows(X, y, sample_weight, near.model.roles_)
    found = path_to_fit(near.model, SearchSettings(n_jobs=near.model.n_jobs)) if sizes else None
    scores = _scores(near, found, rows, cv, seed)
    facts = explore_facts(near, found, scores, times)
    text = page(facts, title=heading, command=shown)
    with whole_file(path) as stream:
        stream.write(text.encode())


class Scores(NamedTuple):
    """Means and standard errors of held-out IBS ratios by size, or why there are none."""

    means: list[float | None]
    errors: list[float | None]
    n_folds: int
    why_not: str


def _scores(near: Any, found: PathToFit | None, rows: Any, cv: Any, seed: int) -> Scores:
    reason = "no rows" if rows is None else why_not_refitted(near.model, cv)
    if found is None or reason:
        return Scores([], [], 0, WHY_NOT[reason] if reason else "")
    cohort = cohort_of(clone(near.model), *rows)
    n_events = int(cohort.events.event.sum())
    given = min(USUAL_FOLDS, n_events) if isinstance(cv, str) else cv
    folds = folds_of(given, cohort.events, check_random_state(seed))
    penalties = [model.regularization_ for model in found.models]
    with watching(0, None) as watch, warnings.catch_warnings():
        # In parts of one study, late rows and values seen elsewhere are a matter of course.
        warnings.simplefilter("ignore", UserWarning)
        ratios = held_out_by_size(near.model, penalties, cohort, folds, watch)
    n = ratios.shape[1]
    errors = ratios.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(ratios), np.nan)
    means = list(map(json_number, ratios.mean(axis=1)))
    return Scores(means, list(map(json_number, errors)), n, "")


class Asked(NamedTuple):
    """The best tree with a column, or without it, which is not in the set."""

    kind: str
    column: int
    model: Any


def explore_facts(
    near: Any, found: PathToFit | None, scores: Scores, times: Any = None
) -> dict[str, Any]:
    """All that the page says, as plain values."""
    best = near[0]
    asked = list(_asked(near))
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
        "is_path_proven": found is None or found.is_proven,
        "n_folds": scores.n_folds,
        "why_no_folds": scores.why_not,
        "offered": _offered(near, asked),
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
    """The best trees with and without columns, where no tree of the set is one."""
    used = columns_of_trees(near)
    questions = near.model.questions_
    in_any, in_all = frozenset.union(*used), frozenset.intersection(*used)
    unused = sorted({question.column for question in questions.asked} - in_any)
    wanted = [("without", column) for column in sorted(in_all)]
    if len(unused) <= MOST_UNUSED:
        wanted += [("with", column) for column in unused]
    for kind, column in wanted:
        condition = {"uses" if kind == "with" else "avoids": [questions.names[column]]}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SearchStoppedWarning)
                yield Asked(kind, column, near.best(**condition))
        except ValueError:  # no tree fulfils it
            continue


def _offered(near: Any, asked: list[Asked]) -> list[dict[str, Any]]:
    """The columns that can be wished for or against, those that are missed most first."""
    used, names = columns_of_trees(near), near.model.questions_.names
    known = {(each.kind, each.column): each.model for each in asked}
    columns = sorted({*frozenset.union(*used), *(column for _, column in known)})
    rows = []
    for column in columns:
        parts = {}
        for kind in ("with", "without"):
            is_there = kind == "with"
            place = next((k for k, each in enumerate(used) if (column in each) == is_there), None)
            model = known.get((kind, column))
            if place is not None:
                parts[kind] = _excess(near, float(near.objectives[place]), is_proven=True)
            elif model is not None:
                is_proven = model.status_ == "optimal"
                parts[kind] = _excess(near, model.objective_, is_proven=is_proven)
            else:
                parts[kind] = None
        share = sum(column in each for each in used) / len(used)
        rows.append({"column": column, "name": names[column], "share": share, **parts})
    rows.sort(key=lambda row: -(row["without"] or {"excess": np.inf})["excess"])
    return rows


def _excess(near: Any, objective: float, *, is_proven: bool) -> dict[str, Any]:
    excess = max(0.0, objective - near.optimum)
    share = excess / near.optimum if near.optimum > 0 else 0.0
    return {"excess": float(share), "is_proven": is_proven}


def _path_rows(
    found: PathToFit | None, scores: Scores, places: list[int]
) -> list[dict[str, Any]]:
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
            "from": float(penalty),
            "held_out": mean,
            "error": error,
        }
        for model, penalty, place, mean, error in zip(*columns, strict=True)
    ]


FOR_SCRIPT = (
    *("columns", "splits", "conditions", "curves", "leaves", "trees", "objectives", "groups"),
    *("shrinkages", "file", "differing", "summary", "asked", "path", "times", "unit", "z"),
    "has_medians",
)


def page(facts: dict[str, Any], *, title: str, command: str | None) -> str:
    """The page. Its only code and styles are those whose hashes its policy names."""
    most = max(len(order) for order in facts["groups"])
    style = page_part("style.css") + page_part("explore.css") + _leaf_styles(most)
    script = explore_script()
    summary, offered = facts["summary"], facts["offered"]
    without = [each["without"]["excess"] for each in offered if each["without"]]
    parts = [each[kind] for each in offered for kind in ("with", "without") if each[kind]]
    named = {each["column"] for each in offered if each["share"] > 0}
    text: str = _template().render(
        facts,
        title=title,
        command=command,
        style=Markup(style),
        script=Markup(script),
        policy=policy_of(style, script),
        why_incomplete=summary["why_incomplete"],
        slack_share=summary["slack"] / summary["optimum"] if summary["optimum"] > 0 else 0.0,
        limit=summary["optimum"] + summary["slack"],
        penalty=format_penalty(facts["proof"]["regularization"]),
        largest=max(without, default=0.0),
        are_all_proven=all(each["is_proven"] for each in parts),
        unused=[c["name"] for k, c in enumerate(facts["columns"]) if k not in named],
        version=versions_now()["survtree"],
        data_for_script={name: facts[name] for name in FOR_SCRIPT}
        | {"colours": [screen_colours(n, ON_LIGHT) for n in range(1, most + 1)]},
    )
    return text


def _leaf_styles(most: int) -> str:
    """Colours of leaves by the number of leaves, on light and on dark paper."""
    light, dark = (
        "".join(
            f".n{n} .r{rank}{{--leaf:{colour}}}"
            for n in range(1, most + 1)
            for rank, colour in enumerate(screen_colours(n, anchors))
        )
        for anchors in (ON_LIGHT, ON_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"


def explore_script() -> str:
    """All parts of the script in the order of their names, none of whose names leave it."""
    folder = files("survtree._show").joinpath("page", "explore")
    names = sorted(part.name for part in folder.iterdir() if part.name.endswith(".js"))
    parts = [folder.joinpath(name).read_text(encoding="utf-8") for name in names]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


@cache
def _template() -> Any:
    return page_environment().from_string(page_part("explore.html.j2"))
