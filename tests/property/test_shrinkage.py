"""Shrunken curves are those of the definition, on trees and rows of every kind.

`python -m tests.oracle.run --shrinkage` checks thousands more of the same trees.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survtree import OptimalSurvivalTree
from survtree._data.table import EventTable
from survtree._scoring.curves import leaf_curves
from survtree._scoring.shrinkage import shrunken_curves
from tests.support.made_up_models import random_tree
from tests.support.problems import random_case
from tests.support.shrunken_trees import (
    Case,
    assert_curves_are_those_of_the_definition,
    check_shrinkage,
    random_rows,
)
from tests.support.slow_shrinkage import quantile

# Some of the made-up rows are followed for much longer than all others.
pytestmark = [
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
    # Some split decides the event.
    pytest.mark.filterwarnings("ignore::survtree.DataWarning"),
]

PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 10))]


@pytest.mark.parametrize("part", PARTS)
def test_thousands_of_trees_predict_the_curves_of_the_definition(part):
    for seed in range(300 * part, 300 * (part + 1)):
        check_shrinkage(seed)


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
