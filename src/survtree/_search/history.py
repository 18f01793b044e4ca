"""The history of a search: what was known when."""

from collections.abc import Sequence
from dataclasses import replace

from survtree._search.progress import Snapshot


def steady(snapshots: Sequence[Snapshot]) -> tuple[Snapshot, ...]:
    """The snapshots with bounds that never move back.

    Losses are added up in more than one order, so that a bound may exceed a later one, or the
    objective in the end, in its last digit. The later number counts.
    """
    found: list[Snapshot] = []
    for snapshot in reversed(snapshots):
        if found:
            lower = min(snapshot.lower_bound, found[-1].lower_bound)
            objective = max(snapshot.objective, found[-1].objective)
            snapshot = replace(snapshot, lower_bound=lower, objective=objective)
        found.append(snapshot)
    return tuple(reversed(found))
