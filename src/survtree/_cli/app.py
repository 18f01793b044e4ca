"""The command itself, and how a function becomes one of its commands."""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from survtree._cli.errors import told

app = typer.Typer(
    help="Optimal sparse survival trees.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 done; 1 a check failed, or a bug; 2 bad input or usage; 130 Ctrl-C.",
)
datasets_app = typer.Typer(
    help="The demo data sets, and those of the paper.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(datasets_app, name="datasets")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        import survtree

        typer.echo(f"survtree {survtree.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks; may stand anywhere.")
    ] = False,
) -> None:
    """Optimal sparse survival trees: a proof that no other tree of that size is better."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function; what goes wrong is told without a traceback.

    A parameter whose type is a dataclass stands for an option for each of its fields, so that
    commands share groups of options.
    """
    name = function.__name__.replace("_", "-")
    return app.command(name)(flattened(told(name)(function)))


def flattened(function: Callable[..., None]) -> Callable[..., None]:
    """The function with the fields of its dataclass parameters as parameters."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {n: hint for n, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            parameters += _fields_as_parameters(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @wraps(function)
    def flat(**given: Any) -> None:
        grouped = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        function(**given, **grouped)

    flat.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    )
    flat.__annotations__ = {each.name: each.annotation for each in parameters}
    return flat


def _fields_as_parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
