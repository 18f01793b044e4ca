"""Proof files, read strictly: docs/reference/proof-file.md says what a file looks like.

Part of the checker, which shares no code with the search, nor with the rest of the package. What is
not exactly as the search writes it is rejected: every number in one spelling and finite, every part
of its type, weights and rows within the limits that ``checker_losses`` computes safely.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

MAGIC = "survtree proof 2"
# The limits of a fit, which keep sums of weights and their quotients in range.
MAX_WEIGHT_RATIO, MAX_WEIGHT = 1e12, 1e100
MOST_ROWS = 2**24
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]{1,3})?")
COUNT = re.compile(r"0|[1-9][0-9]{0,8}")
STEP = re.compile(r"-?[1-9][0-9]{0,8}")
REQUIRED = {
    *("objective", "regularization", "max_depth", "min_samples_leaf", "horizon", "tree"),
    *("n_rows", "names", "fingerprint", "problem_fingerprint"),
}
OPTIONAL = {"min_events_leaf", "n_targets", "loss", "split_penalties", "first_split"}
LIKELIHOOD = "likelihood"  # the one loss that the head names


class RejectedError(Exception):
    """The file does not prove its claim."""


def need(holds: bool | np.bool_, why: str) -> None:
    """Reject the file unless this holds."""
    if not holds:
        raise RejectedError(why)


@dataclass(frozen=True)
class ProofProblem:
    """The data in the file, and which trees are allowed."""

    answers: Bools  # rows x questions, rows by time
    time: Floats
    event: Bools
    weight: Floats
    regularization: float
    max_depth: int | None
    min_rows: int
    targets: Floats | None  # vectors of a teacher, a row each, if the loss is against one
    min_events: int = 0
    horizon: float | None = None  # the loss is integrated up to here; None: to the last time
    is_by_likelihood: bool = False
    penalties: Floats | None = None  # for every split on a question
    first: Bools | None = None  # the questions that may split all rows
    other: Bools | None = None  # the rows that ended by another cause, if there are some


@dataclass(frozen=True)
class ProofFile:
    """What a file states: a problem, a tree, its objective and the claims, a line each."""

    problem: ProofProblem
    tree: Any
    objective: float
    claims: list[str]
    fingerprint: str
    problem_fingerprint: str


def read_proof(raw: bytes) -> ProofFile:
    """The parts of a file, if it is whole and well formed."""
    first, _, _ = raw.partition(b"\n")
    need(first == MAGIC.encode(), _what_it_is(raw, first))
    body, _, end = raw.rpartition(b"sha256 ")
    checksum = hashlib.sha256(body).hexdigest().encode()
    need(end == checksum + b"\n", "the file is damaged: its checksum does not match")
    _, written, *lines, rest = body.decode("ascii").split("\n")
    need(rest == "", "the last line does not end")
    head = _head_of(written)
    n = head["n_rows"]
    need(len(lines) >= n, "there are fewer rows than n_rows in the head")
    problem = _problem_of(head, [line.split(" ") for line in lines[:n]])
    prints = head["fingerprint"], head["problem_fingerprint"]
    return ProofFile(problem, head["tree"], head["objective"], lines[n:], *prints)


def claim_of(line: str, n_questions: int) -> tuple[list[int], int, float]:
    """Steps, depth and bound of a claim."""
    depth, bound, *path = line.split(" ")
    need(COUNT.fullmatch(depth) is not None, f"a claim has no depth but {depth!r}")
    are_steps = all(STEP.fullmatch(step) for step in path)
    steps = [int(step) for step in path] if are_steps else []
    are_known = are_steps and all(abs(step) <= n_questions for step in steps)
    need(are_known, "a claim is about a question that does not exist")
    return steps, int(depth), _number(bound)


def _head_of(line: str) -> dict[str, Any]:
    """The second line, each part of it of its type."""
    head = json.loads(line, object_pairs_hook=_object, parse_constant=_no_number)
    need(isinstance(head, dict), "the second line is no JSON object")
    known = REQUIRED <= set(head) <= REQUIRED | OPTIONAL
    need(known, f"the head has {', '.join(sorted(map(str, head)))}")
    need(head.get("loss", LIKELIHOOD) == LIKELIHOOD, "loss must be 'likelihood' if it is there")
    need("loss" not in head or "n_targets" not in head, "a likelihood has no targets")
    head = {"min_events_leaf": 0, "n_targets": 0, "loss": None, **head}
    for name in ("objective", "regularization"):
        is_number = type(head[name]) is float and 0 <= head[name] < np.inf
        need(is_number, f"{name} must be a number >= 0")
    horizon, depth, names = head["horizon"], head["max_depth"], head["names"]
    is_time = horizon is None or (type(horizon) is float and 0 < horizon < np.inf)
    need(is_time, "horizon must be a number > 0 or null")
    need(depth is None or _is_count(depth, 0), "max_depth must be a number >= 0 or null")
    for name, least in (("min_samples_leaf", 1), ("min_events_leaf", 0), ("n_targets", 0)):
        need(_is_count(head[name], least), f"{name} must be a number >= {least}")
    is_count = _is_count(head["n_rows"], 1) and head["n_rows"] <= MOST_ROWS
    need(is_count, f"n_rows must be a number of rows, at most {MOST_ROWS:,}")
    are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
    need(are_names, "names must be a list of texts")
    _check_rules(head)
    return head


def _check_rules(head: dict[str, Any]) -> None:
    """What is said of splits on each question, if anything is."""
    n = len(head["names"])
    if "split_penalties" in head:
        given = head["split_penalties"]
        are_numbers = isinstance(given, list) and len(given) == n
        are_numbers = are_numbers and all(type(x) is float and 0 <= x < np.inf for x in given)
        need(are_numbers, "split_penalties must be a number >= 0 for each of the names")
    if "first_split" in head:
        given = head["first_split"]
        are_known = isinstance(given, list) and all(_is_count(q, 1) and q <= n for q in given)
        are_known = are_known and all(a < b for a, b in pairwise(given))
        need(are_known, "first_split must be a list of ascending numbers of questions")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a name occurs twice in the head")
    return dict(pairs)


def _no_number(word: str) -> None:
    raise RejectedError(f"{word} is not a finite number")


def _is_count(given: Any, least: int) -> bool:
    return type(given) is int and given >= least  # True is none


def _number(text: str) -> float:
    need(NUMBER.fullmatch(text) is not None, f"{text!r} is no number")
    number = float(text)
    need(np.isfinite(number), f"{text} is not a finite number")
    return number


def _problem_of(head: dict[str, Any], cells: list[list[str]]) -> ProofProblem:
    """The rows, in the order of their times, and the rules."""
    n_targets = head["n_targets"]
    is_whole = all(len(row) == 4 + n_targets for row in cells)
    need(is_whole, f"each row must have {4 + n_targets} parts")
    time, weight = (np.array([_number(row[k]) for row in cells]) for k in (0, 2))
    event, other = (_are([row[1] for row in cells], code) for code in ("1", "2"))
    answers = _answers_of([row[3] for row in cells], len(head["names"]))
    targets = np.array([[_number(cell) for cell in row[4:]] for row in cells])
    _check_times(time, head["horizon"])
    _check_weights(weight)
    need(head["loss"] is None or not other.any(), "the likelihood knows one cause only")
    data = _fingerprint(head["names"], answers, time, (event, other), weight, targets)
    need(data == head["fingerprint"], "the fingerprint is of other data")
    is_same = _problem_fingerprint(head) == head["problem_fingerprint"]
    need(is_same, "the fingerprint of the problem is of other rules")
    order = np.argsort(time, kind="stable")
    arrays = (answers[order], time[order], event[order], weight[order])
    return ProofProblem(
        *arrays,
        regularization=head["regularization"],
        max_depth=head["max_depth"],
        min_rows=head["min_samples_leaf"],
        min_events=head["min_events_leaf"],
        targets=targets[order] if n_targets > 0 else None,
        horizon=head["horizon"],
        is_by_likelihood=head["loss"] is not None,
        penalties=np.array(head["split_penalties"]) if "split_penalties" in head else None,
        first=_first_of(head),
        other=other[order] if other.any() else None,
    )


def _first_of(head: dict[str, Any]) -> Bools | None:
    """By question: whether it may split all rows."""
    if "first_split" not in head:
        return None
    first = np.zeros(len(head["names"]), dtype=bool)
    first[[question - 1 for question in head["first_split"]]] = True
    return first


def _are(ends: list[str], code: str) -> Bools:
    """Which rows end so: 0 is censored, 1 the event, 2 another cause."""
    odd = next((text for text in ends if text not in ("0", "1", "2")), None)
    need(odd is None, f"a row ends by 0, 1 or 2, not {odd!r}")
    return np.array([text == code for text in ends])


def _answers_of(texts: list[str], n_questions: int) -> Bools:
    need(all(len(text) == n_questions for text in texts), "each row must answer every question")
    digits = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8)
    need(((digits == ord("0")) | (digits == ord("1"))).all(), "answers are 0 or 1")
    answers: Bools = (digits == ord("1")).reshape(len(texts), n_questions)
    return answers


def _check_times(time: Floats, horizon: float | None) -> None:
    need((time >= 0).all(), "times must be >= 0")
    need(time.max() > 0, "the last time must be > 0")
    need(horizon is None or time.max() == horizon, "the last time must be the horizon")


def _check_weights(weight: Floats) -> None:
    need((weight > 0).all(), "weights must be > 0")
    is_inside = weight.min() >= 1 / MAX_WEIGHT and weight.max() <= MAX_WEIGHT
    need(is_inside, f"weights must lie between {1 / MAX_WEIGHT:g} and {MAX_WEIGHT:g}")
    is_narrow = weight.max() <= MAX_WEIGHT_RATIO * weight.min()
    need(is_narrow, f"weights must not span more than a factor of {MAX_WEIGHT_RATIO:g}")


def _fingerprint(
    names: list[str],
    answers: Bools,
    time: Floats,
    ends: tuple[Bools, Bools],
    weight: Floats,
    targets: Floats,
) -> str:
    """Of the data, as docs/reference/proof-file.md defines it."""
    raw = [name.encode("utf-8", "surrogatepass") for name in names]
    is_weighted = bool((weight != 1.0).any())
    digest = hashlib.sha256(repr([answers.shape, is_weighted, *map(len, raw)]).encode())
    event, other = ends
    others = b"others" + np.packbits(other).tobytes() if other.any() else b""
    for part in (b"".join(raw), np.packbits(answers), np.packbits(event), others):
        digest.update(bytes(part))
    digest.update(time.astype("<f8").tobytes())
    if is_weighted:
        digest.update(weight.astype("<f8").tobytes())
    if targets.size > 0:
        digest.update(f"targets {targets.shape}".encode())
        digest.update(targets.astype("<f8").tobytes())
    return digest.hexdigest()


def _problem_fingerprint(head: dict[str, Any]) -> str:
    """Of the data and of what is asked of a tree, likewise; a proof has no limit on leaves."""
    names = ("regularization", "max_depth", "min_samples_leaf", "min_events_leaf")
    rules = [*(head[name] for name in names), None, head["horizon"]]
    rules += [] if head["loss"] is None else [head["loss"]]
    if "split_penalties" in head or "first_split" in head:
        first = _first_of(head)
        rules.append(_runs(head.get("split_penalties")))
        rules.append(_runs(None if first is None else [int(each) for each in first]))
    return hashlib.sha256(f"{head['fingerprint']} {json.dumps(rules)}".encode()).hexdigest()


def _runs(numbers: list[Any] | None) -> list[list[Any]] | None:
    """How often a number comes in a row, and the number."""
    return None if numbers is None else [[len([*same]), each] for each, same in groupby(numbers)]


# What other files begin with.
BEGINNINGS = (
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"PK\x03\x04", "a ZIP file, such as a replay file of survtree"),
    (b"\x1f\x8b", "a file that was packed with gzip"),
    (b"\x80", "a pickle of Python"),
    (b"\x89PNG", "a picture"),
    (b"%PDF", "a PDF file"),
    (b"<svg", "a picture"),
    (b"<?xml", "a picture, or another XML file"),
    (b"<!doctype html", "an HTML page, such as a report of survtree"),
    (b"<html", "an HTML page, such as a report of survtree"),
    (b"digraph", "a tree in the DOT language"),
    (b"sha256 ", "the end of a proof without its beginning"),
)


def _what_it_is(raw: bytes, first: bytes) -> str:
    """Why a file is not one that can be checked, and which would be."""
    if first.startswith(b"survtree proof"):
        version = first[:40].decode("utf-8", "replace")
        return (
            f"its first line is {version!r}, and this version of survtree checks {MAGIC!r}. Write "
            "the proof again with 'survtree fit --proof FILE'"
        )
    return (
        f"it is not a proof but {_kind_of(raw.lstrip(), first)}. A proof is a file that 'survtree "
        "fit --proof FILE' or certificate_.write_proof(path) wrote"
    )


def _kind_of(raw: bytes, first: bytes) -> str:
    start = raw[:20].lower()
    for beginning, kind in BEGINNINGS:
        if start.startswith(beginning.lower()):
            return kind
    if start.startswith(b"{"):
        is_model = b'"survtree model"' in raw[:1000]
        model = "a model of survtree, which 'survtree verify' rechecks"
        return model if is_model else "a JSON file"
    if raw == b"":
        return "an empty file"
    is_text = b"\0" not in raw[:1000] and first.isascii()
    if is_text and any(mark in first for mark in (b",", b";", b"\t", b"|")):
        return f"a table that begins with {first[:60].decode().strip()!r}"
    return "a text" if is_text else "some other file"
