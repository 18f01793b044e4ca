"""The plots as markup for a page: small, and without styles or identifiers, in groups.

matplotlib's own SVG has a style on every element, which the policy of a report forbids, and
identifiers that clash when a notebook shows two pictures. So this is a renderer of its own: it
writes paths and text. Colours get a class, from which a style sheet can make light and dark themes,
and an attribute that shows on both, for notebooks.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup, escape
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_hex
from matplotlib.path import Path
from matplotlib.style import context
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from survtree._base.numbers import NOT_REACHED, format_count, format_number, with_unit
from survtree._model.fitted import FittedTree
from survtree._show.fonts import SLACK, Fonts
from survtree._show.leaf_facts import LeafFacts, facts_to_write
from survtree._show.leaf_texts import curve_texts
from survtree._show.picture import (
    BLACK,
    BLUE,
    GREY,
    ON_DARK,
    ON_LIGHT,
    ORANGE,
    PALE,
    PURPLE,
    SOFT,
    WHITE,
    Picture,
    by_risk,
    leaf_strokes,
    screen_colours,
)
from survtree._show.plot_curves import curves_on_page
from survtree._show.plot_quality import calibration_on_page, gap_on_page
from survtree._show.plot_tree import tree_on_page

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
PIXELS_PER_POINT = 4 / 3
# What the colours of plots stand for, with a colour and an opacity that show on light and dark
# paper. All other colours are those of leaves.
ROLES = {
    BLACK: ("ink", "currentColor", 1.0),
    GREY: ("muted", "currentColor", 0.7),
    PALE: ("pale", "currentColor", 0.2),
    SOFT: ("soft", "gray", 0.08),
    WHITE: ("paper", "none", 1.0),
    BLUE: ("blue", "#3f7fd0", 1.0),
    ORANGE: ("orange", "#c7702b", 1.0),
    PURPLE: ("purple", "#8a63b8", 1.0),
}
ANCHORS = {"left": "", "center": "middle", "right": "end"}
LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}

CURVES = "Predicted curves of all leaves; the table of leaves has their numbers"
CALIBRATION = "Predicted and observed survival; the table has the numbers"
GAP = "Objective and lower bound during the search"
# More leaves side by side would be too wide for a page.
MOST_SIDE_BY_SIDE = 6
LEAST_SCALE, WIDEST_BESIDE_CURVES = 0.86, 705
WIDE = """@media screen and (min-width:1240px){#tree>.pair{width:min(96vw,1420px);
margin-left:calc(50% - min(48vw,710px));justify-content:center}}
"""


class Group(NamedTuple):
    """Parts that belong together, such as a leaf: attributes, a text to show, and its colour."""

    attributes: dict[str, Any]
    title: str = ""
    colour: str = "gray"


def tag(name: str, *inner: Any, **attributes: Any) -> Markup:
    """An element. Text is escaped; ``class_`` is class, ``stroke_width`` is stroke-width."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value != ""
    )
    return Markup(f"<{name}{given}>{''.join(map(escape, inner))}</{name}>")


def number(value: float) -> str:
    """A coordinate with one decimal, if it needs one."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def svg_of(
    picture: Picture, groups: Mapping[str, Group], *, scale: float = 1.0, **attributes: Any
) -> Markup:
    """The picture; ``groups`` come in the given order, above all that belongs to none of them."""
    figure = picture.figure
    figure.dpi = 72
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    width, height = 72 * figure.get_size_inches()
    renderer = SvgRenderer(width, height, {name: group.colour for name, group in groups.items()})
    renderer.texts = {text.get_gid(): text for text in figure.findobj(Text)}
    figure.draw(renderer)
    ground = [
        part for name, parts in renderer.parts.items() if name not in groups for part in parts
    ]
    inner = [_group(group, renderer.parts.get(name, [])) for name, group in groups.items()]
    sides = {
        "width": number(scale * PIXELS_PER_POINT * width),
        "height": number(scale * PIXELS_PER_POINT * height),
    }
    box = f"0 0 {number(width)} {number(height)}"
    how = {"font_family": FONT, "fill": "currentColor", **attributes}
    return tag("svg", *ground, *inner, viewBox=box, **sides, **how)


def _group(group: Group, parts: list[Markup]) -> Markup:
    title = [tag("title", group.title)] if group.title else []
    return tag("g", *title, *parts, **group.attributes)


class SvgRenderer(RendererBase):
    """Draws what matplotlib hands over, one unit a point, and keeps the parts of a group together.

    The identifier of an artist is the name of its group, a dot, and which part of it it is.
    """

    def __init__(self, width: float, height: float, colours: Mapping[str, str]) -> None:
        super().__init__()
        self.parts: dict[str, list[Markup]] = {}
        self.texts: dict[str | None, Any] = {}  # by identifier
        self._size, self._colours = (width, height), colours
        self._fonts = Fonts(is_browser=True)
        self._flip = Affine2D().scale(1, -1).translate(0, height)
        self._open = [""]

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Parts without an identifier belong to what is around them."""
        self._open.append(gid or self._open[-1])

    def close_group(self, s: str) -> None:
        """Back to what is around."""
        self._open.pop()

    def get_canvas_width_height(self) -> tuple[float, float]:
        """In points."""
        return self._size

    def points_to_pixels(self, points: Any) -> Any:
        """A unit is a point."""
        return points

    def get_text_width_height_descent(
        self, s: str, prop: Any, ismath: Any
    ) -> tuple[float, float, float]:
        """As wide as the fonts of this machine are, and as high as letters usually are."""
        size = prop.get_size_in_points()
        return self._fonts.width(s, size) / SLACK, size, 0.24 * size

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        """A line, an area, or both."""
        attributes: dict[str, Any] = {"fill": "none"}
        classes = ["box"] if self._open[-1].endswith(".box") else []
        if rgbFace is not None:
            classes.append(self._paint(attributes, "fill", rgbFace))
        if gc.get_linewidth() > 0 and gc.get_rgb()[3] > 0:
            classes.append(self._paint(attributes, "stroke", gc.get_rgb()))
            attributes["stroke_width"] = f"{gc.get_linewidth():.3g}"
            dashes = gc.get_dashes()[1]
            attributes["stroke_dasharray"] = " ".join(map(number, dashes or ()))
        if len(attributes) > 1:
            data = path_data(path, transform + self._flip)
            self._add(tag("path", class_=" ".join(classes), d=data, **attributes))

    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """A line of text, anchored where matplotlib aligned it: a browser has other fonts."""
        attributes: dict[str, Any] = {"font_size": number(prop.get_size_in_points())}
        role = self._paint(attributes, "fill", gc.get_rgb())
        anchor = ""
        whole = mtext or self.texts.get(self._open[-1])  # lines of a longer text come without it
        if whole is not None:
            anchor = ANCHORS[whole.get_horizontalalignment()]
            x, y = self._anchored(whole, x, y, angle)
        turn = f"rotate({number(-angle)} {number(x)} {number(y)})" if angle else ""
        weight = 600 if prop.get_weight() == "bold" else ""
        class_ = role.replace("fill", "text")
        where = {"x": number(x), "y": number(y), "text_anchor": anchor, "transform": turn}
        self._add(tag("text", s, class_=class_, font_weight=weight, **where, **attributes))

    def _anchored(self, text: Any, x: float, y: float, angle: float) -> tuple[float, float]:
        """The foot of a line on the line through the point at which all lines are aligned."""
        at = self._flip.transform(text.get_transform().transform(text.get_unitless_position()))
        up = np.array([np.sin(np.deg2rad(angle)), np.cos(np.deg2rad(angle))])
        foot = at + up * (up @ (np.array([x, y]) - at))
        return float(foot[0]), float(foot[1])

    def _paint(self, attributes: dict[str, Any], what: str, rgba: Any) -> str:
        """Set a colour and an opacity; return the class."""
        own = ("leaf", self._colours.get(self._group, "gray"), 1.0)
        role, colour, opacity = ROLES.get(to_hex(rgba[:3]), own)
        opacity *= rgba[3] if len(rgba) > 3 else 1.0
        attributes[what] = colour
        if opacity < 1:
            attributes[f"{what}_opacity"] = f"{opacity:.2g}"
        return f"{role}-{'line' if what == 'stroke' else 'fill'}"

    def _add(self, element: Markup) -> None:
        self.parts.setdefault(self._group, []).append(element)

    @property
    def _group(self) -> str:
        return self._open[-1].partition(".")[0]


def path_data(path: Any, transform: Any) -> str:
    """A path as SVG writes it, level and upright lines in their short form."""
    out: list[str] = []
    last: list[str] = []
    for points, code in path.iter_segments(transform, simplify=False):
        if code == Path.CLOSEPOLY:
            out.append("Z")
            continue
        texts = list(map(number, points.tolist()))
        if code != Path.LINETO or not last:
            out.append(LETTERS[code] + " ".join(texts))
        elif texts[1] == last[1]:
            out += [f"H{texts[0]}"] if texts[0] != last[0] else []
        else:
            out.append(f"V{texts[1]}" if texts[0] == last[0] else f"L{' '.join(texts)}")
        last = texts[-2:]
    return "".join(out)


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
    found = facts["scores"] and facts["scores"]["calibration"]
    points = calibration_on_page(found, facts["confidence"]) if found else None
    return Pictures(
        *tree_svg(model, facts, facts_to_write(model, None, facts["confidence"], None)),
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
    in_words = {
        leaf.node: ", ".join(curve_texts(leaf, leaf_numbers)) for leaf in leaf_numbers.leaves
    }
    order = model.tree_.as_read()
    groups = {
        f"edge-{node}": Group({"class_": "edge", "data_node": node}) for node in order if node > 0
    }
    for node in order:
        known = facts["tree"][node]
        text, kind = f"{known.get('text')}? {counts_text(known)}", "node"
        if node in leaves:
            text, kind = _leaf_text(leaves[node], in_words[node]), f"node leaf r{known['rank']}"
        about = {"class_": kind, "data_node": node, "role": "img", "aria_label": text}
        groups[f"node-{node}"] = Group(about, text, colours.get(node, "gray"))
    width = 72 * PIXELS_PER_POINT * float(picture.figure.get_size_inches()[0])
    return svg_of(picture, groups, role="group", aria_label="The tree", class_="tree"), width


def counts_text(facts: dict[str, Any]) -> str:
    """How many rows and events a node or a leaf has."""
    return f"{format_count(facts['rows'], 'row')}, {format_count(facts['events'], 'event')}"


def median_text(leaf: dict[str, Any], unit: str | None) -> str:
    """The median of a leaf, and if its curve is shrunken, the predicted one before it."""
    own = _time_text(leaf["median"]["value"], unit)
    if leaf["predicted"] is None:
        return f"median {own}"
    return f"predicted median {_time_text(leaf['predicted']['median'], unit)}, Kaplan-Meier {own}"


def _time_text(median: float | None, unit: str | None) -> str:
    return NOT_REACHED if median is None else with_unit(format_number(median), unit)


def _leaf_text(leaf: dict[str, Any], numbers: str) -> str:
    where = " and ".join(leaf["where"]) or "all rows"
    return f"{leaf['label']}: {where}; {counts_text(leaf)}, {numbers}"


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
