"""What the bootstrap counts adds up, and its scores are what they are called."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GroupKFold

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, bootstrap
from survtree._data.table import EventTable
from survtree._model.stability import Folding, bootstrap_samples
from survtree._scoring.scores import ibs_ratio
from survtree.datasets import load

X, y = load("veterans")
EVENT, TIME = y["event"], y["time"]
TREE = OptimalSurvivalTree(max_depth=2, regularization=0.004)
N_SAMPLES = 12


def counts(seed=0):
    """How often each row is in each of the samples."""
    events = EventTable(EVENT, TIME, np.ones(len(TIME)))
    return list(bootstrap_samples(events, N_SAMPLES, np.random.RandomState(seed)))


@pytest.fixture(scope="module")
def found():
    return bootstrap(TREE, X, y, n_bootstraps=N_SAMPLES, random_state=0)


@pytest.fixture(scope="module")
def fits():
    """The same fits, one by one."""
    models = []
    for drawn in counts():
        here = np.flatnonzero(drawn)
        outcome = EVENT[here], TIME[here]
        models.append(
            OptimalSurvivalTree(2, 0.004).fit(X[here], outcome, drawn[here].astype(float))
        )
    return models


def test_samples_are_as_large_as_the_study():
    assert {drawn.sum() for drawn in counts()} == {len(TIME)}
    rare = EventTable(np.arange(50) == 0, np.arange(1.0, 51.0), np.ones(50))
    samples = bootstrap_samples(rare, 20, np.random.RandomState(0))
    assert all(drawn[0] > 0 for drawn in samples)


def test_counts_are_those_of_the_fits(found, fits):
    roots = [m.questions_.text(m.tree_.question[0]) if m.n_leaves_ > 1 else None for m in fits]
    asked = [{m.questions_.text(j) for j in m.tree_.question if j >= 0} for m in fits]
    for text, root, anywhere, _ in found.questions.iter_rows():
        assert root == roots.count(text) / N_SAMPLES
        assert anywhere == sum(text in one for one in asked) / N_SAMPLES
    assert found.table() is found.questions


@pytest.mark.parametrize("kind", ["questions", "columns"])
def test_counts_add_up(found, fits, kind):
    table = getattr(found, kind)
    n_split = sum(model.n_leaves_ > 1 for model in fits)
    assert table["root"].sum() == pytest.approx(n_split / N_SAMPLES)
    assert (table["root"] <= table["anywhere"]).all()
    assert table["anywhere"].max() <= 1
    assert found.samples.height == N_SAMPLES


def test_what_the_fit_asks_is_marked(found):
    whole = OptimalSurvivalTree(2, 0.004).fit(X, y)
    asked = {whole.questions_.text(j) for j in whole.tree_.question if j >= 0}
    assert set(found.questions.filter(pl.col("in_fit"))["question"]) == asked
    assert found.model.objective_ == whole.objective_


def test_agreement_is_between_the_leaves_of_all_rows(found, fits):
    whole = OptimalSurvivalTree(2, 0.004).fit(X, y).apply(X)
    expected = [adjusted_rand_score(whole, model.apply(X)) for model in fits]
    np.testing.assert_allclose(found.samples["agreement"].to_numpy(), expected)
    assert found.agreement == pytest.approx(np.mean(expected))


def test_optimism_is_the_score_on_the_sample_less_that_on_all_rows(found, fits):
    whole = OptimalSurvivalTree(2, 0.004).fit(X, y)
    ratio, c = found.ibs_ratio, found.harrell_c
    assert ratio.apparent == pytest.approx(whole.ibs_ratio_)
    assert c.apparent == pytest.approx(whole.score(X, y))
    flattery = [model.ibs_ratio_ - ibs_ratio(y, model, X=X) for model in fits]
    assert ratio.optimism == pytest.approx(np.mean(flattery))
    gain = found.samples["harrell_c_on_sample"] - found.samples["harrell_c_on_rows"]
    assert c.optimism == pytest.approx(gain.mean())
    assert c.corrected == c.apparent - c.optimism


def test_the_same_with_more_processes_and_the_same_seed(found):
    again = bootstrap(TREE, X, y, n_bootstraps=N_SAMPLES, random_state=0, n_jobs=2)
    assert str(again) == str(found)
    assert again.samples.equals(found.samples)
    other = bootstrap(TREE, X, y, n_bootstraps=N_SAMPLES, random_state=1)
    assert not other.samples.equals(found.samples)


@pytest.mark.parametrize(
    "options", [{"min_regularization": 0.001}, pytest.param({}, marks=pytest.mark.slow)]
)
def test_a_cross_validation_is_repeated_on_each_sample(options):
    tuned = OptimalSurvivalTreeCV(max_depths=(1, 2), cv=2, random_state=0, **options)
    found = bootstrap(tuned, X, y, n_bootstraps=3, random_state=0)
    assert found.model.best_score_ == tuned.fit(X, y).best_score_
    assert found.samples.height == 3


def test_the_estimator_stays_as_it_is():
    tree = OptimalSurvivalTree(1, 0.004)
    bootstrap(tree, X, y, n_bootstraps=2, random_state=0)
    assert vars(tree) == vars(OptimalSurvivalTree(1, 0.004))


def test_trees_without_a_question(found):
    lone = bootstrap(OptimalSurvivalTree(2, 1.0), X, y, n_bootstraps=2, random_state=0)
    assert lone.questions.height == 0
    assert lone.ibs_ratio.apparent == 0
    assert lone.agreement == 1
    assert str(lone).startswith("2 bootstrap samples\nleaves: 1 in the fit, 1 to 1")


def test_it_reads_well(found):
    text = str(found)
    assert text.startswith("12 bootstrap samples\n")
    for part in ("adjusted Rand index", "optimism", "Karnofsky_score", "(* in the fit)"):
        assert part in text


def test_a_reference_that_is_a_model_stays_fitted():
    reference = OptimalSurvivalTree(2, 0.0005).fit(X, y)
    tree = OptimalSurvivalTree(2, 0.004, reference=reference)
    found = bootstrap(tree, X, y, n_bootstraps=3, random_state=0)
    assert found.model.status_ == "guessed"
    assert found.model.objective_ == tree.fit(X, y).objective_
    assert found.samples.height == 3


def rare(n_events, n=80, seed=0):
    """Rows of which few have an event, of six sites."""
    rng = np.random.default_rng(seed)
    event = np.arange(n) < n_events
    return EventTable(event, rng.exponential(size=n) + 0.1, np.ones(n)), rng.integers(0, 6, n)


def test_samples_have_the_events_and_groups_that_folds_need():
    events, sites = rare(8)
    for groups in (None, sites):
        rng, n = np.random.RandomState(0), 40
        samples = list(bootstrap_samples(events, n, rng, groups, Folding(5, events, groups)))
        plain = list(bootstrap_samples(events, 40 * n, np.random.RandomState(0), groups))
        able = [
            drawn
            for drawn in plain
            if (drawn[events.event] > 0).sum() >= 5
            and (groups is None or len(set(groups[drawn > 0])) >= 5)
            and (groups is None or len(set(groups[(drawn > 0) & events.event])) >= 2)
        ]
        assert len(able) < len(plain)
        # Those that are able to be folded are what they were, in their order.
        assert all(np.array_equal(a, b) for a, b in zip(samples, able, strict=False))


def test_enough_events_for_folds_leave_samples_as_they_are():
    events = EventTable(EVENT, TIME, np.ones(len(TIME)))
    rng = np.random.RandomState(0)
    folded = bootstrap_samples(events, N_SAMPLES, rng, None, Folding(5, events, None))
    assert all(np.array_equal(a, b) for a, b in zip(folded, counts(), strict=True))


@pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")
@pytest.mark.parametrize("cv", [5, GroupKFold(5)])
def test_a_cross_validation_is_bootstrapped_where_events_or_groups_are_few(cv):
    events, sites = rare(30)
    table = np.random.default_rng(1).normal(size=(len(sites), 2))
    tuned = OptimalSurvivalTreeCV(max_depths=(1,), min_regularization=0.005, cv=cv)
    found = bootstrap(tuned, table, events.y, n_bootstraps=4, groups=sites)
    assert found.n_bootstraps == 4
    if cv == 5:
        few, _ = rare(8)
        assert bootstrap(tuned, table, few.y, n_bootstraps=8).n_bootstraps == 8
