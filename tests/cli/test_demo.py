"""The command as a user types it."""

import subprocess
import sys


def survtree(*arguments):
    command = [sys.executable, "-c", "from survtree._cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_demo_shows_progress_tree_and_proof():
    run = survtree("demo")
    assert run.returncode == 0, run.stderr
    for text in ("137 rows", "found by", "median", "leaf", "optimal: loss", "not rechecked"):
        assert text in run.stdout


def test_bad_options_exit_2_without_a_traceback():
    run = survtree("demo", "--depth", "-3")
    assert run.returncode == 2
    assert "max_depth must be an integer >= 0" in run.stderr
    assert "Traceback" not in run.stderr


def test_version():
    run = survtree("--version")
    assert run.returncode == 0
    assert run.stdout.startswith("survtree 0.")
