"""Words that several complaints share."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

LONGEST_MESSAGE = 600


def some(names: Sequence[Any], most: int = 10) -> str:
    """The first names of a list, quoted, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def did_you_mean(value: Any, choices: Iterable[Any]) -> str:
    """A question for the nearest of the choices; nothing if none is near."""
    by_lower = {str(choice).lower(): choice for choice in choices}
    nearest = difflib.get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f" Did you mean {by_lower[nearest[0]]!r}?" if nearest else ""


def one_line(error: Exception) -> str:
    """A message that can be shown on a terminal, whatever words of a file are in it."""
    text = " ".join(str(error).split())
    text = text if text.isprintable() else ascii(text)
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} ..."
