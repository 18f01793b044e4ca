"""Markup that cannot be broken out of, and the colours and dashes of leaves."""

from typing import Any

from markupsafe import Markup

# From low risk to high; told apart with every kind of colour vision, the more so by their dashes.
ON_LIGHT = ("#1b4f9c", "#6a4ea8", "#a83f86", "#c4442f", "#b36200")
ON_DARK = ("#7db3ff", "#b5a1f5", "#ef93c6", "#ff9277", "#f3b54a")
ON_BOTH = ("#4284d6", "#8a74d0", "#c667a5", "#d8664e", "#c88420")
LEAST_SCALE, WIDEST_BESIDE_CURVES = 0.8, 700
BROAD = """@media screen and (min-width:1240px){#tree>.pair{width:min(96vw,1420px);
margin-left:calc(50% - min(48vw,710px));justify-content:center}}
"""
DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "5 2", "12 3", "3 3 8 3", "1 2")


def tag(name: str, *inner: Any, **attributes: Any) -> Markup:
    """An element. What is not markup itself is escaped; class_ is class, stroke_width is
    stroke-width.
    """
    given = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value != ""
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, given, Markup("").join(inner))


def colour(rank: int, n_leaves: int, anchors: tuple[str, ...] = ON_BOTH) -> str:
    """The colour of a leaf by the rank of its risk."""
    place = 0.0 if n_leaves == 1 else rank / (n_leaves - 1) * (len(anchors) - 1)
    k = min(int(place), len(anchors) - 2)
    low, high = (bytes.fromhex(anchor[1:]) for anchor in anchors[k : k + 2])
    mixed = (round(a + (place - k) * (b - a)) for a, b in zip(low, high, strict=True))
    return "#" + bytes(mixed).hex()


def dash(rank: int) -> str:
    """The dashes of a leaf."""
    return DASHES[rank % len(DASHES)]


def leaf_styles(n_leaves: int) -> str:
    """Colours of leaves as style rules, on light and on dark paper."""
    light, dark = (
        "".join(f".r{k}{{--leaf:{colour(k, n_leaves, anchors)}}}" for k in range(n_leaves))
        for anchors in (ON_LIGHT, ON_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"


def tree_styles(width: float) -> str:
    """How far the picture of the tree may shrink before it scrolls: its words stay readable.

    A tree that has no room beside its curves takes more than words do, if the screen is wide.
    """
    least = LEAST_SCALE * width
    rules = f".tree{{min-width:{number(least)}px}}.tree-box{{flex-basis:{number(least)}px}}"
    is_wide = least > WIDEST_BESIDE_CURVES
    return f"@media screen{{{rules}}}\n{BROAD if is_wide else ''}"


def number(value: float) -> str:
    """A coordinate with one decimal, if it needs one."""
    return f"{value:.1f}".removesuffix(".0")
