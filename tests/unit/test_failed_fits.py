"""A fit that does not come to its end leaves the result of the fit before, with its columns."""

import numpy as np
import pandas as pd
import pytest

from survtree import Binarizer, OptimalSurvivalTree, OptimalSurvivalTreeCV

N = 60
FRAME = pd.DataFrame({"a": np.arange(N) % 2, "b": np.arange(N) // 30})
SWAPPED = FRAME[["b", "a"]]
TIME = np.where(FRAME["a"] == 1, 5.0, 20.0) + np.arange(N) / 100
Y = (np.ones(N, dtype=bool), TIME)


def tree():
    return OptimalSurvivalTree(1, 0.001)


def tuned():
    return OptimalSurvivalTreeCV(max_depths=(1,), cv=2, min_regularization=0.001, random_state=0)


def check_has_its_columns(model, expected):
    """The model predicts as before, and only for the columns of its tree."""
    assert np.array_equal(model.predict(FRAME), expected)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(SWAPPED)


@pytest.mark.parametrize("make", [tree, tuned])
@pytest.mark.parametrize("X", [SWAPPED, SWAPPED.to_numpy(), SWAPPED.assign(c=1)])
def test_a_tree_keeps_its_columns_if_the_next_fit_is_refused(make, X):
    model = make().fit(FRAME, Y)
    expected = model.predict(FRAME)
    assert len(np.unique(expected)) == 2
    with pytest.raises(ValueError, match="no event was observed"):
        model.fit(X, (np.zeros(N), TIME))
    check_has_its_columns(model, expected)


@pytest.mark.parametrize(
    ("make", "work"),
    [(tree, "survtree._model.estimator.searched"), (tuned, "survtree._model.tuning.tune")],
)
def test_a_tree_keeps_its_columns_if_the_next_fit_is_interrupted(make, work, monkeypatch):
    def interrupted(*_arguments):
        raise KeyboardInterrupt

    model = make().fit(FRAME, Y)
    expected = model.predict(FRAME)
    monkeypatch.setattr(work, interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(SWAPPED, Y)
    check_has_its_columns(model, expected)


@pytest.mark.parametrize("make", [tree, tuned])
def test_a_first_fit_that_fails_leaves_no_columns(make):
    model = make()
    with pytest.raises(ValueError, match="no event was observed"):
        model.fit(FRAME, (np.zeros(N), TIME))
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("make", [tree, tuned])
def test_a_fit_without_names_forgets_those_of_the_fit_before(make):
    model = make().fit(FRAME, Y).fit(SWAPPED.to_numpy(), Y)
    assert not hasattr(model, "feature_names_in_")
    assert len(np.unique(model.predict(SWAPPED.to_numpy()))) == 2
    assert model.fit(SWAPPED, Y).feature_names_in_.tolist() == ["b", "a"]


@pytest.mark.parametrize("y", [None, Y])
def test_a_binarizer_keeps_its_questions(y):
    binarizer = Binarizer(max_levels=3).fit(FRAME, y)
    expected = binarizer.transform(FRAME)
    many = pd.DataFrame({"b": FRAME["b"], "a": [f"level {k % 10}" for k in range(N)]})
    with pytest.raises(ValueError, match="max_levels"):
        binarizer.fit(many, y)
    assert np.array_equal(binarizer.transform(FRAME), expected)
    assert binarizer.get_feature_names_out().tolist() == ["a = 1", "b = 1"]
    assert binarizer.feature_names_in_.tolist() == ["a", "b"]
    assert binarizer.fit(SWAPPED, y).get_feature_names_out().tolist() == ["b = 1", "a = 1"]
