"""Colours and strokes of leaves: the darker, the higher the risk, in colour and in grey."""

from typing import Any

from survtree._fitted import FittedTree

Stroke = str | tuple[int, tuple[float, ...]]
# Of viridis: its lightness falls evenly, and its ends differ for every kind of colour vision. What
# is lighter than the first does not show on white paper.
LOW_RISK, HIGH_RISK = 0.78, 0.0
ONLY = 0.3
# In the order of risk neighbours differ in stroke. Few leaves are told apart without.
STROKES: tuple[Stroke, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MOST_SOLID = 3

GREY = "#595959"
PALE = "#d9d9d9"
BLUE, ORANGE = "#0072b2", "#b35900"


def by_risk(model: FittedTree) -> list[int]:
    """The leaves from the lowest risk to the highest."""
    risks = model.leaf_risks_
    return sorted(risks, key=lambda node: (risks[node], node))


def leaf_colours(model: FittedTree) -> dict[int, Any]:
    """A colour for each leaf."""
    from matplotlib import colormaps

    nodes, colours = by_risk(model), colormaps["viridis"]
    if len(nodes) == 1:
        return {nodes[0]: colours(ONLY)}
    step = (HIGH_RISK - LOW_RISK) / (len(nodes) - 1)
    return {node: colours(LOW_RISK + place * step) for place, node in enumerate(nodes)}


def leaf_strokes(model: FittedTree) -> dict[int, Stroke]:
    """How the line of each leaf is drawn where several are in one place."""
    nodes = by_risk(model)
    strokes = STROKES if len(nodes) > MOST_SOLID else STROKES[:1]
    return {node: strokes[place % len(strokes)] for place, node in enumerate(nodes)}
