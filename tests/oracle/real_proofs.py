"""Proof files of real data sets: `python -m tests.oracle.real_proofs [--data FOLDER]`.

Depth 3, regularization 0.005: of the raw tables in the package, and of the paper's 0/1 columns if
there is a folder with them (`make data`). A proof must be accepted, and no longer once its tree is
said to cost less.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import data
from survtree import OptimalSurvivalTree, check_proof
from survtree.datasets import load
from tests.oracle.proofs import signed, verdict_of

NAMES = ("veterans", "gbsg2", "whas500")


def tables(folder: Path | None) -> Iterator[tuple[str, Any, Any]]:
    """Name, covariates and outcome."""
    for name in NAMES:
        yield name, *load(name)
    for name in NAMES if folder is not None else ():
        encoded = data.read(folder, name)
        yield f"{name}, 0/1 columns", encoded.X, (encoded.event == 1, encoded.time)


def cheaper(path: Path) -> bytes:
    """The same proof of a tree that would cost a millionth less."""
    lines = path.read_text(encoding="utf-8").splitlines()[:-1]
    head = json.loads(lines[1])
    head["objective"] *= 1.0 - 1e-6
    return signed([lines[0], json.dumps(head), *lines[2:]])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    arguments = parser.parse_args()
    n_wrong = 0
    for name, X, y in tables(arguments.data):
        model = OptimalSurvivalTree(3, 0.005, certificate="full").fit(X, y)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "proof"
            model.certificate_.write_proof(path)
            start = time.perf_counter()
            verdict = check_proof(path)
            seconds = time.perf_counter() - start
            is_right = bool(verdict) and not verdict_of(cheaper(path))
            size = path.stat().st_size / 1000
        n_wrong += not is_right
        questions = model._fitted.problem.answers.shape[1]
        print(
            f"{name}: {len(X)} rows, {questions} questions, {model.n_leaves_} leaves; "
            f"{verdict.n_claims:,} claims, {size:,.0f} kB, checked in {seconds:.1f} s: {verdict}"
            f"{'' if is_right else '; FAILED'}",
            flush=True,
        )
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
