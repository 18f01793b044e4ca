"""From a user's table and outcome to a problem: what every kind of fit does before it searches."""

from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from survtree._base.numbers import format_percent
from survtree._base.tree import Tree
from survtree._data.causes import with_cause, with_known_causes
from survtree._data.fingerprint import data_fingerprint
from survtree._data.frames import is_streamed
from survtree._data.read_columns import check_some_left, without_repeats_of
from survtree._data.read_groups import check_groups, read_groups
from survtree._data.read_outcome import split_outcome
from survtree._data.read_roles import Roles, roles_of, rows_of
from survtree._data.read_rows import Study, read_study
from survtree._data.read_table import as_frame, rows_at
from survtree._data.table import EventTable, Table
from survtree._model.checks import (
    check_knows_causes,
    check_teacher_is_alone,
)
from survtree._model.defaults import (
    resolved_depth,
    resolved_horizon,
    resolved_regularization,
    resolved_shrinkage,
    without_defaults,
)
from survtree._model.read_loss import check_loss_is_alone
from survtree._model.read_streamed import streamed_options
from survtree._proof.certificate import Certificate
from survtree._questions.binarizer import Binarizer
from survtree._questions.coded_answers import answers_of
from survtree._scoring.teachers import Pace, TeacherCurves
from survtree._search.problem import Clock, Problem
from survtree._search.progress import Watch
from survtree._search.read_teacher import seed_needed, teacher_curves, teacher_name
from survtree._search.solve import Solution, loss_of

Places = NDArray[np.intp]
PASSED_ON = (
    *("min_samples_leaf", "min_events_leaf", "max_leaves", "loss"),
    *("column_penalties", "first_split"),
)
TEACHERS_SHARE = 0.5  # of the time limit; the rest is for the search


@dataclass(frozen=True)
class Prepared:
    """The problem, the outcome on exact times, the fitted binarizer, and the rows of the fit."""

    problem: Problem
    exact: EventTable
    binarizer: Binarizer
    X: Any  # as the user has them, without those that were left out
    study: Study
    options: dict[str, Any]  # with what "default" means in its place
    horizon: float | None
    teacher: TeacherCurves | None
    shrinkage: float | None  # None: the teacher's curves are to choose it
    seed: int | None  # of a teacher or reference that is fitted here
    data: str  # fingerprint of the rows
    cautions: tuple[str, ...] = ()  # what must be said of the columns

    @property
    def covariates(self) -> Table:
        """The columns of the fit that are not left out."""
        return self.study.covariates

    def at(self, regularization: float) -> "Prepared":
        """The same with another penalty per leaf."""
        return replace(self, problem=replace(self.problem, regularization=regularization))

    def certificate(self, solution: Solution, **rest: Any) -> Certificate:
        """The certificate of a solution of the problem."""
        return Certificate.of(
            self.problem,
            solution,
            binarizer=self.binarizer,
            time_buckets=self.options["time_buckets"],
            horizon=self.horizon,
            exact_loss=self.exact_loss(solution.tree),
            teacher=teacher_name(self.options["teacher"]),
            teacher_seed=None if self.teacher is None else self.seed,
            teacher_rows=None if self.teacher is None else self.teacher.n_fitted,
            n_splits=self.binarizer.n_splits_,
            **rest,
        )

    def exact_loss(self, tree: Tree) -> float | None:
        """Loss on the times as they are, where the search rounded them."""
        if self.options["time_buckets"] is None or self.teacher is not None:
            return None
        return loss_of(replace(self.problem, events=self.exact.until(self.horizon)), tree)


def prepare(
    estimator: Any,
    options: dict[str, Any],
    X: Any,
    y: Any,
    sample_weight: Any,
    watch: Watch | None = None,
    clock: Clock | None = None,
) -> Prepared:
    """Validate and binarize; the estimator gets ``n_features_in_`` and ``feature_names_in_``.

    The watch shows how far a teacher is that is fitted here. With a clock, which is that of the
    time limit, a teacher that takes too long is cut short.
    """
    cautions: tuple[str, ...] = ()
    if is_streamed(X):
        options, cautions = streamed_options(options)
    options = without_defaults(options, options["regularization"])
    check_teacher_is_alone(options)
    check_loss_is_alone(options)
    rows, study, binarizer = _read(estimator, options, X, y, sample_weight)
    table, exact = study.table, study.events
    questions = binarizer.questions_
    horizon = resolved_horizon(options["horizon"], exact)
    events = exact.until(horizon)
    seed = seed_needed(options["teacher"], options["reference"], options["random_state"])
    pace = _pace_of(options, watch, clock)
    teacher = teacher_curves(options["teacher"], rows, study.covariates, events, seed, pace)
    if teacher is not None and teacher.is_cut:
        seed = None  # the same seed would not make the same curves again
    has_teacher, penalty = teacher is not None, options["regularization"]
    buckets = options["time_buckets"]
    problem = Problem(
        answers=answers_of(questions, table),
        events=events if buckets is None else events.on_grid(buckets),
        questions=questions,
        regularization=resolved_regularization(
            penalty,
            events,
            len(questions),
            has_teacher=has_teacher,
            max_leaves=options["max_leaves"],
            loss=options["loss"],
        ),
        targets=None if teacher is None else teacher.targets(),
        max_depth=resolved_depth(options["max_depth"]),
        **{name: options[name] for name in PASSED_ON},
    )
    shrinkage = resolved_shrinkage(options["shrinkage"], has_teacher=has_teacher)
    return Prepared(
        problem,
        exact,
        binarizer,
        rows,
        study,
        options,
        horizon,
        teacher,
        shrinkage,
        seed,
        fingerprint_of_data(problem, table, exact),
        (*cautions, *study.cautions, *_cautions_of_first_split(problem)),
    )


def _read(
    estimator: Any, options: dict[str, Any], X: Any, y: Any, sample_weight: Any
) -> tuple[Any, Study, Binarizer]:
    """The rows of the user that are fitted on, what was read of them, and the questions."""
    levels, first = options["levels"], options["first_split"]
    if is_streamed(X):
        from survtree._model.streamed import grouped_study, lazy_study  # polars is slow to import

        lazy = lazy_study(estimator, X)
        check_knows_causes(options, lazy.counted.outcome.causes)
        binarizer = new_binarizer(estimator, levels)
        return None, grouped_study(lazy, binarizer, options["memory_limit"], first), binarizer
    study = read_study(estimator, X, y, sample_weight, estimator.missing)
    check_knows_causes(options, study.events.causes)
    binarizer = new_binarizer(estimator, levels)
    rows = X if study.is_kept.all() else rows_at(X, np.flatnonzero(study.is_kept))
    binarizer.fit_table(study.table, study.events, study.left_out, first)
    return rows, study, binarizer


def rows_and_roles(
    X: Any,
    y: Any,
    sample_weight: Any,
    duration_col: Any,
    event_col: Any,
    cause: Any,
    censored: Any,
) -> tuple[Any, Any, Roles | None]:
    """X without the outcome and y; or lazy rows with the outcome, and no y. And its columns."""
    if is_streamed(X):
        from survtree._data.read_lazy import check_lazy  # polars is slow to import

        rows = check_lazy(X, y, sample_weight, duration_col, event_col, cause, censored)
        return rows, None, rows.roles
    X, y = split_outcome(X, y, duration_col, event_col)
    return X, with_cause(y, cause, censored), roles_of(duration_col, event_col)


def fingerprint_of_data(problem: Problem, table: Table, events: EventTable) -> str:
    """Of the rows of a fit; of groups, whose values are not kept, that of answers and outcome."""
    if events.copies is None:
        return data_fingerprint(table, events)
    same = problem if problem.events is events else replace(problem, events=events)
    return same.fingerprint_in_any_order()


def _cautions_of_first_split(problem: Problem) -> list[str]:
    """What must be said of a column that is to be split on and cannot be."""
    if problem.first_split is None or problem.may_be_first.any():
        return []
    return [
        f"first_split must name a column that can be split on, or the tree is one leaf; all rows "
        f"have the same value of {problem.first_split!r}. Name another column, or none."
    ]


def _pace_of(options: dict[str, Any], watch: Watch | None, clock: Clock | None) -> Pace:
    """The pace of a built-in teacher, which may take its share of the time limit."""
    limit, own = options["time_limit"], Clock.started()
    most = inf if limit is None or clock is None else TEACHERS_SHARE * limit
    of_fit = clock or own

    def on_step(what: str, share: float) -> bool:
        is_over = of_fit.seconds > most
        if watch is not None:
            words = f"teacher, {what}: {format_percent(share)}  {own.seconds:.1f}s"
            watch.step(share, words)
            if is_over or share == 1.0:
                watch.say(lambda: words)
        return is_over

    return Pace(options["n_jobs"], on_step)


def new_binarizer(estimator: Any, levels: str = "each") -> Binarizer:
    """One with the estimator's options and names of columns."""
    binarizer = Binarizer(
        estimator.thresholds,
        missing=estimator.missing,
        encoding=estimator.encoding,
        max_levels=estimator.max_levels,
        levels=levels,
        categorical=estimator.categorical,
        exclude=estimator.exclude,
    )
    copy_feature_names(estimator, binarizer)
    return binarizer


def copy_feature_names(source: Any, target: Any) -> None:
    """The attributes in which scikit-learn keeps the columns of a fit, and no others' names."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(source, name):
            setattr(target, name, getattr(source, name))
        else:
            vars(target).pop(name, None)


@dataclass(frozen=True)
class Cohort:
    """Rows as the user has them, and their outcomes: folds and samples are taken from these.

    It travels to other processes as one argument. joblib's Dask backend puts large arrays that are
    arguments on one worker and lends them to the others; when that worker is lost, so are they, and
    with them the whole run.
    """

    X: Any
    events: EventTable
    left_out: tuple[str, ...] = ()  # columns
    cautions: tuple[str, ...] = ()  # what must be said of the columns
    groups: Places | None = None  # of the rows: those of one group are not parted
    group_column: str = ""  # that says so, if one does
    is_kept: NDArray[np.bool_] | None = None  # which of the user's rows these are; None: all

    def __len__(self) -> int:
        return len(self.events)

    @property
    def y(self) -> Any:
        """The outcome as a fit takes it; the weights are separate."""
        return self.events.y

    def take(self, places: Places) -> "Cohort":
        """Some of the rows."""
        groups = None if self.groups is None else self.groups[places]
        events = self.events.take(places)
        X = rows_at(self.X, places)
        return replace(self, X=X, events=events, groups=groups, is_kept=None)

    def said(self, cautions: tuple[str, ...]) -> tuple[str, ...]:
        """What must be said of the columns, by these rows and by a tree that was fitted on them."""
        every = tuple(dict.fromkeys((*self.cautions, *cautions)))
        return without_repeats_of(self.group_column, every) if self.group_column else every

    def fit(self, estimator: Any) -> Any:
        """An estimator, fitted on these rows; one that makes folds is told of the groups."""
        has_folds = self.groups is not None and hasattr(estimator, "cv")
        of_folds = {"groups": self.groups} if has_folds else {}
        return estimator.fit(self.X, self.y, self.events.weight, **of_folds)


class Given(NamedTuple):
    """Rows as a user passed them, with the outcome apart, and the columns that held it."""

    X: Any
    y: Any
    sample_weight: Any
    roles: Roles | None


def given_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    duration_col: Any,
    event_col: Any,
    cause: Any = None,
    censored: Any = None,
) -> Given:
    """What a user passed for fits like that of an estimator.

    Without any word of the outcome it is in the columns from which the estimator's own fit took it.
    """
    is_told = y is not None or duration_col is not None or event_col is not None
    is_fitted = estimator.__sklearn_is_fitted__()
    known = estimator.binarizer_.known_causes if cause is None and is_fitted else None
    if not is_told and is_fitted:
        X, y, sample_weight = rows_of(X, y, sample_weight, estimator.roles_, needs_weight=True)
        roles = estimator.roles_
    else:
        X, y = split_outcome(X, y, duration_col, event_col)
        roles = roles_of(duration_col, event_col)
    return Given(X, with_known_causes(with_cause(y, cause, censored), known), sample_weight, roles)


def reader_for(model: Any, X: Any) -> Any:
    """An estimator with the options of a model, for rows that may lack columns it left out."""
    frame = as_frame(X)
    left_out = model.excluded_ if frame is None else set(model.excluded_) & set(frame.columns)
    return clone(model).set_params(exclude=[n for n in model.excluded_ if n in left_out] or None)


def cohort_of(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
) -> Cohort:
    """A user's rows, checked: only those that a fit would use.

    The estimator gets ``n_features_in_`` and ``feature_names_in_``. A column that says the groups
    is left out.
    """
    found = read_groups(groups, X, y)
    study = read_study(estimator, X, y, sample_weight, estimator.missing)
    is_kept = study.some_kept
    rows = X if is_kept is None else rows_at(X, np.flatnonzero(is_kept))
    cohort = Cohort(rows, study.events, study.left_out, study.cautions, is_kept=is_kept)
    if found is None:
        return cohort
    of_rows = check_groups(found, study.is_kept)
    if found.column is None:
        return replace(cohort, groups=of_rows)
    left_out = tuple(dict.fromkeys((*study.left_out, found.column)))
    check_some_left(study.table.names, left_out)
    return replace(cohort, left_out=left_out, groups=of_rows, group_column=found.column)
