"""Curves and pictures of a model by command, and the names of options."""

import inspect
import io

import numpy as np
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, curve_table, export_text, load
from survtree._cli.inputs import NOT_OFFERED, SHORT
from survtree._cli.views import with_times
from survtree.datasets import load as load_data
from tests.support.runner import done, refused

NAMES_OF_FIT = {"duration_col", "event_col", "sample_weight"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, and two models of it: by the paper's objective, and at the defaults."""
    folder = tmp_path_factory.mktemp("study")
    data = load_data("veterans")
    flags = data.y["event"].astype(np.int8)
    data.X.with_columns(days=data.y["time"].copy(), died=flags).write_csv(folder / "data.csv")
    options = ("--max-depth", 2, "--regularization", 0.002, "-o", folder / "model.json")
    done("fit", folder / "data.csv", *options)
    done("fit", folder / "data.csv", "-o", folder / "shrunken.json")
    return folder


@pytest.mark.parametrize(
    ("command", "estimator"), [("fit", OptimalSurvivalTree), ("tune", OptimalSurvivalTreeCV)]
)
def test_options_have_the_names_of_python(command, estimator):
    text = done(command, "--help")
    names = {*inspect.signature(estimator).parameters, *NAMES_OF_FIT} - {*NOT_OFFERED}
    for name in names:
        assert f"--{name.replace('_', '-')}" in text
        assert SHORT.get(name, "--") in text


def test_short_and_long_names_mean_the_same(folder):
    long = ("--max-depth", 1, "--n-jobs", 1, "--random-state", 0, "--duration-col", "days")
    short = ("--depth", 1, "--jobs", 1, "--seed", 0, "--time", "days")
    found = [
        done("fit", folder / "data.csv", *names, "--regularization", 0.01)
        for names in (long, short)
    ]
    assert found[0] == found[1]
    assert "--max-depth must be" in refused("fit", folder / "data.csv", "--depth", -1)


@pytest.mark.parametrize("name", ["model", "shrunken"])
def test_curves_are_a_table(folder, name, tmp_path):
    model = load(folder / f"{name}.json")
    table = pl.read_csv(io.StringIO(done("curves", folder / f"{name}.json")))
    assert table.columns == curve_table(model).columns
    for leaf, curve in model.leaf_curves_.items():
        rows = table.filter(pl.col("leaf") == leaf)
        times = rows["time"].to_numpy()
        assert times[0] == 0
        assert {*curve.survival.x, curve.times[-1]} <= {*times}
        np.testing.assert_allclose(rows["survival"].to_numpy(), curve.survival(times))
        np.testing.assert_allclose(rows["cumulative_hazard"].to_numpy(), curve.hazard(times))
        np.testing.assert_allclose(rows["at_risk"].to_numpy(), curve.at_risk(times))
        predicted = model.predicted_curves_[leaf].survival
        if name == "shrunken":
            assert {*predicted.x} <= {*times}
            found = rows["predicted_survival"].to_numpy()
            np.testing.assert_allclose(found, predicted(times))
    done("curves", folder / f"{name}.json", "--times", "90,180", "-o", tmp_path / "two.parquet")
    two = pl.read_parquet(tmp_path / "two.parquet")
    assert two["time"].to_list() == [90.0, 180.0] * model.n_leaves_


def test_curves_have_the_limits_of_the_confidence(folder):
    by_level = [
        pl.read_csv(io.StringIO(done("curves", folder / "model.json", "--confidence", level)))
        for level in (0.5, 0.95)
    ]
    narrow, wide = (table["survival_high"] - table["survival_low"] for table in by_level)
    assert (narrow <= wide).all()
    assert narrow.sum() < wide.sum()
    assert "confidence must be" in refused("curves", folder / "model.json", "--confidence", 95)


@pytest.mark.parametrize("command", ["curves", "plot"])
def test_pictures_are_drawn_by_their_ending(folder, tmp_path, command):
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        done(command, folder / "model.json", "-o", tmp_path / f"picture.{ending}")
        assert (tmp_path / f"picture.{ending}").read_bytes().startswith(start)


@pytest.mark.parametrize("kind", ["tree", "curves", "calibration", "gap"])
def test_each_kind_of_picture_is_drawn(folder, tmp_path, kind):
    rows = [folder / "data.csv"] if kind == "calibration" else []
    done("plot", folder / "model.json", *rows, "--kind", kind, "-o", tmp_path / "picture.svg")
    words = {
        "tree": "Karnofsky_score",
        "curves": "Survival",
        "calibration": "Predicted survival at",
        "gap": "lower bound",
    }
    assert words[kind] in (tmp_path / "picture.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("plot", "MODEL", "-o", "x.svg", "--kind", "leaves"), "tree, curves, calibration, gap"),
        (("plot", "MODEL", "-o", "x.svg", "--kind", "calibration"), "a calibration needs rows"),
        (("plot", "MODEL", "DATA", "-o", "x.svg"), "the only picture that needs rows"),
        (("plot", "MODEL", "-o", "x.gif"), "must end in one of"),
        (("plot", "MODEL", "-o", "x.svg", "--kind", "gap", "--times", "9"), "no survival at times"),
        (
            ("plot", "MODEL", "DATA", "-o", "x.svg", "--kind", "calibration", "--times", "9,10"),
            "a calibration has one time",
        ),
        (("export", "MODEL", "--to", "sql", "--times", "90"), "sql shows no survival at times"),
        (("curves", "MODEL", "--times", "9,2"), "times must be ascending"),
    ],
)
def test_what_a_picture_cannot_show_is_refused(folder, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    files = {"DATA": folder / "data.csv", "MODEL": folder / "model.json"}
    assert told in " ".join(refused(*(files.get(word, word) for word in arguments)).split())


def test_exports_have_survival_at_times(folder, tmp_path):
    model = load(folder / "model.json")
    for style in ("rules", "leaves"):
        found = done("export", folder / "model.json", "--to", style, "--times", "90,180")
        assert found == f"{export_text(model, style=style, times=[90, 180])}\n"
    table = pl.read_csv(
        io.StringIO(done("export", folder / "model.json", "--to", "csv", "--times", "90"))
    )
    assert "survival_90" in table.columns
    assert [name for name in table.columns if name.startswith("survival_")][-1] == (
        "survival_90_high"
    )


def test_times_reach_the_views_that_take_them():
    def view(model, *, times=None, style=""):
        return model, times, style

    assert with_times(view, "tree", [90], "text", style="rules") == ("tree", [90], "rules")
    assert with_times(view, "tree", None, "text") == ("tree", None, "")
