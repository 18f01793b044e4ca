"""The command itself: how a function becomes a command, and what it says if something goes wrong.

An error is one line in the words of the command line, and an exit code.
"""

import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from survtree._base.words import one_line_message
from survtree._cli.options import FLAGS

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
# Options of Python that are not in the table of options, by their name on the command line.
OTHER_FLAGS = {
    "max_depths": "--depths",
    "cv": "--folds",
    "rule": "--rule",
    "scoring": "--scoring",
    "style": "--style",
}
ALL_FLAGS = {**FLAGS, **OTHER_FLAGS}
# max_depth must be ... -> --depth must be ...; missing='drop' -> --missing drop
OPTION = re.compile(rf"\b({'|'.join(ALL_FLAGS)})(?:='([^']*)'|(?= must\b))")
ARGUMENTS = {"duration_col": "--time", "event_col": "--event", "sample_weight": "--weights"}
ARGUMENT = re.compile("|".join(ARGUMENTS))

app = typer.Typer(
    help="Optimal sparse survival trees.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 done; 1 a check failed, or a bug; 2 bad input or usage; 130 Ctrl-C.",
)
datasets_app = typer.Typer(
    help="List, save or download data sets.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(datasets_app, name="datasets")


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        import survtree

        typer.echo(f"survtree {survtree.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    # Commands read it off their context.
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks; works after a command too.")
    ] = False,
) -> None:
    """Optimal sparse survival trees."""


def add_commands(group: typer.Typer, commands: Mapping[str, Callable[..., None]]) -> None:
    """Make commands of functions, in this order."""
    for name, function in commands.items():
        full_name = name if group is app else f"datasets {name}"
        group.command(name)(_as_command(function, full_name))


def _as_command(function: Callable[..., None], name: str) -> Callable[..., None]:
    """The function as typer takes it.

    A parameter whose type is a dataclass stands for one option per field, so that commands share
    groups of options.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {n: hint for n, hint in hints.items() if is_dataclass(hint)}

    @wraps(function)
    def run(context: typer.Context, **given: Any) -> None:
        grouped = {
            group_name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for group_name, group in groups.items()
        }
        with _errors_on_one_line(name, is_debugging=context.find_root().params["debug"]):
            function(**given, **grouped)

    parameters = [_keyword("context", typer.Context)]
    for parameter in inspect.signature(function).parameters.values():
        group = groups.get(parameter.name)
        parameters += (
            [_keyword(parameter.name, hints[parameter.name], parameter.default)]
            if group is None
            else _fields_as_parameters(group)
        )
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _keyword(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=hint)


def _fields_as_parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_keyword(field.name, hints[field.name], field.default) for field in fields(group)]


@contextmanager
def _errors_on_one_line(name: str, *, is_debugging: bool) -> Iterator[None]:
    """Errors and warnings of a command on one line each; an error ends it with its exit code."""

    def end(text: str, code: int, error: BaseException) -> None:
        if is_debugging:
            raise error
        typer.echo(f"survtree {name}: {text}", err=True)
        raise typer.Exit(code) from error

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = _show_warning
            yield
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except (ValueError, TypeError, OSError, MemoryError) as error:
        end(_bad_input(error), BAD_INPUT, error)
    except KeyboardInterrupt as error:
        end("interrupted; nothing was written", INTERRUPTED, error)
    except Exception as error:  # an InternalError names a replay file, others are bugs
        end(_unexpected(error), FAILED, error)


def _bad_input(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}."
    return _in_flags(str(error) or type(error).__name__)


def _unexpected(error: Exception) -> str:
    if isinstance(error, RuntimeError):
        return str(error)
    message = one_line_message(error)
    return f"{type(error).__name__}: {message}. This is a bug; --debug shows where it is."


def _in_flags(text: str) -> str:
    """A message about options of Python as one about options of the command line."""

    def flag(match: "re.Match[str]") -> str:
        value = match.group(2)
        return ALL_FLAGS[match.group(1)] + ("" if value is None else f" {value}")

    return ARGUMENT.sub(lambda match: ARGUMENTS[match.group()], OPTION.sub(flag, text))


def _show_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    typer.echo(f"warning: {_in_flags(str(message))}", err=True)


def note(text: str) -> None:
    """Something a person should know, apart from the result."""
    sys.stdout.flush()
    typer.echo(text, err=True)
