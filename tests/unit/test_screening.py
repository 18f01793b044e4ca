"""Which thresholds a boosted model picks: it looks at events, and never at the order of rows."""

import numpy as np
import pandas as pd
import pytest

from survtree import Binarizer, OptimalSurvivalTree, export_json
from survtree import load as load_model
from survtree._data.table import EventTable
from survtree._questions import screening
from survtree.datasets import load


def asked(columns, y, **options):
    """The questions about columns, in words."""
    return Binarizer(**options).fit(pd.DataFrame(columns), y).get_feature_names_out().tolist()


def of_two_processes(deadly, short):
    """Rows that die early where ``deadly``, and leave the study early where ``short``."""
    rng = np.random.default_rng(3)
    death = rng.exponential(np.where(deadly, 5.0, 20.0))
    leaving = rng.exponential(np.where(short, 1.0, 99.0))
    return death < leaving, np.minimum(death, leaving)


@pytest.fixture
def one_pick(monkeypatch):
    for name in ("FEWEST_QUESTIONS", "MOST_QUESTIONS", "FEWEST_CHOSEN"):
        monkeypatch.setattr(screening, name, 1)


@pytest.mark.parametrize("thresholds", ["guess", "auto"])
@pytest.mark.usefixtures("one_pick")
def test_a_guess_cuts_where_events_change_not_where_censoring_does(thresholds):
    age = np.arange(400.0)
    event, time = of_two_processes(deadly=age >= 300, short=age < 100)
    (cut,) = asked({"age": age}, (event, time), thresholds=thresholds)
    assert 270 < float(cut.removeprefix("age <= ")) < 330
    # The same times, all taken for events, draw the cut to where rows leave the study.
    (mistaken,) = asked({"age": age}, (np.ones(400, bool), time), thresholds=thresholds)
    assert 70 < float(mistaken.removeprefix("age <= ")) < 130


@pytest.mark.usefixtures("one_pick")
def test_a_guess_picks_the_column_that_decides_events_not_censoring():
    a, b = np.random.default_rng(4).random((2, 400))
    event, time = of_two_processes(deadly=a < 0.5, short=b < 0.5)
    frame = pd.DataFrame({"a": a, "b": b})
    assert asked(frame, (event, time), thresholds="guess")[0].startswith("a <= ")
    assert asked(frame, (np.ones(400, bool), time), thresholds="guess")[0].startswith("b <= ")


@pytest.mark.usefixtures("one_pick")
def test_a_guess_keeps_what_is_not_open_to_choice():
    age = np.arange(400.0)
    y = of_two_processes(deadly=age < 200, short=age < 0)
    found = asked(
        {"age": age, "flag": age % 2 == 0, "z": age.astype(int) % 2}, y, thresholds="guess"
    )
    assert len(found) == 3
    assert found[1:] == ["flag is True", "z = 1"]


def test_rows_are_expected_to_have_events_while_they_are_at_risk():
    events = EventTable(np.array([1, 0, 1, 1], bool), np.array([1.0, 2, 2, 3]), np.ones(4))
    expected = screening.BoostedCoxModel(np.zeros((4, 1), np.float32), events)._expected_events()
    hazard = np.cumsum([1 / 4, 1 / 3, 1 / 1])  # by time: events over rows at risk
    assert expected == pytest.approx(hazard[[0, 1, 1, 2]])
    assert expected.sum() == pytest.approx(3)


def test_what_was_screened_is_said_wherever_optimality_is_claimed(tmp_path):
    X, y = load("whas500")
    model = OptimalSurvivalTree(2, 0.005).fit(X, y)
    n, n_all = len(model.questions_), model.binarizer_.n_splits_
    assert (n, n_all) == (84, 841)
    said = f"{n} of {n_all} possible splits were searched"
    assert model.screening_ == model.certificate_.screening == said
    assert said in model.certificate_.summary()
    assert said in model._repr_html_()
    export_json(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").screening_ == said
    model.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().count(said) == 2


def test_where_every_cut_is_searched_it_is_said():
    model = OptimalSurvivalTree(2, 0.005, thresholds="all").fit(*load("veterans"))
    assert model.binarizer_.n_splits_ == len(model.questions_)
    assert model.screening_ == "Every cut was searched"
    assert model.certificate_.summary().endswith("lower objective. Every cut was searched")


def test_where_nothing_is_cut_nothing_is_said():
    model = OptimalSurvivalTree(2, 0.005).fit(*load("veterans", encoding="paper"))
    assert model.screening_ == ""
