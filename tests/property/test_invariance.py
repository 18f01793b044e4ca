"""What must not change the answer: order of rows, order of columns, copies, threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survtree import OptimalSurvivalTree, export_text
from tests.support.problems import random_case

# Some of the made-up rows are followed for much longer than all others.
pytestmark = [
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
    # Some split decides the event.
    pytest.mark.filterwarnings("ignore::survtree.DataWarning"),
]


def fitted(X, y, weight=None, **options):
    return OptimalSurvivalTree(**options).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("seed", range(800_000, 800_060))
def test_row_and_column_order_do_not_change_the_tree(seed):
    problem = random_case(seed).problem
    n, p = problem.answers.shape
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(n), rng.permutation(p)
    frame = pd.DataFrame(problem.answers, columns=[f"column {j}" for j in range(p)])
    events = problem.events
    options = {
        "max_depth": 3 if problem.max_depth is None else min(3, problem.max_depth),
        "regularization": problem.regularization,
        "min_samples_leaf": problem.min_samples_leaf,
        "min_events_leaf": problem.min_events_leaf,
    }
    model = fitted(frame, (events.event, events.time), events.weight, **options)
    shuffled = frame.iloc[rows, columns]
    again = fitted(
        shuffled, (events.event[rows], events.time[rows]), events.weight[rows], **options
    )
    assert again.objective_ == pytest.approx(model.objective_, rel=1e-13)
    assert export_text(again) == export_text(model)
    assert np.array_equal(model.tree_.no, again.tree_.no)
    assert np.array_equal(model.apply(frame)[rows], again.apply(shuffled))


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))
    p = draw(st.integers(1, 4))
    bits = draw(st.lists(st.booleans(), min_size=n * p, max_size=n * p))
    times = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    flags = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    times[0], flags[0] = max(times[0], 1), True
    return np.array(bits).reshape(n, p), (np.array(flags), np.array(times, dtype=float))


@settings(deadline=None, max_examples=150)
@given(tables(), st.integers(0, 6), st.sampled_from([None, 2]))
def test_every_leaf_has_the_events_asked_for_and_asking_for_more_costs(table, n_events, max_leaves):
    X, y = table
    options = {"max_depth": 3, "regularization": 0.0, "min_samples_leaf": 1}
    few, more = (
        fitted(X, y, max_leaves=max_leaves, min_events_leaf=n, **options)
        for n in (n_events, n_events + 1)
    )
    for model in (few, more):
        fewest = min(curve.n_events for curve in model.leaf_curves_.values())
        assert model.n_leaves_ == 1 or fewest >= model.min_events_leaf_
        assert model.certificate_.verify(X, y)
    assert (few.min_events_leaf_, more.min_events_leaf_) == (n_events, n_events + 1)
    assert more.objective_ >= few.objective_ - 1e-12


@settings(deadline=None, max_examples=150)
@given(tables(), st.integers(0, 3), st.sampled_from([0.0, 1e-4, 0.01, 0.3]))
def test_objective_never_rises_when_depth_grows(table, depth, regularization):
    X, y = table
    options = {"regularization": regularization, "min_samples_leaf": 1}
    shallow = fitted(X, y, max_depth=depth, **options)
    deep = fitted(X, y, max_depth=depth + 1, **options)
    assert deep.objective_ <= shallow.objective_ + 1e-12
    assert shallow.depth_ <= depth
    unlimited = fitted(X, y, max_depth=None, **options)
    assert unlimited.objective_ <= deep.objective_ + 1e-12
    assert unlimited.status_ == shallow.status_ == "optimal"


@settings(deadline=None, max_examples=100)
@given(tables(), st.integers(2, 5))
def test_repeated_rows_and_equal_weights_change_nothing(table, times):
    X, y = table
    options = {"max_depth": 2, "regularization": 0.01, "min_samples_leaf": 1}
    once = fitted(X, y, **options)
    many = fitted(np.repeat(X, times, 0), tuple(np.repeat(part, times) for part in y), **options)
    heavy = fitted(X, y, np.full(len(X), float(times)), **options)
    assert many.objective_ == pytest.approx(once.objective_, abs=1e-12)
    assert heavy.objective_ == pytest.approx(once.objective_, abs=1e-12)
    assert np.array_equal(many.predict(X), heavy.predict(X))


@settings(deadline=None, max_examples=100)
@given(tables(), st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(table, unit):
    X, (event, time) = table
    options = {"max_depth": 2, "regularization": 0.001, "min_samples_leaf": 1}
    days = fitted(X, (event, time), **options)
    others = fitted(X, (event, time * unit), **options)
    assert others.objective_ == pytest.approx(days.objective_, rel=1e-9)


@pytest.mark.parametrize(("regularization", "n_cases"), [(0.01, 24), ("auto", 6)])
def test_threads_give_what_one_gives(regularization, n_cases):
    cases = [random_case(seed).problem for seed in range(900_000, 900_000 + n_cases)]

    def objective(problem):
        events, options = problem.events, {"regularization": regularization}
        model = fitted(problem.answers, (events.event, events.time), events.weight, **options)
        return model.objective_, model.tree_.question.tolist()

    alone = [objective(problem) for problem in cases]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(objective, cases)) == alone
