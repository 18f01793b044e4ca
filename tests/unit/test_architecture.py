"""The floor plan: rooms and their order, who may complain, and one table of options."""

import ast
import inspect
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import survtree
from survtree import OptimalSurvivalTree
from survtree._base.options import OPTIONS
from survtree._search.problem import BOUNDS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "survtree"
# A room may import from itself and from rooms before it, never from one after it.
ROOMS = ("_base", "_data", "_questions", "_scoring", "_search", "_proof", "_model", "_show", "_cli")
# What users import by name. Only the command line goes through a door.
DOORS = ("metrics", "datasets")
# Methods of a model that show it: they import the next room when they are called.
METHODS_THAT_SHOW = [
    PACKAGE / "_model" / name for name in ("fitted.py", "near_optimal.py", "path.py")
]

CORE = ROOT / "core"
# Rooms of the core: files include those of their own room and of rooms before it.
CORE_ROOMS = ("kernel", "data", "losses", "search", "check")


def files_of(room):
    return sorted((PACKAGE / room).rglob("*.py"))


def imported(path):
    """Parts of survtree that a file imports: rooms, doors, or the native module."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "survtree":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("survtree."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {a.name.split(".")[1] for a in node.names if a.name.startswith("survtree.")}
    return names & {*ROOMS, *DOORS, "_native"}


def test_every_file_is_in_a_room():
    inside = {path.name for path in PACKAGE.iterdir() if not path.name.startswith("__")}
    assert inside - {*ROOMS, "metrics.py", "datasets", "py.typed", "_native.pyi"} <= {
        path.name for path in PACKAGE.glob("_native*.so")
    }


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_down_the_list_of_rooms(room):
    allowed = {*ROOMS[: ROOMS.index(room) + 1], "_native"}
    if room == "_cli":
        allowed |= {*DOORS}
    for path in files_of(room):
        above = imported(path) - allowed
        assert above <= ({"_show"} if path in METHODS_THAT_SHOW else set()), path


def test_only_one_file_calls_the_native_module():
    callers = [path for path in PACKAGE.rglob("*.py") if "_native" in imported(path)]
    assert callers == [PACKAGE / "_search" / "engines.py"]


def test_the_checker_of_proofs_knows_nothing_of_the_package():
    own = [
        PACKAGE / "_proof" / f"{name}.py" for name in ("read_proof", "checker_losses", "checker")
    ]
    for place, path in enumerate(own):
        lines = re.findall(r"from survtree\S+ import|import survtree", path.read_text())
        earlier = [f"from survtree._proof.{other.stem} import" for other in own[:place]]
        assert set(lines) <= set(earlier)


def core_files():
    return sorted(CORE.rglob("*.?pp"))


def included(path):
    """Headers of the core a file includes, as paths from there."""
    return re.findall(r'#include "([^"]+)"', path.read_text())


def test_includes_go_from_room_to_room_one_way():
    for path in core_files():
        room = path.relative_to(CORE).parts[0]
        for name in included(path):
            assert (CORE / name).exists(), f"{path.name} includes {name}"
            is_before = CORE_ROOMS.index(name.split("/")[0]) <= CORE_ROOMS.index(room)
            assert is_before, f"{path.name} includes {name}"


def test_no_header_includes_itself_by_way_of_others():
    headers = [path for path in core_files() if path.suffix == ".hpp"]
    TopologicalSorter(
        {path.relative_to(CORE).as_posix(): included(path) for path in headers}
    ).prepare()


def test_nobody_in_the_core_knows_which_losses_there_are():
    for path in core_files():
        home = path.relative_to(CORE).parent.as_posix()
        for name in included(path):
            assert not name.startswith("losses/") or name.startswith(f"{home}/"), path.name


def test_only_the_bindings_know_python():
    for path in core_files():
        text = path.read_text()
        assert not any(word in text for word in ("nanobind", "Python.h", "std::cout", "printf"))


def raised(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield ast.unparse(node.exc.func)


def test_only_checks_and_readers_complain_about_input():
    for room in ROOMS:
        for path in files_of(room):
            if path.stem != "checks" and not path.stem.startswith("read_"):
                assert not {"ValueError", "TypeError"} & set(raised(path)), path


def test_what_only_some_need_is_imported_when_they_need_it():
    code = "import sys; from survtree import OptimalSurvivalTree; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {
        "polars",
        "matplotlib",
        "msgspec",
        "rich",
        "typer",
        "jinja2",
        "sksurv",
        "sklearn.metrics",
    }
    assert loaded.isdisjoint(heavy)


def test_every_public_name_has_a_home():
    assert sorted(survtree._HOMES) == survtree.__all__
    for name in survtree.__all__:
        assert getattr(survtree, name).__module__ == f"survtree.{survtree._HOMES[name]}"
    assert set(survtree.__all__) < set(dir(survtree))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        survtree.nonsense  # noqa: B018


def test_the_constructor_is_the_options_table():
    parameters = inspect.signature(OptimalSurvivalTree.__init__).parameters
    given = {name: p.default for name, p in parameters.items() if name != "self"}
    assert given == {option.name: option.default for option in OPTIONS}


def test_the_docs_tell_each_option_as_the_table_does():
    text = " ".join(inspect.getdoc(OptimalSurvivalTree).split())
    reference = (ROOT / "docs" / "reference" / "options.md").read_text()
    for option in OPTIONS:
        assert f"{option.name} :" in text
        assert option.help in text
        cells = (f"`{option.name}`", f"`{option.default}`", option.range_text, option.help)
        assert f"| {' | '.join(cells)} |" in reference


def test_every_bound_has_its_place_in_the_docs():
    text = (ROOT / "docs" / "explanation" / "bounds.md").read_text()
    for bound in BOUNDS:
        assert f"`{bound}`" in text


def test_no_file_is_long():
    for path in [*PACKAGE.rglob("*.py"), *core_files()]:
        assert len(path.read_text().splitlines()) <= 400, path.name
