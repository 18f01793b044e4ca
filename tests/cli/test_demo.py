"""The command as a user types it."""

import re
from itertools import takewhile
from pathlib import Path

import pytest

from tests.support.runner import process, survtree

ROOT = Path(__file__).parents[2]
SECONDS = re.compile(r"^ +\d+\.\ds", re.MULTILINE)


@pytest.fixture(scope="module")
def demo():
    run = process("demo", encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_demo_shows_progress_tree_and_proof(demo):
    for text in ("137 rows", "found by", "median", "leaf", "optimal: loss", "not rechecked"):
        assert text in demo
    assert "FAIL" not in demo


def test_demo_speaks_of_the_columns_as_they_were_recorded(demo):
    for question in ("Karnofsky_score <= 45?", "Celltype is squamous?", "Age_in_years <= 58.5?"):
        assert question in demo


def test_the_readme_shows_what_the_demo_prints_but_for_the_seconds(demo):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Two commands")[1].split("\n## ")[0]
    listing = section[section.index("    survtree 0.") :].splitlines()
    shown = "\n".join(line[4:] for line in takewhile(str.strip, listing))
    assert "optimal" in shown
    assert SECONDS.sub("", shown) in SECONDS.sub("", demo)


def test_bad_options_exit_2_without_a_traceback():
    run = survtree("demo", "--depth", "-3")
    assert run.exit_code == 2
    assert "--max-depth must be" in run.stderr
    assert "or an integer >= 0" in run.stderr
    assert "Traceback" not in run.stderr


def test_version():
    run = survtree("--version")
    assert run.exit_code == 0
    assert run.stdout.startswith("survtree 0.")
