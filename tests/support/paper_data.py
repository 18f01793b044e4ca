"""Where the paper's data sets are, for tests that want them; on other machines those skip."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The last is where some machines keep them, beside the repository.
PLACES = (ROOT / ".data", ROOT.parent / "shared" / "data")


def paper_data() -> Path:
    """The folder that `make data` fills, the one that $SURVTREE_DATA names, or one beside ours."""
    named = os.environ.get("SURVTREE_DATA")
    for folder in (Path(named),) if named else PLACES:
        if (folder / "veterans.csv").exists():
            return folder
    pytest.skip("the paper's data sets are not here; make data fetches them")
