"""Bad arguments of pictures."""

import tempfile
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV

from survtree import (
    OptimalSurvivalTree,
    plot_calibration,
    plot_curves,
    plot_gap,
    plot_tree,
    regularization_path,
)
from tests.support.bad_inputs.case import TABLE, Case, Y


def fitted(**options: Any) -> Any:
    """A tree of two leaves."""
    return OptimalSurvivalTree(1, 0.0, **{"min_samples_leaf": 2, **options}).fit(TABLE, Y)


def search() -> Any:
    """A search over options that has not found a tree yet."""
    return GridSearchCV(OptimalSurvivalTree(), {"max_depth": [1]}, cv=2)


def path() -> Any:
    """Trees of all sizes."""
    return regularization_path(TABLE, Y, max_depth=1, min_samples_leaf=2)


def save(name: Any, **options: Any) -> None:
    """Saves a picture in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name if isinstance(name, str) else name
        plot_curves(fitted()).save(file, **options)


def tree_option(name: str, value: Any, kind: type[Exception] = ValueError, shown: str = "") -> Case:
    """An argument of ``plot_tree`` out of its range."""
    title = f"`plot_tree(model, {name}={shown or repr(value)})`"
    return Case(title, lambda: plot_tree(fitted(), **{name: value}), (name,), kind)


PLOTS: dict[str, list[Case]] = {
    "Pictures: models": [
        Case("a number", lambda: plot_tree(3), ("int",), TypeError),
        Case("a class", lambda: plot_tree(OptimalSurvivalTree), ("the class",), TypeError),
        Case(
            "another model",
            lambda: plot_curves(LinearRegression()),
            ("LinearRegression",),
            TypeError,
        ),
        Case("`GridSearchCV`, not fitted", lambda: plot_tree(search()), ("refit=True",), TypeError),
        Case("a path", lambda: plot_tree(path()), ("one of its trees",), TypeError),
        Case(
            "a model that was not fitted",
            lambda: plot_tree(OptimalSurvivalTree()),
            (),
            NotFittedError,
            "This OptimalSurvivalTree instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
    ],
    "Pictures: arguments": [
        tree_option("ax", "main", TypeError),
        tree_option("ax", Figure(), TypeError, "figure"),
        Case(
            "`ax` with polar axes",
            lambda: plot_tree(fitted(), Figure().add_subplot(projection="polar")),
            ("polar axes",),
            TypeError,
        ),
        tree_option("direction", "left"),
        tree_option("direction", "dwon"),
        tree_option("confidence", 95),
        tree_option("time_label", 3, TypeError),
        tree_option("time_unit", 3, TypeError),
        tree_option("time_unit", "two\nlines"),
        tree_option("times", [5, 1]),
        Case("`times=[]`", lambda: plot_curves(fitted(), times=[]), ("times",)),
        Case("`times=[-1, 5]`", lambda: plot_curves(fitted(), times=[-1, 5]), ("-1",)),
        Case("`times=[5, 1]`", lambda: plot_curves(fitted(), times=[5, 1]), ("5",)),
        Case(
            "`plot_calibration` at a time below 0",
            lambda: plot_calibration(fitted(), TABLE, Y, -1.0),
            ("time", "-1"),
        ),
    ],
    "Pictures: files": [
        Case("`save('tree.jpg')`", lambda: save("tree.jpg"), ("tree.jpg", ".png")),
        Case("`save('tree')`", lambda: save("tree"), ("'tree'", ".svg")),
        Case("`save(3)`", lambda: save(3), ("int",), TypeError),
        Case("`save('tree.png', dpi=0)`", lambda: save("tree.png", dpi=0), ("dpi", "0")),
        Case("`save('tree.png', dpi='high')`", lambda: save("tree.png", dpi="high"), ("high",)),
    ],
    "Pictures: `plot_gap`": [
        Case(
            "a model of a path",
            lambda: plot_gap(regularization_path(TABLE, Y)[0]),
            ("history", "path", "callback"),
        ),
        Case("an empty list", lambda: plot_gap([]), ("empty",)),
        Case("one snapshot", lambda: plot_gap(fitted().history_[0]), ("Snapshot",), TypeError),
        Case("numbers", lambda: plot_gap([1.0, 0.5]), ("place 0", "float"), TypeError),
        Case("a text", lambda: plot_gap("model"), ("str",), TypeError),
    ],
}
