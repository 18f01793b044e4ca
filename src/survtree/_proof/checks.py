"""What is asked of proofs."""

from typing import TypeVar

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
