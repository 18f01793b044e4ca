"""The curves of all leaves on one pair of axes, with rows at risk below."""

from typing import Any, NamedTuple

from survtree._base.numbers import format_number, format_p_value, format_weights, round_ticks
from survtree._model.fitted import FittedTree
from survtree._model.read_tree import shown_tree_of
from survtree._show import checks
from survtree._show.fonts import LINE, Fonts, small
from survtree._show.leaf_facts import given_names, leaf_facts, rules_of, shrinkage_of
from survtree._show.leaf_texts import group_text, group_title, shortened
from survtree._show.picture import (
    GREY,
    Picture,
    by_risk,
    draw_censored,
    draw_leaf,
    drawn_curve,
    hide_frame,
    last_time,
    leaf_colours,
    leaf_strokes,
    new_axes,
    picture_of,
    size_of,
    write,
)
from survtree._show.shown_curves import words_of
from survtree._show.usual_times import unit_of

# With more leaves, bands and marks hide the curves.
MOST_WITH_BANDS = 4
SIZE, SMALL_SIZE = 9.0, 6.5
# Axes narrower than this, in points, get small letters; wider ones have room for rules beside them.
NARROW, WIDE = 250.0, 400.0
MOST_OF_HEIGHT = 0.5
WIDTH = 1.6  # of lines
# Right of the curves: a piece of each line, and its label, in shares of the axis of time.
SAMPLE, LABELS_AT = (0.03, 0.1), 0.115
SHRUNKEN = "Predicted (shrunken) curves"
# Of the rule beside a curve: its lines, and their width in units of the size of letters.
MOST_RULE_LINES, RULE_WIDTH = 3, 20.0
# How many steps can be seen on a page: across, and up.
ON_PAGE = (1280, 640)


def plot_curves(
    model: Any,
    ax: Any = None,
    *,
    times: Any = None,
    confidence: float = 0.95,
    at_risk: bool = True,
    bands: bool | None = None,
    log_rank: bool = False,
    time_label: str | None = None,
    time_unit: str | None = None,
) -> Picture:
    """The predicted curves of all leaves, with rows at risk.

    They are the Kaplan-Meier curves of the leaves. If ``shrinkage_`` is above 0, the main lines are
    the shrunken curves that are predicted; with bands, the Kaplan-Meier curves are thin lines
    inside of these.

    Colours show the order of risk, the darkest the highest, in print without colours too, and are
    those of ``plot_tree``. A small upright mark is a row that was censored. Beside each curve stand
    its group, the name that ``model.rename`` gave it, its rows and, where there is room, its rule.

    Parameters
    ----------
    model, confidence, time_label, time_unit
        As in ``plot_tree``.
    ax : matplotlib axes, optional
        By default new ones. Labels and the table stand to the right and below; a figure with
        ``layout="constrained"`` makes room for them.
    times : list of times, optional
        The ticks, at which rows at risk are counted; by default round ones.
    at_risk : bool, default=True
        Is there a table of rows at risk? Where rows have weights, it shows their weight. It is left
        out where it would take more than half of the height.
    bands : bool, optional
        Are there bands and marks of censored rows? By default for up to four leaves.
    log_rank : bool, default=False
        Is the log-rank test of the leaves shown? Its p-value is too small: the leaves were chosen
        by the outcomes of the very rows that are compared. It does not show that the tree holds on
        new rows.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_curves
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> picture = plot_curves(model, times=[0, 180, 360], log_rank=True)
    >>> picture.axes.get_title(loc="right")
    'log-rank p < 0.001, optimistic'
    """
    model = shown_tree_of(model)
    checks.check_axes(ax)
    level = checks.check_confidence(confidence)
    label = Fonts().drawable(_axis_label(checks.check_label(time_label), model, time_unit))
    ticks = None if times is None else checks.check_ticks(times).tolist()
    nodes = by_risk(model)
    ax = new_axes(7.8, _figure_height(len(nodes), at_risk)) if ax is None else ax
    size = SIZE if size_of(ax)[0] >= NARROW else SMALL_SIZE
    has_rules = size_of(ax)[0] >= WIDE
    has_bands = len(nodes) <= MOST_WITH_BANDS if bands is None else bool(bands)
    artists = _draw_curves(ax, model, nodes, level if has_bands else None)
    ticks = round_ticks(last_time(model), _n_ticks(ax, size)) if ticks is None else ticks
    axis = Fonts().drawable(words_of(model.causes_).axis)
    _draw_axes(ax, ticks, max(last_time(model), ticks[-1]), label, size, axis)
    _draw_titles(ax, model, size, has_bands=has_bands)
    if log_rank and len(nodes) > 1:
        _draw_test(ax, model, size)
    table_height = (len(nodes) + 1) * LINE * size
    if at_risk and table_height <= MOST_OF_HEIGHT * size_of(ax)[1]:
        artists += _draw_table(ax, model, nodes, ticks, size)
    return picture_of(ax, artists + _draw_labels(ax, model, nodes, size, has_rules=has_rules))


def _axis_label(given: str | None, model: FittedTree, time_unit: str | None) -> str:
    """What the axis of time is called: as given, or by the unit."""
    unit = unit_of(model, time_unit)
    return given if given is not None else f"Time ({unit})" if unit else "Time"


def curves_on_page(model: FittedTree, confidence: float) -> Picture:
    """The curves for a browser, all with their bands, and no more steps than can be seen."""
    nodes, end = by_risk(model), last_time(model)
    ax = new_axes(5.2, _figure_height(len(nodes), at_risk=False))
    artists = _draw_curves(ax, model, nodes, confidence, is_page=True)
    axis = words_of(model.causes_).axis
    _draw_axes(ax, round_ticks(end), end, _axis_label(None, model, None), SIZE, axis)
    return picture_of(ax, artists + _draw_labels(ax, model, nodes, SIZE, has_rules=False))


def _figure_height(n_leaves: int, at_risk: bool) -> float:
    """In inches: curves, labels that need more with many leaves, and the table."""
    with_rules = min(0.5 * n_leaves, 6.0) + 0.9
    return max(3.4, with_rules, 0.18 * n_leaves + 0.8) + (0.4 + 0.16 * n_leaves) * at_risk


def _n_ticks(ax: Any, size: float) -> int:
    """How many numbers at risk fit side by side."""
    return max(2, min(8, int(0.7 * size_of(ax)[0] / (5.5 * size))))


def _draw_curves(
    ax: Any, model: FittedTree, nodes: list[int], confidence: float | None, *, is_page: bool = False
) -> list[Any]:
    colours, strokes, legend = leaf_colours(model), leaf_strokes(model), _legend(model)
    resolution = ON_PAGE if is_page else None
    artists: list[Any] = []
    for node in nodes:
        how = {"color": colours[node], "linestyle": strokes[node], "linewidth": WIDTH}
        *bands, line = draw_leaf(ax, model, node, confidence, resolution, **how)
        line.set_label(legend[node])
        line.set_gid(f"curve-{node}.line")
        for band in bands:
            band.set_gid(f"band-{node}.area")
        artists += [*bands, line]
        if confidence is not None and not is_page:
            artists += draw_censored(ax, model.leaf_curves_[node], colours[node])
    return artists


def _legend(model: FittedTree) -> dict[int, str]:
    """Group and rule of each leaf, for a legend of matplotlib, where $ would begin mathematics."""
    names, rules = given_names(model), rules_of(model)
    texts = {
        node: f"{group_text(group, names[node])}: {rules[node]}"
        for group, node in model.groups_.items()
    }
    fonts = Fonts()
    return {node: fonts.drawable(text).replace("$", r"\$") for node, text in texts.items()}


def _draw_axes(ax: Any, ticks: list[float], end: float, label: str, size: float, axis: str) -> None:
    ax.set(xlim=(0, end), ylim=(0, 1.02))
    ax.set_xticks(ticks, list(map(format_number, ticks)))
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
    ax.tick_params(labelsize=size)
    ax.set_xlabel(label, size=size, parse_math=False, usetex=False)
    ax.set_ylabel(axis, size=size, parse_math=False, usetex=False)
    hide_frame(ax)


def _draw_titles(ax: Any, model: FittedTree, size: float, *, has_bands: bool) -> None:
    """Which curves are drawn, if that needs words."""
    if shrinkage_of(model) > 0:
        own = f"thin, shaded: {words_of(model.causes_).estimator} of the group"
        lines = [SHRUNKEN, own] if has_bands else [SHRUNKEN]
        ax.set_title("\n".join(lines), loc="left", size=size, color=GREY)


def _draw_test(ax: Any, model: FittedTree, size: float) -> None:
    """The log-rank test beside the title, or above it if there is no room."""
    test = f"log-rank {format_p_value(leaf_facts(model).log_rank.p)}, optimistic"
    lines = [line for line in ax.get_title(loc="left").split("\n") if line]
    room = size_of(ax)[0] - Fonts().widest(lines, size)
    is_beside = not lines or room > Fonts().width(test, size) + size
    ax.set_title(
        test if is_beside else test + "\n" * len(lines), loc="right", size=size, color=GREY
    )


def _draw_table(
    ax: Any, model: FittedTree, nodes: list[int], ticks: list[float], size: float
) -> list[Any]:
    """Rows at risk below the ticks, leaves in the order of risk."""
    counts = format_weights(model.leaf_curves_[node].at_risk(ticks) for node in nodes)
    widest = Fonts().widest((count for row in counts for count in row), size)
    left = -(widest / 2 + 0.6 * size)
    top = 9 + 2.9 * LINE * size  # below the numbers and the label of the axis
    artists = [_hung(ax, 0.0, (left, top), "At risk", size, ha="right", color=GREY)]
    for group, row in enumerate(counts, start=1):
        down = top + group * LINE * size
        artists.append(_hung(ax, 0.0, (left, down), group_title(group), size, ha="right"))
        artists += [
            _hung(ax, tick, (0.0, down), count, size, ha="center")
            for tick, count in zip(ticks, row, strict=True)
        ]
    return artists


def _hung(
    ax: Any, time: float, offset: tuple[float, float], text: str, size: float, **how: Any
) -> Any:
    """A text so many points right of a time and below the axis."""
    how |= {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points", "size": size}
    how |= {"annotation_clip": False, "va": "center", "parse_math": False}
    return ax.annotate(text, (time, 0.0), (offset[0], -offset[1]), **how)


class Label(NamedTuple):
    """What stands beside a curve: a line that names it, and its rule in smaller letters."""

    title: str
    rule: tuple[str, ...] = ()

    def height(self, size: float) -> float:
        """In points, with some room below a rule."""
        below = LINE * small(size) * len(self.rule) + 0.4 * size if self.rule else 0.0
        return LINE * size + below


def _labels(model: FittedTree, size: float, room: float, *, has_rules: bool) -> list[Label]:
    """The labels of all groups, with as many lines of their rules as there is room for."""
    fonts, names, rules = Fonts(), given_names(model), rules_of(model)
    titles = []
    for group, node in model.groups_.items():
        title = group_title(group, shortened(fonts.drawable(names[node])))
        titles.append(f"{title} (n = {model.leaf_curves_[node].n_rows:,})")
    for most in range(MOST_RULE_LINES if has_rules and len(titles) > 1 else 0, 0, -1):
        wrapped = [
            fonts.wrapped(fonts.drawable(rules[node]), RULE_WIDTH * size, small(size), most)
            for node in model.groups_.values()
        ]
        labels = [Label(title, rule.lines) for title, rule in zip(titles, wrapped, strict=True)]
        is_legible = most > 1 or all(rule.is_whole for rule in wrapped)
        if is_legible and sum(label.height(size) for label in labels) <= room:
            return labels
    return [Label(title) for title in titles]


def _draw_labels(
    ax: Any, model: FittedTree, nodes: list[int], size: float, *, has_rules: bool
) -> list[Any]:
    """Group, rows and rule of each leaf at the right, in order, near to where its curve ends."""
    colours, strokes = leaf_colours(model), leaf_strokes(model)
    right, top, height = ax.get_xlim()[1], ax.get_ylim()[1], size_of(ax)[1]
    labels = _labels(model, size, height, has_rules=has_rules)
    if model.causes_ is not None:  # incidences rise: the highest risk is at the top
        nodes, labels = nodes[::-1], labels[::-1]
    drawn = [drawn_curve(model, node) for node in nodes]
    ends = [float(curve(last)) for curve, last in drawn]
    size = min(size, height / (LINE * len(nodes)))
    point = top / height  # in units of the axis
    heights = [point * label.height(size) for label in labels]
    half = point * LINE * size / 2
    places = spread(ends, heights, half, top)
    has_leaders = ends == sorted(ends, reverse=True)  # otherwise they would cross
    artists: list[Any] = []
    for node, label, (_, last), end, place in zip(nodes, labels, drawn, ends, places, strict=True):
        how = {"color": colours[node], "clip_on": False, "zorder": 1}
        if has_leaders and end > 0:  # many curves end at 0
            x = [last, right, right * (1 + SAMPLE[0])]
            dotted = {"linewidth": 0.6, "linestyle": ":", "gid": f"curve-{node}.leader"}
            artists += ax.plot(x, [end, end, place], **dotted, **how)
        ends_of_sample = [right * (1 + share) for share in SAMPLE]
        stroke = {"linewidth": WIDTH, "linestyle": strokes[node], "gid": f"curve-{node}.sample"}
        artists += ax.plot(ends_of_sample, [place, place], **stroke, **how)
        artists += _draw_label(ax, label, (place, place - half), size, f"curve-{node}")
    return artists


def _draw_label(
    ax: Any, label: Label, places: tuple[float, float], size: float, gid: str
) -> list[Any]:
    """The title around a place, and the rule from another one downwards."""
    at, (middle, below) = ax.get_xlim()[1] * (1 + LABELS_AT), places
    how: dict[str, Any] = {"clip_on": False}
    title = write(ax, at, middle, label.title, size=size, va="center", gid=f"{gid}.text", **how)
    if not label.rule:
        return [title]
    how |= {"size": small(size), "va": "top", "color": GREY, "gid": f"{gid}.rule"}
    return [title, write(ax, at, below, "\n".join(label.rule), **how)]


def spread(wanted: list[float], heights: list[float], half: float, top: float) -> list[float]:
    """Places from the top to 0 near those wanted, for blocks that hang down from their first line.

    ``half`` is half of the height of a line: a place is the middle of the first one. No block
    reaches into another, and the first is the highest.
    """
    order = range(len(wanted) - 1, -1, -1)
    places = [0.0] * len(wanted)
    lowest = -half
    for k in order:
        places[k] = max(wanted[k], lowest + heights[k] - half)
        lowest = places[k] + half
    highest = top + half
    for k in reversed(order):
        places[k] = min(places[k], highest - half)
        highest = places[k] + half - heights[k]
    return list(map(float, places))
