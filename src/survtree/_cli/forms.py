"""The forms in which 'survtree export' writes a model, by name or by the ending of a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

ENDINGS = {
    ".txt": "text",
    ".dot": "dot",
    ".gv": "dot",
    ".tex": "latex",
    ".sql": "sql",
    ".py": "python",
    ".json": "json",
}
TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
PICTURES = (".png", ".svg", ".pdf")


def texts() -> dict[str, Callable[[Any], str]]:
    """Those that are text, by name."""
    import survtree

    return {
        "text": survtree.export_text,
        "rules": lambda model: survtree.export_text(model, style="rules"),
        "leaves": lambda model: survtree.export_text(model, style="leaves"),
        "dot": survtree.export_dot,
        "latex": survtree.export_latex,
        "sql": survtree.export_sql,
        "python": survtree.export_python,
        "json": survtree.export_json,
    }


def write_form(model: Any, form: str | None, output: str | None) -> None:
    """Write a model in a form, to a file or to standard output."""
    ending = "" if output is None else Path(output).suffix.lower()
    if form is None and output is not None and ending in PICTURES:
        from survtree import plot_tree

        plot_tree(model).save(output)
        return
    if form is None and output is not None and ending in TABLES:
        from survtree import leaf_table
        from survtree._data.files import write_parts

        table = leaf_table(model)
        write_parts(output, None, table.schema, lambda: iter([table]))
        return
    text = texts()[_form(form, ending)](model)
    if output is None:
        typer.echo(text)
        return
    from survtree._base.files import whole_file

    with whole_file(output) as stream:
        stream.write(f"{text}\n".encode())


def _form(form: str | None, ending: str) -> str:
    if form is None:
        form = ENDINGS.get(ending, "text" if not ending else None)
    if form is None or form not in texts():
        known = ", ".join(texts())
        endings = ", ".join([*ENDINGS, *TABLES, *PICTURES])
        raise typer.BadParameter(
            f"it must be one of {known}; or the file must end in {endings}", param_hint="--to"
        )
    return form
