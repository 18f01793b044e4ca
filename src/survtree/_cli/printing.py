"""What commands print: models, tables, JSON."""

import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from survtree._base.numbers import format_limits

MOST_WIDE = 200  # where nobody looks, tables are not folded


def print_json(facts: Mapping[str, Any]) -> None:
    """One object; what is no number of JSON, such as a median that is not reached, is null."""
    typer.echo(json.dumps(_plain(facts), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def summary_of(model: Any) -> dict[str, Any]:
    """What a program wants to know of a fit."""
    names = ("status", "objective", "loss", "lower_bound", "gap", "n_leaves", "depth", "ibs_ratio")
    proof = model.certificate_
    return {
        **{name: getattr(model, f"{name}_") for name in names},
        "regularization": proof.regularization,
        "max_depth": proof.max_depth,
        "seconds": proof.seconds,
        "fingerprint": proof.fingerprint,
    }


def leaves_of(model: Any, times: Any = None) -> list[dict[str, Any]]:
    """The table of leaves, a dictionary a leaf."""
    from survtree._show.leaf_facts import columns_of, leaf_facts

    columns = columns_of(leaf_facts(model, times))
    names, rows = list(columns), zip(*columns.values(), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def print_model(model: Any, style: str = "tree") -> None:
    """Tree, how good it is, and the proof."""
    from survtree import export_text

    typer.echo(export_text(model, style=style))
    typer.echo(f"\nIBS ratio {100 * model.ibs_ratio_:.1f} % on the training rows")
    typer.echo(model.certificate_.summary())
    if model.n_leaves_ == 1:
        typer.echo("No split saves its price. 'survtree path' lists the prices at which some do.")


def print_leaves(model: Any, times: Any = None) -> None:
    """The facts of the leaves: limits below the values, so that a narrow terminal will do."""
    from survtree._show.leaf_facts import leaf_facts

    facts = leaf_facts(model, times)
    header = ["leaf", "rows", "events", "median", *(f"S({time:g})" for time in facts.times)]
    header += [f"mean to {facts.until:g}", "hazard ratio"]
    rows = [
        [
            str(leaf.node),
            f"{leaf.n_rows:,}",
            f"{leaf.n_events:,}",
            interval_text(leaf.median, "{:g}".format),
            *(interval_text(each, "{:.2f}".format) for each in leaf.survival),
            interval_text(leaf.restricted_mean, "{:.3g}".format),
            interval_text(leaf.hazard_ratio, "{:.2f}".format, leaf.node == facts.reference),
        ]
        for leaf in facts.leaves
    ]
    print_table(header, rows)
    percent = f"{100 * facts.confidence:g} %"
    typer.echo(f"Below: limits of {percent}; they do not know that the tree chose the leaves.")


def interval_text(interval: Any, shown: Callable[[float], str], is_reference: bool = False) -> str:
    """A value, and below it its limits."""
    if is_reference:
        return "1"
    if math.isnan(interval.value):
        return "not known"
    value = "not reached" if math.isinf(interval.value) else shown(interval.value)
    return f"{value}\n{format_limits(interval.low, interval.high, shown).replace(' to ', '-')}"


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> None:
    """Columns side by side, those at the places ``left`` flush left."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="left" if place in left else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    is_told = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = None if is_told else MOST_WIDE
    Console(highlight=False, width=width).print(table)
