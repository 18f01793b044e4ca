"""survtree fit and survtree tune: from a file of rows to a model."""

import shlex
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from survtree._base.options import DEFAULTS
from survtree._cli.app import command
from survtree._cli.errors import INTERRUPTED, say
from survtree._cli.options import (
    HELPS,
    AsJson,
    Choosing,
    Data,
    Depth,
    Jobs,
    Limiting,
    Reading,
    Regularization,
    Seed,
    or_none,
)
from survtree._cli.printing import leaves_of, print_json, print_leaves, print_model, summary_of
from survtree._cli.study import Study, study_to_fit
from survtree._data.read_files import check_can_write


@dataclass
class Output:
    """What is shown and written of a fitted model."""

    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where the model goes, as JSON."),
    ] = None
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a report for readers, as HTML.")
    ] = None
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the tree: .png, .svg or .pdf.")
    ] = None
    as_json: AsJson = False
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False

    def files(self) -> dict[str, str | None]:
        """What goes where."""
        return {"model": self.output, "report": self.report, "plot": self.plot}


@command
def fit(
    data: Data,
    reading: Reading,
    choosing: Choosing,
    *,
    depth: Depth = str(DEFAULTS["max_depth"]),
    regularization: Regularization = DEFAULTS["regularization"],
    limiting: Limiting,
    gap: Annotated[float, typer.Option(help=HELPS["gap"])] = DEFAULTS["gap"],
    reference: Annotated[
        str | None, typer.Option(metavar="forest|boosting", help=HELPS["reference"])
    ] = None,
    reference_mode: Annotated[
        str, typer.Option(metavar="guess|prove", help=HELPS["reference_mode"])
    ] = DEFAULTS["reference_mode"],
    jobs: Jobs = None,
    seed: Seed = None,
    proof: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write all of the proof, for survtree check-proof."),
    ] = None,
    output: Output,
) -> None:
    """Find the optimal tree of a table."""
    from survtree import OptimalSurvivalTree

    check_outputs(*output.files().values(), proof)
    study = study_to_fit(data, reading, choosing.exclude)
    model = OptimalSurvivalTree(
        or_none(depth),
        regularization,
        **limiting.arguments(),
        **choosing.arguments(),
        gap=gap,
        reference=reference,
        reference_mode=reference_mode,
        n_jobs=jobs,
        random_state=seed,
        certificate="numbers" if proof is None else "full",
        verbose=int(sys.stderr.isatty() and not (output.as_json or output.quiet)),
    )
    model.fit(study.frame, sample_weight=study.weight, **study.outcome)
    if model.verbose:
        say("")
    finish(model, study, output)
    if proof is not None:
        model.certificate_.write_proof(proof)
        say(f"proof: {proof}")


@command
def tune(
    data: Data,
    reading: Reading,
    choosing: Choosing,
    *,
    limiting: Limiting,
    depths: Annotated[
        str, typer.Option(metavar="N,N,...", help="Depths to choose from; none: no limit.")
    ] = "1,2,3,4",
    min_regularization: Annotated[
        float, typer.Option(help="The smallest price of a leaf that is of interest.")
    ] = 0.001,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    rule: Annotated[
        str,
        typer.Option(
            metavar="one_standard_error|minimum",
            help="The fewest leaves within one standard error of the best, or the best.",
        ),
    ] = "one_standard_error",
    scoring: Annotated[
        str, typer.Option(metavar="ibs_ratio|harrell_c", help="How held-out rows score a tree.")
    ] = "ibs_ratio",
    jobs: Jobs = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the folds.")] = None,
    output: Output,
) -> None:
    """Choose the size of a tree by cross-validation."""
    from survtree import OptimalSurvivalTreeCV

    check_outputs(*output.files().values())
    study = study_to_fit(data, reading, choosing.exclude)
    model = OptimalSurvivalTreeCV(
        max_depths=[or_none(each) for each in depths.split(",")],
        min_regularization=min_regularization,
        cv=folds,
        rule=rule,
        scoring=scoring,
        n_jobs=jobs,
        random_state=seed,
        verbose=int(not (output.as_json or output.quiet)),
        **limiting.arguments(),
        **choosing.arguments(),
    )
    model.fit(study.frame, sample_weight=study.weight, **study.outcome)
    if not output.as_json:
        typer.echo(
            f"chosen by {folds} folds: depth {model.best_params_['max_depth']}, regularization "
            f"{model.best_params_['regularization']:g}; {scoring} {model.best_score_:.4f} on "
            "held-out rows\n"
        )
    finish(model, study, output)


def check_outputs(*paths: str | None) -> None:
    """Complain before the work, not after it."""
    for path in paths:
        if path is not None:
            check_can_write(path)


def finish(model: Any, study: Study, output: Output) -> None:
    """Show the model and write what was asked for."""
    from survtree import export_json, plot_tree
    from survtree._model.fitted import keep_roles

    keep_roles(model, study.roles)
    if output.output is not None:
        export_json(model, output.output)
    if output.report is not None:
        rows = study.covariates, study.y
        model.report(output.report, *rows, sample_weight=study.weight, command=typed())
    if output.plot is not None:
        plot_tree(model).save(output.plot)
    if output.as_json:
        print_json({**summary_of(model), "leaves": leaves_of(model), "files": output.files()})
    else:
        print_model(model)
        typer.echo()
        print_leaves(model)
        for what, path in output.files().items():
            if path is not None:
                say(f"{what}: {path}")
    if model.status_ == "interrupted":
        raise typer.Exit(INTERRUPTED)


def typed() -> str:
    """The command as it was typed."""
    return shlex.join(["survtree", *sys.argv[1:]])
