"""survtree demo, replay, and the data sets."""

import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from survtree._cli.app import command, datasets_app
from survtree._cli.errors import told
from survtree._cli.printing import print_table


@command
def demo(
    depth: Annotated[int, typer.Option(help="Most questions on the way to a leaf.")] = 3,
    regularization: Annotated[float, typer.Option(help="Price of one leaf.")] = 0.002,
) -> None:
    """Fit the veterans' lung cancer trial.

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
        f"IBS ratio {100 * model.ibs_ratio_:.1f} %: the tree explains that share of the integrated "
        "Brier score of a lone curve.\n"
    )
    typer.echo(model.certificate_.verify(data.X, data.y))


@command
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that SURVTREE_REPLAY left.")],
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds, instead of the time limit of the fit."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose/--quiet", help="Show the table of progress.")
    ] = True,
) -> None:
    """Run the fit of a replay file again.

    Shows what is run, progress, tree and bounds.
    """
    from survtree._cli import rerun
    from survtree._search.progress import shown_on
    from survtree._search.read_replay import read_replay, with_time_limit

    saved = read_replay(file)
    if time_limit is not None:
        saved = with_time_limit(saved, time_limit)
    typer.echo(f"{rerun.what_is_run(saved)}\n")
    with shown_on(sys.stdout):
        told = rerun.run(saved, int(verbose))
    typer.echo(("\n" if verbose else "") + told)


@datasets_app.command("list")
@told("datasets list")
def list_datasets() -> None:
    """List the data sets that come with the package, and those that fetch obtains."""
    from survtree.datasets import load, names
    from survtree.datasets._published import HOUSEHOLD, TABLES

    rows = []
    for data in map(load, names()):
        counts = (*data.X.shape, int(data.y["event"].sum()))
        rows.append((data.name, *counts, data.description.split(". ")[0].removesuffix(".")))
    _print_sets("In the package, for survtree.datasets.load(NAME); raw columns", rows)
    typer.echo()
    _print_sets(
        "The paper's, from 'survtree datasets fetch DIR'; 0/1 columns",
        [
            (each.name, each.n_rows, each.n_columns, each.n_events, each.description)
            for each in (*TABLES, HOUSEHOLD)
        ],
    )


@datasets_app.command("fetch")
@told("datasets fetch")
def fetch_datasets(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go.")],
    archives: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Holds osst-0.1.8.tar.gz and osrt-0.2.2.tar.gz; nothing is downloaded then.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write all files anew.")] = False,
) -> None:
    """Obtain the paper's 17 data sets (11 MB, with pip) and write them to DIR."""
    from survtree.datasets import fetch

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout, force=True)
    files = fetch(folder, archives=archives, force=force)
    typer.echo(f"{len(files)} data sets are in {folder}")


@datasets_app.command("save")
@told("datasets save")
def save_dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of those in the package.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet or Arrow file.")],
) -> None:
    """Write a data set of the package to a file, with the columns time and event."""
    from survtree._data.files import write_parts
    from survtree.datasets import load

    data = load(name)
    table = data.X.with_columns(time=data.y["time"].copy(), event=data.y["event"].astype("int8"))
    write_parts(file, None, table.schema, lambda: iter([table]))


def _print_sets(title: str, rows: Iterable[tuple[str, int, int, int, str]]) -> None:
    typer.echo(title)
    cells = [[name, *(f"{count:,}" for count in counts), what] for name, *counts, what in rows]
    print_table(["name", "rows", "columns", "events", "what"], cells, left=(0, 4))
