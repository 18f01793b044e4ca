"""The tree with a Kaplan-Meier curve in each leaf."""

from typing import Any

from survtree._base.numbers import format_number, format_percent, round_ticks
from survtree._model.fitted import FittedTree
from survtree._show.checks import (
    check_axes,
    check_confidence,
    check_direction,
    check_drawn_model,
    check_label,
)
from survtree._show.conditions import has_gaps
from survtree._show.fonts import LINE, Fonts
from survtree._show.leaf_facts import LeafFacts, leaf_facts
from survtree._show.leaf_style import GREY, PALE, SOFT, draw_curve, last_time, leaf_colours
from survtree._show.picture import Picture, picture_of, size_of, write
from survtree._show.tree_layout import plan_alone, plan_in
from survtree._show.tree_shape import Box, Cell, Edge, Plan, TreeContent, shape_of, small

MOST_TICKS = 2
# How many steps can be seen in a leaf on a page: across, and up.
ON_PAGE = (200, 100)


def plot_tree(
    model: Any,
    ax: Any = None,
    *,
    confidence: float = 0.95,
    direction: str | None = None,
    time_label: str = "Time",
) -> Picture:
    """The tree, with a Kaplan-Meier curve, rows, events and the median in each leaf.

    All curves have the same scales. Colours show the order of risk, the darkest the highest, and
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
        each other. By default down for up to eight leaves, unless more fits the other way.
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
    facts = leaf_facts(model, confidence=level)
    content = _content(model, facts, label, Fonts())
    if ax is None:
        plan = plan_alone(content, direction)
        ax = _axes_of_size(plan.width, plan.height)
    else:
        ax.set_axis_off()  # what stands around the axes would take room
        plan = plan_in(content, *size_of(ax), direction)
    return picture_of(ax, _draw(ax, plan, model, level))


def tree_on_page(model: FittedTree, facts: LeafFacts, direction: str | None) -> Picture:
    """The tree for a browser: with frames around leaves, and no more steps than can be seen."""
    content = _content(model, facts, "Time", Fonts(is_browser=True))
    plan = plan_alone(content, direction, has_frames=True)
    ax = _axes_of_size(plan.width, plan.height)
    return picture_of(ax, _draw(ax, plan, model, facts.confidence, is_page=True))


def _content(model: FittedTree, facts: LeafFacts, time_label: str, fonts: Fonts) -> TreeContent:
    end, questions = last_time(model), model.questions_
    note = (
        f"{time_label} from 0 to {format_number(end)}, survival from 0 to 1. "
        f"Shaded: {format_percent(facts.confidence, None)} confidence."
    )
    if has_gaps(model):
        note += ' A missing value answers no, except to "is missing".'
    return TreeContent(
        shape_of(model.tree_),
        fonts,
        {
            node: fonts.drawable(questions.text(question))
            for node, question in enumerate(model.tree_.question.tolist())
            if question >= 0
        },
        {leaf.node: leaf for leaf in facts.leaves},
        fonts.drawable(note),
        format_number(round_ticks(end, MOST_TICKS)[-1]),
    )


def _axes_of_size(width: float, height: float) -> Any:
    """Axes that fill a figure, whose size is in points."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 72, height / 72)).add_axes((0.0, 0.0, 1.0, 1.0))


def _draw(
    ax: Any, plan: Plan, model: FittedTree, confidence: float, *, is_page: bool = False
) -> list[Any]:
    """All parts; the names of their groups say to which node they belong."""
    ax.set_axis_off()
    ax.set(xlim=(0, plan.width), ylim=(0, plan.height), aspect="auto")  # a unit is a point
    size = plan.style.size
    artists: list[Any] = []
    for edge in plan.edges:
        artists += _draw_edge(ax, edge, size)
    for box in plan.boxes:
        artists += _draw_box(ax, box, size)
    if plan.style.has_splits:
        artists += [_draw_answer(ax, edge, size) for edge in plan.edges]
    colours, curves, end = leaf_colours(model), model.leaf_curves_, last_time(model)
    resolution = ON_PAGE if is_page else None
    for cell in plan.cells:
        if is_page:
            artists.append(_draw_frame(ax, cell.frame, size, f"node-{cell.node}.box"))
        inset = _new_inset(ax, cell, end)
        curve, width = curves[cell.node], min(1.6, 0.5 + cell.axes[3] / 60)
        draw_curve(inset, curve, colours[cell.node], confidence, resolution, linewidth=width)
        _draw_scales(inset, cell, end, small(size), is_page=is_page)
        artists += [inset, *_draw_label(ax, cell, size)]
    if plan.note:
        note = {"size": small(size), "color": GREY, "va": "bottom"}
        artists.append(write(ax, 2, 2, "\n".join(plan.note), **note))
    return artists


def _draw_edge(ax: Any, edge: Edge, size: float) -> list[Any]:
    how = {"color": GREY, "linewidth": 0.1 * size, "solid_joinstyle": "round", "zorder": 1}
    lines: list[Any] = []
    for place, points in enumerate(edge.lines):
        x, y = zip(*points, strict=True)
        lines += ax.plot(x, y, gid=f"edge-{edge.node}.line{place}", **how)
    return lines


def _draw_box(ax: Any, box: Box, size: float) -> list[Any]:
    corner = box.x - box.width / 2, box.y - box.height / 2
    frame = _draw_frame(ax, (*corner, box.width, box.height), size, f"node-{box.node}.box")
    if not box.lines:
        return [frame]
    how = {"size": size, "ha": "center", "va": "center", "zorder": 3}
    text = write(ax, box.x, box.y, "\n".join(box.lines), gid=f"node-{box.node}.text", **how)
    return [frame, text]


def _draw_frame(ax: Any, place: tuple[float, float, float, float], size: float, gid: str) -> Any:
    from matplotlib.patches import FancyBboxPatch

    left, bottom, width, height = place
    corner = min(0.35 * size, width / 2, height / 2)
    frame = FancyBboxPatch(
        (left, bottom),
        width,
        height,
        boxstyle=f"round,pad=0,rounding_size={corner}",
        facecolor=SOFT,
        edgecolor=GREY,
        linewidth=0.08 * size,
        zorder=2,
        gid=gid,
    )
    return ax.add_patch(frame)


def _draw_answer(ax: Any, edge: Edge, size: float) -> Any:
    how: dict[str, Any] = {"size": size, "ha": "center", "va": "center", "color": GREY, "zorder": 3}
    return write(ax, *edge.at, edge.answer, gid=f"edge-{edge.node}.answer", **how)


def _new_inset(ax: Any, cell: Cell, end: float) -> Any:
    """Axes for the curve of a leaf, the same for all leaves."""
    inset = ax.inset_axes(cell.axes, transform=ax.transData, gid=f"node-{cell.node}.curve")
    inset.patch.set_visible(False)
    inset.set(xlim=(0, end), ylim=(0, 1.03))
    for side, spine in inset.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set(color=GREY, linewidth=0.6)
    return inset


def _draw_scales(inset: Any, cell: Cell, end: float, size: float, *, is_page: bool) -> None:
    """A line at one half, and ticks; on a page, which is to be small, only those with numbers."""
    inset.axhline(0.5, color=PALE, linewidth=0.6, zorder=0)
    times = round_ticks(end, MOST_TICKS)
    if cell.has_x_ticks and not _fits(times, end, cell.axes[2], size):
        times = round_ticks(end, 1)
    has_numbers = cell.has_x_ticks and _fits(times, end, cell.axes[2], size)
    times = times if has_numbers or not is_page else []
    inset.set_xticks(times, [format_number(time) if has_numbers else "" for time in times])
    levels = [] if is_page else [0.5, 1.0]
    inset.set_yticks(levels, [f"{level:g}" if cell.has_y_ticks else "" for level in levels])
    how = {"labelsize": size, "length": 0.25 * size, "width": 0.6, "pad": 1.5}
    inset.tick_params(color=GREY, labelcolor=GREY, **how)


def _fits(times: list[float], end: float, width: float, size: float) -> bool:
    """Is there room for the numbers at these ticks?"""
    widest = Fonts().widest(map(format_number, times), size)
    return widest + 0.5 * size <= width * times[1] / end


def _draw_label(ax: Any, cell: Cell, size: float) -> list[Any]:
    if not cell.lines:
        return []
    x, y = cell.at
    how = {"size": size, "ha": cell.align, "va": "center"}
    gid = f"node-{cell.node}"
    bold = {"weight": "bold", "gid": f"{gid}.name"}
    head = write(ax, x, y - LINE * size / 2, cell.lines[0], **bold, **how)
    if len(cell.lines) == 1:
        return [head]
    middle = y - LINE * size * (1 + (len(cell.lines) - 1) / 2)
    return [head, write(ax, x, middle, "\n".join(cell.lines[1:]), gid=f"{gid}.text", **how)]
