"""The examples in README and docs run and print what the pages show; made pages are current."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import survtree
from benchmarks import pages
from survtree import datasets, metrics
from survtree._base.options import DEFAULTS
from survtree._questions import encodings, screening
from tests.support.runner import done

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Pages of docs/results are made, and have a test of their own.
WRITTEN = [page for page in sorted(DOCS.rglob("*.md")) if page.parent != DOCS / "results"]
PAGES = [ROOT / "README.md", *WRITTEN]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)\)")


def blocks(page):
    """(language, text, first line) of each fenced block."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        yield found[1], found[2], text.count("\n", 0, found.start()) + 2


def printed_by_python(page, text, first, namespace):
    """What an example prints."""
    out = io.StringIO()
    # Empty lines in front, so that a traceback names the line of the page.
    code = compile("\n" * (first - 1) + text, str(page), "exec")
    with contextlib.redirect_stdout(out):
        exec(code, namespace)
    return out.getvalue()


def printed_by_commands(text):
    """What the commands of a tutorial print; spaces at the ends of lines are not shown."""
    out = ""
    for line in text.splitlines():
        command, *arguments = shlex.split(line)
        assert command == "survtree", line
        out += done(*arguments)
    return "\n".join(line.rstrip() for line in out.split("\n"))


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_run_and_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # the pages show tables of the usual width
    namespace = {"__name__": "__main__"}
    printed, line = "", 0
    for language, text, first in blocks(page):
        if language == "text":
            assert text == printed, f"{page.name}:{first}"
            printed = ""
        # Commands of other pages are about files that are not there.
        elif language == "python" or (language == "sh" and page.parent.name == "tutorial"):
            assert printed == "", f"{page.name}:{line} prints what the page does not show"
            is_python, line = language == "python", first
            printed = (
                printed_by_python(page, text, first, namespace)
                if is_python
                else printed_by_commands(text)
            )
    assert printed == "", f"{page.name}:{line} prints what the page does not show"


def test_pages_of_results_are_what_the_files_say():
    made = pages.all_pages()
    kept = {page.name: page.read_text(encoding="utf-8") for page in pages.DOCS.glob("*.md")}
    for written in ("measured.md", "method.md", "paper.md"):
        kept.pop(written)
    assert kept == made, "run python -m benchmarks.pages"


def test_every_file_of_results_has_a_page():
    files = {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.csv")}
    assert files == {page.file for page in pages.PAGES}


def test_numbers_measured_in_the_paper_are_those_of_the_results():
    paper = (ROOT / "paper.md").read_text(encoding="utf-8")
    results = (DOCS / "results" / "measured.md").read_text(encoding="utf-8")
    measured = paper.split("In the committed benchmarks")[1].split("Each of these numbers")[0]
    numbers = re.findall(r"\d[\d,.]*\d|\d", measured)
    assert len(numbers) > 5
    assert [number for number in numbers if number not in results] == []


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    listed = sorted(re.findall(r"^   (\w+)$", text, re.MULTILINE))
    assert listed == sorted([*survtree.__all__, *metrics.__all__, *datasets.__all__])


@pytest.mark.parametrize("page", [*PAGES, ROOT / "ARCHITECTURE.md"], ids=name_of)
def test_links_lead_somewhere(page):
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "Makefile"], ids=name_of)
def test_programs_and_tests_that_are_named_are_there(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"-m ((?:tests|benchmarks)(?:\.[a-z_]+)+)(?![\w.$])", text):
        assert (ROOT / f"{name.replace('.', '/')}.py").exists(), name
    for name in re.findall(r"\btests/[\w/]+\.(?:py|cpp|hpp|txt)\b", text):
        assert (ROOT / name).exists(), name


def test_links_of_the_site_are_checked_to_the_anchor(tmp_path):
    check = [sys.executable, str(DOCS / "check_links.py"), str(tmp_path)]
    (tmp_path / "other.html").write_text('<p id="here">')
    (tmp_path / "page.html").write_text('<a href="other.html#here"> <a href="https://else.where">')
    assert subprocess.run(check, capture_output=True, check=False).returncode == 0
    (tmp_path / "page.html").write_text('<a href="other.html#there"> <img src="gone.png">')
    run = subprocess.run(check, capture_output=True, check=False, text=True)
    assert run.returncode == 1
    assert "page.html: gone.png\npage.html: other.html#there" in run.stderr


def test_what_auto_does_is_told_with_the_numbers_of_the_code():
    page = (ROOT / "docs" / "how-to" / "raw-tables.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told, limits = " ".join(page.split()), " ".join(readme.split())
    assert f"up to {encodings.AUTO_CUTS} per column, at quantiles" in told
    assert f"out of up to {encodings.GUESS_CUTS} per column" in told
    assert f"`({screening.MOST_WORK:g} / rows) ** 0.25`" in told
    assert (
        f"with {screening.FEWEST_QUESTIONS} as the least and {screening.MOST_QUESTIONS} as the most"
        in told
    )
    assert f"at least {screening.FEWEST_CHOSEN} others" in told
    assert f"trees of depth {screening.DEPTH}," in told
    assert f"`max_levels` ({DEFAULTS['max_levels']})" in told
    assert f"up to {encodings.AUTO_CUTS};" in limits
    assert (
        f"({screening.MOST_QUESTIONS} for few rows, {screening.FEWEST_QUESTIONS} for very many"
        in limits
    )
