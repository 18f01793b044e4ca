"""Bad arguments of regularization paths, cross-validation and bootstrap."""

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, bootstrap, regularization_path
from tests.support.bad_inputs.case import EVENT, TABLE, TIME, Case, N, Y

HALVES = [(range(8), range(8, N)), (range(8, N), range(8))]
SITES = np.arange(N) % 4


def tune(X: Any = TABLE, y: Any = Y, **options: Any) -> Any:
    """Tunes on a table; what is not given is good."""
    return OptimalSurvivalTreeCV(**{"cv": 2, "max_depths": (1,), **options}).fit(X, y)


def draw(estimator: Any = None, **options: Any) -> Any:
    """Bootstraps a table; what is not given is good."""
    estimator = OptimalSurvivalTree(1) if estimator is None else estimator
    return bootstrap(estimator, TABLE, Y, **{"n_bootstraps": 2, **options})


def argument(name: str, value: Any, kind: type[Exception] = ValueError, shown: str = "") -> Case:
    """An argument out of its range."""
    title = f"`{name}={shown or repr(value)}`"
    return Case(title, lambda: tune(**{name: value}), (name,), kind)


def of_path(name: str, value: Any, kind: type[Exception] = ValueError) -> Case:
    """An argument of a path out of its range."""
    return Case(
        f"`{name}={value!r}`",
        lambda: regularization_path(TABLE, Y, **{name: value}),
        (name, repr(value)),
        kind,
    )


TUNINGS: dict[str, list[Case]] = {
    "Regularization path": [
        of_path("min_regularization", -1),
        of_path("min_regularization", "0.1", TypeError),
        of_path("max_depth", -1),
        of_path("shrinkage", "none"),
    ],
    "Cross-validation: arguments": [
        argument("max_depths", 3, TypeError),
        argument("max_depths", "3", TypeError),
        argument("max_depths", ()),
        argument("max_depths", (1, -1)),
        argument("max_depths", (1, 2.5), TypeError),
        argument("min_regularization", -0.1),
        argument("min_regularization", "0.1"),
        argument("rule", "one_se"),
        argument("rule", "minimun"),
        argument("rule", None, TypeError),
        argument("scoring", "ibs"),
        argument("scoring", None, TypeError),
        argument("min_samples_leaf", 0),
        argument("min_events_leaf", -1),
        argument("max_leaves", 0),
        argument("shrinkage", -1),
        argument("n_jobs", 0),
        argument("n_jobs", "all", TypeError),
        argument("random_state", -1),
    ],
    "Cross-validation: folds": [
        argument("cv", 1),
        argument("cv", 13),
        argument("cv", 2.5, TypeError),
        argument("cv", "kfold", TypeError),
        argument("cv", None, TypeError),
        argument("cv", []),
        argument("cv", [range(8), range(8, N)], TypeError, "[range(8), range(8, 16)]"),
        argument("cv", [(EVENT, ~EVENT)] * 2, ValueError, "[(flags, flags), ...]"),
        argument("cv", [(range(8), range(8, N + 1))] * 2, ValueError, "rows up to 16"),
        Case(
            "a training fold without an event",
            lambda: tune(y=(np.arange(N) < 8, TIME), cv=HALVES),
            ("fold 1", "8 rows"),
        ),
        Case(
            "the same of a splitter",
            lambda: tune(y=(np.arange(N) < 8, TIME), cv=KFold(2)),
            ("fold 0", "8 rows"),
        ),
        Case(
            "`nested_score` with folds that are listed",
            lambda: OptimalSurvivalTreeCV(cv=HALVES).nested_score(TABLE, Y),
            ("nested_score", "cv"),
        ),
        Case(
            "more outer folds than events",
            lambda: OptimalSurvivalTreeCV().nested_score(TABLE, Y, cv=13),
            ("cv is 13", "12 of 16"),
        ),
        Case(
            "more inner folds than an outer fold leaves events",
            lambda: OptimalSurvivalTreeCV(cv=12).nested_score(TABLE, Y, cv=3),
            ("nested_score", "cv is 12", "outer fold 1", "8 events"),
        ),
        Case(
            "more inner folds than an outer fold leaves groups",
            lambda: OptimalSurvivalTreeCV(cv=4).nested_score(TABLE, Y, cv=4, groups=SITES),
            ("nested_score", "cv is 4", "of 3 groups"),
        ),
    ],
    "Bootstrap": [
        Case(
            "another estimator",
            lambda: draw(LinearRegression()),
            ("LinearRegression",),
            TypeError,
        ),
        Case(
            "a class",
            lambda: draw(OptimalSurvivalTree),
            ("the class OptimalSurvivalTree",),
            TypeError,
        ),
        Case("`n_bootstraps=1`", lambda: draw(n_bootstraps=1), ("n_bootstraps",)),
        Case("`n_bootstraps=10.0`", lambda: draw(n_bootstraps=10.0), ("n_bootstraps",)),
        Case("`n_jobs=0`", lambda: draw(n_jobs=0), ("n_jobs",)),
        Case(
            "a cross-validation with folds that are listed",
            lambda: draw(OptimalSurvivalTreeCV(cv=HALVES)),
            ("bootstrap", "cv"),
        ),
        Case(
            "more folds than events",
            lambda: draw(OptimalSurvivalTreeCV(cv=13)),
            ("cv is 13", "12 of 16"),
        ),
        Case(
            "as many folds as rows, all of them events",
            lambda: bootstrap(OptimalSurvivalTreeCV(cv=N), TABLE, (TIME > 0, TIME)),
            ("cv is 16", "16 events"),
        ),
        Case("`random_state=-1`", lambda: draw(random_state=-1), ("random_state",)),
    ],
}
