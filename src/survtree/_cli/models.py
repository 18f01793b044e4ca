"""Commands that start from a model or a proof: predict, evaluate, verify, check-proof, ..."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from survtree._cli.app import command
from survtree._cli.errors import FAILED, say
from survtree._cli.fit import check_outputs, typed
from survtree._cli.forms import write_form
from survtree._cli.options import AsJson, Data, Model, Reading, Times, times_of
from survtree._cli.printing import (
    leaves_of,
    print_json,
    print_leaves,
    print_model,
    print_table,
    summary_of,
)
from survtree._cli.study import Study, source_of, study_to_check
from survtree._data.read_files import check_columns, check_has_columns, check_has_names

if TYPE_CHECKING:
    import polars as pl


@command
def predict(
    model: Model,
    data: Data,
    reading: Reading,
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help="CSV, TSV, Parquet or Arrow file."),
    ] = "-",
    times: Times = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Copy this column, such as a key; repeatable."),
    ] = None,
) -> None:
    """Write leaf, risk and survival of new rows.

    The columns are leaf, risk, median (empty if it is not reached) and survival at --times. Rows
    are read and written a part at a time, so that tables may be larger than memory.
    """
    from survtree import load
    from survtree._data.files import write_parts
    from survtree._model.row_predictor import RowPredictor

    if output != "-":
        check_outputs(output)
    fitted, source = load(model), source_of(data, reading)
    names = check_has_names(fitted, model)
    schema = source.schema()
    check_has_columns(names, schema.names(), source.name)
    check_columns("--keep", keep or [], schema.names(), source.name)
    predictor = RowPredictor(fitted, names, keep or [], times_of(times))

    def parts() -> Iterator["pl.DataFrame"]:
        return map(predictor.of, source.parts(predictor.columns))

    write_parts(output, None, predictor.schema(schema), parts)
    predictor.warn()


@command
def evaluate(model: Model, data: Data, reading: Reading, as_json: AsJson = False) -> None:
    """Score a model on rows with an outcome."""
    from survtree import load
    from survtree._model.predict import functions_of
    from survtree._scoring.curves import outcome_of
    from survtree._scoring.scores import SCORES, scores_of

    fitted = load(model)
    study = study_to_check(data, reading, fitted, model)
    rows, events = _rows(fitted, study)
    training = outcome_of(list(fitted.leaf_curves_.values()))
    scores = scores_of(functions_of(fitted, rows), events, training)
    n_events = int(events.event.sum())
    if as_json:
        print_json({"rows": len(events), "events": n_events, **scores})
        return
    typer.echo(f"{len(events):,} rows, {n_events:,} events\n")
    shown = {name: "not known" if s is None else f"{s:.4f}" for name, s in scores.items()}
    lines = [[score.title, shown[score.name], score.meaning] for score in SCORES]
    print_table(["score", "", ""], lines, left=(0, 2))


def _rows(model: Any, study: Study) -> Any:
    """Covariates and outcome; without rows with gaps if the fit left them out."""
    from sklearn.base import clone

    from survtree._model.prepare import cohort_of

    rows = cohort_of(clone(model), study.covariates, study.y, study.weight)
    return rows.X, rows.events


@command
def verify(model: Model, data: Data, reading: Reading, as_json: AsJson = False) -> None:
    """Recheck the certificate of a model.

    It takes the rows of the fit. The exit code is 1 if a claim does not hold.
    """
    from survtree import load

    fitted = load(model)
    study = study_to_check(data, reading, fitted, model)
    found = fitted.certificate_.verify(study.covariates, study.y, study.weight)
    if as_json:
        print_json({"is_valid": found.is_valid, "checks": found.checks, "details": found.details})
    else:
        typer.echo(str(found))
    if not found.is_valid:
        raise typer.Exit(FAILED)


@command
def check_proof(
    proof: Annotated[str, typer.Argument(metavar="PROOF", help="What survtree fit --proof wrote.")],
    as_json: AsJson = False,
) -> None:
    """Replay a proof, claim by claim, without any code of the search.

    The exit code is 1 if something does not follow.
    """
    from survtree import check_proof as check

    verdict = check(proof)
    if as_json:
        print_json(asdict(verdict))
    else:
        typer.echo(str(verdict))
        if verdict:
            typer.echo(f"fingerprint of the data: {verdict.fingerprint}")
    if not verdict:
        raise typer.Exit(FAILED)


@command
def show(
    model: Model,
    style: Annotated[
        str, typer.Option(metavar="tree|rules|leaves", help="How the tree is written.")
    ] = "tree",
    times: Times = None,
    as_json: AsJson = False,
) -> None:
    """Print a model: tree, proof and leaves."""
    from survtree import load

    fitted = load(model)
    if as_json:
        print_json({**summary_of(fitted), "leaves": leaves_of(fitted, times_of(times))})
        return
    print_model(fitted, style)
    typer.echo()
    print_leaves(fitted, times_of(times))


@command
def export(
    model: Model,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Its ending tells the form."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORM", help="text, rules, leaves, dot, latex, sql, python, json, csv (leaves)."
        ),
    ] = None,
) -> None:
    """Write a model in another form.

    Text, rules, DOT, LaTeX, SQL, Python, JSON, a table, or a picture. Endings: .txt .dot .tex .sql
    .py .json; .csv .tsv .parquet .arrow are the table of leaves; .png .svg .pdf are pictures.
    """
    from survtree import load

    check_outputs(output)
    write_form(load(model), to, output)
    if output is not None:
        say(f"written: {output}")


@command
def report(
    model: Model,
    data: Annotated[
        str | None, typer.Argument(metavar="[DATA]", help="The rows of the fit, for more facts.")
    ] = None,
    *,
    reading: Reading,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="HTML file.")],
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    times: Times = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation; 0 leaves it out.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
) -> None:
    """Write a page for readers, one HTML file.

    It has the tree, its curves, scores and the proof; most of it needs the rows of the fit.
    """
    from survtree import load

    check_outputs(output)
    fitted: Any = load(model)
    options = {"title": title, "times": times_of(times), "command": typed()}
    if data is None:
        fitted.report(output, **options)
    else:
        study = study_to_check(data, reading, fitted, model)
        fitted.report(
            output,
            study.covariates,
            study.y,
            sample_weight=study.weight,
            cv=folds or None,
            random_state=seed,
            **options,
        )
    say(f"report: {output}")
