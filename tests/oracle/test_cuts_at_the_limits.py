"""Every cut, where the cache of the search is full and where codes of a column need four bytes."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("memory_limit", ["1MB", "2MB"])
def test_a_full_cache_gives_up_results_and_the_answer_is_the_same(memory_limit, monkeypatch):
    # So that the search gets a tenth of the limit, whatever the process has.
    monkeypatch.setattr("survtree._search.engines._resident_bytes", lambda: 10**9)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(140, 3))  # more cuts than the search over 0/1 columns takes
    y = rng.random(140) < 0.7, np.ceil(rng.exponential(np.exp(X[:, 0] * X[:, 1]), 140) * 10)
    plain = OptimalSurvivalTree(3, 0.002, thresholds="all").fit(X, y)
    tight = OptimalSurvivalTree(3, 0.002, thresholds="all", memory_limit=memory_limit).fit(X, y)
    assert plain.certificate_.counts["cache_shed"] == 0
    assert tight.certificate_.counts["cache_shed"] > 0
    assert (tight.status_, tight.objective_) == ("optimal", plain.objective_)
    assert np.array_equal(tight.apply(X), plain.apply(X))


@pytest.mark.filterwarnings("ignore")
def test_a_column_of_more_values_than_two_bytes_count():
    n = 70_000
    rng = np.random.default_rng(0)
    x, other = rng.permutation(n).astype(float), rng.integers(0, 2, n)
    time = np.ceil(4 * rng.exponential(np.where(x > 0.97 * n, 3.0, 1.0) + other / 10))
    X, y = np.column_stack([x, other]), (rng.random(n) < 0.7, time)
    options = {"max_depth": 1, "regularization": 1e-4}
    found = OptimalSurvivalTree(**options, thresholds="all").fit(X, y)
    assert found.status_ == "optimal"
    sizes = np.bincount(found.apply(X))
    cut = sizes[sizes > 0].min()  # rows beyond the cut, for values that are all different
    place = n - cut if cut < n / 2 else cut
    assert place > 2**16
    near = np.arange(place - 60, place + 60) - 0.5
    few = [*near, *np.linspace(100, n - 100, 80).round() + 0.5]
    chosen = OptimalSurvivalTree(**options, thresholds={"x0": sorted(set(few)), "x1": [0.5]}).fit(
        X, y
    )
    assert found.objective_ == pytest.approx(chosen.objective_, rel=1e-12)
    assert np.bincount(chosen.apply(X)).tolist() == sizes.tolist()
