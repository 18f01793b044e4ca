"""Text in pictures: which characters can be drawn, how wide they are, and where lines break."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

Files = tuple[str, ...]
STAND_INS = "□?"
# The height of a line in units of the font size. Lines are drawn a little closer than that.
LINE, SPACING = 1.3, 1.1
# Hinting and shaping may make a line a little wider than the sum of its characters.
SLACK = 1.1
# Notes and numbers at the axes are smaller than other text, but not too small to be read.
SMALLER, LEAST_SIZE = 0.85, 5.0
DOTS = "..."
BREAKS_AFTER = frozenset(" _-/,;:|")
# A sign stays on one line with what follows it.
SIGNS = frozenset({"<", "<=", ">=", "=", "is", "or"})
# Longer words may be broken anywhere.
LONGEST_WORD = 14
# An invisible character that reads from left to right.
LEFT_TO_RIGHT = "\u200e"
# Letters of Hebrew, Arabic and the scripts near them; a run of their words ends with a letter.
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RUN = re.compile(rf"{_LETTER}([\W_]*{_LETTER})*")


def small(size: float) -> float:
    """The size of notes and of numbers at the axes, beside text of a size."""
    return max(SMALLER * size, min(size, LEAST_SIZE))


class Wrapped(NamedTuple):
    """Lines of a text; whether all of it is there, and every word of usual length in one piece."""

    lines: tuple[str, ...]
    is_whole: bool
    is_neat: bool


class Fonts:
    """The fonts that matplotlib uses now.

    ``is_browser``: the text is drawn by a browser, which finds a font for every character.
    """

    def __init__(self, *, is_browser: bool = False) -> None:
        self._files = _font_files()
        self._is_browser = is_browser
        self._stand_in = next(
            (sign for sign in STAND_INS if _advance(sign, self._files) is not None), " "
        )

    def drawable(self, text: str) -> str:
        """A text on one line, with a stand-in for each character that the fonts lack.

        Characters that do not print are shown by their codes.
        """
        visible = "".join(
            sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
        )
        return "".join(sign if self._has(sign) else self._stand_in for sign in visible)

    def _has(self, sign: str) -> bool:
        return self._is_browser or _advance(sign, self._files) is not None

    def width(self, text: str, size: float) -> float:
        """In points, of one line that can be drawn."""
        return SLACK * size * _unit_width(text, self._files)

    def widest(self, lines: Iterable[str], size: float) -> float:
        """The width of the widest line."""
        return max((self.width(line, size) for line in lines), default=0.0)

    def wrapped(self, text: str, width: float, size: float, most_lines: int) -> Wrapped:
        """A text that can be drawn, on lines of a width; a long one has dots before its end.

        The end says how a column is split, so it is the name that is cut short.
        """
        room = width / (SLACK * size)
        lines, line, filled, is_neat = [], "", 0.0, True
        for piece, whole, bare in _measured(text, self._files):
            rest = piece
            if line and filled + bare > room:
                lines.append(line.rstrip())
                line, filled = "", 0.0
            if bare > room and len(piece) > 1:
                broken, rest = self._broken(piece, room, most_lines + 1 - len(lines))
                lines += broken
                is_neat = is_neat and len(piece) > LONGEST_WORD
                whole = _unit_width(rest, self._files)
            line += rest
            filled += whole
            if len(lines) > most_lines:
                break
        lines.append(line.rstrip())
        if len(lines) <= most_lines:
            return Wrapped(tuple(map(self._ordered, lines)), True, is_neat)
        kept = [*lines[: most_lines - 1], self._end_of(text, width, size)]
        return Wrapped(tuple(map(self._ordered, kept)), False, is_neat)

    def _end_of(self, text: str, width: float, size: float) -> str:
        """Dots, and as much of the end of a text as fits behind them; one letter at least."""
        n = 1
        while n < len(text) and self.width(DOTS + text[-n - 1 :], size) <= width:
            n += 1
        return DOTS + text[-n:].lstrip()

    def _broken(self, word: str, room: float, most_lines: int) -> tuple[list[str], str]:
        """Full lines of a word that is too long for one, at most so many, and what is left of it.

        Words of any length take a time in proportion: what is left is measured by what was taken.
        """
        lines: list[str] = []
        start, left = 0, _unit_width(word.rstrip(), self._files)
        while left > room and len(word) - start > 1 and len(lines) < most_lines:
            line = word[start : start + self._n_fitting(word, start, room)]
            lines.append(line)
            start += len(line)
            left -= _unit_width(line, self._files)
        return lines, word[start:]

    def _ordered(self, line: str) -> str:
        """A line in which Arabic and Hebrew words keep their order, and the rest around them too.

        Without marks between, "name <= 4" would come out as 4, a turned sign and the name.
        """
        if not self._has(LEFT_TO_RIGHT) or not _RUN.search(line):
            return line
        return LEFT_TO_RIGHT + _RUN.sub(rf"\g<0>{LEFT_TO_RIGHT}", line)

    def _n_fitting(self, word: str, start: int, room: float) -> int:
        """How many letters of a word, from one on, fit on a line; one at least."""
        n = 0
        for place in range(start, len(word)):
            room -= _unit_width(word[place], self._files)
            if room < 0:
                break
            n += 1
        return max(1, n)


@lru_cache(maxsize=512)
def _measured(text: str, files: Files) -> tuple[tuple[str, float, float], ...]:
    """The pieces of a text, how wide they are, and how wide without a space at the end."""
    return tuple(
        (piece, _unit_width(piece, files), _unit_width(piece.rstrip(), files))
        for piece in _pieces(text)
    )


def _unit_width(text: str, files: Files) -> float:
    """Of letters of size 1; where no font has a character, as wide as such characters usually are.

    Characters of East Asia and most emoji are wide, accents that sit on a letter take no room.
    """
    advances = ((sign, _advance(sign, files)) for sign in text)
    return sum(_usual_width(sign) if width is None else width for sign, width in advances)


def _usual_width(sign: str) -> float:
    if unicodedata.combining(sign):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.65


def _pieces(text: str) -> list[str]:
    """Parts of a text between which a line may break; together they are the text."""
    pieces, start = [], 0
    for end, sign in enumerate(text, start=1):
        if sign in BREAKS_AFTER and text[start:end].strip() not in SIGNS:
            pieces.append(text[start:end])
            start = end
    return [*pieces, text[start:]] if start < len(text) else pieces


def _font_files() -> Files:
    """The files of the fonts in which matplotlib looks for a character, in its order."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, findfont

    settings: Any = rcParams
    families: list[str] = []
    for family in settings["font.family"]:
        families += settings.get(f"font.{family}", [family])
    files = []
    for family in families:
        try:
            files.append(str(findfont(FontProperties(family=family), fallback_to_default=False)))
        except ValueError:  # not on this machine
            continue
    return tuple(dict.fromkeys(files)) or (str(findfont(FontProperties())),)


@lru_cache(maxsize=16)
def _font(file: str) -> Any:
    from matplotlib.ft2font import FT2Font

    font = FT2Font(file)
    font.set_size(100.0, 72.0)
    return font


@lru_cache(maxsize=4096)
def _advance(sign: str, files: Files) -> float | None:
    """How far a character moves the pen, in units of the size; None if no font has it."""
    for file in files:
        font = _font(file)
        if font.get_char_index(ord(sign)):
            return float(font.load_char(ord(sign)).linearHoriAdvance / 65536 / 100)
    return None
