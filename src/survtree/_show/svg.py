"""A matplotlib figure as markup for a page: small, and without styles, identifiers or scripts.

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
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from survtree._show.fonts import SLACK, Fonts
from survtree._show.leaf_style import BLACK, BLUE, GREY, ORANGE, PALE, PURPLE, SOFT, WHITE
from survtree._show.picture import Picture

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


LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}


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
