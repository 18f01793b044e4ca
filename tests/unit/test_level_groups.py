"""Groups of levels as candidate splits."""

import numpy as np
import pandas as pd
import pytest

from survtree import Binarizer, OptimalSurvivalTree, export_json, load
from survtree._data.table import Column, EventTable
from survtree._questions.level_groups import level_groups


def study(levels="abcde", means=(8.0, 1.0, 4.0, 2.0, 16.0), n_rows=500, seed=0):
    rng = np.random.default_rng(seed)
    place = rng.integers(len(levels), size=n_rows)
    time = np.minimum(rng.exponential(np.array(means)[place]), 20.0) + 0.01
    X = pd.DataFrame({"ward": np.array(list(levels))[place], "age": rng.integers(20, 90, n_rows)})
    return X, (rng.random(n_rows) < 0.8, time)


def groups_of(X, y, levels="grouped"):
    binarizer = Binarizer(levels=levels).fit(X, y)
    return [name for name in binarizer.get_feature_names_out() if name.startswith("ward")]


def test_groups_are_cuts_of_the_levels_by_their_risk():
    # From the lowest risk, e, to the highest, b; complements are not asked twice.
    assert [name for name in groups_of(*study()) if " or " in name] == [
        "ward is a or e",
        "ward is a or c or e",
    ]


def test_each_level_has_its_own_question_too():
    alone = groups_of(*study(), levels="each")
    assert alone == [f"ward is {level}" for level in "abcde"]
    assert groups_of(*study())[:5] == alone


@pytest.mark.parametrize("n_levels", [1, 2, 3])
def test_few_levels_have_no_groups(n_levels):
    X, y = study("abc"[:n_levels], (1.0, 2.0, 4.0)[:n_levels])
    assert not [name for name in groups_of(X, y) if " or " in name]


def test_without_an_outcome_there_is_no_order_and_no_group():
    X, _ = study()
    assert not [
        n for n in Binarizer(levels="grouped").fit(X).get_feature_names_out() if " or " in n
    ]


def test_a_level_without_a_row_is_in_no_group():
    values = np.array([0, 1, 2, 3] * 10)
    column = Column("ward", "level", values, ("a", "b", "c", "d", "never"))
    events = EventTable(np.ones(40, bool), np.arange(40.0) + 1, np.ones(40))
    assert all("never" not in group.levels for group in level_groups(0, column, events))


def test_missing_cells_have_no_part_in_the_risks():
    values = np.array([0, 1, 2, 3, -1] * 20)
    rng = np.random.default_rng(0)
    time, event = rng.exponential(1.0, 100) + 0.01, rng.random(100) < 0.7
    column = Column("ward", "level", values, tuple("abcd"))
    found = level_groups(0, column, EventTable(event, time, np.ones(100)))
    assert all(set(group.levels) <= set("abcd") for group in found)
    assert len(found) == 1


def test_how_the_levels_are_declared_does_not_matter():
    X, y = study()
    there = X.assign(ward=pd.Categorical(X.ward, categories=list("abcde")))
    back = X.assign(ward=pd.Categorical(X.ward, categories=list("edcba")))
    assert set(groups_of(there, y)) == set(groups_of(back, y))


def test_the_default_fit_groups_levels_and_a_number_does_not():
    X, y = study()
    has_groups = [
        any(" or " in name for name in model.questions_)
        for model in (
            OptimalSurvivalTree().fit(X, y),
            OptimalSurvivalTree(regularization=0.01).fit(X, y),
            OptimalSurvivalTree(levels="each").fit(X, y),
            OptimalSurvivalTree(regularization=0.01, levels="grouped").fit(X, y),
        )
    ]
    assert has_groups == [True, False, False, True]


def test_a_tree_of_groups_is_kept_in_a_file(tmp_path):
    X, y = study()
    model = OptimalSurvivalTree(max_depth=1, levels="grouped", regularization=0.001).fit(X, y)
    assert " or " in model.questions_[int(model.tree_.question[0])]
    export_json(model, tmp_path / "model.json")
    assert (load(tmp_path / "model.json").apply(X) == model.apply(X)).all()
