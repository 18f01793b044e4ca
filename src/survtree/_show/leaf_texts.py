"""Numbers of a leaf in words, as all exports and pictures write them.

Where curves are shrunken, the predicted number comes first and the one of the leaf's own
Kaplan-Meier curve, with its limits, beside it.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

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
    with_unit,
)
from survtree._show.fonts import DOTS
from survtree._show.leaf_facts import Leaf, LeafFacts
from survtree._show.shown_curves import CurveWords

LARGEST_PLAIN = 1e9
LONGEST_IN_PICTURES = 30  # letters of a name


def group_text(group: int, name: str = "") -> str:
    """What a group is called, with the name that the user gave it."""
    return f"group {group} ({name})" if name else f"group {group}"


def group_title(group: int, name: str = "") -> str:
    """The same as a heading."""
    return f"Group {group}: {name}" if name else f"Group {group}"


def shortened(name: str) -> str:
    """A name that leaves room for others in a picture."""
    is_long = len(name) > LONGEST_IN_PICTURES
    return f"{name[: LONGEST_IN_PICTURES - 1]}{DOTS}" if is_long else name


def size_text(leaf: Leaf) -> str:
    """How many rows and events; with competing risks those of the target cause."""
    return f"n {leaf.n_rows:,}, events {leaf.n_events:,}"


class Numbers(NamedTuple):
    """A number of a leaf in words, and its limits in brackets, if it has any."""

    text: str
    limits: str = ""
    is_own: bool = False  # of the leaf's own rows, beside a predicted one

    def __str__(self) -> str:
        return f"{self.text} {self.limits}".rstrip()


def curve_texts(leaf: Leaf, facts: LeafFacts) -> list[str]:
    """Median and survival at the times of the facts; no medians if most are not reached."""
    medians = _median(leaf, facts.unit) if facts.has_medians else []
    return list(map(str, medians + _survival(leaf, facts)))


def curve_lines(
    leaf: Leaf, facts: LeafFacts, *, is_narrow: bool, has_limits: bool
) -> tuple[str, ...]:
    """The same in a picture, where survival at given times takes the place of the median."""
    found = _survival(leaf, facts) if facts.times else _median(leaf, facts.unit)
    if not has_limits:
        found = [Numbers(each.text) for each in found if not each.is_own]
    if not is_narrow:
        return tuple(map(str, found))
    lines = [line for each in found for line in (each.text, each.limits) if line]
    broken = (line.replace(f" {NOT_REACHED}", f"\n{NOT_REACHED}") for line in lines)
    return tuple(part for line in broken for part in line.split("\n"))


def _median(leaf: Leaf, unit: str | None) -> list[Numbers]:
    """The median survival, as far as the curves reach it."""
    own, limits = format_median(leaf.median.value, unit), _limits(leaf.median, format_number)
    if leaf.predicted is None:
        return [Numbers(f"median {own}", limits)]
    predicted = f"predicted median {format_median(leaf.predicted.median, unit)}"
    return [Numbers(predicted), Numbers(f"Kaplan-Meier {own}", limits, is_own=True)]


def _survival(leaf: Leaf, facts: LeafFacts) -> list[Numbers]:
    """Survival at each time."""
    share = partial(format_decimals, decimals=2)
    out = []
    for place, (time, survival) in enumerate(zip(facts.times, leaf.survival, strict=True)):
        name, own = survival_name(time, facts.unit, facts.words.letter), share(survival.value)
        limits = _limits(survival, share)
        if leaf.predicted is None:
            out.append(Numbers(f"{name} {own}", limits))
        else:
            out.append(Numbers(f"predicted {name} {share(leaf.predicted.survival[place])}"))
            out.append(Numbers(f"{facts.words.estimator} {own}", limits, is_own=True))
    return out


def survival_name(time: float, unit: str | None = None, letter: str = "S") -> str:
    """How survival at a time is written, or the incidence, F."""
    return f"{letter}({with_unit(format_time(time), unit)})"


def format_time(time: float) -> str:
    """A time with all its digits."""
    is_plain = float(time).is_integer() and time < LARGEST_PLAIN
    return f"{time:,.0f}" if is_plain else format_exact(time)


def risk_text(leaf: Leaf) -> str:
    """The risk score and, of a tree by the likelihood, the hazard relative to that of all rows."""
    risk = f"risk {format_number(leaf.risk)}"
    if leaf.relative_hazard is None:
        return risk
    return f"{risk}, hazard {format_ratio(leaf.relative_hazard)} times that of all rows"


def ratio_text(leaf: Leaf, reference: int) -> str:
    """The hazard ratio and its limits, where they are known."""
    ratio = leaf.hazard_ratio
    if leaf.node == reference:
        return "hazard ratio 1 (reference)"
    if math.isnan(ratio.value):
        return "hazard ratio unknown"
    return str(Numbers(f"hazard ratio {format_ratio(ratio.value)}", _limits(ratio, format_ratio)))


def _limits(interval: Interval, how: Callable[[float], str]) -> str:
    limits = format_limits(interval.low, interval.high, how)
    return f"({limits})" if limits else ""


def limits_note(facts: LeafFacts) -> str:
    """What the numbers in brackets are."""
    return f"In brackets: {format_percent(facts.confidence, None)} confidence limits."


def notes_of(facts: LeafFacts, *, has_limits: bool = True) -> list[str]:
    """What a reader has to know of the numbers, a line each."""
    notes = shrinkage_notes(facts.shrinkage, facts.words)
    if facts.times and not facts.has_medians:
        notes.append(facts.words.stated)
    return notes + ([limits_note(facts)] if has_limits else [])


def shrinkage_notes(shrinkage: float, words: CurveWords) -> list[str]:
    """Which numbers come from which curve; nothing if there is only one."""
    if shrinkage == 0:
        return []
    return [
        f"Predicted numbers and risk: by shrunken curves (shrinkage {format_number(shrinkage)}). "
        f"{words.estimator}: of the group's own rows."
    ]
