"""A drawn figure: shown in notebooks, saved as a whole or not at all."""

import io
import os
from dataclasses import dataclass, field
from typing import Any

from survtree._base.files import whole_file
from survtree._show.checks import check_dpi, check_picture_file
from survtree._show.fonts import SPACING

SHOWN_DPI = 110
# What would differ between two files of the same picture.
NO_DATE: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}


@dataclass(frozen=True)
class Picture:
    """What a plotting function drew: the matplotlib figure, its main axes, and its artists.

    A notebook shows it. Change it as any matplotlib figure, then save it.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, plot_curves
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> picture = plot_curves(model)
    >>> picture.axes.get_xlabel()
    'Time'
    """

    figure: Any = field(repr=False)
    axes: Any = field(repr=False)
    artists: list[Any] = field(repr=False)

    def save(self, file: str | os.PathLike[str], *, dpi: float = 200) -> None:
        """Write a PNG, SVG or PDF, as the name of the file ends; the same picture, the same bytes.

        The file is there as a whole or not at all. ``dpi`` is the resolution of a PNG.
        """
        kind = check_picture_file(file, tuple(NO_DATE))
        data = self._bytes(kind, check_dpi(dpi))
        with whole_file(file) as stream:
            stream.write(data)

    def _bytes(self, kind: str, dpi: float) -> bytes:
        from matplotlib import rc_context

        out = io.BytesIO()
        # Journals take fonts of type 42; identifiers of SVG would be random.
        with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "survtree"}):
            self.figure.savefig(out, format=kind, dpi=dpi, metadata=NO_DATE[kind])
        return out.getvalue()

    def _repr_png_(self) -> bytes:
        return self._bytes("png", SHOWN_DPI)


def new_axes(width: float, height: float) -> Any:
    """Axes in a figure of their own (in inches), which makes room for what is around them."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()


def picture_of(axes: Any, artists: list[Any]) -> Picture:
    """The picture that holds the axes."""
    return Picture(axes.figure.figure, axes, artists)  # axes may be in a part of a figure


def write(axes: Any, x: float, y: float, text: str, **how: Any) -> Any:
    """A text as it is: no letter of it is read as mathematics."""
    plain = {"parse_math": False, "usetex": False, "linespacing": SPACING}
    return axes.text(x, y, text, **plain, **how)


def size_of(axes: Any) -> tuple[float, float]:
    """Width and height of axes in points, as they would be drawn now."""
    figure = axes.figure.figure
    if figure.get_layout_engine() is not None:  # it moves axes when it draws
        figure.draw_without_rendering()
    extent = axes.get_window_extent()
    return 72 * extent.width / figure.dpi, 72 * extent.height / figure.dpi


def hide_frame(axes: Any) -> None:
    """Leave only the lower and the left side of the frame."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
