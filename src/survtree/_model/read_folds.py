"""Folds that users list, and shuffled ones, which keep rows of a group together.

A group is, for example, several rows of one subject.
"""

import warnings
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from survtree._base.numbers import format_count
from survtree._data.table import Bools, EventTable, Places

Pair: TypeAlias = tuple[Places, Places]  # rows to fit on, and held-out rows
MOST_TRIES = 10


def ends_of(events: EventTable) -> NDArray[Any]:
    """How each row ended, of which folds have about equally many of each kind."""
    return events.event if events.cause is None else events.kinds


def most_folds(events: EventTable, groups: Places | None = None) -> int:
    """How many folds can be made of rows at most; with fewer than 2 there are none.

    Each fold needs an event, and of grouped rows a group; the events must not be of one group.
    """
    n_events = int(events.event.sum())
    if groups is None:
        return n_events
    n_with_events = len(np.unique(groups[events.event]))
    return n_with_events if n_with_events < 2 else min(n_events, len(np.unique(groups)))


def can_be_folded(cv: Any, events: EventTable, groups: Places | None = None) -> bool:
    """Whether so many folds, or those of a splitter, can be made of rows."""
    if not hasattr(cv, "split"):
        return bool(int(cv) <= most_folds(events, groups))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Of a copy: the folds that are made in earnest do not depend on this.
            divided_folds(deepcopy(cv), events, groups)
    except ValueError:
        return False
    return True


def divided_folds(
    splitter: Any, events: EventTable, groups: Places | None, is_kept: Bools | None = None
) -> list[Pair]:
    """The folds of a splitter, which divides the rows that are left, checked."""
    with warnings.catch_warnings():
        # A splitter that does not know groups says so; whether it parts them is looked at here.
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        pairs = splitter.split(np.zeros((len(events), 1)), ends_of(events), groups)
        folds = list(check_folds(pairs, events))
    if groups is not None:
        check_groups_are_whole(folds, groups, is_kept)
    return folds


def listed_folds(
    pairs: Any, events: EventTable, groups: Places | None, is_kept: Bools | None = None
) -> list[Pair]:
    """Folds that are given as pairs of places, checked."""
    folds = list(check_folds(pairs, events, is_kept))
    if groups is not None:
        check_groups_are_whole(folds, groups, is_kept)
    return folds


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


def check_inner_folds(cv: Any, events: EventTable, groups: Places | None, outer_fold: int) -> None:
    """Refuse more inner folds than can be made of the training rows of an outer fold.

    A splitter knows itself what it cannot divide.
    """
    if hasattr(cv, "split") or can_be_folded(cv, events, groups):
        return
    have = format_count(int(events.event.sum()), "event")
    if groups is not None:
        n_with_events = len(np.unique(groups[events.event]))
        have += f" in {n_with_events:,} of {format_count(len(np.unique(groups)), 'group')}"
    raise ValueError(
        "nested_score needs as many events, and groups where there are any, as cv makes folds in "
        f"the training rows of each outer fold; cv is {cv}, and those of outer fold {outer_fold} "
        f"have {have}. Pass a smaller cv to the constructor, or more rows."
    )


def check_can_be_drawn(is_likely: bool, cv: Any, events: EventTable, groups: Places | None) -> None:
    """Refuse folds that can be made of hardly any bootstrap sample of rows."""
    if not is_likely:
        what = format_count(int(events.event.sum()), "event")
        if groups is not None:
            what += f" and {format_count(len(np.unique(groups)), 'group')}"
        raise ValueError(
            "bootstrap needs samples of which cv can make its folds; hardly any is, since cv is "
            f"{cv}, and a sample has about two thirds of the {what} of all rows. Pass an estimator "
            "with a smaller cv."
        )


def check_events_of_groups(folds: Sequence[Pair], events: EventTable) -> None:
    """Refuse groups of which one has all events."""
    if not _can_be_fitted(folds, events):
        raise ValueError(
            "each fold of cv must have an event among its training rows; whole groups cannot be "
            "dealt out so. Pass a smaller cv, or finer groups."
        )


def check_groups_are_whole(
    folds: Sequence[Pair], groups: Places, is_kept: Bools | None = None
) -> None:
    """Refuse folds that part a group; ``is_kept`` says which of the user's rows these are."""
    for k, (train, test) in enumerate(folds):
        both = np.intersect1d(groups[train], groups[test])
        if len(both):
            row = int(np.flatnonzero(groups == both[0])[0])
            row = row if is_kept is None else int(np.flatnonzero(is_kept)[row])
            raise ValueError(
                f"each fold of cv must keep the rows of a group together; fold {k} has rows of the "
                f"group of row {row} on both sides. Pass cv=5, or a splitter that knows groups, "
                "such as GroupKFold()."
            )


def check_folds(
    folds: Any, events: EventTable, is_kept: Bools | None = None
) -> Iterator[tuple[Places, Places]]:
    """Pairs of places of rows, of which a tree can be fitted on the first.

    With ``is_kept`` places are counted among the user's rows, of which some were left out.
    """
    found = list(folds)
    if len(found) < 2:
        raise ValueError(f"cv must make at least two folds; got {len(found)}. Pass cv=5.")
    for k, pair in enumerate(found):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                f"each fold of cv must be a pair (training rows, held-out rows); fold {k} is of "
                f"type {type(pair).__name__}. Pass places of rows, counted from 0."
            )
        n_rows = len(events) if is_kept is None else len(is_kept)
        train, test = (_places_left(_places(part, k, n_rows), k, is_kept) for part in pair)
        if not events.event[train].any() or events.time[train].max() == 0:
            raise ValueError(
                f"each fold of cv must have an event among its training rows; fold {k} has none "
                f"in {format_count(len(train), 'row')}. Stratify the folds by the event flag, as "
                "cv=5 does."
            )
        yield train, test


def _places(part: Any, fold: int, n_rows: int) -> Places:
    places = np.asarray(part)
    is_list = places.ndim == 1 and places.size > 0 and places.dtype.kind in "iu"
    if not is_list or places.min() < 0 or places.max() >= n_rows:
        raise ValueError(
            f"each fold of cv must hold places of rows, integers from 0 to {n_rows - 1}, at least "
            f"one on each side; fold {fold} does not. Pass places, not flags or labels."
        )
    return places.astype(np.intp)


def _places_left(places: Places, fold: int, is_kept: Bools | None) -> Places:
    """The same rows among those that are left."""
    if is_kept is None:
        return places
    left: Places = (is_kept.cumsum() - 1)[places[is_kept[places]]]
    if len(left) == 0:
        raise ValueError(
            "each fold of cv must have rows with a weight, and with missing='drop' without missing "
            f"values, on both sides; fold {fold} has none on one side. Pass other folds, or cv=5."
        )
    return left
