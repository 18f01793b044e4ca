"""survtree replay, as a user types it."""

import os
import re
import signal
import subprocess
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, export_text
from survtree._search import replay
from survtree._search.problem import SearchSettings
from survtree.datasets import load
from tests.support.runner import PROCESS, survtree


def survtree_replay(*arguments):
    run = survtree("replay", *arguments)
    return SimpleNamespace(returncode=run.exit_code, stdout=run.stdout, stderr=run.stderr)


@pytest.fixture(scope="module")
def model():
    return OptimalSurvivalTree(3, 0.002).fit(*load("veterans"))


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    return replay.save(model._fitted.problem, SearchSettings(), tmp_path_factory.mktemp("replay"))


@pytest.fixture
def hard_file(tmp_path):
    """A problem that takes minutes."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (6000, 60))
    y = (rng.random(6000) < 0.7, rng.exponential(1.0 + X[:, 0] + X[:, 1] * X[:, 2]))
    easy = OptimalSurvivalTree(1, 0.0001).fit(X, y)
    return replay.save(replace(easy._fitted.problem, max_depth=6), SearchSettings(), tmp_path)


def test_a_replay_tells_what_is_run_and_what_came_of_it(file, model):
    run = survtree_replay(file)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    fingerprint = model.certificate_.fingerprint[:16]
    assert re.match(r"written by survtree (\S+), run by survtree \1\n", run.stdout)
    assert f"137 rows, 128 events, 44 questions, fingerprint {fingerprint}\n" in run.stdout
    assert "other than the default: regularization 0.002, max_depth 3\n" in run.stdout
    assert "found by" in run.stdout
    assert f"\n\n{export_text(model)}\n\n" in run.stdout
    assert run.stdout.endswith(
        f"status      optimal\nobjective   {model.objective_!r}\n"
        f"lower bound {model.objective_!r}\ngap         0.00 %\n"
    )


def test_quiet_leaves_out_the_table_alone(file, model):
    run = survtree_replay("--quiet", file)
    assert run.returncode == 0, run.stderr
    assert "found by" not in run.stdout
    assert f"\n\n{export_text(model)}\n\n" in run.stdout


def test_what_the_file_says_of_weights_and_limits_is_told(model, tmp_path):
    events = replace(model._fitted.problem.events, weight=np.linspace(1, 2, 137))
    problem = replace(model._fitted.problem, events=events)
    settings = SearchSettings(upper_bound=0.001, bounds_off=("subtree",))
    run = survtree_replay("--quiet", replay.save(problem, settings, tmp_path))
    assert run.returncode == 0, run.stderr
    assert "137 rows with weights" in run.stdout
    assert "upper_bound 0.001, bounds_off ('subtree',)" in run.stdout
    assert run.stdout.endswith("no tree attains the upper bound 0.001\n")


def test_a_time_limit_of_the_command_stops_the_search(hard_file):
    run = survtree_replay("--time-limit", "0.3", hard_file)
    assert run.returncode == 0, run.stderr
    assert "max_depth 6, time_limit 0.3\n" in run.stdout
    assert "status      time_limit\n" in run.stdout
    lower, objective = (
        float(re.search(rf"{name} +(\S+)\n", run.stdout)[1])
        for name in ("lower bound", "objective")
    )
    assert lower < objective


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signal for one process")
def test_ctrl_c_shows_the_best_tree(hard_file):
    # Some shells have Ctrl-C ignored in what they start.
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    process = subprocess.Popen(
        [*PROCESS[:2], f"{start}; {PROCESS[2]}", "replay", hard_file],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    shown = ""
    while "depth 1" not in shown:  # the search is on its way
        shown += process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    rest, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    assert "status      interrupted\n" in rest
    assert "yes: " in rest
    assert "Traceback" not in complaints


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory. Check the path and its permissions."),
        (b"time,event\n1,1\n", "cannot be read as an .npz file"),
    ],
)
def test_a_bad_file_exits_2_with_one_line(content, said, tmp_path):
    path = tmp_path / "bad.npz"
    if content is not None:
        path.write_bytes(content)
    run = survtree_replay(path)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith(f"survtree replay: {path} must be a replay file; ")
    assert said in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_file_cut_short_exits_2_with_one_line(file, tmp_path):
    path = tmp_path / "short.npz"
    path.write_bytes(file.read_bytes()[:-100])
    run = survtree_replay(path)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1


def test_a_bad_time_limit_exits_2_with_one_line(file):
    run = survtree_replay("--time-limit", "0", file)
    assert run.returncode == 2
    assert run.stderr.startswith("survtree replay: --time-limit must be a finite number > 0")
    assert run.stderr.count("\n") == 1
