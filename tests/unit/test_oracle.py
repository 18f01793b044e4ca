"""The oracle against the definition read row by row, in exact fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from survtree._scoring.curves import leaf_curves
from survtree._scoring.losses import LossByDefinition
from tests.support.brute_force import BruteForce

TIME = np.array([1, 2, 3, 3, 5, 6.0])
EVENT = np.array([1, 0, 1, 0, 1, 0], dtype=bool)
X = np.array([1, 1, 0, 1, 0, 0], dtype=bool)


def literal_loss(time, event, weight, rows):
    """The definition, in fractions.

    1/(n y_max) sum_i [ int_0^y_i (1-S)^2/G + event_i int_y_i^y_max S^2/G(y_i) ]
    """
    time = [Fraction(t) for t in time]
    weight = [Fraction(w) for w in weight]
    everyone = range(len(time))
    times = sorted(set(time))
    knots = [Fraction(0), *times] if times[0] > 0 else times

    def curve(members, happened):
        value, values = Fraction(1), {}
        for t in times:
            at_risk = sum((weight[i] for i in members if time[i] >= t), Fraction(0))
            gone = sum((weight[i] for i in members if time[i] == t and happened(i)), Fraction(0))
            if gone:
                value *= 1 - gone / at_risk
            values[t] = value
        values.setdefault(Fraction(0), Fraction(1))
        return values

    g = curve(everyone, lambda i: not event[i])
    s = curve(rows, lambda i: event[i])
    total = Fraction(0)
    for i in rows:
        for left, right in pairwise(knots):
            if right <= time[i]:
                total += weight[i] * (right - left) * (1 - s[left]) ** 2 / g[left]
            elif event[i]:
                total += weight[i] * (right - left) * s[left] ** 2 / g[time[i]]
    return float(total / (sum(weight) * times[-1]))


def test_worked_example():
    oracle = LossByDefinition(TIME, EVENT)
    assert oracle.g == pytest.approx([1, 0.8, 0.6, 0.6, 0], abs=1e-12)
    everyone = np.ones(6, dtype=bool)
    assert oracle.survival(everyone) == pytest.approx([5 / 6, 5 / 6, 0.625, 0.3125, 0.3125])
    assert oracle.leaf_loss(everyone) == pytest.approx(0.163845486111, abs=1e-9)
    assert oracle.leaf_loss(X) == pytest.approx(0.071759259259, abs=1e-9)
    assert oracle.leaf_loss(~X) == pytest.approx(0.092592592593, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_oracle_is_the_definition_read_row_by_row(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    time = rng.integers(0, 8, n).astype(float) if seed % 2 else rng.integers(1, 99, n) / 8
    time[0] = 3.0
    event = rng.random(n) < rng.choice([0.3, 0.7, 1.0])
    weight = rng.integers(1, 5, n).astype(float) if seed % 3 else np.ones(n)
    rows = rng.random(n) < 0.7
    expected = literal_loss(time, event, weight, np.flatnonzero(rows).tolist())
    assert LossByDefinition(time, event, weight).leaf_loss(rows) == pytest.approx(
        expected, abs=1e-13
    )


@pytest.mark.parametrize("seed", range(30))
def test_best_curve_loses_least_and_is_superadditive(seed):
    rng = np.random.default_rng(seed)
    n = 30
    oracle = LossByDefinition(rng.integers(1, 12, n).astype(float), rng.random(n) < 0.6)
    rows = rng.random(n) < 0.8
    half = rows & (rng.random(n) < 0.5)
    best = oracle.best_curve_loss
    assert best(rows) <= oracle.leaf_loss(rows) + 1e-15
    assert best(half) + best(rows & ~half) <= best(rows) + 1e-15


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_loses_what_its_leaves_lose_however_many_are_counted_at_once(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = 40
    time, event = rng.integers(1, 12, n).astype(float), rng.random(n) < 0.6
    oracle = LossByDefinition(time, event, rng.random(n) + 0.1)
    leaf_of_row = rng.integers(0, 7, n)
    curves = leaf_curves(oracle.events, leaf_of_row, 7)
    expected = sum(oracle.leaf_loss(leaf_of_row == leaf) for leaf in range(7))
    assert oracle.tree_loss(leaf_of_row) == pytest.approx(expected, abs=1e-14)
    assert oracle.one_leaf_loss() == oracle.leaf_loss(np.ones(n, dtype=bool))
    for cells in (1, 3 * len(oracle.times)):
        monkeypatch.setattr("survtree._data.table.MOST_CELLS", cells)
        assert oracle.tree_loss(leaf_of_row) == pytest.approx(expected, abs=1e-14)
        for few, many in zip(leaf_curves(oracle.events, leaf_of_row, 7), curves, strict=True):
            assert (few.n_rows, few.n_events) == (many.n_rows, many.n_events)
            assert repr(few) == repr(many)


def test_brute_force_counts_trees():
    # Two independent columns, no penalty, depth 1: a leaf or one of two splits.
    features = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    event = np.ones(8, dtype=bool)
    time = np.array([1, 1, 2, 2] * 2, dtype=float)
    searcher = BruteForce(features, LossByDefinition(time, event), 0.0, 1)
    trees = searcher.optimal_trees(1, 1e-12)
    assert trees == [(0, None, None)]
    # At depth 2 the pure leaves may be split again, in any of four ways.
    assert len(searcher.optimal_trees(2, 1e-12)) > 4
