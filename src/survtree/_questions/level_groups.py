"""Groups of levels that are worth a question: the levels by risk, cut between any two; or all.

Many levels can be parted in two in more ways than can be searched. In the order of their risks only
the cuts of this order are tried: for a target of one number the best parting is among them (Fisher
1958), and survival curves of levels mostly differ by one number, their risk. Of few levels, all
partings can be tried.
"""

from itertools import combinations

import numpy as np

from survtree._data.table import Column, EventTable, weight_at
from survtree._questions.forms import InLevels

# With three levels or fewer, each against the others is all there is.
FEWEST_LEVELS = 4
# Up to so many levels are parted in every way: in 127 ways, or 254 if values are missing.
MOST_PARTED = 8


def all_level_groups(j: int, column: Column) -> list[InLevels] | None:
    """The groups of two levels or more that part column j differently; None: too many.

    A group and the other levels are one parting, named by the smaller group; unless values are
    missing, which answer no to either.
    """
    levels = sorted(column.levels[place] for place in column.occurring().tolist())
    if len(levels) > MOST_PARTED:
        return None
    if column.is_missing().any():
        sizes = range(2, len(levels))
        return [InLevels(j, group) for size in sizes for group in combinations(levels, size)]
    groups = [
        InLevels(j, group)
        for size in range(2, len(levels) // 2 + 1)
        for group in combinations(levels, size)
    ]
    # Of two halves, the one that is easier to read; of those, the one with the first level.
    is_half = [2 * len(question.levels) == len(levels) for question in groups]
    return [
        min(question, _others(question, levels), key=lambda q: (q.readability(), q.levels))
        if half
        else question
        for question, half in zip(groups, is_half, strict=True)
        if not half or levels[0] in question.levels
    ]


def _others(question: InLevels, levels: list[str]) -> InLevels:
    """The question about the other levels."""
    rest = tuple(level for level in levels if level not in question.levels)
    return InLevels(question.column, rest)


def level_groups(j: int, column: Column, events: EventTable) -> list[InLevels]:
    """The groups of two levels or more of column j, none of which is all levels but one.

    The risk of a level is its number of events divided by those expected if all rows had the same
    hazard, with one more of each, so that a level of few rows is not taken for an extreme one.
    """
    places = column.occurring()
    if len(places) < FEWEST_LEVELS:
        return []
    expected = events.weight * (events.event_weight / events.at_risk).cumsum()[events.when]
    seen = column.values >= 0
    where, n_levels = column.values[seen].astype(np.intp), len(column.levels)
    observed = weight_at(where, (events.weight * events.event)[seen], n_levels)
    risk = (observed + 1.0) / (weight_at(where, expected[seen], n_levels) + 1.0)
    # Equal risks in the order of their words: how a source declares its levels must not matter.
    ordered = sorted(column.levels[place] for place in places.tolist())
    ordered.sort(key=dict(zip(column.levels, risk.tolist(), strict=True)).__getitem__)
    return [InLevels(j, tuple(sorted(ordered[:size]))) for size in range(2, len(ordered) - 1)]
