"""Rows that are read in passes: what is said of them, and what the passes find."""

import numpy as np
import polars as pl
import pytest

from survtree import DataWarning, OptimalSurvivalTree, regularization_path
from survtree._data import column_summaries, read_memory
from survtree._data.column_summaries import facts_of, summary_of
from survtree._data.lazy_rows import LazyRows
from survtree._data.read_lazy import read_lazy_outcome
from survtree._questions.checks import Rule
from survtree._questions.encodings import cut_points, cuts_between

ROLES = {"duration_col": "time", "event_col": "event"}


def many_rows(n=6000):
    rng = np.random.default_rng(0)
    time, event = rng.permutation(n) + 1.0, rng.integers(0, 2, n)
    return pl.DataFrame({"age": rng.normal(size=n), "time": time, "event": event})


def test_too_many_groups_are_refused_with_their_number_and_a_way_out():
    model = OptimalSurvivalTree(1, 0.01, memory_limit=1_000_000)
    wanted = r"6,000 rows make about [56],\d{3} groups, .+memory_limit allows 1.0 MB\. Round"
    with pytest.raises(ValueError, match=wanted):
        model.fit(many_rows().lazy(), **ROLES)


def test_very_many_values_of_an_event_column_are_refused_not_misread():
    frame = many_rows(3000).with_columns(code=pl.int_range(pl.len()).cast(pl.String))
    rows = LazyRows(frame.lazy(), "time", "code", event_values=("0",))
    with pytest.raises(ValueError, match=r"at most 1,000 different values.*'code' has 3,000"):
        read_lazy_outcome(rows)


def test_a_frame_with_a_column_called_event_values_is_no_lazy_one():
    frame = many_rows(500).to_pandas()
    frame["event_values"] = frame.pop("age")
    model = OptimalSurvivalTree(2, 0.01).fit(frame, **ROLES)
    assert "event_values" in model.feature_names_in_


def test_the_limit_of_a_container_counts(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    assert read_memory._of_the_container(tmp_path) == 600
    (tmp_path / "memory.max").write_text("max\n")
    assert read_memory._of_the_container(tmp_path) is None
    assert read_memory._of_the_container(tmp_path / "nowhere") is None


def test_a_default_fit_says_that_there_is_no_teacher():
    with pytest.warns(DataWarning, match="as with teacher=None"):
        model = OptimalSurvivalTree().fit(many_rows(500).lazy(), **ROLES)
    assert model.teacher_ is None
    assert "teacher=None" in model.recipe_.code


@pytest.mark.parametrize("shape", ["normal", "skewed", "sorted", "tied"])
@pytest.mark.parametrize("n_cuts", [1, 5, 15])
def test_cuts_of_very_many_values_are_those_of_all(monkeypatch, shape, n_cuts):
    monkeypatch.setattr(column_summaries, "MOST_SORTED", 100)
    monkeypatch.setattr(column_summaries, "MOST_VALUES", 300)
    monkeypatch.setattr(column_summaries, "SAMPLED_ROWS", 500)
    monkeypatch.setattr(column_summaries, "N_BINS", 64)
    rng = np.random.default_rng(n_cuts)
    values = rng.normal(size=20_000)
    if shape == "skewed":
        values = np.exp(9 * values)
    elif shape == "sorted":
        values.sort()
    elif shape == "tied":
        values = np.where(rng.random(20_000) < 0.7, 0.25, values)
    frame = pl.DataFrame({"x": values}).lazy()
    _, (facts,) = facts_of(frame, ["x"])
    found = summary_of(frame, facts, n_cuts)
    assert len(found.values) < len(np.unique(values))
    rule = Rule("quantiles", n_cuts)
    cuts = cuts_between(found.values, found.up_to, len(values), rule)
    assert np.array_equal(cuts, cut_points(values, rule))


def test_columns_that_number_the_rows_are_left_out_as_in_memory():
    n = 400
    frame = many_rows(n).with_columns(
        number=pl.int_range(n) * 3 + 7,
        name=pl.Series([f"patient {k}" for k in range(n)]),
        subject_id=pl.Series(np.arange(n) // 2),
        score=pl.Series(np.random.default_rng(1).permutation(n)),
    )
    options = {"max_depth": 1, "regularization": 0.01}
    with pytest.warns(DataWarning):
        streamed = OptimalSurvivalTree(**options).fit(frame.lazy(), **ROLES)
    with pytest.warns(DataWarning):
        in_memory = OptimalSurvivalTree(**options).fit(frame, **ROLES)
    assert set(streamed.warnings_) == set(in_memory.warnings_)
    assert set(streamed.excluded_) == {"number", "name", "subject_id"} == set(in_memory.excluded_)


@pytest.mark.parametrize("n", [11, 400])
def test_names_of_subjects_may_have_gaps_as_in_memory(n):
    rng = np.random.default_rng(2)
    known = np.arange(n) > 0
    numbers = pl.Series(rng.permutation(n), dtype=pl.Int64)
    frame = many_rows(n).with_columns(
        patient_id=pl.when(pl.Series(known)).then(numbers),
        subject=pl.when(pl.Series(known)).then(numbers.cast(pl.String)),
        mrn=pl.Series(np.where(known, np.arange(n), np.nan)),
        ptid=pl.when(pl.Series(known)).then(numbers // 2),
        obs=pl.when(pl.Series(known)).then(numbers),
    )
    options = {"max_depth": 1, "regularization": 0.01, "missing": "question", "max_levels": 1000}
    with pytest.warns(DataWarning):
        streamed = OptimalSurvivalTree(**options).fit(frame.lazy(), **ROLES)
    with pytest.warns(DataWarning):
        in_memory = OptimalSurvivalTree(**options).fit(frame, **ROLES)
    assert set(streamed.warnings_) == set(in_memory.warnings_)
    assert set(streamed.excluded_) == {"patient_id", "subject", "mrn"} == set(in_memory.excluded_)


def test_a_path_over_rows_in_passes_is_that_of_the_rows_in_memory():
    rng = np.random.default_rng(3)
    frame = many_rows(600).with_columns(
        pl.col("age").round(1),
        w=pl.Series(rng.integers(1, 4, 600)),
        treated=pl.col("time") % 400 < 200,
    )
    options = {"max_depth": 2, "min_regularization": 0.0002, "thresholds": 4}
    table, weight = frame.drop("w"), frame["w"]
    lazy = regularization_path(frame.lazy(), None, "w", **ROLES, **options)
    whole = regularization_path(table, None, weight, **ROLES, **options)
    assert len(lazy) == len(whole) > 2
    for streamed, in_memory in zip(lazy, whole, strict=True):
        assert streamed.questions_.texts == in_memory.questions_.texts
        assert streamed.tree_.question.tolist() == in_memory.tree_.question.tolist()
        assert streamed.objective_ == pytest.approx(in_memory.objective_, rel=1e-9)
        score = in_memory.score(table, None, weight)
        assert streamed.score(frame.lazy()) == pytest.approx(score)
    assert lazy.table()["leaves"].to_list() == whole.table()["leaves"].to_list()


def test_a_path_over_rows_in_passes_needs_the_columns_of_its_outcome():
    frame = many_rows(50)
    with pytest.raises(ValueError, match="a lazy X must hold its outcome"):
        regularization_path(frame.lazy(), (frame["event"], frame["time"]))
