"""The benchmark of held-out quality: its scores by hand and against survtree.metrics, its tables,
encoding, jobs and summary. No program is run.
"""

from argparse import Namespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.new_rows import __main__ as command
from benchmarks.new_rows import encoding, groups, scoring, summary, tables
from benchmarks.new_rows.scoring import Outcome, Prediction
from benchmarks.tables import Table
from survtree import metrics

# No row is censored: G is 1, and the Kaplan-Meier curve is 3/4, 1/2, 1/4 from 1, 2, 3 on.
TRAIN = Outcome(np.array([True] * 4), np.array([1.0, 2.0, 3.0, 4.0]))


def random_outcome(rng, n):
    return Outcome(rng.random(n) < 0.6, np.ceil(rng.exponential(10, n)))


def random_prediction(rng, n):
    times = np.arange(1.0, 20.0, 2.0)
    survival = np.sort(rng.random((n, len(times))), axis=1)[:, ::-1]
    return Prediction(times, survival, np.arange(n))


@pytest.mark.parametrize(
    ("event", "survival", "ratio"),
    [
        # Event at 2: one curve loses 1/16 before it, and 1/4 + 1/16 between 2 and 4.
        (True, [1.0, 0.0], 1.0),
        (True, [0.5, 0.5], 1 - (1 / 4 + 2 / 4) / (6 / 16)),
        # Censored at 2: only the 1/16 before it.
        (False, [0.5, 0.5], 1 - (1 / 4) / (1 / 16)),
    ],
)
def test_ratio_by_hand_also_where_no_held_out_row_reaches_the_horizon(event, survival, ratio):
    test = Outcome(np.array([event]), np.array([2.0]))
    found = Prediction(np.array([1.0, 2.0]), np.array([survival]), np.array([0]))
    assert scoring.ibs_ratio(test, found, TRAIN, 4.0) == pytest.approx(ratio)


@pytest.mark.parametrize("horizon", [5.0, 12.0])
def test_ratio_is_that_of_the_metrics_on_outcomes_up_to_the_horizon(horizon):
    rng = np.random.default_rng(0)
    train, test = random_outcome(rng, 80), random_outcome(rng, 30)
    assert test.time.max() >= horizon
    found = random_prediction(rng, 30)
    clipped_test, clipped_train = (
        (y.event & (y.time < horizon), np.minimum(y.time, horizon)) for y in (test, train)
    )
    expected = metrics.ibs_ratio(clipped_test, (found.survival, found.times), train=clipped_train)
    assert scoring.ibs_ratio(test, found, train, horizon) == pytest.approx(expected, rel=1e-12)


def test_concordance_is_that_of_the_metrics_for_curves_and_for_risks():
    rng = np.random.default_rng(1)
    test, found = random_outcome(rng, 40), random_prediction(rng, 40)
    expected = metrics.harrell_c(tuple(test), (found.survival, found.times))
    assert scoring.concordance(test, found) == pytest.approx(expected, rel=1e-12)
    risk = rng.normal(size=40)
    expected = metrics.harrell_c_of_risk(tuple(test), risk)
    assert scoring.concordance(test, found._replace(risk=risk)) == expected


def test_calibration_is_the_mean_over_rows_of_the_distances_of_groups():
    # Two groups of 3 and 1 rows: 0.9 against 2/3, 0.4 against 1.
    test = Outcome(np.array([True, False, False, False]), np.array([1.0, 9.0, 9.0, 9.0]))
    found = Prediction(np.array([1.0]), np.array([[0.9], [0.4]]), np.array([0, 0, 0, 1]))
    expected = (3 * (0.9 - 2 / 3) + 1 * (1 - 0.4)) / 4
    assert scoring.calibration(test, found, 2.0) == pytest.approx(expected)
    # Before the first step all curves are 1, and so is what is observed.
    assert scoring.calibration(test, found, 0.5) == 0


def test_leaves_predict_the_kaplan_meier_curves_of_their_training_rows():
    found = scoring.leaf_prediction(TRAIN, np.array([7, 7, 3, 3]), np.array([3, 7, 7]))
    assert found.n_leaves == 2
    assert found.times.tolist() == [1, 2, 3, 4]
    assert found.survival[found.curve_of_row].tolist() == [
        [1, 1, 0.5, 0],
        [0.5, 0, 0, 0],
        [0.5, 0, 0, 0],
    ]


def test_horizons_are_quantiles_of_all_times():
    whole = Outcome(np.arange(10) % 2 == 0, np.arange(1.0, 11.0))
    assert scoring.horizons_of(whole) == ((8.0, 9.0, 10.0), 5.0)


def made_up(n=40, name="made up"):
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"age": rng.normal(size=n), "sex": pd.Categorical(rng.choice(["f", "m"], n))})
    return tables.Rows(name, X, rng.random(n) < 0.5, rng.random(n) + 1)


def test_folds_hold_out_each_row_once_in_each_repeat_and_differ_by_seed():
    rows = made_up()
    folds = list(tables.folds(rows))
    assert len(folds) == 20
    for repeat in range(4):
        held_out = np.concatenate([fold.test for fold in folds if fold.repeat == repeat])
        assert sorted(held_out) == list(range(40))
    others = list(tables.folds(rows, seed=100))
    assert all(set(a.test) != set(b.test) for a, b in zip(folds, others, strict=True))


def test_the_part_of_a_table_depends_on_its_name_alone():
    assert [tables.part_of(name) for name in ("whas500", "veteran")] == ["chosen on", "judged"]


def test_columns_that_tell_nothing_are_dropped_and_rare_levels_become_other():
    levels = [f"level {k}" for k in range(35) for _ in range(1 + (k < 19))]
    n = len(levels)
    X = pd.DataFrame(
        {
            "many": pd.Categorical(levels),
            "constant": 1.0,
            "empty": np.nan,
            "name": [f"person {k}" for k in range(n)],
            "number": np.arange(n),
        }
    )
    found = tables._columns(X)
    assert list(found) == ["many", "number"]
    assert found["many"].nunique() == 20
    assert (found["many"] == "other").sum() == 16


def test_encoder_learns_from_the_training_rows_alone():
    train = pd.DataFrame({"age": [1.0, 3.0, np.nan, 8.0], "site": ["a", "b", "a", None]})
    new = pd.DataFrame({"age": [np.nan, 5.0], "site": ["z", None]})
    encoder = encoding.Encoder(train)
    # age (median 3), whether age and site are missing, site b; site z is none of the known ones.
    assert encoder.matrix(train).tolist() == [
        [1, 0, 0, 0],
        [3, 0, 0, 1],
        [3, 1, 0, 0],
        [8, 0, 1, 0],
    ]
    assert encoder.matrix(new).tolist() == [[3, 1, 0, 0], [5, 0, 1, 0]]


def test_times_are_rounded_up_to_300_quantiles_only_where_more_differ():
    few = np.arange(1.0, 301.0)
    assert encoding.on_grid(few) is few
    many = np.random.default_rng(3).exponential(size=1000)
    rounded = encoding.on_grid(many)
    assert len(np.unique(rounded)) == encoding.MOST_TIMES
    assert np.all(rounded >= many)
    assert rounded.max() == many.max()


def result(table, method, ratio, *, fold=0, leaves=2, status="fitted"):
    row = dict.fromkeys(command.FIELDS, "")
    row |= {"table": table, "seed": 0, "repeat": 0, "fold": fold, "method": method}
    row |= {"status": status, "c": 0.5, "calibration": 0.1, "seconds": 1, "leaves": leaves}
    row |= dict.fromkeys(summary.RATIOS, ratio)
    return {name: str(value) for name, value in row.items()}


ROWS = [
    result("a", "ctree", 0.1),
    result("a", "ctree", 0.3, fold=1),
    result("b", "ctree", 0.0, leaves=1),
    result("a", "rpart", 0.3),
    result("b", "rpart", 0.1),
    result("c", "rpart", 0.5, fold=1),
    result("c", "rpart", "", status="over 300 s"),
]


def test_folds_are_averaged_per_table_and_tables_with_a_failed_fold_are_left_out():
    results = summary.Results(ROWS)
    assert results.by_table("ctree", "ratio80") == {"a": pytest.approx(0.2), "b": 0.0}
    assert results.by_table("rpart", "ratio80") == {"a": 0.3, "b": 0.1}
    assert summary.paired(results, "rpart", "ctree", "ratio80") == pytest.approx([0.1, 0.1])
    assert summary.mean_ranks(results, "ratio80") == {"ctree": 2.0, "rpart": 1.0}
    assert summary.missed(results, "ctree") == ["b"]
    assert summary.missed(results, "rpart") == []
    assert summary.standard_error([1.0, 3.0]) == pytest.approx(1.0)


def test_groups_of_tables_say_where_our_trees_are_ahead():
    rows = [result(table, "ours", 0.3) for table in ("a", "employee", "alone")]
    rows += [result("a", "ctree", 0.1), result("employee", "ctree", 0.4, leaves=20)]
    rows += [result("a", "forest", 0.0), result("a", "greedy_teacher", 0.25)]
    found = summary.Results(rows)
    lines = {tuple(line.split()[-7:]) for line in groups.quotient_lines(found)[3:]}
    assert lines == {
        ("2", *["1.20"] * 3, *["-"] * 3),  # all
        ("1", *["3.00"] * 3, *["-"] * 3),  # those with small trees of ctree, and raw tables
        ("1", *["0.75"] * 3, *["-"] * 3),  # those with large ones, and those of the paper
    }
    everything = groups.exactness_lines(found)[3].split()
    assert everything == ["all", "1", *["0.0500", "-", "1:0"] * 3]


def test_a_method_that_finished_few_tables_is_not_ranked():
    rows = [result(table, "ctree", 0.1) for table in "abc"] + [result("a", "rpart", 0.2)]
    assert summary.mean_ranks(summary.Results(rows), "ratio80") == {"ctree": 1.0}


def test_summary_prints_the_best_method_first_and_names_what_failed():
    text = summary.summary(summary.Results(ROWS))
    lines = text.splitlines()
    start = lines.index("all: IBS ratio up to the 80 % quantile of the times")
    assert " ".join(lines[start + 2].split()[:7]) == "rpart 2 0.2000 0.1000 0.2000 1.0 2:0"
    assert lines[start + 3].split()[0] == "ctree"
    assert "ctree missed: b" in text
    assert "rpart failed: c (over 300 s)" in text


def test_what_is_in_the_file_or_failed_is_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "names", lambda folder: ["large", "small"])
    monkeypatch.setattr(
        tables, "load", lambda name, _: made_up(400 if name == "large" else 40, name)
    )
    table = Table(tmp_path / "new_rows.csv", command.FIELDS, command.KEYS)
    table.add_all([result("small", "ctree", 0.1), result("small", "cox", "", status="over 300 s")])
    arguments = Namespace(data=None, tables=[], seed=0, methods=["cox", "ctree"])
    found = [(job.method, job.rows.name, len(job.folds)) for job in command.jobs(table, arguments)]
    assert found == [("ctree", "small", 19), ("ctree", "large", 10), ("cox", "large", 10)]


def test_tables_of_survset_have_positive_times_and_columns_that_tell_something():
    pytest.importorskip("SurvSet", reason="SurvSet is installed by make bench-new_rows")
    names = tables.names()
    assert len(names) == len(set(names)) > 60
    for name in ("flchain", "prostate", "Dialysis"):
        rows = tables.load(name)
        assert rows.time.min() > 0
        assert rows.event.dtype == bool
        assert not set(tables.KNOWN_LATER.get(name, ())) & set(rows.X)
        levels = rows.X.select_dtypes("category").nunique()
        assert levels.max() <= tables.MOST_LEVELS
        assert rows.X.nunique().min() > 1
