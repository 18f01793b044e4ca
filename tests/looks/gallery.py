"""Pictures for a person to look at: ``python -m tests.looks.gallery FOLDER``.

Trees of 1 to 16 leaves, chains, names that want to break things, on a slide and in a column of a
paper, in colour and in grey. ``--docs FOLDER`` draws those of the docs instead, by the examples
of docs/gallery.md, which save them.
"""

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import imread, imsave

from survtree import (
    OptimalSurvivalTree,
    Picture,
    plot_calibration,
    plot_curves,
    plot_gap,
    plot_tree,
)
from survtree.datasets import load
from tests.support.made_up_models import HOSTILE, made_up, random_tree
from tests.support.page_outputs import DOCS, examples

SLIDE, COLUMN = (13.3, 7.5), (3.3, 3.0)
DPI = 100


def models() -> Iterator[tuple[str, Any]]:
    """Fitted ones, and some that no fit would give."""
    veterans, gbsg2 = load("veterans"), load("gbsg2")
    for n in (1, 2, 3, 5):
        tree = OptimalSurvivalTree(3, 0.0, min_samples_leaf=5, max_leaves=n)
        yield f"{n:02d}-leaves", tree.fit(*veterans)
    for n in (4, 8, 12, 16):
        tree = OptimalSurvivalTree(4, 0.0, min_samples_leaf=5, max_leaves=n)
        yield f"{n:02d}-leaves-gbsg2", tree.fit(*gbsg2)
    weights = np.random.default_rng(0).uniform(0.2, 3, len(veterans.y))
    yield "weighted", OptimalSurvivalTree(2, 0.002).fit(*veterans, sample_weight=weights)
    yield "shrunken", OptimalSurvivalTree(2, 0.001, shrinkage=60).fit(*veterans)
    yield "shrunken-gbsg2", OptimalSurvivalTree(3, 0.0, max_leaves=8, shrinkage=200).fit(*gbsg2)
    yield "chain", made_up(random_tree(10, 0, is_chain=True), ("Age_in_years", "stage"))
    yield "random", made_up(random_tree(13, 5), ("Months_from_diagnosis", "x1", "Prior_therapy"))
    yield "hostile", made_up(random_tree(16, 2), HOSTILE)
    yield "hostile-few", made_up(random_tree(5, 2), HOSTILE[5:9])
    yield "huge", made_up(random_tree(70, 3), ("age", "Karnofsky_score"))


def on_paper(plot: Any, model: Any, size: tuple[float, float], **options: Any) -> Picture:
    """Drawn into axes that fill a figure of a size."""
    figure = Figure(figsize=size, layout="constrained")
    return plot(model, figure.subplots(), **options)


def pictures() -> Iterator[tuple[str, Picture]]:
    """All of them, by name."""
    for name, model in models():
        yield f"tree-{name}", plot_tree(model)
        yield f"tree-{name}-slide", on_paper(plot_tree, model, SLIDE)
        yield f"tree-{name}-column", on_paper(plot_tree, model, COLUMN)
        if name != "huge":
            yield f"curves-{name}", plot_curves(model, time_label="Days")
            yield f"curves-{name}-column", on_paper(plot_curves, model, COLUMN)
    X, y = load("whas500")
    model = OptimalSurvivalTree(3, 0.003).fit(X[:250], y[:250])
    yield "gap", plot_gap(model)
    yield "gap-column", on_paper(plot_gap, model, (3.3, 2.4))
    yield "calibration", plot_calibration(model, X[250:], y[250:], 365)


def in_grey(file: Path) -> None:
    """A copy of a picture as a printer without colours would make it."""
    pixels = imread(file)[..., :3]
    grey = pixels @ np.array([0.2126, 0.7152, 0.0722])
    imsave(file.with_name(f"{file.stem}-grey.png"), grey, cmap="gray", vmin=0, vmax=1)


def draw_docs(folder: Path) -> None:
    """The pictures of the gallery, by its own examples, and the tree of the how-to page."""
    with contextlib.chdir(folder):
        for _ in examples(DOCS / "gallery.md"):
            pass
    model = OptimalSurvivalTree(3, 0.002).fit(*load("veterans"))
    plot_tree(model, time_unit="days").save(folder / "tree.png", dpi=130)


def main() -> None:
    """Draw what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--docs", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    if asked.docs is not None:
        draw_docs(asked.docs)
        return
    if asked.folder is None:
        parser.error("name a folder for the pictures, or --docs FOLDER")
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures():
        file = asked.folder / f"{name}.png"
        picture.save(file, dpi=DPI)
        if name in ("tree-08-leaves-gbsg2", "curves-05-leaves", "curves-16-leaves-gbsg2"):
            in_grey(file)
        print(file.name)


if __name__ == "__main__":
    main()
