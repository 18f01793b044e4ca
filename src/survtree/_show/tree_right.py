"""A tree that grows to the right: leaves below each other, each with a wide curve."""

from collections.abc import Mapping
from typing import NamedTuple

from survtree._show.picture_text import LINE
from survtree._show.tree_shape import (
    MOST_LINES,
    PADDING,
    YES,
    Box,
    Cell,
    Edge,
    Plan,
    Point,
    Shape,
    Style,
    Words,
    box_size,
    labels_of,
    note_of,
    small,
    wrapped_question,
)

# Widest questions to try, in units of the letters' size.
CAPS = (30.0, 22.0, 16.0, 12.0, 9.0, 7.0, 5.0, 3.0)
CAPS_ALONE = CAPS[2:]  # paper of any width does not make long lines easier to read
LEAST_CURVE = (40.0, 11.0)
LEAST_SHARE, LOOSE_SHARE = 0.2, 0.1
USUAL_WIDTH, USUAL_SLOT = 170.0, 46.0
STUB = 0.6

Sizes = Mapping[int, tuple[tuple[str, ...], Point]]


class _Frame(NamedTuple):
    """Where slots and levels are."""

    top: float
    slot: float
    lefts: list[float]  # of the questions of each level, then of the curves
    columns: list[float]  # widths of the questions of each level

    def y(self, shape: Shape, node: int) -> float:
        """The middle of a node."""
        return self.top - shape.place[node] * self.slot


def plan_right(
    shape: Shape, words: Words, style: Style, width: float | None, height: float | None
) -> Plan | None:
    """The drawing within a width and height, or None if it does not fit; both may be free."""
    size, n = style.size, len(shape.leaves)
    labels, label = labels_of(shape, words, style)
    ticks = 1.2 * small(size) + 4 if style.has_scales else 2.0
    note, note_height = note_of(words, USUAL_WIDTH * 2 if width is None else width, style)
    slot = (
        max(USUAL_SLOT, label[1] + 6) if height is None else (height - ticks - note_height - 4) / n
    )
    curve_height = slot - min(5.0, 0.3 * slot)
    least_height = max(LEAST_CURVE[1], LINE * size) if style.is_strict else 1.0
    if label[1] > slot or curve_height < least_height:
        return None
    found = _columns(shape, words, style, slot, width, label[0])
    if found is None:
        return None
    sizes, columns, gap, curve_width = found
    total = slot * n + ticks + note_height + 4
    lefts = [2.0]
    for column in columns:
        lefts.append(lefts[-1] + column + gap)
    frame = _Frame(total - 2, slot, lefts, columns)
    cells = [
        Cell(
            node,
            (lefts[-1], frame.y(shape, node) - curve_height / 2, curve_width, curve_height),
            labels[node],
            (
                lefts[-1] + curve_width + 0.6 * size,
                frame.y(shape, node) + len(labels[node]) * LINE * size / 2,
            ),
            "left",
            has_x_ticks=style.has_scales and place == n - 1,
            has_y_ticks=False,
        )
        for place, node in enumerate(shape.leaves)
    ]
    across = lefts[-1] + curve_width + 0.6 * size + label[0] + 2
    boxes = _boxes(shape, frame, sizes)
    edges = _edges(shape, words, style, frame)
    return Plan(across, total, style, boxes, edges, cells, note)


def _columns(
    shape: Shape, words: Words, style: Style, slot: float, width: float | None, label: float
) -> tuple[Sizes, list[float], float, float] | None:
    """Questions, widths of their columns, the gaps between, and the room left for curves."""
    gap = (STUB + 0.4 + 0.5) * style.size + words.face.width(YES, style.size)
    if not style.has_questions:
        gap = style.size
    for cap in CAPS if width is not None else CAPS_ALONE:
        sizes = _sizes(shape, words, style, slot, cap * style.size)
        if sizes is None:
            continue
        columns = [0.0] * shape.n_levels
        for node, (_, (box_width, _)) in sizes.items():
            columns[shape.depth[node]] = max(columns[shape.depth[node]], box_width)
        used = sum(columns) + gap * len(columns) + label + 0.6 * style.size + 4
        curve = max(USUAL_WIDTH, used / 3) if width is None else width - used
        least = (
            max(LEAST_CURVE[0], LEAST_SHARE * (used + curve))
            if style.is_strict
            else LOOSE_SHARE * (used + curve)
        )
        if curve >= least:
            return sizes, columns, gap, curve
    return None


def _sizes(shape: Shape, words: Words, style: Style, slot: float, widest: float) -> Sizes | None:
    """Lines and size of each question; None if one does not fit beside its leaves."""
    out = {}
    for node in shape.splits:
        room = shape.room(node) * slot - 4 - 2 * PADDING * style.size
        most = min(MOST_LINES, int(room / (LINE * style.size)))
        wrapped = wrapped_question(words, node, widest, style, most)
        if wrapped is None:
            return None
        out[node] = wrapped.lines, box_size(words.face, wrapped.lines, style.size)
    return out


def _boxes(shape: Shape, frame: _Frame, sizes: Sizes) -> list[Box]:
    out = []
    for node, (lines, (width, height)) in sizes.items():
        level = shape.depth[node]
        x = frame.lefts[level] + frame.columns[level] / 2
        out.append(Box(node, x, frame.y(shape, node), width, height, lines))
    return out


def _edges(shape: Shape, words: Words, style: Style, frame: _Frame) -> list[Edge]:
    out = []
    half = words.face.width(YES, style.size) / 2
    for node in shape.splits:
        level = shape.depth[node]
        x, y = frame.lefts[level] + frame.columns[level] / 2, frame.y(shape, node)
        bar = frame.lefts[level] + frame.columns[level] + STUB * style.size
        for child, answer in shape.children(node):
            end_y = frame.y(shape, child)
            is_leaf = shape.tree.question[child] < 0
            below = shape.depth[child]
            end = frame.lefts[-1] if is_leaf else frame.lefts[below] + frame.columns[below] / 2
            ways = ((x, y), (bar, y), (bar, end_y), (end, end_y))
            out.append(Edge(ways, answer, (bar + 0.4 * style.size + half, end_y)))
    return out
