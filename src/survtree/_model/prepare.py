"""From a user's table and outcome to a problem: what every kind of fit does before it searches."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from survtree._data.read_outcome import split_outcome
from survtree._data.read_rows import read_study
from survtree._data.read_table import rows_at
from survtree._data.table import EventTable
from survtree._questions.binarizer import Binarizer
from survtree._search.problem import Problem


@dataclass(frozen=True)
class Prepared:
    """The problem, the outcome on exact times, the questions' maker, and the rows of the fit."""

    problem: Problem
    exact: EventTable
    binarizer: Binarizer
    X: Any  # as the user has them, without those that were left out


def prepare(
    estimator: Any,
    options: dict[str, Any],
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    duration_col: Any = None,
    event_col: Any = None,
) -> Prepared:
    """Validate and binarize; the estimator gets ``n_features_in_`` and ``feature_names_in_``."""
    X, y = split_outcome(X, y, duration_col, event_col)
    table, exact, is_kept = read_study(estimator, X, y, sample_weight, estimator.missing)
    binarizer = new_binarizer(estimator)
    questions = binarizer.fit_table(table, exact).questions_
    buckets = options["time_buckets"]
    problem = Problem(
        answers=questions.matrix(table),
        events=exact if buckets is None else exact.on_grid(buckets),
        questions=questions,
        regularization=options["regularization"],
        max_depth=options["max_depth"],
        min_samples_leaf=options["min_samples_leaf"],
        max_leaves=options["max_leaves"],
    )
    rows = X if is_kept.all() else rows_at(X, np.flatnonzero(is_kept))
    return Prepared(problem, exact, binarizer, rows)


def new_binarizer(estimator: Any) -> Binarizer:
    """One with the estimator's options and names of columns."""
    binarizer = Binarizer(
        estimator.thresholds,
        missing=estimator.missing,
        encoding=estimator.encoding,
        max_levels=estimator.max_levels,
    )
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(estimator, name):
            setattr(binarizer, name, getattr(estimator, name))
    return binarizer
