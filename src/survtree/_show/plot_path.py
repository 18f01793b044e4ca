"""How much the trees of a regularization path explain, by their number of leaves."""

from collections.abc import Sequence
from typing import Any

from survtree._base.numbers import format_percent
from survtree._model.fitted import FittedTree
from survtree._show.checks import check_axes
from survtree._show.picture import BLUE, Picture, hide_frame, new_axes, picture_of

MOST_TICKS = 12
LOSSES_OF_CURVES = ("brier", "incidence")  # of which the IBS ratio is a share
ROOM_ABOVE = 1.08


def plot_path(models: Sequence[FittedTree], ax: Any = None) -> Picture:
    """IBS ratio on the training rows against leaves; the loss is on the right where it is the same.

    The ratio starts at 0 for a lone leaf, so that the axis can start there too and still show what
    each leaf adds. With a teacher, or the likelihood, the loss is another one, and has no axis.
    """
    check_axes(ax)
    ax = new_axes(5.0, 3.2) if ax is None else ax
    leaves = [model.n_leaves_ for model in models]
    ratios = [model.ibs_ratio_ for model in models]
    artists = list(ax.plot(leaves, ratios, "o-", color=BLUE, clip_on=False))
    ax.set_ylim(min(0.0, *ratios), ROOM_ABOVE * max(*ratios, 0.01))
    ax.set_xlabel("leaves")
    ax.set_ylabel("IBS ratio on the training rows")
    ax.yaxis.set_major_formatter(lambda share, _: format_percent(share, None))
    if len(leaves) <= MOST_TICKS:
        ax.set_xticks(leaves)
    hide_frame(ax)
    one_leaf = models[0].loss_ / (1.0 - models[0].ibs_ratio_)
    if one_leaf > 0 and models[0].certificate_.loss_kind in LOSSES_OF_CURVES:
        right = ax.secondary_yaxis(
            "right",
            functions=(lambda ratio: (1 - ratio) * one_leaf, lambda loss: 1 - loss / one_leaf),
        )
        right.set_ylabel("loss")
        artists.append(right)
    return picture_of(ax, artists)
