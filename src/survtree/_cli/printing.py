"""What commands print and write: models, tables, JSON, notes; and their exit codes."""

import json
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from survtree._base.numbers import (
    Interval,
    format_count,
    format_limits,
    format_number,
    format_percent,
    format_ratio,
    json_number,
)
from survtree._data.read_files import check_can_write

if TYPE_CHECKING:
    import polars as pl

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
RUNNING: ContextVar[typer.Context] = ContextVar("RUNNING")  # the command and what was typed
TABLE = "survtree.table"  # in its meta: the table that it reads
WIDTH_OF_PIPES = 200  # tables that are not printed on a terminal are not folded


def note(text: str) -> None:
    """Something a person should know, apart from the result."""
    sys.stdout.flush()
    typer.echo(text, err=True)


def print_json(facts: Mapping[str, Any]) -> None:
    """One object; what is not finite, such as a median that is not reached, is null."""
    typer.echo(json.dumps(_json_value(facts), ensure_ascii=False, allow_nan=False))


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _json_value(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(each) for each in value]
    return json_number(value)


def model_facts(model: Any, times: Any = None) -> dict[str, Any]:
    """What --json prints of a model; its leaves are dictionaries, as in the table of leaves."""
    from survtree import leaf_table

    names = ("status", "objective", "loss", "lower_bound", "gap", "n_leaves", "depth", "ibs_ratio")
    proof = model.certificate_
    return {
        **{name: getattr(model, f"{name}_") for name in names},
        "regularization": proof.regularization,
        "loss_kind": model.certificate_.loss_kind,
        "teacher": model.teacher_,
        "shrinkage": model.shrinkage_,
        "max_depth": proof.max_depth,
        "column_penalties": proof.column_penalties,
        "first_split": proof.first_split,
        "horizon": proof.horizon,
        "seconds": proof.seconds,
        "fingerprint": proof.fingerprint,
        "screening": model.screening_,
        "n_tried": proof.n_tried,
        "every_cut_bound": proof.every_cut_bound,
        "warnings": list(model.warnings_),
        "seed": model.seed_,
        "recipe": asdict(model.recipe_),
        "leaves": leaf_table(model, times).to_dicts(),
    }


def print_model(model: Any, style: str = "tree", times: Any = None) -> None:
    """Tree, how good it is, the proof, and the table of leaves."""
    from survtree import export_text
    from survtree._model.lone_leaf import IS_PENALTY_TOO_LARGE
    from survtree._show.leaf_facts import shrinkage_of
    from survtree._show.shown_curves import words_of

    typer.echo(export_text(model, style=style, times=times))
    estimator = words_of(model.causes_).estimator
    by = f", with the {estimator} curves of the leaves" if shrinkage_of(model) > 0 else ""
    typer.echo(f"\nIBS ratio on the training rows{by}: {format_percent(model.ibs_ratio_, 1)}")
    typer.echo(model.certificate_.summary())
    if model.n_leaves_ == 1:
        typer.echo(model.one_leaf_reason_ or "No split reduces the loss by the penalty per leaf.")
        if IS_PENALTY_TOO_LARGE in model.one_leaf_reason_:
            typer.echo("'survtree path' lists smaller penalties at which some do.")
    typer.echo()
    _print_leaves(model, times)
    note_recipe(model.recipe_)


def note_command(recipe: Any) -> None:
    """The command that is running, and what its result depends on besides."""
    note(f"run again: {shlex.join(['survtree', *typed_arguments()])}")
    _note_origin(recipe)


def note_recipe(recipe: Any) -> None:
    """How to make the model again, apart from the result: by its command, or else in Python."""
    if recipe.command:
        note(f"run again: {recipe.command}")
    else:
        options = [f"{name}={text or '...'}," for name, text in recipe.options.items()]
        lines = "\n    ".join(_folded(options))
        note(f"run again, in Python: OptimalSurvivalTree(\n    {lines}\n)")
    _note_origin(recipe)


def _note_origin(recipe: Any) -> None:
    versions = ", ".join(f"{name} {number}" for name, number in recipe.versions.items())
    seed = "none" if recipe.seed is None else recipe.seed
    note(f"seed {seed}; rows {recipe.data[:16] or 'unknown'}; {versions or 'versions unknown'}")


def _folded(words: list[str], width: int = 75) -> list[str]:
    """The words in lines that are not longer, unless a word is."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _print_leaves(model: Any, times: Any) -> None:
    """Limits are below the values, so that the table fits a narrow terminal."""
    from survtree._show.leaf_facts import leaf_facts
    from survtree._show.leaf_texts import survival_name

    facts = leaf_facts(model, times)
    mark = "predicted\n" if facts.shrinkage > 0 else ""
    letter = facts.words.letter
    survival = [f"{mark}{survival_name(time, letter=letter)}" for time in facts.times]
    median = [f"{mark}median"] if facts.has_medians else []
    mean = f"mean to\n{format_number(facts.until)}"
    header = ["group", "rows", "events", *median, *survival, mean, "hazard\nratio"]
    rows = [
        [
            f"{leaf.group} {leaf.name}".rstrip(),
            format_count(leaf.n_rows),
            format_count(leaf.n_events),
            *_predicted_and_own(leaf, facts.words.short, has_median=facts.has_medians),
            _value_and_limits(leaf.restricted_mean, format_number),
            "1"
            if leaf.node == facts.reference
            else _value_and_limits(leaf.hazard_ratio, format_ratio),
        ]
        for leaf in facts.leaves
    ]
    print_table(header, rows)
    for line in _notes(facts):
        typer.echo(line)


def _notes(facts: Any) -> Iterator[str]:
    """What the numbers of the table are."""
    if facts.unit:
        yield f"Times are in {facts.unit}."
    if facts.causes is not None:
        yield facts.words.stated
        yield f"events, mean and hazard ratio: of {facts.causes.target_words}, cause-specific."
    elif not facts.has_medians:
        yield "Most medians are not reached, and left out."
    if facts.shrinkage > 0:
        yield f"{facts.words.short}: the {facts.words.estimator} curve of the group's own rows."
    level = format_percent(facts.confidence, None)
    yield f"Below each value: {level} confidence limits, which do not account for the choice"
    yield "of the splits: hazard ratios and limits are optimistic."


def _predicted_and_own(leaf: Any, short: str, *, has_median: bool) -> list[str]:
    """Median and survival; below what is predicted, if that differs, those of the leaf's rows."""
    formats = [*[format_number] * has_median, *["{:.2f}".format] * len(leaf.survival)]
    found = [*[leaf.median] * has_median, *leaf.survival]
    own = [_value_and_limits(each, how) for each, how in zip(found, formats, strict=True)]
    if leaf.predicted is None:
        return own
    values = [*[leaf.predicted.median] * has_median, *leaf.predicted.survival]
    predicted = [_value(value, how) for value, how in zip(values, formats, strict=True)]
    return [f"{mine}\n{short} {text}" for mine, text in zip(predicted, own, strict=True)]


def _value(value: float, how: Callable[[float], str]) -> str:
    return "not\nreached" if math.isinf(value) else how(value)


def _value_and_limits(interval: Interval, how: Callable[[float], str]) -> str:
    if math.isnan(interval.value):
        return "unknown"
    limits = format_limits(interval.low, interval.high, how)
    limits = re.sub("(.+) or more", r">= \1", limits).replace(" to ", "-")
    return f"{_value(interval.value, how)}\n{limits}".strip()


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> None:
    """Columns side by side, those at the places ``left`` flush left.

    What does not fit beside each other stands below, behind the first column again: a number that
    is broken in two is read wrongly.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    is_width_known = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(highlight=False, width=None if is_width_known else WIDTH_OF_PIPES)
    for k, places in enumerate(blocks_of(header, rows, console.width)):
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        for place in places:
            justify: Any = "left" if place in left else "right"
            table.add_column(Text(header[place]), justify=justify, overflow="fold")
        for row in rows:
            table.add_row(*(Text(row[place]) for place in places))
        if k > 0:
            typer.echo()
        console.print(table)


def blocks_of(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Places of columns that fit beside each other; the first column is part of all blocks."""
    from rich.cells import cell_len

    widths = [
        max(cell_len(line) for row in (header, *rows) for line in row[place].split("\n"))
        for place in range(len(header))
    ]
    blocks, filled = [[0]], widths[0]
    for place in range(1, len(header)):
        if filled + 1 + widths[place] > width and len(blocks[-1]) > 1:
            blocks.append([0])
            filled = widths[0]
        blocks[-1].append(place)
        filled += 1 + widths[place]
    return blocks


def check_outputs(*paths: str | None) -> None:
    """Refuse files that cannot be written before the work, not after it."""
    for path in paths:
        if path is not None:
            check_can_write(path)


def write_table(path: str, table: "pl.DataFrame", form: str | None = None) -> None:
    """Write a table in the format of its ending, or in the one that is named."""
    from survtree._data.files import write_parts

    write_parts(path, form, table.schema, lambda: iter([table]))


def note_files(files: Mapping[str, str | None]) -> None:
    """Say what was written where."""
    for what, path in files.items():
        if path is not None:
            note(f"{what}: {path}")


def typed_arguments(seed: int | None = None) -> list[str]:
    """The command that is running as it was typed, by the long names, and with its seed."""
    context = RUNNING.get()
    words = [context.info_name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        value, source = context.params.get(name), context.get_parameter_source(name)
        is_set = source is not None and source.name != "DEFAULT" and value is not None
        if is_set or (name == "seed" and seed is not None):
            words += _words(parameter, seed if name == "seed" else value)
    return words


def _words(parameter: Any, value: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [str(value)]
    if parameter.is_flag:  # one that was switched off may have a name for that: --in-memory
        names = parameter.opts if value else parameter.secondary_opts
        return [max(names, key=len)] if names else []
    name = max(parameter.opts, key=len)
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for each in values for word in (name, str(each))]
