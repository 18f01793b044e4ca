"""What is asked of pictures: of which model, on which axes, into which file."""

import numbers
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from survtree._progress import Snapshot
from survtree._validation.predictions import check_times
from survtree._validation.words import did_you_mean

DIRECTIONS = ("down", "right")


def check_drawn_model(model: Any) -> None:
    """Complain of what is no fitted tree."""
    if isinstance(model, type):
        raise TypeError(
            f"model must be a fitted tree; got the class {model.__name__}. Pass what its fit "
            "returned."
        )
    if hasattr(model, "best_estimator_") and not hasattr(model, "tree_"):
        raise TypeError(
            f"model must be a fitted tree; got {type(model).__name__}. Pass its best_estimator_."
        )
    if (hasattr(model, "fit") and hasattr(model, "leaf_curves_")) or _is_ours(model):
        check_is_fitted(model)
        return
    raise TypeError(
        f"model must be a fitted tree; got {type(model).__name__}. Pass an OptimalSurvivalTree or "
        "OptimalSurvivalTreeCV after fit."
    )


def _is_ours(model: Any) -> bool:
    """Before fit a tree has no curves yet."""
    return type(model).__module__.startswith("survtree.") and hasattr(model, "fit")


def check_axes(ax: Any) -> None:
    """Complain of what is no axes of matplotlib; None is for new ones."""
    if ax is None:
        return
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes) or ax.name != "rectilinear":
        kind = f"{ax.name} axes" if isinstance(ax, Axes) else type(ax).__name__
        raise TypeError(
            f"ax must be plain matplotlib axes or None; got {kind}. Pass one of those that "
            "plt.subplots() gives."
        )


def check_direction(direction: Any) -> None:
    """Complain of a direction that is none."""
    if direction is not None and direction not in DIRECTIONS:
        raise ValueError(
            f"direction must be 'down', 'right' or None; got {direction!r}."
            f"{did_you_mean(direction, DIRECTIONS)}"
        )


def check_label(label: Any) -> str:
    """The words at the axis of time."""
    if not isinstance(label, str):
        raise TypeError(
            f"time_label must be a text; got {type(label).__name__}. Pass the unit, such as 'Days'."
        )
    return label


def check_ticks(times: Any) -> NDArray[np.float64]:
    """Times at which rows at risk are counted."""
    ticks = check_times(times)
    if len(ticks) == 0 or ticks[0] < 0:
        came = "none" if len(ticks) == 0 else f"{ticks[0]:g}"
        raise ValueError(
            f"times must have at least one time, none below 0; got {came}. Leave times out for "
            "round ones."
        )
    return np.unique(ticks)


def check_picture_file(file: Any, kinds: Sequence[str]) -> str:
    """The kind of picture that a file's name asks for."""
    listed = ", ".join(f".{kind}" for kind in kinds)
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(
            f"file must be the name of a file; got {type(file).__name__}. Pass a name that ends "
            f"in one of {listed}."
        )
    name = PurePath(os.fsdecode(file)).name
    kind = PurePath(name).suffix.lower().removeprefix(".")
    if kind not in kinds:
        raise ValueError(
            f"the name of a picture must end in one of {listed}; got {name!r}. Rename it."
        )
    return kind


def check_dpi(dpi: Any) -> float:
    """Dots per inch."""
    is_number = isinstance(dpi, numbers.Real) and not isinstance(dpi, bool)
    if not is_number or not 10 <= float(dpi) <= 2400:
        raise ValueError(f"dpi must be a number from 10 to 2400; got {dpi!r}.")
    return float(dpi)


def check_snapshots(given: Any) -> tuple[Snapshot, ...]:
    """Snapshots of a search: those of a model, or as a callback collected them."""
    if hasattr(given, "fit"):
        check_drawn_model(given)
        given = getattr(given, "history_", ()) or _no_history(given)
    if isinstance(given, Snapshot) or not isinstance(given, Sequence) or isinstance(given, str):
        raise TypeError(
            f"plot_gap needs a fitted model or a list of snapshots; got {type(given).__name__}. "
            "Pass a list that callback=snapshots.append of a fit has filled."
        )
    for place, snapshot in enumerate(given):
        if not isinstance(snapshot, Snapshot):
            raise TypeError(
                f"plot_gap needs snapshots; place {place} of the list has "
                f"{type(snapshot).__name__}. Pass what the callback of a fit was given."
            )
    if len(given) == 0:
        raise ValueError(
            "plot_gap needs at least one snapshot; the list is empty. Fill it in the callback of a "
            "fit."
        )
    return tuple(given)


def _no_history(model: Any) -> Any:
    raise ValueError(
        f"plot_gap needs the history of a search; this {type(model).__name__} has none, as after "
        "a fit with max_leaves or from a path. Pass an OptimalSurvivalTree fitted without "
        "max_leaves, or a list of snapshots that a callback collected."
    )
