"""Rules of benchmarks/paper, on made-up trees and tables; no other program is run."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.paper import (
    black_box,
    figures,
    generalization,
    growers,
    optimality,
    r_programs,
    run_time,
    scalability,
    settings,
    trees,
)
from benchmarks.paper.growers import Grown, Part
from benchmarks.paper.scoring import Training, held_out, smallest
from benchmarks.tables import MACHINE, Table
from survtree import OptimalSurvivalTree
from survtree._scoring.scores import ibs_ratio
from survtree.datasets import load

# Some of the made-up rows are followed for much longer than all others.
pytestmark = pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")


def made_up(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, 4)).astype(np.uint8)
    time = np.ceil(rng.exponential(5 + 20 * X[:, 0]))
    return X, rng.random(n_rows) < 0.7, time


def part_of(folder, X, event, time):
    places = np.arange(len(time))
    encoded = growers.Encoded(Path(), False, [f"f{j}" for j in range(X.shape[1])], X, event, time)
    halves = (places[: len(time) // 2], places[len(time) // 2 :])
    return Part(
        *(
            growers.chosen(encoded, half, folder / name)
            for half, name in zip(halves, ("train", "new"), strict=True)
        )
    )


def grid(**options):
    return settings.Grid(("made_up",), (1, 2), (0.01,), 4, 10.0, **options)


class Made:
    """A rival whose trees are given."""

    name, version = "rpart", "made up 1.0"

    def __init__(self, trees):
        self.trees = trees

    def grow(self, part, depth, grid):
        return self.trees


def test_training_ratio_of_our_leaves_is_what_the_estimator_says():
    X, y = load("veterans")
    model = OptimalSurvivalTree(2, 0.001).fit(X, y)
    event, time = (np.asarray(y[name]) for name in y.dtype.names)
    training = Training.of(event, time)
    leaves = model.apply(X)
    assert training.ratio(leaves) == pytest.approx(model.ibs_ratio_, abs=1e-12)
    assert training.ratio(np.zeros(len(X), int)) == pytest.approx(0, abs=1e-12)
    assert training.ratio(1000 - leaves) == pytest.approx(training.ratio(leaves), abs=1e-12)


def test_held_out_rows_get_the_curve_of_the_training_rows_in_their_leaf():
    X, y = load("veterans")
    model = OptimalSurvivalTree(2, 0.001).fit(X, y)
    event, time = (np.asarray(y[name]) for name in y.dtype.names)
    curves = Training.of(event, time).curves(model.apply(X), model.apply(X)[::3])
    new = event[::3], time[::3]
    expected = ibs_ratio(new, model, X=X[::3], train=(event, time))
    assert held_out(new, curves, (event, time))["test_ibs_ratio"] == pytest.approx(expected)


def test_a_row_in_a_leaf_without_training_rows_is_refused():
    _, event, time = made_up(20)
    with pytest.raises(ValueError, match="no training row"):
        Training.of(event, time).curves(np.arange(20) % 2, np.array([0, 2]))


def test_smallest_leaf_is_counted_in_rows():
    assert smallest(np.array([3, 3, 9, 9, 9])) == 2


def test_ours_gives_the_best_tree_of_every_size_and_keeps_the_rows_a_leaf(tmp_path):
    part = part_of(tmp_path, *made_up())
    found = growers.Ours().grow(part, 2, grid())
    training = Training.of(part.train.event, part.train.time)
    ratios = [training.ratio(tree.leaves) for tree in found]
    assert [tree.n_leaves for tree in found] == sorted({tree.n_leaves for tree in found})
    assert ratios == sorted(ratios)
    assert all(smallest(tree.leaves) >= 7 and tree.depth <= 2 for tree in found)
    assert len(found[-1].new_leaves) == len(part.new.time)
    assert set(found[-1].new_leaves) <= set(found[-1].leaves)


def test_files_of_a_part_hold_its_rows_with_all_digits(tmp_path):
    X, event, time = made_up(20)
    part = part_of(tmp_path, X, event, time + 1 / 3)
    read = np.loadtxt(part.new.path, delimiter=",", skiprows=1)
    assert np.array_equal(read[:, :4], X[10:])
    assert np.array_equal(read[:, 4], event[10:])
    assert np.array_equal(read[:, 5], time[10:] + 1 / 3)


def test_nested_trees_of_the_original_tell_their_depth():
    leaf = {"loss": 0.1}
    inner = {"feature": "f1", "true": leaf, "false": leaf}
    assert growers.nested_depth({"feature": "f0", "true": inner, "false": leaf}) == 2
    assert growers.nested_depth(leaf) == 0


def test_lines_of_r_are_cut_into_training_rows_and_new_rows():
    tree = r_programs.read(["cp=0.1", "0.02", "1", "3", "2", "3", "2", "3"])
    assert (tree.setting, tree.seconds, tree.depth) == ("cp=0.1", 0.02, 1)
    assert tree.leaves.tolist() == [2, 3, 2]
    assert tree.new_leaves.tolist() == [3]


def test_programs_that_cannot_run_are_named_and_left_out(monkeypatch, capsys):
    monkeypatch.setattr(r_programs.shutil, "which", lambda name: None)
    r_programs.versions.cache_clear()
    assert growers.present(("ours", "rpart", "ctree")) == ["ours"]
    told = capsys.readouterr().out
    assert "rpart is left out: R, rpart, survival missing; install R" in told
    r_programs.versions.cache_clear()


@pytest.mark.parametrize(
    ("theirs", "ours", "options", "verdict"),
    [
        (0.3, 0.3 - 2e-9, {}, optimality.WORSE),
        (0.3, 0.3, {}, "equal"),
        (0.3, 0.3 + 5e-10, {}, "equal"),
        (0.29, 0.3, {}, "ours better"),
        (0.31, 0.3, {"is_proven": False}, "better than ours, which is not proven"),
        (0.31, 0.3, {"is_inside": False}, "breaks the limits"),
    ],
)
def test_verdict(theirs, ours, options, verdict):
    limits = {"is_proven": True, "is_inside": True, **options}
    assert optimality.verdict_of(theirs, ours, **limits) == verdict


def optimality_table(folder, rival_trees, part):
    table = Table(folder / optimality.FILE, optimality.FIELDS, optimality.KEYS)
    training = Training.of(part.train.event, part.train.time)
    both = [growers.Ours(), Made(rival_trees)]
    optimality.run_depth(table, both, part, training, ("made_up", 1), grid())
    return table


def test_a_rival_that_beats_a_proven_tree_of_ours_ends_with_status_1(tmp_path, capsys):
    part = part_of(tmp_path, *made_up())
    # Sorted by time, in two: no question of one column gets near, and 7 rows are kept.
    leaves = (part.train.time > np.median(part.train.time)).astype(int)
    optimality_table(tmp_path, [Grown("cheat", "fitted", 0.1, 1, leaves, leaves)], part)
    assert optimality.main(["--summary", "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "OURS WORSE: dataset made_up, max_depth 1, program rpart, setting cheat" in told


def test_a_rival_within_our_optimum_ends_with_status_0(tmp_path, capsys):
    part = part_of(tmp_path, *made_up())
    leaves = part.train.X[:, 1].astype(int)
    optimality_table(tmp_path, [Grown("cp=0", "fitted", 0.1, 1, leaves, leaves)], part)
    assert optimality.main(["--summary", "--out", str(tmp_path)]) == 0
    assert "OURS WORSE" not in capsys.readouterr().out


def test_what_is_in_the_table_is_not_run_again(tmp_path):
    part = part_of(tmp_path, *made_up())
    leaves = part.train.X[:, 1].astype(int)
    tree = Grown("cp=0", "fitted", 0.1, 1, leaves, leaves)
    rows = optimality_table(tmp_path, [tree], part).rows
    assert optimality_table(tmp_path, [tree, tree], part).rows == rows


def test_a_killed_run_is_a_row_without_numbers(tmp_path):
    part = part_of(tmp_path, *made_up())
    row = optimality_table(tmp_path, [Grown("", "killed")], part).rows[-1]
    assert (row["status"], row["ibs_ratio"], row["verdict"]) == ("killed", "", "")


def test_folds_are_the_same_each_time_and_hold_each_row_out_once():
    first, again = (generalization.folds_of(167) for _ in range(2))
    assert sorted(np.concatenate([new for _, new in first])) == list(range(167))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))


def test_one_run_fills_both_tables_and_takes_up_one_that_is_missing(tmp_path):
    part = part_of(tmp_path, *made_up())
    for _ in range(2):
        tables = generalization.Tables.of(tmp_path)
        generalization.run_fold(tables, [growers.Ours()], part, ("made_up", 0), grid())
        sizes = [len(table.rows) for table in (tables.generalization, tables.quality)]
        assert sizes[0] == sizes[1] > 2
        tables.generalization.path.unlink()
    assert tables.quality.rows[-1]["uno_c"] != ""


def test_only_sizes_that_all_folds_have_are_best():
    rows = [{"fold": str(k), "n_leaves": "2", "score": "0.5"} for k in range(5)]
    rows.append({"fold": "0", "n_leaves": "3", "score": "0.9"})
    assert generalization.best_of(rows, "score") == (2, 0.5, 0.0)


def test_penalties_are_the_papers_and_run_from_easy_to_hard():
    assert len(settings.REGULARIZATIONS) == 12
    assert list(settings.REGULARIZATIONS) == sorted(settings.REGULARIZATIONS, reverse=True)
    assert len(settings.RUN_TIME.datasets) == 17
    keys = list(run_time.keys_of(settings.RUN_TIME, ("ours", "rpart")))
    assert len(keys) == len(set(keys)) == 17 * 5 * (12 + 3)


def test_a_program_that_was_killed_is_spared_harder_cases_only():
    killed = {"dataset": "gbsg2", "program": "osst", "max_depth": "3", "regularization": "0.01"}
    rows = [{**killed, "status": "killed"}]
    assert run_time.is_hopeless(("gbsg2", "osst", 4, 0.01, 0), rows)
    assert run_time.is_hopeless(("gbsg2", "osst", 3, 0.001, 0), rows)
    assert not run_time.is_hopeless(("gbsg2", "osst", 3, 0.1, 0), rows)
    assert not run_time.is_hopeless(("gbsg2", "osst", 2, 0.001, 0), rows)
    assert not run_time.is_hopeless(("sync", "osst", 4, 0.01, 0), rows)
    assert not run_time.is_hopeless(("gbsg2", "ours", 4, 0.01, 0), rows)


def test_interval_is_the_normal_one_over_what_finished():
    rows = [
        {"status": "optimal", "seconds": "1.0"},
        {"status": "fitted", "seconds": "3.0"},
        {"status": "time_limit", "seconds": "60.0"},
    ]
    assert run_time.cell(rows) == "2 +- 2 (1 of 3 not finished)"
    assert run_time.cell(rows[2:]) == "- (1 of 1 not finished)"


def test_more_censoring_only_turns_events_into_censorings():
    event = (np.random.default_rng(3).random(20_000) < 0.8).astype(np.uint8)
    as_is, half, most = (scalability.censored_more(event, share) for share in (20, 50, 80))
    assert np.array_equal(as_is, event == 1)
    assert not (half & ~as_is).any()
    assert not (most & ~half).any()
    assert 1 - half.mean() == pytest.approx(0.5, abs=0.02)
    assert 1 - most.mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("percent", "paper", "verdict"),
    [(73.2551, 73.25, "same"), (32.8329, 32.83, "same"), (34.3, 32.8, "better"), (1, 2, "less")],
)
def test_numbers_of_the_paper_are_met_up_to_its_two_digits(percent, paper, verdict):
    assert trees.verdict_of(percent, paper) == verdict


@pytest.mark.slow
def test_black_boxes_are_tuned_on_the_training_half_only(tmp_path):
    X, event, time = made_up(200)
    part = part_of(tmp_path, X, event, time)
    tried = replace(settings.BLACK_BOX_QUICK, tree_depths=(1, 2))
    row = black_box.row_of(black_box.ours, part, tried)
    flipped = Part(part.train, replace(part.new, event=~part.new.event))
    assert black_box.row_of(black_box.ours, flipped, tried)["setting"] == row["setting"]
    assert black_box.row_of(lambda *_: None, part, tried)["setting"] == "killed"


def written(path, fields, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, (*fields, *MACHINE), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def test_figures_are_drawn_from_the_tables_alone_and_always_the_same(tmp_path):
    programs = ("ours", "rpart")
    tree = {"dataset": "made_up", "max_depth": 2, "status": "fitted"}
    written(
        tmp_path / optimality.FILE,
        optimality.FIELDS,
        [
            {**tree, "program": p, "n_leaves": k, "ibs_ratio": k / 9}
            for p in programs
            for k in (1, 2)
        ],
    )
    written(
        tmp_path / generalization.FILE,
        generalization.FIELDS,
        [
            {
                **tree,
                "program": p,
                "fold": f,
                "n_leaves": k,
                "train_ibs_ratio": 0.5,
                "test_ibs_ratio": 0.4,
            }
            for p in programs
            for f in range(5)
            for k in (2, 3)
        ],
    )
    written(
        tmp_path / scalability.FILE,
        scalability.FIELDS,
        [
            {"program": p, "censored": 20, "rows": n, "status": "fitted", "seconds": n / 9}
            for p in programs
            for n in (9, 99)
        ],
    )
    drawn = figures.draw(tmp_path)
    assert [path.name for path in drawn] == [
        "optimality.svg",
        "generalization.svg",
        "scalability.svg",
    ]
    first = [path.read_bytes() for path in drawn]
    assert [path.read_bytes() for path in figures.draw(tmp_path)] == first
    assert all(text.startswith(b"<?xml") for text in first)


def test_every_program_has_a_label_and_a_style_of_its_own():
    for names in (growers.NAMES, tuple(black_box.MODELS)):
        assert len({figures.STYLES[name] for name in names}) == len(names)
        assert all(figures.LABELS[name] for name in names)
