"""Ctrl-C, as a real signal, during work that consists of more than one plain search."""

import os
import re
import signal
import sys

import polars as pl
import pytest

from survtree import load
from tests.cli.test_interrupt import DEMO, LONG, interrupt_after, start  # noqa: F401
from tests.support.hard_problem import hard_problem

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX"),
]

PATH = """
from survtree import regularization_path
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
path = regularization_path(
    *hard_problem(), max_depth=DEPTH, min_regularization=REGULARIZATION, verbose=1, n_jobs={n_jobs}
)
print(path.status_, len(path) > 2, path[-1].n_leaves_ > 2)
"""
LEAVES = """
from survtree import OptimalSurvivalTree
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
model = OptimalSurvivalTree(DEPTH, 0.0001, max_leaves=20, verbose=1, n_jobs={n_jobs})
model.fit(*hard_problem())
print(model.status_, model.n_leaves_ > 2, model.lower_bound_ < model.objective_)
"""
FOLDS = """
from survtree import OptimalSurvivalTreeCV
from tests.support.hard_problem import hard_problem
model = OptimalSurvivalTreeCV(
    max_depths=(3,), min_regularization=0.0005, cv=15, verbose=1, n_jobs={n_jobs}
)
model.fit(*hard_problem())
print(model.is_complete_, 1 <= model.n_splits_ < 15, model.n_leaves_ > 1)
"""
NESTED = """
from survtree import OptimalSurvivalTreeCV
from tests.support.hard_problem import hard_problem
model = OptimalSurvivalTreeCV(max_depths=(3,), min_regularization=0.0005, cv=2, verbose=1)
found = model.nested_score(*hard_problem(), cv=6)
print(found.is_complete, 1 <= len(found.scores) < 6)
"""
SAMPLES = """
from survtree import OptimalSurvivalTree, bootstrap
from tests.support.hard_problem import hard_problem
tree = OptimalSurvivalTree(4, 0.0005)
found = bootstrap(tree, *hard_problem(), n_bootstraps=19, verbose=1, n_jobs={n_jobs})
print(found.is_complete, 1 <= found.n_bootstraps < 19)
"""
TEACHER = """
from survtree import OptimalSurvivalTree
from survtree._scoring import teachers
from tests.support.hard_problem import hard_problem
grown = teachers.Pace.ends
def ends(pace, what, share):
    print(what, flush=True)
    return grown(pace, what, share)
teachers.Pace.ends = ends
OptimalSurvivalTree(n_jobs={n_jobs}).fit(*hard_problem(20_000))
print("fitted")
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_during_a_path_returns_the_trees_so_far(start, n_jobs):  # noqa: F811
    process = start(PATH.format(n_jobs=n_jobs))
    interrupt_after(process, process.stderr, "depth 3")
    out, err = process.communicate(timeout=LONG)
    assert out == "interrupted True True\n"
    assert "\ninterrupted: trees with 1, 2, " in err
    assert "SearchStoppedWarning: stopped by an interrupt." in err
    assert process.returncode == 0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_with_a_limit_on_leaves_returns_the_best_tree(start, n_jobs):  # noqa: F811
    process = start(LEAVES.format(n_jobs=n_jobs))
    interrupt_after(process, process.stderr, "depth 3")
    out, err = process.communicate(timeout=LONG)
    assert out == "interrupted True True\n"
    assert "\ninterrupted: loss" in err
    assert process.returncode == 0


needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self"), reason="there is no /proc to list processes"
)


def interrupt_group_after(process, *texts):
    """Waits for lines that hold the texts, then presses Ctrl-C as a terminal does: for all."""
    for text in texts:
        for line in process.stderr:
            if text in line:
                break
        else:
            raise AssertionError(f"{text!r} never came: {process.communicate()}")
    for child in children_of(process.pid):
        os.kill(child, signal.SIGINT)
    process.send_signal(signal.SIGINT)


def children_of(pid):
    """The processes that a process has started, and those that these have started."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            found += [int(entry), *children_of(int(entry))]
    return found


@needs_proc
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_during_a_cross_validation_chooses_by_the_finished_folds(start, n_jobs):  # noqa: F811
    process = start(FOLDS.format(n_jobs=n_jobs))
    interrupt_group_after(process, "all rows", "of 16 | fold", "of 16 | fold")
    out, err = process.communicate(timeout=LONG)
    assert out == "False True True\n", err
    assert "SearchStoppedWarning: stopped by an interrupt: the tree was chosen by " in err
    assert "<- chosen" in err
    assert "Traceback" not in err
    assert process.returncode == 0


@needs_proc
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_during_a_bootstrap_keeps_the_finished_samples(start, n_jobs):  # noqa: F811
    process = start(SAMPLES.format(n_jobs=n_jobs))
    interrupt_group_after(process, "all rows", "of 20 | sample", "of 20 | sample")
    out, err = process.communicate(timeout=LONG)
    assert out == "False True\n", err
    assert "SearchStoppedWarning: stopped by an interrupt: " in err
    assert process.returncode == 0


def test_ctrl_c_during_a_nested_score_keeps_the_finished_outer_folds(start):  # noqa: F811
    process = start(NESTED)
    interrupt_after(process, process.stderr, "outer fold 3, all rows")
    out, err = process.communicate(timeout=LONG)
    assert out == "False True\n", err
    assert process.returncode == 0


def test_ctrl_c_before_there_is_anything_to_show_ends_the_work(start):  # noqa: F811
    process = start(FOLDS.format(n_jobs=1))
    interrupt_after(process, process.stderr, "finished")  # the names of the columns
    out, err = process.communicate(timeout=LONG)
    assert out == ""
    assert err.endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("what", ["forest", "Cox model"])
def test_ctrl_c_while_the_teacher_is_fitted_ends_the_fit(start, what, n_jobs):  # noqa: F811
    process = start(TEACHER.format(n_jobs=n_jobs))
    seen = interrupt_after(process, process.stdout, what)
    out, err = process.communicate(timeout=LONG)
    assert "fitted" not in out
    # At once: the step that was under way, and none after it.
    assert (seen + out).count(what) <= 2
    assert err.endswith("KeyboardInterrupt\n")
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT)


@pytest.fixture
def table(tmp_path):
    X, (event, time) = hard_problem()
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])])
    frame.with_columns(time=time, event=event).write_parquet(tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


def test_ctrl_c_during_a_tuning_saves_what_was_chosen(start, table):  # noqa: F811
    model = table.parent / "model.json"
    options = ("--depths", "3", "--min-regularization", "0.0005", "--folds", "15")
    process = start(DEMO, "tune", str(table), *options, "-o", str(model))
    interrupt_after(process, process.stderr, "| fold 2")
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 130, err
    # Two, unless the signal came late.
    said = re.search(
        r"warning: stopped by an interrupt: the tree was chosen by (\d+) of 15 folds", err
    )
    assert said is not None, err
    assert 2 <= int(said[1]) < 15
    assert f"chosen by {said[1]} folds (seed 0, incomplete): depth 3" in out
    assert load(model).n_leaves_ > 1


def test_ctrl_c_during_a_path_writes_the_list_so_far(start, table):  # noqa: F811
    script = f"import sys; sys.stderr.isatty = lambda: True\n{DEMO}"
    options = ("--depth", "7", "--min-regularization", "0.0001", "--jobs", "2")
    written = table.parent / "path.csv"
    process = start(script, "path", str(table), *options, "-o", str(written))
    interrupt_after(process, process.stderr, "depth 3")
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 130, err
    assert "interrupted: the best trees that were found" in out
    assert len(pl.read_csv(written)) > 2
