"""Where the nodes of a tree go, on paper of any size: parts that the two layouts share.

Leaves stand in a row, one slot each, in the order of the tree with yes first. A question stands in
the middle of its answers and never leaves the slots of its own leaves, so nothing can overlap.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from survtree._base.numbers import format_count, format_limits, format_median
from survtree._base.tree import Tree
from survtree._show.leaf_facts import Leaf
from survtree._show.picture_text import LINE, Face, Wrapped

Point = tuple[float, float]
MOST_LINES = 4
# A question with more letters may be cut short; a shorter one is told in full.
LONG_QUESTION = 70
# Around the words of a question, on each side, in units of their size.
PADDING = 0.45
BOLD = 1.16
# Notes and numbers at the axes are smaller than words, but not too small to be read.
SMALLER, LEAST_SIZE = 0.85, 5.0
YES, NO = "yes", "no"


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
        """Nodes that ask a question."""
        return [node for node in range(self.tree.n_nodes) if self.tree.question[node] >= 0]

    @property
    def n_levels(self) -> int:
        """Questions on the longest way."""
        return max(self.depth)

    def children(self, node: int) -> tuple[tuple[int, str], tuple[int, str]]:
        """Both answers to a question."""
        return (int(self.tree.yes[node]), YES), (int(self.tree.no[node]), NO)

    def room(self, node: int) -> float:
        """Slots that a question may take."""
        place = self.place[node]
        return 2 * min(place - self.first[node], self.last[node] + 1 - place)


class Words(NamedTuple):
    """All that is written: questions by node, leaves, the note below, the greatest tick."""

    face: Face
    questions: Mapping[int, str]
    leaves: Mapping[int, Leaf]
    note: str
    last_tick: str


class Style(NamedTuple):
    """How much is written, in which form and size; ``is_strict``: nothing may be cut short.

    ``info`` is 0: all; 1: no limits; 2: of leaves only rows; 3: only their numbers; 4: no questions
    either; 5: curves alone.
    """

    size: float
    info: int = 0
    form: str = "wide"
    is_strict: bool = True

    @property
    def has_questions(self) -> bool:
        """Are there questions and answers?"""
        return self.info < 4

    @property
    def has_scales(self) -> bool:
        """Are there ticks, and a note?"""
        return self.info < 3


class Box(NamedTuple):
    """A question; x and y are its middle."""

    node: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


class Edge(NamedTuple):
    """The way to an answer, and where the answer is written."""

    points: tuple[Point, ...]
    answer: str
    at: Point


class Cell(NamedTuple):
    """A leaf: where its curve is (left, bottom, width, height), and its words."""

    node: int
    axes: tuple[float, float, float, float]
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
    """The size of notes and of numbers at the axes, beside words of a size."""
    return max(SMALLER * size, min(size, LEAST_SIZE))


def shape_of(tree: Tree) -> Shape:
    """Slots of leaves and places of questions."""
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
    if style.info > 1:
        return ((name, rows), (str(leaf.node),), (str(leaf.node),), ())[style.info - 2]
    median, limits = (
        format_median(leaf.median.value),
        format_limits(leaf.median.low, leaf.median.high),
    )
    ends = [f"({limits})"] if limits and style.info == 0 else []
    if style.form == "tall":
        middle = ("median", median) if median == "not reached" else (f"median {median}",)
        return name, rows, events, *middle, *ends
    end = " ".join([f"median {median}", *ends])
    if style.form == "flat":
        return f"{name}: {rows}, {events}", end
    return name, f"{rows}, {events}", end


def wrapped_question(
    words: Words, node: int, width: float, style: Style, most_lines: int = MOST_LINES
) -> Wrapped | None:
    """The lines of a question within a width; None if too much of it would be lost."""
    if not style.has_questions:
        return Wrapped((), True, True)
    if width <= style.size or most_lines < 1:
        return None
    text = words.questions[node]
    wrapped = words.face.wrapped(text, width, style.size, most_lines)
    is_told = wrapped.is_whole or len(text) > LONG_QUESTION or not style.is_strict
    return wrapped if wrapped.is_neat and is_told else None


def box_size(face: Face, lines: Sequence[str], size: float) -> tuple[float, float]:
    """Width and height of a question with its frame."""
    pad = 2 * PADDING * size
    return face.widest(lines, size) + pad, max(len(lines), 0.2) * LINE * size + pad


def labels_of(shape: Shape, words: Words, style: Style) -> tuple[dict[int, tuple[str, ...]], Point]:
    """The words of all leaves, and the width and height of the largest."""
    lines = {node: leaf_lines(words.leaves[node], style) for node in shape.leaves}
    heads = words.face.widest((some[0] for some in lines.values() if some), style.size) * BOLD
    rest = words.face.widest((line for some in lines.values() for line in some[1:]), style.size)
    n_lines = max(map(len, lines.values()))
    return lines, (max(heads, rest), n_lines * LINE * style.size)


def note_of(words: Words, width: float, style: Style) -> tuple[tuple[str, ...], float]:
    """The note below the tree, and its height."""
    if not style.has_scales:
        return (), 0.0
    size = small(style.size)
    lines = words.face.wrapped(words.note, width - 4, size, MOST_LINES).lines
    return lines, (len(lines) + 0.7) * LINE * size
