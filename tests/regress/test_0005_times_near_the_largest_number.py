"""The check of a tree multiplied the last time by the weights, beyond the largest double.

Found by fuzzing outcomes: `fit` raised InternalError.
"""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._scoring.losses import LossByDefinition


@pytest.mark.parametrize(
    "time", [[1.79234983e308, 0.0, 0.0, 0.0], [1e308, 2.0, 3.0, 1e307], [5e-324, 1e-323, 0.0, 0.0]]
)
def test_times_near_the_largest_and_smallest_numbers(time):
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 1]]), (np.ones(4, bool), np.array(time))
    model = OptimalSurvivalTree(2, 0.001, min_samples_leaf=1).fit(X, y)
    loss = LossByDefinition(y[1], y[0]).tree_loss(np.unique(model.apply(X), return_inverse=True)[1])
    assert np.isfinite(model.objective_)
    assert model.loss_ == pytest.approx(loss, rel=1e-12, abs=1e-300)
    assert model.certificate_.verify(X, y)
