"""A tree that grows down: leaves side by side along the bottom."""

from collections.abc import Mapping
from typing import NamedTuple

from survtree._show.picture_text import LINE
from survtree._show.tree_shape import (
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

# Lines of the letters' size between a question and its answers: a stub, the answer, a rest.
STUB, GAP = 0.6, 2.8
LEAST_CURVE = (26.0, 24.0)
LEAST_SHARE = 0.22
USUAL_HEIGHT = 84.0
# A curve higher than this, beside its width, gives its room to the gaps.
STEEPEST = 0.9


class _Frame(NamedTuple):
    """Where slots and levels are."""

    left: float
    slot: float
    tops: list[float]  # of the questions of each level, then of the leaves
    rows: list[float]  # heights of the questions of each level
    gap: float

    def x(self, shape: Shape, node: int) -> float:
        """The middle of a node."""
        return self.left + shape.place[node] * self.slot


def plan_down(
    shape: Shape, words: Words, style: Style, width: float, height: float | None
) -> Plan | None:
    """The drawing within a width and height, or None if it does not fit; the height is free."""
    size = style.size
    scale = words.face.width(words.last_tick, small(size)) if style.has_scales else 4.0
    left = 2.2 * size if style.has_scales else 2.0
    slot = (width - left - 2.0) / len(shape.leaves)
    labels, label = labels_of(shape, words, style)
    curve_width = slot - max(4.0, scale + 2.0)
    if (
        max(label[0], words.face.width(YES, size)) > slot - 3
        and shape.splits
        and style.has_questions
    ):
        return None
    if label[0] > slot or curve_width < (LEAST_CURVE[0] if style.is_strict else 2.0):
        return None
    boxes = _sizes(shape, words, style, slot)
    if boxes is None:
        return None
    rows = _row_heights(shape, words, style, boxes)
    note, note_height = note_of(words, width, style)
    ticks = 1.2 * small(size) + 4 if style.has_scales else 2.0
    gap = GAP * size if style.has_questions else 1.5 * size
    used = 4 + sum(rows) + gap * len(rows) + label[1] + 4 + ticks + note_height
    curve = USUAL_HEIGHT if height is None else height - used
    least = max(LEAST_CURVE[1], LEAST_SHARE * (used + curve)) if style.is_strict else 2.0
    if curve < least:
        return None
    surplus = max(0.0, curve - STEEPEST * curve_width)
    if rows:
        gap, curve = gap + surplus / len(rows), curve - surplus
    total = used + curve + (surplus if rows else 0.0)
    frame = _frame(total, left, slot, rows, gap)
    cells = [
        Cell(
            node,
            (frame.x(shape, node) - curve_width / 2, note_height + ticks, curve_width, curve),
            labels[node],
            (frame.x(shape, node), frame.tops[-1] - 2),
            "center",
            has_x_ticks=style.has_scales,
            has_y_ticks=style.has_scales and place == 0,
        )
        for place, node in enumerate(shape.leaves)
    ]
    return Plan(
        width, total, style, _boxes(shape, frame, boxes), _edges(shape, style, frame), cells, note
    )


def _sizes(
    shape: Shape, words: Words, style: Style, slot: float
) -> Mapping[int, tuple[tuple[str, ...], Point]] | None:
    """Lines and size of each question; None if one does not fit above its leaves."""
    out = {}
    for node in shape.splits:
        room = shape.room(node) * slot - 6
        wrapped = wrapped_question(words, node, room - style.size, style)
        if wrapped is None:
            return None
        out[node] = wrapped.lines, box_size(words.face, wrapped.lines, style.size)
    return out


def _row_heights(
    shape: Shape, words: Words, style: Style, boxes: Mapping[int, tuple[tuple[str, ...], Point]]
) -> list[float]:
    rows = [0.0] * shape.n_levels
    for node, (_, (_, height)) in boxes.items():
        rows[shape.depth[node]] = max(rows[shape.depth[node]], height)
    return rows


def _frame(top: float, left: float, slot: float, rows: list[float], gap: float) -> _Frame:
    tops = [top - 2]
    for row in rows:
        tops.append(tops[-1] - row - gap)
    return _Frame(left, slot, tops, rows, gap)


def _boxes(
    shape: Shape, frame: _Frame, boxes: Mapping[int, tuple[tuple[str, ...], Point]]
) -> list[Box]:
    out = []
    for node, (lines, (width, height)) in boxes.items():
        level = shape.depth[node]
        y = frame.tops[level] - frame.rows[level] / 2
        out.append(Box(node, frame.x(shape, node), y, width, height, lines))
    return out


def _edges(shape: Shape, style: Style, frame: _Frame) -> list[Edge]:
    out = []
    for node in shape.splits:
        level = shape.depth[node]
        x, y = frame.x(shape, node), frame.tops[level] - frame.rows[level] / 2
        bar = frame.tops[level] - frame.rows[level] - STUB * style.size
        for child, answer in shape.children(node):
            end_x = frame.x(shape, child)
            is_leaf = shape.tree.question[child] < 0
            level_below = shape.depth[child]
            middle = frame.tops[level_below] - sum(frame.rows[level_below : level_below + 1]) / 2
            end = frame.tops[-1] if is_leaf else middle
            ways = ((x, y), (x, bar), (end_x, bar), (end_x, end))
            out.append(Edge(ways, answer, (end_x, bar - (0.4 + LINE / 2) * style.size)))
    return out
