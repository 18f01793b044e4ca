"""Bad inputs of a fit: the table, the outcome, weights and options."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import csr_array

from survtree import Binarizer, OptimalSurvivalTree
from tests.support.bad_inputs.case import EVENT, FRAME, MATRIX, TABLE, TIME, Case, N, Y, but


def fit(X: Any = TABLE, y: Any = Y, sample_weight: Any = None, **options: Any) -> Any:
    """Fits a table; what is not given is good."""
    return OptimalSurvivalTree(**options).fit(X, y, sample_weight)


def one(**column: Any) -> pd.DataFrame:
    """A frame of one column."""
    return pd.DataFrame(column)


def fit_named(frame: Any = FRAME, y: Any = None, **names: Any) -> Any:
    """Fits a frame that holds the outcome as well."""
    return OptimalSurvivalTree().fit(frame, y, **names)


def fit_outcome(**columns: Any) -> Any:
    """Fits the frame with another outcome, by the names of its columns."""
    return fit_named(FRAME.assign(**columns), duration_col="days", event_col="died")


def option(name: str, value: Any, kind: type[Exception] = ValueError, shown: str = "") -> Case:
    """An option out of its range."""
    title = f"`{name}={shown or repr(value)}`"
    return Case(title, lambda: fit(**{name: value}), (name,), kind)


FITS: dict[str, list[Case]] = {
    "X: shape": [
        Case("a path", lambda: fit("trial.csv"), ("'trial.csv'",)),
        Case("a dict of columns", lambda: fit(TABLE.to_dict("list")), ("dict",)),
        Case("a list of dicts", lambda: fit(TABLE.to_dict("records")), ("list of dicts",)),
        Case("`None`", lambda: fit(None), ("got None",)),
        Case("a polars LazyFrame", lambda: fit(pl.from_pandas(TABLE).lazy()), ("duration_col",)),
        Case("a single column (Series)", lambda: fit(TABLE["age"]), ("Series",)),
        Case("a structured array", lambda: fit(TABLE.to_records()), ("structured array",)),
        Case("a frame without rows", lambda: fit(TABLE[:0]), ("at least one row",)),
        Case("a frame without columns", lambda: fit(TABLE[[]]), ("at least one column",)),
        Case("a list of uneven rows", lambda: fit([[1, 2], [3]]), ("row 0", "row 1")),
        Case(
            "an array of one dimension",
            lambda: fit(MATRIX[:, 0]),
            start="Expected 2D array, got 1D array instead:",
        ),
        Case(
            "an array of three dimensions",
            lambda: fit(np.zeros((N, 2, 2))),
            start="Found array with dim 3",
        ),
        Case(
            "an array without rows", lambda: fit(MATRIX[:0]), start="Found array with 0 sample(s)"
        ),
        Case(
            "an array without columns",
            lambda: fit(MATRIX[:, :0]),
            start="Found array with 0 feature(s)",
        ),
        Case(
            "a sparse matrix",
            lambda: fit(csr_array(MATRIX)),
            (),
            TypeError,
            "Sparse data was passed, but dense data is required.",
        ),
    ],
    "X: names": [
        Case(
            "two columns of one name",
            lambda: fit(pd.DataFrame(MATRIX, columns=["age", "age"])),
            ("'age'",),
        ),
        Case(
            "names that are partly text, partly numbers",
            lambda: fit(pd.DataFrame(MATRIX, columns=["age", 1])),
            (),
            TypeError,
            "Feature names are only supported if all input features have string names",
        ),
        Case(
            "a name with half of a character, as after a wrong decoding",
            lambda: fit(pd.DataFrame(MATRIX, columns=pd.Index(["age", "\udce4"], dtype=object))),
            (r"'\udce4'", "encoding"),
        ),
    ],
    "X: types of columns": [
        Case(
            "`n/a` among numbers",
            lambda: fit(one(age=["n/a", 62] * 8)),
            ("'age'", "row 0", "'n/a'", "row 1"),
        ),
        Case(
            "infinity",
            lambda: fit(TABLE.assign(age=but(TABLE["age"], 3, np.inf))),
            ("'age'", "row 3", "inf"),
        ),
        Case(
            "a number too large for a float",
            lambda: fit(one(age=but(TIME, 3, 10**400, object))),
            ("'age'", "row 3"),
        ),
        Case(
            "dates",
            lambda: fit(one(entry=pd.date_range("2020-01-01", periods=N))),
            ("'entry'", "dates"),
        ),
        Case(
            "durations",
            lambda: fit(one(stay=pd.timedelta_range("1 day", periods=N))),
            ("'stay'", "durations"),
        ),
        Case(
            "times of day",
            lambda: fit(pl.DataFrame({"admitted": [datetime.time(12)] * N})),
            ("'admitted'", "times of day"),
        ),
        Case(
            "lists in cells",
            lambda: fit(pl.DataFrame({"codes": [[1, 2]] * N})),
            ("'codes'", "List"),
        ),
        Case("dicts in cells", lambda: fit(one(visit=[{}] * N)), ("'visit'", "dict")),
        Case("bytes", lambda: fit(one(stage=[b"II"] * N)), ("'stage'", "bytes")),
        Case("complex numbers", lambda: fit(one(signal=[1j] * N)), ("'signal'", "complex")),
    ],
    "X: missing values and categories": [
        Case(
            "missing values, `missing='error'`",
            lambda: fit(TABLE.assign(age=but(TABLE["age"], 3, np.nan), stage=[None, "II"] * 8)),
            ("'age' (1, the first in row 3)", "'stage' (8, the first in row 0)"),
        ),
        Case(
            "`missing='drop'` and no complete row",
            lambda: fit(TABLE.assign(age=np.nan), missing="drop"),
            ("missing='drop'", "16"),
        ),
        Case(
            "`missing='drop'` and only censored rows are complete",
            lambda: fit(TABLE.assign(age=np.where(EVENT, np.nan, 50)), missing="drop"),
            ("missing='drop'", "4 of 16"),
        ),
        Case(
            "more levels than `max_levels`",
            lambda: fit(one(street=[f"p{i}" for i in range(N)]), max_levels=10),
            ("'street'", "max_levels", "16"),
        ),
        Case(
            "more levels than `max_levels` in two columns",
            lambda: fit(
                TABLE.assign(street=TABLE["age"], town=1).astype(
                    {"street": "category", "stage": "category"}
                ),
                max_levels=2,
            ),
            ("'street' (16)", "'stage' (3)"),
        ),
        Case(
            "more levels than `max_levels`, all of them numbers as text",
            lambda: fit(one(age=list(map(str, range(N)))), max_levels=10),
            ("'age'", "max_levels", "16"),
        ),
        Case(
            "the same, with `n/a` among them",
            lambda: fit(one(age=["n/a", *map(str, range(N - 1))]), max_levels=10),
            ("'age'", "max_levels", "16", "'n/a'"),
        ),
        Case(
            "a level with half of a character",
            lambda: fit(one(stage=pd.Series(["I", "I\udce4"] * (N // 2), dtype=object))),
            ("'stage'", r"'I\udce4'", "encoding"),
        ),
        Case(
            "`thresholds=('width', 10**9)`",
            lambda: fit(thresholds=("width", 10**9)),
            ("1,000,000,000", "20,000,000"),
        ),
        Case(
            "`Binarizer('all').fit_transform(X)` for a column of 100,002 values",
            lambda: Binarizer("all").fit_transform(np.arange(100_002.0)[:, None]),
            ("100,001", "100,002"),
        ),
    ],
    "y: shape": [
        Case("no y", lambda: fit(y=None), ("y is None",)),
        Case("times alone", lambda: fit(y=TIME), ("ndarray", "(16,)")),
        Case("three columns", lambda: fit(y=FRAME[["age", "days", "died"]]), ("3",)),
        Case("one column of a frame", lambda: fit(y=FRAME[["died"]]), ("1",)),
        Case("a dict", lambda: fit(y={"event": EVENT, "time": TIME}), ("dict",)),
        Case("the name of a column", lambda: fit(FRAME, "days"), ("'days'",)),
        Case("three arrays", lambda: fit(y=(EVENT, TIME, TIME)), ("tuple", "(3, 16)")),
        Case("a pair of uneven length", lambda: fit(y=(EVENT, TIME[:-1])), ("16", "15")),
        Case("fewer rows than X", lambda: fit(y=(EVENT[1:], TIME[1:])), ("16", "15")),
        Case("an event of two dimensions", lambda: fit(y=(EVENT[:, None], TIME)), ("(16, 1)",)),
    ],
    "y: event": [
        Case("coded 1/2", lambda: fit(y=(EVENT + 1, TIME)), ("row 0 has 2",)),
        Case("coded 0/1/2", lambda: fit(y=([0, 1, 2, 1] * 4, TIME)), ("row 2 has 2",)),
        Case("coded -1/1", lambda: fit(y=([-1, 1] * 8, TIME)), ("row 0 has -1",)),
        Case(
            "words",
            lambda: fit(y=(np.where(EVENT, "dead", "alive"), TIME)),
            ("'alive', 'dead'",),
        ),
        Case("`'0'` and `'1'`", lambda: fit(y=(["0", "1"] * 8, TIME)), ("'0', '1'",)),
        Case(
            "every flag missing",
            lambda: fit(y=(pd.Series(pd.Categorical([None] * N)), TIME)),
            ("every row",),
        ),
        Case("a missing flag", lambda: fit(y=([None, *EVENT[1:]], TIME)), ("row 0",)),
        Case("dates", lambda: fit(y=(TIME.astype("datetime64[D]"), TIME)), ("dates",)),
        Case(
            "words and numbers",
            lambda: fit(y=(pd.Series(["dead", 0] * 8), TIME)),
            ("row 0 has 'dead'", "row 1 has 0"),
        ),
        Case("a pair (time, event)", lambda: fit(y=(TIME, EVENT)), ("row 1 has 2",)),
        Case("no event at all", lambda: fit(y=(~EVENT & EVENT, TIME)), ("16 of 16",)),
    ],
    "y: time": [
        Case("negative", lambda: fit(y=(EVENT, but(TIME, 7, -2))), ("row 7", "-2")),
        Case("missing", lambda: fit(y=(EVENT, but(TIME, 7, np.nan))), ("row 7", "nan")),
        Case("infinite", lambda: fit(y=(EVENT, but(TIME, 7, np.inf))), ("row 7", "inf")),
        Case("all zero", lambda: fit(y=(EVENT, 0 * TIME)), ("16",)),
        Case("dates", lambda: fit(y=(EVENT, TIME.astype("datetime64[D]"))), ("dates",)),
        Case("durations", lambda: fit(y=(EVENT, TIME.astype("timedelta64[D]"))), ("durations",)),
        Case("numbers as text", lambda: fit(y=(EVENT, TIME.astype(int).astype(str))), ("'1'",)),
        Case("`n/a` among numbers", lambda: fit(y=(EVENT, ["n/a", *TIME[1:]])), ("row 0", "'n/a'")),
        Case("flags", lambda: fit(y=(EVENT, EVENT)), ("flags",)),
    ],
    "Weights": [
        Case("negative", lambda: fit(sample_weight=but(TIME, 4, -1)), ("row 4", "-1.0")),
        Case("all zero", lambda: fit(sample_weight=0 * TIME), ("0 in all",)),
        Case("missing", lambda: fit(sample_weight=but(TIME, 4, np.nan)), ("row 4", "nan")),
        Case("fewer than rows", lambda: fit(sample_weight=TIME[1:]), ("16", "15")),
        Case("very different", lambda: fit(sample_weight=but(TIME, 4, 1e13)), ("1e+13",)),
        Case("huge", lambda: fit(sample_weight=np.full(N, 1e200)), ("1e+200", "1e+100")),
        Case("tiny", lambda: fit(sample_weight=np.full(N, 1e-310)), ("1e-310", "1e-100")),
        Case("text", lambda: fit(sample_weight=["much"] * N), ("row 0", "'much'")),
        Case("flags", lambda: fit(sample_weight=EVENT), ("flags",)),
        Case("the name of a column", lambda: fit(sample_weight="age"), ("'age'",)),
        Case("two dimensions", lambda: fit(sample_weight=MATRIX), ("(16, 2)",)),
    ],
    "`duration_col` and `event_col`": [
        Case(
            "one of them",
            lambda: fit_named(duration_col="days"),
            ("duration_col", "event_col is missing"),
        ),
        Case(
            "the other",
            lambda: fit_named(event_col="died"),
            ("event_col", "duration_col is missing"),
        ),
        Case(
            "y as well",
            lambda: fit_named(y=Y, duration_col="days", event_col="died"),
            ("duration_col", "event_col"),
        ),
        Case(
            "an array",
            lambda: fit_named(MATRIX, duration_col="days", event_col="died"),
            ("duration_col", "ndarray"),
        ),
        Case(
            "a name that is not there",
            lambda: fit_named(duration_col="day", event_col="died"),
            ("duration_col", "'day'", "'days'"),
        ),
        Case(
            "the same name twice",
            lambda: fit_named(duration_col="days", event_col="days"),
            ("'days'",),
        ),
        Case(
            "exchanged names",
            lambda: fit_named(duration_col="died", event_col="days"),
            ("'days'", "row 1 has 2"),
        ),
        Case("words for the event", lambda: fit_outcome(died="yes"), ("'died'", "'yes'")),
        Case(
            "a missing time",
            lambda: fit_outcome(days=but(TIME, 7, np.nan)),
            ("'days'", "row 7"),
        ),
        Case(
            "no other column",
            lambda: fit_named(FRAME[["days", "died"]], duration_col="days", event_col="died"),
            ("at least one column",),
        ),
    ],
    "Options: questions": [
        option("loss", "log-likelihood"),
        option("loss", None, TypeError),
        Case(
            "`loss='likelihood'` beside `reference='forest'`",
            lambda: fit(loss="likelihood", reference="forest"),
            ("reference", "loss='brier'"),
        ),
        option("thresholds", "Auto"),
        option("thresholds", 0),
        option("thresholds", 2.5),
        option("thresholds", None, TypeError),
        option("thresholds", ("width", 0), TypeError),
        option("thresholds", ("quantiles", 4), TypeError),
        option("thresholds", [50, "old"], TypeError),
        option("thresholds", [50, float("nan")], TypeError),
        option("thresholds", {"ages": 3}),
        option("thresholds", {"age": 0}),
        option("thresholds", {"age": "guess"}),
        option("thresholds", {"stage": 3}),
        Case(
            "`Binarizer(thresholds='guess').fit(X)`",
            lambda: Binarizer("guess").fit(TABLE),
            ("thresholds='guess'", "y is None"),
        ),
        option("missing", "drops"),
        option("missing", None, TypeError),
        option("encoding", "onehot"),
        option("encoding", "Paper"),
        option("max_levels", 1),
        option("max_levels", None, TypeError),
        option("max_levels", 10.0, TypeError),
    ],
    "Options: times": [
        option("time_buckets", 0),
        option("time_buckets", 2.5),
        option("time_buckets", "10", TypeError),
        option("time_buckets", []),
        option("time_buckets", [365, 30]),
        option("time_buckets", [-1, 30]),
        option("time_buckets", [30, float("inf")], TypeError),
        option("time_buckets", ["a month"], TypeError),
        option("horizon", 0),
        option("horizon", -365.0),
        option("horizon", float("inf")),
        option("horizon", float("nan")),
        option("horizon", "a year"),
        option("horizon", True, TypeError),
        option("horizon", [365], TypeError),
        Case("`horizon=1`, where no event is before 1", lambda: fit(horizon=1), ("horizon", "1")),
    ],
    "Options: predicted curves": [
        option("shrinkage", -1),
        option("shrinkage", float("nan")),
        option("shrinkage", float("inf")),
        option("shrinkage", "much"),
        option("shrinkage", "60"),
        option("shrinkage", None, TypeError),
        option("shrinkage", True, TypeError),
    ],
    "Options: search": [
        option("max_depth", -1),
        option("max_depth", 2.5, TypeError),
        option("max_depth", "3"),
        option("regularization", -0.1),
        option("regularization", float("nan")),
        option("regularization", None, TypeError),
        option("min_samples_leaf", 0),
        option("min_samples_leaf", 0.05, TypeError),
        option("min_events_leaf", -1),
        option("min_events_leaf", 2.5, TypeError),
        option("min_events_leaf", None, TypeError),
        option("min_events_leaf", "auto"),
        option("time_unit", 7, TypeError),
        option("time_unit", ""),
        option("time_limit", 0),
        option("time_limit", "60", TypeError),
        option("memory_limit", 1e9, TypeError),
        option("memory_limit", 500),
        option("memory_limit", "4 apples"),
        option("memory_limit", "2kB"),
        option("memory_limit", f"{10**30}GB"),
        option("node_limit", 0),
        option("reference_mode", "prov"),
        option("certificate", "whole"),
        option("device", "gpu"),
        Case(
            "`certificate='full'` with a reference that is trusted",
            lambda: fit(certificate="full", reference="forest"),
            ("certificate='full'", "reference_mode"),
        ),
        Case(
            "`certificate='full'` with `max_leaves=3`",
            lambda: fit(certificate="full", max_leaves=3),
            ("certificate", "max_leaves is 3"),
        ),
        option("warm_start", "yes", TypeError),
        option("random_state", -1),
        option("random_state", "seed", TypeError),
        option("gap", 1.0),
        option("upper_bound", 0.0),
        option("upper_bound", 0.001, UserWarning),
        option("n_jobs", 0),
        option("verbose", -1),
        option("callback", "print", TypeError),
    ],
}
