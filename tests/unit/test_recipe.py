"""Every fit can be run again from what it says: the same tree and the same curves."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    bootstrap,
    datasets,
    export_json,
    load,
    regularization_path,
)
from survtree._model.recipe import literal, versions_now

X, y = datasets.load("veterans")
HOURS = (y["event"], y["time"] * 24.0)


def said(model, rows=X):
    """The tree and what it predicts, bit by bit."""
    tree = [getattr(model.tree_, name).tolist() for name in ("question", "no", "yes")]
    curves = model.predict_survival_function(rows, return_array=True)
    return tree, list(model.questions_), curves.tolist(), model.predict(rows).tolist()


def run(code, **names):
    """The model that the code of a recipe makes."""
    exec(code, names)
    return names["model"]


@pytest.fixture(scope="module")
def tuned():
    return OptimalSurvivalTreeCV().fit(X, y)


@pytest.mark.slow
def test_three_runs_of_a_default_cross_validation_say_the_same(tuned):
    for n_jobs in (1, 2):
        again = OptimalSurvivalTreeCV(n_jobs=n_jobs).fit(X, y)
        assert said(again) == said(tuned)
        assert again.seed_ == tuned.seed_ == 0
        for name, values in tuned.cv_results_.items():
            assert np.asarray(values).tolist() == np.asarray(again.cv_results_[name]).tolist()


def test_two_default_bootstraps_say_the_same():
    stable = [bootstrap(OptimalSurvivalTree(1, 0.01), X, y, n_bootstraps=5) for _ in range(2)]
    assert str(stable[0]) == str(stable[1])


@pytest.mark.parametrize("scoring", ["ibs_ratio", "harrell_c"])
@pytest.mark.parametrize("options", [{}, {"min_regularization": 0.002, "max_depths": (1, 2)}])
def test_the_best_parameters_make_the_very_tree(options, scoring):
    search = OptimalSurvivalTreeCV(cv=3, scoring=scoring, **options).fit(X, y)
    plain = OptimalSurvivalTree(**search.best_params_).fit(X, y)
    assert said(plain) == said(search)
    assert plain.teacher_ == search.teacher_
    assert (plain.horizon_, plain.shrinkage_) == (search.horizon_, search.shrinkage_)


FITS = {
    "defaults": {},
    "a number": {"regularization": 0.002},
    "fractions": {"regularization": Fraction(1, 500), "gap": Fraction(0)},
    "a horizon": {"regularization": 0.002, "horizon": 200, "shrinkage": "auto"},
    "a teacher": {"teacher": "cox", "random_state": None, "max_depth": 2},
    "leaves": {"max_leaves": 3, "regularization": 0.0},
    "thresholds": {
        "thresholds": {"Age_in_years": np.array([50.0, 60.0])},
        "max_depth": np.int64(2),
    },
    "times": {"time_buckets": [50.0, 100.0], "max_depth": 2},
    "paper": {"encoding": "paper", "regularization": 0.005, "max_depth": None},
    "another seed": {"random_state": np.random.RandomState(3)},
}


@pytest.mark.parametrize("options", FITS.values(), ids=FITS)
def test_the_code_of_a_recipe_makes_the_very_tree(options):
    model = OptimalSurvivalTree(**options).fit(X, y)
    recipe = model.recipe_
    assert recipe.is_complete
    for code in (recipe.code, recipe.code_as_made):
        again = run(code, X=X, y=y)
        assert said(again) == said(model)
        assert again.recipe_.data == recipe.data
        assert again.seed_ == model.seed_
    assert run(recipe.code, X=X, y=y).recipe_.code == recipe.code


def test_the_code_writes_out_what_words_came_to():
    model = OptimalSurvivalTree().fit(X, y)
    code = model.recipe_.code
    for name in ("regularization", "horizon", "shrinkage", "min_events_leaf"):
        assert f"    {name}={getattr(model, name + '_')!r},\n" in code
    assert "teacher='auto'" in code
    assert "random_state=0" in code
    assert "'default'" not in code


def test_a_tree_that_was_allowed_to_grow_deeper_has_a_recipe():
    rng = np.random.default_rng(0)
    rows = (rng.random((400, 5)) < 0.3).astype(float)
    # Each flag sets apart the rows that those before it left together.
    first = np.where(rows.any(axis=1), rows.argmax(axis=1), 5)
    outcome = np.ones(400, bool), rng.exponential(3.0**first) + 0.01
    model = OptimalSurvivalTree().fit(rows, outcome)
    assert model.certificate_.max_depth > 3
    again = run(model.recipe_.code, X=rows, y=outcome)
    assert said(again, rows) == said(model, rows)


@pytest.mark.slow
def test_a_cross_validation_and_the_tree_it_chose_have_a_recipe(tuned):
    recipe = tuned.recipe_
    assert "OptimalSurvivalTreeCV(random_state=0)" in recipe.code_as_made
    assert said(run(recipe.code, X=X, y=y)) == said(tuned)
    assert said(run(recipe.code_as_made, X=X, y=y)) == said(tuned)


def test_a_tree_of_a_path_has_a_recipe():
    model = regularization_path(X, y, max_depth=2)[-1]
    assert model.recipe_.code_as_made == ""
    assert said(run(model.recipe_.code, X=X, y=y)) == said(model)


def test_columns_and_weights_of_the_fit_are_in_the_recipe():
    frame = X.to_pandas().assign(days=y["time"], died=y["event"])
    weights = np.arange(len(frame)) % 3 + 1.0
    model = OptimalSurvivalTree(2, 0.002).fit(
        frame, duration_col="days", event_col="died", sample_weight=weights
    )
    again = run(model.recipe_.code, X=frame, weights=weights)
    assert said(again) == said(model)


def test_a_model_file_keeps_the_recipe(tmp_path, tuned):
    for model in (tuned, OptimalSurvivalTree(random_state=5).fit(X, y)):
        export_json(model, tmp_path / "model.json")
        loaded = load(tmp_path / "model.json")
        assert loaded.recipe_ == model.recipe_
        assert loaded.seed_ == model.seed_
        assert said(run(loaded.recipe_.code_as_made, X=X, y=y)) == said(model)


def test_a_model_file_keeps_why_there_is_no_split(tmp_path):
    model = OptimalSurvivalTree(2, 0.9).fit(X, y)
    export_json(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").one_leaf_reason_ == model.one_leaf_reason_ != ""


@pytest.mark.parametrize("text", ["__import__('os')", "1 if", "[" * 5000, "-" * 50_000 + "1"])
def test_a_file_cannot_bring_code_into_a_recipe(tmp_path, text):
    facts = json.loads(export_json(OptimalSurvivalTree(1).fit(X, y)))
    facts["origin"]["options"] = {"max_depth": text}
    (tmp_path / "model.json").write_text(json.dumps(facts))
    with pytest.raises(ValueError, match="must be a literal of Python"):
        load(tmp_path / "model.json")


def test_a_command_of_a_file_is_quoted(tmp_path):
    facts = json.loads(export_json(OptimalSurvivalTree(1).fit(X, y)))
    facts["origin"]["command"] = ["fit", "a.csv; rm -r x"]
    (tmp_path / "model.json").write_text(json.dumps(facts))
    assert load(tmp_path / "model.json").recipe_.command == "survtree fit 'a.csv; rm -r x'"


def test_what_cannot_be_written_is_left_open():
    model = OptimalSurvivalTree(1, teacher=OptimalSurvivalTree(1, 0.01).fit(X, y)).fit(X, y)
    assert not model.recipe_.is_complete
    assert "teacher=...," in model.recipe_.code


def test_versions_are_those_of_the_fit():
    recipe = OptimalSurvivalTree(1, 0.01).fit(X, y).recipe_
    assert recipe.versions == versions_now()
    assert {"survtree", "numpy", "scikit-learn"} <= set(recipe.versions)


def test_the_fingerprint_is_of_the_values_in_any_kind_of_table():
    def data(rows, outcome=y):
        return OptimalSurvivalTree(1, 0.01).fit(rows, outcome).recipe_.data

    table = X.to_pandas()
    assert data(table) == data(X)
    assert data(table.astype({"Celltype": "category"})) == data(X)
    assert data(X, HOURS) != data(X)
    other = table.copy()
    other.loc[5, "Age_in_years"] += 1
    assert data(other) != data(X)
    zeros = np.arange(274).reshape(137, 2) % 3 == 0
    named = pd.DataFrame(zeros.astype(float), columns=["x0", "x1"])
    assert data(zeros.astype(int)) == data(named)


def test_a_stopped_fit_says_that_it_may_stop_elsewhere():
    with pytest.warns(SearchStoppedWarning):
        model = OptimalSurvivalTree(3, 0.0001, time_limit=1e-9).fit(X, y)
    assert not model.recipe_.is_repeatable


def test_literals_are_plain():
    assert literal(np.float64(0.5)) == "0.5"
    assert literal({"a": np.array([1, 2])}) == "{'a': [1, 2]}"
    assert literal(print) is None


class Mine(OptimalSurvivalTree):
    """A class of a user's."""


def test_a_derived_class_has_the_recipe_of_ours(tmp_path):
    model = Mine(2, 0.01).fit(X, y)
    assert "from survtree import OptimalSurvivalTree\n" in model.recipe_.code_as_made
    export_json(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").recipe_.data == model.recipe_.data


def test_reports_of_a_model_without_a_seed_of_its_own_say_the_same(tmp_path):
    model = OptimalSurvivalTree(2, teacher="cox", random_state=None).fit(X, y)
    for name in ("one.html", "other.html"):
        model.report(tmp_path / name, X, y, cv=2)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "other.html").read_bytes()
