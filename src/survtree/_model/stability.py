"""Stability of a fit: the whole procedure is repeated on bootstrap samples of the rows."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from survtree._base import DataWarning, SearchStoppedWarning, TailWeightWarning
from survtree._base.checks import check_option
from survtree._base.numbers import format_count, format_percent
from survtree._data.frames import frame_in
from survtree._data.read_columns import warn_of_data
from survtree._data.table import Bools, EventTable
from survtree._model.checks import (
    check_bootstrap,
    check_nested,
    check_reference_of_parts,
    check_teacher_of_parts,
)
from survtree._model.cross_validation import SCORE_OF, folds_of, leaf_places
from survtree._model.defaults import resolved_horizon, without_defaults
from survtree._model.fitted import FittedTree, keep_roles
from survtree._model.many_fits import fit_many
from survtree._model.prepare import Cohort, cohort_of, given_rows
from survtree._model.read_folds import can_be_folded, check_can_be_drawn
from survtree._scoring.tail import heavy_tail, warn_of_tail
from survtree._search.progress import FITS_HEADER, FitsSnapshot, watching

Counts = NDArray[np.intp]
MOST_LINES = 10
MOST_DRAWN = 10_000  # samples, until one can be fitted


class Corrected(NamedTuple):
    """A score on the rows of the fit, its estimated optimism, and the score less the optimism."""

    apparent: float
    optimism: float
    corrected: float


@dataclass(frozen=True)
class _SampleFit:
    """What is kept of a fit on a sample; of splits and their columns, the root's come first."""

    questions: tuple[str, ...]
    columns: tuple[str, ...]
    leaf_of_row: NDArray[np.intp]
    n_leaves: int
    on_sample: dict[str, float]
    on_rows: dict[str, float]


@dataclass(frozen=True)
class _Task:
    """One fit. A single argument, for the reason given at ``Cohort``."""

    estimator: FittedTree
    rows: Cohort
    counts: Counts  # how often each row was drawn
    name: str
    is_fit: bool  # the one that the others are compared with
    horizon: float | None


@dataclass(frozen=True)
class Stability:
    """How much a fit changes from one bootstrap sample to the next.

    ``questions`` and ``columns`` have the shares of the trees that contain a split, or split on a
    column, at the root and anywhere; ``in_fit`` is True for those of the tree of all rows.
    ``samples`` has a row per sample: leaves, agreement, and both scores on the sample and on all
    rows. The agreement is the adjusted Rand index between the leaves of all rows in the fit and in
    the sample's tree: 1 for the same partition, about 0 for a random one. These tables are of the
    kind of frame that was fitted; polars for arrays. If the work was stopped, ``is_complete`` is
    False and ``n_bootstraps`` counts the samples that were finished.
    """

    model: FittedTree
    questions: Any
    columns: Any
    samples: Any
    ibs_ratio: Corrected
    harrell_c: Corrected
    n_bootstraps: int = field(kw_only=True)
    is_complete: bool = field(default=True, kw_only=True)

    @property
    def agreement(self) -> float:
        """The mean over the samples."""
        return float(np.mean(self.samples["agreement"].to_numpy()))

    def table(self) -> Any:
        """The splits, the most frequent first."""
        return self.questions

    def __str__(self) -> str:
        leaves = self.samples["leaves"].to_numpy()
        lines = [
            f"{format_count(self.n_bootstraps, 'bootstrap sample')}"
            f"{'' if self.is_complete else ' (incomplete: the work was stopped)'}",
            f"leaves: {self.model.n_leaves_} in the fit, {leaves.min()} to {leaves.max()} in the "
            f"samples (median {np.median(leaves):g})",
            f"agreement of leaves (adjusted Rand index): {self.agreement:.3f}",
            *(
                f"{name}: {score.apparent:.4f} apparent - {score.optimism:.4f} optimism = "
                f"{score.corrected:.4f}"
                for name, score in (("IBS ratio", self.ibs_ratio), ("Harrell's C", self.harrell_c))
            ),
            *_frequency_lines(self.columns),
            *_frequency_lines(self.questions),
        ]
        return "\n".join(lines)


def bootstrap(
    estimator: FittedTree,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    n_bootstraps: int = 100,
    n_jobs: int | None = None,
    verbose: int = 0,
    callback: Callable[[FitsSnapshot], Any] | None = None,
    random_state: Any = 0,
    duration_col: Any = None,
    event_col: Any = None,
    cause: Any = None,
    censored: Any = None,
    groups: Any = None,
) -> Stability:
    """Fit on all rows and on bootstrap samples of them, and compare the trees.

    Scores are corrected as by Harrell: the optimism is the mean, over the samples, of the score of
    a sample's tree on the sample minus its score on all rows. For both scores the censoring curve,
    and the one curve that the IBS ratio compares with, are those of the rows that are scored. A row
    that is drawn twice has twice the weight; ``min_samples_leaf`` and ``min_events_leaf`` count it
    once, and a cross-validation never has it both in the training rows and in the held-out rows of
    a fold. A horizon "auto" is that of all rows in all samples. A sample that cannot be fitted is
    drawn again: one without an event, or with fewer distinct events, or groups, than a
    cross-validation has folds.

    Parameters
    ----------
    estimator : OptimalSurvivalTree or OptimalSurvivalTreeCV
        What is fitted; a cross-validation is repeated on each sample. The estimator itself does not
        change.
    X, y, sample_weight, duration_col, event_col, cause, censored
        As in ``OptimalSurvivalTree.fit``. A fitted estimator knows the columns of its outcome: the
        frame of its fit is enough.
    n_bootstraps : int, default=100
        Number of samples.
    n_jobs : int or None, default=None
        Samples that are fitted at once, through ``joblib``; the result does not depend on it.
    verbose : int, default=0
        1 logs how many samples are done. Lines go where those of ``OptimalSurvivalTree`` go.
    callback : callable or None, default=None
        Called with a ``FitsSnapshot`` as samples are finished, at most about ten times a second. If
        it returns True, the work stops, as by Ctrl-C: the result is that of the finished samples,
        with a ``SearchStoppedWarning``.
    random_state : int, RandomState or None, default=0
        Seed of the samples; None draws a new one each time.
    groups : array, name of a column of X, or None, default=None
        Rows of one group, such as those of one subject, are drawn together: samples are of groups,
        as many as there are. A cross-validation in a sample keeps them together as well. A column
        of groups is not split on.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, bootstrap
    >>> from survtree.datasets import load
    >>> tree = OptimalSurvivalTree(max_depth=2, regularization=0.005)
    >>> found = bootstrap(tree, *load("veterans"), n_bootstraps=20, random_state=0)
    >>> found.ibs_ratio.corrected < found.ibs_ratio.apparent
    True
    """
    n = check_bootstrap(estimator, FittedTree, n_bootstraps)
    check_teacher_of_parts(estimator.teacher)
    check_reference_of_parts(getattr(estimator, "reference", None))
    for name, value in (("n_jobs", n_jobs), ("verbose", verbose), ("callback", callback)):
        check_option(name, value)
    rng = check_random_state(check_option("random_state", random_state))
    given = given_rows(estimator, X, y, sample_weight, duration_col, event_col, cause, censored)
    rows = cohort_of(clone(estimator), given.X, given.y, given.sample_weight, groups)
    horizon = _horizon_of(estimator, rows.events)
    events = rows.events.until(horizon)
    samples = bootstrap_samples(events, n, rng, rows.groups, _folding_of(estimator, rows))
    everyone = np.ones(len(rows), dtype=np.intp)
    tasks = [_Task(estimator, rows, everyone, "all rows", True, horizon)]
    tasks += [
        _Task(estimator, rows, counts, f"sample {k}", False, horizon)
        for k, counts in enumerate(samples, 1)
    ]
    n_at_once = effective_n_jobs(n_jobs)
    with watching(verbose, callback) as watch:
        watch.begin(
            lambda: f"{len(rows):,} rows | {n} bootstrap samples, {n_at_once} at once",
            lambda: FITS_HEADER,
        )
        done = fit_many(_fit, tasks, n_jobs, watch, lambda found: 0 in found and len(found) > 1)
    (model, fit), *others = (done.results[place] for place in sorted(done.results))
    keep_roles(model, given.roles, one_cause_=events.one_cause)
    if done.stopped_by is not None:
        message = f"stopped by {done.stopped_by}: {len(others)} of {n} samples were finished."
        warnings.warn(message, SearchStoppedWarning, stacklevel=2)
    warn_of_data(rows.said(model.warnings_))
    warn_of_tail(heavy_tail(events), can_choose=horizon is None)
    return _compared(model, fit, [other for _, other in others], done.stopped_by is None)


def _horizon_of(estimator: Any, events: EventTable) -> float | None:
    """That of all rows: samples are fitted and scored with the same, so that they compare."""
    given = estimator.get_params(deep=False)
    penalty = given.get("regularization", given.get("min_regularization"))
    meant = without_defaults({"horizon": estimator.horizon}, penalty)
    return resolved_horizon(check_option("horizon", meant["horizon"]), events)


class Folding(NamedTuple):
    """A cross-validation, and the rows of whose samples it makes its folds."""

    cv: Any
    events: EventTable
    groups: NDArray[np.intp] | None

    def is_possible(self, drawn: Bools) -> bool:
        """Whether it can make its folds of some of the rows."""
        groups = None if self.groups is None else self.groups[drawn]
        return can_be_folded(self.cv, self.events.take(drawn), groups)


def _folding_of(estimator: Any, rows: Cohort) -> Folding | None:
    """That of an estimator, if it makes folds.

    What is wrong for all rows is said of all rows, before anything is fitted.
    """
    if not hasattr(estimator, "cv"):
        return None
    check_nested("bootstrap", estimator.cv)
    folding = Folding(estimator.cv, rows.events, rows.groups)
    if not folding.is_possible(np.ones(len(rows), dtype=bool)):
        folds_of(deepcopy(folding.cv), rows.events, check_random_state(0), groups=rows.groups)
    return folding


def bootstrap_samples(
    events: EventTable,
    n_samples: int,
    rng: np.random.RandomState,
    groups: NDArray[np.intp] | None = None,
    folding: Folding | None = None,
) -> Iterator[Counts]:
    """How often each row was drawn, in samples with replacement that can be fitted.

    Rows of one group are drawn together. A sample that cannot be fitted is drawn again: without an
    event there is nothing to fit, and a cross-validation needs enough of them for its folds.
    """
    of_row = np.arange(len(events)) if groups is None else np.unique(groups, return_inverse=True)[1]
    n = int(of_row.max()) + 1
    for _ in range(n_samples):
        for n_drawn in count(1):
            counts = np.bincount(rng.randint(n, size=n), minlength=n)[of_row]
            if _is_usable(counts > 0, events, folding):
                break
            if folding is not None:
                check_can_be_drawn(n_drawn < MOST_DRAWN, *folding)
        yield counts


def _is_usable(drawn: Bools, events: EventTable, folding: Folding | None) -> bool:
    has_events = events.event[drawn].any() and events.time[drawn].max() > 0
    return bool(has_events) and (folding is None or folding.is_possible(drawn))


def _fit(task: _Task) -> tuple[FittedTree | None, _SampleFit]:
    """What is kept of a fit; of the one on all rows, the model as well."""
    drawn = np.flatnonzero(task.counts)
    part = task.rows.take(drawn)
    weight = part.events.weight * task.counts[drawn]
    sample = replace(part, events=replace(part.events, weight=weight))
    # One sample is one task; a cross-validation in it runs where it is.
    with parallel_config(backend="sequential"), warnings.catch_warnings():
        # The caller warns of all rows, once.
        warnings.simplefilter("ignore", TailWeightWarning)
        warnings.simplefilter("ignore", DataWarning)
        model = sample.fit(_unfitted(task))
    if model._is_interrupted:  # by Ctrl-C, which is about all of the samples
        raise KeyboardInterrupt
    questions, splits = model.questions_, model.tree_.question[model.tree_.question >= 0].tolist()
    kept = _SampleFit(
        tuple(questions.text(j) for j in splits),
        tuple(questions.names[questions.asked[j].column] for j in splits),
        leaf_places(model, task.rows.X),
        model.n_leaves_,
        _scores(model, sample, task.horizon),
        _scores(model, task.rows, task.horizon),
    )
    # A copy has no training rows, as if it came from another process: n_jobs must not matter.
    return (copy(model) if task.is_fit else None), kept


def _unfitted(task: _Task) -> Any:
    """The estimator of a task, to be fitted; its own fit stays as it is.

    scikit-learn's clone forgets the fits of a teacher and of a reference that are models.
    """
    options = {"horizon": task.horizon, "exclude": task.rows.left_out or None}
    given = task.estimator.get_params(deep=False)
    models = {name: given[name] for name in ("teacher", "reference") if name in given}
    return clone(task.estimator).set_params(**options, **models)


def _scores(model: FittedTree, rows: Cohort, horizon: float | None) -> dict[str, float]:
    return {name: score(model, rows, rows.events, horizon) for name, score in SCORE_OF.items()}


def _compared(
    model: Any, fit: _SampleFit, samples: Sequence[_SampleFit], is_complete: bool
) -> Stability:
    from sklearn.metrics import adjusted_rand_score

    library = model._state.frame_library
    agreement = [adjusted_rand_score(fit.leaf_of_row, one.leaf_of_row) for one in samples]
    scores = {
        f"{name}_{where}": [getattr(one, where)[name] for one in samples]
        for name in SCORE_OF
        for where in ("on_sample", "on_rows")
    }
    questions = _frequencies("question", fit.questions, [one.questions for one in samples])
    columns = _frequencies("column", fit.columns, [one.columns for one in samples])
    leaves = [one.n_leaves for one in samples]
    return Stability(
        model,
        frame_in(library, questions),
        frame_in(library, columns),
        frame_in(library, {"leaves": leaves, "agreement": agreement, **scores}),
        *(_corrected(fit, samples, name) for name in SCORE_OF),
        n_bootstraps=len(samples),
        is_complete=is_complete,
    )


def _corrected(fit: _SampleFit, samples: Sequence[_SampleFit], name: str) -> Corrected:
    optimism = float(np.mean([one.on_sample[name] - one.on_rows[name] for one in samples]))
    apparent = fit.on_rows[name]
    return Corrected(apparent, optimism, apparent - optimism)


def _frequencies(
    kind: str, in_fit: Iterable[str], samples: Sequence[tuple[str, ...]]
) -> dict[str, NDArray[Any]]:
    """Shares of the samples whose trees have a split (or column) at the root, and anywhere."""
    here, n = set(in_fit), len(samples)
    roots = Counter(splits[0] for splits in samples if splits)
    used = Counter(text for splits in samples for text in set(splits))
    order = sorted({*used, *here}, key=lambda text: (-used[text], -roots[text], text))
    return {
        kind: np.array(order, dtype=str),  # a type also where there is no split
        "root": np.array([roots[text] / n for text in order], dtype=float),
        "anywhere": np.array([used[text] / n for text in order], dtype=float),
        "in_fit": np.array([text in here for text in order], dtype=bool),
    }


def _frequency_lines(found: Any) -> list[str]:
    """The first rows of a table of frequencies, as lines."""
    table = nw.from_native(found, eager_only=True)
    n_more = len(table) - MOST_LINES
    return [
        f"  root  anywhere  {table.columns[0]} (* in the fit)",
        *(
            f"{format_percent(root):>6}    {format_percent(used):>6}  {text}{' *' * in_fit}"
            for text, root, used, in_fit in table.head(MOST_LINES).iter_rows()
        ),
        *([f"and {n_more:,} more"] if n_more > 0 else []),
    ]
