"""How much the best tree without each column loses, and the best tree with it, as a picture."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from survtree._show.checks import check_axes
from survtree._show.picture import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    WHITE,
    Picture,
    hide_frame,
    new_axes,
    picture_of,
)

MOST_COLUMNS = 30
WIDTH, ROW_HEIGHT, ROOM = 6.5, 0.26, 1.2
LONGEST_NAME = 40


def plot_importance(columns: Mapping[str, Any], slack_percent: float, ax: Any = None) -> Picture:
    """Two marks per column, in percent of the optimum: one of them is always at 0.

    A full mark is the best tree without the column, an open one the best tree that splits on it.
    Columns that no tree can split on have no mark. The shaded part is the near-optimal set.
    """
    check_axes(ax)
    names = columns["column"][:MOST_COLUMNS].tolist()
    n = len(names)
    ax = new_axes(WIDTH, ROOM + ROW_HEIGHT * n) if ax is None else ax
    places = np.arange(n)[::-1]
    without = columns["excess_without_percent"][:n]
    with_it = columns["excess_with_percent"][:n]
    far = np.nanmax([*without, *with_it, slack_percent, 1e-9])
    area = {"color": PALE, "alpha": 0.5, "linewidth": 0, "label": "near-optimal set"}
    artists = [ax.axvspan(0.0, slack_percent, **area)]
    artists.append(ax.hlines(places, 0.0, np.fmax(without, with_it), color=GREY, linewidth=0.8))
    marks = (("without", without, BLUE, BLUE), ("with", with_it, WHITE, ORANGE))
    for word, excess, face, edge in marks:
        is_told = excess > 0  # 0 is that of the optimal tree
        how = {"facecolors": face, "edgecolors": edge, "zorder": 3, "clip_on": False}
        label = f"best tree {word} it"
        artists.append(ax.scatter(excess[is_told], places[is_told], 36, label=label, **how))
    shown = [_shortened(name) for name in names]
    ax.set_yticks(places, shown, parse_math=False)
    ax.set_xlim(0.0, 1.05 * far)
    ax.set_ylim(-0.6, max(n, 1) - 0.4)
    ax.set_xlabel("excess over the optimum (%)")
    above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3}
    ax.legend(frameon=False, fontsize="small", columnspacing=1.2, **above)
    hide_frame(ax)
    return picture_of(ax, artists)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
