"""osst 0.1.8, the program of the paper's authors, as a server of single fits, in survtree's units.

fork_server.py says how to talk to it. Runs in an environment of its own, which needs `osst==0.1.8`
and what that imports:

    pip install osst==0.1.8 attrs packaging editables "pandas<3" scikit-learn sortedcontainers \
        gmpy2 matplotlib scikit-survival numpy

Request: `path` (a CSV file: 0/1 columns, then the event column with 1 = event seen, then the time
column), `index_col` (true when the first column only numbers the rows), `max_depth` (splits, null:
no limit), `regularization`, `min_samples_leaf`, `time_limit` (seconds, null: none).

Result: `objective` and `loss` of the returned tree, osst's `lower_bound` and `upper_bound` (not
the objective of that tree when the search was stopped), `n_leaves`, `tree` (a split holds
`feature`, `true`, `false`; a leaf `loss`, `n_rows`, `n_events`); these are null without a tree.
`seconds` (the whole native call: parse, search, extract), `search_seconds` (osst's own clock),
`iterations`, `graph_size`, `timed_out`, and `status`:

    closed      osst reports equal bounds; this is its claim, not a proof
    time_limit  stopped by its time limit, which it overruns freely
    stalled     ran out of work with the bounds apart
    failed      returned no tree

One process fits once: osst keeps its options and its data in static variables, so a second fit in
the same process is wrong or aborts.
"""

import csv
import json
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from fork_server import Answer, Clock, serve

# The native module is called directly: the class around it overwrites the losses of the leaves with
# 0 and then routes every row through the tree in Python.
from osst import libosst

STATUS_DONE = 0
STATUS_STOPPED = 2


@dataclass(frozen=True)
class Request:
    """One fit, in survtree's units."""

    path: Path
    index_col: bool
    max_depth: int | None
    regularization: float
    min_samples_leaf: int
    time_limit: float | None

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Request":
        """Read a request; the last two fields may be left out."""
        max_depth, time_limit = fields["max_depth"], fields.get("time_limit")
        return cls(
            path=Path(fields["path"]),
            index_col=bool(fields.get("index_col", False)),
            max_depth=None if max_depth is None else int(max_depth),
            regularization=float(fields["regularization"]),
            min_samples_leaf=int(fields.get("min_samples_leaf", 7)),
            time_limit=None if time_limit is None else float(time_limit),
        )


@dataclass(frozen=True)
class Table:
    """The rows of a CSV file: 0/1 features, whether the event was seen, and when."""

    names: list[str]
    features: list[list[int]]
    events: list[int]
    times: list[float]

    @property
    def scale(self) -> float:
        """Ours to theirs: osst divides losses by y_max - y_min, survtree by y_max.

        Nothing else differs: before y_min every curve is 1 and no event has happened, so that
        stretch adds nothing to the loss.
        """
        y_max = max(self.times)
        return y_max / (y_max - min(self.times))

    def to_osst_csv(self) -> str:
        """Write the text osst parses: plain names, no exponents, equal times spelt equally.

        It splits lines at commas without regard to quotes and tells times apart by their text.
        """
        header = [f"f{j}" for j in range(len(self.names))] + ["event", "time"]
        lines = [",".join(header)]
        for row, event, y in zip(self.features, self.events, self.times, strict=True):
            lines.append(",".join([*map(str, row), str(event), format(Decimal(repr(y)), "f")]))
        return "\n".join(lines) + "\n"


def read_table(path: Path, *, index_col: bool) -> Table:
    """Read a data set and refuse what osst would silently misread."""
    with path.open(newline="", encoding="utf-8") as stream:
        header, *rows = list(csv.reader(stream))
    first = 1 if index_col else 0
    features = [[_flag(cell) for cell in row[first:-2]] for row in rows]
    events = [_flag(row[-2]) for row in rows]
    times = [float(row[-1]) for row in rows]
    if len(set(events)) < 2:
        raise ValueError("osst needs events and censorings; the event column has one value.")
    if not all(map(math.isfinite, times)) or min(times) == max(times):
        raise ValueError("osst needs finite times that differ.")
    return Table(header[first:-2], features, events, times)


def _flag(cell: str) -> int:
    value = float(cell)
    if value not in (0.0, 1.0):
        raise ValueError(f"feature and event columns must hold 0 or 1; found {cell!r}.")
    return int(value)


def configuration(request: Request, scale: float) -> dict[str, Any]:
    """Translate a request into osst's options."""
    # Its depth counts nodes on a path (a lone leaf is 1), and 0 means no limit.
    depth_budget = 0 if request.max_depth is None else request.max_depth + 1
    # It keeps whole seconds and reads 0 as no limit, so half a second must not be cut to 0.
    time_limit = 0 if request.time_limit is None else max(1, math.ceil(request.time_limit))
    return {
        "regularization": request.regularization * scale,
        "depth_budget": depth_budget,
        "minimum_captured_points": request.min_samples_leaf,
        "time_limit": time_limit,
        "worker_limit": 1,
        "model_limit": 1,
        "look_ahead": True,
    }


def fit(fields: dict[str, Any], clock: Clock) -> Answer:
    """Run osst on one request and translate its answer back."""
    request = Request.from_json(fields)
    table = read_table(request.path, index_col=request.index_col)
    options = configuration(request, table.scale)
    text = table.to_osst_csv()
    libosst.configure(json.dumps(options))
    with clock:
        models = json.loads(libosst.fit(text))

    status = _status(libosst.status(), models, clock.facts["seconds"], options["time_limit"])
    tree = _tree(models[0], table, list(range(len(table.times)))) if models else None
    leaves = _leaves(tree) if tree else []
    loss = sum(leaf["loss"] for leaf in leaves) if leaves else None
    penalty = request.regularization * len(leaves)
    return {
        "status": status,
        "timed_out": status == "time_limit",
        "objective": None if loss is None else loss + penalty,
        "loss": loss,
        "n_leaves": len(leaves) or None,
        "lower_bound": libosst.lower_bound() / table.scale if models else None,
        "upper_bound": libosst.upper_bound() / table.scale if models else None,
        "search_seconds": libosst.time(),
        "iterations": libosst.iterations(),
        "graph_size": libosst.size(),
        "tree": tree,
    }


def _status(code: int, models: list[Any], seconds: float, time_limit: int) -> str:
    if not models:
        return "failed"
    if code == STATUS_DONE:
        return "closed"
    # Code 2 also covers a search that emptied its queue without closing the gap.
    was_stopped = code == STATUS_STOPPED and 0 < time_limit <= seconds
    return "time_limit" if was_stopped else "stalled"


def _tree(node: dict[str, Any], table: Table, rows: list[int]) -> dict[str, Any]:
    if "prediction" in node:
        n_events = sum(table.events[i] for i in rows)
        return {"loss": node["loss"] / table.scale, "n_rows": len(rows), "n_events": n_events}
    # A 0/1 column becomes the question "== 1", and its index is that of the column we sent.
    column = node["feature"]
    sides: dict[int, list[int]] = {0: [], 1: []}
    for i in rows:
        sides[table.features[i][column]].append(i)
    return {
        "feature": table.names[column],
        "true": _tree(node["true"], table, sides[1]),
        "false": _tree(node["false"], table, sides[0]),
    }


def _leaves(tree: dict[str, Any]) -> list[dict[str, Any]]:
    if "feature" not in tree:
        return [tree]
    return _leaves(tree["true"]) + _leaves(tree["false"])


if __name__ == "__main__":
    serve(fit, ("osst",))
