"""A horizon on random tables: what it leaves as it is, and what it censors."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from tests.support.loss_to_horizon import random_horizon
from tests.support.problems import random_case

# Some of the made-up rows are followed for much longer than all others.
pytestmark = [
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
    # Some split decides the event.
    pytest.mark.filterwarnings("ignore::survtree.DataWarning"),
]


def fitted(case, **options):
    problem = case.problem
    events = problem.events
    model = OptimalSurvivalTree(
        min(3, 3 if problem.max_depth is None else problem.max_depth),
        problem.regularization,
        min_samples_leaf=problem.min_samples_leaf,
        **options,
    )
    return model.fit(problem.answers, (events.event, events.time), events.weight)


def told(model, X):
    """All that a fit says, but for the horizon itself."""
    curves = model.predict_survival_function(X, return_array=True)
    return (
        *(model.objective_, model.loss_, model.lower_bound_, model.ibs_ratio_, model.status_),
        *(model.certificate_.fingerprint, model.certificate_.counts["subsets_solved"]),
        *(model.tree_.question.tolist(), model.tree_.yes.tolist(), curves.tobytes()),
    )


@pytest.mark.parametrize("seed", range(720_000, 720_040))
def test_a_horizon_from_the_largest_time_on_changes_no_bit(seed):
    case = random_case(seed)
    X, last = case.problem.answers, float(case.problem.events.time.max())
    plain = told(fitted(case), X)
    for horizon in (None, last, np.nextafter(last, np.inf), 3 * last):
        assert told(fitted(case, horizon=horizon), X) == plain


@pytest.mark.parametrize("seed", range(730_000, 730_040))
def test_a_horizon_is_a_fit_of_rows_censored_at_it_with_the_curves_of_all_times(seed):
    case = random_case(seed)
    X, events = case.problem.answers, case.problem.events
    h = random_horizon(np.random.default_rng(seed), events.time, events.event)
    model = fitted(case, horizon=h)
    is_before = events.time < min(h, events.time.max())
    event = events.event & (is_before | (h >= events.time.max()))
    censored = OptimalSurvivalTree(**model.get_params() | {"horizon": None})
    censored.fit(X, (event, np.minimum(events.time, h)), events.weight)
    assert model.objective_ == censored.objective_
    assert np.array_equal(model.apply(X), censored.apply(X))
    assert np.array_equal(model.unique_times_, np.unique(events.time))
    assert model.certificate_.verify(X, (events.event, events.time), events.weight)
