"""scikit-learn's own checks, as far as a survival outcome allows.

The checks feed numbers as X and one number per row as y. A thin subclass turns them into yes/no
columns and (event, time) pairs and leaves everything else, above all bad input, to the estimator.
"""

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from survtree import OptimalSurvivalTree


def yes_no(X):
    """Positive numbers are a yes; what is not a clean 2-d table of numbers passes through."""
    if issparse(X):
        return X
    array = np.asarray(X)
    is_clean = array.ndim == 2 and array.dtype.kind in "biuf" and np.isfinite(array).all()
    if not is_clean:
        return X
    answers = (array > 0).astype(np.uint8)
    return pd.DataFrame(answers, columns=X.columns) if isinstance(X, pd.DataFrame) else answers


def outcome(y):
    """Every third row censored; numbers become positive times. What is not a column passes."""
    values = np.asarray(y)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        return y
    return np.arange(len(values)) % 3 != 2, np.abs(values.astype(float)) + 1.0


class OnAnyNumbers(OptimalSurvivalTree):
    """The estimator behind the two translations."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(yes_no(X), outcome(y), sample_weight)

    def apply(self, X):
        return super().apply(yes_no(X))

    def score(self, X, y):
        return super().score(X, outcome(y))


CANNOT_APPLY = {
    "check_dtype_object": "asks for a TypeError on dicts inside X; ours is a ValueError that names "
    "the column, row and value",
    "check_sample_weight_equivalence_on_dense_data": "gives rows weight 0, and weights must be "
    "positive",
    "check_all_zero_sample_weights_error": "weights must be positive, so one zero is refused too, "
    "in other words",
}


@parametrize_with_checks(
    [OnAnyNumbers(max_depth=2, min_samples_leaf=1, regularization=0.001)],
    expected_failed_checks=lambda _: CANNOT_APPLY,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
