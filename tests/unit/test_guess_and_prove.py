"""Fits with a reference: what is guessed, what is proven, and what the certificate says of it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from survtree import OptimalSurvivalTree, SearchStoppedWarning, StepFunction
from survtree.datasets import load
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem

OPTIONS = {"max_depth": 3, "regularization": 0.004}


@pytest.fixture(scope="module")
def data():
    return load("whas500")


@pytest.fixture(scope="module")
def exact(data):
    return OptimalSurvivalTree(**OPTIONS).fit(data.X, data.y)


def constant_curve(data):
    """The worst of honest references: one curve for all, as if nothing could be known."""
    curve = OptimalSurvivalTree(0).fit(data.X, data.y).leaf_curves_[0].survival
    return np.tile(curve.y, (len(data.X), 1)), curve.x


def shuffled_rows(data):
    """Curves of other rows: more wrong than knowing nothing."""
    model = OptimalSurvivalTree(4, 0.001).fit(data.X, data.y)
    times = model.unique_times_
    curves = model.predict_survival_function(data.X, return_array=True)
    return np.random.default_rng(0).permutation(curves), times


def always_right(data):
    """Loses nothing anywhere: expects nothing of the search either."""
    return np.zeros(len(data.X))


REFERENCES = [constant_curve, shuffled_rows, always_right]


@pytest.fixture(scope="module")
def references(data):
    """Each is made once: some are fits themselves."""
    return {make: make(data) for make in REFERENCES}


@pytest.mark.parametrize("make", REFERENCES)
def test_a_guess_is_guessed_however_bad_or_good(make, references, data, exact):
    model = OptimalSurvivalTree(**OPTIONS, reference=references[make]).fit(data.X, data.y)
    assert model.status_ == "guessed"
    assert model.lower_bound_ <= exact.objective_ + 1e-12
    assert model.objective_ >= exact.objective_ - 1e-12
    assert model.certificate_.verify(data.X, data.y)
    with pytest.raises(ValueError, match="proven optimum"):
        model.optimal_trees()


@pytest.mark.parametrize("make", REFERENCES)
def test_proving_gives_the_optimum_whatever_the_reference(make, references, data, exact):
    model = OptimalSurvivalTree(**OPTIONS, reference=references[make], reference_mode="prove")
    model.fit(data.X, data.y)
    assert model.status_ == "optimal"
    assert model.objective_ == exact.objective_ == model.lower_bound_
    assert np.array_equal(model.apply(data.X), exact.apply(data.X))
    assert model.certificate_.guess is None  # the proof leans on none
    assert model.optimal_trees(3)


def test_a_constant_reference_leaves_nothing_to_find(data):
    model = OptimalSurvivalTree(**OPTIONS, reference=constant_curve(data)).fit(data.X, data.y)
    assert model.n_leaves_ == 1
    assert model.lower_bound_ < 0.5 * model.objective_


def test_the_optimal_tree_as_reference_finds_itself(data, exact):
    model = OptimalSurvivalTree(**OPTIONS, reference=exact).fit(data.X, data.y)
    assert model.status_ == "guessed"
    assert model.objective_ == pytest.approx(exact.objective_, abs=1e-12)


def test_the_certificate_says_what_was_assumed_and_what_holds_anyway(data):
    pytest.importorskip("sksurv")
    options = {**OPTIONS, "reference": "forest", "random_state": 0}
    model = OptimalSurvivalTree(**options).fit(data.X, data.y)
    guess = model.certificate_.guess
    assert guess.reference == "forest"
    assert 0 < guess.loss < model.loss_
    assert guess.conditional_bound == model.objective_
    assert guess.lower_bound == model.lower_bound_ < model.objective_
    assert guess.n_closed > 0
    for said in ("forest", f"{guess.loss:.6f}", f"{model.lower_bound_:.6f}", "if not"):
        assert said in str(guess)
    assert "best if the reference is right" in model.certificate_.summary()
    again = OptimalSurvivalTree(**options).fit(data.X, data.y)
    assert str(again.certificate_.guess) == str(guess)
    assert str(pickle.loads(pickle.dumps(model)).certificate_.guess) == str(guess)


def test_what_the_guess_can_hide_is_the_groups_of_equal_rows(data):
    # All rows answer alike but for one question, so groups are large and their own bound is good.
    X = (data.X["age"].to_numpy() > 70).astype(int)[:, None]
    losses = np.full(len(X), 0.0005)
    model = OptimalSurvivalTree(2, 0.001, reference=losses).fit(X, data.y)
    plain = OptimalSurvivalTree(2, 0.001).fit(X, data.y)
    excess = model.certificate_.guess.conditional_bound - model.lower_bound_
    assert 0 < excess < losses.sum()
    assert model.lower_bound_ <= plain.objective_


def test_rows_left_out_are_left_out_of_the_model_s_table_too(data):
    class Model:
        """Wants a frame without gaps; tells one curve for all."""

        def predict_survival_function(self, X):
            assert isinstance(X, pd.DataFrame)
            assert not X.isna().any().any()
            seen.append(len(X))
            return [StepFunction([100.0], [0.5], before=1.0)] * len(X)

    seen = []
    X = data.X.to_pandas()
    X.loc[[3, 8, 400], "age"] = np.nan
    options = {**OPTIONS, "missing": "drop", "reference": Model()}
    for table in (X, X.to_numpy(dtype=float)):
        if not isinstance(table, pd.DataFrame):
            options["reference"] = np.full(len(X) - 3, 0.0001)
        model = OptimalSurvivalTree(**options).fit(table, data.y)
        assert model.status_ == "guessed"
    assert sum(seen) == len(X) - 3


def test_a_guess_can_be_stopped_and_says_so():
    X, y = hard_problem()
    losses = np.zeros(len(X))
    model = OptimalSurvivalTree(DEPTH, REGULARIZATION, reference=losses, node_limit=500)
    for mode in ("guess", "prove"):
        with pytest.warns(SearchStoppedWarning, match=r"node limit \(500\)"):
            model.set_params(reference_mode=mode).fit(X, y)
        assert model.status_ == "node_limit"
        assert model.lower_bound_ <= model.objective_
        assert model.certificate_.guess.conditional_bound < model.objective_


@pytest.mark.slow
def test_a_proof_begins_with_the_tree_of_the_guess(data):
    told = []
    model = OptimalSurvivalTree(
        **OPTIONS, reference=shuffled_rows(data), reference_mode="prove", callback=told.append
    ).fit(data.X, data.y)
    assert model.status_ == "optimal"
    assert any(row.found_by == "guess" for row in told)
    bounds = [row.lower_bound for row in told]
    assert bounds == sorted(bounds)
    seconds = [row.seconds for row in told]
    assert seconds == sorted(seconds)


def test_a_reference_is_a_parameter_like_others(data):
    model = OptimalSurvivalTree(reference=(np.ones((3, 2)), [1.0, 2.0]), random_state=1)
    copy = clone(model)
    assert np.array_equal(copy.reference[0], model.reference[0])
    assert copy.random_state == 1
