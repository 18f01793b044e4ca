"""A problem that keeps a search busy for minutes, for tests that stop it."""

import numpy as np

DEPTH, REGULARIZATION = 7, 0.0001


def hard_problem(n_rows=2000, n_columns=60):
    """X and y; three of the columns matter."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n_rows, n_columns))
    time = rng.exponential(1.0 + X[:, 0] + X[:, 1] * X[:, 2])
    return X, (rng.random(n_rows) < 0.7, time)
