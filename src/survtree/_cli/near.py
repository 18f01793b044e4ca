"""survtree near: the trees of a table that are nearly optimal, and the best under a condition."""

from dataclasses import dataclass
from typing import Any

import typer

from survtree._base.numbers import format_count, format_decimals, format_percent
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
    flags_of,
    option,
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
from survtree._cli.studies import Study, fitted_tree, note_rows, study_to_fit

MOST_ROWS = 20  # of a table that is printed


@dataclass
class Listing:
    """Which trees are near-optimal."""

    within: float = option(0.01, "SHARE", "Largest excess over the optimum, as a share of it.")
    slack: float | None = option(None, "NUMBER", "Largest excess, in place of --within.")
    limit: int = option(10_000, "N", "Largest number of trees in the list.")


@dataclass
class Asking:
    """What is wanted of the near-optimal trees, if not their list."""

    uses: list[str] | None = option(
        None, "COLUMN", "The best tree that splits on this column; repeatable."
    )
    avoids: list[str] | None = option(
        None, "COLUMN", "The best tree that does not split on this column; repeatable."
    )
    first: list[str] | None = option(
        None, "COLUMN", "The best tree that splits on this column first; repeat for one of several."
    )
    tree: int | None = option(None, "N", "The tree of this number in the list; 0 is the optimum.")
    importance: bool = option(
        False, None, "What the best trees without and with each column lose.", "--importance"
    )
    folds: int | None = option(
        None, "N", "Add held-out scores of the trees to the list.", *flags_of("cv")
    )

    @property
    def conditions(self) -> dict[str, Any]:
        """Those that are set."""
        asked = {"uses": self.uses, "avoids": self.avoids, "first": self.first}
        return {name: columns for name, columns in asked.items() if columns}

    def check(self, plot: str | None) -> None:
        """Refuse to answer two questions at once, or one about a tree that there cannot be."""
        flags = [f"--{name}" for name in self.conditions]
        flags = ["--uses, --avoids or --first"] * bool(flags)
        flags += ["--tree"] * (self.tree is not None) + ["--importance"] * self.importance
        if len(flags) > 1:
            raise typer.BadParameter(f"pass only one of {' and '.join(flags)}")
        if self.tree is not None and self.tree < 0:
            raise typer.BadParameter(f"it must be 0 or more; got {self.tree}", param_hint="--tree")
        if self.folds is not None and flags:
            raise typer.BadParameter(f"the list is not shown with {flags[0]}", param_hint="--folds")
        if plot is not None and not self.importance:
            raise typer.BadParameter("it draws what --importance shows", param_hint="--plot")


def near(
    data: Data,
    *,
    listing: Listing,
    asking: Asking,
    depth: Depth = str(DEFAULTS["max_depth"]),
    regularization: Regularization = DEFAULTS["regularization"],
    teaching: Teaching,
    reading: Reading,
    splitting: Splitting,
    limiting: Limiting,
    jobs: Jobs = None,
    device: Device = DEFAULTS["device"],
    seed: Seed = 0,
    output: str | None = typer.Option(
        None,
        "-o",
        "--output",
        "--out",
        metavar="FILE",
        help="Write the table, or the model as JSON.",
    ),
    plot: str | None = typer.Option(
        None, metavar="FILE", help="Draw the importance: .png, .svg or .pdf."
    ),
    as_json: AsJson = False,
    quiet: bool = typer.Option(False, "--quiet", help=QUIET),
) -> None:
    """List all trees that are nearly as good as the optimal one.

    Or find the best tree with or without a column, or show how much each column matters.
    """
    asking.check(plot)
    check_outputs(output, plot)
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
    note_rows(model, study)
    needs_list = not asking.conditions
    most = listing.limit if asking.tree is None else asking.tree + 1
    found = model.near_optimal(
        listing.within if needs_list else 0.0,
        most if needs_list else 1,
        slack=listing.slack if needs_list else None,
        time_limit=limiting.time_limit,
    )
    if asking.conditions:
        _show_model(found.best(**asking.conditions), study, output, as_json=as_json)
    elif asking.tree is not None:
        _show_model(_tree_at(found, asking.tree), study, output, as_json=as_json)
    elif asking.importance:
        _show_importance(found, output, plot, as_json=as_json)
    else:
        _show_list(found, asking.folds, output, as_json=as_json)
    if found.status == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _tree_at(found: Any, place: int) -> Any:
    if place >= len(found):
        raise typer.BadParameter(
            f"it must be below {len(found)}, the number of trees that were found; got {place}",
            param_hint="--tree",
        )
    return found[place]


def _show_model(model: Any, study: Study, output: str | None, *, as_json: bool) -> None:
    from survtree import export_json
    from survtree._model.recipe import keep_command

    keep_command(model, study.roles, typed_arguments(model.seed_), study.cautions)
    if output is not None:
        export_json(model, output)
    if as_json:
        print_json({**model_facts(model), "files": {"model": output}})
    else:
        print_model(model)
        note_files({"model": output})


def _show_list(found: Any, folds: int | None, output: str | None, *, as_json: bool) -> None:
    table = found.table(folds, random_state=found.model.random_state)
    _write(found, table, {"table": output})
    if as_json:
        print_json({**_facts(found), "trees": table.to_dicts()})
        return
    header = ["tree", "objective", "excess", "leaves", "depth", "first split", "columns"]
    header += ["held-out\nIBS ratio"] * (folds is not None)
    rows = [
        [
            str(row["tree"]),
            format_decimals(row["objective"], 6),
            _percent(row["excess_percent"]),
            str(row["leaves"]),
            str(row["depth"]),
            row["first_split"],
            row["columns"],
            *([] if folds is None else [format_percent(row["held_out_ibs_ratio"], 1)]),
        ]
        for row in table.head(MOST_ROWS).to_dicts()
    ]
    print_table(header, rows, left=(5, 6))
    if len(found) > MOST_ROWS:
        note(f"and {len(found) - MOST_ROWS:,} more; -o FILE writes all")
    typer.echo(_meaning(found))
    if folds is not None:
        typer.echo(
            "Held-out scores are too good: the splits have seen all rows. They compare trees"
        )
        typer.echo("of this list with each other.")


def _show_importance(found: Any, output: str | None, plot: str | None, *, as_json: bool) -> None:
    table = found.importance()
    if plot is not None:
        found.plot_importance().save(plot)
    _write(found, table, {"table": output, "plot": plot})
    if as_json:
        print_json({**_facts(found), "columns": table.to_dicts()})
        return
    header = ["column", "best without", "best with", "in the list", "first"]
    rows = [
        [
            row["column"],
            _percent(row["excess_without_percent"]),
            _percent(row["excess_with_percent"]),
            format_percent(row["used"]),
            format_percent(row["first"]),
        ]
        for row in table.to_dicts()
    ]
    print_table(header, rows)
    typer.echo(
        "Best without, best with: excess of the best tree that does not split on the column,"
    )
    typer.echo("and of the best that does, over the optimum; 0 is that of the optimal tree.")
    typer.echo(_meaning(found))


def _percent(value: float | None) -> str:
    is_known = value is not None and value == value
    return format_percent(value / 100, 2) if is_known and value is not None else "-"


def _write(found: Any, table: Any, files: dict[str, str | None]) -> None:
    if files["table"] is not None:
        write_table(files["table"], table)
    note_command(found.model.recipe_)
    note_files(files)


def _facts(found: Any) -> dict[str, Any]:
    names = ("status", "is_complete", "optimum", "within", "slack")
    return {**{name: getattr(found, name) for name in names}, "n_trees": len(found)}


def _meaning(found: Any) -> str:
    """How many trees there are, and whether these are all."""
    from survtree._search.near_trees import ended_by  # slow to import

    share = format_percent(found.within, 2)
    trees = f"{format_count(len(found), 'tree')} within {share} of the optimum"
    if found.is_complete:
        return f"{trees}: all there are within the limits."
    which = ", the best ones" if len(found) > 0 else " were found"
    return f"{trees}{which}: the list was ended by {ended_by(found.status)}."
