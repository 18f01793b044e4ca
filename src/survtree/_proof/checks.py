"""What is asked of proofs."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


def check_has_proof(proof: T | None, status: str) -> T:
    """The full proof of a certificate, or an error that says which options lead to one."""
    if proof is None:
        raise ValueError(
            f"write_proof needs a full proof; the certificate has its numbers only (status "
            f"{status!r}). Fit with certificate='full' until the status is 'optimal'; a loaded "
            "model has no proof."
        )
    return proof


def targets_for(
    loss_kind: str, given: Any, kept: NDArray[np.float64] | None, n_rows: int
) -> NDArray[np.float64] | None:
    """The teacher's vectors that a loss was computed with: given, or kept since the fit."""
    if loss_kind == "brier":
        _require_none(given)
        return None
    if given is None and kept is None:
        raise ValueError(
            "verify needs targets: the loss was computed against a teacher, and a model file does "
            "not keep its vectors. Pass targets=certificate_.targets of the model as it was fitted."
        )
    targets = np.asarray(kept if given is None else given, dtype=np.float64)
    if targets.ndim != 2 or len(targets) != n_rows:
        raise ValueError(
            f"targets must have one row for each of the {n_rows} rows of X; their shape is "
            f"{targets.shape}. Pass the rows of the fit, in their order."
        )
    return targets


def _require_none(given: Any) -> None:
    if given is not None:
        raise ValueError(
            "targets are for a model that was fitted with a teacher; this one was not. Leave "
            "targets away."
        )
