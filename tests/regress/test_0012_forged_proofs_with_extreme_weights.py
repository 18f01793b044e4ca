"""Proofs of other trees than the best, accepted because weights took losses out of range.

Equal weights of 1e160 made the product of two of them infinite, and with it the bound of a group;
of 1e-316 they made it no number, which a minimum passes over; and beside 1e20 and 1e50 the weight
of 1 vanished from 1 - S. Found by an attack on the checker.
"""

import numpy as np
import pytest

from tests.oracle.forged import LOSSES, Parts, other_tree, outcome_of, right_proof
from tests.oracle.proofs import verdict_of


@pytest.mark.parametrize("weights", [["1e160"], ["1e-316"], ["1.0", "1e20", "1e50", "1.0"]])
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_that_a_fit_refuses_are_refused(weights, loss):
    for seed in range(20):
        parts = Parts.of(right_proof(3 * seed + LOSSES.index(loss), loss))
        other_tree(parts, np.random.default_rng(seed))
        for place, row in enumerate(parts.rows):
            row[2] = weights[place % len(weights)]
        assert outcome_of(parts, other_tree) == "rejected"
        assert verdict_of(parts.raw()).reason.startswith("weights must")
