"""What commands make of columns: codes among words, words among numbers, columns left out."""

import numpy as np
import polars as pl
import pytest

from survtree import load
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
        assert "column 'site' must hold numbers or flags as at fit; row 5 has text" in run.stderr
        assert "'missing'. Pass --na missing if it means missing" in run.stderr
        done(command, model, data, "--na", "missing")
