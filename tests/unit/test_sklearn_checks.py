"""scikit-learn's own checks, as far as a survival outcome allows.

The checks feed one number per row as y. Thin subclasses turn it into (event, time) pairs and leave
everything else, above all bad input, to the estimator.
"""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from survtree import Binarizer, OptimalSurvivalTree, OptimalSurvivalTreeCV


def outcome(y):
    """Every third row censored; numbers become positive times. What is not a column passes."""
    values = np.asarray(y)
    if values.dtype.kind == "O":  # numbers in objects; anything else is not theirs to pass
        values = values.astype(float)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        return y
    return np.arange(len(values)) % 3 != 2, np.abs(values.astype(float)) + 1.0


class OnNumbers(OptimalSurvivalTree):
    """The estimator behind the translation."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, outcome(y), sample_weight)

    def score(self, X, y):
        return super().score(X, outcome(y))


class TunedOnNumbers(OptimalSurvivalTreeCV):
    """The cross-validated estimator behind the translation."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, outcome(y), sample_weight)

    def score(self, X, y):
        return super().score(X, outcome(y))


class QuestionsOnNumbers(Binarizer):
    """The transformer behind the translation."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, None if y is None else outcome(y), sample_weight)


CANNOT_APPLY = {
    "check_sample_weight_equivalence_on_dense_data": "rows are censored by their place here, so "
    "that repeated rows have other outcomes",
    "check_all_zero_sample_weights_error": "it is refused in other words",
}


@parametrize_with_checks(
    [
        OnNumbers(max_depth=2, min_samples_leaf=1, regularization=0.001),
        TunedOnNumbers(max_depths=(1,), cv=2, min_samples_leaf=1, random_state=0),
        QuestionsOnNumbers(),
    ],
    expected_failed_checks=lambda _: CANNOT_APPLY,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
