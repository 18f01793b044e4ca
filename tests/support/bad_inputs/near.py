"""Bad inputs to near-optimal trees."""

import functools
import pickle
import warnings
from typing import Any

import numpy as np

from survtree import DataWarning, OptimalSurvivalTree
from tests.support.bad_inputs.case import TABLE, Case, Y


@functools.cache
def fitted() -> Any:
    """A tree of one split, of a fit that may not split on smoker."""
    options: dict[str, Any] = {"min_samples_leaf": 2, "exclude": ["smoker"]}
    return OptimalSurvivalTree(1, 0.001, **options).fit(TABLE, Y)


@functools.cache
def near() -> Any:
    """Its near-optimal trees."""
    return fitted().near_optimal(within=0.1)


@functools.cache
def near_of_many() -> Any:
    """The near-optimal trees over 32 columns of 0 and 1."""
    X = np.array([[(row >> k % 5) & 1 for k in range(32)] for row in range(32)])
    model = OptimalSurvivalTree(6, 0.01, min_samples_leaf=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return model.fit(X, (np.ones(32, dtype=bool), np.arange(1.0, 33.0))).near_optimal()


def unfit() -> Any:
    """The near-optimal trees of a tree that was itself one of the list."""
    return near().best(max_leaves=1).near_optimal()


NEAR: dict[str, list[Case]] = {
    "Near-optimal trees": [
        Case(
            "`near_optimal(within=-0.1)`", lambda: fitted().near_optimal(-0.1), ("within", "-0.1")
        ),
        Case(
            "`near_optimal(within='1 %')`",
            lambda: fitted().near_optimal("1 %"),
            ("within", "'1 %'"),
            TypeError,
        ),
        Case("`near_optimal(limit=0)`", lambda: fitted().near_optimal(limit=0), ("limit", "0")),
        Case("`near_optimal(slack=-1)`", lambda: fitted().near_optimal(slack=-1), ("slack", "-1")),
        Case(
            "`near_optimal(time_limit=-1)`",
            lambda: fitted().near_optimal(time_limit=-1),
            ("time_limit", "-1"),
        ),
        Case(
            "`near_optimal()` of an unpickled model",
            lambda: pickle.loads(pickle.dumps(fitted())).near_optimal(),
            ("near_optimal", "training rows"),
        ),
        Case("`near_optimal()` of a model that `best` gave", unfit, ("near_optimal", "fitted")),
        Case("`pickle.dumps(near)`", lambda: pickle.dumps(near()), ("export_json",), TypeError),
        Case("`best()`", lambda: near().best(), ("best", "uses, avoids, first")),
        Case(
            "`best(avoids='Age')`",
            lambda: near().best(avoids="Age"),
            ("avoids", "'Age'", "'age'"),
        ),
        Case("`best(uses=3)`", lambda: near().best(uses=3), ("uses", "3"), TypeError),
        Case(
            "`best(uses='smoker')`, which the fit leaves out",
            lambda: near().best(uses="smoker"),
            ("uses", "'smoker'"),
        ),
        Case(
            "`best(uses='age', avoids=['age'])`",
            lambda: near().best(uses="age", avoids=["age"]),
            ("uses", "avoids", "'age'"),
        ),
        Case(
            "`best(first='age', avoids=['age'])`",
            lambda: near().best(first="age", avoids=["age"]),
            ("first", "'age'"),
        ),
        Case("`best(max_leaves=0)`", lambda: near().best(max_leaves=0), ("max_leaves", "0")),
        Case(
            "`best(max_depth=4)` of a fit of depth 1",
            lambda: near().best(max_depth=4),
            ("max_depth", "4", "1"),
        ),
        Case(
            "`best(uses=[...])` with 32 columns",
            lambda: near_of_many().best(uses=[f"x{k}" for k in range(32)]),
            ("at most 31", "32"),
        ),
        Case(
            "`best(uses=['age', 'stage'])` of a fit of depth 1",
            lambda: near().best(uses=["age", "stage"]),
            ("'age' and 'stage'",),
        ),
        Case(
            "`survival_band(X, times=[30, 20])`",
            lambda: near().survival_band(TABLE, [30, 20]),
            ("times", "20 comes after 30"),
        ),
        Case("`groups(agreement=0)`", lambda: near().groups(0), ("agreement", "0")),
        Case("`stability(n_samples=1)`", lambda: near().stability(1), ("n_samples", "1")),
        Case("`table(cv=1)`", lambda: near().table(cv=1), ("cv", "1")),
    ],
}
