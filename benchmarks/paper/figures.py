"""Pictures of the experiments, from their tables alone.

    python -m benchmarks.paper.figures [--quick] [--out FOLDER]

Each table that is there becomes an SVG file of the same name beside it. Colours can be told apart
by the colour-blind; every program has a marker of its own as well.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from benchmarks.paper import black_box, generalization, optimality, run_time, scalability
from benchmarks.paper.command import RESULTS, groups_of
from benchmarks.paper.growers import NAMES
from benchmarks.paper.settings import N_FOLDS
from benchmarks.paper.timed import is_finished
from benchmarks.tables import Table

LABELS = {
    "ours": "survtree",
    "osst": "osst",
    "streed": "SurTree (pystreed)",
    "sksurv": "scikit-survival",
    "rpart": "rpart",
    "ctree": "ctree",
    "cox": "Cox, ridge",
    "forest": "random survival forest",
    "boosting": "boosted Cox",
    "pamm": "PAMM",
}
STYLES = {
    "ours": ("#000000", "o"),
    "osst": ("#d55e00", "x"),
    "streed": ("#0072b2", "^"),
    "sksurv": ("#009e73", "s"),
    "rpart": ("#cc79a7", "D"),
    "ctree": ("#e69f00", "v"),
    "cox": ("#0072b2", "^"),
    "forest": ("#009e73", "s"),
    "boosting": ("#cc79a7", "D"),
    "pamm": ("#e69f00", "v"),
}
MOST_COLUMNS = 4
SCORES = {"harrell_c": "Harrell's C", "uno_c": "Uno's C", "mean_auc": "mean AUC"}
RATIOS = {"train_ibs_ratio": "IBS ratio, training (%)", "test_ibs_ratio": "IBS ratio, test (%)"}

Rows = list[dict[str, str]]


def style_of(program: str, **more: Any) -> dict[str, Any]:
    colour, marker = STYLES[program]
    # Ours is drawn last, small and on top, so that a rival that meets it still shows around it.
    size, order = (3.5, 4) if program == "ours" else (5.5, 3)
    hollow = {"markerfacecolor": "none"} if program not in ("ours", "osst") else {}
    base = {"color": colour, "marker": marker, "markersize": size, "zorder": order}
    return {**base, **hollow, "label": LABELS[program], **more}


def panels(n_rows: int, n_columns: int, **options: Any) -> tuple[Figure, Any]:
    size = (1.2 + 2.7 * n_columns, 0.9 + 2.3 * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure, axes


def with_legend(figure: Figure, axes: Any) -> Figure:
    """One legend for all panels, below them."""
    found = {}
    for ax in axes.flat:
        handles, labels = ax.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    ordered = [label for label in LABELS.values() if label in found]
    handles = [found[label] for label in ordered]
    columns = min(len(ordered), 3 if figure.get_figwidth() < 9 else 6)
    figure.legend(handles, ordered, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def in_panels(names: list[str]) -> tuple[Figure, list[Any], Any]:
    """A panel a name in rows of at most four; panels without a name stay empty."""
    columns = min(len(names), MOST_COLUMNS)
    figure, axes = panels(math.ceil(len(names) / columns), columns)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    for ax, name in zip(axes.flat, names, strict=False):
        ax.set_title(name, fontsize=10)
    return figure, list(axes.flat[: len(names)]), axes


def names_in(table: Table, field: str) -> list[str]:
    return list(dict.fromkeys(row[field] for row in table.rows))


def with_program(rows: Rows, program: str) -> Rows:
    return [row for row in rows if row["program"] == program]


def optimality_figure(table: Table) -> Figure:
    """Every tree of every program; the line joins our trees of the largest depth limit."""
    groups = groups_of(table, ("dataset",))
    figure, flat, axes = in_panels([name for (name,) in groups])
    for ax, rows in zip(flat, groups.values(), strict=True):
        scored = [row for row in rows if row["ibs_ratio"]]
        deepest = max(int(row["max_depth"]) for row in with_program(scored, "ours"))
        for program in NAMES:
            is_ours = program == "ours"
            chosen = [
                row
                for row in with_program(scored, program)
                if not is_ours or int(row["max_depth"]) == deepest
            ]
            # Several settings and depths give the same tree: one mark for all.
            points = dict.fromkeys((int(row["n_leaves"]), row["ibs_ratio"][:6]) for row in chosen)
            x, y = [leaves for leaves, _ in points], [100 * float(ratio) for _, ratio in points]
            if x:
                ax.plot(x, y, **style_of(program, linestyle="-" if is_ours else "none"))
        ax.set_xlabel("leaves", fontsize=9)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    for row_of_axes in axes:
        row_of_axes[0].set_ylabel("IBS ratio, training (%)", fontsize=9)
    return with_legend(figure, axes)


def folds_figure(table: Table, fields: dict[str, str], scale: float) -> Figure:
    """A row of panels a score, a column a data set; sizes that all folds have, deepest limit."""
    names = names_in(table, "dataset")
    figure, axes = panels(len(fields), len(names), sharex="col")
    for column, name in enumerate(names):
        rows = [row for row in table.rows if row["dataset"] == name]
        deepest = max(rows, key=lambda row: int(row["max_depth"]))["max_depth"]
        rows = [row for row in rows if row["max_depth"] == deepest]
        for place, (field, label) in enumerate(fields.items()):
            ax = axes[place, column]
            for program in NAMES:
                fold_points(ax, with_program(rows, program), field, program, scale)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            if column == 0:
                ax.set_ylabel(label, fontsize=9)
        axes[0, column].set_title(f"{name}, depth {deepest}", fontsize=10)
        axes[-1, column].set_xlabel("leaves", fontsize=9)
    return with_legend(figure, axes)


def fold_points(ax: Any, rows: Rows, field: str, program: str, scale: float) -> None:
    found = {
        leaves: (scale * mean, scale * error)
        for leaves, (mean, error, n_folds) in generalization.means(rows, field).items()
        if n_folds == N_FOLDS and leaves > 1
    }
    if found:
        # Points of one size would hide each other: each program is a little aside.
        aside = 0.07 * (NAMES.index(program) - (len(NAMES) - 1) / 2)
        y, errors = zip(*found.values(), strict=True)
        drawn = style_of(program, linestyle=":", linewidth=0.8, elinewidth=0.8)
        ax.errorbar([leaves + aside for leaves in found], y, errors, **drawn)


def run_time_figure(table: Table) -> Figure:
    """Mean seconds by depth; a program ends where it did not finish all runs."""
    names, means = names_in(table, "dataset"), run_time.means_of(table)
    figure, flat, axes = in_panels(names)
    for ax, dataset in zip(flat, names, strict=True):
        for program in NAMES:
            seconds = {
                int(depth): mean
                for (name, depth, who), mean in means.items()
                if (name, who) == (dataset, program)
            }
            if seconds:
                values = list(seconds.values())
                ax.plot(list(seconds), values, **style_of(program, linewidth=0.8))
        ax.set_yscale("log")
        ax.set_xlabel("depth", fontsize=9)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    for row_of_axes in axes:
        row_of_axes[0].set_ylabel("mean seconds", fontsize=9)
    return with_legend(figure, axes)


def scalability_figure(table: Table) -> Figure:
    """Seconds by rows; a program that was killed ends."""
    groups = groups_of(table, ("censored",))
    figure, flat, axes = in_panels([f"{name} % censored" for (name,) in groups])
    for ax, rows in zip(flat, groups.values(), strict=True):
        for program in NAMES:
            done = [row for row in with_program(rows, program) if is_finished(row)]
            x = [int(row["rows"]) for row in done]
            y = [float(row["seconds"]) for row in done]
            if x:
                ax.plot(x, y, **style_of(program, linewidth=0.8))
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("rows", fontsize=9)
    axes[0, 0].set_ylabel("seconds", fontsize=9)
    return with_legend(figure, axes)


def black_box_figure(table: Table) -> Figure:
    """A line a data set, a point a model."""
    names = names_in(table, "dataset")
    fields = {"test_ibs_ratio": "IBS ratio, test", "uno_c": "Uno's C"}
    figure, axes = panels(1, len(fields), sharey=True)
    figure.set_size_inches(7.5, 1.6 + 0.45 * len(names))
    for ax, (field, label) in zip(axes[0], fields.items(), strict=True):
        for model in black_box.MODELS:
            rows = [row for row in table.rows if row["model"] == model and row[field]]
            x = [float(row[field]) for row in rows]
            y = [names.index(row["dataset"]) for row in rows]
            ax.plot(x, y, **style_of(model, linestyle="none"))
        ax.set_xlabel(label, fontsize=9)
        ax.grid(axis="y", color="0.9")
    axes[0, 0].set_yticks(range(len(names)), names)
    axes[0, 0].set_ylim(len(names) - 0.5, -0.5)
    return with_legend(figure, axes)


def generalization_figure(table: Table) -> Figure:
    return folds_figure(table, RATIOS, 100.0)


def quality_figure(table: Table) -> Figure:
    return folds_figure(table, SCORES, 1.0)


FIGURES: dict[str, tuple[tuple[str, ...], Callable[[Table], Figure]]] = {
    optimality.FILE: (optimality.FIELDS, optimality_figure),
    generalization.FILE: (generalization.FIELDS, generalization_figure),
    generalization.QUALITY_FILE: (generalization.QUALITY_FIELDS, quality_figure),
    run_time.FILE: (run_time.FIELDS, run_time_figure),
    scalability.FILE: (scalability.FIELDS, scalability_figure),
    black_box.FILE: (black_box.FIELDS, black_box_figure),
}


def draw(folder: Path, ending: str = ".svg") -> list[Path]:
    """A picture of each table in the folder; the same file from the same numbers."""
    out = []
    for name, (fields, figure_of) in FIGURES.items():
        table = Table(folder / name, fields)
        if table.rows:
            path = (folder / name).with_suffix(ending)
            with mpl.rc_context({"svg.hashsalt": "survtree"}):
                options = {"metadata": {"Date": None}} if ending == ".svg" else {"dpi": 110}
                figure_of(table).savefig(path, **options)
            out.append(path)
    return out


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="of the quick tables")
    parser.add_argument("--out", type=Path, help="folder of the tables")
    arguments = parser.parse_args(argv)
    folder = arguments.out or (RESULTS / "quick" if arguments.quick else RESULTS)
    found = draw(folder)
    print("\n".join(map(str, found)) or f"no tables in {folder}; run make paper or paper-quick")


if __name__ == "__main__":
    main()
