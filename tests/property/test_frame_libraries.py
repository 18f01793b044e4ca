"""The same data give the same tree, whichever library and type holds them."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from survtree import OptimalSurvivalTree, export_text
from survtree._questions import screening

N = 48
LEVELS = ["low", "mid", "top", "unused"]


def random_cells(kind, rng):
    """Cells as Python values."""
    draw = {
        "whole": lambda: rng.integers(-4, 9, N),
        "small": lambda: rng.integers(0, 6, N),
        "large": lambda: rng.integers(0, 5, N) * 2**53 + rng.integers(0, 2, N),
        "real": lambda: rng.normal(0, 3, N).round(2),
        "tiny": lambda: rng.integers(-5, 5, N) * 5e-324,
        "zero_one": lambda: rng.integers(0, 2, N),
        "flag": lambda: rng.random(N) < 0.5,
        "text": lambda: rng.choice(["a", "b", "", "c or d", "missing", "1"], N),
        "two": lambda: rng.choice(["no", "yes"], N),
        "category": lambda: rng.choice(LEVELS[:3], N),
        "ordered": lambda: rng.choice(LEVELS[:3], N),
        "decimal": lambda: rng.integers(-999, 999, N),
    }[kind]
    cells = draw().tolist()
    return [Decimal(cell).scaleb(-2) for cell in cells] if kind == "decimal" else cells


KINDS = [
    *("whole", "small", "large", "real", "tiny", "zero_one", "flag", "text", "two", "category"),
    *("ordered", "decimal"),
]
WHOLE = ("whole", "small", "large", "zero_one")
NUMPY = {**dict.fromkeys(WHOLE, "int64"), "real": "float64", "tiny": "float64", "flag": "bool"}
NULLABLE = {**dict.fromkeys(WHOLE, "Int64"), "real": "Float64", "tiny": "Float64"}
ARROW = {**dict.fromkeys(WHOLE, pa.int64()), "real": pa.float64(), "tiny": pa.float64()}
POLARS = {**dict.fromkeys(WHOLE, pl.Int64), "real": pl.Float64, "tiny": pl.Float64}


def pandas_numpy(kind, cells):
    if kind in ("category", "ordered"):
        return pd.Categorical(cells, categories=LEVELS, ordered=kind == "ordered")
    if None in cells:  # integers with gaps are floats to NumPy, flags are objects
        return pd.Series(cells, dtype="float64" if kind in NUMPY and kind != "flag" else object)
    return pd.Series(cells, dtype=NUMPY.get(kind, object))


def pandas_inferred(kind, cells):
    return None if kind in ("category", "ordered") else pd.Series(cells)


def pandas_nullable(kind, cells):
    dtype = {**NULLABLE, "flag": "boolean", "text": "string", "two": "string"}.get(kind)
    return None if dtype is None else pd.array(cells, dtype=dtype)


def pandas_small(kind, cells):
    return pd.array(cells, dtype="Int8") if kind == "small" else None


def pandas_arrow(kind, cells):
    return pd.Series(pd.arrays.ArrowExtensionArray(pyarrow(kind, cells)))


def pandas_objects(kind, cells):
    return None if kind in ("category", "ordered") else pd.Series(cells, dtype=object)


def polars(kind, cells):
    if kind == "ordered":  # polars has no type that says so
        return None
    types = {**POLARS, "flag": pl.Boolean, "category": pl.Enum(LEVELS), "decimal": pl.Decimal(9, 2)}
    return pl.Series(cells, dtype=types.get(kind, pl.String))


def polars_small(kind, cells):
    if kind == "category":
        return pl.Series(cells, dtype=pl.Categorical)
    return pl.Series(cells, dtype=pl.UInt8) if kind == "small" else None


def pyarrow(kind, cells):
    if kind in ("category", "ordered"):
        places = pa.array(
            [None if cell is None else LEVELS.index(cell) for cell in cells], pa.int8()
        )
        is_ordered = kind == "ordered"
        array = pa.DictionaryArray.from_arrays(places, pa.array(LEVELS), ordered=is_ordered)
    else:
        types = {**ARROW, "flag": pa.bool_(), "decimal": pa.decimal128(9, 2)}
        array = pa.array(cells, types.get(kind, pa.string()))
    return pa.chunked_array([array[:7], array[7:]])


def pyarrow_small(kind, cells):
    if kind == "text":
        return pa.chunked_array([pa.array(cells, pa.large_string())])
    return pa.chunked_array([pa.array(cells, pa.uint8())]) if kind == "small" else None


LIBRARIES = {
    "pandas": (pandas_numpy, pd.DataFrame),
    "pandas, inferred": (pandas_inferred, pd.DataFrame),
    "pandas, nullable": (pandas_nullable, pd.DataFrame),
    "pandas, small": (pandas_small, pd.DataFrame),
    "pandas, arrow": (pandas_arrow, pd.DataFrame),
    "pandas, objects": (pandas_objects, pd.DataFrame),
    "polars": (polars, pl.DataFrame),
    "polars, small": (polars_small, pl.DataFrame),
    "pyarrow": (pyarrow, pa.table),
    "pyarrow, small": (pyarrow_small, pa.table),
}


def data(kinds, has_gaps, seed):
    """Columns of Python values, and an outcome that depends on the first."""
    rng = np.random.default_rng(seed)
    columns = [random_cells(kind, rng) for kind in kinds]
    code = np.unique([str(cell) for cell in columns[0]], return_inverse=True)[1]
    time = rng.exponential(2 + 6 * (code % 3 == 1)).round(1) + 0.1
    y = (rng.random(N) < 0.8, time)
    if has_gaps:
        columns = [[None if rng.random() < 0.15 else cell for cell in cells] for cells in columns]
    return columns, y


def frames(kinds, columns):
    """The table in every library and type that can hold all its columns."""
    for library, (make, table) in LIBRARIES.items():
        made = [make(kind, cells) for kind, cells in zip(kinds, columns, strict=True)]
        if all(column is not None for column in made):
            yield library, table({f"x{j}": column for j, column in enumerate(made)})


def arrays(columns):
    """The table as objects, nested lists and, if they are numbers, as an array of them."""
    objects = np.empty((N, len(columns)), dtype=object)
    for j, cells in enumerate(columns):
        objects[:, j] = cells
    yield "objects", objects
    yield "lists", objects.tolist()
    if all(
        isinstance(cell, (int, float)) for cells in columns for cell in cells if cell is not None
    ):
        yield "numbers", objects.astype(float)


def fitted(X, y, thresholds):
    model = OptimalSurvivalTree(
        2, 0.002, min_samples_leaf=3, thresholds=thresholds, missing="question"
    )
    return model.fit(X, y)


def sizes(model):
    return sorted(curve.n_rows for curve in model.leaf_curves_.values())


@pytest.mark.parametrize("has_gaps", [False, True], ids=["whole", "with gaps"])
@pytest.mark.parametrize(
    "kinds", [*([kind] for kind in KINDS), KINDS[:-2], ["ordered", "whole", "flag"]], ids="-".join
)
@pytest.mark.parametrize("thresholds", ["auto", 3, "guess"])
def test_every_library_gives_the_same_tree(kinds, has_gaps, thresholds, monkeypatch):
    monkeypatch.setattr(screening, "ROUNDS", 10)
    columns, y = data(kinds, has_gaps, seed=len(kinds) + has_gaps)
    models = {library: fitted(X, y, thresholds) for library, X in frames(kinds, columns)}
    first = next(iter(models.values()))
    assert len(models) >= 3
    for library, model in models.items():
        assert model.questions_.texts == first.questions_.texts, library
        assert model.objective_ == first.objective_, library
        assert export_text(model) == export_text(first), library
    leaves = [first.apply(X).tolist() for _, X in frames(kinds, columns)]
    assert all(other == leaves[0] for other in leaves)
    if "ordered" in kinds:
        return
    for library, X in arrays(columns):
        model = fitted(X, y, thresholds)
        assert model.objective_ == first.objective_, library
        assert sizes(model) == sizes(first), library
        assert model.certificate_.verify(X, y)


UNUSABLE = {
    "dates": [np.datetime64("2020-01-01", "us").item()] * N,
    "durations": [np.timedelta64(1, "s").item()] * N,
    "bytes": [b"a"] * N,
    "lists": [[1]] * N,
    "infinity": [float("inf")] * N,
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_every_library_refuses_the_same(kind):
    cells, y = UNUSABLE[kind], (np.ones(N, bool), np.arange(1.0, N + 1))
    objects = np.empty((N, 1), dtype=object)
    objects[:, 0] = cells
    tables = [
        pd.DataFrame({"x0": pd.Series(cells)}),
        pd.DataFrame({"x0": pd.Series(cells, dtype=object)}),
        pd.DataFrame({"x0": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([cells])))}),
        pl.DataFrame({"x0": cells}),
        pa.table({"x0": cells}),
        objects,
    ]
    for table in tables:
        with pytest.raises(ValueError, match=r"^column 'x0' must hold "):
            OptimalSurvivalTree().fit(table, y)


def test_objects_are_judged_by_all_of_them():
    y = (np.ones(300, bool), np.tile([1.0, 2.0, 3.0], 100))
    late = [None] * 200 + list(range(100))
    frame = pd.DataFrame({"a": pd.Series(late, dtype=object)})
    model = OptimalSurvivalTree(missing="question", thresholds=[3.5]).fit(frame, y)
    assert model.questions_.texts == ["a <= 3.5", "a is missing"]
    mixed = pd.DataFrame({"a": pd.Series(["u"] * 200 + [1] * 100, dtype=object)})
    with pytest.raises(ValueError, match=r"'a'.*row 0 has 'u', row 200 has 1"):
        OptimalSurvivalTree().fit(mixed, y)


def test_levels_of_other_columns_of_the_process_are_none_of_this_one():
    pl.Series(["z", "y"], dtype=pl.Categorical)
    y = (np.ones(N, bool), np.arange(1.0, N + 1))
    frame = pl.DataFrame({"a": pl.Series(["y", "b", "a"] * (N // 3), dtype=pl.Categorical)})
    assert fitted(frame, y, "auto").questions_.texts == ["a is a", "a is b", "a is y"]
    paper = OptimalSurvivalTree(encoding="paper").fit(frame, y)
    assert paper.binarizer_.get_feature_names_out().tolist() == ["a_b", "a_y"]
