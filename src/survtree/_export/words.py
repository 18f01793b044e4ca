"""The facts of a leaf in words, as all exports tell them."""

import math

from survtree._curves import Interval
from survtree._fitted import FittedTree
from survtree._leaf_facts import Leaf, LeafFacts

NOT_REACHED = "not reached"


def time_text(time: float) -> str:
    """A time, or that the curve stays above."""
    return NOT_REACHED if math.isinf(time) else f"{time:g}"


def size_text(leaf: Leaf) -> str:
    """How many rows and events."""
    return f"n {leaf.n_rows:,}, events {leaf.n_events:,}"


def median_text(median: Interval) -> str:
    """The median survival and its limits, as far as the curves get there."""
    value, low, high = median
    if math.isinf(low):
        return f"median {time_text(value)}"
    limits = f"{low:g} or more" if math.isinf(high) else f"{low:g} to {high:g}"
    return f"median {time_text(value)} ({limits})"


def survival_texts(leaf: Leaf, times: tuple[float, ...]) -> list[str]:
    """Survival at each time, and its limits."""
    return [
        f"S({time:g}) {survival.value:.2f} ({survival.low:.2f} to {survival.high:.2f})"
        for time, survival in zip(times, leaf.survival, strict=True)
    ]


def risk_text(leaf: Leaf) -> str:
    """The risk score."""
    return f"risk {leaf.risk:.3g}"


def ratio_text(leaf: Leaf, reference: int) -> str:
    """The hazard ratio and its limits, where there are any."""
    value, low, high = leaf.hazard_ratio
    if leaf.node == reference:
        return "hazard ratio 1 (reference)"
    if math.isnan(value):
        return "hazard ratio unknown"
    if math.isnan(low) or math.isnan(high):
        return f"hazard ratio {value:.3g}"
    return f"hazard ratio {value:.3g} ({low:.3g} to {high:.3g})"


def limits_text(facts: LeafFacts) -> str:
    """What the numbers in brackets are."""
    return f"In brackets: limits of {100 * facts.confidence:g} % confidence."


def takes_missing(model: FittedTree) -> bool:
    """Does the model have an answer for rows with missing values?"""
    return bool(model.binarizer_.missing == "question")
