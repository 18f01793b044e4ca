"""A fit on rows that are read in passes is the fit on the same rows in memory."""

import warnings

import duckdb
import numpy as np
import polars as pl
import pytest

from survtree import OptimalSurvivalTree

N_TABLES = 300
ATTRIBUTES = ("status_", "n_leaves_", "depth_", "horizon_", "shrinkage_", "min_events_leaf_")
ATTRIBUTES += ("screening_", "one_leaf_reason_", "excluded_", "group_names_", "groups_", "causes_")
NUMBERS = ("objective_", "loss_", "lower_bound_", "gap_", "regularization_", "ibs_ratio_")
NUMBERS += ("exact_loss_",)


def random_table(rng):
    """Ties, duplicates, gaps, categories and flags; few or many distinct times."""
    n = int(rng.integers(30, 300))
    decimals = int(rng.integers(0, 4))
    numbers = rng.normal(50, 20, n).round(decimals)
    columns = {
        "flag": rng.random(n) < 0.4,
        "bit": rng.integers(0, 2, n),
        "age": numbers,
        "count": rng.poisson(3, n),
        "stage": rng.choice(["I", "II", "III", "IV", "10", "9"], n),
        "code": rng.integers(1, 4, n),
        "same": np.full(n, 3.5),
    }
    scale = 10.0 ** int(rng.integers(0, 3))
    time = np.ceil(scale * rng.exponential(5, n)) / scale
    if rng.random() < 0.3:
        time = rng.exponential(5, n)  # in no decimal unit
    event = (rng.random(n) < rng.choice([0.2, 0.6, 1.0])).astype(np.int64)
    event[int(rng.integers(n))] = 1
    frame = pl.DataFrame({**columns, "time": time, "event": event})
    # Numbers of other types, beside which a cut must not be rounded.
    age = [pl.Float64, pl.Float32, pl.Decimal(12, 4)][n % 3]
    frame = frame.with_columns(pl.col("age").cast(age))
    if rng.random() < 0.5:  # duplicates
        frame = frame[rng.integers(0, n, 2 * n).tolist()]
        frame = frame if frame["event"].sum() else frame.with_columns(event=1)
    return frame


def with_gaps(frame, rng):
    names = ("flag", "age", "stage", "count")
    gone = {name: pl.Series(rng.random(len(frame)) < 0.1) for name in names}
    return frame.with_columns(
        pl.when(is_gone).then(None).otherwise(pl.col(name)).alias(name)
        for name, is_gone in gone.items()
    )


def random_options(rng):
    options = {
        "max_depth": int(rng.integers(1, 4)),
        "regularization": float(rng.choice([0.0005, 0.005, 0.02])),
        "thresholds": [3, 15, "all", ("width", 4), [40.0, 60.0], "auto"][int(rng.integers(6))],
        "min_samples_leaf": int(rng.choice([1, 7, 20])),
        "min_events_leaf": int(rng.choice([0, 2])),
        "levels": str(rng.choice(["each", "grouped", "subsets"])),
        "categorical": ["code"] if rng.random() < 0.5 else None,
        "exclude": ["count"] if rng.random() < 0.3 else None,
        "time_buckets": [None, 5][int(rng.integers(2))],
        "horizon": [None, "auto"][int(rng.integers(2))],
        "loss": ["brier", "likelihood"][int(rng.random() < 0.2)],
        "first_split": "stage" if rng.random() < 0.1 else None,
        "column_penalties": {"age": 0.002} if rng.random() < 0.2 else None,
        "max_leaves": 3 if rng.random() < 0.1 else None,
    }
    if rng.random() < 0.1:
        options |= {"regularization": "auto", "teacher": None, "thresholds": 5}
    return options


def fitted(options, *rows, **roles):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return OptimalSurvivalTree(**options).fit(*rows, **roles)
        except ValueError as error:
            return str(error)


def assert_same(ours, theirs):
    assert list(ours.questions_) == list(theirs.questions_)
    for name in ATTRIBUTES:
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in NUMBERS:
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-9, abs=1e-12)
    for name in ("question", "no", "yes"):
        assert np.array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name))
    assert np.array_equal(ours.unique_times_, theirs.unique_times_)
    assert ours.warnings_ == theirs.warnings_
    assert ours.binarizer_.seen_ == theirs.binarizer_.seen_
    for mine, other in zip(ours.leaf_curves_.values(), theirs.leaf_curves_.values(), strict=True):
        assert (mine.n_rows, mine.n_events) == (other.n_rows, other.n_events)
        for name in ("times", "events", "censored"):
            assert np.allclose(getattr(mine, name), getattr(other, name), rtol=1e-12)


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_a_streamed_fit_equals_the_fit_in_memory(seed, tmp_path):
    rng = np.random.default_rng(seed)
    frame, options = random_table(rng), random_options(rng)
    roles = {"duration_col": "time", "event_col": "event"}
    if rng.random() < 0.4:
        frame = with_gaps(frame, rng)
        options["missing"] = str(rng.choice(["question", "better", "drop", "error"]))
    if rng.random() < 0.2:
        frame = frame.with_columns(pl.col("event") * pl.Series(rng.integers(1, 3, len(frame))))
        roles["cause"] = 1
        options["loss"] = "brier"
    weight = None
    if rng.random() < 0.3:
        weight = rng.choice([0.0, 0.5, 1.0, 2.25], len(frame))
        weight[0] = 1.0
    in_memory = fitted(options, frame, None, weight, **roles)
    path = tmp_path / "rows.parquet"
    rows = frame if weight is None else frame.with_columns(weight=weight)
    rows.write_parquet(path, row_group_size=37)
    name = None if weight is None else "weight"
    streamed = fitted(options, pl.scan_parquet(path), None, name, **roles)
    if isinstance(in_memory, str) or isinstance(streamed, str):
        assert streamed == in_memory
        return
    assert_same(streamed, in_memory)
    X, y = frame.drop("time", "event"), (frame["event"], frame["time"])
    found = streamed.certificate_.verify(X, y, weight)
    assert found, str(found)


def test_a_duckdb_relation_is_read_as_a_lazy_frame(tmp_path):
    rng = np.random.default_rng(5)
    frame = random_table(rng)
    frame.write_parquet(tmp_path / "rows.parquet")
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(tmp_path / "rows.parquet"))
        options = {"max_depth": 2, "regularization": 0.001}
        roles = {"duration_col": "time", "event_col": "event"}
        assert_same(fitted(options, relation, **roles), fitted(options, frame, **roles))


def test_the_order_of_rows_does_not_change_the_fingerprint():
    frame = random_table(np.random.default_rng(1))
    options = {"max_depth": 2, "regularization": 0.001}
    roles = {"duration_col": "time", "event_col": "event"}
    one = fitted(options, frame.lazy(), **roles)
    other = fitted(options, frame.reverse().lazy(), **roles)
    changed = frame.with_columns(pl.col("time") + (pl.int_range(pl.len()) == 3))
    assert one.certificate_.fingerprint == other.certificate_.fingerprint
    assert one.recipe_.data == other.recipe_.data
    third = fitted({**options, "thresholds": [40.0]}, changed.lazy(), **roles)
    assert third.recipe_.data != one.recipe_.data
    assert not one.certificate_.verify(changed)


def test_a_dask_frame_is_read_as_a_lazy_frame():
    dask = pytest.importorskip("dask.dataframe")
    frame = random_table(np.random.default_rng(5)).with_columns(pl.col("stage").cast(pl.String))
    parts = dask.from_pandas(frame.to_pandas(), npartitions=3)
    options = {"max_depth": 2, "regularization": 0.001}
    roles = {"duration_col": "time", "event_col": "event"}
    assert_same(fitted(options, parts, **roles), fitted(options, frame, **roles))


def test_weights_change_the_fingerprint_whatever_the_order():
    rng = np.random.default_rng(4)
    frame = random_table(rng)
    frame = frame.with_columns(weight=pl.Series(rng.choice([0.3, 1.0, 2.7], len(frame))))
    options = {"max_depth": 2, "regularization": 0.001}
    roles = {"duration_col": "time", "event_col": "event"}
    one = fitted(options, frame.lazy(), None, "weight", **roles)
    again = fitted(options, frame.reverse().lazy(), None, "weight", **roles)
    assert one.certificate_.fingerprint == again.certificate_.fingerprint
    moved = frame.with_columns(weight=pl.col("weight").reverse())
    other = fitted(options, moved.lazy(), None, "weight", **roles)
    assert one.certificate_.fingerprint != other.certificate_.fingerprint
    assert not one.certificate_.verify(moved)
