"""The command in this process, as typer's own tests call it, and in one of its own."""

import logging
import subprocess
import sys

from typer.testing import CliRunner

from survtree._cli import app

PROCESS = [sys.executable, "-c", "from survtree._cli import main; main()"]


def survtree(*arguments, given=None, width=None):
    """Runs a command, on a terminal if a width is given; exit_code, stdout, stderr."""
    runner = CliRunner(env={"COLUMNS": None if width is None else str(width)})
    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    try:
        return runner.invoke(app, [str(each) for each in arguments], input=given)
    finally:  # A process of its own would end here; a log handler must not outlast the command.
        logger.handlers[:] = handlers
        logger.setLevel(level)


def done(*arguments, given=None):
    """Runs a command that must succeed; what it prints."""
    run = survtree(*arguments, given=given)
    assert run.exit_code == 0, (run.stderr, run.exception)
    return run.stdout


def refused(*arguments, given=None):
    """Runs a command that must be refused; what it says, on one line."""
    run = survtree(*arguments, given=given)
    assert run.exit_code == 2, (run.stdout, run.stderr, run.exception)
    assert run.stdout == ""
    return run.stderr


def process(*arguments, **options):
    """Runs a command in a process of its own."""
    command = [*PROCESS, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)
