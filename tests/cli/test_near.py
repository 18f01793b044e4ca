"""survtree near: the list, the importance, and the best tree under a condition, from a file."""

import json

import polars as pl
import pytest

from survtree import OptimalSurvivalTree, load
from survtree.datasets import load as load_data
from tests.support.runner import done, refused, survtree

FIT = ("--depth", 2, "--regularization", 0.001, "--thresholds", 1)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    data = load_data("veterans")
    path = tmp_path_factory.mktemp("near") / "data.csv"
    data.X.with_columns(time=data.y["time"].copy(), event=data.y["event"].copy()).write_csv(path)
    return path


@pytest.fixture(scope="module")
def near():
    data = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.001, thresholds=1).fit(data.X, data.y)
    return model.near_optimal(within=0.02)


def test_the_list_is_that_of_python(file, near, tmp_path):
    shown = done("near", file, *FIT, "--within", 0.02, "-o", tmp_path / "trees.csv")
    written = pl.read_csv(tmp_path / "trees.csv")
    assert written["objective"].to_list() == pytest.approx(near.objectives.tolist())
    assert f"{len(near)} trees within 2.00 % of the optimum: all there are" in shown
    facts = json.loads(done("near", file, *FIT, "--within", 0.02, "--limit", 3, "--json"))
    assert (facts["status"], facts["n_trees"], facts["is_complete"]) == ("limit", 3, False)
    assert facts["trees"][2]["first_split"] == near.table()["first_split"][2]


def test_held_out_scores_are_shown_with_their_caution(file):
    shown = done("near", file, *FIT, "--limit", 2, "--folds", 3)
    assert "held-out" in shown
    assert "too good" in shown
    assert "the list was ended by the limit" in shown


def test_the_importance_is_that_of_python(file, near, tmp_path):
    plot = tmp_path / "importance.svg"
    run = ("near", file, *FIT, "--within", 0.02, "--importance", "--plot", plot, "--json")
    facts = json.loads(done(*run))
    expected = near.importance().to_dicts()
    assert [row["column"] for row in facts["columns"]] == [row["column"] for row in expected]
    assert facts["columns"][0]["excess_without"] == pytest.approx(expected[0]["excess_without"])
    assert plot.read_text().startswith("<?xml")
    assert expected[0]["column"] in done("near", file, *FIT, "--importance")


def test_the_best_tree_under_a_condition_is_saved_as_a_model(file, near, tmp_path):
    path = tmp_path / "model.json"
    shown = done("near", file, *FIT, "--avoids", "Celltype", "-o", path)
    assert "of the trees within the limits that do not split on 'Celltype', none" in shown
    model = load(path)
    assert model.objective_ == pytest.approx(near.best(avoids="Celltype").objective_)
    assert "--avoids Celltype" in model.recipe_.command
    assert "ok   condition" in done("verify", path, file)
    first = json.loads(done("near", file, *FIT, "--first", "Treatment", "--json"))
    assert first["objective"] == pytest.approx(near.best(first="Treatment").objective_)


def test_a_tree_of_the_list_is_saved_as_a_model(file, near, tmp_path):
    path = tmp_path / "model.json"
    shown = done("near", file, *FIT, "--within", 0.02, "--tree", 2, "-o", path)
    assert "above the proven optimum" in shown
    assert load(path).objective_ == pytest.approx(near.objectives[2])
    assert "near_optimal" in done("show", path)
    far = refused("near", file, *FIT, "--within", 0.0, "--tree", 50)
    assert "the number of trees that were found" in far


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--uses", "Celtype"), "--uses must name columns of the fit"),
        (("--within", -1), "--within must be a finite number"),
        (("--limit", 0), "--limit must be a positive integer"),
        (("--tree", 1, "--importance"), "pass only one of"),
        (("--tree", -1), "it must be 0 or more; got -1"),
        (("--tree", 1, "--folds", 3), "the list is not shown"),
        (("--plot", "a.svg"), "--importance"),
    ],
)
def test_bad_arguments_are_told_in_the_words_of_the_command(file, words, told):
    assert told in refused("near", file, *FIT, *words)


def test_the_command_lists_its_options():
    shown = survtree("near", "--help").stdout
    for flag in ("--within", "--limit", "--slack", "--uses", "--avoids", "--first", "--importance"):
        assert flag in shown
