"""survtree curves and plot: the curves of a model as numbers, and its pictures."""

from pathlib import Path
from typing import Any

import typer

from survtree._cli.inputs import Model, Reading, Times, numbers_of, to_file
from survtree._cli.printing import check_outputs, note, write_table
from survtree._cli.studies import study_to_check
from survtree._cli.views import with_times

# What 'survtree plot' draws.
KINDS = ("tree", "curves", "calibration", "gap")
PICTURES = (".png", ".svg", ".pdf")


def curves(
    model: Model,
    output: str = to_file("CSV, TSV, Parquet or Arrow file; .png, .svg or .pdf draws them.", "-"),
    times: Times = None,
    confidence: float = typer.Option(0.95, help="Confidence level of the limits."),
) -> None:
    """Write the survival curves of the leaves.

    A row for each leaf and time: the rows at risk, survival with its limits, cumulative hazard, and
    what is predicted if that differs. The times are those at which a curve steps, or --times.
    """
    from survtree import curve_table, load, plot_curves

    if output != "-":
        check_outputs(output)
    fitted, how = load(model), {"times": numbers_of(times), "confidence": confidence}
    if Path(output).suffix.lower() in PICTURES:
        plot_curves(fitted, **how).save(output)
    else:
        write_table(output, curve_table(fitted, **how))
    if output != "-":
        note(f"curves: {output}")


def plot(
    model: Model,
    data: str | None = typer.Argument(
        None, metavar="DATA", help="For a calibration: rows whose outcome is known."
    ),
    *,
    output: str = to_file("The picture: .png, .svg or .pdf.", ...),
    kind: str = typer.Option("tree", metavar="|".join(KINDS), help="What is drawn."),
    times: Times = None,
    reading: Reading,
) -> None:
    """Draw the tree, its curves, a calibration or the search.

    A calibration compares predicted with observed survival at one time, on rows that the fit did
    not see. gap shows both bounds over the seconds of the search.
    """
    from survtree import load

    check_outputs(output)
    fitted = load(model)
    study = None if data is None else study_to_check(data, reading, fitted, model)
    _picture(fitted, kind, numbers_of(times), study).save(output)
    note(f"plot: {output}")


def _picture(fitted: Any, kind: str, times: Any, study: Any) -> Any:
    """The picture of a kind; what the kind has no use for is refused."""
    import survtree

    if kind not in KINDS:
        raise typer.BadParameter(f"it must be one of {', '.join(KINDS)}", param_hint="--kind")
    if (study is not None) != (kind == "calibration"):
        what = "needs" if study is None else "is the only picture that needs"
        raise typer.BadParameter(f"a calibration {what} rows", param_hint="DATA")
    if study is None:
        return with_times(getattr(survtree, f"plot_{kind}"), fitted, times, "--kind " + kind)
    if times is not None and len(times) != 1:
        raise typer.BadParameter("a calibration has one time", param_hint="--times")
    time = None if times is None else times[0]
    rows = study.covariates, study.y
    return survtree.plot_calibration(fitted, *rows, time, sample_weight=study.weight)
