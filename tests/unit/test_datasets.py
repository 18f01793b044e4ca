"""The demo data sets: what load() returns, and that the tables are the ones they claim to be."""

import csv
import sys
from importlib import import_module

import narwhals as nw
import numpy as np
import pytest

from survtree import datasets
from survtree.datasets import _typed
from tests.support.paper_data import paper_data
from tests.support.sksurv_loaders import LOADERS

# name: rows, raw columns, paper columns, events
FACTS = {
    "veterans": (137, 6, 14, 128),
    "whas500": (500, 14, 26, 215),
    "gbsg2": (686, 8, 19, 299),
    "aids": (1151, 11, 25, 96),
    "aids_death": (1151, 11, 25, 26),
}


@pytest.fixture(params=["polars", "pandas", "pyarrow"])
def backend(request):
    pytest.importorskip(request.param)
    return request.param


@pytest.fixture
def any_backend():
    for name in ("polars", "pandas", "pyarrow"):
        try:
            import_module(name)
        except ImportError:
            continue
        return name
    pytest.skip("needs one of polars, pandas, pyarrow")


def columns_of(X):
    return nw.from_native(X, eager_only=True).to_dict(as_series=False)


def test_names_lists_every_set():
    assert datasets.names() == list(FACTS)


@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize("encoding", ["raw", "paper"])
def test_shapes_and_event_counts(name, encoding, any_backend):
    n_rows, n_raw, n_paper, n_events = FACTS[name]
    X, y = datasets.load(name, encoding=encoding, backend=any_backend)
    assert X.shape == (n_rows, n_raw if encoding == "raw" else n_paper)
    assert y.shape == (n_rows,)
    assert y.dtype == np.dtype([("event", bool), ("time", np.float64)])
    assert y["event"].sum() == n_events
    assert (y["time"] > 0).all()


@pytest.mark.parametrize("name", FACTS)
def test_no_outcome_column_is_left_among_the_features(name, any_backend):
    outcomes = {"Status", "Survival_in_days", "fstat", "lenfol", "cens", "time"}
    outcomes |= {"censor", "censor_d", "time_d"}
    assert not outcomes & set(columns_of(datasets.load(name, backend=any_backend).X))


def test_dataset_carries_its_story_and_cannot_be_changed(any_backend):
    data = datasets.load("gbsg2", backend=any_backend)
    assert data.name == "gbsg2"
    assert "breast cancer" in data.description
    assert "Schumacher" in data.source
    with pytest.raises(AttributeError):
        data.name = "other"


def test_repr_is_short_and_leaves_the_data_out(any_backend):
    data = datasets.load("veterans", backend=any_backend)
    assert repr(data).startswith("Dataset(name='veterans', description=")
    assert "squamous" not in repr(data)


def test_unpacking_gives_the_fields(any_backend):
    data = datasets.load("veterans", backend=any_backend)
    X, y = data
    assert X is data.X
    assert y is data.y


def test_default_is_raw_polars():
    pl = pytest.importorskip("polars")
    X, _ = datasets.load("veterans")
    assert isinstance(X, pl.DataFrame)
    assert X.row(0) == (69, "squamous", 60, 7, "no", "standard")


def test_frame_is_native_to_the_backend_asked_for(backend):
    X, _ = datasets.load("aids", backend=backend)
    assert type(X).__module__.split(".")[0] == backend


def test_raw_column_types(backend):
    X, _ = datasets.load("aids", backend=backend)
    schema = nw.from_native(X, eager_only=True).schema
    assert schema["age"] == nw.Int64
    assert schema["raceth"] == nw.String  # a code whose order means nothing
    assert schema["cd4"] == nw.Float64
    X, _ = datasets.load("gbsg2", backend=backend)
    assert nw.from_native(X, eager_only=True).schema["tgrade"] == nw.String


@pytest.mark.parametrize("encoding", ["raw", "paper"])
def test_backends_hold_the_same_values(backend, encoding):
    pytest.importorskip("polars")
    expected = columns_of(datasets.load("gbsg2", encoding=encoding, backend="polars").X)
    assert columns_of(datasets.load("gbsg2", encoding=encoding, backend=backend).X) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "", "3"], [1, None, 3]),
        (["1", "2.5", ""], [1.0, 2.5, None]),
        (["a", "", "1"], ["a", None, "1"]),
    ],
)
def test_cells_are_typed_by_column_and_empty_ones_are_null(cells, expected):
    typed = _typed(cells)
    assert typed == expected
    assert list(map(type, typed)) == list(map(type, expected))


@pytest.mark.parametrize(
    ("given", "options", "needed"),
    [
        ("veteran", {}, ["name must be one of", "'whas500'", "Did you mean 'veterans'?"]),
        ("GBSG2", {}, ["got 'GBSG2'", "Did you mean 'gbsg2'?"]),
        ("veterans", {"encoding": "papers"}, ["encoding must", "'raw'", "mean 'paper'?"]),
        ("veterans", {"backend": "panda"}, ["backend must", "'pyarrow'", "mean 'pandas'?"]),
        ("veterans", {"backend": None}, ["backend must", "got None"]),
    ],
)
def test_unknown_choice_names_the_valid_ones_and_the_nearest(given, options, needed):
    with pytest.raises(ValueError, match="must be one of") as caught:
        datasets.load(given, **options)
    for part in needed:
        assert part in str(caught.value)


def test_no_hint_when_nothing_is_near():
    with pytest.raises(ValueError, match="must be one of") as caught:
        datasets.load("zzz")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("missing", ["polars", "pandas", "pyarrow"])
def test_missing_library_says_what_to_install(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=f"pip install {missing}"):
        datasets.load("veterans", backend=missing)


def test_polars_is_not_needed_for_another_backend(monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    X, _ = datasets.load("veterans", backend="pandas")
    assert X.shape == (137, 6)


@pytest.mark.parametrize("name", FACTS)
def test_paper_encoding_equals_the_published_file(name, any_backend):
    published_tables = paper_data()
    with (published_tables / f"{name}.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    published = np.array(rows, dtype=float)
    X, y = datasets.load(name, encoding="paper", backend=any_backend)
    columns = columns_of(X)
    assert list(columns) == header[:-2]
    np.testing.assert_array_equal(np.column_stack(list(columns.values())), published[:, :-2])
    np.testing.assert_array_equal(y["event"], published[:, -2])
    np.testing.assert_array_equal(y["time"], published[:, -1])


@pytest.mark.parametrize("name", FACTS)
def test_raw_values_equal_scikit_survival(name, any_backend):
    sksurv_datasets = pytest.importorskip("sksurv.datasets")
    loader, arguments = LOADERS[name]
    X_theirs, y_theirs = getattr(sksurv_datasets, loader)(*arguments)
    X, y = datasets.load(name, backend=any_backend)
    columns = columns_of(X)
    assert list(columns) == list(X_theirs.columns)
    for column, cells in columns.items():
        theirs = X_theirs[column].tolist()
        # Codes such as "0" and "1" are text there and integers here.
        same_type = [type(value)(cell) for value, cell in zip(theirs, cells, strict=True)]
        assert same_type == theirs, column
    event, time = y_theirs.dtype.names
    np.testing.assert_array_equal(y["event"], y_theirs[event])
    np.testing.assert_array_equal(y["time"], y_theirs[time])
