"""Where the parts of a tree go: one layout for trees that grow down and trees that grow right.

Leaves stand in a row, one slot each, in the order of the tree with yes first. A split stands in
the middle of its two branches and never leaves the slots of its own leaves, so nothing can overlap.

Positions are counted along the way from the root to the leaves, and across it. A tree that grows
down has "along" on the vertical axis; a tree that grows right has the axes swapped.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from survtree._show.fonts import LINE, Wrapped
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
    TreeText,
    box_size,
    label_size,
    leaf_lines,
    note_of,
    small,
)

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

# Several forms of the text of leaves are tried, and sizes of letters in steps.
FORMS = ("wide", "flat", "tall")
LARGEST, USUAL, SMALLEST, LEGIBLE, TINIEST = 14.0, 9.0, 5.5, 5.0, 3.0
MUCH_LARGER = 1.25
STEP = 0.5
# Side by side, more leaves than this make a figure too wide to be looked at.
MOST_SIDE_BY_SIDE = 8
SLOT_WIDTH, LEAST_WIDTH = 122.0, 300.0
MOST = 14_400.0  # points on a side: no PDF is larger


class _Slots(NamedTuple):
    """Across the tree: where slots start, how large one is, and the curve in it."""

    start: float
    slot: float
    curve: float


class _Levels(NamedTuple):
    """Along the tree: text and size of each split, and where the levels are."""

    boxes: Mapping[int, tuple[tuple[str, ...], Point]]
    starts: list[float]  # of the splits of each level, then of the leaves
    sizes: list[float]  # of the splits of each level
    curve: float

    def middle(self, level: int) -> float:
        """The middle of the splits of a level."""
        return self.starts[level] + self.sizes[level] / 2


class _Layout:
    """The parts of one drawing, from the sizes of its text to their positions."""

    def __init__(self, shape: Shape, text: TreeText, style: Style, *, is_down: bool) -> None:
        self.shape, self.text, self.style, self.is_down = shape, text, style, is_down
        self.labels = {node: leaf_lines(text.leaves[node], style) for node in shape.leaves}
        self.label = label_size(text.fonts, list(self.labels.values()), style.size)
        self.ticks = 1.2 * small(style.size) + 4 if style.has_scales else 2.0
        yes = text.fonts.width(YES, style.size)
        self.answer = LINE * style.size if is_down else yes
        self.frame = 0.6 * style.size if style.has_frames else 0.0

    def slots(self, room: float | None) -> _Slots | None:
        """Slots within a room across; None if leaves do not fit into them."""
        size, n, is_strict = self.style.size, len(self.shape.leaves), self.style.is_strict
        if self.is_down:
            assert room is not None, "a tree that grows down has a width"
            tick = self.text.fonts.width(self.text.last_tick, small(size))
            has_numbers = self.style.has_scales and not self.style.has_frames
            start = 2.2 * size if has_numbers else 2.0
            slot = (room - start - 2.0) / n
            curve = slot - (max(4.0, tick + 2.0) if self.style.has_scales else 6.0)
            least = 26.0 if is_strict else 2.0
            has_branches = bool(self.shape.splits) and self.style.has_splits
            yes = self.text.fonts.width(YES, size)
            label = max(self.label[0], yes) + 3 if has_branches else self.label[0]
        else:
            start, label = 2.0, self.label[1]
            slot = max(USUAL_SLOT, label + 6) if room is None else room / n
            curve = slot - min(5.0, 0.3 * slot)
            least = max(11.0, LINE * size) if is_strict else 1.0
        return None if label > slot or curve < least else _Slots(start, slot, curve)

    def levels(self, slots: _Slots, room: float | None, besides: float) -> _Levels | None:
        """Levels within a room along, beside other things; None if there is none for curves."""
        size, n_levels = self.style.size, self.shape.n_levels
        gap = (STUB + BEFORE_ANSWER + AFTER_ANSWER) * size + self.answer
        gap = gap if self.style.has_splits else 1.2 * size
        widths = WIDEST_ALONE if room is None else WIDEST
        for widest in (0.0,) if self.is_down else widths:
            boxes = self._boxes(slots.slot, widest * size)
            if boxes is None:
                continue
            sizes = [0.0] * n_levels
            for node, (_, extent) in boxes.items():
                level = self.shape.depth[node]
                sizes[level] = max(sizes[level], extent[1] if self.is_down else extent[0])
            used = sum(sizes) + gap * n_levels + besides
            curve = self._usual_curve(used) if room is None else room - used
            if curve >= self._least_curve(used + curve):
                return _stacked(boxes, sizes, gap, curve, self._most_curve(slots))
        return None

    def _usual_curve(self, used: float) -> float:
        return USUAL_HEIGHT if self.is_down else max(USUAL_WIDTH, used / 3)

    def _least_curve(self, total: float) -> float:
        if not self.style.is_strict:
            return 2.0 if self.is_down else 0.1 * total
        return max(24.0, 0.22 * total) if self.is_down else max(40.0, 0.2 * total)

    def _most_curve(self, slots: _Slots) -> float:
        """More room than this goes to the gaps between levels, if there are any."""
        is_limited = self.is_down and self.shape.n_levels > 0
        return STEEPEST * slots.curve if is_limited else float("inf")

    def _boxes(self, slot: float, widest: float) -> dict[int, tuple[tuple[str, ...], Point]] | None:
        """Lines and size of each split; None if one does not fit beside its own leaves."""
        out, size = {}, self.style.size
        for node in self.shape.splits:
            room = self.shape.room(node) * slot
            if self.is_down:
                wrapped = self._wrapped(node, room - 6 - size, MOST_LINES)
            else:
                most = int((room - 4 - 2 * PADDING * size) / (LINE * size))
                wrapped = self._wrapped(node, widest, min(MOST_LINES, most))
            if wrapped is None:
                return None
            out[node] = wrapped.lines, box_size(self.text.fonts, wrapped.lines, size)
        return out

    def _wrapped(self, node: int, width: float, most_lines: int) -> Wrapped | None:
        """The lines of a split within a width; None if too much of it would be lost."""
        if not self.style.has_splits:
            return Wrapped((), True, True)
        if width <= self.style.size or most_lines < 1:
            return None
        text = self.text.splits[node]
        wrapped = self.text.fonts.wrapped(text, width, self.style.size, most_lines)
        is_enough = wrapped.is_whole or len(text) > LONG_SPLIT or not self.style.is_strict
        return wrapped if wrapped.is_neat and is_enough else None


def _stacked(
    boxes: Mapping[int, tuple[tuple[str, ...], Point]],
    sizes: list[float],
    gap: float,
    curve: float,
    most: float,
) -> _Levels:
    """Levels one after the other; what is too much for curves makes the gaps wider."""
    if curve > most:
        gap, curve = gap + (curve - most) / len(sizes), most
    starts = [0.0]
    for size in sizes:
        starts.append(starts[-1] + size + gap)
    return _Levels(boxes, starts, sizes, curve)


def plan_tree(
    shape: Shape,
    text: TreeText,
    style: Style,
    direction: str,
    width: float | None,
    height: float | None,
) -> Plan | None:
    """The drawing within a width and height, or None if it does not fit.

    None as a side stands for as much as is needed; a tree that grows down needs a width.
    """
    is_down = direction == "down"
    layout = _Layout(shape, text, style, is_down=is_down)
    note, note_height = note_of(text, 2 * USUAL_WIDTH if width is None else width, style)
    below = layout.ticks + note_height + 4
    room = width if is_down else None if height is None else height - below
    slots = layout.slots(room)
    if slots is None:
        return None
    beside = layout.label[0] + 0.6 * style.size + 2 * layout.frame + 4
    besides = layout.label[1] + below + 4 if is_down else beside
    levels = layout.levels(slots, height if is_down else width, besides)
    if levels is None:
        return None
    along = levels.starts[-1] + levels.curve + besides
    rows = slots.slot * len(shape.leaves) + below
    size = (width or 0.0, along) if is_down else (along, rows)
    placed = _Placed(layout, slots, levels, size[1] - 2)
    return Plan(*size, style, placed.boxes(), placed.edges(), placed.cells(), note)


class _Placed(NamedTuple):
    """Positions on paper, where y counts from the bottom."""

    layout: _Layout
    slots: _Slots
    levels: _Levels
    top: float

    def _point(self, along: float, across: float) -> Point:
        """Here, and only here, the axes of a tree that grows right are swapped."""
        if self.layout.is_down:
            return self.slots.start + across, self.top - along
        return self.slots.start + along, self.top - across

    def _rectangle(
        self, along: tuple[float, float], across: tuple[float, float]
    ) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of what goes from here to there."""
        (x, y), (x_2, y_2) = self._point(along[0], across[0]), self._point(along[1], across[1])
        return min(x, x_2), min(y, y_2), abs(x_2 - x), abs(y_2 - y)

    def _across(self, node: int) -> float:
        return self.layout.shape.place[node] * self.slots.slot

    def _side(self, node: int, sign: int) -> float:
        """Where the box of a split begins (-1) or ends (1), along."""
        extent = self.levels.boxes[node][1][1 if self.layout.is_down else 0]
        return self.levels.middle(self.layout.shape.depth[node]) + sign * extent / 2

    def boxes(self) -> list[Box]:
        """All splits."""
        depth = self.layout.shape.depth
        return [
            Box(
                node, *self._point(self.levels.middle(depth[node]), self._across(node)), *size, text
            )
            for node, (text, size) in self.levels.boxes.items()
        ]

    def edges(self) -> list[Edge]:
        """All lines from splits to their branches."""
        shape = self.layout.shape
        return [
            self._edge(node, child, answer)
            for node in shape.splits
            for child, answer in shape.children(node)
        ]

    def _edge(self, node: int, child: int, answer: str) -> Edge:
        shape, levels, size = self.layout.shape, self.levels, self.layout.style.size
        level, start, end = shape.depth[node], self._across(node), self._across(child)
        bar = levels.starts[level] + levels.sizes[level] + STUB * size
        is_leaf = shape.tree.question[child] < 0
        arrival = levels.starts[-1] if is_leaf else self._side(child, -1)
        answer_at = bar + BEFORE_ANSWER * size + self.layout.answer / 2
        half = self.layout.answer / 2 + 0.1 * size if self.layout.style.has_splits else 0.0
        there = [(self._side(node, 1), start), (bar, start), (bar, end), (answer_at - half, end)]
        onwards = [(answer_at + half, end), (arrival, end)]
        lines = (there, onwards) if half else ([*there[:-1], onwards[-1]],)
        points = tuple(tuple(self._point(*point) for point in line) for line in lines)
        return Edge(child, points, answer, self._point(answer_at, end))

    def cells(self) -> list[Cell]:
        """All leaves."""
        leaves = self.layout.shape.leaves
        return [self._cell(node, node == leaves[0], node == leaves[-1]) for node in leaves]

    def _cell(self, node: int, is_first: bool, is_last: bool) -> Cell:
        layout, start, curve = self.layout, self.levels.starts[-1], self.levels.curve
        is_down, size, middle = layout.is_down, layout.style.size, self._across(node)
        half, slot = self.slots.curve / 2, self.slots.slot / 2
        lines, has_scales = layout.labels[node], layout.style.has_scales
        if is_down:  # the text, then the curve
            at, begin = self._point(start + 2, middle), start + layout.label[1] + 6
            end = begin + curve + layout.ticks
        else:  # the curve, then the text
            begin = start + layout.frame
            x, y = self._point(begin + curve + 0.6 * size, middle)
            at = x, y + len(lines) * LINE * size / 2
            end = begin + curve + 0.6 * size + layout.label[0] + layout.frame
        return Cell(
            node,
            self._rectangle((begin, begin + curve), (middle - half, middle + half)),
            self._rectangle((start, end), (middle - slot + 2, middle + slot - 2)),
            lines,
            at,
            "center" if is_down else "left",
            has_x_ticks=has_scales and (is_down or is_last),
            has_y_ticks=has_scales and is_down and is_first,
        )


def plan_in(
    shape: Shape, text: TreeText, width: float, height: float, direction: str | None
) -> Plan:
    """The drawing on paper of a given size: all text first, in letters as large as possible."""
    ways = _directions(shape, direction)
    plans = [_best(shape, text, width, height, way) for way in ways]
    if plans[-1] is None:
        return plans[0] or _bare(shape, text)
    if plans[0] is None or _is_much_better(plans[-1].style, plans[0].style):
        return plans[-1]
    return plans[0]


def _is_much_better(one: Style, other: Style) -> bool:
    """Does one say more than the other, or in letters that are much larger?"""
    if (one.is_strict, -one.brevity) != (other.is_strict, -other.brevity):
        return (one.is_strict, -one.brevity) > (other.is_strict, -other.brevity)
    return one.size > MUCH_LARGER * other.size


def _best(shape: Shape, text: TreeText, width: float, height: float, direction: str) -> Plan | None:
    plans = (plan_tree(shape, text, style, direction, width, height) for style in _styles(width))
    return next((plan for plan in plans if plan is not None), None)


def _directions(shape: Shape, direction: str | None) -> tuple[str, ...]:
    if direction is not None:
        return (direction,)
    is_few = len(shape.leaves) <= MOST_SIDE_BY_SIDE
    return ("down", "right") if is_few else ("right", "down")


def _styles(width: float) -> Iterator[Style]:
    """From the best to look at to the least that can be drawn."""
    largest = min(LARGEST, max(SMALLEST, 5.0 + width / 100))
    for brevity, smallest in enumerate((SMALLEST, SMALLEST, LEGIBLE, LEGIBLE)):
        for size in _sizes(largest, smallest):
            for form in FORMS if brevity < 2 else FORMS[:1]:
                yield Style(size, brevity, form)
    yield Style(LEGIBLE, 3, is_strict=False)
    for brevity, smallest in ((4, LEGIBLE), (5, TINIEST)):
        for size in _sizes(SMALLEST, smallest):
            yield Style(size, brevity, is_strict=False)


def _sizes(largest: float, smallest: float) -> list[float]:
    return [largest - STEP * place for place in range(int((largest - smallest) / STEP) + 1)]


def _bare(shape: Shape, text: TreeText) -> Plan:
    """Lines and curves alone, planned on larger paper: nothing on it has a size of its own."""
    style = Style(TINIEST, 5, is_strict=False)
    slots = 10.0 * len(shape.leaves)
    plan = plan_tree(shape, text, style, "right", 40.0 * (shape.n_levels + 2), slots)
    assert plan is not None, "there is room for everything"
    return plan


def plan_alone(
    shape: Shape, text: TreeText, direction: str | None, *, has_frames: bool = False
) -> Plan:
    """The drawing of a figure of its own, which is as large as it needs to be."""
    way = _directions(shape, direction)[0]
    for width in _widths(shape) if way == "down" else (None,):
        for form in FORMS:
            style = Style(USUAL, form=form, has_frames=has_frames)
            plan = plan_tree(shape, text, style, way, width, None)
            if plan is not None and max(plan.width, plan.height) <= MOST:
                return plan
    return plan_in(shape, text, *_usual_size(shape), way)


def _widths(shape: Shape) -> Iterator[float]:
    """Wider and wider ones, up to what a file can hold."""
    width = max(LEAST_WIDTH, SLOT_WIDTH * len(shape.leaves))
    while width <= MOST:
        yield width
        width *= 1.15


def _usual_size(shape: Shape) -> tuple[float, float]:
    width, height = 160.0 * (shape.n_levels + 2), 46.0 * len(shape.leaves) + 40
    return min(width, MOST), min(height, MOST)
