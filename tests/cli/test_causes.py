"""Competing risks on the command line: --cause and --censored, and models that know causes."""

import json

import numpy as np
import polars as pl
import pytest

from survtree import load
from tests.support.runner import done, refused, survtree

FIT = ("--depth", 2, "--regularization", 0.002)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A table in which one column matters for relapse."""
    rng = np.random.default_rng(3)
    n = 200
    x = rng.integers(0, 2, n)
    ends = [rng.exponential(9, n), rng.exponential(9 - 6 * x), rng.exponential(8, n)]
    order = np.argmin(ends, axis=0)
    path = tmp_path_factory.mktemp("causes") / "data.csv"
    pl.DataFrame(
        {
            "x": x,
            "z": rng.normal(size=n).round(2),
            "time": np.ceil(np.minimum(np.min(ends, axis=0), 12.0)),
            "end": np.where(np.min(ends, axis=0) > 12, 0, order),
        }
    ).with_columns(
        word=pl.col("end").replace_strict({0: "lost", 1: "relapse", 2: "death"})
    ).write_csv(path)
    return path


def test_a_cause_is_fitted_verified_evaluated_and_predicted(data, tmp_path):
    columns = ("--time", "time", "--event", "end", "--exclude", "word")
    told = refused("fit", data, *columns)
    assert "it holds 0, 1, 2. Pass --event-value" in told
    assert "--cause with the one that the tree is about" in told
    text = done("fit", data, *columns, *FIT, "--cause", 1, "-o", tmp_path / "model.json")
    assert "of the incidence of cause 1" in text
    model = load(tmp_path / "model.json")
    assert model.causes_.target_name == "1"
    assert "FAIL" not in done("verify", tmp_path / "model.json", data)
    scores = json.loads(done("evaluate", tmp_path / "model.json", data, "--json"))
    assert scores["integrated_brier_score"] == pytest.approx(model.loss_)
    predicted = done("predict", tmp_path / "model.json", data, "--times", "5")
    assert "incidence_1_5" in predicted
    assert "incidence_2_5" in predicted
    assert "must be left out" in refused("verify", tmp_path / "model.json", data, "--cause", 1)


def test_words_and_their_word_for_censored(data, tmp_path):
    columns = ("--time", "time", "--event", "word", "--exclude", "end", *FIT)
    told = refused("fit", data, *columns, "--cause", "relapse")
    assert "--censored must name the label" in told or "censored must name the label" in told
    out = tmp_path / "model.json"
    done("fit", data, *columns, "--cause", "relapse", "--censored", "lost", "-o", out)
    assert load(out).causes_.censored == "lost"
    assert "FAIL" not in done("verify", out, data)
    told = refused("fit", data, *columns, "--cause", "relapse", "--event-value", "death")
    assert "--event-value must be left out beside --cause" in told


def test_paths_and_near_optimal_trees_take_a_cause(data, tmp_path):
    columns = ("--time", "time", "--event", "end", "--exclude", "word", "--cause", 1)
    assert "leaves" in done("path", data, *columns, "--min-regularization", 0.01, "--depth", 2)
    assert "tree" in done("near", data, *columns, *FIT, "--within", 0.05)
    told = refused("explore", data, *columns, *FIT, "-o", tmp_path / "trees.html")
    assert "trees with one cause" in told


@pytest.mark.parametrize("how", ["--in-memory", "--stream"])
@pytest.mark.parametrize(("event", "censored"), [(0, 1), (2, 1)])
def test_the_labels_of_one_cause_are_known_again(data, tmp_path, how, event, censored):
    """In a column whose name says the opposite, of which nothing need be said."""
    coded = pl.when(pl.col("end") == 1).then(pl.lit(event)).otherwise(pl.lit(censored))
    frame = pl.read_csv(data).select("x", "z", "time", censored=coded)
    frame.write_csv(tmp_path / "coded.csv")
    flags = (pl.col("censored") == event).cast(pl.Int8)
    frame.with_columns(flags).write_csv(tmp_path / "plain.csv")
    columns = ("--time", "time", "--event", "censored", how)
    run = survtree(
        *("fit", tmp_path / "coded.csv", *columns, *FIT, "-o", tmp_path / "coded.json"),
        *("--cause", event, "--censored", censored),
    )
    assert run.exit_code == 0, run.stderr
    assert "has the name of rows without an event" not in run.stderr
    done("fit", tmp_path / "plain.csv", *columns, *FIT, "-o", tmp_path / "plain.json")
    model, plain = load(tmp_path / "coded.json"), load(tmp_path / "plain.json")
    assert model.objective_ == plain.objective_
    assert model.score(frame) == plain.score(pl.read_csv(tmp_path / "plain.csv"))
    assert f"--cause {event} --censored {censored}" in model.recipe_.command
    assert "FAIL" not in done("verify", tmp_path / "coded.json", tmp_path / "coded.csv", how)
    names = ("coded", "plain")
    found, wanted = (
        json.loads(
            done("evaluate", tmp_path / f"{name}.json", tmp_path / f"{name}.csv", how, "--json")
        )
        for name in names
    )
    assert found == wanted
    assert found["are_rows_of_the_fit"]
    renamed = ("--event-value", event)
    again = done(
        *("evaluate", tmp_path / "coded.json", tmp_path / "coded.csv", how, "--json", *renamed)
    )
    assert json.loads(again) == wanted
    other = tmp_path / "other.csv"
    frame.with_columns(flags.alias("died")).write_csv(other)
    asked = ("evaluate", tmp_path / "coded.json", other, how, "--json", "--event", "died")
    assert "--event-value must say what the event is in the column 'died'" in refused(*asked)
    assert json.loads(done(*asked, "--event-value", 1))["harrell_c"] == wanted["harrell_c"]


def test_a_report_knows_the_labels_of_one_cause(data, tmp_path):
    frame = pl.read_csv(data).with_columns(end=(pl.col("end") != 1).cast(pl.Int8)).drop("word")
    frame.write_csv(tmp_path / "data.csv")
    out, pages = tmp_path / "model.json", [tmp_path / f"{name}.html" for name in ("fit", "report")]
    columns = ("--time", "time", "--event", "end", "--cause", 0, "--censored", 1)
    done("fit", tmp_path / "data.csv", *columns, *FIT, "-o", out, "--report", pages[0])
    done("report", out, tmp_path / "data.csv", "-o", pages[1], "--folds", 0)
    n_events = int((frame["end"] == 0).sum())
    for page in pages:
        assert f"{n_events} event" in page.read_text(encoding="utf-8")
