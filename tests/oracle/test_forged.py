"""Forged proofs are rejected, and the arithmetic that rejects them is never on the wrong side."""

from fractions import Fraction

import numpy as np
import pytest

from survtree._data.read_weight import MAX_WEIGHT, MAX_WEIGHT_RATIO
from survtree._proof import read_proof
from survtree._proof.checker_losses import at_least, at_most, losses_of
from tests.oracle.forged import EXTREMES, KINDS, LOSSES, Parts, forged, right_proof
from tests.support.exact_losses import ExactLosses

N_BLOCKS = 10


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_what_is_accepted_is_right(block):
    first = 600_000 + 15 * block
    found = list(forged(range(first, first + 15)))
    assert len(found) == 15 * (1 + len(KINDS))
    assert [each for each in found if each[2] == "FAILED"] == []


def test_the_limits_on_weights_are_those_of_a_fit():
    limits = read_proof.MAX_WEIGHT_RATIO, read_proof.MAX_WEIGHT
    assert limits == (MAX_WEIGHT_RATIO, MAX_WEIGHT)


def with_extreme_numbers(parts, rng):
    """Numbers from all over the range, where a proof may have them."""
    power = rng.uniform(-99, 88)
    few = rng.choice([*EXTREMES, "0.0", "1.0", "1.0000000000000002"], 5)
    for row in parts.rows:
        row[0] = str(rng.choice(few))
        row[2] = repr(float(10.0 ** (power + rng.choice([0.0, 11.9, rng.uniform(0, 11.9)]))))
        row[4:] = [repr(float(10.0 ** rng.uniform(-110, 110))) for _ in row[4:]]
    parts.rows[0][0] = "3.0"
    parts.head["horizon"] = None


@pytest.mark.parametrize("is_extreme", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_bounded_from_both_sides_whatever_rounding_does(loss, is_extreme):
    n_checked = 0
    for seed in range(40):
        rng, parts = np.random.default_rng(seed), Parts.of(right_proof(seed, loss))
        if is_extreme:
            with_extreme_numbers(parts, rng)
        problem = read_proof.read_proof(parts.raw()).problem
        losses, exact = losses_of(problem), ExactLosses(problem)
        for _ in range(10):
            inside = rng.random(len(problem.time)) < rng.choice([0.2, 0.5, 1.0])
            rows = np.flatnonzero(inside)
            if len(rows) == 0:
                continue
            computed = losses.as_leaves(np.arange(len(inside)), inside[:, None].astype(float))
            truth = exact.of_leaf(tuple(rows.tolist()))
            assert Fraction(float(at_least(losses, computed)[0])) <= truth, seed
            assert truth <= Fraction(at_most(losses, float(computed[0]))), seed
            n_checked += 1
    assert n_checked > 300
