"""What the checker says of proofs, and of files that are none."""

import json
from dataclasses import replace

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, check_proof, export_json
from survtree.datasets import load
from tests.oracle.proofs import signed
from tests.support.made_up_models import random_tree


@pytest.fixture(scope="module")
def model():
    X, y = load("veterans", encoding="paper")
    return OptimalSurvivalTree(2, 0.01, horizon=300, certificate="full").fit(X, y)


@pytest.fixture
def lines(model, tmp_path):
    model.certificate_.write_proof(tmp_path / "proof")
    return (tmp_path / "proof").read_text().splitlines()[:-1]


def verdict_of_lines(lines, tmp_path):
    (tmp_path / "proof").write_bytes(signed(lines))
    return check_proof(tmp_path / "proof")


def test_a_verdict_states_penalty_rules_and_how_exact_it_is(model, lines, tmp_path):
    verdict = verdict_of_lines(lines, tmp_path)
    assert verdict.regularization == 0.01
    assert "a penalty of 0.01 per leaf" in verdict.reason
    assert "integrated to 300.0" in verdict.reason
    assert 0 <= verdict.objective - verdict.lower_bound < 1e-11
    assert verdict.objective == model.objective_


def test_the_fingerprint_of_the_problem_covers_penalty_and_rules(model, lines, tmp_path):
    verdict, certificate = verdict_of_lines(lines, tmp_path), model.certificate_
    assert verdict.fingerprint == certificate.fingerprint
    assert verdict.problem_fingerprint == certificate.problem_fingerprint
    others = [
        *(replace(certificate, regularization=0.02), replace(certificate, max_depth=3)),
        *(replace(certificate, min_samples_leaf=8), replace(certificate, min_events_leaf=1)),
        *(replace(certificate, horizon=None), replace(certificate, max_leaves=4)),
    ]
    prints = {each.problem_fingerprint for each in (certificate, *others)}
    assert len(prints) == 1 + len(others)
    head = {**json.loads(lines[1]), "regularization": 0.01000001}
    refused = verdict_of_lines([lines[0], json.dumps(head), *lines[2:]], tmp_path)
    assert refused.reason == "the fingerprint of the problem is of other rules"


@pytest.mark.parametrize("first", ["survtree proof 1", "survtree proof 20", "survtree proof 2 "])
def test_a_proof_of_another_version_is_rejected(lines, first, tmp_path):
    verdict = verdict_of_lines([first, *lines[1:]], tmp_path)
    assert not verdict
    assert f"its first line is {first!r}" in verdict.reason
    assert "'survtree proof 2'" in verdict.reason


def test_a_proof_may_not_say_a_thing_twice(lines, tmp_path):
    twice = lines[1][:-1] + ', "regularization": 0.01}'
    assert "twice" in verdict_of_lines([lines[0], twice, *lines[2:]], tmp_path).reason


def test_a_deep_tree_is_written_as_nested_lists_up_to_a_limit(model, tmp_path):
    certificate, path = model.certificate_, tmp_path / "proof"

    def write(depth):
        proof = replace(certificate.proof, tree=random_tree(depth + 1, 0, is_chain=True))
        replace(certificate, proof=proof).write_proof(path)

    write(400)
    tree, questions = json.loads(path.read_text().splitlines()[1])["tree"], []
    while tree is not None:
        question, no, tree = tree
        assert no is None
        questions.append(question)
    assert questions == list(range(1, 401))
    assert not check_proof(path)
    with pytest.raises(ValueError, match=r"at most 400 deep for a proof.* is 401 deep"):
        write(401)


def wrong_files(model, folder):
    """Files that a user may mistake for a proof, and what they are called."""
    X, _ = load("veterans", encoding="paper")
    export_json(model, folder / "model.json")
    model.report(folder / "report.html")
    X.write_csv(folder / "table.csv")
    X.write_parquet(folder / "table.parquet")
    (folder / "other.json").write_text('{"a": 1}')
    (folder / "empty").write_bytes(b"")
    (folder / "letter").write_text("Dear all\n")
    np.save(folder / "array.npy", np.zeros(3))
    return {
        "model.json": "a model of survtree, which 'survtree verify' rechecks",
        "report.html": "an HTML page, such as a report",
        "table.csv": "a table that begins with",
        "table.parquet": "a Parquet file",
        "other.json": "a JSON file",
        "empty": "an empty file",
        "letter": "a text",
        "array.npy": "some other file",
    }


def test_of_a_file_that_is_no_proof_it_says_what_it_is(model, tmp_path):
    for name, kind in wrong_files(model, tmp_path).items():
        verdict = check_proof(tmp_path / name)
        assert not verdict
        assert f"it is not a proof but {kind}" in verdict.reason, name
        assert "survtree fit --proof FILE" in verdict.reason
