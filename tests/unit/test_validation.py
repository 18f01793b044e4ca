"""Bad input gets a clear error: what is needed, what came, where, what next."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from survtree import Binarizer, OptimalSurvivalTree, export_text
from survtree._base.options import OPTIONS

X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 4)
EVENT = np.array([True, True, False, True] * 4)
TIME = np.arange(1.0, 17.0)
Y = (EVENT, TIME)


def with_value(array, place, value, dtype=None):
    out = array.astype(dtype or float).copy()
    out[place] = value
    return out


BAD_X = {
    "one dimension": (X[:, 0], "Expected 2D array"),
    "sparse": (csr_array(X), "Sparse data was passed"),
    "no rows": (X[:0], "0 sample"),
    "no columns": (X[:, :0], "0 feature"),
    "nan": (with_value(X, (2, 0), np.nan), r"16 rows.*missing in 'x0' \(1, the first in row 2\)"),
    "infinite": (with_value(X, (2, 0), np.inf), "row 2 has inf"),
    "text among numbers": (
        with_value(X, (1, 1), "n/a", object),
        "'x1' must hold either numbers or text; row 1 has 'n/a', row 0 has 1.*make it None",
    ),
    "none in objects": (with_value(X, (1, 1), None, object), "missing in 'x1'"),
    "dict in objects": (with_value(X, (1, 1), {}, object), "'x1'.*holds objects of type dict"),
    "bytes": (X.astype("S"), "'x0'.*holds objects of type bytes"),
    "dates": (X.astype("datetime64[D]"), "'x0'.*holds dates.*days since"),
    "durations": (X.astype("timedelta64[D]"), "'x0'.*holds durations"),
    "masked": (np.ma.masked_array(X, X == 1), "missing in 'x0'"),
    "too large": (with_value(X, (1, 1), 10**400, object), "'x1'.*too large for a float"),
    "ragged": ([[1, 2], [3]], "equally many cells; row 0 has 2, row 1 has 1"),
    "complex": (X.astype(complex), "Complex data not supported"),
    "pandas missing": (pd.DataFrame({"a": [None, 1.0] * 8}), r"'a' \(8, the first in row 0\)"),
    "pandas period": (
        pd.DataFrame({"p": pd.period_range("2020", periods=16)}),
        "'p'.*holds objects of type Period",
    ),
    "pandas nullable": (
        pd.DataFrame({"a": pd.array([None, True] * 8, dtype="boolean")}),
        r"missing in 'a' \(8",
    ),
    "pandas duplicates": (
        pd.DataFrame(X, columns=["a", "a"]),
        "names must differ; 'a' occurs twice",
    ),
    "polars null": (pl.DataFrame({"a": [None, 1] * 8}), r"missing in 'a' \(8"),
    "polars list": (pl.DataFrame({"a": [[1]] * 16}), "'a'.*holds values of type List"),
    "polars date": (
        pl.DataFrame({"d": pl.Series([0] * 16).cast(pl.Date)}),
        "'d'.*holds dates",
    ),
    "three dimensions": (np.zeros((16, 2, 2)), "dim 3|3D"),
}


@pytest.mark.parametrize("name", BAD_X)
def test_bad_x(name):
    bad, message = BAD_X[name]
    with pytest.raises((ValueError, TypeError), match=message):
        OptimalSurvivalTree().fit(bad, Y)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (
            [f"p{i}" for i in range(9)],
            "'id' must have at most 8.*it has 9: 'p0', 'p1'.*identifier",
        ),
        ([str(i) for i in range(9)], "'id' must have at most 8 levels.*read as numbers: convert"),
    ],
)
def test_too_many_levels(levels, message):
    frame = pd.DataFrame({"id": (levels * 2)[:16]})
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTree(max_levels=8).fit(frame, Y)
    assert OptimalSurvivalTree(max_levels=9).fit(frame, Y).status_ == "optimal"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y is None"),
        (TIME, "must hold event and time"),
        ((EVENT, TIME[:-1]), "same length; got 16 and 15"),
        ((EVENT[:-1], TIME[:-1]), "X has 16, y has 15"),
        ((np.zeros(16, bool), TIME), "no event was observed.*16 of 16.*inverted"),
        ((EVENT + 1, TIME), "row 0 has 2.*event == 2"),
        ((TIME, EVENT), "row 1 has 2.*swapped"),
        ((EVENT.astype(str), TIME), "holds text: 'False', 'True'.*event == 'True'"),
        ((np.where(EVENT, "dead", "alive").astype(object), TIME), "event == 'dead'"),
        ((EVENT.astype(int).astype(str).astype(object), TIME), "holds text: '0', '1'"),
        ((pd.array([None, True] * 8, dtype="boolean"), TIME), "row 0 has a missing value"),
        ((EVENT, TIME.astype(str)), "time must hold numbers; it holds text: '1.0'"),
        ((EVENT, EVENT), "time must hold numbers; it holds flags"),
        ((EVENT, TIME.astype("datetime64[D]")), "time must hold numbers; it holds dates"),
        ((EVENT, np.ma.masked_array(TIME, TIME == 3)), "row 2 has nan"),
        ((with_value(EVENT, 0, np.nan), TIME), "missing flag"),
        ((EVENT, with_value(TIME, 7, -2.0)), "not be negative; row 7 has -2.0"),
        ((EVENT, with_value(TIME, 7, np.nan)), "must be finite; row 7 has nan"),
        ((EVENT, with_value(TIME, 7, np.inf)), "must be finite; row 7 has inf"),
        ((EVENT, np.zeros(16)), "must not all be 0"),
        (np.zeros((16, 3)), "must hold event and time"),
        (pd.DataFrame({"a": EVENT}), "two columns.*it has 1"),
    ],
)
def test_bad_y(y, message):
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTree().fit(X, y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(3), "X has 16, it has 3"),
        (with_value(np.ones(16), 4, -1), "row 4 has -1.0"),
        (np.zeros(16), "it is 0 in all"),
        (with_value(np.ones(16), 4, np.nan), "row 4 has nan"),
        (with_value(np.ones(16), 4, 1e13), "factor of 1e\\+12"),
        (np.ones((16, 1)), "one column"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTree().fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", -1),
        ("max_depth", 1001),
        ("max_depth", 2.0),
        ("max_depth", True),
        ("regularization", -0.1),
        ("regularization", np.nan),
        ("regularization", None),
        ("regularization", "0.1"),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", None),
        ("time_limit", 0),
        ("time_limit", np.inf),
        ("memory_limit", 10),
        pytest.param("memory_limit", "9" * 400 + "GB", id="memory_limit of 400 digits"),
        pytest.param("regularization", Fraction(10**400), id="a fraction of 400 digits"),
        ("regularization", 10**400),
        ("gap", 1.0),
        ("gap", -0.1),
        ("upper_bound", 0.0),
        ("n_jobs", 1.5),
        ("n_jobs", 0),
        ("max_depth", 10**400),
        ("verbose", -1),
    ],
)
def test_bad_options_name_the_option_the_range_and_the_value(name, value):
    option = next(o for o in OPTIONS if o.name == name)
    with pytest.raises((TypeError, ValueError)) as caught:
        OptimalSurvivalTree(**{name: value}).fit(X, Y)
    assert str(caught.value) == f"{name} must be {option.range_text}; got {value!r}."


def test_a_leaf_size_beyond_all_numbers_gives_one_leaf():
    assert OptimalSurvivalTree(2, 0.0, min_samples_leaf=10**400).fit(X, Y).n_leaves_ == 1


@pytest.mark.parametrize("n_jobs", [1, 2, -1, -2, 10**9])
def test_any_number_of_jobs_gives_the_same_tree(n_jobs):
    alone = OptimalSurvivalTree(3, 0.0, min_samples_leaf=1).fit(X, Y)
    model = OptimalSurvivalTree(3, 0.0, min_samples_leaf=1, n_jobs=n_jobs).fit(X, Y)
    assert model.objective_ == alone.objective_
    assert np.array_equal(model.tree_.question, alone.tree_.question)


GOOD_Y = {
    "pair": Y,
    "list pair": [EVENT, TIME],
    "lists": (EVENT.tolist(), TIME.tolist()),
    "0/1": (EVENT.astype(int), TIME),
    "0.0/1.0": (EVENT.astype(float), TIME),
    "structured": np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("e", bool), ("t", float)]),
    "structured, time first": np.array(
        list(zip(TIME, EVENT, strict=True)), dtype=[("t", float), ("e", bool)]
    ),
    "pandas": pd.DataFrame({"event": EVENT, "time": TIME}, index=range(100, 116)),
    "pandas, time first": pd.DataFrame({"time": TIME, "event": EVENT.astype(int)}),
    "polars": pl.DataFrame({"event": EVENT, "time": TIME}),
    "pyarrow": pa.table({"event": EVENT, "time": TIME}),
    "matrix": np.column_stack([EVENT, TIME]),
    "pandas columns": (pd.Series(EVENT), pd.Series(TIME)),
}


@pytest.mark.parametrize("name", GOOD_Y)
def test_every_shape_of_y_gives_the_same_tree(name):
    expected = OptimalSurvivalTree(2, 0.001, min_samples_leaf=2).fit(X, Y)
    model = OptimalSurvivalTree(2, 0.001, min_samples_leaf=2).fit(X, GOOD_Y[name])
    assert model.objective_ == expected.objective_
    assert model.certificate_.fingerprint == expected.certificate_.fingerprint


GOOD_X = {
    "bool": X.astype(bool),
    "float": X.astype(float),
    "fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "objects": X.astype(object),
    "list": X.tolist(),
    "pandas": pd.DataFrame(X),
    "pandas bool": pd.DataFrame(X.astype(bool), index=range(50, 66)),
    "pandas nullable": pd.DataFrame(X).astype("Int64"),
    "polars": pl.DataFrame(X, schema=["x0", "x1"]),
    "polars bool": pl.DataFrame(X.astype(bool), schema=["x0", "x1"]),
    "pyarrow": pa.table({"x0": X[:, 0], "x1": X[:, 1]}),
}


@pytest.mark.parametrize("name", GOOD_X)
def test_every_shape_of_x_gives_the_same_tree(name):
    expected = OptimalSurvivalTree(2, 0.001, min_samples_leaf=2).fit(X, Y)
    given = GOOD_X[name]
    model = OptimalSurvivalTree(2, 0.001, min_samples_leaf=2).fit(given, Y)
    assert model.objective_ == expected.objective_
    assert np.array_equal(model.predict(given), expected.predict(X))


def test_read_only_and_memory_mapped_arrays(tmp_path):
    np.save(tmp_path / "x.npy", X.astype(np.uint8))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    frozen = X.astype(np.uint8)
    frozen.flags.writeable = False
    results = [OptimalSurvivalTree(2, 0.001).fit(x, Y).objective_ for x in (X, mapped, frozen)]
    assert len(set(results)) == 1


def test_prediction_checks_names_and_width():
    model = OptimalSurvivalTree(1).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=["b", "a"]))
    with pytest.raises(ValueError, match="3 features"):
        OptimalSurvivalTree(1).fit(X, Y).predict(np.zeros((2, 3)))


@pytest.mark.parametrize("quantile", [0, 1, -0.5, "a", None])
def test_bad_quantiles(quantile):
    model = OptimalSurvivalTree(1).fit(X, Y)
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict_quantile(X, quantile)


@pytest.mark.parametrize("times", [[2.0, 1.0], [np.nan], [np.inf], [[1.0, 2.0]], ["a"]])
def test_bad_times(times):
    model = OptimalSurvivalTree(1).fit(X, Y)
    with pytest.raises(ValueError, match="time"):
        model.predict_survival_function(X, times=times)


@pytest.mark.parametrize("method", ["apply", "predict", "predict_median", "decision_path"])
def test_the_warning_of_unseen_levels_points_at_the_caller(method):
    stage = pd.DataFrame({"stage": np.where(X[:, 0] == 1, "I", "II")})
    model = OptimalSurvivalTree(1, 0.0, min_samples_leaf=1).fit(stage, Y)
    with pytest.warns(UserWarning, match="'IV'") as caught:
        getattr(model, method)(stage.replace("I", "IV"))
    assert [warning.filename for warning in caught] == [__file__]


def numbers_in_every_layout(folder):
    """The same raw numbers (whole, so that every type can hold them) as arrays of many kinds."""
    raw = np.random.default_rng(0).integers(-50, 50, (300, 4)).astype(float)
    raw[:, 3] = raw[:, 3] > 0
    np.save(folder / "raw.npy", raw)
    wide = np.zeros((600, 8))
    wide[::2, ::2] = raw
    frozen = raw.copy()
    frozen.flags.writeable = False
    types = (">f8", ">i4", "i1", "f2", "f4", np.longdouble, object)
    return raw, {
        "fortran": np.asfortranarray(raw),
        "strided": wide[::2, ::2],
        "reversed": raw[::-1].copy()[::-1],
        "read-only": frozen,
        "memory-mapped": np.load(folder / "raw.npy", mmap_mode="r"),
        "masked": np.ma.masked_array(raw),
        "lists": raw.tolist(),
        **{str(dtype): raw.astype(dtype) for dtype in types},
    }


def test_raw_numbers_in_every_layout_and_type_give_the_same_tree(tmp_path):
    raw, layouts = numbers_in_every_layout(tmp_path)
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.7, rng.exponential(np.exp(raw[:, 0] / 40)) + 0.1
    expected = OptimalSurvivalTree(3, 0.002).fit(raw, y)
    assert expected.n_leaves_ > 2
    for name, given in layouts.items():
        model = OptimalSurvivalTree(3, 0.002).fit(given, y)
        assert export_text(model) == export_text(expected), name
        assert np.array_equal(model.apply(given), expected.apply(raw)), name


def test_a_masked_outcome_is_missing():
    y = np.ma.array(np.column_stack([EVENT.astype(float), TIME]))
    assert OptimalSurvivalTree(1, 0.01).fit(X, y).n_leaves_ >= 1
    y[5, 1] = np.ma.masked
    with pytest.raises(ValueError, match="row 5"):
        OptimalSurvivalTree(1, 0.01).fit(X, y)


@pytest.mark.parametrize("dtype", [str, object])
def test_masked_text_is_missing(dtype):
    cells = np.array([["a"], ["hidden"], ["b"], ["c"]] * 4, dtype=dtype)
    masked = np.ma.array(cells, mask=cells == "hidden")
    with pytest.raises(ValueError, match=r"missing in 'x0' \(4, the first in row 1\)"):
        OptimalSurvivalTree().fit(masked, Y)
    binarizer = Binarizer(missing="question").fit(masked)
    assert binarizer.get_feature_names_out().tolist() == [
        *("x0 is a", "x0 is b", "x0 is c", "x0 is missing")
    ]
    assert binarizer.transform(masked)[:3].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]
    assert np.array_equal(masked.data, cells)


def test_masked_flags_and_numbers_of_objects_are_missing():
    cells = np.array([[True, 1.5], [False, 2.5], [True, 3.5]], dtype=object)
    masked = np.ma.array(cells, mask=[[0, 0], [1, 0], [0, 1]])
    binarizer = Binarizer(missing="question", thresholds="all").fit(masked)
    assert binarizer.get_feature_names_out().tolist() == [
        "x0 is missing",
        "x1 <= 2",
        "x1 is missing",
    ]


def test_masked_causes_are_missing():
    cause = np.array(["relapse", "death", "censored", "relapse"] * 4)
    model = OptimalSurvivalTree(1, 0.01, min_samples_leaf=1)
    fitted = model.fit(X, (np.ma.array(cause), TIME), cause="relapse")
    assert fitted.causes_.names == ("death", "relapse")
    masked = np.ma.array(cause, mask=np.arange(16) == 3)
    with pytest.raises(ValueError, match="row 3 has a missing value"):
        model.fit(X, (masked, TIME), cause="relapse")
