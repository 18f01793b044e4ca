"""Teachers that a user passes: fitted models and curves, and what becomes of them."""

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from survtree import OptimalSurvivalTree, StepFunction, bootstrap, export_json, load
from survtree._data.table import EventTable
from survtree._scoring import teachers
from survtree._search.read_teacher import MOST_TIMES, seed_of, teacher_curves, teacher_name
from survtree.datasets import load as load_data

X, y = load_data("veterans")
N = len(y)
EVENTS = EventTable(y["event"], y["time"], np.ones(N))
TIMES = np.array([20.0, 100.0, 300.0])
RISKS = np.where(X["Karnofsky_score"].to_numpy() <= 50, 2.0, 0.5)
SURVIVAL = np.exp(-np.outer(RISKS, [0.2, 0.7, 1.5]))


class Fixed:
    """A fitted model that predicts the curves above, for any rows."""

    def predict_survival_function(self, rows):
        return [StepFunction(TIMES, curve, before=1.0) for curve in SURVIVAL[: len(rows)]]


def fitted(**options):
    return OptimalSurvivalTree(**{"max_depth": 2, **options}).fit(X, y)


def curves_of(teacher, events=EVENTS):
    return teacher_curves(teacher, X, None, events, None)


def test_a_model_and_its_curves_teach_the_same():
    model, pair = fitted(teacher=Fixed()), fitted(teacher=(SURVIVAL, TIMES))
    assert (model.teacher_, pair.teacher_) == ("Fixed", "survival curves")
    assert np.array_equal(model.certificate_.targets, pair.certificate_.targets)
    assert model.objective_ == pair.objective_
    assert model.questions_.text(int(model.tree_.question[0])).startswith("Karnofsky_score")
    assert model.certificate_.verify(X, y)
    assert pair.loss_ == pytest.approx(0.0, abs=1e-12)  # two curves, and a split between them


def test_a_fitted_tree_is_learnt_again():
    """Its curves are those of four leaves, so four leaves lose nothing."""
    first = OptimalSurvivalTree(2, 0.0).fit(X, y)
    again = fitted(teacher=first, horizon=None, regularization=1e-9)
    assert again.teacher_ == "OptimalSurvivalTree"
    assert again.n_leaves_ == first.n_leaves_ == 4
    assert again.loss_ == pytest.approx(0.0, abs=1e-12)
    assert len({*zip(first.apply(X).tolist(), again.apply(X).tolist(), strict=True)}) == 4


def test_models_of_scikit_survival_teach():
    linear_model = pytest.importorskip("sksurv.linear_model")
    columns = X.select("Age_in_years", "Karnofsky_score").to_numpy()
    ridge = linear_model.CoxPHSurvivalAnalysis(alpha=1.0).fit(columns, y)
    model = OptimalSurvivalTree(2, teacher=ridge).fit(columns, y)
    assert model.teacher_ == "CoxPHSurvivalAnalysis"
    assert model.n_leaves_ > 1
    functions = ridge.predict_survival_function(columns)
    times = functions[0].x
    pair = ([function.y for function in functions], times)
    assert OptimalSurvivalTree(2, teacher=pair).fit(columns, y).objective_ == model.objective_


def test_curves_are_compared_up_to_the_horizon():
    early = curves_of((SURVIVAL, TIMES), EVENTS.until(90.0))
    assert (early.times.tolist(), early.horizon) == ([20.0], 90.0)
    assert early.lengths() == pytest.approx([70 / 90])
    late = curves_of((SURVIVAL, TIMES * 1e6))
    assert late.times.tolist() == [0.0]  # nobody differs before
    assert np.ptp(late.targets()) == 0


def test_curves_with_very_many_steps_are_read_at_some_of_them():
    times = np.linspace(0.1, 900, 5000)
    survival = np.exp(-np.outer(RISKS, times) / 300)
    few = curves_of((survival, times))
    assert len(few.times) == MOST_TIMES
    place = np.searchsorted(times, few.times)
    assert np.array_equal(few.survival, survival[:, place])


def test_names_and_seeds():
    assert [teacher_name(t) for t in (None, "cox", Fixed())] == [None, "cox", "Fixed"]
    assert seed_of(7) == seed_of(np.int64(7)) == 7
    assert seed_of(np.random.RandomState(3)) == seed_of(np.random.RandomState(3))
    assert 0 <= seed_of(None) < 2**31


def test_the_seed_decides_what_a_built_in_teacher_says():
    one, same, other = (fitted(random_state=s, max_depth=1) for s in (1, np.int32(1), 2))
    assert one.objective_ == same.objective_ != other.objective_
    assert (one.certificate_.teacher_seed, other.certificate_.teacher_seed) == (1, 2)
    assert fitted(teacher=Fixed()).certificate_.teacher_seed is None


@pytest.mark.parametrize(
    ("teacher", "words"),
    [
        ("auto", "the mean of a forest and a Cox model"),
        ("forest", "a forest"),
        ("cox", "a Cox model"),
        (Fixed(), "Fixed"),
        ((SURVIVAL, TIMES), "survival curves"),
    ],
)
def test_certificates_and_reports_say_in_words_what_the_teacher_is(teacher, words, tmp_path):
    model = fitted(teacher=teacher, max_depth=1)
    assert f"against the teacher ({words}) + " in model.certificate_.summary()
    model.report(tmp_path / "page.html")
    assert f"the teacher ({words}) predicts" in (tmp_path / "page.html").read_text()


def test_a_file_keeps_the_name_of_a_teacher_but_not_the_teacher(tmp_path):
    for teacher in (Fixed(), (SURVIVAL, TIMES), OptimalSurvivalTree(1, 0.01).fit(X, y)):
        model = fitted(teacher=teacher)
        content = json.loads(export_json(model, tmp_path / "model.json"))
        assert content["options"]["teacher"] is None
        assert not any("__" in name for name in content["options"])
        loaded = load(tmp_path / "model.json")
        assert (loaded.teacher, loaded.teacher_) == (None, model.teacher_)
        assert np.array_equal(loaded.predict(X), model.predict(X))
        with pytest.raises(ValueError, match="verify needs targets"):
            loaded.certificate_.verify(X, y)
        assert loaded.certificate_.verify(X, y, targets=model.certificate_.targets)


def test_a_loaded_model_of_a_built_in_teacher_is_rechecked(tmp_path):
    model = fitted()
    export_json(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.certificate_.targets is None
    assert loaded.certificate_.verify(X, y)
    flipped = (~y["event"], y["time"])
    for other in ((X[1:], y[1:]), (X, flipped)):  # other rows than those of the fit
        for certificate in (loaded.certificate_, model.certificate_):
            found = certificate.verify(*other)
            assert not found.checks["data"]
            assert "loss" not in found.checks
            assert "teacher of the rows of the fit" in str(found)


def test_a_teacher_of_a_sample_is_told_and_can_be_made_again(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(teachers, "MOST_ROWS", 100)
        model = fitted()
    assert "a Cox model, fitted to a sample of 100 rows) + " in model.certificate_.summary()
    export_json(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.certificate_.summary() == model.certificate_.summary()
    assert loaded.certificate_.verify(X, y)
    assert "sample" not in fitted().certificate_.summary()


@pytest.mark.parametrize("teacher", ["default", "cox", Fixed(), (SURVIVAL, TIMES)])
def test_reports_of_models_with_a_teacher(teacher, tmp_path):
    model = fitted(teacher=teacher, max_depth=1)
    export_json(model, tmp_path / "model.json")
    for each in (model, load(tmp_path / "model.json")):
        each.report(tmp_path / "page.html", X, y, cv=2)
        page = (tmp_path / "page.html").read_text()
        assert "Every claim held" in page
        assert ("a teacher that has seen all rows" in page) != isinstance(teacher, str)
        each.report(tmp_path / "page.html", X[:60], y[:60])
        assert "The rows are not the training rows" in (tmp_path / "page.html").read_text()


def test_a_teacher_stays_fitted_in_copies_of_a_model():
    first = OptimalSurvivalTree(2, 0.0).fit(X, y)
    model = fitted(teacher=first)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y)
    assert clone(model).get_params(deep=False).keys() == model.get_params(deep=False).keys()
    found = bootstrap(OptimalSurvivalTree(1, teacher=first), X, y, n_bootstraps=2, random_state=0)
    assert found.model.teacher_ == "OptimalSurvivalTree"


def test_a_reference_turns_the_default_teacher_off():
    losses = np.zeros(N)
    model = fitted(reference=losses, reference_mode="prove")
    assert (model.teacher_, model.certificate_.loss_kind) == (None, "brier")
    assert model.horizon_ is not None  # the rest of the defaults stays
    with pytest.raises(ValueError, match="reference must be None if there is a teacher"):
        fitted(reference=losses, teacher="auto")
