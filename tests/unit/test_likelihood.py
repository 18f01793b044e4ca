"""The likelihood as a loss: what a fit with it states, and where it goes through."""

import json

import numpy as np
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    export_json,
    export_text,
    leaf_table,
    load,
    regularization_path,
)
from survtree._base.numbers import format_ratio
from survtree._proof.checker import check_proof
from survtree._scoring.losses import LikelihoodLossByDefinition, LossByDefinition
from survtree._search import replay
from survtree._search.read_replay import read_replay
from survtree._search.solve import SearchSettings
from survtree.datasets import load as load_data

OPTIONS = {"max_depth": 2, "regularization": 0.005, "loss": "likelihood"}


@pytest.fixture(scope="module")
def rows():
    X, y = load_data("veterans")
    return X.to_pandas(), y


@pytest.fixture(scope="module")
def fitted(rows):
    return OptimalSurvivalTree(**OPTIONS, certificate="full").fit(*rows)


def test_the_certificate_names_the_loss_and_can_be_rechecked(fitted, rows):
    certificate = fitted.certificate_
    assert certificate.loss_kind == "likelihood"
    assert "by the likelihood" in certificate.summary()
    assert certificate.verify(*rows)
    losses = LikelihoodLossByDefinition(fitted._state.problem.events)
    leaf_of_row = fitted._state.problem.leaf_of_row(fitted.tree_)
    assert losses.tree_loss(leaf_of_row) == pytest.approx(fitted.loss_, abs=1e-12)


def test_the_ibs_ratio_is_that_of_the_brier_score(fitted):
    problem = fitted._state.problem
    losses = LossByDefinition.of(problem.events)
    loss = losses.tree_loss(problem.leaf_of_row(fitted.tree_))
    assert fitted.ibs_ratio_ == pytest.approx(1 - loss / losses.one_leaf_loss(), abs=1e-12)


def test_the_loss_is_one_of_the_rules_of_a_problem(fitted, rows):
    other = OptimalSurvivalTree(2, 0.005).fit(*rows).certificate_
    assert other.fingerprint == fitted.certificate_.fingerprint
    assert other.problem_fingerprint != fitted.certificate_.problem_fingerprint


def test_a_proof_file_names_the_loss_and_is_accepted(fitted, tmp_path):
    path = tmp_path / "proof"
    fitted.certificate_.write_proof(path)
    assert json.loads(path.read_text().splitlines()[1])["loss"] == "likelihood"
    verdict = check_proof(path)
    assert verdict
    assert "by the likelihood" in str(verdict)


def test_a_proof_file_without_the_loss_is_rejected(fitted, tmp_path):
    path = tmp_path / "proof"
    fitted.certificate_.write_proof(path)
    lines = path.read_text().splitlines()
    head = json.loads(lines[1])
    head["loss"] = "brier"
    path.write_text("\n".join([lines[0], json.dumps(head), *lines[2:], ""]))
    assert not check_proof(path)


def test_a_model_file_keeps_the_loss(fitted, rows, tmp_path):
    path = tmp_path / "model.json"
    export_json(fitted, path)
    loaded = load(path)
    assert (loaded.loss, loaded.certificate_.loss_kind) == ("likelihood", "likelihood")
    assert loaded.certificate_.verify(*rows)
    assert "loss='likelihood'" in loaded.recipe_.code
    assert np.array_equal(loaded.predict(rows[0]), fitted.predict(rows[0]))


def test_a_replay_file_keeps_the_loss(fitted, tmp_path):
    problem = fitted._state.problem
    found = read_replay(replay.save(problem, SearchSettings(), tmp_path)).problem
    assert found.loss == "likelihood"
    assert found.is_same(problem)


def test_leaves_show_the_relative_hazard_that_the_likelihood_gives_them(fitted):
    table = leaf_table(fitted, backend="pandas").set_index("leaf")
    problem = fitted._state.problem
    losses, leaf_of_row = (
        LikelihoodLossByDefinition(problem.events),
        problem.leaf_of_row(fitted.tree_),
    )
    for number, leaf in enumerate(fitted.tree_.leaves.tolist()):
        expected = losses.hazard_ratio(leaf_of_row == number)
        assert table.loc[leaf, "relative_hazard"] == pytest.approx(expected, rel=1e-12)


def test_the_relative_hazard_counts_events_before_the_horizon(rows):
    model = OptimalSurvivalTree(**OPTIONS, horizon=100.0).fit(*rows)
    table = leaf_table(model, backend="pandas").set_index("leaf")
    problem = model._state.problem
    losses, leaf_of_row = (
        LikelihoodLossByDefinition(problem.events),
        problem.leaf_of_row(model.tree_),
    )
    for number, leaf in enumerate(model.tree_.leaves.tolist()):
        expected = losses.hazard_ratio(leaf_of_row == number)
        assert table.loc[leaf, "relative_hazard"] == pytest.approx(expected, rel=1e-12)


def test_texts_tell_the_relative_hazard_only_of_the_likelihood(fitted, rows):
    assert "times that of all rows" in export_text(fitted, "leaves")
    brier = OptimalSurvivalTree(2, 0.005).fit(*rows)
    assert "times that of all rows" not in export_text(brier, "leaves")
    assert "relative_hazard" not in leaf_table(brier, backend="pandas")


def test_a_split_never_raises_the_loss(rows):
    losses = [OptimalSurvivalTree(d, 0.0, loss="likelihood").fit(*rows).loss_ for d in range(4)]
    assert losses == sorted(losses, reverse=True)


def test_auto_is_the_logarithm_of_the_number_of_splits_over_the_rows(rows):
    model = OptimalSurvivalTree(loss="likelihood").fit(*rows)
    n_questions = len(model._state.problem.questions)
    assert model.regularization_ == pytest.approx(np.log(n_questions) / len(rows[0]))
    assert model.teacher_ is None
    assert OptimalSurvivalTree(max_leaves=3, loss="likelihood").fit(*rows).regularization_ == 0.0


@pytest.mark.parametrize("name", ["teacher", "reference"])
def test_neither_a_teacher_nor_a_reference_beside_it(rows, name):
    model = OptimalSurvivalTree(**OPTIONS, **{name: "forest"})
    with pytest.raises(ValueError, match=f"{name} must be None beside loss='likelihood'"):
        model.fit(*rows)


def test_weights_are_copies(rows):
    X, y = rows
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    options = {**OPTIONS, "min_samples_leaf": 1, "thresholds": {"Age_in_years": [60.0]}}
    weighted = OptimalSurvivalTree(**options).fit(X, y, sample_weight=weight)
    repeated = OptimalSurvivalTree(**options).fit(X.iloc[copies], y[copies])
    assert weighted.objective_ == pytest.approx(repeated.objective_, abs=1e-12)


def test_paths_and_cross_validation_take_the_loss(rows):
    path = regularization_path(*rows, max_depth=2, min_regularization=0.005, loss="likelihood")
    best = path.at(0.005)
    assert best.objective_ == pytest.approx(OptimalSurvivalTree(**OPTIONS).fit(*rows).objective_)
    model = OptimalSurvivalTreeCV(max_depths=(1, 2), cv=3, loss="likelihood").fit(*rows)
    assert model.best_params_["loss"] == "likelihood"
    assert model.certificate_.loss_kind == "likelihood"


def test_every_cut_and_chosen_cuts_agree_where_all_are_chosen(rows):
    X = rows[0][["Karnofsky_score", "Age_in_years"]]
    options = {**OPTIONS, "thresholds": "all"}
    by_cuts = OptimalSurvivalTree(**options).fit(X, rows[1])
    by_bits = OptimalSurvivalTree(**options, certificate="full").fit(X, rows[1])
    assert by_cuts.objective_ == pytest.approx(by_bits.objective_, abs=1e-12)
    assert np.array_equal(by_cuts.apply(X), by_bits.apply(X))


def test_near_optimal_trees_are_judged_by_it(fitted):
    near = fitted.near_optimal(0.02, 50)
    assert len(near) > 1
    assert near[1].certificate_.loss_kind == "likelihood"
    assert near[1].objective_ >= fitted.objective_


def page_of(model, path):
    model.report(path)
    return path.read_text(encoding="utf-8")


def test_a_report_says_which_loss_and_shows_relative_hazards(fitted, rows, tmp_path):
    page = page_of(fitted, tmp_path / "report.html")
    assert "LeBlanc and Crowley" in page
    assert "is the integrated Brier score" not in page
    hazards = leaf_table(fitted, backend="pandas")["relative_hazard"]
    assert all(f"<td>{format_ratio(float(hazard))}</td>" in page for hazard in hazards)
    brier = page_of(OptimalSurvivalTree(2, 0.005).fit(*rows), tmp_path / "brier.html")
    assert "is the integrated Brier score" in brier
    assert "Relative<br>hazard" not in brier


def test_the_page_of_near_optimal_trees_says_which_loss(fitted, tmp_path):
    path = tmp_path / "trees.html"
    fitted.near_optimal(0.01, limit=5).report(path, sizes=False)
    assert "LeBlanc and Crowley" in path.read_text(encoding="utf-8")
