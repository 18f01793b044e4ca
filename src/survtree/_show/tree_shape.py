"""What a drawing of a tree is made of: slots of leaves, texts, boxes, lines and cells."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from survtree._base.numbers import NOT_REACHED, format_count, format_limits, format_median
from survtree._base.tree import Tree
from survtree._show.fonts import LINE, Fonts
from survtree._show.leaf_facts import Leaf

Point = tuple[float, float]
# Notes and numbers at the axes are smaller than other text, but not too small to be read.
SMALLER, LEAST_SIZE = 0.85, 5.0
YES, NO = "yes", "no"
MOST_LINES = 4
# Around the text of a split, on each side, in units of its size.
PADDING = 0.45
BOLD = 1.16


class Shape(NamedTuple):
    """Nodes by slots: where each stands, and the slots of its leaves."""

    tree: Tree
    leaves: tuple[int, ...]
    depth: tuple[int, ...]
    place: Mapping[int, float]
    first: Mapping[int, int]
    last: Mapping[int, int]

    @property
    def splits(self) -> list[int]:
        """Nodes that are no leaves."""
        return [node for node in range(self.tree.n_nodes) if self.tree.question[node] >= 0]

    @property
    def n_levels(self) -> int:
        """Splits on the longest path."""
        return max(self.depth)

    def children(self, node: int) -> tuple[tuple[int, str], tuple[int, str]]:
        """Both branches of a split."""
        return (int(self.tree.yes[node]), YES), (int(self.tree.no[node]), NO)

    def room(self, node: int) -> float:
        """Slots that a split may take."""
        place = self.place[node]
        return 2 * min(place - self.first[node], self.last[node] + 1 - place)


class TreeContent(NamedTuple):
    """What is drawn: the tree, its splits and leaves by node, the note below, the greatest tick."""

    shape: Shape
    fonts: Fonts
    splits: Mapping[int, str]
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
    """A leaf: its curve and all of it (left, bottom, width, height), and its text."""

    node: int
    axes: tuple[float, float, float, float]
    frame: tuple[float, float, float, float]
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


def small(size: float) -> float:
    """The size of notes and of numbers at the axes, beside text of a size."""
    return max(SMALLER * size, min(size, LEAST_SIZE))


def shape_of(tree: Tree) -> Shape:
    """Slots of leaves and places of splits."""
    leaves: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if tree.question[node] < 0:
            leaves.append(node)
        else:
            waiting += [int(tree.no[node]), int(tree.yes[node])]
    place = {node: slot + 0.5 for slot, node in enumerate(leaves)}
    first = {node: slot for slot, node in enumerate(leaves)}
    last = dict(first)
    for node in range(tree.n_nodes - 1, -1, -1):  # children before parents
        if tree.question[node] >= 0:
            yes, no = int(tree.yes[node]), int(tree.no[node])
            place[node] = (place[yes] + place[no]) / 2
            first[node], last[node] = first[yes], last[no]
    return Shape(tree, tuple(leaves), tuple(tree.depths().tolist()), place, first, last)


def leaf_lines(leaf: Leaf, style: Style) -> tuple[str, ...]:
    """What is written of a leaf; the first line names it."""
    name = f"Leaf {leaf.node}"
    rows, events = format_count(leaf.n_rows, "row"), format_count(leaf.n_events, "event")
    if style.brevity > 1:
        return ((name, rows), (str(leaf.node),), (str(leaf.node),), ())[style.brevity - 2]
    median, limits = format_median(leaf.median.value), format_limits(*leaf.median[1:])
    ends = [f"({limits})"] if limits and style.brevity == 0 else []
    if style.form == "tall":
        middle = ("median", median) if median == NOT_REACHED else (f"median {median}",)
        return name, rows, events, *middle, *ends
    end = " ".join([f"median {median}", *ends])
    if style.form == "flat":
        return f"{name}: {rows}, {events}", end
    return name, f"{rows}, {events}", end


def label_size(fonts: Fonts, labels: Sequence[Sequence[str]], size: float) -> Point:
    """Width and height of the largest text of a leaf."""
    heads = fonts.widest((lines[0] for lines in labels if lines), size) * BOLD
    rest = fonts.widest((line for lines in labels for line in lines[1:]), size)
    return max(heads, rest), max(map(len, labels)) * LINE * size


def box_size(fonts: Fonts, lines: Sequence[str], size: float) -> Point:
    """Width and height of a split with its frame."""
    pad = 2 * PADDING * size
    return fonts.widest(lines, size) + pad, max(len(lines), 0.2) * LINE * size + pad


def note_of(content: TreeContent, width: float, style: Style) -> tuple[tuple[str, ...], float]:
    """The note below the tree, and its height."""
    if not style.has_scales:
        return (), 0.0
    size = small(style.size)
    lines = content.fonts.wrapped(content.note, width - 4, size, MOST_LINES).lines
    return lines, (len(lines) + 0.7) * LINE * size
