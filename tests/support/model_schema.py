"""The published schema of model files: ``python -m tests.support.model_schema`` writes it anew."""

import json
from pathlib import Path

from survtree._model.read_model_file import VERSION, json_schema

PAGE = Path(__file__).parents[2] / "docs" / "reference" / f"model-{VERSION}.schema.json"


def page() -> str:
    """The schema as the code has it now."""
    return json.dumps(json_schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
