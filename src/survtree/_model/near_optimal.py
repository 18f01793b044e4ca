"""The near-optimal set of a fit: all trees within its limits whose objective is nearly the best."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from survtree._base import SearchStoppedWarning
from survtree._base.checks import check_option
from survtree._base.numbers import format_count, format_percent
from survtree._base.tree import Tree
from survtree._base.warn import warn
from survtree._data.frames import frame_in
from survtree._data.read_rows import warn_of_unseen
from survtree._model.checks import (
    check_agreement,
    check_has_rows,
    check_is_optimum,
    check_limit,
    check_n_samples,
    check_not_pickled,
    check_rows_kept,
    check_slack,
    check_some_trees,
)
from survtree._model.cross_validation import folds_of
from survtree._model.estimator import OptimalSurvivalTree
from survtree._model.near_band import SurvivalBand, survival_band
from survtree._model.near_curves import Path, RowsOfPaths, SharedCurves, Shrinkages, leaf_paths
from survtree._model.near_groups import grouped
from survtree._model.near_importance import importance_columns
from survtree._model.near_model import model_at, model_of_best
from survtree._model.near_scores import held_out_ratios
from survtree._model.near_stability import look_at_samples, sample_tasks, stability_columns
from survtree._model.prepare import Cohort, Prepared
from survtree._model.read_conditions import check_was_found, read_condition
from survtree._proof.choice import columns_of
from survtree._scoring.read_curves import check_times
from survtree._search.near_trees import NearSearch, NearTrees, ended_by, in_words
from survtree._search.problem import SearchSettings
from survtree._search.progress import FITS_HEADER, FitsSnapshot, watching

MOST_KEPT = 1_000  # models; each can be made again


class NearOptimalTrees(Sequence[OptimalSurvivalTree]):
    """All trees of a fit that are nearly optimal, as models, the best first.

    A model is made when it is asked for. ``status`` is "complete", or what ended the list before
    all trees were found: "limit", "time_limit", "memory_limit", "node_limit" or "interrupted". Then
    there are at least as many trees, and those of the list are the best ones. Trees that part the
    training rows alike count as one.

    The set is about the training rows. A tree that is chosen from it after looking scores too well
    on them, and the set is no confidence set: see ``docs/explanation/near-optimal-trees``.
    """

    def __init__(
        self,
        model: OptimalSurvivalTree,
        prepared: Prepared,
        search: NearSearch,
        found: NearTrees,
        within: float | None,
    ) -> None:
        self._model, self._prepared, self._search = model, prepared, search
        self._found, self._asked_within = found, within
        self._models: dict[int, OptimalSurvivalTree] = {}

    @overload
    def __getitem__(self, place: int) -> OptimalSurvivalTree: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[OptimalSurvivalTree]: ...
    def __getitem__(
        self, place: int | slice
    ) -> OptimalSurvivalTree | Sequence[OptimalSurvivalTree]:
        """A model, or a list of some of them."""
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        places = range(len(self))[place]
        if places not in self._models:
            if len(self._models) >= MOST_KEPT:
                self._models.clear()
            tree = self.trees[places]
            shrinkage = self._shrinkages.of(leaf_paths(tree))
            self._models[places] = model_at(self._model, self._prepared, tree, places, shrinkage)
        return self._models[places]

    def __len__(self) -> int:
        return len(self.trees)

    def __repr__(self) -> str:
        more = "" if self.is_complete else f"; {in_words(self.status)}: there may be more"
        if self.status == "limit":
            more = "; there are more"
        return (
            f"NearOptimalTrees({format_count(len(self), 'tree')} within "
            f"{format_percent(self.within, 2)} of the optimum {self.optimum:.6f}{more})"
        )

    def __getstate__(self) -> dict[str, Any]:
        return check_not_pickled(type(self).__name__)

    @property
    def model(self) -> OptimalSurvivalTree:
        """The fitted model whose trees these are."""
        return self._model

    @property
    def trees(self) -> Sequence[Tree]:
        """Splits and leaves of all trees as arrays, without models."""
        return self._found.trees

    @property
    def objectives(self) -> NDArray[np.float64]:
        """Of all trees, ascending."""
        return self._found.objectives

    @property
    def optimum(self) -> float:
        """The smallest objective that there is."""
        return self._model.objective_

    @property
    def slack(self) -> float:
        """By how much the objective may exceed the optimum."""
        return self._found.slack

    @property
    def within(self) -> float:
        """The same as a share of the optimum."""
        return self.slack / self.optimum if self.optimum > 0 else 0.0

    @property
    def status(self) -> str:
        """Whether the list is complete, or what ended it."""
        return self._found.status

    @property
    def is_complete(self) -> bool:
        """Whether every tree within the slack is listed."""
        return self._found.is_complete

    def table(self, cv: Any = None, *, random_state: Any = 0) -> Any:
        """A row per tree: objective, excess over the optimum, size, columns and first split.

        With ``cv`` (a number of folds, a splitter or a list of folds) there are held-out scores:
        the mean IBS ratio over the folds, and its standard error. The splits of the trees stay as
        they are; the curves of the leaves are estimated on the training rows of each fold. The
        splits have seen all rows, so these scores are too good: they are for comparing trees of the
        set with each other, and for nothing else. The table is of the kind of frame of the fit.
        """
        questions = self._prepared.problem.questions
        columns = [columns_of(tree, questions) for tree in self.trees]
        excess = self.objectives - self.optimum
        excess[excess <= self._model.certificate_.tolerance] = 0.0
        share = 100.0 / self.optimum if self.optimum > 0 else np.nan
        table = {
            "tree": np.arange(len(self)),
            "objective": self.objectives,
            "excess": excess,
            "excess_percent": excess * share,
            "leaves": np.array([len(tree.leaves) for tree in self.trees]),
            "depth": np.array([int(tree.depths().max()) for tree in self.trees]),
            "columns": np.array([", ".join(names) for names in columns], dtype=str),
            "first_split": np.array([self._first_split(tree) for tree in self.trees], dtype=str),
        }
        if cv is not None:
            table |= self._held_out(cv, random_state)
        return self._frame(table)

    def _first_split(self, tree: Tree) -> str:
        question = int(tree.question[0])
        return "" if question < 0 else self._prepared.problem.questions.text(question)

    def _held_out(self, cv: Any, random_state: Any) -> dict[str, Any]:
        check_rows_kept("table(cv=...)", self._prepared.X)
        rng = check_random_state(check_option("random_state", random_state))
        folds = folds_of(cv, self._prepared.exact, rng, is_kept=self.rows.is_kept)
        ratios = held_out_ratios(self._prepared, self._shrunken, folds)
        error = ratios.std(axis=1, ddof=1) / np.sqrt(ratios.shape[1])
        return {"held_out_ibs_ratio": ratios.mean(axis=1), "held_out_error": error}

    def importance(self) -> Any:
        """A row per column: the excess of the best tree without it, and of the best tree with it.

        Both are exact: they are found by searches of their own over all trees within the limits of
        the fit, not only over those of the set. ``used`` and ``first`` are the shares of the set
        that split on the column, and that split on it first; ``mean_depth`` is the mean number of
        splits above the first split on it. NaN: no tree can split on the column, or none of the set
        does. ``is_proven`` is False where a limit ended the search.
        """
        check_some_trees("importance", self._found)
        return self._frame(self._importance)

    @cached_property
    def _importance(self) -> dict[str, Any]:
        return importance_columns(self._search, self._model.tree_, self.trees, self.optimum)

    def plot_importance(self, ax: Any = None) -> Any:
        """What ``importance`` says, as a ``Picture``, on given axes or new ones."""
        from survtree._show.plot_importance import plot_importance

        check_some_trees("plot_importance", self._found)
        return plot_importance(self._importance, 100.0 * self.within, ax)

    def report(self, file: Any, **options: Any) -> None:
        """Write the set as one HTML page to choose a tree in; it needs no network.

        ``options`` are title, times, sizes, cv, command and random_state: see
        ``docs/how-to/explore-on-a-page``.
        """
        from survtree._show.explore_page import write_explore

        check_some_trees("report", self._found)
        write_explore(self, file, **options)

    @property
    def rows(self) -> Cohort:
        """The rows of the fit with their outcome, as its folds are made of them."""
        study, rows = self._prepared.study, (self._prepared.X, self._prepared.exact)
        return Cohort(*rows, study.left_out, study.cautions, is_kept=study.some_kept)

    def best(
        self,
        *,
        uses: Any = None,
        avoids: Any = None,
        first: Any = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
    ) -> OptimalSurvivalTree:
        """The best tree under a condition, with a proof, whether or not it is within the slack.

        ``uses``, ``avoids`` and ``first`` are names of columns, one or several: the tree splits on
        all of ``uses``, on none of ``avoids``, and its first split is on one of ``first``. The
        status is "optimal" if no tree that fulfils the condition is better, which the certificate
        states with the condition. If none fulfils it, that is a ValueError.
        """
        problem = self._prepared.problem
        asked = {"uses": uses, "avoids": avoids, "first": first}
        condition = read_condition(problem, **asked, max_leaves=max_leaves, max_depth=max_depth)
        choice = condition.choice
        found = self._search.best(
            uses=condition.uses,
            avoids=condition.avoids,
            first=condition.first,
            max_leaves=choice.max_leaves,
            max_depth=choice.max_depth,
        )
        check_was_found(found.tree, found.status, choice)
        assert found.tree is not None
        if found.status != "optimal":
            message = (
                f"stopped ({in_words(found.status)}). The tree fulfils the condition, but is not "
                f"proven best: objective {found.objective:.4g}, lower bound "
                f"{found.lower_bound:.4g}."
            )
            warn(message, SearchStoppedWarning)
        return model_of_best(
            self._model, self._prepared, found.tree, choice, found.lower_bound, found.status
        )

    def survival_band(self, X: Any, times: ArrayLike) -> SurvivalBand:
        """The smallest and the largest survival that trees of the set predict for each row.

        With competing risks survival is the share that has not had the cause of the trees.

        Arrays of rows x times: ``low`` and ``high``, and the places of trees that predict them,
        ``lowest`` and ``highest``. It shows how much predictions depend on which good tree is
        taken; it is no confidence band.
        """
        at = check_times(times)
        check_some_trees("survival_band", self._found)
        table = self._model.binarizer_.read(X, self._model)
        questions = self._prepared.problem.questions
        asked = {j for tree in self.trees for j in tree.question[tree.question >= 0].tolist()}
        seen = self._model.binarizer_.seen_
        warn_of_unseen(table, {j: seen[j] for j in {questions.asked[k].column for k in asked}})
        curves = SharedCurves(self._prepared.exact, self._rows, at)
        return survival_band(
            curves, self._shrunken, table.n_rows, lambda j: questions.answer(j, table), at
        )

    def groups(self, agreement: float = 0.9) -> Any:
        """Trees that part the training rows nearly alike: a row per group, the best tree's first.

        Trees belong together if the adjusted Rand index of their leaves is at least ``agreement``:
        1 for the same partition, about 0 for a random one. ``representative`` is the best tree of
        the group, with which all others agree; ``trees`` counts them, ``members`` lists their
        places, and ``least_agreement`` is that of the least similar one.
        """
        check_rows_kept("groups", self._prepared.X)
        check_some_trees("groups", self._found)
        least = check_agreement(agreement)
        representative, agrees = grouped(self._paths, self._rows, least)
        heads = np.unique(representative)
        members = [np.flatnonzero(representative == head) for head in heads]
        table = {
            "group": np.arange(1, len(heads) + 1),
            "representative": heads,
            "trees": np.array([len(each) for each in members]),
            "least_agreement": np.array([agrees[each].min() for each in members]),
            "objective": self.objectives[heads],
            "leaves": np.array([len(self.trees[head].leaves) for head in heads]),
            "first_split": np.array([self._first_split(self.trees[h]) for h in heads], dtype=str),
            "members": [each.tolist() for each in members],
        }
        return self._frame(table)

    def stability(
        self,
        n_samples: int = 50,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[FitsSnapshot], Any] | None = None,
        random_state: Any = 0,
    ) -> Any:
        """How often the near-optimal sets of bootstrap samples have each tree: a row per tree.

        ``in_set`` is the share of the samples in whose near-optimal set the tree is, with the same
        splits; ``optimal`` that in which no tree is better; ``allowed`` that in which its leaves
        have enough rows and events; ``mean_excess_percent`` the mean excess over the optimum of the
        sample, where it is allowed. Candidate splits, penalty and horizon are those of the fit; a
        built-in teacher is fitted to each sample. ``bootstrap`` repeats the whole fit instead. If
        Ctrl-C or the callback stops the work, the finished samples count, with a warning; a sample
        whose search the ``memory_limit`` of the fit stops does not.
        """
        check_rows_kept("stability", self._prepared.X)
        n = check_n_samples(n_samples)
        for name, value in (("n_jobs", n_jobs), ("verbose", verbose), ("callback", callback)):
            check_option(name, value)
        rng = check_random_state(check_option("random_state", random_state))
        memory = self._search.settings.memory_limit
        tasks = sample_tasks(self._prepared, self._paths, memory, n, rng)
        with watching(verbose, callback) as watch:
            watch.begin(lambda: f"{len(self):,} trees | {n} bootstrap samples", lambda: FITS_HEADER)
            found = look_at_samples(tasks, n_jobs, watch)
        return self._frame(stability_columns(found, self._asked_within, self.slack))

    @cached_property
    def _rows(self) -> RowsOfPaths:
        """The training rows."""
        problem = self._prepared.problem
        return RowsOfPaths(len(problem.events), problem.rows_of_yes)

    @cached_property
    def _paths(self) -> list[list[Path]]:
        """The paths to the leaves of each tree."""
        return [leaf_paths(tree) for tree in self.trees]

    @cached_property
    def _shrunken(self) -> list[tuple[list[Path], float]]:
        """The paths to the leaves of each tree, and its shrinkage."""
        return [(paths, self._shrinkages.of(paths)) for paths in self._paths]

    @cached_property
    def _shrinkages(self) -> Shrinkages:
        return Shrinkages(self._prepared, self._rows)

    def _frame(self, columns: dict[str, Any]) -> Any:
        return frame_in(self._model._state.frame_library, columns)


def near_optimal_trees(
    model: OptimalSurvivalTree, within: Any, limit: Any, slack: Any, time_limit: Any
) -> NearOptimalTrees:
    """The near-optimal trees of a fitted model."""
    state = model._state
    prepared = check_has_rows("near_optimal", state.prepared)
    check_is_optimum("near_optimal", state.certificate)
    most, n = check_slack(within, slack, model.objective_), check_limit(limit)
    settings = SearchSettings(
        time_limit=check_option("time_limit", time_limit),
        memory_limit=check_option("memory_limit", model.memory_limit),
        node_limit=check_option("node_limit", model.node_limit),
        n_jobs=check_option("n_jobs", model.n_jobs),
        device=check_option("device", model.device),
    )
    search = NearSearch(prepared.problem, model.objective_, settings)
    with watching(check_option("verbose", model.verbose), None) as watch:
        found = search.trees(most, n, watch)
        watch.say(lambda: f"{format_count(len(found.trees), 'near-optimal tree')}: {found.status}")
    if found.status not in ("complete", "limit"):
        n = len(found.trees)
        which = f"the best {format_count(n, 'tree')}" if n else "no trees"
        said = f"stopped by {ended_by(found.status)}: {which} of the near-optimal set are listed."
        warn(f"{said} There may be more.", SearchStoppedWarning)
    return NearOptimalTrees(model, prepared, search, found, None if slack is not None else within)
