"""The best tree under a condition, and how much each column matters: exact, whatever the slack."""

import json

import numpy as np
import pytest

from survtree import Picture, export_json, load
from survtree._proof.choice import Choice
from tests.support.near_sets import EveryTree, fitted, study

X, Y = study()


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture(scope="module")
def near(model):
    return model.near_optimal(within=0.02)


@pytest.fixture(scope="module")
def every(model):
    return list(EveryTree(model._state.problem).all())


def test_the_best_tree_without_a_column_is_that_of_a_fit_without_it(near):
    for name in X.columns:
        best, fit = near.best(avoids=name), fitted(exclude=[name])
        assert best.status_ == "optimal"
        assert best.objective_ == pytest.approx(fit.objective_, abs=1e-12)
        assert np.array_equal(best.predict(X), fit.predict(X))
        assert best.certificate_.verify(X, Y)


def test_the_best_tree_with_columns_is_that_of_all_trees(near, every):
    for uses in (["Treatment"], ["Treatment", "Age_in_years"], ["Celltype"]):
        best = near.best(uses=uses)
        expected = min(value for value, columns, *_ in every if set(uses) <= columns)
        assert best.objective_ == pytest.approx(expected, abs=1e-12)
        assert best.lower_bound_ == best.objective_


def test_the_best_tree_that_starts_with_a_column_is_that_of_all_trees(near, every):
    for first in (["Treatment"], ["Prior_therapy", "Age_in_years"]):
        best = near.best(first=first)
        expected = min(value for value, _, column, _ in every if column in first)
        assert best.objective_ == pytest.approx(expected, abs=1e-12)


def test_conditions_hold_together(near, every):
    best = near.best(
        uses="Karnofsky_score", avoids=["Celltype", "Treatment"], first="Age_in_years", max_leaves=3
    )
    expected = min(
        value
        for value, columns, first, n_leaves in every
        if "Karnofsky_score" in columns and not columns & {"Celltype", "Treatment"}
        if first == "Age_in_years" and n_leaves <= 3
    )
    assert best.objective_ == pytest.approx(expected, abs=1e-12)
    shallow = near.best(uses="Treatment", max_depth=1)
    expected = min(value for value, columns, _, n in every if columns == {"Treatment"} and n == 2)
    assert shallow.depth_ == 1
    assert shallow.objective_ == pytest.approx(expected, abs=1e-12)


def test_the_best_tree_of_fewer_leaves_or_splits_is_that_of_a_fit(near):
    assert near.best(max_leaves=3).objective_ == pytest.approx(fitted(max_leaves=3).objective_)
    assert near.best(max_depth=1).objective_ == pytest.approx(fitted(max_depth=1).objective_)
    assert near.best(max_leaves=1).n_leaves_ == near.best(max_depth=0).n_leaves_ == 1


def test_the_certificate_states_the_condition_and_the_recheck_knows_it(near, tmp_path):
    best = near.best(avoids="Celltype", first="Karnofsky_score")
    words = "do not split on 'Celltype' and split on 'Karnofsky_score' first"
    assert best.certificate_.condition == words
    assert f"trees within the limits that {words}, none has" in best.certificate_.summary()
    checked = best.certificate_.verify(X, Y)
    assert checked.details["condition"] == f"one of the trees that {words}"
    best.report(tmp_path / "page.html")
    assert "that do not split on" in (tmp_path / "page.html").read_text()
    text = json.loads(export_json(best))
    text["certificate"]["choice"]["avoids"] = ["Karnofsky_score"]
    (tmp_path / "wrong.json").write_text(json.dumps(text))
    wrong = load(tmp_path / "wrong.json").certificate_.verify(X, Y)
    assert not wrong.checks["condition"]


def test_the_recipe_finds_the_tree_of_a_condition_again(near):
    best, names = near.best(uses="Treatment", max_leaves=3), {"X": X, "y": Y}
    exec(best.recipe_.code, names)
    assert np.array_equal(names["model"].tree_.question, best.tree_.question)
    assert names["model"].certificate_.condition == best.certificate_.condition


def test_what_no_tree_can_do_is_an_error(near):
    with pytest.raises(ValueError, match="no trees that split on 'Celltype' and have at most 1"):
        near.best(uses="Celltype", max_leaves=1)


def test_importance_is_what_separate_fits_say(near, model, every):
    found = {row["column"]: row for row in near.importance().to_dicts()}
    assert set(found) == set(X.columns)
    for name, row in found.items():
        without = fitted(exclude=[name]).objective_ - model.objective_
        with_it = min(value for value, columns, *_ in every if name in columns) - model.objective_
        assert row["excess_without"] == pytest.approx(without, abs=1e-12)
        assert row["excess_with"] == pytest.approx(with_it, abs=1e-12)
        assert row["excess_with_percent"] == pytest.approx(100 * with_it / model.objective_)
        assert row["is_proven"]
        assert min(row["excess_without"], row["excess_with"]) == 0.0
    order = near.importance()["excess_without"].to_list()
    assert order == sorted(order, reverse=True)


def test_shares_of_the_set_are_those_of_its_table(near):
    table = near.table()
    for row in near.importance().to_dicts():
        used = [row["column"] in columns.split(", ") for columns in table["columns"]]
        first = [columns.split(", ")[0] == row["column"] for columns in table["columns"]]
        assert row["used"] == pytest.approx(np.mean(used))
        assert row["first"] == pytest.approx(np.mean(first))
        if any(used):
            assert 0.0 <= row["mean_depth"] <= 1.0
            assert (row["mean_depth"] == 0.0) == (used == first)
        else:
            assert np.isnan(row["mean_depth"])


def test_a_column_that_no_tree_can_split_on_has_no_excess_with_it():
    flag = np.zeros(len(X))
    flag[:3] = 1.0  # fewer rows than a leaf needs
    from survtree import OptimalSurvivalTree

    fit = OptimalSurvivalTree(2, 0.001).fit(X.select("Treatment").with_columns(rare=flag), Y)
    row = fit.near_optimal(0.05).importance().to_dicts()[-1]
    assert row["column"] == "rare"
    assert np.isnan(row["excess_with"])
    assert row["excess_without"] == 0.0


def test_importance_has_a_picture(near, tmp_path):
    picture = near.plot_importance()
    assert isinstance(picture, Picture)
    shown = [label.get_text() for label in picture.axes.get_yticklabels()]
    assert shown == near.importance()["column"].to_list()
    picture.save(tmp_path / "importance.svg")
    with pytest.raises(TypeError, match="ax must be plain matplotlib axes"):
        near.plot_importance("axes")


def test_conditions_read_as_one_sentence():
    all_of_them = Choice(
        uses=("a", "b", "c"), avoids=("d",), first=("a", "e"), max_leaves=1, max_depth=2
    )
    assert all_of_them.condition == (
        "split on 'a', 'b' and 'c', do not split on 'd', split on 'a' or 'e' first, have at most 1 "
        "leaf and have at most 2 splits on a path"
    )
    assert Choice(place=3).condition == Choice().condition == ""
