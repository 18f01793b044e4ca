"""Conditions on very many columns heeded neither time limits nor Ctrl-C.

All ways to share the columns out between the sides of a split were gone through, 2 to the power of
their number, also where no tree has that many splits. Found by an audit of the search.
"""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree

NAMES = [f"x{k}" for k in range(31)]


def near(depth: int):
    """Near-optimal trees over 31 columns, for at most half a second a question."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, len(NAMES))) < 0.5).astype(float)
    time = 1.0 + rng.random(300) + X[:, 0] + X[:, 1] * X[:, 2]
    model = OptimalSurvivalTree(depth, 0.02, min_samples_leaf=2)
    return model.fit(X, (rng.random(300) < 0.7, time)).near_optimal(0.001, time_limit=0.5)


def test_more_columns_than_splits_are_refused_at_once():
    with pytest.raises(ValueError, match="there are no trees that split on 'x0', 'x1'"):
        near(3).best(uses=NAMES)


def test_a_time_limit_holds_with_many_columns():
    with pytest.raises(ValueError, match="the search was ended \\(time limit\\)"):
        near(5).best(uses=NAMES)
