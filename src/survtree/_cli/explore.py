"""survtree explore: the near-optimal trees of a table as a page to choose in."""

from typing import Any

import typer

from survtree._base.numbers import format_count, format_percent
from survtree._base.options import DEFAULTS
from survtree._cli.fit import QUIET
from survtree._cli.inputs import (
    AsJson,
    Data,
    Depth,
    Device,
    Jobs,
    Limiting,
    Reading,
    Regularization,
    Seed,
    Splitting,
    Teaching,
    Times,
    flags_of,
    numbers_of,
    to_file,
)
from survtree._cli.printing import (
    INTERRUPTED,
    check_outputs,
    note,
    note_files,
    print_json,
    typed_arguments,
)
from survtree._cli.studies import fitted_tree, note_rows, study_to_fit


def explore(
    data: Data,
    *,
    output: str = to_file("HTML file.", ...),
    within: float = typer.Option(
        0.01, metavar="SHARE", help="Largest excess over the optimum, as a share of it."
    ),
    slack: float | None = typer.Option(
        None, metavar="NUMBER", help="Largest excess, in place of --within."
    ),
    limit: int = typer.Option(2_000, metavar="N", help="Largest number of trees on the page."),
    title: str | None = typer.Option(None, help="Heading of the page."),
    times: Times = None,
    sizes: bool = typer.Option(True, help="Search for the best trees of all smaller sizes too."),
    folds: int | None = typer.Option(
        None,
        *flags_of("cv"),
        help="Folds of the cross-validation of sizes; by default 5; 0 leaves it out.",
    ),
    depth: Depth = str(DEFAULTS["max_depth"]),
    regularization: Regularization = DEFAULTS["regularization"],
    teaching: Teaching,
    reading: Reading,
    splitting: Splitting,
    limiting: Limiting,
    jobs: Jobs = None,
    device: Device = DEFAULTS["device"],
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: bool = typer.Option(False, "--quiet", help=QUIET),
) -> None:
    """Write all nearly optimal trees as one HTML page to choose in.

    At each split it shows the alternatives and what they cost; trees that are chosen on it can be
    saved as models.
    """
    from survtree._model.recipe import keep_command

    check_outputs(output)
    study = study_to_fit(data, reading, splitting)
    model = fitted_tree(
        study,
        depth,
        regularization,
        *(limiting, splitting, teaching),
        is_quiet=as_json or quiet,
        n_jobs=jobs,
        device=device,
        random_state=seed,
    )
    keep_command(model, study.roles, typed_arguments(model.seed_), study.cautions)
    note_rows(model, study)
    found = model.near_optimal(within, limit, slack=slack, time_limit=limiting.time_limit)
    is_stopped = found.status == "interrupted"
    if is_stopped and len(found) == 0:
        raise KeyboardInterrupt
    cv = "auto" if folds is None else folds or None
    found.report(
        output,
        title=title,
        times=numbers_of(times),
        sizes=sizes and not is_stopped,
        cv=None if is_stopped else cv,
        command=model.recipe_.command,
        random_state=seed,
    )
    _say(found, output, as_json=as_json)
    if is_stopped:
        raise typer.Exit(INTERRUPTED)


def _say(found: Any, output: str, *, as_json: bool) -> None:
    if as_json:
        names = ("status", "is_complete", "optimum", "within", "slack")
        facts = {name: getattr(found, name) for name in names}
        print_json({**facts, "n_trees": len(found), "files": {"page": output}})
        return
    trees = f"{format_count(len(found), 'tree')} within {format_percent(found.within, 2)}"
    all_or_best = "all there are within the limits" if found.is_complete else "the best ones"
    note(f"{trees} of the optimum: {all_or_best}")
    note_files({"page": output})
