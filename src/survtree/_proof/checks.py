"""Checks of what users ask of a certificate."""

from survtree._proof.proof_file import ProofLog


def check_has_proof(proof: ProofLog | None, status: str) -> ProofLog:
    """The proof of a certificate, or an error that says how to get one."""
    if proof is None:
        raise ValueError(
            f"write_proof needs a full proof; the certificate has its numbers only (status "
            f"{status!r}). Fit with certificate='full' until the status is 'optimal'; a loaded "
            "model has no proof."
        )
    return proof
