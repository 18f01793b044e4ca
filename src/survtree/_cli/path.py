"""survtree path: every tree that is optimal for some price of a leaf."""

from typing import Annotated

import typer

from survtree._base.options import DEFAULTS
from survtree._cli.app import command
from survtree._cli.errors import say
from survtree._cli.fit import check_outputs
from survtree._cli.options import AsJson, Choosing, Data, Depth, Limiting, Reading, or_none
from survtree._cli.printing import print_json, print_table
from survtree._cli.study import study_to_fit


@command
def path(
    data: Data,
    reading: Reading,
    choosing: Choosing,
    *,
    limiting: Limiting,
    depth: Depth = str(DEFAULTS["max_depth"]),
    min_regularization: Annotated[
        float, typer.Option(help="The smallest price of a leaf that is of interest.")
    ] = 0.001,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where the table goes: .csv, ..."),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw loss by leaves: .png, .svg or .pdf.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the optimal trees of all sizes.

    A tree is listed if it is optimal for some price of a leaf; the prices are told.
    """
    from survtree import regularization_path
    from survtree._data.files import write_parts
    from survtree._show.picture import Picture

    check_outputs(output, plot)
    study = study_to_fit(data, reading, choosing.exclude)
    found = regularization_path(
        study.frame,
        sample_weight=study.weight,
        min_regularization=min_regularization,
        max_depth=or_none(depth),
        **limiting.arguments(),
        **choosing.arguments(),
        **study.outcome,
    )
    table = found.table()
    if output is not None:
        write_parts(output, None, table.schema, lambda: iter([table]))
        say(f"table: {output}")
    if plot is not None:
        axes = found.plot()
        Picture(axes.figure, axes, list(axes.lines)).save(plot)
        say(f"plot: {plot}")
    if as_json:
        print_json({"status": found.status_, "trees": table.to_dicts()})
        return
    rows = [
        [
            str(row["leaves"]),
            str(row["depth"]),
            f"{row['loss']:.6f}",
            f"{100 * row['ibs_ratio']:.1f} %",
            f"{row['regularization_from']:.6f}",
            f"{row['regularization_to']:.6f}",
        ]
        for row in table.to_dicts()
    ]
    header = ["leaves", "depth", "loss", "IBS ratio", "regularization from", "to"]
    print_table(header, rows, left=())
    typer.echo(f"{found.status_}: each is the best of its size; fit takes one of these prices.")
