"""A fitted tree: the attributes that show its state, and its predictions.

``OptimalSurvivalTree``, ``OptimalSurvivalTreeCV``, the models of a path and models that were loaded
from files hold a ``Fitted``; their attributes that end with an underscore are read from it.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from survtree._base.tree import Tree
from survtree._data.causes import Causes
from survtree._data.read_roles import Roles
from survtree._data.read_rows import CountOf, left_out_by, warn_of_unseen
from survtree._data.table import Table
from survtree._model.checks import check_share
from survtree._model.groups import Grouped, risks_of
from survtree._model.predicted_table import predicted_table
from survtree._model.read_cause import check_cause_of_fit
from survtree._model.recipe import Recipe, recipe_of
from survtree._model.state import Fitted, Interval
from survtree._proof.certificate import Certificate
from survtree._questions.binarizer import Binarizer
from survtree._questions.questions import Questions
from survtree._scoring.concordance import concordance_of_risks
from survtree._scoring.curves import LeafCurve, PredictedCurve, StepFunction
from survtree._scoring.read_curves import check_times
from survtree._search.progress import Snapshot

Floats = NDArray[np.float64]


class FittedTree(Grouped, BaseEstimator):  # type: ignore[misc]
    """Attributes and predictions of ``OptimalSurvivalTree`` and ``OptimalSurvivalTreeCV``."""

    missing: str
    time_unit: str | None
    _fitted: Fitted | None = None
    _is_interrupted = False  # by Ctrl-C, in the last fit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        if self._fitted is not None:
            # The training rows are large, and of use to this process only.
            state = {**state, "_fitted": replace(self._fitted, prepared=None)}
        return state

    @property
    def _state(self) -> Fitted:
        """The fitted state; before the fit an error that is an AttributeError as well."""
        if self._fitted is None:
            check_is_fitted(self)
        assert self._fitted is not None
        return self._fitted

    @property
    def certificate_(self) -> Certificate:
        """The numbers behind the proof."""
        return self._state.stated

    @property
    def tree_(self) -> Tree:
        """Splits and leaves as arrays."""
        return self.certificate_.tree

    @property
    def objective_(self) -> float:
        """Loss plus the penalties of all leaves."""
        return self.certificate_.objective

    @property
    def loss_(self) -> float:
        """Of the tree on the training rows, in which times are rounded if there are buckets."""
        return self.certificate_.loss

    @property
    def exact_loss_(self) -> float:
        """Loss of the tree on the times as they are."""
        exact = self.certificate_.exact_loss
        return self.loss_ if exact is None else exact

    @property
    def lower_bound_(self) -> float:
        """No tree within the limits has a lower objective."""
        return self.certificate_.lower_bound

    @property
    def gap_(self) -> float:
        """(objective - lower bound) / objective."""
        return self.certificate_.gap

    @property
    def status_(self) -> str:
        """Whether the tree is proven optimal, or what ended the search before that."""
        return self.certificate_.status

    @property
    def n_leaves_(self) -> int:
        """Leaves of the tree."""
        return self.certificate_.n_leaves

    @property
    def depth_(self) -> int:
        """Splits on the longest way to a leaf."""
        return int(self.tree_.depths().max())

    @property
    def one_leaf_reason_(self) -> str:
        """Why the tree has no split, in a sentence; empty if it has one."""
        return self._state.one_leaf_reason.text

    @property
    def screening_(self) -> str:
        """That every cut was searched, or how many of the possible splits; empty without cuts."""
        return self.certificate_.screening

    @property
    def warnings_(self) -> tuple[str, ...]:
        """What in the table would mislead, in sentences: identifiers, leaks, repeated subjects."""
        return self._state.warnings

    @property
    def regularization_(self) -> float:
        """The penalty per leaf."""
        return self.certificate_.regularization

    @property
    def teacher_(self) -> str | None:
        """The name of the teacher, if the tree was fitted to one."""
        return self.certificate_.teacher

    @property
    def min_events_leaf_(self) -> int:
        """The smallest number of events per leaf that was allowed."""
        return self.certificate_.min_events_leaf

    @property
    def ibs_ratio_(self) -> float:
        """1 - loss of the tree / loss of a lone leaf, on the training rows."""
        return self._state.ibs_ratio

    @property
    def horizon_(self) -> float | None:
        """Time up to which the loss is integrated; None: the largest training time."""
        return self.certificate_.horizon

    @property
    def binarizer_(self) -> Binarizer:
        """How columns became questions."""
        return self.certificate_.binarizer

    @property
    def excluded_(self) -> list[str]:
        """Columns that were left out: excluded by the user, or numbering the rows."""
        return list(left_out_by(self.binarizer_.seen_, self.questions_.names))

    @property
    def questions_(self) -> Questions:
        """What the tree can split on; ``tree_.question`` counts these."""
        questions: Questions = self.binarizer_.questions_
        return questions

    @property
    def unique_times_(self) -> Floats:
        """Distinct training times, ascending."""
        return self._state.unique_times

    @property
    def event_times_(self) -> Floats:
        """Distinct training times at which an event was seen, ascending."""
        return self._state.event_times

    @property
    def leaf_curves_(self) -> dict[int, LeafCurve]:
        """The Kaplan-Meier and Nelson-Aalen curves of each leaf's own rows (by node number)."""
        return self._state.leaf_curves.by_leaf

    @property
    def predicted_curves_(self) -> dict[int, PredictedCurve]:
        """What each leaf (by node number) predicts: its own curves if ``shrinkage_`` is 0."""
        return self._state.predicted_curves

    @property
    def shrinkage_(self) -> float:
        """How strongly predicted curves are pulled towards those of larger groups, in rows."""
        return self._state.shrinkage

    @property
    def leaf_risks_(self) -> dict[int, float]:
        """The risk score of each leaf (by node number)."""
        return risks_of(self.predicted_curves_, self.event_times_)

    @property
    def seed_(self) -> int | None:
        """The seed that was used; None if nothing was random."""
        return self._state.origin.seed

    @property
    def recipe_(self) -> Recipe:
        """How to make this model again from the same rows."""
        return recipe_of(self)

    @property
    def history_(self) -> tuple[Snapshot, ...]:
        """Where the search stood whenever a bound had moved."""
        return self._state.history

    @property
    def roles_(self) -> Roles | None:
        """Which columns held the outcome, if it came in the same table."""
        return self.binarizer_.roles_

    @property
    def causes_(self) -> Causes | None:
        """With competing risks: the names of the causes, and which of them the tree is about."""
        return self.binarizer_.causes_

    @property
    def regularization_interval_(self) -> Interval:
        """The penalties per leaf for which a tree of a path is optimal."""
        interval = self._state.regularization_interval
        if interval is None:
            raise AttributeError("only the trees of a regularization path know their interval")
        return interval

    def apply(self, X: Any) -> NDArray[np.intp]:
        """The leaf (as node number of ``tree_``) each row ends in."""
        return self._leaves(self.binarizer_.read(X, self))

    def _leaves(self, table: Table, count: CountOf = np.count_nonzero) -> NDArray[np.intp]:
        """The leaf of each row of a table; ``count`` says how many rows some of them are."""
        questions = self.questions_
        asked = {questions.asked[j].column for j in self.tree_.question[self.tree_.question >= 0]}
        warn_of_unseen(table, {j: self.binarizer_.seen_[j] for j in asked}, count)
        return self.tree_.apply(table.n_rows, lambda j: questions.answer(j, table))

    def decision_path(self, X: Any) -> Any:
        """Sparse matrix (row, node): is the node on the row's way from the root to its leaf?"""
        leaf_of_row = self.apply(X)
        return csr_array(self.tree_.ancestors().astype(np.int8))[leaf_of_row]

    def predict(self, X: Any) -> Floats:
        """Risk score, higher is worse: the leaf's cumulative hazard summed over all event times.

        It is the number of events to expect among as many rows of this leaf as there were rows. It
        comes from the predicted cumulative hazard, which is shrunken if ``shrinkage_`` is above 0.

        With competing risks it is the mean time that the target cause takes away up to its last
        training time: the area under its predicted incidence.
        """
        return self._per_row(self.apply(X), self.leaf_risks_.values())

    def predict_survival_function(
        self, X: Any, times: ArrayLike | None = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Survival curves of the rows: those of ``predicted_curves_``.

        A StepFunction per row (rows of one leaf share one), or with ``return_array`` a matrix
        (row, time). ``times`` are the columns; by default ``unique_times_``.

        With competing risks it is the probability to be free of every cause: together with the
        incidences of all causes it adds up to 1.
        """
        if self.causes_ is not None:
            return self._functions(X, lambda c: c.event_free, times, return_array)
        return self._functions(X, lambda c: c.survival, times, return_array)

    def predict_cumulative_incidence(
        self,
        X: Any,
        cause: Any = None,
        times: ArrayLike | None = None,
        return_array: bool = False,
    ) -> NDArray[Any]:
        """Probability to have had a cause by each time; as ``predict_survival_function``.

        ``cause`` is the code or name of one of ``causes_.names``; by default the one that the tree
        is about. Without competing risks it is 1 - the survival curve.
        """
        return self._functions(X, check_cause_of_fit(self, cause), times, return_array)

    def predict_cumulative_hazard_function(
        self, X: Any, times: ArrayLike | None = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Cumulative hazard of the rows; as ``predict_survival_function``.

        Nelson-Aalen; shrunken, the mean of the path's Nelson-Aalen curves with the same weights.
        With competing risks it is the cause-specific hazard of the cause that the tree is about.
        """
        return self._functions(X, lambda c: c.hazard, times, return_array)

    def predict_quantile(self, X: Any, quantile: float = 0.5) -> Floats:
        """First time by which the row's curve has fallen by this share; inf if it never does.

        With competing risks: by which this share has had the cause that the tree is about.
        """
        share = check_share(quantile)
        quantiles = (curve.quantile(share) for curve in self.predicted_curves_.values())
        return self._per_row(self.apply(X), quantiles)

    def predict_median(self, X: Any) -> Floats:
        """Median survival time; inf where the curve stays above one half.

        With competing risks: the time by which half have had the cause that the tree is about.
        """
        return self.predict_quantile(X, 0.5)

    def predict_table(self, X: Any, times: ArrayLike | None = None) -> Any:
        """Leaf, risk, median and, at the times if any, survival of the rows, as a frame.

        Numbers are those of the curves that predict: the columns ``predicted_...`` of leaf_table.
        The frame is of the kind of X: pandas (with its index), polars or pyarrow; else polars.
        """
        return predicted_table(self, X, times)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Harrell's concordance index of the predicted risk.

        With competing risks it is that of the cause that the tree is about: rows that ended by
        another cause never have it, so they count as later than all that do. y may be left out if X
        is a frame that has the columns of the fit's outcome. A row of weight 2 counts as two.
        """
        study = self.binarizer_.read_with_outcome(X, y, sample_weight, self)
        leaves = self._leaves(study.table, study.events.count)
        risks = self._per_row(leaves, self.leaf_risks_.values())
        return concordance_of_risks(study.events, risks)

    def report(self, file: Any, X: Any = None, y: Any = None, **options: Any) -> None:
        """Write the model as one HTML page; ``options`` are those of the page.

        sample_weight, title, times, cv, compare, command, random_state, groups: see
        ``docs/how-to/share-a-report``.
        """
        from survtree._show.report_page import write_report

        write_report(self, file, X, y, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows: the tree and its proof, or before the fit the options."""
        if self._fitted is None:
            return str(super()._repr_html_())
        from survtree._show.report_page import notebook_html

        return notebook_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        # Notebooks ask for this first, and scikit-learn answers with its diagram.
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return bundle | {"text/html": self._repr_html_()} if "text/html" in bundle else bundle

    def _per_row(
        self, leaf_of_row: NDArray[np.intp], of_leaves: Iterable[Any], dtype: Any = float
    ) -> NDArray[Any]:
        """Numbers, rows of numbers or functions of the leaves, which are in the tree's order."""
        values = np.fromiter(of_leaves, dtype, len(self.tree_.leaves))
        per_row: NDArray[Any] = values[self.tree_.leaf_numbers()[leaf_of_row]]
        return per_row

    def _functions(
        self,
        X: Any,
        of: Callable[[Any], StepFunction],
        times: ArrayLike | None,
        return_array: bool,
    ) -> NDArray[Any]:
        at = self.unique_times_ if times is None else check_times(times)
        curves = self.predicted_curves_.values()
        functions = [of(curve).at_times(at) for curve in curves]
        leaf_of_row = self.apply(X)
        if return_array:
            values = (function.y for function in functions)
            return self._per_row(leaf_of_row, values, np.dtype((float, len(at))))
        return self._per_row(leaf_of_row, functions, object)


def functions_of(model: FittedTree, X: Any) -> list[StepFunction]:
    """The survival curve of each row; rows of a leaf share one."""
    curves = model.predicted_curves_
    return [curves[leaf].survival for leaf in model.apply(X).tolist()]


def keep_roles(model: FittedTree, roles: Roles | None, **labels: Causes | None) -> None:
    """Let a fitted model remember which columns of a user's frame or file hold what, and how."""
    model._fitted = model._state.with_binarizer(roles_=roles, **labels)
