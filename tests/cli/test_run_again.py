"""What a command prints and writes can be run again, and gives the same tree and curves."""

import json
import re
import shlex
from html import unescape

import pytest

from survtree import OptimalSurvivalTree, export_json, load
from survtree.datasets import load as load_data
from tests.support.runner import done, survtree

TUNE = ("tune", "--depths", "1,2", "--min-regularization", 0.002, "--folds", 3, "--quiet")
COMMANDS = {
    "fit": ("fit",),
    "paper": ("fit", "--regularization", 0.005, "--depth", 2, "--exclude", "Celltype"),
    "teacher": ("fit", "--teacher", "cox", "--seed", 7, "--na", "x y"),
    "tune": TUNE,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    found = load_data("veterans")
    file = tmp_path_factory.mktemp("study") / "my data.csv"
    found.X.with_columns(days=found.y["time"], died=found.y["event"]).write_csv(file)
    return file


def said(file):
    """Tree, curves and fingerprints of a model file."""
    facts = json.loads(file.read_text())
    parts = {name: facts[name] for name in ("tree", "questions", "leaves", "shrinkage")}
    return parts, facts["origin"]["data"], facts["certificate"]["fingerprint"]


def first(data, tmp_path, command):
    """Runs a command that writes a model; what it prints on standard error."""
    name, *options = command
    run = survtree(name, data, *options, "-o", tmp_path / "model.json")
    assert run.exit_code == 0, run.stderr
    return run.stderr


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_command_that_is_printed_makes_the_same_model(data, tmp_path, command):
    printed = first(data, tmp_path, command)
    before = said(tmp_path / "model.json")
    (tmp_path / "model.json").unlink()
    again = re.search(r"^run again: survtree (.*)$", printed, re.M)[1]
    done(*shlex.split(again))
    assert said(tmp_path / "model.json") == before


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_model_file_says_by_which_command_it_was_made(data, tmp_path, command):
    first(data, tmp_path, command)
    before, recipe = said(tmp_path / "model.json"), load(tmp_path / "model.json").recipe_
    done(*shlex.split(recipe.command)[1:])
    assert said(tmp_path / "model.json") == before


@pytest.mark.parametrize("command", [COMMANDS["teacher"], TUNE], ids=["fit", "tune"])
def test_a_report_says_by_which_command_its_model_was_made(data, tmp_path, command):
    first(data, tmp_path, command)
    before = said(tmp_path / "model.json")
    done("report", tmp_path / "model.json", data, "-o", tmp_path / "report.html", "--folds", 0)
    page = unescape((tmp_path / "report.html").read_text())
    shown = re.search(r"<code>survtree (.*?)</code>", page, re.S)[1]
    done(*shlex.split(shown))
    assert said(tmp_path / "model.json") == before


def test_json_has_the_recipe(data):
    facts = json.loads(done("fit", data, "--depth", 2, "--json"))
    recipe = facts["recipe"]
    assert facts["seed"] == recipe["seed"] == 0
    assert re.search(r"depth 2 --\S+ 0 --json$", recipe["command"])
    assert recipe["options"]["shrinkage"] == repr(facts["shrinkage"])
    assert {"survtree", "numpy", "scikit-learn"} <= set(recipe["versions"])
    assert len(recipe["data"]) == 64


def test_seed_and_versions_are_printed(data, tmp_path):
    printed = first(data, tmp_path, ("fit", "--seed", 3, "--depth", 1))
    rows = load(tmp_path / "model.json").recipe_.data[:16]
    assert re.search(rf"^seed 3; rows {rows}; survtree [^ ]+, numpy [^ ]+, sc", printed, re.M)
    assert "run again: survtree fit" in printed


def test_a_path_can_be_run_again(data):
    run = survtree("path", data, "--depth", 1, "--min-regularization", 0.01)
    again = re.search(r"^run again: survtree (.*)$", run.stderr, re.M)[1]
    assert done(*shlex.split(again)) == run.stdout
    assert re.search(r"^seed none; rows [0-9a-f]{16}; survtree ", run.stderr, re.M)


def test_a_model_of_python_is_made_again_in_python(tmp_path):
    found = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.004).fit(found.X, found.y)
    export_json(model, tmp_path / "model.json")
    told = survtree("show", tmp_path / "model.json").stderr
    call = re.search(r"^run again, in Python: (OptimalSurvivalTree\(.*?^\))$", told, re.M | re.S)[1]
    assert max(map(len, told.splitlines()[1:])) < 100
    again = eval(call, {"OptimalSurvivalTree": OptimalSurvivalTree}).fit(found.X, found.y)
    assert again.certificate_.fingerprint == model.certificate_.fingerprint
    assert again.objective_ == model.objective_


def test_a_command_keeps_flags_that_switch_something_off(data, tmp_path):
    printed = first(data, tmp_path, ("fit", "--in-memory", "--depth", 1, "--regularization", 0.01))
    assert " --in-memory " in re.search(r"^run again: (.*)$", printed, re.M)[1]
    assert " --in-memory " in load(tmp_path / "model.json").recipe_.command
    options = ("--depth", 1, "--regularization", 0.01, "--folds", 0, "-o", tmp_path / "page.html")
    for flags in (("--no-sizes",), ("--sizes",), ()):
        done("explore", data, *options, *flags)
        command = re.search(r"survtree explore [^<]*", (tmp_path / "page.html").read_text())[0]
        assert [word for word in shlex.split(unescape(command)) if "sizes" in word] == [*flags]
