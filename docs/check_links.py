"""Links inside the built site lead somewhere: ``python docs/check_links.py docs/_build/html``.

Sphinx checks what pages refer to by name; this looks at the finished HTML, so that links written by
templates, and anchors, are checked as well. Links to other sites are not followed.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ASKED = {("a", "href"), ("img", "src"), ("link", "href"), ("script", "src")}


class Links(HTMLParser):
    """What a page points to, and what can be pointed to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if (tag, name) in ASKED and value:
                self.targets.add(value)
            if name == "id" and value:
                self.anchors.add(value)


def read(page: Path) -> Links:
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def broken(folder: Path) -> list[str]:
    """A line for each link that leads nowhere."""
    # Under _static are templates of the theme, which are no pages.
    found = (page for page in folder.rglob("*.html") if "_static" not in page.parts)
    pages = {page.resolve(): read(page) for page in found}
    lines = []
    for page, links in pages.items():
        for target in sorted(links.targets):
            if not leads_somewhere(page, target, pages):
                lines.append(f"{page.relative_to(folder.resolve())}: {target}")
    return lines


def leads_somewhere(page: Path, target: str, pages: dict[Path, Links]) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return True
    goal = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not goal.exists():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or goal not in pages or anchor in pages[goal].anchors


def main() -> None:
    lines = broken(Path(sys.argv[1]))
    if lines:
        sys.exit("\n".join(["links that lead nowhere:", *lines]))


if __name__ == "__main__":
    main()
