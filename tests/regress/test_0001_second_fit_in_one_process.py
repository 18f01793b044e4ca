"""A second fit must not inherit anything from the first, in one thread or in two at once."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from survtree import OptimalSurvivalTree

SIZES = (60, 500, 137)


def fit(n):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 2, (n, 8))
    time = rng.exponential(1.0 + X[:, 0] + X[:, 1] * X[:, 2])
    event = rng.random(n) < 0.7
    model = OptimalSurvivalTree(3, 0.002).fit(X, (event, time))
    return [model.objective_, model.tree_.question.tolist(), model.predict(X).tolist()]


def fit_in_a_fresh_process(n):
    script = f"import json, runpy; print(json.dumps(runpy.run_path({__file__!r})['fit']({n})))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.slow
def test_second_fit_same_process():
    fresh = [fit_in_a_fresh_process(n) for n in SIZES]
    assert [fit(n) for n in SIZES] == fresh
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(fit, SIZES)) == fresh
        assert list(pool.map(fit, SIZES * 3)) == fresh * 3
