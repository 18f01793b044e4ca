"""The command line: parses, calls the package, prints. Decides nothing."""

import logging
import sys
from typing import Annotated

import typer

app = typer.Typer(
    help="Optimal sparse survival trees.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


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
    """Fit the veterans' lung cancer trial and show progress, tree and proof."""
    from survtree import OptimalSurvivalTree, export_text
    from survtree.datasets import load

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout, force=True)
    data = load("veterans", encoding="paper")
    typer.echo(f"{data.description}\n")
    model = OptimalSurvivalTree(depth, regularization, verbose=1)
    try:
        model.fit(data.X, data.y)
    except (TypeError, ValueError) as error:
        typer.echo(f"survtree demo: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"\n{export_text(model)}\n")
    typer.echo(
        f"IBS ratio {100 * model.ibs_ratio_:.1f} %: the tree explains that share of the integrated "
        "Brier score of a lone curve.\n"
    )
    typer.echo(model.certificate_.verify(data.X, data.y))


def main() -> None:
    """Entry point of the ``survtree`` command."""
    app()
