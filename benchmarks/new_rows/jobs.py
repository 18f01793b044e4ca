"""One method on all folds of one table, in a process of its own with limits of time and memory."""

import multiprocessing
import os
import resource
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.new_rows.models import IN_R, METHODS, outcome_of
from benchmarks.new_rows.r_trees import server, stop_server
from benchmarks.new_rows.scoring import horizons_of, scores
from benchmarks.new_rows.tables import Fold, Rows

MEMORY_BYTES = 8 * 2**30
DIGITS = 5
Result = dict[str, Any]


def results(method: str, rows: Rows, folds: list[Fold], limit_s: float) -> Iterator[Result]:
    """A result for each fold, or up to the first that fails.

    A fold fails if fit, prediction and scores take longer than the limit or more than 8 GB, or if
    the program complains. The method is then not run on the folds that follow.
    """
    if method in IN_R:
        server()  # started here, it outlives the process of the job
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(
        target=_run, args=(method, rows, folds, theirs)
    )
    child.start()
    theirs.close()
    try:
        for fold in folds:
            result = _received(ours, limit_s)
            yield {"repeat": fold.repeat, "fold": fold.fold, **result}
            if result["status"] != "fitted":
                stop_server()
                return
    finally:
        _ended(child)


def _received(ours: Connection, limit_s: float) -> Result:
    if not ours.poll(limit_s):
        return {"status": f"over {limit_s:g} s"}
    try:
        result: Result = ours.recv()
    except EOFError:
        return {"status": "ended without an answer"}
    return result


def _ended(child: Any) -> None:
    """The process and all that it started."""
    if child.is_alive():
        os.killpg(child.pid, signal.SIGKILL)
    child.join()


def _run(method: str, rows: Rows, folds: list[Fold], answers: Connection) -> None:
    os.setpgrp()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        ends = horizons_of(outcome_of(rows))
        for fold, fitted in zip(folds, METHODS[method](rows, folds), strict=True):
            train, test = (outcome_of(rows.part(part)) for part in (fold.train, fold.test))
            found = scores(test, fitted.prediction, train, ends)
            seconds = f"{fitted.seconds:.3g}"
            answers.send({"status": "fitted", **_rounded(found), "seconds": seconds})
    except Exception as error:  # whatever a program raises is its result
        answers.send({"status": f"{type(error).__name__}: {error}".splitlines()[0][:80]})


def _rounded(found: Result) -> Result:
    """Short numbers; nothing where there is none."""
    return {name: "" if value is None else round(value, DIGITS) for name, value in found.items()}
