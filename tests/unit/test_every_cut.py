"""An automatic fit goes on over every cut where that is cheap, and says what was searched."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree.datasets import load


@pytest.fixture(scope="module")
def gbsg2():
    return load("gbsg2")


@pytest.fixture(scope="module")
def chosen(gbsg2):
    """The fit over chosen cuts alone."""
    return OptimalSurvivalTree(thresholds={}).fit(*gbsg2)


def test_a_default_fit_is_proven_over_every_cut_and_never_worse(gbsg2, chosen):
    model = OptimalSurvivalTree().fit(*gbsg2)
    assert model.status_ == "optimal"
    assert model.screening_ == "Every cut was searched"
    assert len(model.questions_) == 628 > len(chosen.questions_)
    assert model.objective_ < chosen.objective_
    assert model.regularization_ == chosen.regularization_
    assert model.certificate_.verify(*gbsg2).is_valid


def test_it_is_the_tree_of_a_plain_search_over_every_cut(gbsg2):
    model, plain = OptimalSurvivalTree().fit(*gbsg2), OptimalSurvivalTree(thresholds="all")
    plain.set_params(max_depth=3).fit(*gbsg2)
    assert plain.objective_ == model.objective_
    assert np.array_equal(plain.tree_.question, model.tree_.question)
    assert "thresholds='all'" in model.recipe_.code.replace('"', "'")


@pytest.mark.parametrize(
    "options",
    [
        {"regularization": 0.005, "max_depth": 2},
        {"thresholds": 5},
        {"max_leaves": 3},
        {"teacher": None},
        {"max_depth": 4, "thresholds": 3},
    ],
)
def test_whoever_says_otherwise_gets_the_chosen_cuts(gbsg2, options):
    model = OptimalSurvivalTree(**options).fit(*gbsg2)
    assert "of 628 possible splits" in model.screening_
