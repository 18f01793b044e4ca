"""Folds and samples side by side: what is shown, what the callback gets, what a stop leaves."""

import signal
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from sklearn.model_selection import KFold

from survtree import (
    FitsSnapshot,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    bootstrap,
)
from survtree._model.many_fits import _pool, fit_many
from survtree._search.progress import Watch
from survtree.datasets import load

X, y = load("veterans")
TREE = OptimalSurvivalTree(2, 0.005)


@pytest.fixture(autouse=True)
def every_fit_is_told(monkeypatch):
    monkeypatch.setattr("survtree._search.progress.BEAT_S", 0.0)


def tuned(**options):
    given = {"max_depths": (1, 2), "min_regularization": 0.001, "cv": KFold(4), "random_state": 0}
    return OptimalSurvivalTreeCV(**{**given, **options})


def stop_after(n, answer=True):
    return lambda snapshot: answer if snapshot.n_done >= n else None


def interrupt_after(n):
    """As Ctrl-C while the n-th result is received."""

    def callback(snapshot):
        if snapshot.n_done >= n:
            raise KeyboardInterrupt

    return callback


def test_the_callback_hears_of_every_fit():
    seen = []
    tuned(callback=seen.append).fit(X, y)
    assert all(isinstance(snapshot, FitsSnapshot) for snapshot in seen)
    assert sorted({snapshot.n_done for snapshot in seen}) == list(range(1, 11))
    assert seen[-1].share == 1.0
    assert {snapshot.n_fits for snapshot in seen} == {10}


@pytest.mark.parametrize(
    ("stop", "reason"), [(stop_after, "the callback"), (interrupt_after, "an interrupt")]
)
def test_a_stopped_cross_validation_chooses_by_the_folds_that_are_finished(stop, reason):
    # Two searches of all rows, then two of each fold; the seventh begins the third fold.
    model = tuned(callback=stop(7))
    with pytest.warns(SearchStoppedWarning, match=f"stopped by {reason}: .* by 2 of 4 folds"):
        model.fit(X, y)
    whole = tuned().fit(X, y)
    assert (whole.is_complete_, model.is_complete_) == (True, False)
    assert model.n_splits_ == 2
    for name in ("split0_test_score", "split1_test_score", "n_leaves", "params"):
        assert np.array_equal(model.cv_results_[name], whole.cv_results_[name])
    assert "split2_test_score" not in model.cv_results_
    assert len(model.predict(X)) == len(X)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.slow
def test_fits_that_run_side_by_side_can_be_stopped_too(backend):
    # Many folds: fits on all rows count too, and the process that has them may be slow to start.
    model = tuned(callback=stop_after(1), n_jobs=2, cv=KFold(100))
    warned = pytest.warns(SearchStoppedWarning, match="stopped by the callback")
    with joblib.parallel_config(backend=backend), warned:
        model.fit(X, y)
    assert not model.is_complete_


def test_a_backend_that_hands_over_all_results_at_once_serves_too():
    with joblib.parallel_config(backend="multiprocessing"):
        assert _pool(2).return_as == "list"


def test_without_a_finished_fold_ctrl_c_ends_the_fit_and_the_callback_waits():
    with pytest.raises(KeyboardInterrupt):
        tuned(callback=interrupt_after(3)).fit(X, y)
    model = tuned(callback=stop_after(1), rule="one_standard_error")
    with pytest.warns(SearchStoppedWarning, match="by 1 of 4 folds"):
        model.fit(X, y)
    assert np.isnan(model.cv_results_["standard_error_test_score"]).all()


def test_a_stop_at_the_last_fit_stops_nothing():
    assert tuned(callback=stop_after(10)).fit(X, y).is_complete_


@pytest.mark.parametrize("answer", [1, "yes", None])
def test_other_answers_of_a_callback_stop_nothing(answer):
    assert tuned(callback=stop_after(1, answer)).fit(X, y).is_complete_


@pytest.mark.parametrize("stop", [stop_after, interrupt_after])
def test_a_stopped_nested_score_has_the_outer_folds_that_are_finished(stop):
    given = {"cv": KFold(2), "max_depths": (1,)}
    whole = tuned(**given).nested_score(X, y, cv=KFold(4))
    with pytest.warns(SearchStoppedWarning, match="that of 2 of 4 outer folds"):
        part = tuned(**given, callback=stop(7)).nested_score(X, y, cv=KFold(4))
    assert np.array_equal(part.scores, whole.scores[:2])
    assert (whole.is_complete, part.is_complete) == (True, False)
    assert "incomplete" in str(part)
    assert "incomplete" not in str(whole)


@pytest.mark.parametrize("stop", [stop_after, interrupt_after])
def test_a_stopped_bootstrap_has_the_samples_that_are_finished(stop):
    given = {"n_bootstraps": 8, "random_state": 0}
    whole = bootstrap(TREE, X, y, **given)
    with pytest.warns(SearchStoppedWarning, match="3 of 8 samples were finished"):
        part = bootstrap(TREE, X, y, **given, callback=stop(4))
    assert part.samples.equals(whole.samples.head(3))
    assert part.n_bootstraps == 3
    assert (whole.is_complete, part.is_complete) == (True, False)
    assert str(part).startswith("3 bootstrap samples (incomplete: the work was stopped)\n")
    with pytest.raises(KeyboardInterrupt):
        bootstrap(TREE, X, y, **given, callback=interrupt_after(1))


def test_a_long_bootstrap_has_a_table_of_some_twenty_lines(caplog):
    caplog.set_level("INFO", logger="survtree")
    bootstrap(TREE, X, y, n_bootstraps=99, random_state=0, verbose=1)
    first, _, *rows = [record.message for record in caplog.records]
    assert first == "137 rows | 99 bootstrap samples, 1 at once"
    assert len(rows) == 20
    assert rows[-1].endswith("100 of 100 | sample 99")


@pytest.mark.parametrize("kind", ["tree", "cross-validation"])
def test_ctrl_c_inside_a_sample_ends_the_bootstrap_and_not_that_sample_alone(kind, monkeypatch):
    """A search that was interrupted returns its best tree; a bootstrap of such trees is none."""
    estimator = TREE if kind == "tree" else tuned(max_depths=(1,), cv=KFold(2))
    real, calls = type(estimator).fit, []

    def fit(self, *given, **options):
        calls.append(self)
        real(self, *given, **options)
        self._is_interrupted = len(calls) == 4
        return self

    monkeypatch.setattr(type(estimator), "fit", fit)
    with pytest.warns(SearchStoppedWarning, match="2 of 8 samples were finished"):
        found = bootstrap(estimator, X, y, n_bootstraps=8, random_state=0)
    assert len(calls) == 4
    assert found.n_bootstraps == 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_only_workers_leave_ctrl_c_to_the_process_that_shares_out_the_work(n_jobs):
    tasks = [SimpleNamespace(name=f"fold {k}") for k in range(4)]
    own = signal.getsignal(signal.SIGINT)
    done = fit_many(lambda _: signal.getsignal(signal.SIGINT), tasks, n_jobs, Watch(0, None), bool)
    wanted = own if n_jobs == 1 else signal.SIG_IGN
    assert done.results == dict.fromkeys(range(4), wanted)
    assert signal.getsignal(signal.SIGINT) == own
