"""Commands that start from a model or a proof.

survtree predict, evaluate, show, export, report, verify and check-proof.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from survtree._base.numbers import format_count, format_decimals, format_exact
from survtree._cli.inputs import (
    AsJson,
    Data,
    Format,
    Model,
    Reading,
    Stream,
    Times,
    TimeUnit,
    flags_of,
    model_of,
    numbers_of,
    to_file,
)
from survtree._cli.printing import (
    FAILED,
    check_outputs,
    model_facts,
    note,
    print_json,
    print_model,
    print_table,
    write_table,
)
from survtree._cli.studies import Study, rows_left, rows_to_check, source_for, study_to_check
from survtree._cli.views import with_times
from survtree._data.read_files import (
    FORMATS,
    ZIPPED,
    check_columns,
    check_has_columns,
    check_has_names,
)

if TYPE_CHECKING:
    from survtree._model.streamed_scores import ScoredRows

# What 'survtree export' writes: texts, tables, pictures; and by the ending of the file.
TEXTS = ("text", "rules", "leaves", "dot", "latex", "sql", "python", "json")
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
    *,
    form: Format,
    output: str = to_file("CSV, TSV, Parquet or Arrow file.", "-"),
    times: Times = None,
    keep: list[str] | None = typer.Option(
        None, metavar="COLUMN", help="Copy this column, such as a key; repeatable."
    ),
) -> None:
    """Write group, risk and survival of new rows.

    The columns are group (1 has the lowest risk), leaf, risk, median (empty if it is not reached)
    and survival at --times. Rows are read and written a part at a time, so that tables may be
    larger than memory.
    """
    from survtree import load
    from survtree._data.files import write_parts
    from survtree._model.row_predictor import RowPredictor

    if output != "-":
        check_outputs(output)
    fitted = load(model)
    source = source_for(data, form, fitted)
    schema = source.schema()
    names = check_has_columns(fitted, check_has_names(fitted, model), schema, source.name)
    check_columns("--keep", keep or [], schema.names(), source.name)
    predictor = RowPredictor(fitted, names, keep or [], numbers_of(times))
    write_parts(
        output,
        None,
        predictor.schema(schema),
        lambda: map(predictor.of, source.parts(predictor.columns)),
    )
    predictor.warn()


def evaluate(
    model: Model, data: Data, reading: Reading, stream: Stream = None, as_json: AsJson = False
) -> None:
    """Score a model on rows whose outcome is known.

    A table that is larger than memory is read in passes.
    """
    from survtree import load
    from survtree._scoring.scores import SCORES

    fitted = load(model)
    lazy = rows_to_check(data, reading, fitted, model, stream)
    if lazy is None:
        found = _scored_in_memory(fitted, study_to_check(data, reading, fitted, model))
    else:
        from survtree._model.streamed_scores import streamed_scores

        found = streamed_scores(fitted, lazy)
    n_left_out = found.n_all - found.n_rows
    if as_json:
        counts = {"rows": found.n_rows, "rows_left_out": n_left_out, "events": found.n_events}
        counts |= {"are_rows_of_the_fit": found.are_of_the_fit}
        print_json({**counts, "horizon": fitted.horizon_, **found.scores})
        return
    typer.echo(f"{format_count(found.n_rows, 'row')}, {format_count(found.n_events, 'event')}")
    if n_left_out:
        typer.echo(f"scored {rows_left(found.n_rows, found.n_all)}")
    if found.are_of_the_fit:
        typer.echo("these are the rows of the fit: expect lower scores on new rows")
    if fitted.horizon_ is not None:
        typer.echo(
            "IBS ratio, Brier score and AUC are integrated to "
            f"{format_exact(fitted.horizon_)}, the horizon of the fit"
        )
    typer.echo()
    values = {
        name: "unknown" if score is None else format_decimals(score, 4)
        for name, score in found.scores.items()
    }
    lines = [[score.title, values[score.name], score.meaning] for score in SCORES]
    print_table(["score", "", ""], lines, left=(0, 2))


def _scored_in_memory(fitted: Any, study: Study) -> "ScoredRows":
    from survtree._model.fitted import functions_of
    from survtree._model.prepare import cohort_of, reader_for
    from survtree._model.streamed_scores import ScoredRows
    from survtree._scoring.curves import outcome_of
    from survtree._scoring.scores import scores_of

    # Without rows with missing values if the fit dropped such rows.
    reader = reader_for(fitted, study.covariates)
    rows = cohort_of(reader, study.covariates, study.y, study.weight)
    training = outcome_of(list(fitted.leaf_curves_.values()))
    scores = scores_of(functions_of(fitted, rows.X), rows.events, training, fitted.horizon_)
    are_seen, n_events = _are_of_the_fit(fitted, study), int(rows.events.event.sum())
    return ScoredRows(len(rows.events), len(study.frame), n_events, are_seen, scores)


def _are_of_the_fit(fitted: Any, study: Study) -> bool:
    """Whether the model was fitted to these very rows, as far as its file says."""
    from survtree._data.fingerprint import data_fingerprint
    from survtree._model.streamed_scores import has_leaf_curves

    rows = fitted.binarizer_.read_with_outcome(study.covariates, study.y, study.weight, fitted)
    found: bool = data_fingerprint(rows.table, rows.events) == fitted.recipe_.data
    questions, tree = fitted.questions_, fitted.tree_
    leaves = tree.apply(rows.table.n_rows, lambda j: questions.answer(j, rows.table))
    return found or has_leaf_curves(fitted, tree.leaf_numbers()[leaves], rows.events)


def show(
    model: Model,
    style: str = typer.Option("tree", metavar="tree|rules|leaves", help="How the tree is written."),
    times: Times = None,
    time_unit: TimeUnit = None,
    as_json: AsJson = False,
) -> None:
    """Print a model: tree, proof and groups."""
    fitted = model_of(model, time_unit)
    if as_json:
        print_json(model_facts(fitted, numbers_of(times)))
    else:
        print_model(fitted, style, numbers_of(times))


def export(
    model: Model,
    output: str | None = to_file("Its ending decides the form."),
    to: str | None = typer.Option(
        None,
        metavar="FORM",
        help="text, rules, leaves, dot, latex, sql, python, json; csv, tsv, parquet or arrow: "
        "the table of leaves.",
    ),
    times: Times = None,
    time_unit: TimeUnit = None,
) -> None:
    """Write a model in another form.

    Text, rules, DOT, LaTeX, SQL, Python, JSON, a table, or a picture. Endings: .txt .dot .tex .sql
    .py .json; .csv .tsv .parquet .arrow are the table of leaves; .png .svg .pdf are pictures.
    Without a file it goes to standard output. Forms that show numbers of the leaves have survival
    at --times.
    """
    check_outputs(output)
    _write_form(model_of(model, time_unit), to or _form_of(output), output, numbers_of(times))
    if output is not None:
        note(f"written: {output}")


def _form_of(output: str | None) -> str:
    """The form that the ending of a file names; text without an ending."""
    ending = "" if output is None else Path(output).suffix.lower()
    return FORMS.get(ending, ending) if ending else "text"


def _write_form(model: Any, form: str, output: str | None, times: Any) -> None:
    """Write a model to a file or to standard output."""
    import survtree
    from survtree._base.files import whole_file

    if form == PICTURE and output is not None:
        with_times(survtree.plot_tree, model, times, "the picture").save(output)
    elif form in FORMATS:
        write_table(output or "-", survtree.leaf_table(model, times), form)
    else:
        text = _text_of(model, form, times)
        if output is None:
            typer.echo(text)
            return
        with whole_file(output) as stream:
            stream.write(f"{text}\n".encode())


def _text_of(model: Any, form: str, times: Any) -> str:
    import survtree

    if form not in TEXTS:
        raise typer.BadParameter(
            f"it must be one of {', '.join([*TEXTS, *FORMATS])}; or the file must end in "
            f"{', '.join(FORMS)}",
            param_hint="--to",
        )
    if form in ("rules", "leaves"):
        return str(with_times(survtree.export_text, model, times, form, style=form))
    return str(with_times(getattr(survtree, f"export_{form}"), model, times, form))


def report(
    model: Model,
    data: str | None = typer.Argument(
        None, metavar="DATA", help="The rows of the fit, for more facts."
    ),
    *,
    reading: Reading,
    output: str = to_file("HTML file.", ...),
    title: str | None = typer.Option(None, help="Heading of the page."),
    times: Times = None,
    time_unit: TimeUnit = None,
    folds: int | None = typer.Option(
        None,
        *flags_of("cv"),
        help="Folds of the cross-validation; by default 5 unless that takes long; 0 leaves it out.",
    ),
    compare: bool = typer.Option(
        False, "--compare", help="Score a Cox model and a greedy tree on the same held-out rows."
    ),
    seed: int = typer.Option(0, *flags_of("random_state"), help="Seed of the folds."),
    groups: str | None = typer.Option(
        None, metavar="COLUMN", help="Column of groups, whose rows stay in the same fold."
    ),
) -> None:
    """Write a report as one HTML page.

    It has the tree, its curves, scores and the proof; most of it needs the rows of the fit.
    """
    check_outputs(output)
    fitted = model_of(model, time_unit)
    options = {"title": title, "times": numbers_of(times)}
    if data is None:
        fitted.report(output, **options)
    else:
        study = study_to_check(data, reading, fitted, model, groups)
        fitted.report(
            output,
            study.covariates,
            study.y,
            sample_weight=study.weight,
            cv="auto" if folds is None else folds or None,
            compare=compare,
            random_state=seed,
            groups=study.groups,
            **options,
        )
    note(f"report: {output}")


def verify(
    model: Model, data: Data, reading: Reading, stream: Stream = None, as_json: AsJson = False
) -> None:
    """Recheck the certificate of a model.

    DATA are the rows of the fit; a table that is larger than memory is read in passes. The exit
    code is 1 if a claim does not hold.
    """
    from survtree import load

    fitted = load(model)
    if fitted.roles_ is not None:  # the rows of the fit have its weights
        reading.weights = reading.weights or fitted.roles_.weight
    lazy = rows_to_check(data, reading, fitted, model, stream)
    if lazy is not None:
        found = fitted.certificate_.verify(lazy)
    else:
        study = study_to_check(data, reading, fitted, model)
        found = fitted.certificate_.verify(study.covariates, study.y, study.weight)
    if as_json:
        print_json({"is_valid": found.is_valid, "checks": found.checks, "details": found.details})
    else:
        typer.echo(str(found))
    if not found.is_valid:
        raise typer.Exit(FAILED)


def check_proof(
    proof: str = typer.Argument(metavar="PROOF", help="A file that 'survtree fit --proof' wrote."),
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
            typer.echo(f"with penalty and rules: {verdict.problem_fingerprint}")
    if not verdict:
        raise typer.Exit(FAILED)
