"""What is asked of proofs."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from survtree._scoring.teachers import BUILT_IN

T = TypeVar("T")
MOST_NESTED = 400  # Python reads and writes JSON up to about 900 lists in each other


def check_has_proof(proof: T | None, status: str) -> T:
    """The full proof of a certificate, or an error that says which options lead to one."""
    if proof is None:
        raise ValueError(
            f"write_proof needs a full proof; the certificate has its numbers only (status "
            f"{status!r}). Fit with certificate='full' until the status is 'optimal'; a loaded "
            "model has no proof."
        )
    return proof


def check_proof_depth(depth: int) -> None:
    """Refuse a tree that is nested more deeply than JSON can be read."""
    if depth > MOST_NESTED:
        raise ValueError(
            f"a tree must be at most {MOST_NESTED} deep for a proof file, which nests a list for "
            f"each split of a path; this one is {depth} deep. Fit with a smaller max_depth."
        )


def check_can_be_made(teacher: str | None, seed: int | None) -> tuple[str, int]:
    """Name and seed of a built-in teacher, whose vectors can be made again."""
    if teacher not in BUILT_IN or seed is None:
        raise ValueError(
            "verify needs targets: the loss was computed against a teacher, and a model file does "
            "not keep its vectors. Pass targets=certificate_.targets of the model as it was fitted."
        )
    return teacher, seed


def check_targets(given: Any, n_rows: int) -> NDArray[np.float64]:
    """Vectors of a teacher, one for each row."""
    targets = np.asarray(given, dtype=np.float64)
    if targets.ndim != 2 or len(targets) != n_rows:
        raise ValueError(
            f"targets must have one row for each of the {n_rows} rows of X; their shape is "
            f"{targets.shape}. Pass the rows of the fit, in their order."
        )
    return targets


def check_no_targets(given: Any) -> None:
    """There are none without a teacher."""
    if given is not None:
        raise ValueError(
            "targets are for a model that was fitted with a teacher; this one was not. Leave them "
            "out."
        )
