"""Parts of messages: lists of names, quoted names, suggestions."""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

LONGEST_MESSAGE = 600
# The number of a row, or something in quotes: a name may have such words too.
_ROW_OR_QUOTED = re.compile(r"""\brow (\d+)\b|(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")


def list_names(names: Sequence[Any], most: int = 10) -> str:
    """The first names of a list, quoted, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def plain_name(name: str) -> str:
    """A name without case and signs."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def did_you_mean(value: Any, choices: Iterable[Any]) -> str:
    """Suggests the nearest of the choices; nothing if none is near."""
    by_lower = {str(choice).lower(): choice for choice in choices}
    nearest = difflib.get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f" Did you mean {by_lower[nearest[0]]!r}?" if nearest else ""


def one_line_message(error: Exception) -> str:
    """A message that is safe to print on a terminal, even if it quotes a damaged file."""
    text = " ".join(str(error).split())
    text = text if text.isprintable() else ascii(text)
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} ..."


def with_other_rows(message: str, words: Callable[[int], str]) -> str:
    """A message with other words for each row that it names by its number, such as "row 17"."""

    def replaced(match: re.Match[str]) -> str:
        return words(int(match[1])) if match[1] else match[0]

    return _ROW_OR_QUOTED.sub(replaced, message)


def row_named(message: str) -> int | None:
    """The number of the first row that a message names, if it names one."""
    numbers = [match[1] for match in _ROW_OR_QUOTED.finditer(message) if match[1]]
    return int(numbers[0]) if numbers else None


QUOTES = ("'", '"')
# Between spaces these separate a name from its condition, and one condition from the next.
SIGNS = ("<", "<=", ">", ">=", "=", "!=")
JOINTS = ("and", "or", "nor")


@lru_cache(maxsize=1024)  # a column may have many thousands of questions
def quoted_name(name: str) -> str:
    """A name on one line, in quotes where it could be misread as part of a condition."""
    is_one_line = name.strip() == name != "" and name[0] not in QUOTES and name.isprintable()
    is_apart = name[:1] != "(" and not _has_word(name, (*SIGNS, *JOINTS, "not"))
    return name if is_one_line and is_apart and " is " not in f"{name} " else repr(str(name))


def quoted_level(level: str) -> str:
    """A level of a category, quoted likewise: it follows "is", "is not" or a sign, or is listed."""
    is_plain = level != "missing" and not _has_word(level, (*SIGNS, *JOINTS, "not", "neither"))
    return quoted_name(level) if is_plain else repr(str(level))


def _has_word(text: str, words: Sequence[str]) -> bool:
    return any(f" {word} " in f" {text} " for word in words)
