"""What a reader of the changes since case 19 found; each claim is one that did not hold."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, _cli, bootstrap, export_json
from survtree._base.words import row_named, with_other_rows
from survtree.datasets import load
from tests.support.runner import survtree

X, y = load("veterans")
X = pd.DataFrame(X.to_dict(as_series=False))


class TestEmptyColumns:
    """Columns of objects that a table, or a fold, has no value of."""

    def test_may_have_thresholds(self):
        table = X.assign(none=pd.Series([None] * len(X), dtype=object))
        model = OptimalSurvivalTree(1, 0.005, missing="question", thresholds={"none": [1, 2]})
        assert model.fit(table, y).n_leaves_ == 2

    def test_may_have_them_in_some_folds_only(self):
        rare = pd.Series([None] * len(X), dtype=object)
        rare[3], rare[90] = 1.5, 2.5
        options = {"missing": "question", "thresholds": {"rare": [2.0]}}
        tuned = OptimalSurvivalTreeCV(
            max_depths=(1,), teacher=None, min_regularization=0.005, **options
        )
        assert tuned.fit(X.assign(rare=rare), y).n_leaves_ == 2
        model = OptimalSurvivalTree(1, 0.005, **options)
        assert bootstrap(model, X.assign(rare=rare), y, n_bootstraps=5).n_bootstraps == 5

    def test_are_said_to_be_empty_where_numbers_are_needed(self):
        none = np.array([None] * len(X), dtype=object)
        with pytest.raises(ValueError, match="row 0 has nan"):
            OptimalSurvivalTree().fit(X, y, none)
        with pytest.raises(ValueError, match="row 0 has nan"):
            OptimalSurvivalTree().fit(X, (np.ones(len(X), bool), none))


def groups_of(levels, cells, tmp_path):
    """Where the command line puts cells of a CSV file as they are written, and what it says."""
    code = np.arange(120) % len(levels)
    time = np.where(code == 0, 1.0, 5.0) + np.arange(120) / 100
    frame = pd.DataFrame({"dose": pd.Categorical.from_codes(code, levels)})
    model = OptimalSurvivalTree(1, 0.001).fit(frame, (np.ones(120, bool), time))
    export_json(model, tmp_path / "model.json")
    (tmp_path / "rows.csv").write_text("\n".join(["dose", *cells, ""]))
    run = survtree(
        "predict", tmp_path / "model.json", tmp_path / "rows.csv", "-o", tmp_path / "out.csv"
    )
    assert run.exit_code == 0, run.stderr
    return pl.read_csv(tmp_path / "out.csv")["group"].to_list(), run.stderr


@pytest.mark.parametrize(
    ("levels", "cells"),
    [([0.5, 1.0, 2.25], ["0.50", "1.00", "2.250"]), (["1", "2", "3"], ["01", "2.0", "03"])],
)
def test_levels_that_are_numbers_may_be_written_in_any_way(levels, cells, tmp_path):
    groups, said = groups_of(levels, cells, tmp_path)
    assert groups[0] != groups[1] == groups[2]
    assert "answers no" not in said


def test_levels_that_look_like_numbers_are_taken_as_they_are_written(tmp_path):
    groups, said = groups_of(["01", "A1"], ["01", "01", "1"], tmp_path)
    assert groups[0] == groups[1] != groups[2]
    assert "'1'" in said


def test_warnings_of_threads_are_printed(capsys):
    thread = threading.Thread(target=_cli._show_warning, args=("row 3 is odd", UserWarning))
    thread.start()
    thread.join()
    assert "row 3 is odd" in capsys.readouterr().err


def test_numbers_in_quotes_are_not_of_rows():
    message = "column 'bed row 7' must hold finite numbers; row 2 has inf, as the column's row 3."
    assert with_other_rows(message, lambda row: f"line {row + 2}") == message.replace(
        "; row 2", "; line 4"
    ).replace("column's row 3", "column's line 5")
    assert row_named("column 'row 7' and row 2") == 2
    assert row_named("column 'row 7'") is None


def test_the_first_text_among_numbers_is_named(tmp_path):
    """In a file that is read in passes all cells of such a column are text."""
    ages = [61, 45, 70, 52] * 10
    frame = pl.DataFrame({"age": ages, "time": range(1, 41), "event": [1] * 40})
    model = OptimalSurvivalTree(1, 0.01).fit(frame, duration_col="time", event_col="event")
    export_json(model, tmp_path / "model.json")
    odd = pl.Series("age", [*map(str, ages[:7]), "old", *map(str, ages[8:])])
    frame.with_columns(odd).write_csv(tmp_path / "rows.csv")
    run = survtree("evaluate", tmp_path / "model.json", tmp_path / "rows.csv", "--stream")
    assert run.exit_code == 2
    assert "line 9" in run.stderr
    assert "'old'" in run.stderr
