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
    return {"$schema": dialect, "title": FORMAT, **msgspec.json.schema(ModelFile)}


def page() -> str:
    """The schema as the code has it now."""
    return json.dumps(json_schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
