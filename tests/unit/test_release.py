"""What a release is made of: the recipe for conda, the check of contents, the table of trials."""

import re
import tomllib

import pytest

from release import contents, page
from release.trial import counts, dependencies, pinned, record

ROOT = contents.ROOT


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "recipe" / "meta.yaml").read_text()
    assert f'{{% set version = "{project()["version"]}" %}}' in recipe
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {project()['version']}\n" in citation
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    asked = {line.strip("- ").replace("matplotlib-base", "matplotlib") for line in run.split("\n")}
    asked = {re.sub(" +", " ", line.strip()) for line in asked} - {"python"}
    assert asked == {line.replace(">=", " >=") for line in dependencies()}


def whole_wheel():
    return {
        *contents.package_files(),
        "survtree/_native.abi3.so",
        "survtree-1.dist-info/licenses/LICENSE",
    }


def test_a_whole_wheel_has_no_faults():
    assert contents.faults_of_wheel(whole_wheel()) == []


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ("survtree/py.typed", "lacks survtree/py.typed"),
        ("survtree-1.dist-info/licenses/LICENSE", "lacks LICENSE"),
        ("survtree/_native.abi3.so", "needs one native module and holds []"),
    ],
)
def test_what_a_wheel_lacks_is_said(lost, words):
    assert contents.faults_of_wheel(whole_wheel() - {lost}) == [words]


def test_what_does_not_belong_into_a_wheel_or_sdist_is_said():
    assert contents.faults_of_wheel(whole_wheel() | {"tests/a.py"}) == [
        "should not hold tests/a.py"
    ]
    needed = {
        *contents.BEYOND_CODE,
        *contents.core_files(),
        *(f"src/{name}" for name in contents.package_files()),
    }
    whole = {f"survtree-1/{name}" for name in needed}
    assert contents.faults_of_sdist(whole) == []
    assert contents.faults_of_sdist(whole | {"survtree-1/docs/a.md"}) == [
        "should not hold docs/a.md"
    ]
    if contents.tracked_files() is not None:
        assert contents.faults_of_sdist(
            whole | {"survtree-1/notes.txt", "survtree-1/PKG-INFO"}
        ) == ["should not hold notes.txt"]


def test_the_oldest_packages_are_those_that_pyproject_names():
    assert {"numpy==2.0", "scikit-learn==1.6", "matplotlib==3.8.4"} <= set(pinned("oldest"))


def test_counts_are_read_off_the_last_line():
    assert counts("x\n1 failed, 20 passed, 3 skipped, 2 errors in 1.0s\n") == {
        "passed": 20,
        "skipped": 3,
        "failed": 3,
    }


def test_a_trial_takes_the_place_of_an_earlier_one(tmp_path):
    line = {"python": "3.12.1", "machine": "x86_64", "pins": "newest", "passed": 1}
    for passed in (1, 2):
        record(line | {"passed": passed}, tmp_path / "tried.csv")
    record(line | {"pins": "oldest"}, tmp_path / "tried.csv")
    assert (tmp_path / "tried.csv").read_text().count("3.12.1") == 2


def test_the_table_of_trials_is_what_the_file_says():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run python -m release.page"
