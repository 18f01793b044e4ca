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
    return f"median {time_text(median.value)}{_in_brackets(median.limits_text())}"


def survival_texts(leaf: Leaf, times: tuple[float, ...]) -> list[str]:
    """Survival at each time, and its limits."""
    return [
        f"S({time:g}) {survival.value:.2f}{_in_brackets(survival.limits_text('{:.2f}'.format))}"
        for time, survival in zip(times, leaf.survival, strict=True)
    ]


def risk_text(leaf: Leaf) -> str:
    """The risk score."""
    return f"risk {leaf.risk:.3g}"


def ratio_text(leaf: Leaf, reference: int) -> str:
    """The hazard ratio and its limits, where there are any."""
    ratio = leaf.hazard_ratio
    if leaf.node == reference:
        return "hazard ratio 1 (reference)"
    if math.isnan(ratio.value):
        return "hazard ratio unknown"
    return f"hazard ratio {ratio.value:.3g}{_in_brackets(ratio.limits_text('{:.3g}'.format))}"


def _in_brackets(limits: str) -> str:
    return f" ({limits})" if limits else ""


def limits_text(facts: LeafFacts) -> str:
    """What the numbers in brackets are."""
    return f"In brackets: limits of {100 * facts.confidence:g} % confidence."


def takes_missing(model: FittedTree) -> bool:
    """Does the model have an answer for rows with missing values?"""
    return bool(model.binarizer_.missing == "question")
