"""Commands on files that are read in passes say what they say of the same files in memory."""

import json

import numpy as np
import polars as pl
import pytest

from survtree._data.files import Source
from survtree.datasets import load as load_data
from tests.support.runner import done, refused, survtree

FIT = ("--depth", 2, "--regularization", 0.005, "--quiet")


@pytest.fixture(scope="module", params=["parquet", "csv"])
def data(request, tmp_path_factory):
    found = load_data("veterans")
    frame = found.X.with_columns(days=found.y["time"], died=found.y["event"].astype(np.int8))
    frame = pl.concat([frame, frame.reverse(), frame.head(40)])
    file = tmp_path_factory.mktemp("study") / f"rows.{request.param}"
    if request.param == "parquet":
        frame.write_parquet(file, row_group_size=50)
    else:
        frame.write_csv(file)
    return file


@pytest.fixture(scope="module")
def models(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for how in ("stream", "in-memory"):
        done("fit", data, *FIT, f"--{how}", "-o", folder / f"{how}.json")
    return folder / "stream.json", folder / "in-memory.json"


def test_a_streamed_fit_is_the_fit_in_memory(models):
    streamed, whole = (json.loads(file.read_text()) for file in models)
    for name in ("tree", "questions", "leaves"):
        assert streamed[name] == whole[name]
    assert streamed["certificate"]["objective"] == pytest.approx(whole["certificate"]["objective"])


def test_a_streamed_evaluation_is_that_in_memory(data, models):
    for model in models:
        streamed, whole = (
            json.loads(done("evaluate", model, data, how, "--json"))
            for how in ("--stream", "--in-memory")
        )
        assert streamed.keys() == whole.keys()
        assert streamed.pop("horizon") == whole.pop("horizon")
        assert streamed == pytest.approx(whole, rel=1e-9)
        assert streamed["are_rows_of_the_fit"]
    assert "these are the rows of the fit" in done("evaluate", models[0], data, "--stream")


def test_a_streamed_fit_is_verified_in_passes_and_in_memory(data, models):
    for how in ("--stream", "--in-memory"):
        found = json.loads(done("verify", models[0], data, how, "--json"))
        assert found["is_valid"], found
    run = survtree("verify", models[1], data, "--stream")
    assert run.exit_code == 1
    assert "its fingerprint depends on their order: verify it with the rows in memory" in run.stdout


def test_other_rows_are_not_those_of_the_fit(data, models, tmp_path):
    frame = pl.read_parquet(data) if data.suffix == ".parquet" else pl.read_csv(data)
    other = tmp_path / "other.parquet"
    frame.with_columns(pl.col("days") + 1).write_parquet(other)
    found = json.loads(done("evaluate", models[0], other, "--stream", "--json"))
    assert not found["are_rows_of_the_fit"]
    assert survtree("verify", models[0], other, "--stream").exit_code == 1
    frame.drop("Celltype").write_parquet(other)
    said = refused("evaluate", models[0], other, "--stream")
    assert "must have the columns of the model; there is no 'Celltype'" in said


def test_predictions_are_those_of_the_model_in_memory(data, models):
    assert done("predict", models[0], data) == done("predict", models[1], data)


def test_flags_as_r_writes_them_are_flags_in_a_stream_too(tmp_path):
    flag = {True: "TRUE", False: "FALSE"}
    rows = [f"{k % 7},{flag[k % 3 > 0]},{k % 11 + 1},{flag[k % 2 > 0]}" for k in range(200)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["x,arm,time,event", *rows, ""]), encoding="utf-8")
    lazy, whole = Source(str(path)).lazy(), Source(str(path)).read()
    assert lazy.collect().equals(whole)
    assert whole.schema["arm"] == whole.schema["event"] == pl.Boolean
