"""A tree as a TikZ picture that grows to the right: each leaf has a row of its own.

Texts are typeset as they are: pure ASCII, without a command of the user's in it. Characters that
the fonts of pdflatex lack are shown by their number, as [U+1FAC0].
"""

import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from survtree._base.tree import Tree
from survtree._model.read_tree import shown_tree_of
from survtree._show.leaf_facts import NO_OR_MISSING, answers_on_edges, facts_to_write
from survtree._show.leaf_texts import curve_texts, group_text, notes_of, risk_text, size_text
from survtree._show.tree_layout import shape_of

# Sizes in cm, for \footnotesize. A question has up to three lines and lies half-way between two
# rows, a leaf has two lines: nothing touches anything above or below it.
ROW, LETTER, MARGIN, BRANCH, LONG_BRANCH = 1.15, 0.155, 0.2, 1.1, 2.4
LINE_WIDTH = 24  # in small letters
MOST_LINES = 3
ELLIPSIS = " ... "

HEAD = r"""\documentclass[border=5pt]{standalone}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{tikz}
\begin{document}
"""
STYLES = r"""\begin{tikzpicture}[
  every node/.style={font=\footnotesize, align=left, anchor=west, inner sep=3pt},
  question/.style={draw},
  leaf/.style={draw, rounded corners=2pt, fill=black!6},
  answer/.style={font=\scriptsize, anchor=south, inner sep=1.5pt}]"""


class Place(NamedTuple):
    """Where a node is: its left edge and its middle, in cm."""

    x: float
    y: float


def export_latex(
    model: Any,
    *,
    standalone: bool = False,
    times: Sequence[float] | None = None,
    confidence: float = 0.95,
    time_unit: str | None = None,
) -> str:
    r"""The tree as a TikZ picture for LaTeX.

    The source is ASCII. A document that includes it needs ``\usepackage{tikz}`` and
    ``\usepackage[T1]{fontenc}``. Characters that pdflatex cannot typeset are shown by their number,
    as [U+1FAC0], and very long conditions are shortened in their middle.

    Parameters
    ----------
    model, times, confidence, time_unit
        As in ``export_text``.
    standalone : bool, default=False
        A whole document, with a page as large as the picture, instead of the picture alone.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, export_latex
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> print(export_latex(model).splitlines()[5])
      \node[question] (n0) at (0.00,-0.57) {Karnofsky\_score $\leq$ 45};
    """
    model = shown_tree_of(model)
    facts = facts_to_write(model, times, confidence, time_unit)
    tree, answers = model.tree_, answers_on_edges(model)
    lines = {
        leaf.node: [
            readable(f"{group_text(leaf.group, leaf.name)}: {size_text(leaf)}"),
            readable(", ".join([*curve_texts(leaf, facts), risk_text(leaf)])),
        ]
        for leaf in facts.leaves
    }
    for node in range(tree.n_nodes):
        if tree.question[node] >= 0:
            lines[node] = _question_lines(model.questions_.text(int(tree.question[node])))
    places = _places(tree, lines, answers)
    parts = [STYLES]
    for node, place in places.items():
        style = "leaf" if tree.question[node] < 0 else "question"
        # A line that starts with a bracket would be an argument of the line break.
        text = r"\\{}".join(map(typeset, lines[node]))
        parts.append(rf"  \node[{style}] (n{node}) at ({place.x:.2f},{place.y:.2f}) {{{text}}};")
    parts += [text for node in places for text in _branches(tree, node, places, answers)]
    below = -ROW * len(facts.leaves)
    if notes := notes_of(facts, has_limits=False):
        text = r"\\{}".join(map(typeset, notes))
        parts.append(rf"  \node[font=\scriptsize] at (0.00,{below:.2f}) {{{text}}};")
    picture = "\n".join([*parts, r"\end{tikzpicture}"])
    return f"{HEAD}{picture}\n\\end{{document}}" if standalone else picture


def _question_lines(text: str) -> list[str]:
    text = readable(text)
    on_a_line = max(1, int(LINE_WIDTH * len(text) / max(width(text), 1)))
    lines = textwrap.wrap(text, on_a_line)
    if len(lines) <= MOST_LINES:
        return lines
    # The name is at the start and the value at the end: keep both.
    kept = (MOST_LINES - 1) * on_a_line - len(ELLIPSIS)
    text = f"{text[: kept // 2]}{ELLIPSIS}{text[kept // 2 - kept :]}"
    return textwrap.wrap(text, on_a_line)


def _branch(answers: Mapping[int, str]) -> float:
    """The length of all branches, which have room for the longest answer."""
    return LONG_BRANCH if NO_OR_MISSING in answers.values() else BRANCH


def _places(
    tree: Tree, lines: dict[int, list[str]], answers: Mapping[int, str]
) -> dict[int, Place]:
    """Leaves in rows, yes above no; questions half-way between their two branches."""
    shape, branch = shape_of(tree), _branch(answers)
    room = [0.0] * (shape.n_levels + 1)  # widest question of each depth
    for node in shape.splits:
        depth = shape.depth[node]
        room[depth] = max(room[depth], *map(width, lines[node]))
    left = [
        sum(LETTER * letters + MARGIN + branch for letters in room[:d]) for d in range(len(room))
    ]
    y = {node: -ROW * row for row, node in enumerate(shape.leaves)}
    for node in reversed(shape.splits):  # children before parents
        y[node] = (y[int(tree.yes[node])] + y[int(tree.no[node])]) / 2
    return {node: Place(left[shape.depth[node]], y[node]) for node in range(tree.n_nodes)}


def _branches(
    tree: Tree, node: int, places: dict[int, Place], answers: Mapping[int, str]
) -> list[str]:
    if tree.question[node] < 0:
        return []
    out = []
    for child in (int(tree.yes[node]), int(tree.no[node])):
        turn = places[child].x - 0.75 * _branch(answers)
        out.append(
            rf"  \draw (n{node}.east) -- ({turn:.2f},{places[node].y:.2f}) |- (n{child}.west) "
            rf"node[answer, pos=0.75] {{{answers[child]}}};"
        )
    return out


# Text in LaTeX.


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


ASCII = {
    **_pairs(r"\ \textbackslash{}  { \{  } \}  $ \$  & \&  # \#  % \%  _ \_"),
    **_pairs(r"^ \textasciicircum{}  ~ \textasciitilde{}  < \textless{}  > \textgreater{}"),
    **_pairs(r"| \textbar{}  ` \textasciigrave{}"),
    '"': r"{\char34}",  # babel makes it a command in some languages
}
# By the combining character.
ACCENTS = dict(zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308", "`'^~=u.\"", strict=True))
ACCENTS |= {"\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k"}
COMMANDS = {
    **_pairs("ß ss  æ ae  Æ AE  œ oe  Œ OE  ø o  Ø O  ł l  Ł L  ı i  ð dh  Ð DH  þ th  Þ TH  § S"),
    **_pairs("– textendash  — textemdash  … ldots  · textperiodcentered"),
    **_pairs("‘ textquoteleft  ’ textquoteright  “ textquotedblleft  ” textquotedblright"),
    **_pairs("« guillemotleft  » guillemotright"),
}
SYMBOLS = {
    **_pairs(r"± \pm  × \times  ÷ \div  ≤ \leq  ≥ \geq  ≠ \neq  ≈ \approx  ∞ \infty"),
    **_pairs(r"→ \rightarrow  ← \leftarrow  − -  ¹ ^1  ² ^2  ³ ^3  ° ^\circ  µ \mu  ¬ \neg"),
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
    accent = ACCENTS.get(parts[1])
    return accent and rf"\{accent}{{{letter}}}"


def _greek(character: str) -> str | None:
    if character not in LARGE_GREEK + SMALL_GREEK:
        return None
    name = unicodedata.name(character).split()[-1].replace("LAMDA", "LAMBDA").lower()
    return rf"$\{name.capitalize() if character in LARGE_GREEK else name}$"
