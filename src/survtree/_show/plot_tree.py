"""The tree with a survival curve in each leaf."""

from collections.abc import Iterator
from typing import Any

from survtree._base.numbers import format_number, format_percent, round_ticks, with_unit
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._show import checks
from survtree._show.fonts import LINE, Fonts, small
from survtree._show.leaf_facts import LeafFacts, answers_on_edges, facts_to_write
from survtree._show.leaf_texts import shortened
from survtree._show.picture import (
    GREY,
    PALE,
    SOFT,
    Picture,
    draw_leaf,
    draw_stacked,
    last_time,
    leaf_colours,
    picture_of,
    size_of,
    write,
)
from survtree._show.tree_layout import (
    Box,
    Cell,
    Edge,
    Layout,
    Plan,
    Rectangle,
    Shape,
    Style,
    TreeContent,
    shape_of,
)

# Several forms of the text of leaves are tried, and sizes of letters in steps.
FORMS = ("wide", "flat", "tall")
LARGEST, USUAL, SMALLEST, LEGIBLE, TINIEST = 14.0, 9.0, 5.5, 5.0, 3.0
MUCH_LARGER = 1.25
STEP = 0.5
# Side by side, more leaves than this make a figure too wide to be looked at.
MOST_SIDE_BY_SIDE = 8
SLOT_WIDTH, LEAST_WIDTH = 122.0, 300.0
MOST = 14_399.0  # points on a side: no PDF is larger than 14,400, and sums are rounded

MOST_TICKS = 2
CENTERED: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3}
# How many steps can be seen in a leaf on a page: across, and up.
ON_PAGE = (200, 100)


def plot_tree(
    model: Any,
    ax: Any = None,
    *,
    times: Any = None,
    confidence: float = 0.95,
    direction: str | None = None,
    time_label: str | None = None,
    time_unit: str | None = None,
) -> Picture:
    """The tree, with the predicted curve, rows, events and the median in each leaf.

    Leaves are called by their groups, 1 the lowest risk, with the names that ``model.rename`` gave
    them. If most groups do not reach their median, there is survival at a round time instead.
    The curve is the Kaplan-Meier curve of the leaf. If ``shrinkage_`` is above 0, it is the
    shrunken curve that is predicted, and the Kaplan-Meier curve is a thin line beside it.
    All curves have the same scales. Colours show the order of risk, the darkest the highest, and
    are those of ``plot_curves``. If there is too little room, letters get smaller first; then
    limits, medians, events and rows are left out, in this order.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it.
    ax : matplotlib axes, optional
        Everything is drawn inside of these, laid out for the size that they have now; by default
        in a figure that is as large as the tree needs.
    times : list of times, optional
        Survival at these is written instead of the medians.
    confidence : float, default=0.95
        Of the bands around the curves, for one time at a time, and of the limits of the medians.
    direction : {"down", "right"}, optional
        Where the tree grows: down, with leaves side by side, or to the right, with leaves below
        each other. By default down for up to eight leaves, unless more fits the other way.
    time_label : str, default="Time"
        What time is called, such as "Days since surgery".
    time_unit : str, optional
        The unit of time, such as "days"; by default that of the model.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_tree
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> picture = plot_tree(model, time_unit="days")
    >>> [text.get_text() for text in picture.axes.texts][:3]
    ['Karnofsky_score <= 45', 'yes', 'no']
    """
    model = shown_tree_of(model)
    checks.check_axes(ax)
    checks.check_direction(direction)
    level = checks.check_confidence(confidence)
    label = checks.check_label(time_label)
    facts = facts_to_write(model, times, level, time_unit)
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
    content = _content(model, facts, None, Fonts(is_browser=True))
    plan = plan_alone(content, direction, has_frames=True)
    ax = _axes_of_size(plan.width, plan.height)
    return picture_of(ax, _draw(ax, plan, model, facts.confidence, is_page=True))


def _content(
    model: FittedTree, facts: LeafFacts, time_label: str | None, fonts: Fonts
) -> TreeContent:
    end, questions = last_time(model), model.questions_
    facts = facts._replace(unit=facts.unit and fonts.drawable(facts.unit))
    return TreeContent(
        shape_of(model.tree_),
        fonts,
        {
            node: fonts.drawable(questions.text(question))
            for node, question in enumerate(model.tree_.question.tolist())
            if question >= 0
        },
        answers_on_edges(model),
        facts,
        {
            leaf.node: leaf._replace(name=shortened(fonts.drawable(leaf.name)))
            for leaf in facts.leaves
        },
        fonts.drawable(_note(facts, end, time_label)),
        format_number(round_ticks(end, MOST_TICKS)[-1]),
    )


def _note(facts: LeafFacts, end: float, time_label: str | None) -> str:
    """What the axes and lines of the curves are."""
    last = format_number(end) if time_label else with_unit(format_number(end), facts.unit)
    if facts.causes is not None:
        return f"{time_label or 'Time'} from 0 to {last}, shares from 0 to 1. {_stack_note(facts)}"
    note = f"{time_label or 'Time'} from 0 to {last}, survival from 0 to 1. "
    level = f"{format_percent(facts.confidence, None)} confidence"
    if facts.shrinkage > 0:
        note += "Line: predicted (shrunken) curve. Thin line: Kaplan-Meier of the group, "
        note += f"shaded: {level}."
    else:
        note += f"Shaded: {level}."
    return f"{note} {facts.words.stated}" if facts.times and not facts.has_medians else note


def _stack_note(facts: LeafFacts) -> str:
    """What the areas of competing risks are."""
    assert facts.causes is not None
    others = [name for name in facts.causes.names if name != facts.causes.target_name]
    shades = "grey" if len(others) == 1 else "grey, from below"
    curves = "predicted (shrunken) incidence" if facts.shrinkage > 0 else "incidence"
    return (
        f"Coloured: {curves} of {facts.causes.target_label}; {shades}: {', '.join(others)}; "
        f"white: free of all. {facts.words.stated}"
    )


def _axes_of_size(width: float, height: float) -> Any:
    """Axes that fill a figure, whose size is in points."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 72, height / 72)).add_axes((0.0, 0.0, 1.0, 1.0))


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
    says, other_says = (one.is_strict, -one.brevity), (other.is_strict, -other.brevity)
    return says > other_says or (says == other_says and one.size > MUCH_LARGER * other.size)


def _best(content: TreeContent, width: float, height: float, direction: str) -> Plan | None:
    plans = (Layout(content, style, direction, width, height).plan() for style in _styles(width))
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
    plan = Layout(content, style, "right", 40.0 * (shape.n_levels + 2), slots).plan()
    assert plan is not None, "there is room for everything"
    return plan


def plan_alone(content: TreeContent, direction: str | None, *, has_frames: bool = False) -> Plan:
    """The drawing of a figure of its own, which is as large as it needs to be."""
    way = _directions(content.shape, direction)[0]
    for width in _widths(content.shape) if way == "down" else (None,):
        for form in FORMS:
            style = Style(USUAL, form=form, has_frames=has_frames)
            plan = Layout(content, style, way, width, None).plan()
            if plan is not None and max(plan.width, plan.height) <= MOST:
                return plan
    width = min(MOST, 160.0 * (content.shape.n_levels + 2))
    return plan_in(content, width, min(MOST, 46.0 * len(content.shape.leaves) + 40), way)


def _widths(shape: Shape) -> Iterator[float]:
    """Wider and wider ones, up to what a file can hold."""
    width = max(LEAST_WIDTH, SLOT_WIDTH * len(shape.leaves))
    while width <= MOST:
        yield width
        width *= 1.15


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
        how = CENTERED | {"size": size, "color": GREY}
        artists += [
            write(ax, *edge.at, edge.answer, gid=f"edge-{edge.node}.answer", **how)
            for edge in plan.edges
        ]
    colours, end = leaf_colours(model), last_time(model)
    resolution = ON_PAGE if is_page else None
    for cell in plan.cells:
        if is_page:
            artists.append(_draw_frame(ax, cell.frame, size, f"node-{cell.node}.box"))
        inset = _new_inset(ax, cell, end)
        how = {"color": colours[cell.node], "linewidth": min(1.6, 0.5 + cell.axes[3] / 60)}
        if model.causes_ is not None:
            draw_stacked(inset, model, cell.node, colours[cell.node], resolution)
        else:
            draw_leaf(inset, model, cell.node, confidence, resolution, **how)
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
    how = CENTERED | {"size": size, "gid": f"node-{box.node}.text"}
    return [frame, write(ax, box.x, box.y, "\n".join(box.lines), **how)]


def _draw_frame(ax: Any, place: Rectangle, size: float, gid: str) -> Any:
    from matplotlib.patches import FancyBboxPatch

    left, bottom, width, height = place
    corner = min(0.35 * size, width / 2, height / 2)
    shape = f"round,pad=0,rounding_size={corner}"
    frame = FancyBboxPatch((left, bottom), width, height, shape, facecolor=SOFT, edgecolor=GREY)
    frame.set(linewidth=0.08 * size, zorder=2, gid=gid)
    return ax.add_patch(frame)


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
