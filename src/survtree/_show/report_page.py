"""The report as one HTML page that loads nothing else, and the tree for a notebook."""

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from sklearn.utils.validation import check_is_fitted

from survtree._base import numbers
from survtree._base.checks import check_option
from survtree._base.files import whole_file
from survtree._base.numbers import format_limits, format_number, format_percent, with_unit
from survtree._search.read_teacher import seed_of
from survtree._show.checks import check_report_file, check_report_rows, check_report_text
from survtree._show.leaf_facts import CONFIDENCE, facts_to_write
from survtree._show.report_facts import (
    leaf_list,
    report_facts,
    tree_facts,
)
from survtree._show.report_pictures import (
    FONT,
    Pictures,
    counts_text,
    leaf_styles,
    median_text,
    page_pictures,
    tag,
    tree_styles,
    tree_svg,
)

TITLE = "Optimal survival tree"
# What the template can call by these names.
FORMATS: dict[str, Callable[..., str]] = {
    name: getattr(numbers, f"format_{name}")
    for name in ("number", "decimals", "percent", "count", "ratio", "p_value", "limits")
}


def write_report(
    model: Any,
    file: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    title: str | None = None,
    times: Any = None,
    cv: Any = "auto",
    compare: bool = False,
    command: str | None = None,
    random_state: Any = 0,
    groups: Any = None,
) -> None:
    """Write a fitted model as one HTML page, which needs no network.

    The same model and rows give the same bytes.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    file : path
        Where the page is written, as a whole or not at all.
    X, y : the rows and their outcome, optional
        As at fit. Without them the page has no scores, no calibration, no summary of the data, and
        no check of the proof. Rows that the model was not fitted on are scored as new ones. If the
        fit took the outcome from columns of X, y may be left out.
    sample_weight : array of positive numbers, optional
        The weights of the fit.
    title : str, optional
        The heading of the page.
    times : list of times, optional
        Survival and calibration are shown at these; by default at three round times.
    cv : "auto", int, splitter, list of pairs or None, default="auto"
        Folds for scores on held-out rows: the model is fitted again for each, with its own options.
        "auto" makes five if their fits take no more than about a minute. None leaves this out; the
        page then says that nothing was measured on held-out rows.
    compare : bool, default=False
        Score other models on the same held-out rows: one curve for all, a Cox model with a ridge
        penalty, and a greedy tree that is split while a log-rank test says so.
    command : str, optional
        How the model was made, if by a command; the page shows it.
    random_state : int, RandomState or None, default=0
        Seed of the folds, which the page shows.
    groups : array, name of a column of X, or None, default=None
        Rows of one group, such as those of one subject, are in the same fold.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from survtree import OptimalSurvivalTree
    >>> from survtree.datasets import load
    >>> X, y = load("veterans")
    >>> model = OptimalSurvivalTree(max_depth=2, regularization=0.001).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     model.report(path, X, y, cv=None)
    ...     page = path.read_text(encoding="utf-8")
    >>> page.startswith("<!doctype html>")
    True
    """
    check_is_fitted(model)
    path = check_report_file(file)
    heading = check_report_text("title", title) or TITLE
    shown = check_report_text("command", command)
    seed = seed_of(check_option("random_state", random_state))
    rows = check_report_rows(X, y, sample_weight, model.roles_)
    how = {"times": times, "cv": cv, "compare": bool(compare), "seed": seed, "groups": groups}
    facts = report_facts(model, rows, title=heading, command=shown, **how)
    text = page(facts, page_pictures(model, facts))
    with whole_file(path) as stream:
        stream.write(text.encode())


def page(facts: dict[str, Any], pictures: Pictures) -> str:
    """The page. Its only code and styles are those whose hashes its policy names."""
    own = leaf_styles(len(facts["leaves"])) + tree_styles(pictures.tree_width)
    style = page_part("style.css") + own
    script = page_part("script.js")
    text: str = _template().render(
        facts,
        style=Markup(style),
        script=Markup(script),
        policy=policy_of(style, script),
        data_for_script=_needed_by_script(facts),
        pictures=pictures,
        unit_after=f" {facts['unit']}" if facts["unit"] else "",
        reference=next(
            leaf["label"] for leaf in facts["leaves"] if leaf["node"] == facts["reference_leaf"]
        ),
        shortly={leaf["node"]: "; ".join(_numbers(leaf, facts)[:2]) for leaf in facts["leaves"]},
        labels={leaf["node"]: leaf["label"] for leaf in facts["leaves"]},
        ranks={node["node"]: node["rank"] for node in facts["tree"] if "rank" in node},
    )
    return text


def _needed_by_script(facts: dict[str, Any]) -> dict[str, Any]:
    """What the form and the tree need; numbers of leaves are in the table of the page."""
    needed = ("no", "yes", "text", "field", "question", "rows", "events")
    nodes = [{key: node[key] for key in needed if key in node} for node in facts["tree"]]
    leaves = {leaf["node"]: "; ".join(_numbers(leaf, facts)) for leaf in facts["leaves"]}
    labels = {leaf["node"]: leaf["label"] for leaf in facts["leaves"]}
    return {"nodes": nodes, "fields": facts["fields"], "leaves": leaves, "labels": labels}


def _numbers(leaf: dict[str, Any], facts: dict[str, Any]) -> list[str]:
    """What is known of a leaf, in words."""
    limits = format_limits(leaf["median"]["low"], leaf["median"]["high"])
    median = median_text(leaf, facts["unit"]) + (f" ({limits})" if limits else "")
    causes = facts["causes"]
    what = "without the event at" if causes is None else f"with {causes['target']} by"
    shares, predicted = [at["value"] for at in leaf["survival"]], ""
    if leaf["predicted"] is not None:
        shares, predicted = leaf["predicted"]["survival"], "predicted "
    survival = [
        f"{predicted}{format_percent(share)} {what} {with_unit(format_number(time), facts['unit'])}"
        for time, share in zip(facts["times"], shares, strict=True)
    ]
    return [counts_text(leaf), *([median] if facts["has_medians"] else []), *survival]


def policy_of(style: str, script: str) -> str:
    """Nothing is loaded, and nothing runs but what is written here."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page_part(name: str) -> str:
    """The template, the styles or the script."""
    return files("survtree._show").joinpath("page", name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    return page_environment().from_string(page_part("template.html.j2"))


def page_environment() -> Any:
    """Where templates of pages are read: all text is escaped, and unknown names are errors."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "sort_keys": True}
    environment.filters.update(FORMATS)
    environment.globals.update(FORMATS, zip=zip, counts=counts_text)
    return environment


def notebook_html(model: Any) -> str:
    """The tree and what was proven, for a cell of a notebook on light or dark paper."""
    found = facts_to_write(model, None, CONFIDENCE, None)
    facts = {"tree": tree_facts(model, found), "leaves": leaf_list(found)}
    line = tag("p", model.certificate_.summary(), style=f"margin:.4em 0 0;font:13px {FONT}")
    tree, _ = tree_svg(model, facts, found)
    return str(tag("div", tree, line, style="overflow-x:auto;max-width:100%"))
