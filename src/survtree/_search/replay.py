"""Replay files: problem and limits of one fit, to be run again by somebody else.

An .npz file: answers and event flags as bits, times and weights as floats, all else as JSON. What
may be in it, and what is said of a file that breaks the rules: ``_validation/replay.py``.
"""

import json
import os
import secrets
import tempfile
import time
import warnings
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from survtree._base.checks import check_option
from survtree._base.files import whole_file
from survtree._base.options import DEFAULTS
from survtree._questions.questions import Questions
from survtree._search.problem import Problem
from survtree._search.read_replay import (
    DATA,
    FLOATS,
    FORMAT,
    MOST_BYTES,
    OF_LIMITS,
    Replay,
    check_replay,
)
from survtree._search.settings import SearchSettings

VARIABLE = "SURVTREE_REPLAY"


def save(problem: Problem, limits: SearchSettings, folder: str | os.PathLike[str]) -> Path:
    """Write a new file to the folder, which is made if need be; an OSError says why it failed."""
    path = Path(folder, _new_name(problem))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Private: data of patients may go to a shared temporary folder.
    with whole_file(path, is_private=True) as stream:
        np.savez_compressed(stream, **_arrays(problem, limits))
    return path


def load(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Replay:
    """Problem, limits, and the version that wrote them; a ValueError says what is wrong with them.

    What would take more than ``most_bytes`` in memory is refused before it is unpacked.
    """
    return check_replay(Path(path), most_bytes)


def with_time_limit(replay: Replay, time_limit: float) -> Replay:
    """The same fit with another time limit, all of it for the search."""
    seconds = check_option("time_limit", time_limit)
    return replay._replace(limits=replace(replay.limits, time_limit=seconds, seconds_gone=0.0))


def save_if_asked(problem: Problem, limits: SearchSettings) -> None:
    """Save to the folder that the environment names, if it does; a fit never fails by it."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return
    try:
        save(problem, limits, folder)
    except OSError as error:
        warnings.warn(
            f"no replay file could be written to {folder} ({VARIABLE}): "
            f"{error.strerror or error}. The fit goes on without it.",
            UserWarning,
            stacklevel=3,
        )


def request(problem: Problem, limits: SearchSettings) -> str:
    """What to ask of a user who met a bug: to report it, with the file that is written here."""
    folder = tempfile.gettempdir()
    try:
        path = save(problem, limits, folder)
    except OSError as error:
        return (
            f"please report it; no replay file could be written to {folder} "
            f"({error.strerror or error})."
        )
    return f"please report it with the replay file {path}."


def unusual(problem: Problem, limits: SearchSettings) -> dict[str, Any]:
    """The options that are not the default, by name."""
    chosen = {name: value for name, value in _numbers(problem).items() if value != DEFAULTS[name]}
    for field in fields(limits):
        value = getattr(limits, field.name)
        is_array = isinstance(value, np.ndarray)
        if is_array or value != field.default:
            chosen[field.name] = f"{len(value):,} numbers" if is_array else value
    return chosen


def _new_name(problem: Problem) -> str:
    """Tells which problem it was and when; parallel fits of one second differ in the last part."""
    when = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    return f"survtree-{problem.fingerprint()[:12]}-{when}-{secrets.token_hex(4)}.npz"


def _arrays(problem: Problem, limits: SearchSettings) -> dict[str, Any]:
    events, by_name = problem.events, _by_name(limits)
    of_limits = {name: each for name, each in by_name.items() if isinstance(each, np.ndarray)}
    header = {
        "format": FORMAT,
        "survtree": version("survtree"),
        "problem": _numbers(problem),
        "questions": _recorded(problem.questions),
        "limits": {name: each for name, each in by_name.items() if name not in of_limits},
    }
    return {
        "header": np.frombuffer(json.dumps(header).encode("ascii"), dtype=np.uint8),
        "features": np.packbits(problem.answers),
        "event": np.packbits(events.event),
        "time": events.time.astype(FLOATS),
        "weight": events.weight.astype(FLOATS),
        **{f"{OF_LIMITS}{name}": each.astype(FLOATS) for name, each in of_limits.items()},
    }


def _recorded(questions: Questions) -> dict[str, Any]:
    """Words to show, and what fingerprint and ties between trees depend on."""
    return {
        "texts": questions.texts,
        "ranks": questions.ranks(),
        "columns": list(questions.names if questions.are_columns else ()),
    }


def _numbers(problem: Problem) -> dict[str, Any]:
    names = [field.name for field in fields(problem) if field.name not in DATA]
    return {name: getattr(problem, name) for name in names}


def _by_name(limits: SearchSettings) -> dict[str, Any]:
    return {field.name: getattr(limits, field.name) for field in fields(limits)}
