"""How often the near-optimal set of a bootstrap sample has the trees of a set.

A sample has the candidate splits, the penalty, the horizon and the limits on trees of the fit,
so that the same tree is the same splits. A built-in teacher is fitted anew to each sample. One
search finds the optimum of a sample; whether a tree is near it follows from the loss of the tree on
the sample, so no set is listed again. Where the search is stopped the optimum is not known: such a
sample does not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from survtree._base import SearchStoppedWarning
from survtree._base.warn import warn
from survtree._data.table import Floats, Places
from survtree._model.checks import check_some_samples
from survtree._model.many_fits import fit_many
from survtree._model.near_curves import Path, RowsOfPaths
from survtree._model.prepare import Prepared
from survtree._model.stability import bootstrap_samples
from survtree._scoring.losses import loss_by_definition
from survtree._scoring.teachers import BUILT_IN, built_in_curves
from survtree._search.problem import Problem, SearchSettings
from survtree._search.progress import Watch
from survtree._search.solve import Solution, find

Leaves = Sequence[Path]


@dataclass(frozen=True)
class SampleTask:
    """One sample. A single argument, for the reason given at ``Cohort``."""

    prepared: Prepared
    trees: Sequence[Leaves]  # each by the paths to its leaves
    settings: SearchSettings
    counts: Places  # how often each row was drawn
    name: str


@dataclass(frozen=True)
class SampleFound:
    """The optimum of a sample, and by how much the trees exceed it there.

    NaN of trees that have a leaf with too few rows or events in the sample.
    """

    optimum: float
    tolerance: float
    excess: Floats


def sample_tasks(
    prepared: Prepared,
    trees: Sequence[Leaves],
    memory_limit: int | None,
    n_samples: int,
    rng: np.random.RandomState,
) -> list[SampleTask]:
    """One for each of the samples, whose searches each have the memory limit."""
    given = prepared, trees, SearchSettings(memory_limit=memory_limit)
    samples = bootstrap_samples(prepared.problem.events, n_samples, rng)
    return [SampleTask(*given, counts, f"sample {k}") for k, counts in enumerate(samples, 1)]


def look_at_samples(
    tasks: Sequence[SampleTask], n_jobs: int | None, watch: Watch
) -> list[SampleFound]:
    """What is found of the samples that count; with a warning if these are not all."""
    done = fit_many(look_at_sample, tasks, n_jobs, watch, lambda found: len(found) > 1)
    finished = [done.results[place] for place in sorted(done.results)]
    found = [each for each in finished if each is not None]
    counted = f"{len(found)} of {len(tasks)} samples count."
    if done.stopped_by is not None:
        warn(f"stopped by {done.stopped_by}: {counted}", SearchStoppedWarning)
    elif len(found) < len(tasks):
        warn(f"searches were stopped by the memory limit: {counted}", SearchStoppedWarning)
    check_some_samples(found)
    return found


def look_at_sample(task: SampleTask) -> SampleFound | None:
    """Search a sample, and score the trees on it; None if the search was stopped by a limit."""
    problem = sample_problem(task.prepared, task.counts)
    solution, _ = find(problem, task.settings)
    if solution.status == "interrupted":  # by Ctrl-C, which is about all of the samples
        raise KeyboardInterrupt
    if solution.status != "optimal":
        return None
    objectives = _Objectives(problem).of_all(task.trees)
    return SampleFound(solution.objective, _tolerance(solution), objectives - solution.objective)


def sample_problem(prepared: Prepared, counts: Places) -> Problem:
    """The problem of a sample: a row that is drawn twice has twice the weight."""
    drawn = np.flatnonzero(counts)
    problem = prepared.problem.take(drawn)
    weight = problem.events.weight * counts[drawn]
    problem = replace(problem, events=replace(problem.events, weight=weight))
    name = prepared.options["teacher"]
    if isinstance(name, str) and name in BUILT_IN:
        assert prepared.seed is not None
        events = prepared.exact.until(prepared.horizon).take(drawn)
        events = replace(events, weight=weight)
        curves = built_in_curves(name, prepared.covariates.take(drawn), events, prepared.seed)
        problem = replace(problem, targets=curves.targets())
    return problem


def _tolerance(solution: Solution) -> float:
    """Two ways of adding up a loss differ by rounding."""
    return max(solution.tolerance, 1e-12 * solution.one_leaf_loss)


class _Objectives:
    """Objectives of trees that share leaves."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._rows = RowsOfPaths(len(problem.events), problem.rows_of_yes)
        self._loss = loss_by_definition(problem.events, problem.targets, problem.loss)
        self._of_leaf: dict[frozenset[int], float] = {}

    def of_all(self, trees: Sequence[Leaves]) -> Floats:
        """The objective of each tree; NaN if it is not allowed."""
        return np.array([self._of_tree(paths) for paths in trees])

    def _of_tree(self, paths: Leaves) -> float:
        is_lone = len(paths) == 1
        is_allowed = not self._problem.must_split if is_lone else all(map(self._is_allowed, paths))
        return sum(map(self._of, paths)) + self._of_splits(paths) if is_allowed else np.nan

    def _of_splits(self, paths: Leaves) -> float:
        """The penalties of columns: a split is what leads on from the beginning of a path."""
        penalties = self._problem.split_penalties
        if len(penalties) == 0:
            return 0.0
        splits = {(path[:k], abs(path[k]) - 1) for path in paths for k in range(len(path))}
        return sum(float(penalties[question]) for _, question in splits)

    def _is_allowed(self, path: Path) -> bool:
        rows, problem = self._rows.of(path), self._problem
        n_events = int(np.count_nonzero(problem.events.event[rows]))
        fewest = max(1, problem.min_samples_leaf)
        return len(rows) >= fewest and n_events >= problem.min_events_leaf

    def _of(self, path: Path) -> float:
        key = frozenset(path)
        if key not in self._of_leaf:
            rows = np.zeros(len(self._problem.events), dtype=bool)
            rows[self._rows.of(path)] = True
            self._of_leaf[key] = self._loss.leaf_loss(rows) + self._problem.regularization
        return self._of_leaf[key]


def stability_columns(
    samples: Sequence[SampleFound], within: float | None, slack: float
) -> dict[str, Any]:
    """A row for each tree: shares of the samples, and the mean excess where it is allowed.

    The slack is a share of the sample's own optimum, if one was asked for.
    """
    excess = np.array([sample.excess for sample in samples])
    optima = np.array([[sample.optimum] for sample in samples])
    tolerance = np.array([[sample.tolerance] for sample in samples])
    most = (slack if within is None else within * optima) + tolerance
    is_allowed = ~np.isnan(excess)
    known = np.where(is_allowed, excess, np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        percent = np.where(is_allowed, 100.0 * np.maximum(excess, 0.0) / optima, 0.0)
        mean = percent.sum(axis=0) / is_allowed.sum(axis=0)
    return {
        "tree": np.arange(excess.shape[1]),
        "in_set": (known <= most).mean(axis=0),
        "optimal": (known <= tolerance).mean(axis=0),
        "allowed": is_allowed.mean(axis=0),
        "mean_excess_percent": mean,
    }
