"""--thresholds for all columns, by column, and not both."""

import polars as pl
import pytest

from survtree.datasets import load
from tests.support.runner import done, survtree


@pytest.fixture
def trial(tmp_path):
    X, y = load("veterans")
    event, time = y.dtype.names
    path = tmp_path / "trial.csv"
    X.with_columns(event=pl.Series(y[event]), time=pl.Series(y[time])).write_csv(path)
    return path


def test_one_way_to_cut_all_columns(trial):
    shown = done("fit", trial, "--depth", 1, "--regularization", 0, "--thresholds", "50,60")
    assert "<= 50?" in shown or "<= 60?" in shown


def test_a_way_for_one_column_and_one_for_all_is_refused(trial):
    run = survtree("fit", trial, "--thresholds", "age=50,60", "--thresholds", "3")
    assert run.exit_code == 2
    assert "COLUMN=THRESHOLDS" in run.stderr
