"""The examples in README and docs run and print what the pages show; made pages are current."""

import re
import subprocess
import sys

import pytest

import survtree
from benchmarks import pages
from survtree import datasets, metrics
from survtree._base.options import DEFAULTS
from survtree._questions import encodings, screening
from tests.support.page_outputs import BLOCK, DOCS, PAGES, ROOT, examples

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
# Pages whose examples fit many trees or draw many pictures, or start a cluster.
LONG = (
    "docs/explanation/teacher.md",
    "docs/gallery.md",
    "docs/how-to/big-data.md",
    "docs/explanation/objective.md",
    "docs/how-to/watch-and-stop.md",
    "docs/how-to/use-a-reference.md",
    "docs/tutorial/first-study.md",
    "docs/how-to/choose-a-size.md",
    "docs/how-to/use-a-cluster.md",
)


def name_of(page):
    return str(page.relative_to(ROOT))


def by_length(page):
    """The page as a parameter; one whose examples take long runs with the slow tests."""
    return pytest.param(page, marks=[pytest.mark.slow] if name_of(page) in LONG else [])


def without_fingerprints(text):
    """Those of a teacher's curves hang on last bits, which depend on threads and processor."""
    return re.sub(r"(fingerprint) [0-9a-f]{16}", r"\1 ...", text)


@pytest.mark.parametrize("page", [by_length(page) for page in PAGES], ids=name_of)
def test_examples_run_and_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # the pages show tables of the usual width
    for example in examples(page):
        # python -m tests.support.page_outputs brings a page up to date.
        shown, printed = (without_fingerprints(each) for each in (example.shown, example.printed))
        assert shown == printed, f"{page.name}:{example.line}"


def test_pages_of_results_are_what_the_files_say():
    made = pages.all_pages()
    kept = {page.name: page.read_text(encoding="utf-8") for page in pages.DOCS.glob("*.md")}
    kept.pop("method.md")
    assert kept == made, "run python -m benchmarks.pages"


def test_every_file_of_results_has_a_page():
    files = {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.csv")}
    assert files == {file for page in pages.present_pages() for file in pages.rows_by_file(page)}


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
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), name
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


def test_what_the_defaults_are_is_told_with_the_numbers_of_the_code():
    from survtree._model import deeper, defaults
    from survtree._scoring import shrinkage, teachers

    told = " ".join((DOCS / "explanation" / "defaults.md").read_text(encoding="utf-8").split())
    assert f"{defaults.TEACHER_SHARE:g} with a teacher" in told
    depths = f"{defaults.SHALLOW}; up to {max(deeper.MOST_WORK)}"
    assert f"{depths} with at most {deeper.MOST_LEAVES} leaves" in told
    assert f"by at least {100 * deeper.LEAST_GAIN:g} % of the integrated Brier score" in told
    assert f"| `min_events_leaf` | {defaults.NEW_ROWS['min_events_leaf']} | 0 |" in told
    assert (
        f"of {len(shrinkage.SHRINKAGES)} values from 0 to {shrinkage.SHRINKAGES[-1]:,.0f}" in told
    )
    assert f"without a teacher {defaults.SHRINKAGE_ROWS:g} rows" in told
    assert f"| `max_depth` | {defaults.SHALLOW}" in told
    told = " ".join((DOCS / "explanation" / "teacher.md").read_text(encoding="utf-8").split())
    assert f"a forest of {teachers.N_TREES} regression trees" in told
    assert f"at up to {teachers.N_TIMES} event times" in told
    assert f"fewer than {teachers.FEWEST_EVENTS} events" in told
    assert f"of at most {teachers.MOST_ROWS_PER_TREE:,}" in told
    assert f"Above {teachers.MOST_ROWS:,} rows" in told
