"""The plots as pictures of a page or a notebook, with groups that a script can find."""

from typing import Any, NamedTuple

from markupsafe import Markup
from matplotlib.style import context

from survtree._base.numbers import NOT_REACHED, format_count, format_number
from survtree._model.fitted import FittedTree
from survtree._show.leaf_facts import LeafFacts, leaf_facts
from survtree._show.leaf_style import ON_DARK, ON_LIGHT, by_risk, leaf_strokes, screen_colours
from survtree._show.picture import Picture
from survtree._show.plot_calibration import Calibration, calibration_on_page
from survtree._show.plot_curves import curves_on_page
from survtree._show.plot_gap import gap_on_page
from survtree._show.plot_tree import tree_on_page
from survtree._show.svg import PIXELS_PER_POINT, Group, number, svg_of

CURVES = "Kaplan-Meier curves of all leaves; the table of leaves has their numbers"
CALIBRATION = "Predicted and observed survival; the table has the numbers"
GAP = "Objective and lower bound during the search"
# More leaves side by side would be too wide for a page.
MOST_SIDE_BY_SIDE = 6
LEAST_SCALE, WIDEST_BESIDE_CURVES = 0.86, 705
WIDE = """@media screen and (min-width:1240px){#tree>.pair{width:min(96vw,1420px);
margin-left:calc(50% - min(48vw,710px));justify-content:center}}
"""


class Pictures(NamedTuple):
    """All pictures of a page, empty where there is nothing to draw; dashes are by leaf."""

    tree: Markup
    tree_width: float  # in pixels
    curves: Markup
    calibration: Markup
    gap: Markup
    dashes: dict[int, str]


@context("default")  # pages do not follow the style that a user has set for plots
def page_pictures(model: FittedTree, facts: dict[str, Any]) -> Pictures:
    """What is drawn on the page of a model."""
    curves = curves_on_page(model, facts["confidence"])
    scores = facts["scores"] or {"calibration": []}
    found = [Calibration(**at) for at in scores["calibration"]]
    points = calibration_on_page(found, facts["confidence"]) if found else None
    return Pictures(
        *tree_svg(model, facts, leaf_facts(model, confidence=facts["confidence"])),
        svg_of(curves, _curve_groups(model), role="img", aria_label=CURVES, class_="chart curves"),
        _chart(points, CALIBRATION),
        _chart(gap_on_page(model), GAP),
        leaf_dashes(model),
    )


def _chart(picture: Picture | None, label: str) -> Markup:
    if picture is None:
        return Markup("")
    return svg_of(picture, {}, role="img", aria_label=label, class_="chart")


@context("default")
def tree_svg(
    model: FittedTree, facts: dict[str, Any], leaf_numbers: LeafFacts
) -> tuple[Markup, float]:
    """The tree and its width in pixels.

    Nodes have their number in data-node, lines that of the node they lead to.
    """
    direction = "down" if len(facts["leaves"]) <= MOST_SIDE_BY_SIDE else "right"
    picture = tree_on_page(model, leaf_numbers, direction)
    colours = dict(zip(by_risk(model), screen_colours(len(facts["leaves"])), strict=True))
    leaves = {leaf["node"]: leaf for leaf in facts["leaves"]}
    order = _as_read(facts["tree"])
    groups = {
        f"edge-{node}": Group({"class_": "edge", "data_node": node}) for node in order if node > 0
    }
    for node in order:
        known = facts["tree"][node]
        text = _leaf_text(leaves[node]) if node in leaves else _split_text(known)
        kind = f"node leaf r{known['rank']}" if node in leaves else "node"
        about = {"class_": kind, "data_node": node, "role": "img", "aria_label": text}
        groups[f"node-{node}"] = Group(about, text, colours.get(node, "gray"))
    width = 72 * PIXELS_PER_POINT * float(picture.figure.get_size_inches()[0])
    return svg_of(picture, groups, role="group", aria_label="The tree", class_="tree"), width


def _as_read(nodes: list[dict[str, Any]]) -> list[int]:
    """Nodes as they are read: a split, then its yes, then its no."""
    read, waiting = [], [0]
    while waiting:
        node = nodes[waiting.pop()]
        read.append(node["node"])
        waiting += [node[way] for way in ("no", "yes") if way in node]
    return read


def counts_text(facts: dict[str, Any]) -> str:
    """How many rows and events a node or a leaf has."""
    return f"{format_count(facts['rows'], 'row')}, {format_count(facts['events'], 'event')}"


def median_text(leaf: dict[str, Any]) -> str:
    """The median of a leaf."""
    value = leaf["median"]["value"]
    return f"median {NOT_REACHED if value is None else format_number(value)}"


def _split_text(node: dict[str, Any]) -> str:
    return f"{node['text']}? {counts_text(node)}"


def _leaf_text(leaf: dict[str, Any]) -> str:
    where = " and ".join(leaf["where"]) or "all rows"
    return f"leaf {leaf['node']}: {where}; {counts_text(leaf)}, {median_text(leaf)}"


def _curve_groups(model: FittedTree) -> dict[str, Group]:
    """Bands below, curves above, each with the number of its leaf in data-leaf."""
    nodes = by_risk(model)
    colours = screen_colours(len(nodes))
    return {
        f"{kind}-{node}": Group({"class_": f"{kind} r{rank}", "data_leaf": node}, "", colours[rank])
        for kind in ("band", "curve")
        for rank, node in enumerate(nodes)
    }


def leaf_dashes(model: FittedTree) -> dict[int, str]:
    """The stroke of each leaf as SVG writes it, for the small samples in tables."""
    strokes = leaf_strokes(model)
    return {
        node: "" if isinstance(stroke, str) else " ".join(number(2 * part) for part in stroke[1])
        for node, stroke in strokes.items()
    }


def leaf_styles(n_leaves: int) -> str:
    """Colours of leaves as style rules, on light and on dark paper."""
    light, dark = (
        "".join(
            f".r{rank}{{--leaf:{colour}}}"
            for rank, colour in enumerate(screen_colours(n_leaves, anchors))
        )
        for anchors in (ON_LIGHT, ON_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"


def tree_styles(width: float) -> str:
    """How far the tree may shrink before it scrolls, so that its text can be read.

    A tree that has no room beside its curves may be wider than the text if the screen is wide.
    """
    least = number(LEAST_SCALE * width)
    rules = f".tree{{min-width:{least}px}}.tree-box{{flex-basis:{least}px}}"
    return f"@media screen{{{rules}}}\n{WIDE if float(least) > WIDEST_BESIDE_CURVES else ''}"
