"""The gap over time on five hard cases: docs/images/gap-over-time.svg, from results/anytime.csv.

python -m benchmarks.gap_plot
"""

import argparse
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.anytime import BEST, FIELDS, HARD
from benchmarks.tables import HERE, Table

OUT = HERE.parent / "docs" / "images" / "gap-over-time.svg"
LOWER, UPPER = "#0072b2", "#d55e00"  # told apart by the colour-blind, and in grey


def drawn(table: Table, best: dict[str, float]) -> Figure:
    """One panel a case: both bounds over time as shares of the best objective known."""
    figure = Figure(figsize=(11, 2.6), layout="constrained")
    axes = figure.subplots(1, len(HARD), sharey=True)
    for ax, (name, depth, regularization) in zip(axes, HARD, strict=True):
        rows = [row for row in table.rows if row["dataset"] == name]
        seconds = [max(0.001, float(row["seconds"])) for row in rows]
        known = best[name]
        for field, colour, label in (
            ("objective", UPPER, "best tree"),
            ("lower_bound", LOWER, "lower bound"),
        ):
            values = [float(row[field]) / known for row in rows]
            ax.step(seconds, values, where="post", color=colour, label=label, linewidth=1.6)
        ax.set_xscale("log")
        ax.set_ylim(0, 1.6)
        ax.axhline(1.0, color="0.6", linewidth=0.8, linestyle=":")
        ax.axvline(1.0, color="0.85", linewidth=0.8)
        ax.set_title(f"{name}\ndepth {depth}, {regularization}", fontsize=9)
        ax.set_xlabel("seconds")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share of the best known")
    axes[0].legend(frameon=False, fontsize=8, loc="center left")
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    out: Path = parser.parse_args().out
    table = Table(HERE / "results" / "anytime.csv", FIELDS)
    best = {row["dataset"]: float(row["objective"]) for row in Table(BEST, FIELDS).rows}
    out.parent.mkdir(parents=True, exist_ok=True)
    # The same file from the same numbers: no date, no random names.
    mpl.rcParams["svg.hashsalt"] = "survtree"
    drawn(table, best).savefig(out, metadata={"Date": None})
    print(out)


if __name__ == "__main__":
    main()
