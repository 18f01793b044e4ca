"""survtree explore: the page of near-optimal trees, from a file."""

import json

import pytest

from survtree.datasets import load as load_data
from tests.support.runner import done, refused

FIT = ("--depth", 2, "--regularization", 0.001, "--thresholds", 1)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    data = load_data("veterans")
    path = tmp_path_factory.mktemp("explore") / "data.csv"
    data.X.with_columns(time=data.y["time"].copy(), event=data.y["event"].copy()).write_csv(path)
    return path


def test_a_page_is_written(file, tmp_path):
    output = tmp_path / "trees.html"
    how = ("--within", 0.02, "--folds", 0, "--title", "Veterans", "--times", "30,90")
    facts = json.loads(done("explore", file, *FIT, *how, "-o", output, "--json"))
    assert facts["is_complete"]
    page = output.read_text(encoding="utf-8")
    assert f"{facts['n_trees']} trees have an objective within 2 %" in page
    assert "<h1><bdi>Veterans</bdi></h1>" in page
    assert "survtree explore" in page
    assert '"times": [30.0, 90.0]' in page


def test_a_page_needs_a_place(file, tmp_path):
    assert "-o" in refused("explore", file, *FIT)
    missing = tmp_path / "nowhere" / "trees.html"
    assert "nowhere" in refused("explore", file, *FIT, "-o", missing)
