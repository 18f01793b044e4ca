"""Penalties of columns and a first split: the options, and everywhere that they are told."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    bootstrap,
    check_proof,
    export_json,
    load,
    regularization_path,
)
from survtree._base import DataWarning
from survtree._search.problem import SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.replay import save
from survtree._search.solve import solve
from survtree.datasets import load as load_data
from tests.support.runner import done

PENALTIES = {"Karnofsky_score": 0.002}
OPTIONS = {"max_depth": 3, "regularization": 0.001}
RULES = {"column_penalties": PENALTIES, "first_split": "Celltype"}


@pytest.fixture(scope="module")
def study():
    return load_data("veterans")


@pytest.fixture(scope="module")
def model(study):
    return fitted(study, **RULES)


def fitted(study, **options):
    return OptimalSurvivalTree(**{**OPTIONS, **options}).fit(*study)


def columns_of(model):
    asked = [model.questions_.asked[j] for j in model.tree_.question.tolist() if j >= 0]
    return [model.questions_.names[question.column] for question in asked]


def test_a_penalty_is_paid_once_for_every_split(study):
    found = fitted(study, column_penalties={"Karnofsky_score": 0.0005, "Age_in_years": 0.0001})
    columns = columns_of(found)
    paid = 0.0005 * columns.count("Karnofsky_score") + 0.0001 * columns.count("Age_in_years")
    assert paid > 0
    terms = found.loss_ + 0.001 * found.n_leaves_ + paid
    assert found.objective_ == pytest.approx(terms, abs=1e-12)
    assert found.certificate_.columns_penalty == pytest.approx(paid, abs=1e-15)


def test_a_large_penalty_keeps_the_tree_from_a_column(study):
    assert "Karnofsky_score" in columns_of(fitted(study))
    ruled, excluded = (
        fitted(study, column_penalties={"Karnofsky_score": 10.0}),
        fitted(study, exclude=["Karnofsky_score"]),
    )
    assert "Karnofsky_score" not in columns_of(ruled)
    assert ruled.objective_ == pytest.approx(excluded.objective_, abs=1e-9)


def test_penalties_of_zero_are_none(study):
    zero, none = fitted(study, column_penalties={"Celltype": 0}), fitted(study)
    assert zero.certificate_.column_penalties is None
    assert zero.certificate_.problem_fingerprint == none.certificate_.problem_fingerprint
    assert zero.tree_.question.tolist() == none.tree_.question.tolist()


def test_the_first_split_is_on_its_column_even_if_that_does_not_pay(study):
    found = fitted(study, first_split="Treatment", regularization=0.5)
    assert columns_of(found) == ["Treatment"]
    assert fitted(study, regularization=0.5).n_leaves_ == 1
    assert found.status_ == "optimal"
    assert found.lower_bound_ == found.objective_


def test_a_first_split_that_leaves_too_few_rows_is_none(study):
    found = fitted(study, first_split="Treatment", min_samples_leaf=69)
    assert found.n_leaves_ == 1
    assert "no first split on Treatment" in found.one_leaf_reason_
    assert found.certificate_.verify(*study)


def test_a_constant_column_cannot_be_the_first(study):
    X, y = study
    table = X.with_columns(pl.lit(1).alias("same"))
    with pytest.warns(DataWarning, match="same value"):
        found = OptimalSurvivalTree(**OPTIONS, first_split="same").fit(table, y)
    assert found.n_leaves_ == 1


def test_a_column_that_parts_the_rows_alike_does_not_take_its_place(study):
    X, y = study
    twin = X.with_columns(pl.col("Treatment").alias("Arm"))
    for penalties in (None, {"Treatment": 0.01}):
        options = {**OPTIONS, "first_split": "Treatment", "column_penalties": penalties}
        found = OptimalSurvivalTree(**options).fit(twin, y)
        assert columns_of(found)[0] == "Treatment"
        only = OptimalSurvivalTree(**options).fit(X, y)
        assert found.objective_ == pytest.approx(only.objective_, abs=1e-12)


def test_of_twins_the_cheapest_is_split_on(study):
    X, y = study
    twin = X.with_columns(pl.col("Karnofsky_score").alias("z_score"))
    penalties = {"Karnofsky_score": 0.001, "z_score": 0.0005}
    found = OptimalSurvivalTree(**OPTIONS, column_penalties=penalties).fit(twin, y)
    assert "z_score" in columns_of(found)
    assert "Karnofsky_score" not in columns_of(found)


def test_screening_keeps_the_column_of_the_first_split():
    X, y = load_data("gbsg2")
    noise = np.random.default_rng(0).normal(size=len(X))
    table = X.with_columns(pl.Series("noise", noise))
    found = OptimalSurvivalTree(2, 0.001, thresholds="guess", first_split="noise").fit(table, y)
    assert columns_of(found)[0] == "noise"


def test_the_certificate_states_each_term_and_is_rechecked(study, model):
    proof = model.certificate_
    assert "split on Karnofsky_score x 0.002" in proof.summary()
    assert "no tree within the limits and the rules about columns has" in proof.summary()
    assert proof.column_rules == [
        "Each split on Karnofsky_score adds 0.002 to the objective.",
        "The first split must be on Celltype, if one can be.",
    ]
    checked = proof.verify(*study)
    assert checked
    assert checked.checks["first split"]
    others = replace(proof, column_penalties=None), replace(proof, first_split="Treatment")
    assert [bool(other.verify(*study)) for other in others] == [False, False]


def test_rules_are_part_of_the_fingerprint_of_the_problem(study, model):
    prints = {
        model.certificate_.problem_fingerprint,
        fitted(study).certificate_.problem_fingerprint,
        fitted(study, first_split="Celltype").certificate_.problem_fingerprint,
        fitted(study, column_penalties=PENALTIES).certificate_.problem_fingerprint,
    }
    assert len(prints) == 4
    assert len({fitted(study).certificate_.fingerprint, model.certificate_.fingerprint}) == 1


def test_a_model_file_keeps_the_rules(study, model, tmp_path):
    path = tmp_path / "model.json"
    export_json(model, path)
    again = load(path)
    assert again.certificate_.column_penalties == PENALTIES
    assert again.certificate_.first_split == "Celltype"
    assert again.get_params()["column_penalties"] == PENALTIES
    assert again.certificate_.summary() == model.certificate_.summary()
    assert again.certificate_.verify(*study)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"column_penalties": {"Karnofsky_score": 0.1}}, "the penalties of columns"),
        ({"column_penalties": {"nobody": 0.1}}, "columns of the file"),
        ({"first_split": "Treatment"}, "as first_split says"),
        ({"column_penalties": None}, "objective must be"),
    ],
)
def test_a_file_with_other_rules_is_refused(model, tmp_path, change, told):
    path = tmp_path / "model.json"
    export_json(model, path)
    given = json.loads(path.read_text())
    given["certificate"] |= change
    path.write_text(json.dumps(given))
    with pytest.raises(ValueError, match=told):
        load(path)


def test_a_full_proof_is_accepted_and_has_the_fingerprint_of_the_certificate(study, tmp_path):
    found = fitted(study, **RULES, certificate="full")
    found.certificate_.write_proof(tmp_path / "proof")
    verdict = check_proof(tmp_path / "proof")
    assert verdict
    assert verdict.problem_fingerprint == found.certificate_.problem_fingerprint
    assert verdict.lower_bound == pytest.approx(found.objective_, abs=1e-9)


def test_a_replay_file_is_the_same_problem(model, tmp_path):
    problem = model._state.problem
    again = read_replay(save(problem, SearchSettings(), tmp_path)).problem
    assert again.column_penalties == PENALTIES
    assert np.array_equal(again.split_penalties, problem.split_penalties)
    assert np.array_equal(again.may_be_first, problem.may_be_first)
    found = solve(again, SearchSettings())
    assert found.objective == pytest.approx(model.objective_, abs=1e-12)
    assert found.tree.question.tolist() == model.tree_.question.tolist()


def test_the_recipe_makes_the_tree_again(study, model):
    code = model.recipe_.code
    assert "column_penalties={'Karnofsky_score': 0.002}" in code
    assert "first_split='Celltype'" in code
    X, y = study
    names = {"X": X, "y": y}
    exec(code, names)
    assert names["model"].objective_ == model.objective_


def test_a_path_ties_where_losses_and_penalties_do(study):
    path = regularization_path(*study, max_depth=2, min_regularization=0.001, **RULES)
    assert path[0].n_leaves_ == 2
    assert all(columns_of(each)[0] == "Celltype" for each in path)
    for each in path:
        penalty = each.regularization
        assert penalty >= each.regularization_interval_[0]
        alone = fitted(study, max_depth=2, regularization=penalty, **RULES)
        assert alone.objective_ == pytest.approx(each.objective_, abs=1e-9)
        assert each.certificate_.verify(*study)


def test_max_leaves_keeps_to_the_rules(study):
    found = fitted(study, max_leaves=3, **RULES)
    assert columns_of(found)[0] == "Celltype"
    assert found.n_leaves_ <= 3
    assert found.certificate_.verify(*study)


def test_all_trees_of_a_cross_validation_keep_to_the_rules(study):
    tuned = OptimalSurvivalTreeCV(max_depths=[2], min_regularization=0.002, **RULES).fit(*study)
    assert tuned.best_params_["first_split"] == "Celltype"
    assert columns_of(tuned)[0] == "Celltype"
    assert tuned.certificate_.column_penalties == PENALTIES


def test_bootstrap_samples_keep_to_the_rules(study):
    tree = OptimalSurvivalTree(2, 0.005, first_split="Treatment")
    found = bootstrap(tree, *study, n_bootstraps=3)
    roots = dict(zip(found.columns["column"], found.columns["root"], strict=True))
    assert roots["Treatment"] == 1.0


def test_near_optimal_trees_keep_to_the_rules(study, model):
    near = model.near_optimal(within=0.02)
    assert len(near) > 1
    assert near.objectives[0] == pytest.approx(model.objective_, abs=1e-12)
    problem = model._state.problem
    for tree, objective in zip(near.trees, near.objectives, strict=True):
        assert problem.may_be_first[tree.question[0]]
        again = near.model if tree is near.trees[0] else None
        assert again is None or again.objective_ == pytest.approx(objective, abs=1e-12)
    second = near[1]
    assert second.certificate_.verify(*study)
    with pytest.raises(ValueError, match="no trees that"):
        near.best(avoids="Celltype")
    with pytest.raises(ValueError, match="no trees that"):
        near.best(first="Treatment")
    assert near.importance()["column"].to_list()
    stable = near.stability(3)
    assert stable["in_set"].max() <= 1.0


def test_the_default_fit_keeps_to_the_rules(study):
    found = OptimalSurvivalTree(first_split="Treatment", column_penalties=PENALTIES).fit(*study)
    assert columns_of(found)[0] == "Treatment"
    assert found.certificate_.verify(*study)


def test_the_report_states_the_rules(study, model, tmp_path):
    model.report(tmp_path / "report.html", *study, cv=None)
    page = (tmp_path / "report.html").read_text()
    assert "Each split on Karnofsky_score adds 0.002 to the objective." in page
    assert "1 split on Karnofsky_score × 0.002" in page


def test_the_command_line_has_both_rules(study, tmp_path):
    X, y = study
    event, time = y["event"], y["time"]
    table = X.with_columns(pl.Series("event", event.astype(int)), pl.Series("time", time))
    table.write_csv(tmp_path / "trial.csv")
    arguments = ["fit", str(tmp_path / "trial.csv"), "--depth", "2", "--regularization", "0.001"]
    rules = ["--column-penalties", "Karnofsky_score=0.002", "--first-split", "Treatment"]
    told = json.loads(done(*arguments, *rules, "--json"))
    assert told["column_penalties"] == PENALTIES
    assert told["first_split"] == "Treatment"


@pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")
def test_the_look_for_a_first_split_over_very_many_cuts_is_short():
    """Nothing can stop it yet, so it must not look at every cut with all rows."""
    rng = np.random.default_rng(0)
    n = 30_000
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n)])
    options = {"thresholds": "all", "first_split": "x0", "min_samples_leaf": 100}
    model = OptimalSurvivalTree(2, 0.01, time_limit=1e-9, **options)
    with pytest.warns(SearchStoppedWarning):
        model.fit(X, (rng.random(n) < 0.5, rng.exponential(size=n) + 0.01))
    assert model.n_leaves_ == 2
    assert model.certificate_.counts["lane_rows"] < n * n / 2
    assert min(curve.n_rows for curve in model.leaf_curves_.values()) >= 100
