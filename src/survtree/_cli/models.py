"""Commands that start from a model or a proof.

survtree predict, evaluate, show, export, report, verify and check-proof.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from survtree._base.numbers import format_count, format_decimals
from survtree._cli.app import FAILED, note
from survtree._cli.options import AsJson, Data, Model, Reading, Times, numbers_of
from survtree._cli.printing import (
    check_outputs,
    model_facts,
    print_json,
    print_model,
    print_table,
    typed_command,
    write_table,
)
from survtree._cli.study import Study, source_of, study_to_check
from survtree._data.read_files import (
    FORMATS,
    ZIPPED,
    check_columns,
    check_has_columns,
    check_has_names,
)

if TYPE_CHECKING:
    import polars as pl

# What 'survtree export' writes, by the ending of the file.
PICTURE = "picture"
FORMS = {
    ".txt": "text",
    ".dot": "dot",
    ".gv": "dot",
    ".tex": "latex",
    ".sql": "sql",
    ".py": "python",
    ".json": "json",
    **{end: form for form, ends in FORMATS.items() for end in ends if not end.endswith(ZIPPED)},
    **dict.fromkeys((".png", ".svg", ".pdf"), PICTURE),
}


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
    predictor = RowPredictor(fitted, names, keep or [], numbers_of(times))

    def parts() -> Iterator["pl.DataFrame"]:
        return map(predictor.of, source.parts(predictor.columns))

    write_parts(output, None, predictor.schema(schema), parts)
    predictor.warn()


def evaluate(model: Model, data: Data, reading: Reading, as_json: AsJson = False) -> None:
    """Score a model on rows whose outcome is known."""
    from survtree import load
    from survtree._model.fitted import functions_of
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
    typer.echo(f"{format_count(len(events), 'row')}, {format_count(n_events, 'event')}\n")
    values = {
        name: "unknown" if score is None else format_decimals(score, 4)
        for name, score in scores.items()
    }
    lines = [[score.title, values[score.name], score.meaning] for score in SCORES]
    print_table(["score", "", ""], lines, left=(0, 2))


def _rows(model: Any, study: Study) -> Any:
    """Covariates and outcome; without rows with missing values if the fit dropped such rows."""
    from sklearn.base import clone

    from survtree._model.prepare import cohort_of

    rows = cohort_of(clone(model), study.covariates, study.y, study.weight)
    return rows.X, rows.events


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
        print_json(model_facts(fitted, numbers_of(times)))
    else:
        print_model(fitted, style, numbers_of(times))


def export(
    model: Model,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Its ending decides the form."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="text, rules, leaves, dot, latex, sql, python, json; csv, tsv, parquet or arrow: "
            "the table of leaves.",
        ),
    ] = None,
) -> None:
    """Write a model in another form.

    Text, rules, DOT, LaTeX, SQL, Python, JSON, a table, or a picture. Endings: .txt .dot .tex .sql
    .py .json; .csv .tsv .parquet .arrow are the table of leaves; .png .svg .pdf are pictures.
    Without a file it goes to standard output.
    """
    from survtree import load

    check_outputs(output)
    _write_form(load(model), to or _form_of(output), output)
    if output is not None:
        note(f"written: {output}")


def _form_of(output: str | None) -> str:
    """The form that the ending of a file names; text without an ending."""
    ending = "" if output is None else Path(output).suffix.lower()
    return FORMS.get(ending, ending) if ending else "text"


def _write_form(model: Any, form: str, output: str | None) -> None:
    """Write a model to a file or to standard output."""
    import survtree
    from survtree._base.files import whole_file

    if form == PICTURE and output is not None:
        survtree.plot_tree(model).save(output)
    elif form in FORMATS:
        write_table(output or "-", survtree.leaf_table(model), form)
    else:
        text = _writer_of(form)(model)
        if output is None:
            typer.echo(text)
            return
        with whole_file(output) as stream:
            stream.write(f"{text}\n".encode())


def _writer_of(form: str) -> Callable[[Any], str]:
    import survtree

    writers: dict[str, Callable[[Any], str]] = {
        "text": survtree.export_text,
        "rules": lambda model: survtree.export_text(model, style="rules"),
        "leaves": lambda model: survtree.export_text(model, style="leaves"),
        "dot": survtree.export_dot,
        "latex": survtree.export_latex,
        "sql": survtree.export_sql,
        "python": survtree.export_python,
        "json": survtree.export_json,
    }
    if form not in writers:
        raise typer.BadParameter(
            f"it must be one of {', '.join([*writers, *FORMATS])}; or the file must end in "
            f"{', '.join(FORMS)}",
            param_hint="--to",
        )
    return writers[form]


def report(
    model: Model,
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="The rows of the fit, for more facts.")
    ] = None,
    *,
    reading: Reading,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="HTML file.")],
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    times: Times = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation; 0 leaves it out.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
) -> None:
    """Write a report as one HTML page.

    It has the tree, its curves, scores and the proof; most of it needs the rows of the fit.
    """
    from survtree import load

    check_outputs(output)
    fitted: Any = load(model)
    options = {"title": title, "times": numbers_of(times), "command": typed_command()}
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
    note(f"report: {output}")


def verify(model: Model, data: Data, reading: Reading, as_json: AsJson = False) -> None:
    """Recheck the certificate of a model.

    DATA are the rows of the fit. The exit code is 1 if a claim does not hold.
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


def check_proof(
    proof: Annotated[
        str, typer.Argument(metavar="PROOF", help="A file that 'survtree fit --proof' wrote.")
    ],
    as_json: AsJson = False,
) -> None:
    """Check a full proof, claim by claim.

    No code of the search is used. The exit code is 1 if a claim does not follow.
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
