"""Bad model files, and what is asked of tables of leaves."""

import contextlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from survtree import OptimalSurvivalTree, export_json, leaf_table, load
from tests.support.bad_inputs.case import TABLE, Case, Y


def fitted() -> Any:
    """A tree of two leaves."""
    return OptimalSurvivalTree(1, 0.0, min_samples_leaf=2).fit(TABLE, Y)


def loaded(text: str | bytes, **options: Any) -> None:
    """Reads a file with this in it; complaints must not depend on where it is."""
    raw = text.encode() if isinstance(text, str) else text
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("model.json").write_bytes(raw)
        load("model.json", **options)


def changed(change: Callable[[dict[str, Any]], Any]) -> None:
    """Reads the file of a model in which something was changed."""
    model = json.loads(export_json(fitted()))
    change(model)
    loaded(json.dumps(model))


def wrong(title: str, *path: Any, value: Any) -> Case:
    """A file that has another value at the end of a path."""

    def change(model: Any) -> None:
        for key in path[:-1]:
            model = model[key]
        model[path[-1]] = value

    return Case(title, lambda: changed(change))


FILES: dict[str, list[Case]] = {
    "Model files": [
        Case("an empty file", lambda: loaded("")),
        Case("not text", lambda: loaded(b"\xff\xfe\x00")),
        Case("half a file", lambda: loaded(export_json(fitted())[:1000])),
        Case("nested a million deep", lambda: loaded("[" * 1_000_000)),
        Case("a name twice in one object", lambda: loaded('{"format": 1, "format": 2}')),
        Case("NaN", lambda: loaded('{"format": NaN}')),
        Case("other JSON", lambda: loaded('{"name": "a"}')),
        Case("larger than it may be", lambda: loaded("[1, 2, 3, 4]", most_bytes=10)),
        wrong("of a later version", "version", value=99),
        Case("a part less", lambda: changed(lambda model: model.pop("tree"))),
        wrong("a part of the tree too many", "tree", "command", value="rm -rf"),
        wrong("a number that is none", "ibs_ratio", value="high"),
        wrong("a flag that is none", "are_columns_named", value=1),
        wrong("a text that is none", "columns", 0, "name", value=1),
        wrong("a list that is none", "history", value=1),
        wrong("a list of numbers with a text", "leaves", 0, "times", value=["x"]),
        wrong("numbers below 0", "leaves", 0, "events", value=[-1]),
        wrong("an object that is none", "certificate", value=[]),
        wrong("a kind of column that there is not", "columns", 0, "kind", value="date"),
        wrong("an option out of range", "options", "gap", value=2.0),
        wrong("two columns of one name", "columns", 1, "name", value="age"),
        wrong("a question of no column", "questions", 0, "column", value=99),
        wrong("a question that its column cannot answer", "columns", 0, "kind", value="flag"),
        wrong("a question without a value", "questions", 0, "value", value=None),
        wrong("lists of different lengths", "tree", "no", value=[1]),
        wrong("a node that is its own child", "tree", "no", value=[0, -1, -1]),
        wrong("a question that is not asked", "tree", "question", value=[99, -1, -1]),
        wrong("a leaf with children", "tree", "no", value=[2, 1, -1]),
        wrong("leaves of another tree", "leaves", 0, "node", value=7),
        Case(
            "times that do not ascend", lambda: changed(lambda m: m["leaves"][0]["times"].reverse())
        ),
        wrong("a leaf with fewer rows than times", "leaves", 0, "n_rows", value=1),
        wrong("a leaf whose events are not counted", "leaves", 0, "n_events", value=0),
        wrong("another curve", "leaves", 0, "survival", 0, value=0.123),
        wrong("another number of leaves", "certificate", "n_leaves", value=9),
        wrong("another objective", "certificate", "objective", value=9.0),
        wrong("a bound above the objective", "certificate", "lower_bound", value=9.0),
        wrong(
            "a bound over every cut above the objective",
            "certificate",
            "every_cut_bound",
            value=9.0,
        ),
        wrong("another loss on exact times", "exact_loss", value=0.5),
        wrong("another fingerprint", "certificate", "fingerprint", value="x"),
    ],
    "Tables of leaves": [
        Case("`confidence=95`", lambda: leaf_table(fitted(), confidence=95), ("95",)),
        Case("`until=-1`", lambda: leaf_table(fitted(), until=-1), ("-1",)),
        Case("`times=[5, 2]`", lambda: leaf_table(fitted(), [5, 2]), ("2", "5")),
        Case("`backend='panda'`", lambda: leaf_table(fitted(), backend="panda"), ("'pandas'",)),
    ],
}
