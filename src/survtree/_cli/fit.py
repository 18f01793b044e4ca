"""survtree fit, tune and path: from a table to trees."""

import sys
from dataclasses import dataclass
from typing import Any

import typer

from survtree._base.numbers import format_count, format_decimals, format_percent
from survtree._base.options import DEFAULTS
from survtree._cli.inputs import (
    HELPS,
    AsJson,
    Data,
    Depth,
    Device,
    Jobs,
    Limiting,
    MinRegularization,
    Reading,
    Regularization,
    Seed,
    Splitting,
    Stream,
    Teaching,
    flags_of,
    number_or_none,
    number_or_word,
    numbers_of,
    option,
    to_file,
)
from survtree._cli.printing import (
    INTERRUPTED,
    check_outputs,
    model_facts,
    note,
    note_command,
    note_files,
    print_json,
    print_model,
    print_table,
    typed_arguments,
    write_table,
)
from survtree._cli.studies import Study, fitted_tree, note_rows, rows_to_stream, study_to_fit
from survtree._data.read_files import check_no_report

QUIET = "Show no progress."


@dataclass
class Output:
    """What is shown and written of a fitted model."""

    output: str | None = option(None, "FILE", "Save the model as JSON.", "-o", "--output")
    report: str | None = option(None, "FILE", "Write a report as an HTML page.")
    plot: str | None = option(None, "FILE", "Draw the tree: .png, .svg or .pdf.")
    times: str | None = option(None, "T,T,...", "Times at which survival is given.")
    as_json: AsJson = False
    quiet: bool = option(False, None, QUIET, "--quiet")

    def files(self) -> dict[str, str | None]:
        """What goes where."""
        return {"model": self.output, "report": self.report, "plot": self.plot}


@dataclass
class Choosing:
    """Among which trees the cross-validation chooses, and how."""

    depths: str = option(
        "default",
        "N,N,...",
        "Depths to choose from; none is no limit. The default is 3, or 1,2,3,4 if "
        "--min-regularization is a number.",
        *flags_of("max_depths"),
    )
    min_regularization: str = option(
        "auto",
        "auto|PENALTY",
        "Smallest penalty per leaf of interest. auto chooses trees for predictions of new rows; "
        "a number is about the paper's objective.",
    )
    folds: int = option(5, None, "Folds of the cross-validation.", *flags_of("cv"))
    repeats: int = option(
        1, None, "How many times over the folds are made.", *flags_of("n_repeats")
    )
    rule: str = option(
        "minimum",
        "minimum|half_standard_error|one_standard_error",
        "Choose the best score, or the fewest leaves within half a standard error, or one, "
        "of the best score.",
    )
    scoring: str = option("ibs_ratio", "ibs_ratio|harrell_c", "Score on the held-out rows.")
    groups: str | None = option(
        None,
        "COLUMN",
        "Column of groups, such as subjects, whose rows stay in the same fold; the tree does not "
        "split on it.",
    )

    def arguments(self) -> dict[str, Any]:
        """As the estimator takes them."""
        return {
            "max_depths": depths_of(self.depths),
            "min_regularization": number_or_word(self.min_regularization),
            "cv": self.folds,
            "n_repeats": self.repeats,
            "rule": self.rule,
            "scoring": self.scoring,
        }


def depths_of(text: str) -> Any:
    """Depths with commas, or the word default."""
    return text if text == "default" else [number_or_none(each) for each in text.split(",")]


def fit(
    data: Data,
    *,
    depth: Depth = str(DEFAULTS["max_depth"]),
    regularization: Regularization = DEFAULTS["regularization"],
    teaching: Teaching,
    reading: Reading,
    splitting: Splitting,
    limiting: Limiting,
    gap: float = typer.Option(DEFAULTS["gap"], help=HELPS["gap"]),
    reference: str | None = typer.Option(None, metavar="forest|boosting", help=HELPS["reference"]),
    reference_mode: str = typer.Option(
        DEFAULTS["reference_mode"], metavar="guess|prove", help=HELPS["reference_mode"]
    ),
    jobs: Jobs = None,
    device: Device = DEFAULTS["device"],
    cluster: str | None = typer.Option(
        None, metavar="ADDRESS", help="Share the search with a Dask cluster: tcp://HOST:PORT."
    ),
    seed: Seed = 0,
    proof: str | None = typer.Option(
        None, metavar="FILE", help="Write the full proof, for survtree check-proof."
    ),
    stream: Stream = None,
    output: Output,
) -> None:
    """Find the optimal tree of a table.

    A table that is larger than memory is read in passes.
    """
    check_outputs(*output.files().values(), proof)
    lazy = rows_to_stream(data, reading, splitting, stream)
    if lazy is not None:
        check_no_report(output.report)
    rows = study_to_fit(data, reading, splitting) if lazy is None else lazy
    model = fitted_tree(
        rows,
        depth,
        regularization,
        *(limiting, splitting, teaching),
        is_quiet=output.as_json or output.quiet,
        gap=gap,
        reference=reference,
        reference_mode=reference_mode,
        n_jobs=jobs,
        device=device,
        random_state=seed,
        certificate="numbers" if proof is None else "full",
        cluster=cluster,
    )
    if model.verbose:
        note("")
    _show_and_write(model, rows if isinstance(rows, Study) else None, output)
    if proof is not None:
        model.certificate_.write_proof(proof)
        note(f"proof: {proof}")


def tune(
    data: Data,
    *,
    choosing: Choosing,
    teaching: Teaching,
    reading: Reading,
    splitting: Splitting,
    limiting: Limiting,
    jobs: Jobs = None,
    device: Device = DEFAULTS["device"],
    seed: int = typer.Option(
        0, *flags_of("random_state"), help="Seed of the folds and the teachers."
    ),
    output: Output,
) -> None:
    """Choose the size of a tree by cross-validation."""
    from survtree import OptimalSurvivalTreeCV

    check_outputs(*output.files().values())
    study = study_to_fit(data, reading, splitting, choosing.groups)
    model = OptimalSurvivalTreeCV(
        n_jobs=jobs,
        device=device,
        random_state=seed,
        verbose=int(not (output.as_json or output.quiet)),
        **choosing.arguments(),
        **teaching.arguments(),
        **limiting.arguments(),
        **splitting.arguments(),
    )
    model.fit(study.covariates, study.y, study.weight, groups=study.groups)
    if not output.as_json:
        best, mark = model.best_params_, "" if model.is_complete_ else ", incomplete"
        typer.echo(
            f"chosen by {format_count(model.n_splits_, 'fold')} (seed {model.seed_}{mark}): "
            f"depth {best['max_depth']}, "
            f"regularization {best['regularization']:g}; {choosing.scoring} "
            f"{format_decimals(model.best_score_, 4)} on held-out rows\n"
        )
    _show_and_write(model, study, output)
    if not model.is_complete_:
        raise typer.Exit(INTERRUPTED)


def path(
    data: Data,
    *,
    depth: Depth = "4",
    min_regularization: MinRegularization = 0.001,
    reading: Reading,
    splitting: Splitting,
    limiting: Limiting,
    jobs: Jobs = None,
    device: Device = DEFAULTS["device"],
    output: str | None = to_file("Write the list: .csv, .tsv, .parquet or .arrow."),
    plot: str | None = typer.Option(
        None, metavar="FILE", help="Draw loss by leaves: .png, .svg or .pdf."
    ),
    as_json: AsJson = False,
    quiet: bool = typer.Option(False, "--quiet", help=QUIET),
) -> None:
    """List the optimal trees of all sizes.

    Each of them is optimal for the penalties per leaf that are listed beside it.
    """
    from survtree import regularization_path

    check_outputs(output, plot)
    study = study_to_fit(data, reading, splitting)
    found = regularization_path(
        study.covariates,
        study.y,
        sample_weight=study.weight,
        min_regularization=min_regularization,
        max_depth=number_or_none(depth),
        n_jobs=jobs,
        device=device,
        verbose=int(sys.stderr.isatty() and not (as_json or quiet)),
        **limiting.arguments(),
        **splitting.arguments(),
    )
    note_rows(found[0], study)
    table = found.table()
    if output is not None:
        write_table(output, table)
    if plot is not None:
        found.plot().save(plot)
    note_command(found[0].recipe_)
    note_files({"table": output, "plot": plot})
    if as_json:
        print_json({"status": found.status_, "trees": table.to_dicts()})
    else:
        _print_trees(table.to_dicts())
        typer.echo(_meaning(found.status_, found[0].certificate_.screening))
    if found.status_ == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _meaning(status: str, screening: str) -> str:
    """What the list of a path says, given its status and which splits were searched."""
    searched = f"{screening}." if screening else ""
    if status != "optimal":
        open_end = f"{status}: the best trees that were found; nothing is proven about deeper ones."
        return f"{open_end}\n{searched}".strip()
    return (
        "optimal: each tree is the best of its size. To fit one, pass a\n"
        f"--regularization between the two numbers beside it.\n{searched}"
    ).strip()


def _print_trees(trees: list[dict[str, Any]]) -> None:
    rows = [
        [
            str(tree["leaves"]),
            str(tree["depth"]),
            format_decimals(tree["loss"], 6),
            format_percent(tree["ibs_ratio"], 1),
            format_decimals(tree["regularization_from"], 6),
            format_decimals(tree["regularization_to"], 6),
        ]
        for tree in trees
    ]
    header = ["leaves", "depth", "loss", "IBS ratio", "regularization from", "to"]
    print_table(header, rows, left=())


def _show_and_write(model: Any, study: Study | None, output: Output) -> None:
    """Write the files first: what is printed may be cut short by a pipe. No study: it was lazy."""
    from survtree import export_json, plot_tree
    from survtree._model.recipe import keep_command

    roles, cautions = (model.roles_, ()) if study is None else (study.roles, study.cautions)
    keep_command(model, roles, typed_arguments(model.seed_), cautions)
    if study is not None:
        note_rows(model, study)
    times = numbers_of(output.times)
    if output.output is not None:
        export_json(model, output.output)
    if output.report is not None and study is not None:
        rows = study.covariates, study.y
        how = {"sample_weight": study.weight, "times": times}
        model.report(output.report, *rows, **how)
    if output.plot is not None:
        plot_tree(model, times=times).save(output.plot)
    if output.as_json:
        print_json({**model_facts(model, times), "files": output.files()})
    else:
        print_model(model, times=times)
        note_files(output.files())
    if model.status_ == "interrupted":
        raise typer.Exit(INTERRUPTED)
