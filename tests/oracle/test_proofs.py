"""Proof files: claims against brute force, right proofs accepted, wrong ones not."""

import numpy as np
import pytest

from tests.oracle.proofs import Tampering, proof_of_case, verdict_of
from tests.support.problems import brute_force, random_case, root_loss

N_BLOCKS = 5


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_every_claim_is_true(block):
    for seed in range(900_000 + 20 * block, 900_000 + 20 * (block + 1)):
        case = random_case(seed)
        proof = proof_of_case(case)
        slow, slack = brute_force(case.problem), 1e-9 * root_loss(case.problem)
        yes, ends = case.problem.answers.astype(bool), np.cumsum(proof.n_steps)
        for end, n, depth, bound in zip(ends, proof.n_steps, proof.depth, proof.bound, strict=True):
            rows = np.ones(len(yes), bool)
            for step in proof.steps[end - n : end]:
                rows &= yes[:, abs(step) - 1] == (step > 0)
            assert slow._best(rows, min(int(depth), slow.features.shape[1])) >= bound - slack, case


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_right_proofs_are_accepted_and_say_the_optimum(block):
    for seed in range(910_000 + 20 * block, 910_000 + 20 * (block + 1)):
        case = random_case(seed)
        verdict = verdict_of(proof_of_case(case).to_bytes())
        optimum = brute_force(case.problem).optimum(case.problem.max_depth)
        assert verdict, (case, verdict)
        assert abs(verdict.objective - optimum) <= 1e-9 * root_loss(case.problem), case
        assert verdict.fingerprint == case.problem.fingerprint()


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_tampered_proofs_are_rejected_whatever_was_done(block):
    for seed in range(920_000 + 20 * block, 920_000 + 20 * (block + 1)):
        case = random_case(seed)
        tampering = Tampering(case, proof_of_case(case), np.random.default_rng(seed))
        for way in tampering.ways():
            assert not verdict_of(tampering.tampered(way)), (case, way)
