"""Replay files: what is written, when and where, and that it is the same fit when it is read."""

import json
import os
import re
import stat
import subprocess
import sys
import time
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

from survtree import OptimalSurvivalTree
from survtree._data.read_table import default_names
from survtree._questions.questions import Questions
from survtree._search import read_replay as reading
from survtree._search import replay
from survtree._search.problem import SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.solve import solve
from survtree.datasets import load
from tests.support.problems import random_case
from tests.support.rights import not_as_root, open_folder

SAME = ("objective", "loss", "lower_bound", "status", "one_leaf_loss", "counts")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that the environment names; it does not exist yet."""
    folder = tmp_path / "not" / "there yet"
    monkeypatch.setenv(replay.VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="module")
def veterans():
    return load("veterans", backend="pandas")


def check_same_answer(found, expected):
    for name in SAME:
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("question", "no", "yes"):
        assert np.array_equal(getattr(found.tree, name), getattr(expected.tree, name))


@pytest.mark.parametrize("seed", range(60))
def test_random_problems_come_back_as_they_were(seed, tmp_path):
    problem = random_case(seed).problem
    settings = SearchSettings(
        check_keys=True, solver="search", bounds_off=("subtree", "leaf_count")
    )
    path = replay.save(problem, settings, tmp_path)
    found = read_replay(path)
    assert found.settings == settings
    assert found.problem.fingerprint() == problem.fingerprint()
    assert found.problem.questions.ranks().tolist() == problem.questions.ranks().tolist()
    for name in ("event", "time", "weight"):
        ours, theirs = getattr(found.problem.events, name), getattr(problem.events, name)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    check_same_answer(solve(found.problem, settings), solve(problem, settings))


def test_some_of_the_random_problems_have_weights():
    weights = [random_case(seed).problem.events.weight for seed in range(60)]
    assert 10 < sum(len(np.unique(weight)) > 1 for weight in weights) < 50


def test_a_raw_table_comes_back_with_its_questions_in_words(veterans, folder):
    X = veterans.X.assign(**{"line\nbreak": veterans.X["Celltype"].astype(str)})
    model = OptimalSurvivalTree(3, 0.002, missing="question").fit(X, veterans.y)
    (path,) = folder.iterdir()
    problem, settings, _ = read_replay(path)
    assert problem.questions.texts == model.questions_.texts
    assert "Celltype is squamous" in problem.questions.texts
    assert problem.fingerprint() == model.certificate_.fingerprint
    solution = solve(problem, settings)
    assert (solution.objective, solution.status) == (model.objective_, "optimal")
    assert np.array_equal(solution.tree.question, model.tree_.question)


def test_a_file_of_a_file_is_the_same_problem(veterans, folder, tmp_path):
    OptimalSurvivalTree(2, 0.01).fit(veterans.X, veterans.y)
    (path,) = folder.iterdir()
    first = read_replay(path)
    second = read_replay(replay.save(first.problem, first.settings, tmp_path))
    assert second.problem.fingerprint() == first.problem.fingerprint()
    assert second.problem.questions == first.problem.questions


def test_columns_of_the_same_answers_make_a_fit_without_questions(folder):
    model = OptimalSurvivalTree().fit(pd.DataFrame({"a": [1.0] * 9}), ([True] * 9, range(1, 10)))
    (path,) = folder.iterdir()
    problem = read_replay(path).problem
    assert problem.answers.shape == (9, 0)
    assert problem.fingerprint() == model.certificate_.fingerprint
    assert solve(problem, SearchSettings()).objective == model.objective_


def test_options_of_a_fit_are_in_the_file(veterans, folder):
    options = {"max_depth": None, "regularization": 0.02, "min_samples_leaf": 10**30}
    options["memory_limit"] = 10**30
    weight = np.linspace(0.1, 3, len(veterans.X))
    OptimalSurvivalTree(**options, n_jobs=-1, time_limit=9, gap=0.2, upper_bound=0.5).fit(
        veterans.X, veterans.y, sample_weight=weight
    )
    (path,) = folder.iterdir()
    found = read_replay(path)
    assert found.settings == SearchSettings(
        gap=0.2,
        upper_bound=0.5,
        time_limit=9.0,
        memory_limit=10**30,
        n_jobs=-1,
        wants_bounds=True,
    )
    assert (found.problem.max_depth, found.problem.min_samples_leaf) == (None, 10**30)
    assert np.array_equal(found.problem.events.weight, weight)
    assert set(replay.unusual(found.problem, found.settings)) == {
        *options,
        *("n_jobs", "time_limit", "gap", "upper_bound", "wants_bounds"),
    }


def guessing_file(folder, losses):
    problem = random_case(3).problem
    return problem, replay.save(
        problem, SearchSettings(node_limit=7, guessed_losses=losses), folder
    )


def test_arrays_among_the_settings_come_back(tmp_path):
    losses = np.linspace(0, 0.01, len(random_case(3).problem.answers))
    problem, path = guessing_file(tmp_path, losses)
    settings = read_replay(path).settings
    assert settings.node_limit == 7
    assert np.array_equal(settings.guessed_losses, losses)
    assert replay.unusual(problem, settings)["guessed_losses"] == "20 numbers"
    solve(problem, settings)


@pytest.mark.parametrize("losses", [np.zeros(21), np.full(20, np.nan), np.full(20, -1.0)])
def test_arrays_that_are_not_one_number_a_row_are_refused(tmp_path, losses):
    with pytest.raises(ValueError, match="guessed_losses must be 20 finite numbers >= 0"):
        read_replay(guessing_file(tmp_path, losses)[1])


@dataclass(frozen=True)
class GrownSettings(SearchSettings):
    """As a later version may have them."""

    patience: float = 1.0
    hunches: NDArray[np.float64] | None = None


def test_settings_of_an_older_version_have_the_defaults_of_this_one(tmp_path, monkeypatch):
    path = replay.save(random_case(3).problem, SearchSettings(gap=0.5), tmp_path)
    monkeypatch.setattr(reading, "SearchSettings", GrownSettings)
    assert read_replay(path).settings == GrownSettings(gap=0.5)


def test_settings_may_grow(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SearchSettings", GrownSettings)
    settings = GrownSettings(patience=2.5, hunches=np.ones(20))
    found = read_replay(replay.save(random_case(3).problem, settings, tmp_path)).settings
    assert found.patience == 2.5
    assert np.array_equal(found.hunches, np.ones(20))


@pytest.mark.parametrize("more", [{"patience": 7}, {"hunches": np.zeros(3)}])
def test_settings_of_a_later_version_are_refused_by_the_version(tmp_path, monkeypatch, more):
    monkeypatch.setattr(replay, "SURVTREE_VERSION", "7.8.9")
    path = replay.save(random_case(3).problem, GrownSettings(**more), tmp_path)
    with pytest.raises(ValueError, match=r"no settings .*; got \['\w+.* with survtree 7\.8\.9, "):
        read_replay(path)


def test_words_among_the_settings_have_choices():
    hints = get_type_hints(SearchSettings)
    for field in fields(SearchSettings):
        if "str" in str(hints[field.name]):
            assert field.default in ((), *field.metadata["choices"]), field.name


def test_without_the_variable_nothing_is_written(veterans, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in (None, ""):
        monkeypatch.delenv(replay.VARIABLE, raising=False)
        if value is not None:
            monkeypatch.setenv(replay.VARIABLE, value)
        OptimalSurvivalTree(1).fit(veterans.X, veterans.y)
    assert list(tmp_path.iterdir()) == []


def test_two_fits_leave_two_files_that_nobody_else_can_read(veterans, folder):
    for _ in range(2):
        model = OptimalSurvivalTree(1, 0.01).fit(veterans.X, veterans.y)
    paths = list(folder.iterdir())
    assert len(paths) == 2
    for path in paths:
        assert path.name.startswith(f"survtree-{model.certificate_.fingerprint[:12]}-")
        assert path.suffix == ".npz"
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_groups_of_a_table_in_a_file_come_back_with_their_sizes(veterans, folder, tmp_path):
    table = veterans.X[["Prior_therapy"]].assign(time=veterans.y["time"], event=veterans.y["event"])
    lazy = pl.from_pandas(pd.concat([table, table])).lazy()
    model = OptimalSurvivalTree(1, 0.001).fit(lazy, duration_col="time", event_col="event")
    (file,) = folder.iterdir()
    recorded = read_replay(file)
    copies = recorded.problem.events.copies
    assert copies.sum() == len(veterans.X) * 2
    assert copies.max() > 1
    assert solve(recorded.problem, recorded.settings).objective == model.objective_
    arrays = dict(np.load(file))
    for wrong in (copies[1:], np.where(np.arange(len(copies)) == 1, 0, copies)):
        np.savez(tmp_path / "wrong.npz", **{**arrays, replay.COPIES: wrong.astype(np.uint32)})
        with pytest.raises(ValueError, match="'copies' must have a number from 1 on for each"):
            read_replay(tmp_path / "wrong.npz")


def test_the_search_over_every_cut_leaves_a_file_too(veterans, folder):
    model = OptimalSurvivalTree(1).fit(veterans.X, veterans.y)
    names = [path.name for path in folder.iterdir()]
    assert len(names) == 2
    assert any(
        name.startswith(f"survtree-{model.certificate_.fingerprint[:12]}-") for name in names
    )


def test_the_file_is_there_before_the_search_starts(veterans, folder, monkeypatch):
    def crash(*_):
        raise RuntimeError("crash")

    monkeypatch.setattr("survtree._search.solve.search_of", crash)
    with pytest.raises(RuntimeError, match="crash"):
        OptimalSurvivalTree(1).fit(veterans.X, veterans.y)
    (path,) = folder.iterdir()
    assert len(read_replay(path).problem.answers) == 137


def test_a_bit_an_answer(tmp_path):
    problem = random_case(3).problem
    features = np.random.default_rng(0).integers(0, 2, (80_000, 10), dtype=np.uint8)
    events = problem.events.take(np.zeros(80_000, dtype=int))
    events = replace(events, event=np.ones(80_000, dtype=bool))
    questions = Questions(default_names(10))
    large = replace(problem, answers=features, events=events, questions=questions)
    assert replay.save(large, SearchSettings(), tmp_path).stat().st_size < 110_000


# Stands for a folder that cannot be written to, also for a user who may write everywhere.
def test_a_file_where_the_folder_should_be_warns_and_fits(veterans, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv(replay.VARIABLE, str(folder))
        with pytest.warns(
            UserWarning, match=f"written to {re.escape(str(folder))} .*goes on without"
        ) as caught:
            model = OptimalSurvivalTree(1).fit(veterans.X, veterans.y)
        assert model.status_ == "optimal"
        assert caught[0].filename == __file__


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of Unix")
def test_a_read_only_folder_warns_and_fits(veterans, monkeypatch):
    with open_folder() as folder:
        folder.chmod(0o555)
        monkeypatch.setenv(replay.VARIABLE, str(folder))
        with not_as_root(), pytest.warns(UserWarning, match="Permission denied"):
            assert OptimalSurvivalTree(1).fit(veterans.X, veterans.y).status_ == "optimal"


FULL_DISK = """
import resource, signal, sys, warnings
from survtree import OptimalSurvivalTree
from survtree.datasets import load
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
with warnings.catch_warnings(record=True) as caught:
    model = OptimalSurvivalTree(1).fit(*load("veterans"))
print(model.status_, *(str(each.message) for each in caught))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the limit is of Unix")
def test_a_full_disk_warns_fits_and_leaves_nothing_behind(folder):
    run = subprocess.run(
        [sys.executable, "-c", FULL_DISK], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith(f"optimal no replay file could be written to {folder} ")
    assert "File too large" in run.stdout
    assert list(folder.iterdir()) == []


# The last step before the name is given takes for ever, so the process dies while it writes.
SLOW_WRITE = """
import os, sys, time
import numpy as np
from survtree import OptimalSurvivalTree
os.fsync = lambda handle: time.sleep(600)
rng = np.random.default_rng(0)
X = rng.integers(0, 2, (300_000, 20), dtype=np.uint8)
OptimalSurvivalTree(1, 0.01).fit(X, (X[:, 0] == 1, rng.random(300_000)))
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_writes_leaves_no_half_file(folder, veterans):
    process = subprocess.Popen([sys.executable, "-c", SLOW_WRITE])
    deadline = time.monotonic() + 120
    while not any(part.stat().st_size for part in folder.glob(".survtree-*.part")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert list(folder.glob("survtree-*")) == []
    assert len(list(folder.iterdir())) == 1
    OptimalSurvivalTree(1, 0.01).fit(veterans.X, veterans.y)
    (path,) = folder.glob("survtree-*")
    assert len(read_replay(path).problem.answers) == 137


def test_a_bug_is_told_even_if_no_file_can_be_written(monkeypatch, tmp_path):
    problem = random_case(3).problem
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    told = replay.request(problem, SearchSettings())
    (path,) = tmp_path.iterdir()
    assert told == f"please report it with the replay file {path}."
    monkeypatch.setattr("tempfile.tempdir", str(path))
    told = replay.request(problem, SearchSettings())
    assert told.startswith(f"please report it; no replay file could be written to {path} (")


def test_names_that_are_no_unicode_come_back(tmp_path):
    problem = random_case(3).problem
    p = problem.answers.shape[1]
    names = ("\udcff", "a\x1b[31m", *(f"é{j}" for j in range(p - 2)))
    odd = replace(problem, questions=Questions(names))
    found = read_replay(replay.save(odd, SearchSettings(), tmp_path)).problem
    assert found.fingerprint() == odd.fingerprint()
    assert found.questions.names == names
    assert found.questions.texts[0] == r"'\udcff' = 1"


def test_the_header_is_json_that_anyone_can_look_at(tmp_path):
    path = replay.save(random_case(3).problem, SearchSettings(), tmp_path)
    with np.load(path, allow_pickle=False) as arrays:
        header = json.loads(arrays["header"].tobytes())
    assert header["format"] == 2
    assert set(header) == {"format", "survtree", "problem", "questions", "settings"}


def test_a_file_of_format_1_is_the_same_fit():
    path = Path(__file__).parents[1] / "regress" / "replays" / "replay-1.npz"
    problem, settings, writer = read_replay(path)
    assert writer == "0.1.0"
    assert problem.fingerprint() == random_case(3).problem.fingerprint()
    assert (settings.node_limit, settings.bounds_off, settings.proves) == (700, ("subtree",), True)
    assert np.array_equal(settings.guessed_losses, np.linspace(0, 0.01, 20))
    check_same_answer(solve(problem, settings), solve(random_case(3).problem, settings))
