"""Figures in README, paper and docs are those of the result files, and of which core they are."""

import os
import re
import subprocess

import pytest

from benchmarks import claims, figures, origins, pages, prose
from benchmarks.markdown import with_part
from benchmarks.tables import HERE, rows_of
from tests.support.page_outputs import BLOCK, DOCS, PAGES, ROOT

RESULTS = DOCS / "results"
# Decisions and the changelog tell what was measured when they were written.
WRITTEN = [page for page in PAGES if page.parent.name != "decisions"]
LINK = re.compile(r"\]\((?:[\w./-]*/)?results/([\w-]+\.md)[^)]*\)")
NUMBER = re.compile(r"(?<![\w.#/-])\d[\d,]*(?:\.\d+)?(?![\w/]|\.\d|-\w)")


def numbers_of(text):
    """Numbers of a text as they are written, without those in code and in targets of links."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", " ", text)
    return [number.rstrip(",") for number in NUMBER.findall(text)]


def is_held(number, page):
    """Whether a page of results has the number, or one that rounds to it."""
    digits = len(number.partition(".")[2])
    wanted = float(number.replace(",", ""))
    return any(round(value, digits) == wanted for value in values_of(page))


def values_of(page):
    text = (RESULTS / page).read_text(encoding="utf-8")
    found = re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", text)
    return {abs(float(number.replace(",", ""))) for number in found}


def figures_not_held(text):
    """Figures of paragraphs and table rows that link to a page of results, which has them not."""
    missing = []
    for part in re.split(r"\n\s*\n|\n(?=[|-] ?)", BLOCK.sub("", text)):
        linked = [page for page in LINK.findall(part) if (RESULTS / page).exists()]
        if linked:
            missing += [n for n in numbers_of(part) if not any(is_held(n, p) for p in linked)]
    return missing


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_links_to_a_page_of_results_names_only_figures_that_it_has(page):
    assert figures_not_held(page.read_text(encoding="utf-8")) == []


def test_a_figure_that_the_linked_page_does_not_have_is_found():
    n = len(figures.counted_cases(rows_of("speed_osst")))
    said = f"A mean over {n} cases, at most 98,765 ([seconds](results/speed-osst.md))."
    assert figures_not_held(said) == ["98,765"]
    assert figures_not_held("98,765 without a link.") == []


def test_the_paper_and_the_readme_hold_what_the_files_say():
    assert pages.README.read_text(encoding="utf-8") == pages.readme()
    assert pages.PAPER.read_text(encoding="utf-8") == pages.paper()


def test_a_part_of_a_page_is_replaced_between_its_marks():
    text = "before\n<!-- a:begin -->\nold\n<!-- a:end -->\nafter\n"
    assert with_part(text, "a", "new") == (
        "before\n<!-- a:begin -->\n\nnew\n\n<!-- a:end -->\nafter\n"
    )
    assert prose.filled(text, {"a": lambda: "new"}) == with_part(text, "a", "new")


def test_every_claim_has_a_file_with_rows_and_a_command_that_is_there():
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for claim in claims.ALL:
        assert rows_of(claim.file), claim.file
        name = re.search(r"make (?:bench-)?(\w+)|-m benchmarks\.(\w+)", claim.command)
        assert name, claim.command
        assert (name[1] and name[1] in targets) or (HERE / f"{name[2]}.py").exists()


def test_figures_follow_the_rows():
    rows = [
        {"ratio": "2", "osst_seconds": "1"},
        {"ratio": "8", "osst_seconds": "1"},
        {"ratio": "99", "osst_seconds": "0.001"},
    ]
    assert figures.osst_speed(rows) == "geometric mean 4.0 over 2 cases, smallest 2.0, largest 8.0"
    assert figures.seconds(0.0123) == "12 ms"
    assert figures.digits(1654.4) == "1,654"


def row_at(programs):
    return {"programs": programs, "cpu": "a", "cores": "2", "python": "3.11"}


@pytest.mark.parametrize(
    ("programs", "is_told"),
    [
        ("osst 0.1.8; survtree 0.1.0 at aaaaaaa", False),
        ("survtree at aaaaaaa+", True),
        ("survtree at bbbbbbb", True),
        ("survtree at ccccccc", True),
        ("survtree 0.1.0", True),
        ("osst 0.1.8", False),
        ("", True),
    ],
)
def test_rows_of_another_core_are_told(programs, is_told, monkeypatch):
    known = {
        "aaaaaaa": origins.Commit("2026-01-02", origins.core_today()),
        "bbbbbbb": origins.Commit("2026-01-01", "0" * 40),
    }
    monkeypatch.setattr(origins, "known_commits", lambda: known)
    told = origins.age_line([row_at(programs), {**row_at(""), "cpu": ""}])
    assert told.startswith("*Of an earlier core:* 2 of 2 rows") is is_told
    assert ("2026-01-01" in told) is ("bbbbbbb" in programs)


def files_and_pages():
    """Each file of results with the page that shows it."""
    for page in pages.present_pages():
        for file in pages.rows_by_file(page):
            yield file, RESULTS / f"{page.name}.md"
    for name in pages.PAPER_TABLES:
        yield f"paper/{name}", RESULTS / "paper.md"


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)


@pytest.mark.parametrize(
    ("file", "page"), [*files_and_pages()], ids=lambda value: str(value).split("/")[-1]
)
def test_a_page_says_which_rows_are_of_a_commit_with_another_core(file, page):
    if not origins.has_history():
        pytest.skip("needs the history of git, which this copy lacks")
    told = page.read_text(encoding="utf-8")
    known = origins.known_commits()
    for origin in origins.origins_of(rows_of(file)):
        if not origin.commit:
            continue
        commit = known[origin.commit]
        if commit.is_joined:
            is_same = commit.core == origins.core_today()
        else:
            assert origins.is_in_history(origin.commit), f"not in the history: {origin.commit}"
            is_same = git("diff", "--quiet", origin.commit, "--", "core").returncode == 0
        if not is_same or origin.is_changed:
            lines = [line for line in told.splitlines() if line.startswith("*Of an earlier core")]
            assert origin.commit in "".join(lines), "run python -m benchmarks.pages"


def test_the_kept_facts_of_commits_are_those_of_git():
    if not origins.has_history():
        pytest.skip("needs the history of git, which this copy lacks")
    for name, commit in origins.known_commits().items():
        if commit.is_joined:
            assert not origins.is_in_history(name), f"{name} is in the history"
            continue
        assert origins.is_in_history(name), f"{name} is not in the history"
        assert git("rev-parse", f"{name}:core").stdout.decode().strip() == commit.core
        assert git("log", "-1", "--format=%cs", name).stdout.decode().strip() == commit.date


def test_rows_of_a_commit_outside_the_history_are_refused(tmp_path, monkeypatch):
    if not origins.has_history():
        pytest.skip("needs the history of git, which this copy lacks")
    monkeypatch.setattr(origins, "COMMITS", tmp_path / "commits.csv")
    head = git("rev-parse", "--short", "HEAD").stdout.decode().strip()
    # One that git holds and no branch leads to, as after an amendment.
    person = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    made = git(*person, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "a")
    amended = made.stdout.decode().strip()
    assert git("cat-file", "-e", amended).returncode == 0
    origins.bring_up_to_date([row_at(f"survtree at {head}")])
    assert list(origins.known_commits()) == [head]
    with pytest.raises(SystemExit, match=f"{amended}, which is not in the history"):
        origins.bring_up_to_date([row_at(f"survtree at {amended}")])


def test_the_name_of_a_folder_is_that_of_git(tmp_path):
    if not origins.has_history():
        pytest.skip("needs git")
    (tmp_path / "core" / "b").mkdir(parents=True)
    (tmp_path / "core" / "b" / "x.cpp").write_bytes(b"1\r\n")
    (tmp_path / "core" / "b.hpp").write_bytes(b"2\n")
    (tmp_path / "core" / "a.hpp").write_bytes(b"")
    before_stray = origins.core_today(tmp_path / "core")
    (tmp_path / "core" / ".DS_Store").write_bytes(b"x")
    before = origins.core_today(tmp_path / "core")
    assert before == before_stray
    (tmp_path / "core" / ".DS_Store").unlink()
    (tmp_path / "core" / "b" / "x.cpp").write_bytes(b"1\n")
    assert origins.core_today(tmp_path / "core") == before
    # Neither the settings of whoever runs this nor a repository that a hook of git is about.
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def run(*words):
        command = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b.c", *words]
        return subprocess.run(command, check=True, capture_output=True, env=env)

    run("init", "--quiet")
    run("add", ".")
    run("commit", "--quiet", "-m", "a")
    asked = run("rev-parse", "HEAD:core")
    assert asked.stdout.decode().strip() == before
