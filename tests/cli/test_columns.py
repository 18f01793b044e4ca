"""What commands make of columns: codes among words, words among numbers, columns left out."""

import io
import json

import numpy as np
import polars as pl
import pytest

from survtree import DataWarning, OptimalSurvivalTree, export_json, export_text, load, metrics
from survtree.datasets import load as load_data
from tests.support.runner import done, refused, survtree

FIT = ("--depth", 3, "--regularization", 0.002)


def table():
    """A data set with its outcome."""
    data = load_data("veterans")
    flags = data.y["event"].astype(np.int8)
    return data.X.with_columns(days=data.y["time"].copy(), died=flags)


def coded(tmp_path, codes):
    """The table with a column of codes, the words among them in one file and not in another."""
    frame = table().with_columns(site=pl.Series(codes))
    frame.write_csv(tmp_path / "data.csv")
    frame.filter(pl.col("site") != "missing").write_csv(tmp_path / "rest.csv")
    return tmp_path / "data.csv", tmp_path / "rest.csv"


@pytest.mark.parametrize("form", ["{:02d}", "{:d}", "{:.1f}"])
def test_a_declared_column_is_text_from_the_start(tmp_path, form):
    codes = [form.format(k % 12) for k in range(len(table()))]
    codes[5] = "missing"
    files, model = coded(tmp_path, codes), tmp_path / "model.json"
    assert "or --categorical site if these are codes" in refused("fit", files[0], *FIT)
    done("fit", files[0], *FIT, "--categorical", "site", "-o", model)
    fitted = load(model)
    levels = fitted.binarizer_.seen_[fitted.questions_.names.index("site")].levels
    assert levels == {code.removesuffix(".0") for code in codes}
    for data in files:
        run = survtree("predict", model, data)
        assert run.exit_code == 0
        assert "did not see" not in run.stderr
        assert done("predict", model, "-", given=data.read_bytes()) == run.stdout
    assert done("verify", model, files[0])


def test_a_word_among_numbers_is_named_with_its_row(tmp_path):
    scores = [str(k % 9) for k in range(len(table()))]
    scores[5] = "missing"
    (data, _), model = coded(tmp_path, scores), tmp_path / "model.json"
    options = ("--na", "missing", "--missing", "question", "-o", model)
    done("fit", data, *FIT, *options)
    for command in ("predict", "evaluate", "verify"):
        run = survtree(command, model, data)
        assert run.exit_code == 2
        assert "column 'site' must hold numbers or flags as at fit; line 7 has text" in run.stderr
        assert "'missing'. Pass --na missing if it means missing" in run.stderr
        done(command, model, data, "--na", "missing")


def test_the_table_of_a_fit_is_taken_with_the_columns_that_it_left_out(tmp_path):
    frame = table().with_columns(pid=np.arange(137), site=np.arange(137) % 3)
    frame.write_csv(tmp_path / "data.csv")
    options = (*FIT, "--exclude", "site", "-o", tmp_path / "model.json")
    done("fit", tmp_path / "data.csv", *options)
    model = load(tmp_path / "model.json")
    assert model.roles_.left_out == ("site", "pid")
    assert np.array_equal(model.predict(frame), model.predict(frame.drop("pid", "site")))
    assert model.certificate_.verify(frame)
    assert model.score(frame) == model.score(frame.drop("pid"))


def test_new_rows_of_a_file_may_lack_columns_that_a_fit_left_out(tmp_path):
    frame = table().with_columns(pid=np.arange(137))
    frame.drop("pid", "Treatment").write_csv(tmp_path / "data.csv")
    frame.write_csv(tmp_path / "whole.csv")
    with pytest.warns(DataWarning, match="'pid' is left out"):
        model = OptimalSurvivalTree(3, 0.002, exclude=["Treatment"]).fit(
            frame, duration_col="days", event_col="died"
        )
    export_json(model, tmp_path / "model.json")
    for command in ("predict", "verify"):
        found = [
            done(command, tmp_path / "model.json", tmp_path / f"{name}.csv")
            for name in ("data", "whole")
        ]
        assert found[0] == found[1]
    assert "IBS" in done("evaluate", tmp_path / "model.json", tmp_path / "data.csv")


@pytest.mark.parametrize("flags", ["numbers", "flags"])
def test_an_event_column_named_as_the_opposite_is_told_of(tmp_path, flags):
    alive = pl.col("died") == 0
    alive = alive.cast(pl.Int8) if flags == "numbers" else alive
    table().select(pl.exclude("died"), censored=alive).write_csv(tmp_path / "data.csv")
    given = ("fit", tmp_path / "data.csv", *FIT, "--event", "censored", "-o")
    run = survtree(*given, tmp_path / "model.json")
    assert run.stderr.count("the event column 'censored'") == 1
    assert "True (1) must mean that the event was seen" in run.stderr
    opposite = "0" if flags == "numbers" else "false"
    assert f"pass --event-value {opposite}." in run.stderr
    assert "'censored'" in load(tmp_path / "model.json").warnings_[0]
    run = survtree(*given, tmp_path / "turned.json", "--event-value", opposite)
    assert "must mean" not in run.stderr
    data = load_data("veterans")
    same = OptimalSurvivalTree(3, 0.002).fit(data.X, data.y)
    assert load(tmp_path / "turned.json").objective_ == same.objective_


def test_a_value_of_events_named_as_the_opposite_is_told_of(tmp_path):
    status = pl.when(pl.col("died") == 1).then(pl.lit("dead")).otherwise(pl.lit("alive"))
    table().select(pl.exclude("died"), survival_status=status).write_csv(tmp_path / "data.csv")
    given = ("fit", tmp_path / "data.csv", *FIT, "--event", "survival_status", "--event-value")
    assert "'alive' has the name of rows without an event" in survtree(*given, "alive").stderr
    assert "without an event" not in survtree(*given, "dead").stderr


@pytest.mark.parametrize("how", ["--in-memory", "--stream"])
@pytest.mark.parametrize("words", [("0", "1"), ("gone", "here")])
def test_values_of_events_are_those_of_the_column_of_the_fit_alone(tmp_path, words, how):
    state = pl.when(pl.col("died") == 1).then(pl.lit(words[0])).otherwise(pl.lit(words[1]))
    table().select(pl.exclude("died"), alive=state).write_csv(tmp_path / "data.csv")
    table().write_csv(tmp_path / "new.csv")
    model, other = tmp_path / "model.json", (tmp_path / "new.csv", "--event", "died")
    options = ("--event", "alive", "--event-value", words[0], "-o", model)
    done("fit", tmp_path / "data.csv", *FIT, *options)
    own = json.loads(done("evaluate", model, tmp_path / "data.csv", how, "--json"))
    assert json.loads(done("evaluate", model, *other, how, "--json")) == own
    assert "FAIL" not in done("verify", model, *other)
    told = refused("evaluate", model, *other, "--event-value", "9", how)
    assert "--event-value must be a value of the column 'died'" in told


@pytest.mark.parametrize("how", ["--in-memory", "--stream"])
def test_new_rows_may_lack_the_column_of_weights(tmp_path, how):
    frame = table().with_columns(w=pl.Series(np.linspace(1, 2, 137)))
    frames = {"data": frame, "new": frame.drop("w"), "ones": frame.with_columns(w=1.0)}
    data, new, ones = (tmp_path / f"{name}.csv" for name in frames)
    for name, each in frames.items():
        each.write_csv(tmp_path / f"{name}.csv")
    model = tmp_path / "model.json"
    done("fit", data, *FIT, "--weights", "w", "-o", model)
    run = survtree("evaluate", model, new, how, "--json")
    assert run.exit_code == 0
    assert "has no column 'w', which held the weights at the fit; --weights names" in run.stderr
    once = survtree("evaluate", model, ones, how, "--json")
    assert json.loads(run.stdout) == json.loads(once.stdout)
    assert "each row counts once" not in once.stderr
    assert "--weights must name a column of" in refused("verify", model, new, how)
    assert "FAIL" not in done("verify", model, data)


def test_pictures_and_reports_of_new_rows_need_no_weights(tmp_path):
    frame = table().with_columns(w=pl.Series(np.linspace(1, 2, 137)))
    frame.write_csv(tmp_path / "data.csv")
    frame.drop("w").write_csv(tmp_path / "new.csv")
    model, new = tmp_path / "model.json", tmp_path / "new.csv"
    done("fit", tmp_path / "data.csv", *FIT, "--weights", "w", "-o", model)
    done("plot", model, new, "--kind", "calibration", "-o", tmp_path / "plot.svg")
    done("report", model, new, "--folds", 0, "-o", tmp_path / "report.html")


@pytest.mark.parametrize("event", ["died", "censored"])
def test_a_value_of_a_flag_is_known_again_in_python(tmp_path, event):
    is_event = pl.col("died") == (event == "died")
    table().with_columns(is_event.alias(event)).write_csv(tmp_path / "data.csv")
    value = "true" if event == "died" else "false"
    outcome = ("--event", event, "--event-value", value, "--exclude", "died")
    options = outcome[: 4 if event == "died" else 6]
    model = tmp_path / "model.json"
    done("fit", tmp_path / "data.csv", *FIT, *options, "-o", model)
    fitted, frame = load(model), pl.read_csv(tmp_path / "data.csv")
    assert metrics.integrated_brier_score(frame, fitted) == pytest.approx(fitted.loss_, rel=1e-12)
    assert fitted.certificate_.verify(frame).is_valid


@pytest.mark.parametrize("words", [("TRUE", "FALSE", "UNKNOWN"), ("01", "02", "A1")])
def test_levels_are_the_same_in_files_that_have_only_some(tmp_path, words, monkeypatch):
    frame = table().with_columns(site=pl.Series([words[k % 3] for k in range(len(table()))]))
    frame = frame.with_columns(
        days=frame["days"] + 500 * (frame["site"] == words[0]).cast(pl.Int64)
    )
    frame.write_csv(tmp_path / "data.csv")
    model = tmp_path / "model.json"
    done("fit", tmp_path / "data.csv", *FIT, "-o", model)
    whole = pl.read_csv(io.BytesIO(done("predict", model, tmp_path / "data.csv").encode()))
    assert any(word in export_text(load(model)) for word in words)
    some = pl.col("site") != words[2]
    frame.filter(some).write_csv(tmp_path / "some.csv")
    run = survtree("predict", model, tmp_path / "some.csv")
    assert "did not see" not in run.stderr
    assert pl.read_csv(io.BytesIO(run.stdout.encode())).equals(
        whole.filter(frame.select(some).to_series())
    )
    assert done("evaluate", model, tmp_path / "some.csv")
    assert survtree("evaluate", model, tmp_path / "some.csv", "--stream").stdout == done(
        "evaluate", model, tmp_path / "some.csv", "--in-memory"
    )
