"""Tables of Markdown, and parts of pages between two marks."""

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    return [_line(header), _line(["---"] * len(header)), *map(_line, lines)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def with_part(text: str, name: str, part: str) -> str:
    """A page with what stands between its two marks of this name replaced."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{part.strip()}\n\n{end}{after}"
