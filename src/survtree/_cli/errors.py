"""What the command says when something goes wrong: one line, in the words of the command line."""

import os
import re
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from survtree._cli.options import FLAGS

DEBUG = "SURVTREE_DEBUG"
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
# max_depth must be ... -> --depth must be ...; missing='drop' -> --missing drop
OPTION = re.compile(rf"\b({'|'.join(FLAGS)})(?:='([^']*)'|(?= must\b))")

ARGUMENTS = {"duration_col": "--time", "event_col": "--event", "sample_weight": "--weights"}
ARGUMENT = re.compile("|".join(ARGUMENTS))


def told(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Tells complaints and warnings of a command on one line each, and ends with its exit code."""

    def wrapper(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("default")
                    warnings.showwarning = _show_warning
                    function(*args, **kwargs)
            except (typer.Exit, typer.Abort, typer.BadParameter):
                raise
            except (ValueError, TypeError, OSError, MemoryError) as error:
                _end(name, _words(error), BAD_INPUT, error)
            except KeyboardInterrupt as error:
                _end(name, "interrupted; nothing was written", INTERRUPTED, error)
            except Exception as error:  # an InternalError names a replay file, others a bug
                _end(name, _unexpected(error), FAILED, error)

        return run

    return wrapper


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}."
    return in_flags(str(error) or type(error).__name__)


def _unexpected(error: Exception) -> str:
    if isinstance(error, RuntimeError):
        return str(error)
    told = " ".join(str(error).split())
    return f"{type(error).__name__}: {told}. This is a bug; --debug shows where it is."


def in_flags(text: str) -> str:
    """A complaint about options of Python as one about options of the command line."""

    def flag(match: "re.Match[str]") -> str:
        value = match.group(2)
        return FLAGS[match.group(1)] + ("" if value is None else f" {value}")

    return ARGUMENT.sub(lambda match: ARGUMENTS[match.group()], OPTION.sub(flag, text))


def _end(name: str, text: str, code: int, error: BaseException) -> None:
    if os.environ.get(DEBUG):
        raise error
    typer.echo(f"survtree {name}: {text}", err=True)
    raise typer.Exit(code) from error


def _show_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    typer.echo(f"warning: {in_flags(str(message))}", err=True)


def say(text: str) -> None:
    """Something a person should know, apart from the result."""
    sys.stdout.flush()
    typer.echo(text, err=True)
