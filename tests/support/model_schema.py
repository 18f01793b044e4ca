"""The published schema of model files: ``python -m tests.support.model_schema`` writes it anew."""

import json
from pathlib import Path
from typing import Any

import msgspec

from survtree._model.read_model_file import FORMAT, VERSION, ModelFile

PAGE = Path(__file__).parents[2] / "docs" / "reference" / f"model-{VERSION}.schema.json"


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema, made from the types that read it."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "title": FORMAT, **_sorted(msgspec.json.schema(ModelFile))}


def _sorted(node: Any) -> Any:
    """The alternatives in one order, since versions of msgspec differ in it."""
    if isinstance(node, dict):
        inner = {name: _sorted(each) for name, each in node.items()}
        return {n: sorted(v, key=json.dumps) if n == "anyOf" else v for n, v in inner.items()}
    return [_sorted(each) for each in node] if isinstance(node, list) else node


def page() -> str:
    """The schema as the code has it now."""
    return json.dumps(json_schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
