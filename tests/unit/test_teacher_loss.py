"""The loss against a teacher: worked numbers, and what certificates, proofs and files say of it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, check_proof, export_json
from survtree import load as load_model
from survtree._proof.certificate import Certificate, proof_of
from survtree._scoring.losses import TeacherLossByDefinition
from survtree._search import replay
from survtree._search.problem import SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.solve import find, solve
from tests.support.problems import teacher_case

# Some of the made-up rows are followed for much longer than all others.
pytestmark = [
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
    # Some split decides the event.
    pytest.mark.filterwarnings("ignore::survtree.DataWarning"),
]

# Corners of a rectangle.
CORNERS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])
LOW = np.array([True, True, False, False])
WEIGHT = np.array([1.0, 1.0, 1.0, 3.0])


def test_four_rows_by_hand():
    loss = TeacherLossByDefinition(CORNERS)
    assert loss.one_leaf_loss() == pytest.approx(5.0)  # each is 1 + 4 from the centre
    assert loss.leaf_loss(LOW) == pytest.approx(0.5)  # two of four rows, 1 from (1, 0)
    assert loss.tree_loss(np.array([0, 0, 1, 1])) == pytest.approx(1.0)
    assert loss.tree_loss(np.array([0, 1, 0, 1])) == pytest.approx(4.0)
    weighted = TeacherLossByDefinition(CORNERS, WEIGHT)
    assert weighted.one_leaf_loss() == pytest.approx(40 / 9)  # mean (4/3, 8/3)
    assert weighted.leaf_loss(~LOW) == pytest.approx(0.5)  # (2.25 + 3 x 0.25) / 6
    assert weighted.tree_loss(np.array([0, 0, 1, 1])) == pytest.approx(5 / 6)


@pytest.fixture(scope="module")
def fitted():
    """A tree of the Brier loss, and its problem."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (80, 4))
    y = (rng.random(80) < 0.7, rng.exponential(1 + X[:, 0]))
    model = OptimalSurvivalTree(max_depth=2, regularization=0.01).fit(X, y)
    return model, X, y


@pytest.fixture(scope="module")
def certificate(fitted):
    """Of the same rows against a teacher, with all of the proof."""
    model, X, _ = fitted
    rng = np.random.default_rng(1)
    targets = X[:, [1, 2]] @ rng.normal(size=(2, 3)) + 0.1 * rng.normal(size=(80, 3))
    problem = replace(model._state.problem, targets=targets)
    solution, kept = find(problem, SearchSettings())
    proof = proof_of(kept, solution)
    return Certificate.of(problem, solution, binarizer=model.binarizer_, proof=proof)


def test_a_certificate_says_which_loss_it_is_about_and_rechecks_it(fitted, certificate):
    model, X, y = fitted
    assert (model.certificate_.loss_kind, certificate.loss_kind) == ("brier", "teacher")
    assert "against the teacher" in certificate.summary()
    assert "teacher" not in model.certificate_.summary()
    assert certificate.verify(X, y)
    assert certificate.verify(X, y, targets=certificate.targets)
    wrong = certificate.verify(X, y, targets=certificate.targets + 0.1 * X[:, [0]])
    assert not wrong.checks["data"]
    assert not wrong.checks["loss"]


def test_a_certificate_without_its_targets_says_so(fitted, certificate):
    _, X, y = fitted
    bare = replace(certificate, targets=None)
    with pytest.raises(ValueError, match=r"verify needs targets.*Pass targets="):
        bare.verify(X, y)
    assert bare.verify(X, y, targets=certificate.targets)
    with pytest.raises(ValueError, match=r"80 rows of X; their shape is \(79, 3\)"):
        bare.verify(X, y, targets=certificate.targets[1:])
    with pytest.raises(ValueError, match="fitted with a teacher; this one was not"):
        replace(bare, loss_kind="brier").verify(X, y, targets=certificate.targets)


def test_the_proof_of_a_teacher_is_checked_with_its_vectors(certificate, tmp_path):
    path = tmp_path / "proof"
    certificate.write_proof(path)
    verdict = check_proof(path)
    assert verdict
    assert verdict.objective == pytest.approx(certificate.objective)
    assert json.loads(path.read_text().splitlines()[1])["n_targets"] == 3


def test_targets_are_part_of_the_problem(fitted, certificate):
    problem = fitted[0]._state.problem
    taught = replace(problem, targets=certificate.targets)
    other = replace(problem, targets=certificate.targets + 1e-9)
    prints = {each.fingerprint() for each in (problem, taught, other)}
    assert len(prints) == 3
    assert taught.is_same(replace(problem, targets=certificate.targets.copy()))
    assert not any(taught.is_same(each) or each.is_same(taught) for each in (problem, other))


@pytest.mark.parametrize("seed", range(12))
def test_a_replay_file_keeps_targets(seed, tmp_path):
    problem = teacher_case(seed).problem
    found = read_replay(replay.save(problem, SearchSettings(), tmp_path)).problem
    assert np.array_equal(found.targets, problem.targets)
    a, b = (solve(each, SearchSettings()) for each in (problem, found))
    assert (a.objective, a.loss, a.counts) == (b.objective, b.loss, b.counts)


def test_a_replay_file_with_a_wrong_number_of_targets_is_refused(tmp_path):
    problem = teacher_case(0).problem
    path = replay.save(replace(problem, targets=problem.targets[1:]), SearchSettings(), tmp_path)
    with pytest.raises(ValueError, match="'targets' must have finite numbers, equally many"):
        read_replay(path)


def test_shifted_vectors_have_the_same_optimum():
    problem = teacher_case(3).problem
    a = solve(problem, SearchSettings())
    b = solve(replace(problem, targets=problem.targets + 2.0**10), SearchSettings())
    assert a.objective == pytest.approx(b.objective, rel=1e-9)


def test_equal_vectors_leave_nothing_to_gain():
    problem = teacher_case(3).problem
    targets = np.full((len(problem.answers), 3), 0.1)
    found = solve(replace(problem, targets=targets, regularization=0.0), SearchSettings())
    assert (found.loss, found.one_leaf_loss, len(found.tree.leaves)) == (0.0, 0.0, 1)


def test_a_model_file_keeps_the_kind_of_loss_but_not_the_targets(fitted, certificate, tmp_path):
    model, X, y = fitted
    path = tmp_path / "model.json"
    export_json(model, path)
    assert load_model(path).certificate_.loss_kind == "brier"
    content = json.loads(path.read_text())
    del content["certificate"]["loss_kind"]  # a file of an earlier version
    path.write_text(json.dumps(content))
    assert load_model(path).certificate_.verify(X, y)
    content["certificate"]["loss_kind"] = "teacher"
    path.write_text(json.dumps(content))
    loaded = load_model(path).certificate_
    assert (loaded.loss_kind, loaded.targets) == ("teacher", None)
    with pytest.raises(ValueError, match="a model file does not keep its vectors"):
        loaded.verify(X, y)
    content["certificate"]["loss_kind"] = "guess"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="loss_kind"):
        load_model(path)
