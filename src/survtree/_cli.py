"""The command line: parses, calls the package, prints. Decides nothing."""

import logging
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NoReturn

import typer

app = typer.Typer(
    help="Optimal sparse survival trees.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
datasets_app = typer.Typer(help="The demo data sets, and those of the paper.", no_args_is_help=True)
app.add_typer(datasets_app, name="datasets")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        import survtree

        typer.echo(f"survtree {survtree.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Optimal sparse survival trees: a proof that no other tree of that size is better."""


@app.command()
def demo(
    depth: Annotated[int, typer.Option(help="Most questions on the way to a leaf.")] = 3,
    regularization: Annotated[float, typer.Option(help="Price of one leaf.")] = 0.002,
) -> None:
    """Fit the veterans' lung cancer trial, as recorded, and show progress, tree and proof."""
    from survtree import OptimalSurvivalTree, export_text
    from survtree._progress import shown_on
    from survtree.datasets import load

    data = load("veterans")
    typer.echo(f"{data.description}\n")
    model = OptimalSurvivalTree(depth, regularization, verbose=1)
    try:
        with shown_on(sys.stdout):
            model.fit(data.X, data.y)
    except (TypeError, ValueError) as error:
        _refuse("demo", error)
    typer.echo(f"\n{export_text(model)}\n")
    typer.echo(
        f"IBS ratio {100 * model.ibs_ratio_:.1f} %: the tree explains that share of the integrated "
        "Brier score of a lone curve.\n"
    )
    typer.echo(model.certificate_.verify(data.X, data.y))


@app.command()
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
    """Run the fit of a replay file again; show what is run, progress, tree and bounds."""
    from survtree import _replay, _rerun
    from survtree._progress import shown_on

    try:
        saved = _replay.load(file)
        if time_limit is not None:
            saved = _replay.with_time_limit(saved, time_limit)
    except (TypeError, ValueError) as error:
        _refuse("replay", error)
    typer.echo(f"{_rerun.what_is_run(saved)}\n")
    with shown_on(sys.stdout):
        told = _rerun.run(saved, int(verbose))
    typer.echo(("\n" if verbose else "") + told)


@datasets_app.command("list")
def list_datasets() -> None:
    """List the data sets that come with the package, and those that fetch obtains."""
    from survtree.datasets import load, names
    from survtree.datasets._published import HOUSEHOLD, TABLES

    rows = []
    for data in map(load, names()):
        counts = (*data.X.shape, int(data.y["event"].sum()))
        rows.append((data.name, *counts, data.description.split(". ")[0].removesuffix(".")))
    _print_table("In the package, for survtree.datasets.load(NAME); raw columns", rows)
    typer.echo()
    _print_table(
        "The paper's, from 'survtree datasets fetch DIR'; 0/1 columns",
        [
            (each.name, each.n_rows, each.n_columns, each.n_events, each.description)
            for each in (*TABLES, HOUSEHOLD)
        ],
    )


@datasets_app.command("fetch")
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

    _log_to_stdout()
    try:
        files = fetch(folder, archives=archives, force=force)
    except (OSError, ValueError) as error:
        _refuse("datasets fetch", error)
    typer.echo(f"{len(files)} data sets are in {folder}")


def _log_to_stdout() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout, force=True)


def _refuse(command: str, error: Exception) -> NoReturn:
    typer.echo(f"survtree {command}: {error}", err=True)
    raise typer.Exit(2) from error


def _print_table(title: str, rows: Iterable[tuple[str, int, int, int, str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None)
    table.add_column("name", no_wrap=True)
    for count in ("rows", "columns", "events"):
        table.add_column(count, justify="right", no_wrap=True)
    table.add_column("what")
    for name, *counts, what in rows:
        table.add_row(name, *(f"{count:,}" for count in counts), what)
    Console(highlight=False).print(table)


def main() -> None:
    """Entry point of the ``survtree`` command."""
    if hasattr(signal, "SIGPIPE"):  # `survtree demo | head` ends as other commands do
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    app()
