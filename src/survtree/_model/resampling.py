"""Parts of a study: folds and bootstrap samples of its rows, and scores on rows not fitted on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._data.read_outcome import check_outcome, split_outcome
from survtree._data.read_rows import rows_kept
from survtree._data.read_table import check_table, rows_at
from survtree._data.table import EventTable
from survtree._model.checks import check_cv, check_folds
from survtree._model.predict import TreePredictor
from survtree._scoring.brier import ratio_of
from survtree._scoring.concordance import concordance_of_risks
from survtree._scoring.curves import Curves
from survtree._scoring.read_scored import Scored

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Cohort:
    """Rows as the user has them, and their outcomes.

    It travels to other processes as one argument. joblib's Dask backend puts large arrays that are
    arguments on one worker and lends them to the others; when that worker is lost, so are they, and
    with them the whole run.
    """

    X: Any
    events: EventTable

    def __len__(self) -> int:
        return len(self.events)

    @property
    def y(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """The outcome as a fit takes it; the weights are apart."""
        return self.events.event, self.events.time

    def take(self, places: Places) -> "Cohort":
        """Some of the rows."""
        return Cohort(rows_at(self.X, places), self.events.take(places))


class Fold(NamedTuple):
    """Places of rows to fit on, and of rows to score."""

    train: Places
    test: Places


def cohort_of(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    duration_col: Any = None,
    event_col: Any = None,
) -> Cohort:
    """A user's rows, checked; with ``missing="drop"`` only those that a fit would use.

    The estimator gets ``n_features_in_`` and ``feature_names_in_``.
    """
    X, y = split_outcome(X, y, duration_col, event_col)
    table = check_table(estimator, X, reset=True)
    events = check_outcome(y, sample_weight, table.n_rows)
    rows = Cohort(X, events)
    if estimator.missing != "drop":
        return rows
    return rows.take(np.flatnonzero(rows_kept(table, "drop", events.event)))


def folds_of(cv: Any, events: EventTable, rng: np.random.RandomState) -> list[Fold]:
    """The folds that ``cv`` asks for: a number of them, a splitter, or the folds themselves."""
    kind = check_cv(cv, int(events.event.sum()), len(events))
    if kind == "number":
        return list(stratified_folds(events.event, cv, rng))
    if kind == "splitter":
        cv = cv.split(np.zeros((len(events), 1)), events.event)
    return [Fold(*pair) for pair in check_folds(cv, events)]


def stratified_folds(
    event: NDArray[np.bool_], n_folds: int, rng: np.random.RandomState
) -> Iterator[Fold]:
    """Shuffled folds of even size with about equally many events.

    Rows are dealt like cards, those with an event first, so that no two folds differ by more than
    one event or one row.
    """
    order = [rng.permutation(np.flatnonzero(event == flag)) for flag in (True, False)]
    fold = np.empty(len(event), dtype=np.intp)
    fold[np.concatenate(order)] = np.arange(len(event)) % n_folds
    for k in range(n_folds):
        yield Fold(np.flatnonzero(fold != k), np.flatnonzero(fold == k))


def bootstrap_samples(
    events: EventTable, n_samples: int, rng: np.random.RandomState
) -> Iterator[NDArray[np.intp]]:
    """How often each row was drawn, in samples with replacement that can be fitted."""
    n = len(events)
    for _ in range(n_samples):
        is_usable = False
        while not is_usable:  # a sample without an event says nothing; another one is drawn
            counts = np.bincount(rng.randint(n, size=n), minlength=n)
            drawn = counts > 0
            is_usable = bool(events.event[drawn].any() and events.time[drawn].max() > 0)
        yield counts


Scoring = str | Callable[..., float]


def score_of(scoring: Scoring, model: TreePredictor, rows: Cohort, train: EventTable) -> float:
    """A score by its name or by a scikit-learn scorer; ``train`` are the rows of the fit."""
    if callable(scoring):
        return float(scoring(model, rows.X, rows.y))
    return _BY_NAME[scoring](model, rows, train)


def leaves_of(model: TreePredictor, X: Any) -> NDArray[np.intp]:
    """The leaf of each row, counted from 0."""
    table = model.binarizer_.read(X, model)
    nodes = model.tree_.apply(table.n_rows, lambda j: model.questions_.answer(j, table))
    return model.tree_.leaf_numbers()[nodes]


def ibs_ratio(model: TreePredictor, rows: Cohort, train: EventTable) -> float:
    """``survtree.metrics.ibs_ratio``: one curve for all, and G, are those of the training rows."""
    times = model.event_times_
    leaves = [model.leaf_curves_[node].survival(times) for node in model.tree_.leaves.tolist()]
    curves = Curves(times[np.newaxis], np.array(leaves))
    return ratio_of(Scored(rows.events, curves, leaves_of(model, rows.X)), train)


def harrell_c(model: TreePredictor, rows: Cohort, train: EventTable) -> float:
    """Harrell's concordance index of the predicted risk, as in ``score``."""
    by_node = model.leaf_risks_
    risks = np.array([by_node[node] for node in model.tree_.leaves.tolist()])
    return concordance_of_risks(rows.events, risks[leaves_of(model, rows.X)])


_BY_NAME: dict[str, Callable[[TreePredictor, Cohort, EventTable], float]] = {
    "ibs_ratio": ibs_ratio,
    "harrell_c": harrell_c,
}
