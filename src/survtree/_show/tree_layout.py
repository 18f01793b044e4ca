"""Where the parts of a tree go: one layout for trees that grow down and trees that grow right.

Leaves stand in a row, one slot each, in the order of the tree with yes first. A split stands in
the middle of its two branches and never leaves the slots of its own leaves, so nothing can overlap.

Positions are counted along the way from the root to the leaves, and across it. A tree that grows
down has "along" on the vertical axis; a tree that grows right has the axes swapped.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from survtree._base.numbers import format_count
from survtree._base.tree import Tree
from survtree._show.fonts import LINE, Fonts, Wrapped, small
from survtree._show.leaf_facts import Leaf, LeafFacts
from survtree._show.leaf_texts import curve_lines, group_title

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]  # left, bottom, width, height
MOST_LINES = 4
# Around the text of a split, on each side, in units of its size.
PADDING = 0.45
BOLD = 1.16
# The text of a split with more letters may be cut short; a shorter one is written in full.
LONG_SPLIT = 70
# From a split to the bar of its branches, from there to the answer, and after the answer.
STUB, BEFORE_ANSWER, AFTER_ANSWER = 0.6, 0.4, 0.5
# Widest splits to try in a tree that grows right, in units of the size of the letters.
WIDEST = (30.0, 22.0, 16.0, 12.0, 9.0, 7.0, 5.0, 3.0)
WIDEST_ALONE = WIDEST[2:]  # paper of any width does not make long lines easier to read
USUAL_WIDTH, USUAL_SLOT, USUAL_HEIGHT = 170.0, 46.0, 84.0
# A curve higher than this, beside its width, gives its room to the gaps.
STEEPEST = 0.9


class Shape(NamedTuple):
    """Nodes by slots: where each stands, and how many slots a split may take."""

    tree: Tree
    splits: tuple[int, ...]
    leaves: tuple[int, ...]
    depth: tuple[int, ...]
    place: Mapping[int, float]
    room: Mapping[int, float]

    @property
    def n_levels(self) -> int:
        """Splits on the longest path."""
        return max(self.depth)

    def children(self, node: int) -> tuple[int, int]:
        """Both branches of a split, yes first."""
        return int(self.tree.yes[node]), int(self.tree.no[node])


class TreeContent(NamedTuple):
    """What is drawn: the tree, its splits, answers and leaves by node, a note, the greatest tick.

    An answer stands on the edge to its node.
    """

    shape: Shape
    fonts: Fonts
    splits: Mapping[int, str]
    answers: Mapping[int, str]
    facts: LeafFacts
    leaves: Mapping[int, Leaf]
    note: str
    last_tick: str


class Style(NamedTuple):
    """How much is written, in which form and size; ``is_strict``: nothing may be cut short.

    ``has_frames``: around each leaf there is a frame, which takes some room.
    ``brevity`` is 0: everything; 1: no limits; 2: of leaves only rows; 3: only their numbers; 4: no
    splits either; 5: curves alone.
    """

    size: float
    brevity: int = 0
    form: str = "wide"
    is_strict: bool = True
    has_frames: bool = False

    @property
    def has_splits(self) -> bool:
        """Are splits and answers written?"""
        return self.brevity < 4

    @property
    def has_scales(self) -> bool:
        """Are there ticks, and a note?"""
        return self.brevity < 3


class Box(NamedTuple):
    """A split; x and y are its middle."""

    node: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


class Edge(NamedTuple):
    """The line to a node, which leaves a gap for the answer, and where the answer is written."""

    node: int
    lines: tuple[tuple[Point, ...], ...]
    answer: str
    at: Point


class Cell(NamedTuple):
    """A leaf: its curve and all of it, and its text."""

    node: int
    axes: Rectangle
    frame: Rectangle
    lines: tuple[str, ...]
    at: Point  # of the first line: its top, in the middle or at the left
    align: str
    has_x_ticks: bool
    has_y_ticks: bool


class Plan(NamedTuple):
    """A drawing, in points from the lower left corner."""

    width: float
    height: float
    style: Style
    boxes: list[Box]
    edges: list[Edge]
    cells: list[Cell]
    note: tuple[str, ...]


def shape_of(tree: Tree) -> Shape:
    """Slots of leaves and places of splits."""
    leaves = [node for node in tree.as_read() if tree.question[node] < 0]
    place = {node: slot + 0.5 for slot, node in enumerate(leaves)}
    first = {node: slot for slot, node in enumerate(leaves)}
    last, room = dict(first), {}
    splits = np.flatnonzero(tree.question >= 0).tolist()
    for node in reversed(splits):  # children before parents
        yes, no = int(tree.yes[node]), int(tree.no[node])
        place[node] = (place[yes] + place[no]) / 2
        first[node], last[node] = first[yes], last[no]
        room[node] = 2 * min(place[node] - first[node], last[node] + 1 - place[node])
    depths = tuple(tree.depths().tolist())
    return Shape(tree, tuple(splits), tuple(leaves), depths, place, room)


def leaf_lines(leaf: Leaf, facts: LeafFacts, style: Style) -> tuple[str, ...]:
    """What is written of a leaf; the first line names its group."""
    name, number = group_title(leaf.group, leaf.name), str(leaf.group)
    rows, events = format_count(leaf.n_rows, "row"), format_count(leaf.n_events, "event")
    if style.brevity > 1:
        return ((name, rows), (number,), (number,), ())[style.brevity - 2]
    is_tall, has_limits = style.form == "tall", style.brevity == 0
    numbers = curve_lines(leaf, facts, is_narrow=is_tall, has_limits=has_limits)
    if is_tall:
        return name, rows, events, *numbers
    if style.form == "flat" and not leaf.name:
        return f"{name}: {rows}, {events}", *numbers
    return name, f"{rows}, {events}", *numbers


class Layout:
    """One attempt at a drawing; ``fits`` says whether there is room for it.

    None as a side stands for as much as is needed; a tree that grows down needs a width.
    """

    def __init__(
        self,
        content: TreeContent,
        style: Style,
        direction: str,
        width: float | None,
        height: float | None,
    ) -> None:
        self.content, self.style, self.is_down = content, style, direction == "down"
        self.shape, self.fonts = content.shape, content.fonts
        self.labels = {
            node: leaf_lines(content.leaves[node], content.facts, style)
            for node in self.shape.leaves
        }
        self.label = self._label_size()
        self.widest_answer = self.fonts.widest(set(content.answers.values()), style.size)
        self.answer = LINE * style.size if self.is_down else self.widest_answer
        self.frame = 0.6 * style.size if style.has_frames else 0.0
        self.ticks = 1.2 * small(style.size) + 4 if style.has_scales else 2.0
        self.note = self._note(width or 2 * USUAL_WIDTH)
        note_height = (len(self.note) + 0.7) * LINE * small(style.size) if self.note else 0.0
        below = self.ticks + note_height + 4
        rows = None if height is None else height - below
        beside = self.label[0] + 0.6 * style.size + 2 * self.frame + 4
        self.fits = (
            self._fit_across(width) and self._fit_along(height, self.label[1] + below + 4)
            if self.is_down
            else self._fit_across(rows) and self._fit_along(width, beside)
        )
        if self.fits:
            rows = self.slot * len(self.shape.leaves) + below
            self.sides = (width or 0.0, self.along) if self.is_down else (self.along, rows)

    def _label_size(self) -> Point:
        """Width and height of the largest text of a leaf."""
        labels, size = list(self.labels.values()), self.style.size
        heads = self.fonts.widest((lines[0] for lines in labels if lines), size) * BOLD
        rest = self.fonts.widest((line for lines in labels for line in lines[1:]), size)
        return max(heads, rest), max(map(len, labels)) * LINE * size

    def _note(self, width: float) -> tuple[str, ...]:
        """The note below the tree."""
        if not self.style.has_scales:
            return ()
        size = small(self.style.size)
        return self.fonts.wrapped(self.content.note, width - 4, size, MOST_LINES).lines

    def _fit_across(self, room: float | None) -> bool:
        """Give each leaf a slot. Do its text and its curve fit into it?"""
        style, size, n = self.style, self.style.size, len(self.shape.leaves)
        self.start = 2.0
        if self.is_down:
            assert room is not None, "a tree that grows down has a width"
            tick = self.fonts.width(self.content.last_tick, small(size))
            if style.has_scales and not style.has_frames:
                self.start = 2.2 * size
            self.slot = (room - self.start - 2.0) / n
            self.curve_across = self.slot - (max(4.0, tick + 2.0) if style.has_scales else 6.0)
            has_branches = bool(self.shape.splits) and style.has_splits
            label = max(self.label[0], self.widest_answer) + 3 if has_branches else self.label[0]
            least = 26.0 if style.is_strict else 2.0
        else:
            label = self.label[1]
            self.slot = max(USUAL_SLOT, label + 6) if room is None else room / n
            self.curve_across = self.slot - min(5.0, 0.3 * self.slot)
            least = max(11.0, LINE * size) if style.is_strict else 1.0
        return label <= self.slot and self.curve_across >= least

    def _fit_along(self, room: float | None, besides: float) -> bool:
        """Give each level the size of its largest split. Is enough room left for curves?"""
        size, n_levels = self.style.size, self.shape.n_levels
        gap = (STUB + BEFORE_ANSWER + AFTER_ANSWER) * size + self.answer
        gap = gap if self.style.has_splits else 1.2 * size
        widths = (0.0,) if self.is_down else WIDEST_ALONE if room is None else WIDEST
        for widest in widths:
            boxes = self._boxes(widest * size)
            if boxes is None:
                continue
            self.boxes, self.levels = boxes, [0.0] * n_levels
            for node in boxes:
                level = self.shape.depth[node]
                self.levels[level] = max(self.levels[level], self._extent(node))
            used = sum(self.levels) + gap * n_levels + besides
            usual = USUAL_HEIGHT if self.is_down else max(USUAL_WIDTH, used / 3)
            self.curve_along = usual if room is None else room - used
            self.along = used + self.curve_along
            if self.curve_along >= self._least_curve(self.along):
                self._place_levels(gap)
                return True
        return False

    def _least_curve(self, total: float) -> float:
        if not self.style.is_strict:
            return 2.0 if self.is_down else 0.1 * total
        return max(24.0, 0.22 * total) if self.is_down else max(40.0, 0.2 * total)

    def _place_levels(self, gap: float) -> None:
        """One level after the other; what is too much for curves makes the gaps wider."""
        surplus = self.curve_along - STEEPEST * self.curve_across
        if self.is_down and self.levels and surplus > 0:
            gap, self.curve_along = gap + surplus / len(self.levels), self.curve_along - surplus
        self.starts = [0.0]
        for level in self.levels:
            self.starts.append(self.starts[-1] + level + gap)

    def _extent(self, node: int) -> float:
        """The size of a split along the tree."""
        width, height = self.boxes[node][1]
        return height if self.is_down else width

    def _boxes(self, widest: float) -> dict[int, tuple[tuple[str, ...], Point]] | None:
        """Lines and size of each split; None if one does not fit beside its own leaves."""
        out, size = {}, self.style.size
        pad = 2 * PADDING * size
        for node in self.shape.splits:
            room = self.shape.room[node] * self.slot
            if self.is_down:
                wrapped = self._wrapped(node, room - 6 - size, MOST_LINES)
            else:
                most = int((room - 4 - pad) / (LINE * size))
                wrapped = self._wrapped(node, widest, min(MOST_LINES, most))
            if wrapped is None:
                return None
            lines, n_lines = wrapped.lines, max(len(wrapped.lines), 0.2)
            out[node] = lines, (self.fonts.widest(lines, size) + pad, n_lines * LINE * size + pad)
        return out

    def _wrapped(self, node: int, width: float, most_lines: int) -> Wrapped | None:
        """The lines of a split within a width; None if too much of it would be lost."""
        if not self.style.has_splits:
            return Wrapped((), True, True)
        if width <= self.style.size or most_lines < 1:
            return None
        text = self.content.splits[node]
        wrapped = self.fonts.wrapped(text, width, self.style.size, most_lines)
        is_enough = wrapped.is_whole or len(text) > LONG_SPLIT or not self.style.is_strict
        return wrapped if wrapped.is_neat and is_enough else None

    def plan(self) -> Plan | None:
        """Everything at its place on paper, y counted from the bottom; None if not all fits."""
        if not self.fits:
            return None
        shape = self.shape
        splits = [
            Box(node, *self._point(self._middle(node), self._across(node)), *size, lines)
            for node, (lines, size) in self.boxes.items()
        ]
        edges = [self._edge(node, child) for node in shape.splits for child in shape.children(node)]
        cells = [self._cell(node) for node in shape.leaves]
        return Plan(*self.sides, self.style, splits, edges, cells, self.note)

    def _point(self, along: float, across: float) -> Point:
        """Here, and only here, the axes of a tree that grows right are swapped."""
        x, y = (across, along) if self.is_down else (along, across)
        return self.start + x, self.sides[1] - 2 - y

    def _rectangle(self, along: Point, across: Point) -> Rectangle:
        """What goes from here to there."""
        (x, y), (x_2, y_2) = self._point(along[0], across[0]), self._point(along[1], across[1])
        return min(x, x_2), min(y, y_2), abs(x_2 - x), abs(y_2 - y)

    def _across(self, node: int) -> float:
        return self.shape.place[node] * self.slot

    def _middle(self, node: int) -> float:
        """The middle of a split, along."""
        level = self.shape.depth[node]
        return self.starts[level] + self.levels[level] / 2

    def _edge(self, node: int, child: int) -> Edge:
        size, level = self.style.size, self.shape.depth[node]
        start, end = self._across(node), self._across(child)
        bar = self.starts[level] + self.levels[level] + STUB * size
        is_leaf = child not in self.boxes
        arrival = self.starts[-1] if is_leaf else self._middle(child) - self._extent(child) / 2
        answer_at = bar + BEFORE_ANSWER * size + self.answer / 2
        answer = self.content.answers[child]
        length = self.answer if self.is_down else self.fonts.width(answer, size)
        half = length / 2 + 0.1 * size
        bend = [(self._middle(node) + self._extent(node) / 2, start), (bar, start), (bar, end)]
        before, after = (answer_at - half, end), (answer_at + half, end)
        lines = [[*bend, before], [after, (arrival, end)]]
        if not self.style.has_splits:  # there is no answer to leave a gap for
            lines = [[*bend, (arrival, end)]]
        points = tuple(tuple(self._point(*point) for point in line) for line in lines)
        return Edge(child, points, answer, self._point(answer_at, end))

    def _cell(self, node: int) -> Cell:
        start, middle, lines = self.starts[-1], self._across(node), self.labels[node]
        if self.is_down:  # the text, then the curve
            at, begin = self._point(start + 2, middle), start + self.label[1] + 6
            end = begin + self.curve_along + self.ticks
        else:  # the curve, then the text
            begin = start + self.frame
            text = begin + self.curve_along + 0.6 * self.style.size
            x, y = self._point(text, middle)
            at = x, y + len(lines) * LINE * self.style.size / 2
            end = text + self.label[0] + self.frame
        half, slot = self.curve_across / 2, self.slot / 2 - 2
        first, last = self.shape.leaves[0], self.shape.leaves[-1]
        return Cell(
            node,
            self._rectangle((begin, begin + self.curve_along), (middle - half, middle + half)),
            self._rectangle((start, end), (middle - slot, middle + slot)),
            lines,
            at,
            "center" if self.is_down else "left",
            has_x_ticks=self.style.has_scales and (self.is_down or node == last),
            has_y_ticks=self.style.has_scales and self.is_down and node == first,
        )
