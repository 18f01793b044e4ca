"""Numbers of a leaf in words, as all exports and pictures write them.

Where curves are shrunken, the predicted number comes first and the one of the leaf's own
Kaplan-Meier curve, with its limits, beside it.
"""

import math
from collections.abc import Callable
from functools import partial

from survtree._base.numbers import (
    NOT_REACHED,
    Interval,
    format_decimals,
    format_exact,
    format_limits,
    format_median,
    format_number,
    format_percent,
    format_ratio,
)
from survtree._model.fitted import FittedTree
from survtree._questions.questions import of_present_values
from survtree._show.leaf_facts import Leaf, LeafFacts, has_gaps, questions_of


def missing_notes(model: FittedTree) -> list[str]:
    """Where missing values go, if a column that the tree splits on had some."""
    if not has_gaps(model):
        return []
    splits = questions_of(model)
    if any(of_present_values(question) is not question for question in splits):
        return ['A missing value answers no, except where the split says "missing".']
    return ['A missing value answers no, except to "is missing".']


def size_text(leaf: Leaf) -> str:
    """How many rows and events."""
    return f"n {leaf.n_rows:,}, events {leaf.n_events:,}"


def median_texts(leaf: Leaf) -> list[str]:
    """The median survival and its limits, as far as the curves reach it."""
    own = f"{format_median(leaf.median.value)}{_limits(leaf.median, format_number)}"
    if leaf.predicted is None:
        return [f"median {own}"]
    return [f"predicted median {format_median(leaf.predicted.median)}", f"Kaplan-Meier {own}"]


def median_lines(leaf: Leaf, *, is_narrow: bool, has_limits: bool) -> tuple[str, ...]:
    """The same in a picture: narrow lines have one number each."""
    median, limits = format_median(leaf.median.value), format_limits(*leaf.median[1:])
    ends = [f"({limits})"] if limits and has_limits else []
    lines = [f"median {median}"]
    if leaf.predicted is not None:
        lines = [f"predicted median {format_median(leaf.predicted.median)}"]
        lines += [f"Kaplan-Meier {median}"] if has_limits else []
    if not is_narrow:
        return (*lines[:-1], " ".join([lines[-1], *ends]))
    lines = [line.replace(f" {NOT_REACHED}", f"\n{NOT_REACHED}") for line in lines]
    return (*(part for line in lines for part in line.split("\n")), *ends)


def survival_texts(leaf: Leaf, times: tuple[float, ...]) -> list[str]:
    """Survival at each time, and its limits."""
    share = partial(format_decimals, decimals=2)
    out = []
    for place, (time, survival) in enumerate(zip(times, leaf.survival, strict=True)):
        name, own = f"S({format_exact(time)})", f"{share(survival.value)}{_limits(survival, share)}"
        if leaf.predicted is None:
            out.append(f"{name} {own}")
        else:
            out.append(f"predicted {name} {share(leaf.predicted.survival[place])}")
            out.append(f"Kaplan-Meier {own}")
    return out


def risk_text(leaf: Leaf) -> str:
    """The risk score."""
    return f"risk {format_number(leaf.risk)}"


def ratio_text(leaf: Leaf, reference: int) -> str:
    """The hazard ratio and its limits, where they are known."""
    ratio = leaf.hazard_ratio
    if leaf.node == reference:
        return "hazard ratio 1 (reference)"
    if math.isnan(ratio.value):
        return "hazard ratio unknown"
    return f"hazard ratio {format_ratio(ratio.value)}{_limits(ratio, format_ratio)}"


def _limits(interval: Interval, how: Callable[[float], str]) -> str:
    limits = format_limits(interval.low, interval.high, how)
    return f" ({limits})" if limits else ""


def limits_note(facts: LeafFacts) -> str:
    """What the numbers in brackets are."""
    return f"In brackets: {format_percent(facts.confidence, None)} confidence limits."


def shrinkage_notes(shrinkage: float) -> list[str]:
    """Which numbers come from which curve; nothing if there is only one."""
    if shrinkage == 0:
        return []
    return [
        f"Predicted numbers and risk: by shrunken curves (shrinkage {format_number(shrinkage)}). "
        "Kaplan-Meier: of the leaf's own rows."
    ]
