"""The encoding of the paper's experiments: from raw tables to the published 0/1 columns."""

import csv

import numpy as np
import polars as pl
import pytest

from survtree import Binarizer
from survtree._data.table import table_of
from survtree._questions.encodings import paper_questions
from survtree._questions.questions import Questions
from survtree.datasets import _column
from tests.support.paper_data import paper_data
from tests.support.sksurv_loaders import LOADERS


@pytest.mark.parametrize("name", LOADERS)
def test_raw_tables_become_the_published_columns(name):
    published_tables = paper_data()
    datasets = pytest.importorskip("sksurv.datasets")
    loader, arguments = LOADERS[name]
    X, _ = getattr(datasets, loader)(*arguments)
    with (published_tables / f"{name}.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    binarizer = Binarizer(encoding="paper", missing="question").fit(X)
    assert binarizer.get_feature_names_out().tolist() == header[:-2]
    published = np.array([row[:-2] for row in rows], dtype=float)
    np.testing.assert_array_equal(binarizer.transform(X), published)


def encode(raw, levels):
    columns = [_column(name, cells, levels.get(name)) for name, cells in raw.items()]
    names, asked = zip(*paper_questions(columns), strict=True)
    answers = Questions(tuple(raw), asked).matrix(table_of(columns))
    return dict(zip(names, answers.T, strict=True))


def test_bins_are_equally_wide_and_closed_on_the_right():
    columns = encode({"x": [*range(13)]}, {})
    assert list(columns) == ["x_1", "x_2", "x_3"]
    bins = sum((k * column.astype(int) for k, column in enumerate(columns.values(), 1)))
    assert bins.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


@pytest.mark.parametrize(("n_distinct", "n_columns"), [(10, 9), (11, 3)])
def test_columns_with_more_than_ten_values_are_binned(n_distinct, n_columns):
    assert len(encode({"x": [*range(n_distinct)]}, {})) == n_columns


def test_an_empty_bin_gets_no_column():
    assert list(encode({"x": [*range(11), 100]}, {})) == ["x_3"]


def test_missing_number_is_the_last_level_and_makes_the_names_float():
    few = encode({"x": [1, 2, None]}, {})
    assert list(few) == ["x_2.0", "x_nan"]
    assert few["x_nan"].tolist() == [0, 0, 1]
    many = encode({"x": [None, *range(13)]}, {})
    assert list(many) == ["x_1.0", "x_2.0", "x_3.0", "x_nan"]
    assert many["x_nan"].tolist() == [1] + [0] * 13


def test_categorical_columns_come_first_and_keep_the_declared_order():
    raw = {"size": [1, 2], "when": ["Post", "Pre"]}
    columns = encode(raw, {"when": ("Pre", "Post")})
    assert list(columns) == ["when_Post", "size_2"]
    assert columns["when_Post"].tolist() == [1, 0]


@pytest.mark.parametrize(
    "values",
    [1e15 + np.arange(13), 1 + np.arange(13) * 2.0**-50, np.arange(-6, 7) * 2.5e307],
    ids=["far from 0", "close together", "nearly infinite"],
)
def test_bins_hold_the_smallest_number_however_large_or_close(values):
    binarizer = Binarizer(encoding="paper").fit(values.reshape(-1, 1))
    bins = binarizer.transform(values.reshape(-1, 1)) @ [1, 2, 3]
    assert bins.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_columns_of_one_published_name_are_both_kept():
    frame = {"a": ["a", "b_c"], "a_b": ["b", "c"]}
    binarizer = Binarizer(encoding="paper").fit(pl.DataFrame(frame))
    assert binarizer.get_feature_names_out().tolist() == ["a_b_c", "a_b_c"]
    assert binarizer.questions_.texts == ["a is b_c", "a_b is c"]
