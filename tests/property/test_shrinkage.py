"""Shrunken curves are those of the definition, on trees and rows of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survtree import OptimalSurvivalTree
from survtree._data.table import EventTable
from survtree._scoring.curves import leaf_curves
from survtree._scoring.shrinkage import shrunken_curves
from tests.support.made_up_models import random_tree
from tests.support.problems import random_case, random_events, random_times, random_weights
from tests.support.slow_shrinkage import kaplan_meier, nelson_aalen, quantile, shrunken

# Some of the made-up rows are followed for much longer than all others.
pytestmark = pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")

SHRINKAGES = (0.0, 1e-3, 1.0, 7.5, 60.0, 1e4, 1e300)


class Case:
    """A tree with rows in its leaves, which may be few, tied, weighted and without events."""

    def __init__(self, tree, events, leaf_of_row):
        self.tree, self.leaf_of_row = tree, leaf_of_row
        self.events = events
        self.rows = list(zip(events.time, events.event, events.weight, strict=True))
        curves = leaf_curves(events, leaf_of_row, len(tree.leaves))
        self.leaf_curves = dict(zip(tree.leaves.tolist(), curves, strict=True))
        # Some of the times, the first and the last among them.
        times = np.append(events.unique_times, events.time.max() + 1.0)
        self.times = times[np.unique(np.linspace(0, len(times) - 1, 6).astype(int))]

    def path(self, leaf):
        """The rows of each node from the root to the leaf."""
        above = self.tree.ancestors()
        inside = {node: above[self.tree.leaves, node] for node in np.flatnonzero(above[leaf])}
        return [
            [row for row, at in zip(self.rows, self.leaf_of_row, strict=True) if here[at]]
            for here in inside.values()
        ]


def random_rows(seed):
    """A case with up to 7 leaves and 30 rows."""
    rng = np.random.default_rng([7, seed])
    n_leaves = int(rng.integers(1, 8))
    tree = random_tree(n_leaves, seed, is_chain=bool(rng.random() < 0.3))
    n = n_leaves + int(rng.integers(0, 24))
    leaf_of_row = rng.permutation(np.append(np.arange(n_leaves), rng.integers(n_leaves, size=n)))
    _, time = random_times(rng, leaf_of_row[:, np.newaxis])
    _, event = random_events(rng, time)
    if rng.random() < 0.5 and n_leaves > 1:  # a leaf without events
        event &= leaf_of_row != rng.integers(n_leaves)
        event[np.flatnonzero(leaf_of_row == leaf_of_row[0])[0]] = True
    _, weight = random_weights(rng, len(time))
    return Case(tree, EventTable(event, time.astype(float), weight), leaf_of_row)


def assert_curves_are_those_of_the_definition(case, shrinkage):
    predicted = shrunken_curves(case.tree, case.leaf_curves, shrinkage)
    assert list(predicted) == case.tree.leaves.tolist()
    for leaf, curve in predicted.items():
        path = case.path(leaf)
        for kind, found in ((kaplan_meier, curve.survival), (nelson_aalen, curve.hazard)):
            wanted = [shrunken(kind, path, shrinkage, t) for t in case.times]
            assert np.allclose(found(case.times), wanted, rtol=1e-9, atol=1e-11)
        assert_is_survival_curve(curve)


def assert_is_survival_curve(curve):
    survival, hazard = curve.survival, curve.hazard
    assert survival.before == 1
    assert hazard.before == 0
    assert np.all((survival.y >= 0) & (survival.y <= 1))
    assert np.all(np.diff(survival.y) <= 0)
    assert np.all(np.diff(hazard.y, prepend=0) >= 0)


PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 10))]


@pytest.mark.parametrize("part", PARTS)
def test_thousands_of_trees_predict_the_curves_of_the_definition(part):
    for seed in range(300 * part, 300 * (part + 1)):
        shrinkage = SHRINKAGES[seed % len(SHRINKAGES)]
        assert_curves_are_those_of_the_definition(random_rows(seed), shrinkage)


@st.composite
def drawn_cases(draw):
    n_leaves = draw(st.integers(1, 5))
    tree = random_tree(n_leaves, draw(st.integers(0, 99)), is_chain=draw(st.booleans()))
    times, weights = st.integers(0, 4), st.sampled_from([1.0, 0.25, 3.0, 1e-6, 1e9])
    row = st.tuples(st.integers(0, n_leaves - 1), times, st.booleans(), weights)
    first = [(leaf, draw(times) + 1, True, draw(weights)) for leaf in range(n_leaves)]
    rows = first + draw(st.lists(row, max_size=12))
    leaf_of_row, time, event, weight = map(np.array, zip(*rows, strict=True))
    return Case(tree, EventTable(event, time.astype(float), weight), leaf_of_row)


@settings(max_examples=300, deadline=None)
@given(drawn_cases(), st.floats(0, 1e12))
def test_drawn_trees_predict_the_curves_of_the_definition(case, shrinkage):
    assert_curves_are_those_of_the_definition(case, shrinkage)


def test_quantiles_are_where_the_shrunken_curve_gets():
    for seed in range(300):
        case = random_rows(seed)
        share = (0.1, 0.5, 0.9)[seed % 3]
        for leaf, curve in shrunken_curves(case.tree, case.leaf_curves, 5.0).items():
            wanted = quantile(case.path(leaf), 5.0, case.events.event_times, share)
            assert curve.quantile(share) == wanted


def test_no_shrinkage_predicts_the_very_curves_of_the_leaves():
    for seed in range(200):
        case = random_rows(seed)
        for leaf, curve in shrunken_curves(case.tree, case.leaf_curves, 0.0).items():
            own = case.leaf_curves[leaf]
            assert curve.survival is own.survival
            assert curve.hazard is own.hazard
            assert curve.quantile(0.5) == own.quantile(0.5)


def test_endless_shrinkage_predicts_the_curve_of_all_rows():
    for seed in range(200):
        case = random_rows(seed)
        everybody = np.zeros(len(case.rows), dtype=np.intp)
        root = leaf_curves(case.events, everybody, 1)[0]
        for curve in shrunken_curves(case.tree, case.leaf_curves, 1e300).values():
            for found, wanted in ((curve.survival, root.survival), (curve.hazard, root.hazard)):
                assert found(case.times) == pytest.approx(wanted(case.times), abs=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_tree_objective_and_proof_do_not_depend_on_the_shrinkage(seed):
    problem = random_case(seed).problem
    X, events = problem.answers, problem.events
    models = [
        OptimalSurvivalTree(
            3,
            problem.regularization,
            min_samples_leaf=problem.min_samples_leaf,
            shrinkage=shrinkage,
        ).fit(X, (events.event, events.time), events.weight)
        for shrinkage in ("default", 0, 3.5, "auto", 1e6)
    ]
    plain = models[0]
    for model in models[1:]:
        for part in ("question", "no", "yes"):
            assert np.array_equal(getattr(model.tree_, part), getattr(plain.tree_, part))
        names = ("objective", "loss", "lower_bound", "status", "fingerprint", "counts")
        for name in names:
            assert getattr(model.certificate_, name) == getattr(plain.certificate_, name)
        assert model.ibs_ratio_ == plain.ibs_ratio_
        assert model.certificate_.verify(X, (events.event, events.time), events.weight).is_valid
