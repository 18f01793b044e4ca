"""Who knows what: imports go one way, the border is narrow, and options have one table."""

import ast
import inspect
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import survtree
from survtree import OptimalSurvivalTree, _limits
from survtree._options import OPTIONS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "survtree"
# A module may import those before it, never those after.
ORDER = (
    "_native",
    "_options",
    "_limits",
    "_files",
    "_ticks",
    "_event_table",
    "_table",
    "_questions",
    "_cut_points",
    "_paper_encoding",
    "_tree",
    "_oracle",
    "_live",
    "_progress",
    "_curves",
    "_compare",
    "_censoring",
    "_row_losses",
    "_metrics",
    "_problem",
    "_proof_check",
    "_proof",
    "_validation",
    "_scored",
    "_brier",
    "_concordance",
    "_calibration",
    "_scorers",
    "metrics",
    "_replay",
    "_reference",
    "_guess",
    "_binarizer",
    "_prepare",
    "_resample",
    "_solve",
    "_certificate",
    "_fitted",
    "_scores",
    "_conditions",
    "_leaf_facts",
    "_plots",
    "_export",
    "_report",
    "_predict",
    "_estimator",
    "_model_file",
    "_path",
    "_held_out",
    "_cross_validation",
    "_tuning",
    "_stability",
    "_rerun",
    "_tables",
    "_predictions",
    "datasets",
    "_cli",
)
# Modules that are folders; the first is the one that complains.
PACKAGES = ("_validation", "_plots", "_export", "_report", "_cli")
CORE = ROOT / "core"
# Rooms of the core: files include those of their own room and of rooms before it.
ROOMS = ("kernel", "data", "losses", "search", "check")


def imported(path):
    """Names of survtree modules a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "survtree":
            names |= {alias.name for alias in node.names if alias.name in ORDER}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("survtree."):
            names.add(node.module.split(".")[1])
    return names


def modules():
    return sorted(path for path in PACKAGE.glob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_imports_go_left_to_right(path):
    place = ORDER.index(path.stem)
    assert all(ORDER.index(name) < place for name in imported(path)), imported(path)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_of_packages_go_left_to_right(package):
    place = ORDER.index(package)
    for path in (PACKAGE / package).glob("*.py"):
        names = imported(path) - {package}
        assert all(ORDER.index(name) < place for name in names), (path.name, names)


def test_pictures_of_a_report_know_facts_and_no_model():
    for name in ("markup", "words", "charts", "tree_svg"):
        assert imported(PACKAGE / "_report" / f"{name}.py") <= {"_report", "_ticks"}, name


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
            is_before = ROOMS.index(name.split("/")[0]) <= ROOMS.index(room)
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


def test_only_solve_calls_the_native_module():
    assert [path.stem for path in modules() if "_native" in imported(path)] == ["_solve"]


def test_only_the_bindings_know_python():
    for path in core_files():
        text = path.read_text()
        assert "nanobind" not in text
        assert "Python.h" not in text
        assert "std::cout" not in text
        assert "printf" not in text


def test_only_validation_complains_about_input():
    inside = [path for name in PACKAGES[1:] for path in (PACKAGE / name).glob("*.py")]
    for path in [*modules(), *inside]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                assert ast.unparse(node.exc.func) not in ("ValueError", "TypeError"), path.name


def test_what_only_some_need_is_imported_when_they_need_it():
    code = "import sys; from survtree import OptimalSurvivalTree; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {"polars", "matplotlib", "rich", "typer", "jinja2", "sksurv", "sklearn.metrics"}
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
    for bound in _limits.BOUNDS:
        assert f"`{bound}`" in text


def test_no_file_is_long():
    for path in [*PACKAGE.rglob("*.py"), *core_files()]:
        assert len(path.read_text().splitlines()) <= 400, path.name
