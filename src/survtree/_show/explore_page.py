"""The near-optimal set as one HTML page: to build a tree in, to compare trees, to save one."""

from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from survtree._base import SearchStoppedWarning
from survtree._base.checks import check_option
from survtree._base.files import whole_file
from survtree._base.numbers import format_count, format_penalty
from survtree._base.warn import warn
from survtree._model.near_path import path_to_fit
from survtree._model.recipe import versions_now
from survtree._search.read_teacher import seed_of
from survtree._show.checks import check_page_has_one_cause, check_report_file, check_report_text
from survtree._show.explore_facts import explore_facts, scores_by_size
from survtree._show.picture import ON_DARK, ON_LIGHT, screen_colours
from survtree._show.report_page import page_environment, page_part, policy_of

TITLE = "Near-optimal survival trees"


def write_explore(
    near: Any,
    file: Any,
    *,
    title: str | None = None,
    times: Any = None,
    sizes: bool = True,
    cv: Any = "auto",
    command: str | None = None,
    random_state: Any = 0,
) -> None:
    """Write a near-optimal set as one HTML page, which needs no network.

    Parameters
    ----------
    near : NearOptimalTrees
        All of its trees are on the page; a few thousand are enough to choose among.
    file : path
        Where the page is written, as a whole or not at all.
    title : str, optional
        The heading of the page.
    times : list of times, optional
        Survival is shown at these, for all trees; by default at those that suit the best tree.
    sizes : bool, default=True
        Search for the best trees of smaller sizes, for the slider. The time limit of the set is
        that of these searches together; its other limits are those of each.
    cv : "auto", int, splitter, list of pairs or None, default="auto"
        Folds for cross-validated losses of the sizes. "auto" makes five if their fits take no more
        than about a minute. None leaves this out.
    command : str, optional
        How the set was made, if by a command; the page shows it.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    """
    check_page_has_one_cause(near.model.causes_)
    path = check_report_file(file)
    heading = check_report_text("title", title) or TITLE
    shown = check_report_text("command", command)
    seed = seed_of(check_option("random_state", random_state))
    found = path_to_fit(near.model, near._search.settings) if sizes else None
    if found is not None and not found.is_complete:
        n = format_count(len(found.models), "size")
        said = f"stopped by {found.stopped_by}: {n} of trees are on the page."
        warn(f"{said} There may be more.", SearchStoppedWarning)
    scores = scores_by_size(near, found, cv, seed)
    facts = explore_facts(near, found, scores, times)
    text = page(facts, title=heading, command=shown)
    with whole_file(path) as stream:
        stream.write(text.encode())


FOR_SCRIPT = (
    *("columns", "splits", "conditions", "curves", "leaves", "trees", "objectives", "groups"),
    *("shrinkages", "file", "differing", "summary", "asked", "path", "times", "unit", "z"),
    *("has_medians", "score"),
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
