"""By the likelihood, weights were ignored where those of equal rows add up to their number.

Rows with equal features become one, events and censored rows together. Where the weights of each
such row were as many as its rows, its events were counted in place of their weights, and another
tree was called optimal. Found by an audit of the search.
"""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree


def balanced(seed):
    """A table in which half of the rows with equal features weigh 0.5 and as many 1.5."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (240, 4)).astype(bool)
    time = rng.exponential(np.exp(X @ rng.normal(0, 0.7, 4))) + 0.01
    event = rng.random(240) < 0.6
    weight, pattern = np.ones(240), X @ (1 << np.arange(4))
    for p in np.unique(pattern):
        rows = np.flatnonzero(pattern == p)
        rows = rows[np.argsort(event[rows] ^ bool(p % 3 == 0), kind="stable")]
        half = len(rows) // 2
        weight[rows[:half]], weight[rows[len(rows) - half :]] = 0.5, 1.5
    return X, (event, time), weight


@pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")
@pytest.mark.parametrize("seed", range(5))
def test_the_scale_of_weights_changes_nothing(seed):
    X, y, weight = balanced(seed)
    tree = OptimalSurvivalTree(2, 0.003, loss="likelihood")
    once = tree.fit(X, y, sample_weight=weight).certificate_
    twice = OptimalSurvivalTree(2, 0.003, loss="likelihood").fit(X, y, sample_weight=2 * weight)
    assert (once.status, twice.status_) == ("optimal", "optimal")
    assert abs(once.objective - twice.objective_) <= 1e-12
