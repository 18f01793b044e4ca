"""Real signals to real processes: a script, the command, a notebook's kernel."""

import queue
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from survtree import load
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem

ROOT = Path(__file__).parents[2]
LONG = 120  # seconds after which a process that does not end is given up; nothing is measured
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX"),
]

# A shell that starts tests in the background may have told them to ignore Ctrl-C.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
FIT = """
from survtree import OptimalSurvivalTree
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
model = OptimalSurvivalTree(DEPTH, REGULARIZATION, verbose=1, n_jobs={n_jobs})
model.fit(*hard_problem())
print(model.status_, model.n_leaves_ > 1, model.lower_bound_ < model.objective_)
"""
# Stays in the fit once the search has been stopped, until somebody presses Ctrl-C again.
LINGER = """
import logging, sys, time
class Lingering(logging.StreamHandler):
    def emit(self, record):
        super().emit(record)
        if record.getMessage().startswith("interrupted:"):
            time.sleep(3600)
logging.getLogger("survtree").addHandler(Lingering(sys.stderr))
logging.getLogger("survtree").setLevel("INFO")
"""
DEMO = "from survtree._cli import main; main()"


@pytest.fixture
def start():
    """Starts a Python script; ends it with the test, whatever happens."""
    running = []

    def run(script, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", f"{START}\n{script}", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()


def interrupt_after(process, stream, text):
    """Waits for a line that holds the text, then presses Ctrl-C; returns the lines so far."""
    read = []
    for line in stream:
        read.append(line)
        if text in line:
            process.send_signal(signal.SIGINT)
            return "".join(read)
    raise AssertionError(f"{text!r} never came: {''.join(read)}{process.communicate()}")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_returns_the_best_tree_and_the_script_goes_on(start, n_jobs):
    process = start(FIT.format(n_jobs=n_jobs))
    interrupt_after(process, process.stderr, "depth 2")
    out, err = process.communicate(timeout=LONG)
    assert out == "interrupted True True\n"
    assert "\ninterrupted: loss" in err
    assert "SearchStoppedWarning: stopped by an interrupt." in err
    assert process.returncode == 0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_second_ctrl_c_ends_the_fit(start, n_jobs):
    process = start(LINGER + FIT.format(n_jobs=n_jobs))
    interrupt_after(process, process.stderr, "depth 2")
    interrupt_after(process, process.stderr, "interrupted: loss")
    out, err = process.communicate(timeout=LONG)
    assert out == ""
    assert err.endswith("KeyboardInterrupt\n")
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT)


def test_ctrl_c_during_a_demo_shows_the_best_tree(start):
    process = start(DEMO, "demo", "--depth", "12", "--regularization", "0.00001")
    interrupt_after(process, process.stdout, "depth 2")
    out, err = process.communicate(timeout=LONG)
    assert "\ninterrupted: loss" in out
    assert "median" in out
    assert "FAIL" not in out
    assert "warning: stopped by an interrupt." in err
    assert process.returncode == 0


def test_a_second_ctrl_c_ends_the_demo(start):
    process = start(LINGER + DEMO, "demo", "--depth", "12", "--regularization", "0.00001")
    interrupt_after(process, process.stderr, "depth 2")
    interrupt_after(process, process.stderr, "interrupted: loss")
    out, _ = process.communicate(timeout=LONG)
    assert "median" not in out
    assert process.returncode in (1, 130)  # as old and new versions of typer have it


@pytest.fixture
def kernel():
    pytest.importorskip("ipykernel")
    jupyter_client = pytest.importorskip("jupyter_client")
    manager = jupyter_client.KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(ROOT))
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=LONG)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def outputs(client, code):
    """What a cell puts out, piece by piece, until it is done."""
    cell = client.execute(code)
    while True:
        try:
            message = client.get_iopub_msg(timeout=LONG)
        except queue.Empty:
            raise AssertionError("the kernel has fallen silent") from None
        if message["parent_header"].get("msg_id") != cell:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return
        yield message["msg_type"], message["content"]


def test_a_notebook_shows_a_bar_and_its_stop_button_returns_the_best_tree(kernel):
    manager, client = kernel
    shown, streams, is_stopped = [], {"stdout": "", "stderr": ""}, False
    for kind, content in outputs(client, FIT.format(n_jobs=1)):
        assert kind != "error", content
        if kind == "stream":
            streams[content["name"]] += content["text"]
        elif kind in ("display_data", "update_display_data"):
            shown.append(content["data"]["text/plain"])
            if "optimum <= 0." in shown[-1] and not is_stopped:
                manager.interrupt_kernel()
                is_stopped = True
    assert streams["stdout"] == "interrupted True True\n"
    assert "SearchStoppedWarning: stopped by an interrupt." in streams["stderr"]
    assert "found by" not in streams["stderr"]
    assert "optimum <=" not in shown[-1]  # the bar is gone, the table stays
    assert "found by" in shown[-1]
    assert "\ninterrupted: loss" in shown[-1]


def test_ctrl_c_during_a_fit_saves_the_best_tree(start, tmp_path):
    X, (event, time) = hard_problem()
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])])
    frame.with_columns(time=time, event=event).write_parquet(tmp_path / "data.parquet")
    arguments = ("fit", tmp_path / "data.parquet", "--depth", DEPTH, "-o", tmp_path / "model.json")
    # Progress, which only a terminal gets to see, tells when the search is on its way.
    script = f"import sys; sys.stderr.isatty = lambda: True\n{DEMO}"
    process = start(script, *map(str, arguments), "--regularization", str(REGULARIZATION))
    interrupt_after(process, process.stderr, "depth 2")
    _, err = process.communicate(timeout=LONG)
    assert process.returncode == 130, err
    assert "warning: stopped by an interrupt" in err
    assert load(tmp_path / "model.json").status_ == "interrupted"
