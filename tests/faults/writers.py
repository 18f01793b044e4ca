"""What the package writes to a file of a given name; and whether a file is whole."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

from survtree import OptimalSurvivalTree, export_json, plot_tree
from survtree._data.files import write_parts
from survtree.datasets import load
from tests.support.runner import survtree

# How a whole file ends; the others are read.
ENDS = {".html": b"</html>", ".svg": b"</svg>", ".pdf": b"%%EOF", ".png": b"IEND\xaeB`\x82"}


def writers(max_depth: int) -> dict[str, Callable[[Path], None]]:
    """By the name of the file; what they write depends on the depth of a tree."""
    X, y = load("veterans")
    model = OptimalSurvivalTree(max_depth, 0.002, certificate="full").fit(X, y)
    table = pl.DataFrame({"leaf": model.apply(X), "risk": model.predict(X)})
    tree = plot_tree(model)

    with tempfile.NamedTemporaryFile(suffix=".json", delete=False) as source:
        export_json(model, source.name)

    def write_table(path: Path) -> None:
        write_parts(str(path), None, table.schema, lambda: iter([table]))

    def export(path: Path) -> None:
        """By the command line, whose only sign is its exit code."""
        run = survtree("export", source.name, "--output", str(path))
        if run.exit_code == 2:
            raise OSError(run.stderr)
        assert run.exit_code == 0, run

    return {
        "model.json": lambda path: export_json(model, path),
        "proof.txt": lambda path: model.certificate_.write_proof(path),
        "report.html": lambda path: model.report(path, X, y),
        "tree.svg": tree.save,
        "tree.png": tree.save,
        "tree.pdf": tree.save,
        "leaves.csv": write_table,
        "leaves.parquet": write_table,
        "rule.py": export,
    }


def is_whole(path: Path) -> bool:
    """Whether a file is one to its end."""
    content = path.read_bytes()
    if path.suffix == ".json":
        return isinstance(json.loads(content), dict)
    if path.suffix == ".txt":
        return content.endswith(b"\n") and b"\nsha256 " in content
    if path.suffix in (".csv", ".parquet"):
        read = pl.read_csv if path.suffix == ".csv" else pl.read_parquet
        return len(read(path)) == len(load("veterans")[1])
    if path.suffix == ".py":
        return bool(compile(content, path.name, "exec"))
    return content.rstrip().endswith(ENDS[path.suffix])
