"""Fewest events per leaf: the option, what it stands for, and everywhere that it is told."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    check_proof,
    export_json,
    load,
    regularization_path,
)
from survtree._search.read_replay import read_replay
from survtree._search.replay import save, unusual
from survtree._search.solve import SearchSettings
from survtree.datasets import load as load_data
from tests.fuzz.proof_text import problem_fingerprint
from tests.oracle.proofs import signed
from tests.support.runner import done

OPTIONS = {"max_depth": 2, "regularization": 0.001}


@pytest.fixture(scope="module")
def study():
    return load_data("whas500")


def fitted(study, **options):
    return OptimalSurvivalTree(**{**OPTIONS, **options}).fit(*study)


def fewest_events(model):
    return min(curve.n_events for curve in model.leaf_curves_.values())


def test_more_events_per_leaf_make_another_tree(study):
    free, limited = fitted(study), fitted(study, min_events_leaf=40)
    assert fewest_events(free) < 40 <= fewest_events(limited)
    assert limited.n_leaves_ > 1
    assert limited.objective_ > free.objective_


def test_a_lone_leaf_is_always_allowed(study):
    for n_events in (108, 10**400):  # more than half of all 215; more than any number of rows
        model = fitted(study, min_events_leaf=n_events)
        assert (model.n_leaves_, model.min_events_leaf_) == (1, n_events)
        assert model.certificate_.verify(*study)


def test_the_default_depends_on_the_regularization(study):
    assert fitted(study).min_events_leaf_ == 0
    assert fitted(study, min_events_leaf="default").min_events_leaf_ == 0
    assert fitted(study, regularization="auto").min_events_leaf_ == 1
    assert fitted(study, regularization="auto", min_events_leaf=3).min_events_leaf_ == 3


def test_weights_do_not_count(study):
    X, y = study
    model = OptimalSurvivalTree(**OPTIONS, min_events_leaf=40)
    model.fit(X, y, sample_weight=np.full(len(y), 100.0))
    assert model.objective_ == pytest.approx(fitted(study, min_events_leaf=40).objective_)


@pytest.mark.slow
def test_paths_cross_validations_and_samples_keep_to_it(study):
    path = regularization_path(*study, max_depth=2, min_events_leaf=40)
    tuned = OptimalSurvivalTreeCV(max_depths=(2,), cv=2, min_events_leaf=40, random_state=0)
    found = bootstrap(tuned, *study, n_bootstraps=2, random_state=0)
    for model in (*path[1:], tuned.fit(*study), found.model):
        assert model.min_events_leaf_ == 40
        assert model.n_leaves_ > 1
        assert fewest_events(model) >= 40
    assert path.at(0.001).objective_ == pytest.approx(fitted(study, min_events_leaf=40).objective_)


def test_a_model_file_keeps_it(study, tmp_path):
    model = fitted(study, regularization="auto")
    text = export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert same.get_params() == model.get_params()
    assert same.min_events_leaf_ == model.min_events_leaf_ > 0
    older = json.loads(text)
    del older["options"]["min_events_leaf"], older["certificate"]["min_events_leaf"]
    (tmp_path / "older.json").write_text(json.dumps(older))
    assert load(tmp_path / "older.json").min_events_leaf_ == 0


def test_a_replay_file_keeps_it(study, tmp_path):
    problem = fitted(study, min_events_leaf=40)._fitted.problem
    found = read_replay(save(problem, SearchSettings(), tmp_path))
    assert found.problem.min_events_leaf == 40
    assert unusual(found.problem, found.settings)["min_events_leaf"] == 40
    assert "min_events_leaf" not in unusual(replace(problem, min_events_leaf=0), found.settings)


def test_another_number_is_another_problem_of_the_same_data(study):
    problem = fitted(study)._fitted.problem
    other = replace(problem, min_events_leaf=40)
    assert not problem.is_same(other)
    assert problem.fingerprint() == other.fingerprint()


def test_verify_counts_events(study):
    certificate = fitted(study, min_events_leaf=40).certificate_
    verified = certificate.verify(*study)
    assert verified
    assert "events" in verified.details["leaves"]
    wrong = replace(certificate, min_events_leaf=100).verify(*study)
    assert [claim for claim, holds in wrong.checks.items() if not holds] == ["leaves"]


def test_a_proof_is_about_the_events_it_states(study, tmp_path):
    certificate = fitted(study, min_events_leaf=40, certificate="full").certificate_
    file = tmp_path / "proof"
    certificate.write_proof(file)
    verdict = check_proof(file)
    assert verdict
    assert "40 events per leaf" in verdict.reason
    lines = file.read_text().splitlines()[:-1]
    head = json.loads(lines[1])
    for n_events, why in ((100, "too few events"), (0, "does not follow"), (-1, ">= 0")):
        other = {**head, "min_events_leaf": n_events}
        lines[1] = json.dumps({**other, "problem_fingerprint": problem_fingerprint(other)})
        file.write_bytes(signed(lines))
        verdict = check_proof(file)
        assert not verdict
        assert why in verdict.reason


def test_the_command_line_and_the_report_tell_it(study, tmp_path):
    X, y = study
    outcome = {"event": y["event"].astype(int), "time": y["time"]}
    pl.DataFrame({**{name: X[name].to_numpy() for name in X.columns}, **outcome}).write_csv(
        tmp_path / "data.csv"
    )
    for given in (40, 1):
        file = tmp_path / "model.json"
        done("fit", tmp_path / "data.csv", "-o", file, "--depth", 2, "--min-events-leaf", given)
        model = load(file)
        assert model.min_events_leaf == given
        model.report(tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
        counted = {40: "40 events", 1: "1 event"}[given]
        assert f"7 rows and {counted} per leaf" in page
