"""Groups of levels that are worth a question: the levels by their risk, cut between any two.

Levels can be parted in two in more ways than can be searched. In the order of their risks only the
cuts of this order are tried: for a target of one number the best parting is among them (Fisher
1958), and survival curves of levels mostly differ by one number, their risk.
"""

import numpy as np

from survtree._data.table import Column, EventTable, weight_at
from survtree._questions.forms import InLevels

# With three levels or fewer, each against the others is all there is.
FEWEST_LEVELS = 4


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
