"""Teachers: models whose survival curves a tree is fitted to, predicted without seeing the row.

The built-in ones are a forest of regression trees on Kaplan-Meier pseudo-observations (its curves
are out of bag), a ridge Cox model (its curves are cross-fitted), and their mean. With competing
risks their curves are 1 - the incidence of the target cause. They need nothing but scikit-learn.
Rows and columns are put in an order of their own first, so that the order in which a user has them
does not matter.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from survtree._data.read_table import natural_order
from survtree._data.table import Column, EventTable, Floats, Places, Table, table_of, weight_at
from survtree._questions.screening import sample_rows
from survtree._scoring.cox import cross_fitted_cox
from survtree._scoring.curves import StepFunction, one_curve
from survtree._scoring.pseudo_incidence import (
    not_had,
    specific_outcomes,
    without_each_of_causes,
)

# The built-in teachers, and what readers are told they are.
BUILT_IN = {
    "auto": "the mean of a forest and a Cox model",
    "forest": "a forest",
    "cox": "a Cox model",
}
N_TIMES = 20
# More rows would take long and teach little more: a teacher is fitted to a sample of so many, and
# predicts the others as rows it has not seen. Where events are rare, they are this share of it.
MOST_ROWS, EVENT_SHARE = 20_000, 0.1
MOST_AT_ONCE = 4_096  # rows that a forest predicts while they are in the processor's cache
N_TREES = 200
TREES_PER_STEP = 20
FEWEST_ROWS = 8  # in a leaf of the forest
MOST_ROWS_PER_TREE = 4_000
# A row's curve depends on who is in its fold; the mean of some repeats depends less.
N_FOLDS, N_REPEATS = 5, 5
FEWEST_EVENTS = 2 * N_FOLDS  # with fewer, the Cox model says the same of every row
MOST_LEVELS, FEWEST_IN_LEVEL = 30, 3
# Numbers beyond these shares of their column are moved there: a linear model follows outliers.
TAIL = 0.02
MANY_COLUMNS = 200
PRIOR_ROWS = 3.0
TINY = float(np.finfo(float).tiny)
LARGEST_SINGLE = 3e38


@dataclass
class Pace:
    """How a teacher is fitted: with how many threads, who hears of its steps, who may end it.

    ``on_step`` gets what is being fitted and the share of it that is done. If it returns True, what
    there is must do. The curves do not depend on the threads.
    """

    n_jobs: int | None = None
    on_step: Callable[[str, float], bool] | None = None
    is_cut: bool = False  # whether anything was ended early

    def ends(self, what: str, share: float) -> bool:
        """Whether to end here."""
        is_over = self.on_step is not None and self.on_step(what, share) and share < 1.0
        self.is_cut |= is_over
        return is_over


class TeacherCurves(NamedTuple):
    """Survival curves of the training rows (rows x times), steps at ``times``, up to a horizon.

    Curves of a teacher that was cut short cannot be made again.
    """

    times: Floats
    survival: Floats
    horizon: float
    n_fitted: int | None = None  # to how many rows the teacher was fitted, if not to all
    is_cut: bool = False

    def targets(self) -> Floats:
        """Vectors whose squared distances are those of the curves, integrated and divided by h.

        Curves are 1 before the first time, so nothing differs there.
        """
        return np.asarray(self.survival * np.sqrt(self.lengths()))

    def lengths(self) -> Floats:
        """Of the steps, as parts of the horizon."""
        return _lengths(self.times, self.horizon)

    def means(self, leaf_of_row: Places, weight: Floats, n_leaves: int) -> Floats:
        """The mean curve of the rows of each leaf: leaves x times."""
        sums = np.zeros((n_leaves, len(self.times)))
        np.add.at(sums, leaf_of_row, self.survival * weight[:, np.newaxis])
        return np.asarray(sums / weight_at(leaf_of_row, weight, n_leaves)[:, np.newaxis])


def slope(teacher: TeacherCurves, events: EventTable) -> float:
    """By which factor the curves should differ more, or less, from that of all rows.

    Means of models that are predicted without the row are too careful where the signal is strong.
    This is the slope of the regression of the pseudo-observations on the teacher's curves, both as
    differences from the Kaplan-Meier curve of all rows, drawn towards 1 as if ``PRIOR_ROWS`` more
    rows said so.
    """
    everyone, scale = one_curve(events)(teacher.times), np.sqrt(teacher.lengths())
    predicted = (teacher.survival - everyone) * scale
    seen = (pseudo_observations(events, teacher.times) - everyone) * scale
    weight = events.weight[:, np.newaxis]
    noise = PRIOR_ROWS * float((weight * (seen - predicted) ** 2).sum() / weight.sum())
    both, square = (float((weight * x * predicted).sum()) for x in (seen, predicted))
    return (both + noise) / (square + noise) if square + noise > 0 else 1.0


def _lengths(times: Floats, horizon: float) -> Floats:
    return np.diff(np.append(times, horizon)) / max(horizon, TINY)


class _Task(NamedTuple):
    """What a built-in teacher is fitted to, and what it is to predict."""

    columns: Floats  # of all rows, first those that it is fitted to
    events: EventTable  # of the rows that it is fitted to
    times: Floats
    horizon: float
    seed: int
    pace: Pace

    def same_for_all(self) -> Floats:
        """The Kaplan-Meier curve of all rows, for each of them."""
        return np.tile(one_curve(self.events)(self.times), (len(self.columns), 1))


def built_in_curves(
    name: str,
    table: Table,
    events: EventTable,
    seed: int,
    pace: Pace | None = None,
    most_rows: int | None = None,
) -> TeacherCurves:
    """The curves of a built-in teacher; the events are clipped at the horizon already.

    It is fitted to a sample if there are more than ``most_rows`` rows, by default ``MOST_ROWS``.
    """
    pace = Pace() if pace is None else pace
    n_fitted = min(MOST_ROWS if most_rows is None else most_rows, len(events))
    table = table_of([_in_one_order(column) for column in table.columns])
    order = sample_rows(table, events, len(events))
    first, factor = _sample(events.take(order), n_fitted, seed)
    order = np.append(order[first], np.delete(order, first))
    fitted_to = events.take(order[:n_fitted])
    fitted_to = replace(fitted_to, weight=fitted_to.weight * factor)
    times, horizon = grid_of(events), float(events.time.max())
    # Trees of scikit-learn read single precision: what is beyond it is as large as can be.
    columns = np.clip(covariates(table.take(order)), -LARGEST_SINGLE, LARGEST_SINGLE)
    task = _Task(columns, fitted_to, times, horizon, seed, pace)
    makers = {"forest": (_forest,), "cox": (_cox,), "auto": (_forest, _cox)}[name]
    # Small products: threads of the linear algebra library would mostly wait for each other.
    with threadpool_limits(1, "blas"):
        found = [make(task) for make in makers]
    survival = np.empty_like(found[0])
    survival[order] = sum(found) / len(found)
    is_sample = n_fitted < len(events)
    return TeacherCurves(times, survival, horizon, n_fitted if is_sample else None, pace.is_cut)


def _sample(events: EventTable, n_rows: int, seed: int) -> tuple[Places, Floats]:
    """Random rows, ascending, and factors of their weights that make up for the preferred events.

    Each of a million censored rows says little; the few events say most.
    """
    if n_rows >= len(events):
        return np.arange(len(events)), np.ones(len(events))
    rng, share = np.random.default_rng(seed), n_rows / len(events)
    died, censored = np.flatnonzero(events.event), np.flatnonzero(~events.event)
    n_died = min(len(died), round(max(share * len(died), EVENT_SHARE * n_rows)))
    parts = [rng.choice(died, n_died, replace=False)]
    parts.append(rng.choice(censored, n_rows - n_died, replace=False))
    factors = [
        np.full(len(part), share * len(group) / max(len(part), 1))
        for part, group in zip(parts, (died, censored), strict=True)
    ]
    rows = np.concatenate(parts)
    order = rows.argsort()
    return rows[order], np.concatenate(factors)[order]


def _in_one_order(column: Column) -> Column:
    """The same with its levels in the order of their words: types may list them in any order."""
    if column.kind != "level":
        return column
    levels = sorted((column.levels[k] for k in column.occurring()), key=natural_order)
    place = {level: k for k, level in enumerate(levels)}
    # A missing value, -1, stays: it picks the last place.
    places = np.array([*(place.get(level, -1) for level in column.levels), -1], dtype=np.intp)
    return column._replace(values=places[column.values], levels=tuple(levels))


def grid_of(events: EventTable) -> Floats:
    """Where curves step: event times with about equally many events between them."""
    died = events.event_weight
    share = died.cumsum() / max(died.sum(), TINY)
    wanted = (np.arange(N_TIMES) + 0.5) / N_TIMES
    places = np.minimum(np.searchsorted(share, wanted), len(share) - 1)
    grid: Floats = events.unique_times[np.unique(places)]
    return grid


def covariates(table: Table) -> Floats:
    """The columns as numbers: levels become flags, missing cells the median and a flag."""
    columns = sorted(table.columns, key=lambda column: column.name)
    parts = [part for column in columns for part in _numbers_of(column)]
    return np.stack(parts, axis=1) if parts else np.zeros((table.n_rows, 1))


def _numbers_of(column: Column) -> list[Floats]:
    is_missing = column.is_missing()
    flags = [is_missing.astype(np.float64)] if is_missing.sum() >= FEWEST_IN_LEVEL else []
    if column.kind == "level":
        counts = np.bincount(column.values[~is_missing].astype(np.intp))
        common = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
        kept = [level for level in common if counts[level] >= FEWEST_IN_LEVEL]
        return flags + [(column.values == level).astype(np.float64) for level in kept]
    values = column.values.astype(np.float64)
    if is_missing.all():
        return flags
    return [*flags, np.where(is_missing, np.median(values[~is_missing]), values)]


def pseudo_observations(events: EventTable, times: Floats) -> Floats:
    """What each row adds to the curve of all: rows x times.

    The curve is that of Kaplan and Meier; with competing risks 1 - the incidence of the target.

    They are ``(W S - (W - v) S_without) / v``, where W is the weight of all rows and S_without the
    curve without a part v of the row's weight, at most 1: without one of its copies, if weights
    count copies. Their conditional mean is the survival probability (Andersen, Klein, Rosthoj
    2003).
    """
    removed = np.minimum(events.weight, 1.0)
    out = np.empty((len(events), len(times)))
    survival = one_curve(events)(times)
    for size in np.unique(removed):
        rows = np.flatnonzero(removed == size)
        without = _without_each(events, rows, size, times)
        total = events.weight.sum()
        out[rows] = (total * survival - (total - size) * without) / size
    return out


def _without_each(events: EventTable, rows: Places, size: float, times: Floats) -> Floats:
    """Kaplan-Meier curves without ``size`` of the weight of each of the rows: rows x times.

    Before a row's end everybody at risk is ``size`` lighter; at its end the event may be missing;
    afterwards the curve falls by the same factors as that of all rows.
    """
    if events.has_others:
        return without_each_of_causes(events, rows, size, times)
    grid, died, at_risk = events.unique_times, events.event_weight, events.at_risk
    factors = 1.0 - _share(died, at_risk)
    lighter = 1.0 - _share(died, at_risk - size)
    place = events.when[rows]
    at_end = 1.0 - _share(died[place] - size * events.event[rows], at_risk[place] - size)
    before = np.append(1.0, lighter.cumprod())[place] * at_end
    everyone = factors.cumprod()
    after = StepFunction(grid, everyone, before=1.0)(times)
    left = everyone[place][:, np.newaxis]
    # Where the curve of all rows is 0, nobody is left to make a further step.
    ratio = np.divide(after, left, out=np.ones((len(rows), len(times))), where=left > 0)
    early = StepFunction(grid, lighter.cumprod(), before=1.0)(times)
    is_over = times >= events.time[rows][:, np.newaxis]
    return np.where(is_over, before[:, np.newaxis] * ratio, early)


def _share(died: Floats, at_risk: Floats) -> Floats:
    """Events among those at risk, between 0 and 1; 0 where nobody is at risk."""
    tiny = 1e-9
    share = np.divide(died, at_risk, out=np.zeros_like(died), where=at_risk > tiny)
    return np.clip(share, 0.0, 1.0)


def _forest(task: _Task) -> Floats:
    """Curves of a forest that is fitted to pseudo-observations, out of bag."""
    from sklearn.ensemble import RandomForestRegressor  # slow to import

    events, times = task.events, task.times
    n_rows, n_columns = len(events), task.columns.shape[1]
    if n_rows < 2 * FEWEST_ROWS:  # too few for a split
        return task.same_for_all()
    # Times count as much as the steps after them are long, as in the loss of the tree.
    scale = np.maximum(np.sqrt(_lengths(times, task.horizon)), 1e-9)
    few = max(1, n_columns // 3)
    forest = RandomForestRegressor(
        warm_start=True,  # trees are added step by step, and are those of a fit at once
        n_jobs=task.pace.n_jobs,
        min_samples_leaf=FEWEST_ROWS,
        max_features="sqrt" if n_columns > MANY_COLUMNS else few,
        max_samples=MOST_ROWS_PER_TREE if n_rows > MOST_ROWS_PER_TREE else None,
        random_state=task.seed,
    )
    wanted = pseudo_observations(events, times) * scale
    wanted = wanted[:, 0] if len(times) == 1 else wanted
    for n_trees in range(TREES_PER_STEP, N_TREES + 1, TREES_PER_STEP):
        forest.set_params(n_estimators=n_trees)
        forest.fit(task.columns[:n_rows], wanted, events.weight)
        if task.pace.ends("forest", n_trees / N_TREES):
            break
    predicted = _predicted(forest, task) / scale
    # A row of very large weight may be in every bag.
    predicted = np.where(np.isnan(predicted), one_curve(events)(times), predicted)
    # Means of pseudo-observations may leave [0, 1] and rise with time; survival curves do not.
    return np.minimum.accumulate(np.clip(predicted, 0.0, 1.0), axis=1)


def _predicted(forest: Any, task: _Task) -> Floats:
    """The mean prediction of the trees that did not see the row: of all, if it was not fitted to.

    NaN if all of them saw it.
    """
    n, n_times = len(task.events), len(task.times)
    found = [_out_of_bag(forest, task.columns[:n], n_times)]
    # Threads would add up the trees in the order in which they finish.
    forest.set_params(n_jobs=1)
    for first in range(n, len(task.columns), MOST_AT_ONCE):
        part = forest.predict(task.columns[first : first + MOST_AT_ONCE])
        found.append(part.reshape(-1, n_times))
    return np.concatenate(found)


def _out_of_bag(forest: Any, columns: Floats, n_times: int) -> Floats:
    """That of the rows that the forest is fitted to."""
    sums, counts = np.zeros((len(columns), n_times)), np.zeros((len(columns), 1))
    for tree, seen in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        is_new = np.ones(len(columns), dtype=bool)
        is_new[seen] = False
        if is_new.any():
            sums[is_new] += tree.predict(columns[is_new]).reshape(-1, n_times)
            counts[is_new] += 1.0
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def _cox(task: _Task) -> Floats:
    """Cross-fitted curves of a ridge Cox model; with competing risks of two cause-specific ones."""
    if task.events.event.sum() < FEWEST_EVENTS:
        return task.same_for_all()
    folds = cox_folds(task.events, N_REPEATS, task.seed)
    few = cox_columns(task.columns)
    repeats = [folds[k : k + N_FOLDS] for k in range(0, len(folds), N_FOLDS)]
    by_cause = specific_outcomes(task.events)
    curves = []
    for each in repeats:
        found = [cross_fitted_cox(few, events, each, task.times) for events in by_cause]
        curves.append(found[0] if len(found) == 1 else not_had(*found))
        if task.pace.ends("Cox model", len(curves) / N_REPEATS):
            break
    return np.asarray(np.mean(curves, axis=0))


def cox_folds(events: EventTable, n_repeats: int, seed: int) -> list[tuple[Places, Places]]:
    """Folds with about equally many events, made so many times over."""
    from sklearn.model_selection import RepeatedStratifiedKFold  # slow to import

    splitter = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=n_repeats, random_state=seed)
    # Fewer censored rows than folds cannot be spread over them.
    can_spread = (~events.event).sum() >= N_FOLDS
    return list(splitter.split(np.zeros((len(events), 1)), events.event & can_spread))


def cox_columns(columns: Floats) -> Floats:
    """The columns as a ridge penalty needs them: on one scale, and not more than it can tell."""
    return _few_columns(_on_one_scale(columns))


def _on_one_scale(columns: Floats) -> Floats:
    low, high = np.quantile(columns, [TAIL, 1.0 - TAIL], axis=0)
    is_flag = low == high  # a rare level: its few ones are no outliers
    low = np.where(is_flag, columns.min(axis=0), low)
    high = np.where(is_flag, columns.max(axis=0), high)
    clipped = np.clip(columns, low, high)
    spread = clipped.std(axis=0)
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray((clipped - clipped.mean(axis=0)) * scale)


def _few_columns(columns: Floats) -> Floats:
    """Columns that span the same space; a ridge penalty does not see which of them it has."""
    if columns.shape[1] <= len(columns) // 2:
        return columns
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    is_kept = sizes > 1e-8 * max(float(sizes[0]), np.finfo(float).tiny)
    return np.asarray((left * sizes)[:, is_kept])
