"""The command line: parses, calls the package, prints. Decides nothing.

``fit.py``, ``near.py`` and ``explore.py`` have the commands that start from a table, ``models.py``
those that start from a model or a proof, ``draw.py`` their curves and pictures, ``data.py`` the
data sets, the demo and replays.
Here is how a function becomes a command, and what it says if something goes wrong: one line in the
words of the command line, and an exit code. Modules of this room import little: ``survtree --help``
must not wait for what it does not need.
"""

import ast
import inspect
import re
import shlex
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer

from survtree._base import ClusterError, DeviceError
from survtree._base.words import one_line_message, row_named, with_other_rows
from survtree._cli import data, draw, explore, fit, models, near
from survtree._cli.inputs import FLAGS, flags_of
from survtree._cli.printing import BAD_INPUT, FAILED, INTERRUPTED, RUNNING, TABLE

# Options of Python that are not in the table of options, by their name on the command line.
OTHERS = (
    *("rule", "scoring", "style", "max_depths", "cv", "n_repeats"),
    *("within", "slack", "limit", "uses", "avoids", "first"),
)
ALL_FLAGS = {**FLAGS, **{name: flags_of(name)[0] for name in OTHERS}}
# max_depth must be ... -> --max-depth must be ...; missing='drop' -> --missing drop
OPTION = re.compile(rf"(?<![-\w])({'|'.join(ALL_FLAGS)})(?:='([^']*)'|(?= must\b))")
# thresholds={'id': 'auto'} -> --thresholds 'id=auto'; categorical=['a', 'b'] -> --categorical a ...
BY_COLUMN = re.compile(r"\b(thresholds|categorical|exclude)=(\{[^{}]*\}|\[[^\[\]]*\])")
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
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
    # Commands read it off their context.
    debug: bool = typer.Option(
        False, "--debug", help="Show tracebacks; works after a command too."
    ),
) -> None:
    """Optimal sparse survival trees."""


def _add_commands(group: typer.Typer, commands: Mapping[str, Callable[..., None]]) -> None:
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
        RUNNING.set(context)
        with _errors_on_one_line(name, is_debugging=context.find_root().params["debug"]):
            function(**given, **grouped)

    parameters = [_keyword("context", typer.Context)]
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in groups:
            parameters += _fields_as_parameters(groups[parameter.name])
        else:
            parameters.append(_keyword(parameter.name, hints[parameter.name], parameter.default))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _keyword(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=hint)


def _fields_as_parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        _keyword(each.name, hints[each.name], each.metadata.get("option", each.default))
        for each in fields(group)
    ]


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
    except (ValueError, TypeError, OSError, MemoryError, DeviceError, ClusterError) as error:
        end(_bad_input(error), BAD_INPUT, error)
    except KeyboardInterrupt as error:
        end("interrupted; nothing was written", INTERRUPTED, error)
    except Exception as error:  # an InternalError names a replay file, others are bugs
        end(_unexpected(error), FAILED, error)


def _bad_input(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}."
    return _by_lines(_in_flags(str(error) or type(error).__name__))


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

    def flags(match: "re.Match[str]") -> str:
        given = ast.literal_eval(match.group(2))
        words = [f"{k}={v}" for k, v in given.items()] if isinstance(given, dict) else given
        return " ".join(f"{ALL_FLAGS[match.group(1)]} {shlex.quote(word)}" for word in words)

    text = BY_COLUMN.sub(flags, OPTION.sub(flag, text))
    return ARGUMENT.sub(lambda match: ARGUMENTS[match.group()], text)


def _by_lines(text: str) -> str:
    """A message that counts rows from 0 as one that counts them as an editor or spreadsheet does.

    In a file of text that is by its lines, the first of which has the names of the columns.
    """
    command = RUNNING.get(None)  # None in threads that others started
    table = command.meta.get(TABLE) if command is not None else None
    if table is None or row_named(text) is None:
        return text
    is_text = table.is_text
    return with_other_rows(text, lambda row: f"line {row + 2}" if is_text else f"row {row + 1}")


def _show_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    typer.echo(f"warning: {_by_lines(_in_flags(str(message)))}", err=True)


# In the order of --help.
_add_commands(
    app,
    {
        "demo": data.demo,
        "fit": fit.fit,
        "tune": fit.tune,
        "path": fit.path,
        "near": near.near,
        "explore": explore.explore,
        "predict": models.predict,
        "evaluate": models.evaluate,
        "show": models.show,
        "export": models.export,
        "curves": draw.curves,
        "plot": draw.plot,
        "report": models.report,
        "verify": models.verify,
        "check-proof": models.check_proof,
        "replay": data.replay,
    },
)
_add_commands(
    datasets_app,
    {"list": data.list_datasets, "save": data.save_dataset, "fetch": data.fetch_datasets},
)


def main() -> None:
    """Entry point of the ``survtree`` command."""
    if hasattr(signal, "SIGPIPE"):  # `survtree demo | head` ends as other commands do
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = sys.argv[1:]
    if "--debug" in words:  # an option of all commands, wherever it is typed
        sys.argv[1:] = ["--debug", *(word for word in words if word != "--debug")]
    app()
