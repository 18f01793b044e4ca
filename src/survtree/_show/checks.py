"""Checks of what users pass to exports, tables, pictures and reports."""

import builtins
import importlib.util
import keyword
import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.checks import check_choice, is_number
from survtree._base.words import did_you_mean
from survtree._data.frames import LIBRARIES
from survtree._data.read_roles import rows_of
from survtree._model.read_tree import tree_of
from survtree._scoring.read_curves import check_times
from survtree._search.progress import Snapshot

MOST_NESTED = 200  # databases differ; some stop at 10, few beyond 500


def check_sql_texts(texts: Iterable[str]) -> None:
    """Refuse names and levels that SQL cannot hold."""
    for text in texts:
        if "\0" in text:
            raise ValueError(
                "names of columns and levels must not have the character NUL, which SQL cannot "
                f"hold; {text!r} does. Rename it and fit again."
            )


def check_sql_depth(depth: int) -> None:
    """Refuse a tree whose expression is nested more deeply than databases accept."""
    if depth > MOST_NESTED:
        raise ValueError(
            f"a tree must be at most {MOST_NESTED} deep for SQL, which nests an expression a "
            f"question; this one is {depth} deep. Fit with a smaller max_depth."
        )


def check_function_name(name: Any, taken: Sequence[str]) -> str:
    """A name for a function in a module that already uses some names."""
    is_name = isinstance(name, str) and name.isascii() and name.isidentifier() and name[0] != "_"
    is_free = is_name and not keyword.iskeyword(name) and not hasattr(builtins, name)
    if not is_free or name in taken:
        raise ValueError(
            "name must be an ASCII name of a function that does not start with an underscore and "
            f"is neither built in nor one of {', '.join(taken)}; got {name!r}. Pass a name such as "
            "'predict_leaf'."
        )
    return str(name)


def check_confidence(confidence: Any) -> float:
    """A confidence level: a number strictly between 0 and 1."""
    if not (is_number(confidence) and 0 < float(confidence) < 1):
        raise ValueError(
            "confidence must be a number between 0 and 1, both excluded; got "
            f"{confidence!r}. Pass 0.95 for limits of 95 %."
        )
    return float(confidence)


def check_until(until: Any) -> float:
    """A positive time."""
    if not (is_number(until) and 0 < float(until) < np.inf):
        raise ValueError(
            f"until must be a finite time above 0; got {until!r}. Pass the time up to which the "
            "restricted mean counts."
        )
    return float(until)


def check_backend(backend: Any) -> str:
    """A library of frames that is installed."""
    check_choice("backend", backend, LIBRARIES)
    if importlib.util.find_spec(backend) is None:
        raise ValueError(
            f"backend must be a library that is installed; {backend!r} is not. Install it, or "
            "leave backend out."
        )
    return str(backend)


DIRECTIONS = ("down", "right")


def check_axes(ax: Any) -> None:
    """Refuse anything but plain matplotlib axes; None stands for new ones."""
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
    """Refuse unknown directions."""
    if direction is not None and direction not in DIRECTIONS:
        raise ValueError(
            f"direction must be 'down', 'right' or None; got {direction!r}."
            f"{did_you_mean(direction, DIRECTIONS)}"
        )


def check_label(label: Any) -> str | None:
    """What time is called; None leaves it to the plot."""
    if label is not None and not isinstance(label, str):
        raise TypeError(
            f"time_label must be a text; got {type(label).__name__}. Pass what time is called, "
            "such as 'Days since surgery'."
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
    """The format of a picture, by the ending of the file name."""
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
    if not (is_number(dpi) and 10 <= float(dpi) <= 2400):
        raise ValueError(f"dpi must be a number from 10 to 2400; got {dpi!r}.")
    return float(dpi)


def check_snapshots(given: Any) -> tuple[Snapshot, ...]:
    """Snapshots of a search: those of a model, or those that a callback collected."""
    if hasattr(given, "fit"):
        kind, given = type(given).__name__, tree_of(given).history_
        if not given:
            raise ValueError(
                f"plot_gap needs the history of a search; this {kind} has none, as from a path or "
                "a cross-validation. Pass an OptimalSurvivalTree after its fit, or a list of "
                "snapshots that a callback collected."
            )
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


def check_report_file(file: Any) -> Path:
    """A path in a folder that exists."""
    if not isinstance(file, (str, os.PathLike)) or not os.fspath(file):
        raise TypeError(
            f"file must be a path, such as 'report.html'; got {file!r}. Pass where the page is to "
            "be written."
        )
    path = Path(os.fsdecode(os.fspath(file)))
    if path.is_dir():
        raise ValueError(
            f"file must name a file; {str(path)!r} is a folder. Pass {str(path / 'report.html')!r}."
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"file must be in a folder that exists; {str(path.parent)!r} does not. Make the folder "
            "first."
        )
    return path


def check_report_text(name: str, text: Any) -> str | None:
    """A text, or None."""
    if text is not None and not isinstance(text, str):
        raise TypeError(
            f"{name} must be a text or None; got {text!r} of type {type(text).__name__}. Pass a "
            "str."
        )
    return text


def check_report_rows(X: Any, y: Any, sample_weight: Any, roles: Any) -> Any:
    """X, y and weights; None without rows. The outcome may be in columns of X, as at the fit."""
    if X is not None:
        X, y, sample_weight = rows_of(X, y, sample_weight, roles, needs_weight=False)
    if (X is None) != (y is None):
        absent, there = ("y", "X") if y is None else ("X", "y")
        raise ValueError(
            f"X and y must come together; {absent} is missing. Pass the rows of the fit with their "
            f"outcome, or leave out {there} for a page without what needs rows."
        )
    if X is None and sample_weight is not None:
        raise ValueError(
            "sample_weight must come with X and y; both are missing. Pass the rows that the "
            "weights are of."
        )
    return None if X is None else (X, y, sample_weight)


def check_page_has_one_cause(causes: Any) -> None:
    """The page of near-optimal trees draws survival curves only."""
    if causes is not None:
        raise ValueError(
            "the page of near-optimal trees must be made of trees with one cause; these have "
            f"competing risks ({', '.join(causes.names)}). Use table(), best() and the models of "
            "the list, or report() of one model."
        )
