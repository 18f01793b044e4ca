"""Models for the tests of reports: of all kinds of columns, of hostile names, of many leaves."""

import numpy as np
import pandas as pd
import polars as pl

from survtree import OptimalSurvivalTree
from survtree.datasets import load
from tests.support.hostile import NAMES

HOSTILE = (
    *NAMES,
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</title><b>x",
)
GRADES = ["low", "middle", "high", "top", "beyond"]


def outcome(risk, seed=0):
    """Times that are short where the risk is high; one row in four is censored."""
    rng = np.random.default_rng(seed)
    time = rng.exponential(np.exp(-risk)) + 0.01
    return rng.random(len(time)) < 0.75, time.round(3)


def mixed_table(n=400, *, has_gaps=True, seed=0):
    """A column of each kind, and outcomes that depend on all of them."""
    rng = np.random.default_rng(seed)
    age, treated = rng.integers(30, 90, n).astype(float), rng.integers(0, 2, n)
    smoker, cell = rng.random(n) < 0.5, rng.choice(["small", "large", "other <b>"], n)
    grade = rng.integers(0, len(GRADES), n)
    risk = age / 20 + 2 * treated + 2 * smoker + 2 * (cell == "small") + 2.5 * (grade >= 2)
    gap = rng.random((n, 3)) < (0.15 if has_gaps else 0.0)
    table = pd.DataFrame(
        {
            "age": np.where(gap[:, 0], np.nan, age),
            "treated": treated,
            "smoker": pd.Series(smoker, dtype="boolean").mask(gap[:, 1]),
            "cell": pd.Series(cell).mask(gap[:, 2]),
            "grade": pd.Categorical.from_codes(grade, GRADES, ordered=True),
        }
    )
    return table, outcome(risk - risk.mean() + 2 * gap[:, 0], seed)


def mixed_model(**options):
    """A tree that asks about every column of the table."""
    options = {"max_depth": 5, "regularization": 0.0, "max_leaves": 16, "thresholds": 5, **options}
    X, y = mixed_table(has_gaps=options.get("missing") in ("question", "better"))
    return OptimalSurvivalTree(**options).fit(X, y), X, y


def misread_model():
    """A tree of a table with a column that numbers the rows, and with numbers as text."""
    X, y = load("veterans")
    text = pl.col("Age_in_years").cast(str)
    return OptimalSurvivalTree(1, 0.01).fit(X.with_columns(text, number=np.arange(len(X))), y)


def hostile_model(n=600, seed=0):
    """A tree over columns whose names mean harm, one of them with such levels."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 9, n).astype(float) for name in HOSTILE}
    levels = rng.integers(0, len(HOSTILE), n)
    risk = sum(values > 4 for values in columns.values()) / 2.0 + 3 * (levels < 2)
    X = pl.DataFrame(columns | {"level <i>": [HOSTILE[k] for k in levels]})
    y = outcome(risk - risk.mean(), seed)
    options = {"max_leaves": 16, "thresholds": [4.5], "min_samples_leaf": 3}
    return OptimalSurvivalTree(4, 0.0, **options).fit(X, y), X, y


def hostile_chain(names, n=300, seed=0):
    """A tree that asks about all the names, a few of the hostile ones."""
    rng = np.random.default_rng(seed)
    X = pl.DataFrame({name: rng.integers(0, 2, n) for name in names})
    risk = sum((k + 1) * X[name].to_numpy() for k, name in enumerate(names)).astype(float)
    options = {"max_leaves": 16, "min_samples_leaf": 2}
    return OptimalSurvivalTree(4, 0.0, **options).fit(X, outcome(risk - risk.mean(), seed)), X


def large_model(n=100_000):
    """Sixteen leaves of very many rows, whose times are all distinct."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n, 8))
    time = rng.exponential(1 + X @ np.arange(1, 9) / 4)
    end = rng.exponential(6.0, n)
    y = (time <= end, np.minimum(time, end))
    options = {"max_leaves": 16, "time_buckets": 30}
    return OptimalSurvivalTree(4, 0.0, **options).fit(X, y), X, y
