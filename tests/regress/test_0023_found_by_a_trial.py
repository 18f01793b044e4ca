"""What a new user and a second reviewer found; each claim is one that did not hold."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, export_json
from survtree.datasets import load
from tests.support.runner import survtree

X, y = load("veterans")
X = pd.DataFrame(X.to_dict(as_series=False))


@pytest.fixture
def csv(tmp_path):
    time, event = y["time"], y["event"].astype(int)
    X.assign(time=time, event=event).to_csv(tmp_path / "veterans.csv", index=False)
    return tmp_path / "veterans.csv"


def test_reports_name_no_value_that_only_one_row_has(tmp_path):
    rows = X.assign(
        patient_id=[f"Anna {k}" for k in range(len(X))],
        note=["as usual"] * (len(X) - 1) + ["wife's phone 030"],
        hidden=["secret"] * len(X),
    )
    model = OptimalSurvivalTree(1, 0.005, exclude=["hidden"])
    with pytest.warns(UserWarning, match="patient_id"):
        model.fit(rows, y)
    model.report(tmp_path / "page.html", rows, y, cv=None)
    page = (tmp_path / "page.html").read_text()
    assert "Anna" not in page
    assert "phone" not in page
    assert "secret" not in page
    assert "as usual" in page
    assert "1 more level" in page
    assert page.count("not shown: left out of the fit") == 2


def test_the_report_claims_no_chosen_cuts_where_every_cut_was_searched(tmp_path):
    every = OptimalSurvivalTree(1, 0.005, thresholds="all").fit(X, y)
    some = OptimalSurvivalTree(1, 0.005, thresholds=3).fit(X, y)
    words = "The cut points of numbers were chosen before the search"
    for model, is_said in ((every, False), (some, True)):
        model.report(tmp_path / "page.html")
        assert (words in (tmp_path / "page.html").read_text()) == is_said


@pytest.mark.parametrize("flag", ["--exclude", "--categorical"])
def test_flags_in_messages_have_two_dashes(csv, flag):
    run = survtree("fit", csv, flag, "no such column")
    assert run.exit_code == 2
    assert f"fit: {flag} must name a column" in run.stderr


def test_smaller_penalties_are_advised_only_where_they_help(csv):
    advice = "lists smaller penalties"
    wide = survtree("fit", csv, "--regularization", "0.5", "--teacher", "none")
    assert "less than the penalty per leaf" in wide.stdout
    assert advice in wide.stdout
    small = survtree("fit", csv, "--min-samples-leaf", "100", "--regularization", "0.01")
    assert "at least 100 rows" in small.stdout
    assert advice not in small.stdout


def test_one_leaf_because_nothing_can_be_split():
    flat = OptimalSurvivalTree(2, 0.01).fit(X[["Treatment"]].assign(Treatment=1.0), y)
    assert flat.one_leaf_reason_ == "One leaf, because no column has two values to part."


def test_a_folder_that_is_not_there_is_named(tmp_path):
    model = OptimalSurvivalTree(1, 0.005).fit(X, y)
    with pytest.raises(FileNotFoundError, match=r"there is no such folder: .*nodir'"):
        export_json(model, tmp_path / "nodir" / "model.json")


def test_a_line_with_more_cells_is_told_in_plain_words(tmp_path):
    (tmp_path / "rag.csv").write_text("a,time,event\n1,2,1\n1,2,1,7\n")
    run = survtree("fit", tmp_path / "rag.csv")
    assert run.exit_code == 2
    assert "a line has more cells than the first one. Copy" in run.stderr


def test_identifiers_with_missing_cells_are_left_out():
    rows = X.assign(patient_id=np.append(np.nan, np.arange(1.0, len(X)) ** 2))
    model = OptimalSurvivalTree(1, 0.005, missing="question")
    with pytest.warns(UserWarning, match="patient_id"):
        model.fit(rows, y)
    names = model.questions_.names
    assert "patient_id" not in {names[q.column] for q in model.questions_.asked}


def test_scores_take_weights():
    model = OptimalSurvivalTree(2, 0.005).fit(X, y)
    weight = np.arange(len(X)) % 3
    again = np.repeat(np.arange(len(X)), weight)
    weighted = model.score(X, y, weight)
    assert weighted == pytest.approx(model.score(X.iloc[again], y[again]))
    assert weighted != model.score(X, y)


@pytest.mark.parametrize("names", [np.array("Celltype"), np.array([["Celltype"]]), iter(["Age"])])
def test_columns_are_named_in_a_list(names):
    with pytest.raises(TypeError, match="exclude must be a list of names"):
        OptimalSurvivalTree(exclude=names).fit(X, y)


class TestListsWithoutATree:
    """A limit, or Ctrl-C, may end a list before its first tree."""

    @pytest.fixture
    def near(self):
        rng = np.random.default_rng(0)
        rows = pd.DataFrame(rng.random((300, 12)))
        rows.columns = [f"c{k}" for k in range(12)]
        model = OptimalSurvivalTree(3, 0.02, teacher=None, thresholds=40)
        model.fit(rows, (rng.random(300) < 0.7, rng.exponential(1 + rows["c0"])))
        with pytest.warns(UserWarning, match="stopped by the time limit: no trees of the"):
            found = model.near_optimal(0.5, 10**6, time_limit=1e-9)
        assert len(found) == 0
        return found, rows

    def test_say_so_where_one_is_needed(self, near, tmp_path):
        found, rows = near
        asked = (
            found.importance,
            found.plot_importance,
            found.groups,
            lambda: found.report(tmp_path / "page.html"),
            lambda: found.survival_band(rows, [1.0]),
        )
        for ask in asked:
            with pytest.raises(ValueError, match="the list was ended by the time limit"):
                ask()

    def test_have_an_empty_table(self, near):
        assert len(near[0].table()) == 0


def test_codes_of_categories_are_numbers_however_they_are_written(tmp_path):
    dose = np.array([0.5, 1.0, 2.25])[np.arange(120) % 3]
    time = np.where(dose == 0.5, 1.0, 5.0) + np.arange(120) / 100
    frame = pd.DataFrame({"dose": dose})
    model = OptimalSurvivalTree(1, 0.001, categorical=["dose"])
    model.fit(frame, (np.ones(120, bool), time))
    export_json(model, tmp_path / "model.json")
    (tmp_path / "rows.csv").write_text("dose\n0.50\n1.0\n2.250\n")
    out = tmp_path / "out.csv"
    run = survtree("predict", tmp_path / "model.json", tmp_path / "rows.csv", "-o", out)
    assert run.exit_code == 0
    assert "did not see" not in run.stderr
    assert pl.read_csv(out)["group"].to_list() == model.predict_group(frame[:3]).tolist()
