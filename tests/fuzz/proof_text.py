"""Proof files read apart from the checker: their rows, fingerprint and optimum."""

import hashlib
import json
from typing import Any

import numpy as np

from survtree._data.causes import Causes
from survtree._data.table import EventTable
from survtree._scoring.losses import LossByDefinition
from tests.support.brute_force import BruteForce, distinct_columns


def rows_of(head: Any, lines: list[str]) -> list[list[str]]:
    return [line.split(" ") for line in lines[2 : 2 + head["n_rows"]]]


def fingerprint(head: Any, rows: list[list[str]]) -> str:
    """What docs/reference/proof-file.md says."""
    time, weight = (np.array([float(row[k]) for row in rows], dtype="<f8") for k in (0, 2))
    answers = np.array([[c == "1" for c in row[3]] for row in rows])
    names = [name.encode() for name in head["names"]]
    is_weighted = bool((weight != 1.0).any())
    digest = hashlib.sha256(repr([answers.shape, is_weighted, *map(len, names)]).encode())
    parts = [b"".join(names), np.packbits(answers), np.packbits([r[1] == "1" for r in rows])]
    others = [r[1] == "2" for r in rows]
    parts += [b"others", np.packbits(others), time] if any(others) else [time]
    for part in [*parts, weight] if is_weighted else parts:
        digest.update(bytes(part))
    if len(rows[0]) > 4:
        targets = np.array([[float(cell) for cell in row[4:]] for row in rows], dtype="<f8")
        digest.update(f"targets {targets.shape}".encode() + targets.tobytes())
    return digest.hexdigest()


def problem_fingerprint(head: Any) -> str:
    """That of the data and the rules, likewise."""
    names = ("regularization", "max_depth", "min_samples_leaf")
    rules = [*(head[name] for name in names), head.get("min_events_leaf", 0), None, head["horizon"]]
    penalties, first = head.get("split_penalties"), head.get("first_split")
    if penalties is not None or first is not None:
        numbers = range(1, len(head["names"]) + 1)
        flags = None if first is None else [int(j in first) for j in numbers]
        rules += [_runs(penalties), _runs(flags)]
    return hashlib.sha256(f"{head['fingerprint']} {json.dumps(rules)}".encode()).hexdigest()


def _runs(numbers: Any) -> Any:
    """Pairs of how often a number comes in a row, and that number."""
    if numbers is None:
        return None
    out: list[list[Any]] = []
    for each in numbers:
        if out and out[-1][1] == each:
            out[-1][0] += 1
        else:
            out.append([1, each])
    return out


def _events(time: Any, ends: list[str], weight: Any) -> EventTable:
    codes = np.array(ends).astype(np.uint8)
    return EventTable(codes == 1, time, weight, codes, Causes(("1", "2"), 1))


def optimum_of(head: Any, rows: list[list[str]]) -> float:
    """Brute force on the problem a proof file states."""
    time, weight = (np.array([float(row[k]) for row in rows]) for k in (0, 2))
    features = np.array([[c == "1" for c in row[3]] for row in rows], dtype=np.uint8)
    event = np.array([row[1] == "1" for row in rows])
    penalties = np.array(head["split_penalties"]) if "split_penalties" in head else None
    first = None
    if "first_split" in head:
        first = np.isin(np.arange(features.shape[1]) + 1, head["first_split"])
    kept = list(distinct_columns(features, penalties, first))
    slow = BruteForce(
        features[:, kept],
        LossByDefinition.of(_events(time, [row[1] for row in rows], weight)),
        head["regularization"],
        head["min_samples_leaf"],
        head.get("min_events_leaf", 0),
        event,
        None if penalties is None else penalties[kept],
        None if first is None else first[kept],
    )
    return slow.optimum(head["max_depth"])
