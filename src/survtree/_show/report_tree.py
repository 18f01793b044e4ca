"""The tree as a picture: questions from left to right, leaves in a column, yes above no.

Colours come as attributes that fit light and dark paper; the style sheet of a page overrides them.
"""

import re
import unicodedata
from typing import Any, NamedTuple

from markupsafe import Markup

from survtree._base.numbers import format_count, format_number
from survtree._show.report_charts import step_path
from survtree._show.report_markup import colour, dash, number, tag

BOX, GAP, LINE = 166, 42, 16  # width of a question, way to the next one, height of a line
LEAF_WIDTH, LEAF_HEIGHT, PITCH = 226, 56, 66
SPARK_WIDTH, SPARK_HEIGHT = 72, 36
LETTERS, MOST_LINES = 20, 3  # of a question's box
MOST_NAME, MOST_REST = 34, 30  # letters of a column's name, and of what it is held against
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
MARGIN = 4
SIGN = re.compile("(?<!<=)(?<!>=)(?<! =) ")  # a space that is not after a sign


class Place(NamedTuple):
    """The left end and the middle of a box, its size, and its lines of words."""

    x: float
    y: float
    width: float
    height: float
    lines: list[list[tuple[str, bool]]]  # of words, and whether they are of a column's name


def tree_svg(facts: dict[str, Any], scale: float = 1.0) -> Markup:
    """The picture; nodes have their number in data-node, edges that of their lower end."""
    nodes = facts["tree"]
    places = _places(nodes)
    width = max(place.x for place in places.values()) + LEAF_WIDTH + MARGIN
    height = max(p.y + p.height / 2 for p in places.values()) + MARGIN
    edges = [_edge(places, n, child) for n in nodes if "yes" in n for child in ("yes", "no")]
    leaves = {leaf["node"]: leaf for leaf in facts["leaves"]}
    curves = {curve["node"]: curve for curve in facts["curves"]["leaves"]}
    boxes = [
        _question(node, places[node["node"]])
        if "yes" in node
        else _leaf(node, places[node["node"]], leaves, curves, facts["curves"]["end"])
        for node in _from_the_top(nodes)
    ]
    return tag(
        "svg",
        *edges,
        *boxes,
        class_="tree",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=number(scale * width),
        height=number(scale * height),
        role="group",
        aria_label="The tree",
        font_family=FONT,
        font_size=13,
        fill="currentColor",
    )


def width_of(depth: int) -> float:
    """The width of the picture of a tree."""
    return 2 * MARGIN + depth * (BOX + GAP) + LEAF_WIDTH


def _from_the_top(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Nodes as they are read: a question, then its yes, then its no."""
    read, left = [], [0]
    while left:
        node = nodes[left.pop()]
        read.append(node)
        left += [node[way] for way in ("no", "yes") if way in node]
    return read


def _places(nodes: list[dict[str, Any]]) -> dict[int, Place]:
    depth = {0: 0}
    for node in nodes:
        for way in ("yes", "no"):
            if way in node:
                depth[node[way]] = depth[node["node"]] + 1
    right = MARGIN + max(depth.values()) * (BOX + GAP)
    places: dict[int, Place] = {}
    for node in reversed(_from_the_top(nodes)):  # children before parents, the lowest leaf first
        name = node["node"]
        if "yes" in node:
            lines = wrapped(node)
            middle = (places[node["yes"]].y + places[node["no"]].y) / 2
            left, tall = MARGIN + depth[name] * (BOX + GAP), 20 + LINE * len(lines)
            places[name] = Place(left, middle, BOX, tall, lines)
        else:
            n_below = sum("yes" not in nodes[below] for below in places)
            places[name] = Place(right, -n_below * PITCH, LEAF_WIDTH, LEAF_HEIGHT, [])
    top = min(place.y - place.height / 2 for place in places.values()) - MARGIN
    return {name: place._replace(y=place.y - top) for name, place in places.items()}


def _edge(places: dict[int, Place], node: dict[str, Any], way: str) -> Markup:
    start, end = places[node["node"]], places[node[way]]
    x, bend, arrival = start.x + BOX, start.x + BOX + GAP / 2, start.x + BOX + GAP
    line = (
        f"M{number(x)} {number(start.y)}C{number(bend)} {number(start.y)} {number(bend)} "
        f"{number(end.y)} {number(arrival)} {number(end.y)}H{number(end.x)}"
    )
    path = tag("path", d=line, fill="none", stroke="currentColor", stroke_opacity=0.45)
    side = -7 if way == "yes" else 15
    label = tag(
        "text", way, x=number(arrival - 5), y=number(end.y + side), text_anchor="end", font_size=11
    )
    return tag("g", path, label, class_="edge", data_node=node[way])


def _box(place: Place) -> Markup:
    return tag(
        "rect",
        class_="box",
        x=number(place.x),
        y=number(place.y - place.height / 2),
        width=number(place.width),
        height=number(place.height),
        rx=6,
        fill="gray",
        fill_opacity=0.08,
        stroke="currentColor",
        stroke_opacity=0.35,
    )


def _question(node: dict[str, Any], place: Place) -> Markup:
    first = place.y - LINE * (len(place.lines) - 1) / 2 + 4.5
    lines = [
        tag(
            "text",
            *(tag("tspan", word, class_="name") if is_name else word for word, is_name in line),
            x=number(place.x + place.width / 2),
            y=number(first + k * LINE),
            text_anchor="middle",
        )
        for k, line in enumerate(place.lines)
    ]
    counts = f"{format_count(node['rows'], 'row')}, {format_count(node['events'], 'event')}"
    told = f"{node['text']}? {counts}"
    inner = (tag("title", told), _box(place), *lines)
    return tag("g", *inner, class_="node", data_node=node["node"], role="img", aria_label=told)


def _leaf(node: dict[str, Any], place: Place, leaves: Any, curves: Any, end: float) -> Markup:
    leaf, rank, n_leaves = leaves[node["node"]], node["rank"], len(leaves)
    top, left = place.y - place.height / 2, place.x + 16
    median = leaf["median"]["value"]
    shown = "not reached" if median is None else format_number(median)
    counts = f"{format_count(leaf['rows'], 'row')}, {format_count(leaf['events'], 'event')}"
    name = f"leaf {leaf['node']}"
    told = f"{name}: {' and '.join(leaf['where']) or 'all rows'}; {counts}, median {shown}"
    bar = tag(
        "rect",
        class_="fill",
        x=number(place.x),
        y=number(top + 6),
        width=5,
        height=number(place.height - 12),
        rx=2,
        fill=colour(rank, n_leaves),
    )
    return tag(
        "g",
        tag("title", told),
        _box(place),
        bar,
        tag("text", name, x=number(left), y=number(top + 18), font_weight=600),
        tag("text", counts, x=number(left), y=number(top + 33), font_size=11.5),
        tag("text", f"median {shown}", x=number(left), y=number(top + 48), font_size=11.5),
        _spark(place, rank, n_leaves, curves[leaf["node"]], end),
        class_=f"node leaf r{rank}",
        data_node=leaf["node"],
        role="img",
        aria_label=told,
    )


def _spark(place: Place, rank: int, n_leaves: int, curve: Any, end: float) -> Markup:
    """A small curve inside the box of its leaf."""
    left = place.x + place.width - SPARK_WIDTH - 8
    top = place.y - SPARK_HEIGHT / 2
    line = step_path(curve["survival"], curve["end"], SPARK_WIDTH / end, SPARK_HEIGHT, left, top)
    bottom = number(top + SPARK_HEIGHT)
    frame = f"M{number(left)} {number(top)}V{bottom}H{number(left + SPARK_WIDTH)}"
    return Markup("").join(
        [
            tag("path", d=frame, fill="none", stroke="currentColor", stroke_opacity=0.3),
            tag(
                "path",
                class_="line",
                d=line,
                fill="none",
                stroke=colour(rank, n_leaves),
                stroke_width=1.8,
                stroke_dasharray=dash(rank),
            ),
        ]
    )


def wrapped(node: dict[str, Any]) -> list[list[tuple[str, bool]]]:
    """The question on few lines; where it is too long, its middle is left out, never its end."""
    parts = (
        (node["before"], False),
        (shortened(node["name"], MOST_NAME), True),
        (shortened(node["after"], MOST_REST), False),
    )
    lines: list[list[tuple[str, bool]]] = [[]]
    room = float(LETTERS)
    for text, is_name in parts:
        for word in _words(text):
            if room < LETTERS and breadth(word.rstrip()) > room:
                lines.append([])
                room = LETTERS
            # Words of a name stay together, so that those from right to left keep their order.
            is_same = bool(lines[-1]) and lines[-1][-1][1] == is_name
            before = lines[-1].pop()[0] if is_same else ""
            lines[-1].append((before + word, is_name))
            room -= breadth(word)
    return lines


def _words(text: str) -> list[str]:
    """Words with the space after them; those too long for a line are cut, at a joint if any.

    A sign stays with what comes after it: no line ends in <=.
    """
    out: list[str] = []
    for word in SIGN.split(text):
        rest = word
        while breadth(rest) > LETTERS:
            cut = _cut(rest)
            out.append(rest[:cut])
            rest = rest[cut:]
        out.append(rest + " ")
    out[-1] = out[-1][:-1]
    return [word for word in out if word]


def _cut(word: str) -> int:
    """How many letters of a long word fit on a line; after a joint, if there is a late one."""
    n = next(k for k in range(1, len(word) + 1) if breadth(word[: k + 1]) > LETTERS)
    joint = max(word.rfind(sign, 0, n) for sign in "_-./") + 1
    return joint if joint > n // 2 else n


def shortened(text: str, most: int) -> str:
    """The text without its middle if it is too long."""
    if breadth(text) <= most:
        return text
    head, tail = text, ""
    while breadth(head) > most * 0.65:
        head = head[:-1]
    while breadth(text[-len(tail) - 1 :]) <= most * 0.3:
        tail = text[-len(tail) - 1 :]
    return f"{head}…{tail}"


def breadth(text: str) -> float:
    """Letters that the text is as wide as: signs of East Asia and most emoji are wide."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    marks = sum(unicodedata.combining(letter) > 0 for letter in text)
    return len(text) + wide - marks
