"""Model files: the format, and every complaint about a file that does not keep to it.

A file may come from anybody, so nothing in it is trusted. What it claims of a proof can only be
rechecked with the data: see ``Certificate.verify``.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from survtree._base.checks import check_option
from survtree._base.options import MAX_DEPTH_LIMIT, OPTIONS
from survtree._base.tree import Tree
from survtree._base.words import one_line_message
from survtree._model.read_shapes import (
    EXPORT_AGAIN,
    ByName,
    Count,
    Either,
    Exactly,
    Flag,
    ListOf,
    Number,
    Numbers,
    Object,
    OrNull,
    Shape,
    Text,
    read_json,
    refused,
    shown,
)
from survtree._scoring.curves import LeafCurve

FORMAT = "survtree model"
VERSION = 1
# A thousand times the size of a large model; what is read takes about ten times as much memory.
MOST_BYTES = 2**28
STATUSES = (
    *("optimal", "guessed", "gap_reached"),
    *("time_limit", "memory_limit", "node_limit", "interrupted"),
)
# Not part of a model: what only the process of the fit can use.
NOT_KEPT = ("certificate", "warm_start", "verbose", "callback")
NUMBER, COUNT, WORD = Number(), Count(), Text()
CUTS = Either(
    (
        Text(10),
        Count(1),
        Numbers(),
        Object({"width": Count(1)}),
    ),
    "'auto', 'all', 'guess', a number of thresholds, a list of numbers or {\"width\": number}",
)
# What options hold is for the checks of options; here only what JSON can say of them.
OPTION_SHAPES: dict[str, Shape] = {
    "thresholds": Either(
        (CUTS, Object({"by_column": ByName(CUTS)})), "thresholds, or thresholds by column"
    ),
    "time_buckets": OrNull(Either((COUNT, Numbers(0)), "a whole number or a list of times")),
    "memory_limit": OrNull(Either((COUNT, Text(100)), "bytes, or a text such as '4GB'")),
    "reference": OrNull(WORD),
    "random_state": OrNull(COUNT),
    "missing": WORD,
    "encoding": WORD,
    "reference_mode": WORD,
    **{
        option.name: OrNull(Number() if option.kind == "float" else Count(-(2**31)))
        for option in OPTIONS
        if option.kind in ("int", "float") and option.name not in NOT_KEPT
    },
}
COLUMN = Object(
    {
        "name": WORD,
        "kind": Exactly(("number", "flag", "level", "ordered")),
        "levels": ListOf(WORD),
        "is_zero_one": Flag(),
        "has_missing": Flag(),
    }
)
QUESTION = Object(
    {
        "column": COUNT,
        "kind": Exactly(("one", "in", "up_to", "from", "at_most", "equals", "between", "missing")),
        "value": Either(
            (OrNull(NUMBER), WORD, Numbers(), ListOf(WORD)), "null, a number, a text or a list"
        ),
    }
)
LEAF = Object(
    {
        "node": COUNT,
        "n_rows": Count(1),
        "n_events": COUNT,
        "times": Numbers(0),
        "events": Numbers(0),
        "censored": Numbers(0),
        "survival": Numbers(0),
    }
)
GUESS = Object(
    {
        "reference": WORD,
        "loss": NUMBER,
        "conditional_bound": NUMBER,
        "lower_bound": NUMBER,
        "n_closed": COUNT,
    }
)
CERTIFICATE = Object(
    {
        "objective": Number(0),
        "loss": Number(0),
        "lower_bound": NUMBER,
        "status": Exactly(STATUSES),
        "n_leaves": Count(1),
        "regularization": Number(0),
        "max_depth": OrNull(Count(0, MAX_DEPTH_LIMIT)),
        "min_samples_leaf": Count(1),
        "tolerance": Number(0),
        "fingerprint": Text(64),
        "seconds": Number(0),
        "counts": ByName(COUNT),
        "time_buckets": OrNull(Either((COUNT, Numbers(0)), "a whole number or a list of times")),
        "max_leaves": OrNull(Count(1)),
        "exact_loss": OrNull(Number(0)),
        "guess": OrNull(GUESS),
    }
)
SNAPSHOT = Object(
    {
        "seconds": Number(0),
        "subsets_solved": COUNT,
        "lower_bound": NUMBER,
        "objective": NUMBER,
        "n_leaves": COUNT,
        "found_by": Text(1000),
        "pruned_by_budget": COUNT,
        "pruned_by_incremental_progress": COUNT,
        "pruned_by_leaf_count": COUNT,
        "pruned_by_guess": COUNT,
        "cache_hits": COUNT,
    }
)
MODEL = Object(
    {
        "format": Exactly((FORMAT,)),
        "version": Exactly((VERSION,)),
        "survtree": Text(40),
        "options": Object(OPTION_SHAPES),
        "columns": ListOf(COLUMN),
        "are_columns_named": Flag(),
        "questions": OrNull(ListOf(QUESTION)),
        "published_names": ListOf(WORD),
        "tree": Object({name: Numbers(-1, is_whole=True) for name in ("question", "no", "yes")}),
        "leaves": ListOf(LEAF),
        "certificate": CERTIFICATE,
        "ibs_ratio": Number(high=1),
        "exact_loss": Number(0),
        "history": ListOf(SNAPSHOT),
        "roles": OrNull(
            Object(
                {
                    "time": WORD,
                    "event": WORD,
                    "event_values": ListOf(WORD),
                    "weight": OrNull(WORD),
                }
            )
        ),
    }
)


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "survtree model",
        "description": "A fitted optimal survival tree, as survtree.export_json writes it.",
        **MODEL.schema(),
    }


def check_model_file(path: Path, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """What a file holds, or an error that says what is wrong with it."""
    try:
        given = read_json(path, most_bytes)
        _check_version(given)
        model = MODEL.check(given, "")
        _check_options(model["options"])
        _check_questions(model)
        tree = _check_tree(model)
        curves = _check_leaves(model["leaves"], tree)
        _check_certificate(model, tree)
        return {**model, "tree": tree, "leaves": curves}
    except (ValueError, TypeError, OverflowError) as error:
        told = one_line_message(error)
        raise ValueError(f"{path} must be a model that survtree exported; {told}") from error


def _check_version(given: Any) -> None:
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError(
            f'it has no "format": "{FORMAT}". Pass a file that export_json or \'survtree fit\' '
            "wrote."
        )
    found = given.get("version")
    if type(found) is int and found > VERSION:
        raise ValueError(
            f"survtree {version('survtree')} reads versions up to {VERSION}; it has version "
            f"{shown(found)} of survtree {shown(given.get('survtree'))}. Install a newer survtree."
        )


def _check_options(options: dict[str, Any]) -> None:
    try:
        for name, value in options.items():
            check_option(name, value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{error} {EXPORT_AGAIN}") from error


# Which questions can be asked of which kind of column.
ASKED_OF = {
    "number": ("one", "at_most", "equals", "between", "missing"),
    "flag": ("one", "missing"),
    "level": ("in", "missing"),
    "ordered": ("in", "up_to", "from", "missing"),
}


def _check_questions(model: dict[str, Any]) -> None:
    columns, names = model["columns"], [column["name"] for column in model["columns"]]
    if len(set(names)) < len(names) or not names:
        raise refused("columns", "at least one, with names that differ", names)
    for k, question in enumerate(model["questions"] or []):
        place, kind = f"questions[{k}]", question["kind"]
        if question["column"] >= len(columns):
            raise refused(f"{place}.column", f"below {len(columns)}", question["column"])
        of = columns[question["column"]]["kind"]
        if kind not in ASKED_OF[of]:
            raise refused(f"{place}.kind", f"one of {', '.join(ASKED_OF[of])} ({of})", kind)
        question["value"] = _value(kind, question["value"], f"{place}.value")


def _value(kind: str, value: Any, place: str) -> Any:
    """What a question compares with, as Question keeps it."""
    if kind == "missing" and value is None:
        return None
    if kind == "one" and (value is None or isinstance(value, str)):
        return value
    if kind in ("at_most", "equals") and isinstance(value, float):
        return value
    if kind == "between" and isinstance(value, np.ndarray) and len(value) == 2:
        return tuple(value.tolist())
    is_list = kind in ("in", "up_to", "from") and isinstance(value, list)
    if is_list and value and all(isinstance(level, str) for level in value):
        return tuple(value)
    raise refused(place, f"what a question of kind {kind!r} compares with", value)


def _check_tree(model: dict[str, Any]) -> Tree:
    """Nodes in preorder, each but the root the child of one node before it."""
    asked, columns = model["questions"], model["columns"]
    n_questions = len(columns if asked is None else asked)
    tree = Tree(*(model["tree"][name] for name in ("question", "no", "yes")))
    n = tree.n_nodes
    if n == 0 or len(tree.no) != n or len(tree.yes) != n:
        sizes = [len(array) for array in (tree.question, tree.no, tree.yes)]
        raise refused("tree", "three lists of one length", sizes)
    is_leaf = tree.question < 0
    if (tree.question >= n_questions).any():
        raise refused("tree.question", f"below {n_questions}", int(tree.question.max()))
    if (tree.no[is_leaf] != -1).any() or (tree.yes[is_leaf] != -1).any():
        raise refused("tree", "such that a leaf has the children -1", _children_of(tree))
    children = np.concatenate([tree.no[~is_leaf], tree.yes[~is_leaf]])
    parents = np.tile(np.flatnonzero(~is_leaf), 2)
    is_tree = len(children) == n - 1 and len(np.unique(children)) == n - 1
    if not is_tree or (children >= n).any() or (children <= parents).any():
        wanted = "such that each node but the first has one parent, which comes before it"
        raise refused("tree", wanted, _children_of(tree))
    if int(tree.depths().max()) > MAX_DEPTH_LIMIT:
        raise refused("tree", f"at most {MAX_DEPTH_LIMIT} deep", int(tree.depths().max()))
    return tree


def _children_of(tree: Tree) -> list[list[int]]:
    """No and yes of each node."""
    return [tree.no.tolist(), tree.yes.tolist()]


def _check_leaves(leaves: list[dict[str, Any]], tree: Tree) -> dict[int, LeafCurve]:
    nodes = [leaf["node"] for leaf in leaves]
    if nodes != tree.leaves.tolist():
        raise refused("leaves", f"those of the tree, {shown(tree.leaves.tolist())}", nodes)
    curves = {leaf["node"]: _curve(leaf, f"leaves[{k}]") for k, leaf in enumerate(leaves)}
    if not any(curve.n_events for curve in curves.values()):
        raise refused("leaves", "such that some row has an event", "none")
    if max(curve.times[-1] for curve in curves.values()) <= 0:
        raise refused("leaves", "such that some time is above 0", "none")
    return curves


def _curve(leaf: dict[str, Any], place: str) -> LeafCurve:
    lists = [leaf[name] for name in ("times", "events", "censored", "survival")]
    times, events, censored, survival = lists
    n = len(times)
    if n == 0 or any(len(each) != n for each in lists):
        raise refused(place, "four lists of one length", [len(each) for each in lists])
    if (np.diff(times) <= 0).any():
        raise refused(f"{place}.times", "ascending", times.tolist())
    if n > leaf["n_rows"] or leaf["n_events"] > leaf["n_rows"]:
        raise refused(f"{place}.n_rows", "at least the number of its times and events", n)
    is_empty = events + censored <= 0
    if is_empty.any() or bool(events.any()) != (leaf["n_events"] > 0):
        wanted = "such that each time has rows, and events only if n_events counts some"
        raise refused(place, wanted, leaf["n_events"])
    curve = LeafCurve(leaf["n_rows"], leaf["n_events"], times, events, censored)
    if not np.allclose(curve.survival(times), survival, rtol=0, atol=1e-9):
        raise refused(
            f"{place}.survival", "the Kaplan-Meier curve of its counts", survival.tolist()
        )
    return curve


def _check_certificate(model: dict[str, Any], tree: Tree) -> None:
    proof: dict[str, Any] = model["certificate"]
    loss, price, objective = proof["loss"], proof["regularization"], proof["objective"]
    if proof["n_leaves"] != len(tree.leaves):
        raise refused("certificate.n_leaves", f"{len(tree.leaves)}", proof["n_leaves"])
    if abs(loss + price * proof["n_leaves"] - objective) > 1e-9 * max(1.0, objective):
        raise refused("certificate.objective", "loss + regularization x leaves", objective)
    bound, is_optimal = proof["lower_bound"], proof["status"] == "optimal"
    if bound > objective or (is_optimal and bound != objective):
        raise refused("certificate.lower_bound", "at most the objective, equal if optimal", bound)
    if len(proof["fingerprint"]) != 64 or set(proof["fingerprint"]) - set("0123456789abcdef"):
        raise refused("certificate.fingerprint", "64 digits of base 16", proof["fingerprint"])
