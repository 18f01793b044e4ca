"""Text that LaTeX typesets as it is: pure ASCII, without a command of the user's in it.

What the fonts of pdflatex lack is shown by its number, as [U+1FAC0].
"""

import re
import unicodedata
from functools import cache

ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"{\char34}",  # babel makes it a command in some languages
}
# By number of the combining character.
ACCENTS = {
    0x300: "`",
    0x301: "'",
    0x302: "^",
    0x303: "~",
    0x304: "=",
    0x306: "u",
    0x307: ".",
    0x308: '"',
    0x30A: "r",
    0x30B: "H",
    0x30C: "v",
    0x327: "c",
    0x328: "k",
}
COMMANDS = {
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "ı": "i",
    "ð": "dh",
    "Ð": "DH",
    "þ": "th",
    "Þ": "TH",
    "§": "S",
    "–": "textendash",
    "—": "textemdash",
    "…": "ldots",
    "·": "textperiodcentered",
    "‘": "textquoteleft",
    "’": "textquoteright",
    "“": "textquotedblleft",
    "”": "textquotedblright",
    "«": "guillemotleft",
    "»": "guillemotright",
}
SYMBOLS = {
    "±": r"\pm",
    "×": r"\times",
    "÷": r"\div",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "∞": r"\infty",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "−": "-",
    "¹": "^1",
    "²": "^2",
    "³": "^3",
    "°": r"^\circ",
    "µ": r"\mu",
    "¬": r"\neg",
}
# Capitals that look like Latin ones have no command, and omicron and final sigma neither.
LARGE_GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ"
SMALL_GREEK = "αβγδεζηθικλμνξπρστυφχψω"
# Rough widths, in those of a small letter.
NARROW, WIDE = frozenset(" ijlftI.,:;'!|()[]"), frozenset("mwMW@%<>=+")


def readable(text: str) -> str:
    """The text with stand-ins for what cannot be typeset."""
    characters = unicodedata.normalize("NFC", text)
    return "".join(c if _known(c) is not None else f"[U+{ord(c):04X}]" for c in characters)


def typeset(text: str) -> str:
    """A readable text in LaTeX."""
    plain = "".join(_known(character) or "" for character in text)
    plain = re.sub(r" \\textless\{\}=(?= |$)", r" $\\leq$", plain)
    plain = re.sub(r" \\textgreater\{\}=(?= |$)", r" $\\geq$", plain)
    return re.sub(r"([-',])(?=\1)", r"\1{}", plain)  # -- would become one character


def width(text: str) -> float:
    """How wide a readable text is, in small letters; not less than it is."""
    return sum(map(_letter_width, text))


def _letter_width(character: str) -> float:
    if character in NARROW:
        return 0.6
    if character in WIDE:
        return 1.7
    return 1.5 if character.isupper() or not character.isalnum() else 1.0


@cache
def _known(character: str) -> str | None:
    """What LaTeX needs to typeset a character; None if it cannot."""
    if character in ASCII:
        return ASCII[character]
    if character.isascii():
        return character if character.isprintable() else None
    if character in COMMANDS:
        return rf"\{COMMANDS[character]}{{}}"
    if character in SYMBOLS:
        return f"${SYMBOLS[character]}$"
    return _accented(character) or _greek(character)


def _accented(character: str) -> str | None:
    parts = unicodedata.normalize("NFD", character)
    letter = parts[0]
    if not letter.isascii() or not letter.isalpha() or len(parts) != 2:
        return None
    accent = ACCENTS.get(ord(parts[1]))
    return accent and rf"\{accent}{{{letter}}}"


def _greek(character: str) -> str | None:
    if character not in LARGE_GREEK + SMALL_GREEK:
        return None
    name = unicodedata.name(character).split()[-1].replace("LAMDA", "LAMBDA").lower()
    return rf"$\{name.capitalize() if character in LARGE_GREEK else name}$"
