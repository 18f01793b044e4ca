"""The tree with a Kaplan-Meier curve in each leaf."""

from typing import Any

from survtree._base.numbers import format_number, format_percent, round_ticks
from survtree._model.fitted import FittedTree
from survtree._scoring.curves import LeafCurve
from survtree._show.checks import (
    check_axes,
    check_confidence,
    check_direction,
    check_drawn_model,
    check_label,
)
from survtree._show.conditions import has_gaps
from survtree._show.leaf_facts import leaf_facts
from survtree._show.picture import Picture, picture_of, size_of, write
from survtree._show.picture_text import LINE, Face
from survtree._show.strokes import GREY, PALE, draw_curve, last_time, leaf_colours
from survtree._show.tree_layout import plan_alone, plan_in
from survtree._show.tree_shape import Box, Cell, Edge, Plan, Words, shape_of, small

MOST_TICKS = 2


def plot_tree(
    model: Any,
    ax: Any = None,
    *,
    confidence: float = 0.95,
    direction: str | None = None,
    time_label: str = "Time",
) -> Picture:
    """The tree, with a Kaplan-Meier curve, rows, events and the median in each leaf.

    All curves have the same scales. Colours tell the order of risk, the darkest the highest, and
    are those of ``plot_curves``. If there is too little room, letters get smaller first; then
    limits, medians, events and rows are left out, in this order.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    ax : matplotlib axes, optional
        Everything is drawn inside of these, laid out for the size that they have now; by default
        in a figure that is as large as the tree needs.
    confidence : float, default=0.95
        Of the bands around the curves, for one time at a time, and of the limits of the medians.
    direction : {"down", "right"}, optional
        Where the tree grows: down, with leaves side by side, or to the right, with leaves below
        each other. By default down for up to eight leaves, unless more can be told the other way.
    time_label : str, default="Time"
        What time is called, such as "Days".

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_tree
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> picture = plot_tree(model, time_label="Days")
    >>> [text.get_text() for text in picture.axes.texts][:3]
    ['Karnofsky_score <= 45', 'yes', 'no']
    """
    check_drawn_model(model)
    check_axes(ax)
    check_direction(direction)
    level = check_confidence(confidence)
    label = check_label(time_label)
    shape, words = shape_of(model.tree_), _words(model, level, label)
    if ax is None:
        plan = plan_alone(shape, words, direction)
        ax = _axes_of_size(plan.width, plan.height)
    else:
        ax.set_axis_off()  # what stands around the axes would take room
        plan = plan_in(shape, words, *size_of(ax), direction)
    return picture_of(ax, _draw(ax, plan, model, level))


def _words(model: FittedTree, confidence: float, time_label: str) -> Words:
    face, facts = Face(), leaf_facts(model, confidence=confidence)
    tree, questions = model.tree_, model.questions_
    end = last_time(model)
    note = (
        f"{time_label} from 0 to {format_number(end)}, survival from 0 to 1. "
        f"Shaded: {format_percent(confidence, None)} confidence."
    )
    if has_gaps(model):
        note += ' A missing value answers no, except to "is missing".'
    return Words(
        face,
        {
            node: face.drawn(questions.text(question))
            for node, question in enumerate(tree.question.tolist())
            if question >= 0
        },
        {leaf.node: leaf for leaf in facts.leaves},
        face.drawn(note),
        format_number(round_ticks(end, MOST_TICKS)[-1]),
    )


def _axes_of_size(width: float, height: float) -> Any:
    """Axes that fill a figure, whose size is in points."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 72, height / 72)).add_axes((0.0, 0.0, 1.0, 1.0))


def _draw(ax: Any, plan: Plan, model: FittedTree, confidence: float) -> list[Any]:
    ax.set_axis_off()
    ax.set(xlim=(0, plan.width), ylim=(0, plan.height), aspect="auto")  # a unit is a point
    size = plan.style.size
    artists: list[Any] = []
    for edge in plan.edges:
        artists += _draw_edge(ax, edge, size)
    for box in plan.boxes:
        artists += _draw_box(ax, box, size)
    if plan.style.has_questions:
        artists += [_draw_answer(ax, edge, size) for edge in plan.edges]
    colours, curves, end = leaf_colours(model), model.leaf_curves_, last_time(model)
    for cell in plan.cells:
        inset = _draw_leaf(ax, cell, curves[cell.node], colours[cell.node], end, confidence)
        _draw_scales(inset, cell, end, small(size))
        artists += [inset, *_draw_label(ax, cell, size)]
    if plan.note:
        artists.append(
            write(ax, 2, 2, "\n".join(plan.note), size=small(size), color=GREY, va="bottom")
        )
    return artists


def _draw_edge(ax: Any, edge: Edge, size: float) -> list[Any]:
    x, y = zip(*edge.points, strict=True)
    width = 0.1 * size
    lines: list[Any] = ax.plot(x, y, color=GREY, linewidth=width, solid_joinstyle="round", zorder=1)
    return lines


def _draw_box(ax: Any, box: Box, size: float) -> list[Any]:
    from matplotlib.patches import FancyBboxPatch

    corner = min(0.35 * size, box.width / 2, box.height / 2)
    frame = FancyBboxPatch(
        (box.x - box.width / 2, box.y - box.height / 2),
        box.width,
        box.height,
        boxstyle=f"round,pad=0,rounding_size={corner}",
        facecolor="#f4f4f4",
        edgecolor=GREY,
        linewidth=0.08 * size,
        zorder=2,
    )
    ax.add_patch(frame)
    if not box.lines:
        return [frame]
    words = "\n".join(box.lines)
    text = write(ax, box.x, box.y, words, size=size, ha="center", va="center", zorder=3)
    return [frame, text]


def _draw_answer(ax: Any, edge: Edge, size: float) -> Any:
    around = {"facecolor": "white", "edgecolor": "none", "pad": 0.1 * size}
    how: dict[str, Any] = {"size": size, "ha": "center", "va": "center", "bbox": around}
    return write(ax, *edge.at, edge.answer, color=GREY, zorder=3, **how)


def _draw_leaf(
    ax: Any, cell: Cell, curve: LeafCurve, colour: Any, end: float, confidence: float
) -> Any:
    inset = ax.inset_axes(cell.axes, transform=ax.transData)
    height = cell.axes[3]
    draw_curve(inset, curve, colour, confidence, linewidth=min(1.6, 0.5 + height / 60))
    inset.axhline(0.5, color=PALE, linewidth=0.6, zorder=0)
    inset.set(xlim=(0, end), ylim=(0, 1.03))
    for side, spine in inset.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set(color=GREY, linewidth=0.6)
    return inset


def _draw_scales(inset: Any, cell: Cell, end: float, size: float) -> None:
    times = round_ticks(end, MOST_TICKS)
    if cell.has_x_ticks and not _fits(times, end, cell.axes[2], size):
        times = round_ticks(end, 1)
    is_told = cell.has_x_ticks and _fits(times, end, cell.axes[2], size)
    inset.set_xticks(times, [format_number(time) if is_told else "" for time in times])
    inset.set_yticks([0.5, 1.0], ["0.5", "1"] if cell.has_y_ticks else ["", ""])
    how = {"labelsize": size, "length": 0.25 * size, "width": 0.6, "pad": 1.5}
    inset.tick_params(color=GREY, labelcolor=GREY, **how)


def _fits(times: list[float], end: float, width: float, size: float) -> bool:
    """Can the numbers at these ticks be told apart?"""
    widest = Face().widest(map(format_number, times), size)
    return widest + 0.5 * size <= width * times[1] / end


def _draw_label(ax: Any, cell: Cell, size: float) -> list[Any]:
    if not cell.lines:
        return []
    x, y = cell.at
    how = {"size": size, "ha": cell.align, "va": "center"}
    head = write(ax, x, y - LINE * size / 2, cell.lines[0], weight="bold", **how)
    if len(cell.lines) == 1:
        return [head]
    middle = y - LINE * size * (1 + (len(cell.lines) - 1) / 2)
    return [head, write(ax, x, middle, "\n".join(cell.lines[1:]), **how)]
