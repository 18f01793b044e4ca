"""Fits on every cut: when answers become codes, who searches them, who needs a matrix of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from survtree import DataWarning, InternalError, OptimalSurvivalTree, regularization_path
from survtree._questions import checks, coded_answers
from survtree._questions.binarizer import Binarizer
from survtree._questions.coded_answers import CodedAnswers, is_worth_coding
from survtree._search import engines
from survtree._search.engines import search_of, uses_cuts
from survtree._search.problem import SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.replay import save
from survtree._search.solve import find, solve
from survtree.datasets import load
from tests.support.many_trees import nested

N = 150
RNG = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(60, 10, N).round(1),
        "dose": RNG.exponential(size=N),
        "arm": RNG.choice(["a", "b"], N),
    }
)
EVENT = RNG.random(N) < 0.8
TIME = RNG.exponential(np.where(FRAME["age"] > 61, 1.0, 3.0)) + 0.01
y = EVENT, TIME
OPTIONS = {"max_depth": 2, "regularization": 0.01, "thresholds": "all"}


@pytest.fixture(scope="module")
def model():
    return OptimalSurvivalTree(**OPTIONS).fit(FRAME, y)


@pytest.fixture(scope="module")
def problem(model):
    return model._fitted.problem


@pytest.fixture
def no_matrix(monkeypatch):
    """Nobody may make the matrix."""
    monkeypatch.setattr(checks, "MAX_ANSWERS", 0)


def engine_of(problem, **settings):
    return type(search_of(problem, SearchSettings(**settings))).__name__


def test_codes_are_for_many_cuts_of_a_column_among_many_questions():
    def questions(n_values, n_columns):
        X = np.stack([RNG.permutation(n_values) for _ in range(n_columns)], axis=1)
        return Binarizer("all").fit(X.astype(float)).questions_

    assert is_worth_coding(questions(16, 7))
    assert not is_worth_coding(questions(10, 12))  # 9 cuts each
    assert not is_worth_coding(questions(17, 6))  # 96 questions
    assert is_worth_coding(questions(10, 223))  # 9 cuts each, but 2,007 questions
    assert not is_worth_coding(Binarizer().fit(RNG.integers(0, 2, (9, 120))).questions_)


def test_a_fit_on_every_cut_makes_no_matrix(no_matrix, tmp_path):
    model = OptimalSurvivalTree(**OPTIONS).fit(FRAME, y)
    answers = model._fitted.problem.answers
    assert isinstance(answers, CodedAnswers)
    assert answers.shape == (N, len(model.questions_))
    assert len(answers.codes) == 3
    assert model.certificate_.verify(FRAME, y).is_valid
    assert read_replay(save(model._fitted.problem, SearchSettings(), tmp_path)).problem.is_same(
        model._fitted.problem
    )
    lone = OptimalSurvivalTree(**{**OPTIONS, "regularization": 0.4}).fit(FRAME, y)
    assert "the best split, age <= " in lone.one_leaf_reason_


def test_codes_and_bits_give_the_same_tree_and_fingerprint(model, problem):
    bits = replace(problem, answers=problem.matrix)
    found = solve(bits, SearchSettings(solver="search"))
    assert nested(found.tree) == nested(model.tree_)
    assert found.objective == pytest.approx(model.objective_, abs=1e-12)
    assert bits.fingerprint() == problem.fingerprint() == model.certificate_.fingerprint
    assert bits.is_same(problem)
    assert not bits.is_same(replace(problem, answers=problem.answers.every(2)))


def test_very_many_answers_have_a_fingerprint_of_codes_and_cuts(problem, monkeypatch):
    of_bits = problem.fingerprint()
    monkeypatch.setattr(coded_answers, "MOST_UNPACKED", 1000)
    found = problem.fingerprint()
    assert found != of_bits
    assert found == replace(problem, answers=replace(problem.answers)).fingerprint()
    for name in ("codes", "question_cut", "question_column"):
        changed = getattr(problem.answers, name).copy()
        changed.flat[0] += 1
        other = replace(problem, answers=replace(problem.answers, **{name: changed}))
        assert other.fingerprint() != found


def test_what_has_no_fingerprint_of_bits_has_no_proof_file(monkeypatch):
    monkeypatch.setattr(coded_answers, "MOST_UNPACKED", 1000)
    with pytest.warns(UserWarning, match="or the proof would be too long"):
        model = OptimalSurvivalTree(**OPTIONS, certificate="full").fit(FRAME, y)
    assert model.certificate_.proof is None


def test_who_searches(problem):
    bits = replace(problem, answers=problem.matrix)
    assert engine_of(problem) == engine_of(bits, solver="cuts") == "CutSearch"
    assert engine_of(problem, bounds_off=("floors",)) == "CutSearch"
    assert engine_of(bits) == "Search"
    for settings in (
        {"solver": "search"},
        {"solver": "lattice"},
        {"layout": "rows"},
        {"check_keys": True},
        {"bounds_off": ("subtree",)},
        {"wants_proof": True},
        {"guessed_losses": np.zeros(N)},
        {"guessed_losses": np.zeros(N), "solver": "cuts"},
    ):
        assert engine_of(problem, **settings) == "Search", settings
    for depth, is_used in ((6, True), (7, False), (None, False)):
        assert uses_cuts(replace(problem, max_depth=depth), SearchSettings()) == is_used
    assert not uses_cuts(replace(problem, max_leaves=3), SearchSettings())


def test_whoever_needs_a_matrix_is_told_that_it_is_too_large(no_matrix):
    for options in ({"max_leaves": 3}, {"certificate": "full"}, {"max_depth": 7}):
        with pytest.raises(ValueError, match=r"at most 0 answers .* A fit with max_depth up to 6"):
            OptimalSurvivalTree(**{**OPTIONS, **options}).fit(FRAME, y)


def test_limits_on_leaves_proofs_guesses_and_paths_are_as_on_bits(model):
    tree = nested(model.tree_)
    for options in (
        {"max_leaves": 4},
        {"certificate": "full"},
        {"reference": np.zeros(N), "reference_mode": "prove"},
    ):
        other = OptimalSurvivalTree(**{**OPTIONS, **options}).fit(FRAME, y)
        assert other.status_ == "optimal"
        assert nested(other.tree_) == tree
        assert (other.certificate_.proof is not None) == ("certificate" in options)
    assert nested(model.optimal_trees(5)[0]) == tree
    path = regularization_path(FRAME, y, max_depth=2, min_regularization=0.01, thresholds="all")
    assert nested(path[-1].tree_) == tree


def test_a_search_of_cuts_is_continued_and_not_for_a_proof(problem):
    settings = SearchSettings(node_limit=1)
    stopped, kept = find(problem, settings)
    assert stopped.status == "node_limit"
    assert kept.is_for(problem, SearchSettings())
    assert not kept.is_for(problem, SearchSettings(wants_proof=True))
    assert not kept.is_for(problem, SearchSettings(solver="search"))
    found, again = find(problem, SearchSettings(), None, kept)
    assert again.search is kept.search
    assert found.status == "optimal"


def test_a_broken_search_of_cuts_leaves_a_replay_file(problem, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    right = engines.rescored

    def wrong(problem, tree):
        return {**right(problem, tree), "loss": 1e6}

    monkeypatch.setattr("survtree._search.solve.rescored", wrong)
    with pytest.raises(InternalError, match="failed its check"):
        solve(problem, SearchSettings())
    (path,) = tmp_path.iterdir()
    assert read_replay(path).problem.is_same(problem)


def test_a_replay_file_with_codes_is_read_and_runs(problem, tmp_path):
    found = read_replay(save(problem, SearchSettings(solver="cuts"), tmp_path))
    assert isinstance(found.problem.answers, CodedAnswers)
    assert found.problem.fingerprint() == problem.fingerprint()
    again = solve(found.problem, found.settings)
    assert nested(again.tree) == nested(solve(problem, SearchSettings()).tree)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("codes", lambda a: a[:-1], f"equally many codes for each of {N} rows"),
        ("codes", lambda a: a[:N], "'question_column' must have numbers below 1, the code columns"),
        ("codes", lambda a: a.astype("<u8"), "'codes' must have one dimension and the type uint32"),
        ("question_cut", lambda a: a[:-1], "'question_cut' must have a number for each of"),
        ("question_column", lambda a: a[1:], "'question_column' must have a number for each of"),
        ("question_column", lambda a: a + 3, "must have numbers below 3, the code columns; got 5"),
    ],
)
def test_codes_of_a_damaged_file_are_refused(problem, tmp_path, name, change, said):
    path = save(problem, SearchSettings(), tmp_path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays[name] = change(arrays[name])
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=said):
        read_replay(path)


def test_a_replay_file_with_both_bits_and_codes_is_refused(problem, tmp_path):
    path = save(problem, SearchSettings(), tmp_path)
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **arrays, answers=np.packbits(problem.matrix))
    with pytest.raises(ValueError, match=r"must hold no other arrays; got \['answers'\]"):
        read_replay(path)


def test_cuts_that_decide_the_event_are_named(no_matrix):
    leak = np.where(EVENT, RNG.uniform(5, 6, N), RNG.uniform(1, 2, N))
    with pytest.warns(DataWarning, match=r"the split 'leak <= .*' all but decides the event"):
        OptimalSurvivalTree(**OPTIONS).fit(FRAME.assign(leak=leak), y)


def test_gaps_go_with_either_side():
    frame = FRAME.assign(dose=FRAME["dose"].mask(RNG.random(N) < 0.3))
    model = OptimalSurvivalTree(**OPTIONS, missing="better").fit(frame, y)
    answers = model._fitted.problem.answers
    assert len(answers.codes) == 5  # age, dose, dose or missing, dose is missing, arm
    table = model.binarizer_.read(frame)
    assert np.array_equal(answers.matrix(), model.questions_.matrix(table))


def test_some_rows_of_a_problem_have_their_own_answers():
    X, y = load("veterans")
    plain = OptimalSurvivalTree(1, 0.01, thresholds=4).fit(X, y)._fitted.problem
    rows = np.array([5, 3, 100, 3])
    for answers in (plain.matrix, CodedAnswers.of_matrix(plain.matrix)):
        problem = replace(plain, answers=answers, targets=np.arange(137.0)[:, np.newaxis])
        some = problem.take(rows)
        assert type(some.answers) is type(answers)
        assert np.array_equal(some.matrix, plain.matrix[rows])
        assert np.array_equal(some.events.time, plain.events.time[rows])
        assert some.targets[:, 0].tolist() == rows.tolist()
