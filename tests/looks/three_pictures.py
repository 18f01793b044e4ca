"""The pictures of docs/explanation/how-it-works.md: ``python -m tests.looks.three_pictures``.

A teacher's curves and the tree's, all trees there are, and the proof; each of a fit that is really
run, on the veterans' lung cancer trial.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from survtree import OptimalSurvivalTree, Picture
from survtree.datasets import load

FOLDER = Path(__file__).parents[2] / "docs" / "images"
SIZE = (7.2, 3.2)
BESIDE = {"textcoords": "offset points", "fontsize": 9, "annotation_clip": False}
COLOURS = {1: "#4aa564", 2: "#30708f", 3: "#3d0f53"}


def axes_of(n: int = 1) -> tuple[Figure, Any]:
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots(1, n, squeeze=False)[0]
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes


def save(figure: Figure, axes: Axes, name: str) -> None:
    file = FOLDER / name
    Picture(figure, axes, []).save(file)
    print(f"{name}: {file.stat().st_size:,} bytes")


def teacher_and_tree() -> None:
    """Left the teacher's curves of every second patient, coloured by group; right the leaves'."""
    X, y = load("veterans")
    model = OptimalSurvivalTree(max_leaves=3).fit(X, y)
    teacher = model._fitted.prepared.teacher
    figure, (left, right) = axes_of(2)
    groups = np.asarray(model.predict_group(X))
    for group, curve in zip(groups[::2], teacher.survival[::2], strict=True):
        left.step(teacher.times, curve, where="post", color=COLOURS[group], lw=0.5, alpha=0.5)
    for group in sorted(COLOURS):
        row = int(np.flatnonzero(groups == group)[0])
        curve = model.predict_survival_function(X[[row]], teacher.times, return_array=True)[0]
        named = {"color": COLOURS[group], "label": f"group {group}"}
        right.step(teacher.times, curve, where="post", lw=2.5, **named)
    right.legend(frameon=False)
    for axes, title in ((left, "what the teacher predicts"), (right, "what the tree predicts")):
        axes.set(title=title, ylim=(0, 1), xlabel="Days", ylabel="Survival")
    save(figure, left, "how-1-teacher.svg")


def all_trees() -> None:
    """How many trees have which objective, with the best one marked."""
    X, y = load("veterans")
    options = {"max_depth": 2, "regularization": 0.002, "thresholds": 3}
    model = OptimalSurvivalTree(**options).fit(X, y)
    near = model.near_optimal(within=9.0, limit=100_000)
    objectives = near.table()["objective"].to_numpy()
    figure, (axes,) = axes_of()
    axes.hist(objectives, bins=60, color="#9db7c9")
    axes.axvline(model.objective_, color="#3d0f53", lw=2)
    axes.annotate(
        "the best one, which is returned",
        (model.objective_, axes.get_ylim()[1] * 0.9),
        (6, 0),
        color="#3d0f53",
        **BESIDE,
    )
    n_trees = f"{len(near):,} trees of at most two levels"
    axes.set(xlabel="objective: loss + penalty per leaf", ylabel="number of trees", title=n_trees)
    save(figure, axes, "how-2-all-trees.svg")


def the_proof() -> None:
    """Objective and lower bound over the work of a search, by what it has solved."""
    X, y = load("whas500")
    model = OptimalSurvivalTree(max_depth=4, regularization=0.003).fit(X, y)
    solved = np.array([snapshot.subsets_solved for snapshot in model.history_]) + 1
    figure, (axes,) = axes_of()
    for name, words, colour in (
        ("objective", "objective of the best tree so far", "#30708f"),
        ("lower_bound", "lower bound: no tree is below", "#c05020"),
    ):
        values = [getattr(snapshot, name) for snapshot in model.history_]
        axes.step(solved, values, where="post", color=colour, lw=2, label=words, marker="o", ms=3)
    axes.axhline(model.objective_, color="0.6", lw=0.8, ls=":")
    axes.set(xscale="log", xlabel="subproblems solved", ylabel="objective", ylim=(0, None))
    axes.legend(frameon=False, loc="center left")
    save(figure, axes, "how-3-proof.svg")


def main() -> None:
    teacher_and_tree()
    all_trees()
    the_proof()


if __name__ == "__main__":
    main()
