"""Shuffled folds; rows of a group, such as several rows of one subject, are kept together."""

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import EventTable, Places

Pair: TypeAlias = tuple[Places, Places]  # rows to fit on, and held-out rows
MOST_TRIES = 10


def ends_of(events: EventTable) -> NDArray[Any]:
    """How each row ended, of which folds have about equally many of each kind."""
    return events.event if events.cause is None else events.kinds


def shuffled_folds(
    n_folds: int,
    events: EventTable,
    rng: np.random.RandomState,
    n_repeats: int,
    groups: Places | None,
) -> list[Pair]:
    """Folds that have about equally many rows and events, made so many times over."""
    if groups is not None:
        check_enough_groups(n_folds, groups)
        repeats = (folds_of_groups(n_folds, events, groups, rng) for _ in range(n_repeats))
        return [pair for pairs in repeats for pair in pairs]
    from sklearn.model_selection import RepeatedStratifiedKFold  # slow to import, and seldom needed

    splitter = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=rng)
    with warnings.catch_warnings():
        # Fewer censored rows than folds: some folds have none, which is no problem.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(splitter.split(np.zeros((len(events), 1)), ends_of(events)))


def folds_of_groups(
    n_folds: int, events: EventTable, groups: Places, rng: np.random.RandomState
) -> list[Pair]:
    """Shuffled folds of whole groups, with about equally many events if that can be.

    Groups that differ much in size or in events may leave a fold without rows, or the others
    without an event; then groups are dealt out by their number of rows alone.
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold  # slow to import

    nothing = np.zeros((len(events), 1))
    for _ in range(MOST_TRIES):
        seed = int(rng.randint(2**31))
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            folds = list(splitter.split(nothing, ends_of(events), groups))
        if _can_be_fitted(folds, events):
            return folds
    seed = int(rng.randint(2**31))
    by_rows = GroupKFold(n_folds, shuffle=True, random_state=seed)
    folds = list(by_rows.split(nothing, groups=groups))
    check_events_of_groups(folds, events)
    return folds


def _can_be_fitted(folds: Sequence[Pair], events: EventTable) -> bool:
    return all(
        len(test) > 0 and events.event[train].any() and events.time[train].max() > 0
        for train, test in folds
    )


def check_enough_groups(n_folds: int, groups: Places) -> None:
    """Refuse more folds than groups."""
    n_groups = len(np.unique(groups))
    if n_groups < n_folds:
        raise ValueError(
            f"cv must be at most the number of groups, which folds do not part; cv is {n_folds}, "
            f"and there are {n_groups:,} groups. Pass a smaller cv, or finer groups."
        )


def check_events_of_groups(folds: Sequence[Pair], events: EventTable) -> None:
    """Refuse groups of which one has all events."""
    if not _can_be_fitted(folds, events):
        raise ValueError(
            "each fold of cv must have an event among its training rows; whole groups cannot be "
            "dealt out so. Pass a smaller cv, or finer groups."
        )


def check_groups_are_whole(folds: Sequence[Pair], groups: Places) -> None:
    """Refuse folds that part a group."""
    for k, (train, test) in enumerate(folds):
        both = np.intersect1d(groups[train], groups[test])
        if len(both):
            row = int(np.flatnonzero(groups == both[0])[0])
            raise ValueError(
                f"each fold of cv must keep the rows of a group together; fold {k} has rows of the "
                f"group of row {row} on both sides. Pass cv=5, or a splitter that knows groups, "
                "such as GroupKFold()."
            )
