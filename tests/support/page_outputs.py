"""Examples of the pages: what their blocks print, and how to bring a page up to date.

    python -m tests.support.page_outputs [PAGE ...]

runs the examples of these pages, or of all, and writes what they print into the blocks that show
it. Read the differences before you commit them: the words around may no longer be true.
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.runner import done

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Pages of docs/results are made, and have a test of their own.
WRITTEN = [page for page in sorted(DOCS.rglob("*.md")) if page.parent != DOCS / "results"]
PAGES = [ROOT / "README.md", *WRITTEN]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """What an example prints, the line it begins in, and the block that shows it, if there is one.

    ``place`` is that of the block's text within the page.
    """

    printed: str
    line: int
    shown: str
    place: slice


def examples(page: Path) -> Iterator[Shown]:
    """The examples of a page, run in order in one namespace and in the current folder."""
    text, namespace = page.read_text(encoding="utf-8"), {"__name__": "__main__"}
    printed, line = "", 0
    for found in BLOCK.finditer(text):
        language, code = found[1], found[2]
        if language == "text":
            yield Shown(printed, line, code, slice(found.start(2), found.end(2)))
            printed = ""
        # Commands of other pages are about files that are not there.
        elif language == "python" or (language == "sh" and page.parent.name == "tutorial"):
            if printed:
                yield Shown(printed, line, "", slice(0, 0))
            line = text.count("\n", 0, found.start()) + 2
            is_python = language == "python"
            printed = (
                printed_by_python(page, code, line, namespace)
                if is_python
                else printed_by_commands(code)
            )
    if printed:
        yield Shown(printed, line, "", slice(0, 0))


def printed_by_python(page: Path, code: str, first: int, namespace: dict[str, Any]) -> str:
    """What an example prints."""
    out = io.StringIO()
    # Empty lines in front, so that a traceback names the line of the page.
    compiled = compile("\n" * (first - 1) + code, str(page), "exec")
    with contextlib.redirect_stdout(out):
        exec(compiled, namespace)
    return out.getvalue()


def printed_by_commands(code: str) -> str:
    """What the commands of a tutorial print; spaces at the ends of lines are not shown."""
    out = ""
    for line in code.splitlines():
        command, *arguments = shlex.split(line)
        assert command == "survtree", line
        out += done(*arguments)
    return "\n".join(line.rstrip() for line in out.split("\n"))


def brought_up_to_date(page: Path) -> str:
    """The page with what its examples print now."""
    text, parts, end = page.read_text(encoding="utf-8"), [], 0
    for each in examples(page):
        if each.place.stop == 0:
            raise SystemExit(f"{page}:{each.line} prints what the page does not show")
        parts += [text[end : each.place.start], each.printed]
        end = each.place.stop
    return "".join([*parts, text[end:]])


def main() -> None:
    pages = [Path(name).resolve() for name in sys.argv[1:]] or PAGES
    os.environ.pop("COLUMNS", None)  # the pages show tables of the usual width
    for page in pages:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = brought_up_to_date(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(f"changed: {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
