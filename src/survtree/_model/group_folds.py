"""Folds that keep the rows of a group together, such as several rows of one subject."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from survtree._data.table import EventTable, Places

MOST_TRIES = 10


class Fold(NamedTuple):
    """Places of rows to fit on, and of held-out rows to score."""

    train: Places
    test: Places


def folds_of_groups(
    n_folds: int, events: EventTable, groups: Places, rng: np.random.RandomState
) -> list[Fold]:
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
            folds = [Fold(*pair) for pair in splitter.split(nothing, events.event, groups)]
        if _can_be_fitted(folds, events):
            return folds
    seed = int(rng.randint(2**31))
    by_rows = GroupKFold(n_folds, shuffle=True, random_state=seed)
    folds = [Fold(*pair) for pair in by_rows.split(nothing, events.event, groups)]
    check_events_of_groups(folds, events)
    return folds


def _can_be_fitted(folds: Sequence[Fold], events: EventTable) -> bool:
    return all(
        len(fold.test) > 0 and events.event[fold.train].any() and events.time[fold.train].max() > 0
        for fold in folds
    )


def check_enough_groups(n_folds: int, groups: Places) -> None:
    """Refuse more folds than groups."""
    n_groups = len(np.unique(groups))
    if n_groups < n_folds:
        raise ValueError(
            f"cv must be at most the number of groups, which folds do not part; cv is {n_folds}, "
            f"and there are {n_groups:,} groups. Pass a smaller cv, or finer groups."
        )


def check_events_of_groups(folds: Sequence[Fold], events: EventTable) -> None:
    """Refuse groups of which one has all events."""
    if not _can_be_fitted(folds, events):
        raise ValueError(
            "each fold of cv must have an event among its training rows; whole groups cannot be "
            "dealt out so. Pass a smaller cv, or finer groups."
        )


def check_groups_are_whole(folds: Sequence[Fold], groups: Places) -> None:
    """Refuse folds that part a group."""
    for k, fold in enumerate(folds):
        both = np.intersect1d(groups[fold.train], groups[fold.test])
        if len(both):
            row = int(np.flatnonzero(groups == both[0])[0])
            raise ValueError(
                f"each fold of cv must keep the rows of a group together; fold {k} has rows of the "
                f"group of row {row} on both sides. Pass cv=5, or a splitter that knows groups, "
                "such as GroupKFold()."
            )
