"""Replay files: problem and settings of one fit, to be run again by somebody else.

An .npz file: answers as bits or as codes, event flags as bits, times, weights and a teacher's
targets as floats, all else as JSON in the array ``header``. ``read_replay.py`` reads it.
"""

import json
import os
import secrets
import tempfile
import time
import warnings
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np

from survtree._base.files import whole_file
from survtree._base.options import DEFAULTS
from survtree._base.versions import SURVTREE_VERSION
from survtree._questions.coded_answers import CodedAnswers
from survtree._search.problem import Problem, SearchSettings

VARIABLE = "SURVTREE_REPLAY"
FORMAT = 4  # written where rows are groups, which older versions would take for single rows
FORMAT_WITHOUT_COPIES = 3  # where they are not
FORMAT_WITHOUT_CODES = 2  # where there are no codes either, so that older versions read it
BITS, FLOATS, CODES = np.dtype("u1"), np.dtype("<f8"), np.dtype("<u4")
ANSWERS = "answers"  # as bits
CODED = ("codes", "question_column", "question_cut")  # instead of them, where answers are coded
TARGETS = "targets"  # row by row; only where there is a teacher
OF_SETTINGS = "settings."  # what the names of arrays among the settings start with
COPIES = "copies"  # how many rows each stands for, if rows are groups
OTHERS = "others"  # rows that ended by another cause, if there are some
DATA = ("answers", "events", "questions", "targets")  # of a problem; the rest of it are numbers


def save(problem: Problem, settings: SearchSettings, folder: str | os.PathLike[str]) -> Path:
    """Write a new file to the folder, which is made if it is not there; may raise an OSError."""
    path = Path(folder, _new_name(problem))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Private: data of patients may go to a shared temporary folder.
    with whole_file(path, is_private=True) as stream:
        np.savez_compressed(stream, **_arrays(problem, settings))
    return path


def save_if_asked(problem: Problem, settings: SearchSettings) -> None:
    """Save to the folder that the environment names, if any; a fit never fails because of it."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return
    try:
        save(problem, settings, folder)
    except OSError as error:
        warnings.warn(
            f"no replay file could be written to {folder} ({VARIABLE}): "
            f"{error.strerror or error}. The fit goes on without it.",
            UserWarning,
            stacklevel=3,
        )


def request(problem: Problem, settings: SearchSettings) -> str:
    """Ask a user who met a bug to report it, with the file that is written here."""
    folder = tempfile.gettempdir()
    try:
        path = save(problem, settings, folder)
    except OSError as error:
        return (
            f"please report it; no replay file could be written to {folder} "
            f"({error.strerror or error})."
        )
    return f"please report it with the replay file {path}."


def unusual(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    """The options and settings that are not the default, by name."""
    # A default of the problem comes first: options may have words that stand for a number.
    of_problem = {f.name: f.default for f in fields(problem) if f.default is not MISSING}
    usual = {**DEFAULTS, **of_problem}
    chosen = {name: value for name, value in _numbers(problem).items() if value != usual[name]}
    for field in fields(settings):
        value = getattr(settings, field.name)
        is_array = isinstance(value, np.ndarray)
        if is_array or value != field.default:
            chosen[field.name] = f"{len(value):,} numbers" if is_array else value
    return chosen


def _new_name(problem: Problem) -> str:
    """Tells which problem it was and when; parallel fits of one second differ in the last part."""
    when = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    return f"survtree-{problem.fingerprint()[:12]}-{when}-{secrets.token_hex(4)}.npz"


def _arrays(problem: Problem, settings: SearchSettings) -> dict[str, Any]:
    events, questions = problem.events, problem.questions
    by_name = {field.name: getattr(settings, field.name) for field in fields(settings)}
    arrays = {name: each for name, each in by_name.items() if isinstance(each, np.ndarray)}
    header = {
        "format": _format(problem),
        "survtree": SURVTREE_VERSION,
        "problem": _numbers(problem),
        "questions": {  # words to show, and what fingerprint and ties between trees depend on
            "texts": questions.texts,
            "ranks": questions.ranks().tolist(),
            "columns": list(questions.names if questions.are_columns else ()),
            **_about(problem),
        },
        "settings": {name: each for name, each in by_name.items() if name not in arrays},
    }
    return {
        "header": np.frombuffer(json.dumps(header).encode("ascii"), dtype=BITS),
        **_answers(problem),
        "event": np.packbits(events.event),
        **({OTHERS: np.packbits(events.is_other)} if events.has_others else {}),
        "time": events.time.astype(FLOATS),
        "weight": events.weight.astype(FLOATS),
        **({} if events.copies is None else {COPIES: events.copies.astype(CODES)}),
        **_targets(problem),
        **{f"{OF_SETTINGS}{name}": each.astype(FLOATS) for name, each in arrays.items()},
    }


def _format(problem: Problem) -> int:
    if problem.events.copies is not None:
        return FORMAT
    is_coded = isinstance(problem.answers, CodedAnswers)
    return FORMAT_WITHOUT_COPIES if is_coded else FORMAT_WITHOUT_CODES


def _about(problem: Problem) -> dict[str, list[str]]:
    """The column of each question, where a rule is about columns."""
    questions = problem.questions
    has_rules = problem.column_penalties or problem.first_split is not None
    if questions.are_columns or not has_rules:
        return {}
    place_of = questions.in_columns({name: k for k, name in enumerate(questions.names)})
    return {"about": [questions.names[int(place)] for place in place_of]}


def _answers(problem: Problem) -> dict[str, Any]:
    answers = problem.answers
    if isinstance(answers, CodedAnswers):
        return {name: getattr(answers, name).astype(CODES).ravel() for name in CODED}
    return {ANSWERS: np.packbits(answers)}


def _targets(problem: Problem) -> dict[str, Any]:
    targets = problem.targets
    return {} if targets is None else {TARGETS: targets.astype(FLOATS).ravel()}


def _numbers(problem: Problem) -> dict[str, Any]:
    names = [field.name for field in fields(problem) if field.name not in DATA]
    return {name: getattr(problem, name) for name in names}
