"""Where the parts of a tree go: one layout for trees that grow down and trees that grow right.

Leaves stand in a row, one slot each, in the order of the tree with yes first. A split stands in
the middle of its two branches and never leaves the slots of its own leaves, so nothing can overlap.

Positions are counted along the way from the root to the leaves, and across it. A tree that grows
down has "along" on the vertical axis; a tree that grows right has the axes swapped.
"""

from collections.abc import Iterator

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
    TreeContent,
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


class _Layout:
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
        self.labels = {node: leaf_lines(content.leaves[node], style) for node in self.shape.leaves}
        self.label = label_size(self.fonts, list(self.labels.values()), style.size)
        self.yes = self.fonts.width(YES, style.size)
        self.answer = LINE * style.size if self.is_down else self.yes
        self.frame = 0.6 * style.size if style.has_frames else 0.0
        self.ticks = 1.2 * small(style.size) + 4 if style.has_scales else 2.0
        self.note, note_height = note_of(content, width or 2 * USUAL_WIDTH, style)
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
            label = max(self.label[0], self.yes) + 3 if has_branches else self.label[0]
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
        for node in self.shape.splits:
            room = self.shape.room(node) * self.slot
            if self.is_down:
                wrapped = self._wrapped(node, room - 6 - size, MOST_LINES)
            else:
                most = int((room - 4 - 2 * PADDING * size) / (LINE * size))
                wrapped = self._wrapped(node, widest, min(MOST_LINES, most))
            if wrapped is None:
                return None
            out[node] = wrapped.lines, box_size(self.fonts, wrapped.lines, size)
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

    def plan(self) -> Plan:
        """Everything at its place on paper, where y counts from the bottom."""
        shape = self.shape
        splits = [
            Box(node, *self._point(self._middle(node), self._across(node)), *size, lines)
            for node, (lines, size) in self.boxes.items()
        ]
        edges = [
            self._edge(node, child, answer)
            for node in shape.splits
            for child, answer in shape.children(node)
        ]
        cells = [self._cell(node) for node in shape.leaves]
        return Plan(*self.sides, self.style, splits, edges, cells, self.note)

    def _point(self, along: float, across: float) -> Point:
        """Here, and only here, the axes of a tree that grows right are swapped."""
        x, y = (across, along) if self.is_down else (along, across)
        return self.start + x, self.sides[1] - 2 - y

    def _rectangle(
        self, along: tuple[float, float], across: tuple[float, float]
    ) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of what goes from here to there."""
        (x, y), (x_2, y_2) = self._point(along[0], across[0]), self._point(along[1], across[1])
        return min(x, x_2), min(y, y_2), abs(x_2 - x), abs(y_2 - y)

    def _across(self, node: int) -> float:
        return self.shape.place[node] * self.slot

    def _middle(self, node: int) -> float:
        """The middle of a split, along."""
        level = self.shape.depth[node]
        return self.starts[level] + self.levels[level] / 2

    def _edge(self, node: int, child: int, answer: str) -> Edge:
        size, level = self.style.size, self.shape.depth[node]
        start, end = self._across(node), self._across(child)
        bar = self.starts[level] + self.levels[level] + STUB * size
        is_leaf = child not in self.boxes
        arrival = self.starts[-1] if is_leaf else self._middle(child) - self._extent(child) / 2
        answer_at = bar + BEFORE_ANSWER * size + self.answer / 2
        half = self.answer / 2 + 0.1 * size
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


def plan_tree(
    content: TreeContent, style: Style, direction: str, width: float | None, height: float | None
) -> Plan | None:
    """The drawing within a width and height, or None if it does not fit."""
    layout = _Layout(content, style, direction, width, height)
    return layout.plan() if layout.fits else None


def plan_in(content: TreeContent, width: float, height: float, direction: str | None) -> Plan:
    """The drawing on paper of a given size: all text first, in letters as large as possible."""
    ways = _directions(content.shape, direction)
    plans = [_best(content, width, height, way) for way in ways]
    if plans[-1] is None:
        return plans[0] or _bare(content)
    if plans[0] is None or _is_much_better(plans[-1].style, plans[0].style):
        return plans[-1]
    return plans[0]


def _is_much_better(one: Style, other: Style) -> bool:
    """Does one say more than the other, or in letters that are much larger?"""
    if (one.is_strict, -one.brevity) != (other.is_strict, -other.brevity):
        return (one.is_strict, -one.brevity) > (other.is_strict, -other.brevity)
    return one.size > MUCH_LARGER * other.size


def _best(content: TreeContent, width: float, height: float, direction: str) -> Plan | None:
    plans = (plan_tree(content, style, direction, width, height) for style in _styles(width))
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


def _bare(content: TreeContent) -> Plan:
    """Lines and curves alone, planned on larger paper: nothing on it has a size of its own."""
    style = Style(TINIEST, 5, is_strict=False)
    shape = content.shape
    slots = 10.0 * len(shape.leaves)
    plan = plan_tree(content, style, "right", 40.0 * (shape.n_levels + 2), slots)
    assert plan is not None, "there is room for everything"
    return plan


def plan_alone(content: TreeContent, direction: str | None, *, has_frames: bool = False) -> Plan:
    """The drawing of a figure of its own, which is as large as it needs to be."""
    way = _directions(content.shape, direction)[0]
    for width in _widths(content.shape) if way == "down" else (None,):
        for form in FORMS:
            style = Style(USUAL, form=form, has_frames=has_frames)
            plan = plan_tree(content, style, way, width, None)
            if plan is not None and max(plan.width, plan.height) <= MOST:
                return plan
    return plan_in(content, *_usual_size(content.shape), way)


def _widths(shape: Shape) -> Iterator[float]:
    """Wider and wider ones, up to what a file can hold."""
    width = max(LEAST_WIDTH, SLOT_WIDTH * len(shape.leaves))
    while width <= MOST:
        yield width
        width *= 1.15


def _usual_size(shape: Shape) -> tuple[float, float]:
    width, height = 160.0 * (shape.n_levels + 2), 46.0 * len(shape.leaves) + 40
    return min(width, MOST), min(height, MOST)
