"""The live bar in a real terminal: there while the fit lasts, gone without a trace afterwards."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LONG = 120  # seconds after which a process that does not end is given up; nothing is measured
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor
ESCAPE = re.compile(r"(\r|\n|\x1b\[\??[\d;]*[A-Za-z])")
LINE = re.compile(r" +\d+\.\ds +[\d,]+ \| .* \| +\d+  (one leaf|depth 1|depth 2)")
SETTINGS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE")

# Ends once there were some lines, and bars between them: by then there are more calls than lines.
FIT = """
from survtree import OptimalSurvivalTree
from survtree._search import progress
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
progress.BEAT_S = 0.0
calls = []
def callback(snapshot):
    calls.append(snapshot)
    if snapshot.subsets_solved > 5000 and len(calls) > 20:
        print("said by the callback")
        {end}
OptimalSurvivalTree(DEPTH, REGULARIZATION, verbose=1, callback=callback).fit(*hard_problem())
"""
STOP, FAIL = FIT.format(end="return True"), FIT.format(end="raise RuntimeError('mine')")
DEMO = """
import survtree, sys
from survtree import _cli
sys.argv = ["survtree", "demo", "--depth", "12", "--regularization", "0.00001"]
real, calls = survtree.OptimalSurvivalTree, []
def callback(snapshot):
    calls.append(snapshot)
    return snapshot.subsets_solved > 50_000 and len(calls) > 20
survtree.OptimalSurvivalTree = lambda *given, **options: real(*given, **options, callback=callback)
_cli.main()
"""


def in_terminal(script, width=100, streams=("stderr",), **settings):
    """Runs a script with some streams on a terminal: what that gets, what others get, exit code."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, width))
    env = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**env, "TERM": "xterm-256color", **settings},
        stdin=theirs,
        **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | dict.fromkeys(streams, theirs)),
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := read(ours):
            shown += chunk
        others = b"".join(part or b"" for part in process.communicate(timeout=LONG))
    finally:
        process.kill()
        os.close(ours)
    return shown.decode(), others.decode(), process.returncode


def read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that nobody has the other end any more
        return b""


def without_colours(shown):
    return re.sub(r"\x1b\[[\d;]*m", "", shown)


def screen(shown):
    """The rows a terminal is left with; it is taken to be wide enough for all of them."""
    rows, at = [""], 0
    for part in ESCAPE.split(shown):
        if part == "\n":
            at += 1
            rows += [""] * (at == len(rows))
        elif part == "\x1b[1A":
            at -= 1
        elif part == "\x1b[2K":
            rows[at] = ""
        elif not ESCAPE.fullmatch(part):
            rows[at] += part  # a row is wiped before it is written anew
    return rows


def lines_of(rows):
    """Where the trees of the first lines of the table came from."""
    return [found[1] for found in map(LINE.fullmatch, rows) if found]


def assert_a_bar_came_and_went(shown):
    assert "optimum <=" in shown
    assert "optimum <=" not in "\n".join(screen(shown))
    assert shown.rindex(SHOW) > shown.rindex(HIDE)
    assert lines_of(screen(shown)) == ["one leaf", "depth 1", "depth 2"]


def test_a_terminal_shows_lines_above_a_bar_that_is_gone_at_the_end():
    shown, others, code = in_terminal(STOP)
    assert code == 0
    bar = r"━+ gap \d+\.\d %  0\.\d{4} <= optimum <= 0\.\d{4}  [\d,]+ solved  \d+\.\ds"
    assert re.search(bar, without_colours(shown))
    assert_a_bar_came_and_went(shown)
    assert any(row.startswith("interrupted: loss") for row in screen(shown))
    assert set(others.splitlines()) == {"said by the callback"}  # standard output is a pipe here


def test_what_a_callback_prints_to_the_same_terminal_goes_above_the_bar():
    shown, _, _ = in_terminal(STOP, streams=("stdout", "stderr"))
    assert "said by the callback" in screen(shown)
    assert_a_bar_came_and_went(shown)


def test_an_exception_leaves_the_terminal_clean():
    shown, _, code = in_terminal(FAIL)
    assert code == 1
    assert_a_bar_came_and_went(shown)
    assert shown.endswith("RuntimeError: mine\r\n")


def test_a_narrow_terminal_cuts_the_bar_and_not_the_lines():
    shown, _, code = in_terminal(STOP, width=60)
    assert code == 0
    bars = [row for row in ESCAPE.split(without_colours(shown)) if "gap " in row and "…" in row]
    assert bars
    assert max(map(len, bars)) <= 60
    assert_a_bar_came_and_went(shown)


def test_no_color_is_heeded():
    shown, _, code = in_terminal(STOP, NO_COLOR="1")
    assert code == 0
    assert without_colours(shown) == shown
    assert_a_bar_came_and_went(shown)


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_dumb_terminal_gets_plain_lines(term):
    shown, _, code = in_terminal(STOP, TERM=term)
    assert code == 0
    assert "\x1b" not in shown
    assert len(lines_of(shown.splitlines())) == 3


def test_a_pipe_gets_plain_lines_even_if_colour_is_forced():
    _, others, code = in_terminal(STOP, streams=(), FORCE_COLOR="1")
    assert code == 0
    assert "\x1b" not in others
    assert len(lines_of(others.splitlines())) == 3


def test_the_demo_shows_a_bar_on_standard_output():
    shown, _, code = in_terminal(DEMO, streams=("stdout",))
    assert code == 0
    assert_a_bar_came_and_went(shown)
    assert "not rechecked" in shown[shown.rindex(SHOW) :]
