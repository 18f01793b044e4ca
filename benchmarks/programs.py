"""Programs under comparison: each fits once, in a fresh process, through its adapter."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import data

HERE = Path(__file__).parent
PROGRAMS = {
    "osst": (HERE.parent / ".venv/rivals/bin/python", HERE / "rivals/osst_adapter.py"),
    "ours": (Path(sys.executable), HERE / "rivals/survtree_adapter.py"),
}
MIN_SAMPLES_LEAF = 7


def run(
    program: str, case: data.Encoded, depth: int, regularization: float, limit_s: float
) -> dict[str, Any]:
    """The adapter's answer, or a status alone when the process was killed or died."""
    request = {
        "csv": str(case.path),
        "index_col": case.is_numbered,
        "max_depth": depth,
        "regularization": regularization,
        "min_samples_leaf": MIN_SAMPLES_LEAF,
        "time_limit": None,
    }
    python, adapter = PROGRAMS[program]
    try:
        done = subprocess.run(
            [str(python), str(adapter)],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=limit_s + 10,  # starting the process is not the fit
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"status": "killed"}
    if done.returncode != 0:
        return {"status": "crashed"}
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
