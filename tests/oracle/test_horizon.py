"""The search with a horizon against brute force with the loss integrated to it.

``make oracle`` runs thousands more of the same.
"""

import numpy as np
import pytest

from survtree._scoring.losses import LossByDefinition
from tests.support.loss_to_horizon import (
    LossToHorizon,
    check_horizon,
    random_horizon,
    slow_loss,
)
from tests.support.problems import incidence_case, random_case


@pytest.mark.parametrize("block", range(20))
def test_the_optimum_is_that_of_the_loss_integrated_to_the_horizon(block):
    for seed in range(700_000 + 10 * block, 700_010 + 10 * block):
        check_horizon(random_case(seed))
        check_horizon(incidence_case(seed))


@pytest.mark.parametrize(("horizon", "loss"), [(None, 0.163845486111), (5, 0.15625)])
def test_the_slow_loss_agrees_with_numbers_worked_out_by_hand(horizon, loss):
    slow = LossToHorizon([1, 2, 3, 3, 5, 6], [1, 0, 1, 0, 1, 0], np.ones(6), horizon)
    assert slow.leaf_loss(np.ones(6, bool)) == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize("block", range(20))
def test_censoring_at_the_horizon_is_an_exact_change_of_the_data(block):
    for seed in range(710_000 + 20 * block, 710_020 + 20 * block):
        make_case = incidence_case if seed % 2 else random_case
        rng, events = np.random.default_rng(seed), make_case(seed).problem.events
        h = random_horizon(rng, events.time, events.event)
        slow = slow_loss(events, h)
        rows = rng.random(len(events)) < 0.6
        quick = LossByDefinition.of(events.until(h)).leaf_loss(rows)
        assert quick == pytest.approx(slow.leaf_loss(rows), rel=1e-9, abs=1e-15), seed
