"""From a user's table and outcome to a problem: what every kind of fit does before it searches."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._data.read_outcome import check_outcome, split_outcome
from survtree._data.read_roles import Roles, roles_of, rows_of
from survtree._data.read_rows import read_study, rows_kept
from survtree._data.read_table import check_table, rows_at
from survtree._data.table import EventTable
from survtree._model.checks import check_teacher_is_alone
from survtree._model.defaults import (
    resolved_depth,
    resolved_horizon,
    resolved_min_events,
    resolved_regularization,
    resolved_shrinkage,
    without_defaults,
)
from survtree._proof.certificate import Certificate
from survtree._questions.binarizer import Binarizer
from survtree._scoring.teachers import TeacherCurves
from survtree._search.problem import Problem
from survtree._search.read_teacher import teacher_curves, teacher_name, teacher_seed
from survtree._search.solve import Solution, loss_of

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Prepared:
    """The problem, the outcome on exact times, the fitted binarizer, and the rows of the fit."""

    problem: Problem
    exact: EventTable
    binarizer: Binarizer
    X: Any  # as the user has them, without those that were left out
    options: dict[str, Any]  # with what "default" means in its place
    horizon: float | None
    teacher: TeacherCurves | None
    shrinkage: float | None  # None: the teacher's curves are to choose it
    seed: int | None  # of a built-in teacher

    def certificate(self, solution: Solution, **rest: Any) -> Certificate:
        """The certificate of a solution of the problem."""
        exact_loss, buckets = None, self.options["time_buckets"]
        if buckets is not None and self.teacher is None:
            exact_loss = loss_of(
                replace(self.problem, events=self.exact.until(self.horizon)), solution.tree
            )
        return Certificate.of(
            self.problem,
            solution,
            binarizer=self.binarizer,
            time_buckets=buckets,
            horizon=self.horizon,
            exact_loss=exact_loss,
            teacher=teacher_name(self.options["teacher"]),
            teacher_seed=self.seed,
            **rest,
        )


def prepare(
    estimator: Any, options: dict[str, Any], X: Any, y: Any, sample_weight: Any
) -> Prepared:
    """Validate and binarize; the estimator gets ``n_features_in_`` and ``feature_names_in_``."""
    options = without_defaults(options, options["regularization"])
    check_teacher_is_alone(options)
    table, exact, is_kept = read_study(estimator, X, y, sample_weight, estimator.missing)
    rows = X if is_kept.all() else rows_at(X, np.flatnonzero(is_kept))
    binarizer = new_binarizer(estimator, options["levels"])
    questions = binarizer.fit_table(table, exact).questions_
    horizon = resolved_horizon(options["horizon"], exact)
    events = exact.until(horizon)
    seed = teacher_seed(options["teacher"], options["random_state"])
    teacher = teacher_curves(options["teacher"], rows, table, events, seed)
    has_teacher, penalty = teacher is not None, options["regularization"]
    buckets = options["time_buckets"]
    problem = Problem(
        answers=questions.matrix(table),
        events=events if buckets is None else events.on_grid(buckets),
        questions=questions,
        regularization=resolved_regularization(
            penalty, events, len(questions), has_teacher=has_teacher
        ),
        targets=None if teacher is None else teacher.targets(),
        min_events_leaf=resolved_min_events(options["min_events_leaf"], events),
        max_depth=resolved_depth(options["max_depth"]),
        **{name: options[name] for name in ("min_samples_leaf", "max_leaves")},
    )
    shrinkage = resolved_shrinkage(options["shrinkage"], has_teacher=has_teacher)
    return Prepared(problem, exact, binarizer, rows, options, horizon, teacher, shrinkage, seed)


def new_binarizer(estimator: Any, levels: str = "each") -> Binarizer:
    """One with the estimator's options and names of columns."""
    binarizer = Binarizer(
        estimator.thresholds,
        missing=estimator.missing,
        encoding=estimator.encoding,
        max_levels=estimator.max_levels,
        levels=levels,
    )
    copy_feature_names(estimator, binarizer)
    return binarizer


def copy_feature_names(source: Any, target: Any) -> None:
    """The attributes in which scikit-learn keeps the columns of a fit."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(source, name):
            setattr(target, name, getattr(source, name))


@dataclass(frozen=True)
class Cohort:
    """Rows as the user has them, and their outcomes: folds and samples are taken from these.

    It travels to other processes as one argument. joblib's Dask backend puts large arrays that are
    arguments on one worker and lends them to the others; when that worker is lost, so are they, and
    with them the whole run.
    """

    X: Any
    events: EventTable

    def __len__(self) -> int:
        return len(self.events)

    @property
    def y(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """The outcome as a fit takes it; the weights are separate."""
        return self.events.event, self.events.time

    def take(self, places: Places) -> "Cohort":
        """Some of the rows."""
        return Cohort(rows_at(self.X, places), self.events.take(places))


class Given(NamedTuple):
    """Rows as a user passed them, with the outcome apart, and the columns that held it."""

    X: Any
    y: Any
    sample_weight: Any
    roles: Roles | None


def given_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, duration_col: Any, event_col: Any
) -> Given:
    """What a user passed for fits like that of an estimator.

    Without any word of the outcome it is in the columns from which the estimator's own fit took it.
    """
    is_told = y is not None or duration_col is not None or event_col is not None
    if not is_told and estimator.__sklearn_is_fitted__():
        return Given(*rows_of(X, y, sample_weight, estimator.roles_), estimator.roles_)
    X, y = split_outcome(X, y, duration_col, event_col)
    return Given(X, y, sample_weight, roles_of(duration_col, event_col))


def cohort_of(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Cohort:
    """A user's rows, checked; with ``missing="drop"`` only those that a fit would use.

    The estimator gets ``n_features_in_`` and ``feature_names_in_``.
    """
    table = check_table(estimator, X, reset=True)
    events = check_outcome(y, sample_weight, table.n_rows)
    rows = Cohort(X, events)
    if estimator.missing != "drop":
        return rows
    return rows.take(np.flatnonzero(rows_kept(table, "drop", events.event)))
