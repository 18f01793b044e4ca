"""The examples in README and the how-to pages run, and print what the pages show."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from survtree import _cut_points, _guess
from survtree._options import DEFAULTS

ROOT = Path(__file__).parents[2]
HOW_TO = sorted((ROOT / "docs" / "how-to").glob("*.md"))
PAGES = [ROOT / "README.md", *HOW_TO]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)\)")


def blocks(page):
    """(language, text, first line) of each fenced block."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        yield found[1], found[2], text.count("\n", 0, found.start()) + 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run_and_print_what_is_shown(page):
    namespace = {"__name__": "__main__"}
    printed, line = "", 0
    for language, text, first in blocks(page):
        if language == "text":
            assert text == printed, f"{page.name}:{first}"
            printed = ""
        elif language == "python":
            assert printed == "", f"{page.name}:{line} prints what the page does not show"
            out, line = io.StringIO(), first
            # Empty lines in front, so that a traceback names the line of the page.
            code = compile("\n" * (first - 1) + text, str(page), "exec")
            with contextlib.redirect_stdout(out):
                exec(code, namespace)
            printed = out.getvalue()
    assert printed == "", f"{page.name}:{line} prints what the page does not show"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "ARCHITECTURE.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_what_auto_does_is_told_with_the_numbers_of_the_code():
    page = (ROOT / "docs" / "how-to" / "raw-tables.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told, limits = " ".join(page.split()), " ".join(readme.split())
    assert f"up to {_cut_points.AUTO_CUTS} a column, at quantiles" in told
    assert f"out of up to {_cut_points.GUESS_CUTS} a column" in told
    assert f"`({_guess.MOST_WORK:g} / rows) ** 0.25`" in told
    assert f"with {_guess.FEWEST} as the least and {_guess.MOST} as the most" in told
    assert f"at least {_guess.FEWEST_PICKED} others" in told
    assert f"trees of depth {_guess.DEPTH}," in told
    assert f"`max_levels` ({DEFAULTS['max_levels']})" in told
    assert f"up to {_cut_points.AUTO_CUTS};" in limits
    assert f"({_guess.MOST} for few rows, {_guess.FEWEST} for very many" in limits
