"""The fitted state: everything that is known of a fitted tree, as one value that never changes.

``OptimalSurvivalTree``, ``OptimalSurvivalTreeCV``, the models of a path and models that were loaded
from files hold a ``Fitted``; their attributes that end with an underscore are read from it.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._model.prepare import Prepared
from survtree._proof.certificate import Certificate
from survtree._questions.binarizer import Binarizer
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurve, LeafCurves, leaf_curves
from survtree._search.problem import Problem
from survtree._search.progress import Snapshot
from survtree._search.solve import Solution

Floats = NDArray[np.float64]
Interval = tuple[float, float]


class Roles(NamedTuple):
    """Which columns of a table hold the outcome; ``event_values`` are those of an event, if given.

    Predictions do not need them. They help when the same table is given to the model again.
    """

    time: str
    event: str
    event_values: tuple[str, ...] = ()
    weight: str | None = None


def roles_of(duration_col: Any, event_col: Any) -> Roles | None:
    """The roles of columns that were named in a fit."""
    return None if event_col is None else Roles(str(duration_col), str(event_col))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A tree with its certificate, the curves of its leaves, and how it was found.

    ``regularization_interval`` is known of the trees of a path: the penalties per leaf for which
    the tree is optimal. ``problem`` holds the training rows; it stays in the process of the fit.
    """

    certificate: Certificate  # the tree, its questions, its objective and bounds
    leaf_curves: LeafCurves = field(repr=False)
    ibs_ratio: float
    unique_times: Floats = field(repr=False)
    event_times: Floats = field(repr=False)
    history: tuple[Snapshot, ...] = field(default=(), repr=False)
    roles: Roles | None = None
    regularization_interval: Interval | None = None
    problem: Problem | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, prepared: Prepared, solution: Solution, certificate: Certificate, **rest: Any
    ) -> "Fitted":
        """The state after a search; the curves of the leaves are computed when first used."""
        problem, exact, tree = prepared.problem, prepared.exact, solution.tree
        one_leaf = solution.one_leaf_loss
        # A lone leaf explains nothing, not 1e-16 of it.
        is_split = certificate.n_leaves > 1 and one_leaf > 0
        # The search has found the distinct times of its rows already.
        times = solution if exact is problem.events else exact
        return cls(
            certificate=certificate,
            leaf_curves=LeafCurves(lambda: _curves_by_node(problem, exact, tree)),
            ibs_ratio=1.0 - solution.loss / one_leaf if is_split else 0.0,
            unique_times=times.unique_times,
            event_times=times.event_times,
            problem=problem,
            **rest,
        )

    def without_training_rows(self) -> "Fitted":
        """What is pickled and copied: the rows are large, and of use to this process only."""
        return replace(self, problem=None)

    def at(self, regularization: float) -> "Fitted":
        """The same tree with objective and bounds for another penalty of its interval."""
        certificate = self.certificate.at(regularization)
        problem = self.problem
        if problem is not None:
            problem = replace(problem, regularization=regularization)
        return replace(self, certificate=certificate, problem=problem)


def _curves_by_node(problem: Problem, exact: EventTable, tree: Tree) -> dict[int, LeafCurve]:
    leaves = tree.leaves.tolist()
    curves = leaf_curves(exact, problem.leaf_of_row(tree), len(leaves))
    return dict(zip(leaves, curves, strict=True))


class FittedTree(BaseEstimator):  # type: ignore[misc]
    """The attributes of a fitted ``OptimalSurvivalTree`` or ``OptimalSurvivalTreeCV``."""

    missing: str
    _fitted: Fitted | None = None

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
            state = {**state, "_fitted": self._fitted.without_training_rows()}
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
        return self._state.certificate

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
    def ibs_ratio_(self) -> float:
        """1 - loss of the tree / loss of a lone leaf, on the training rows."""
        return self._state.ibs_ratio

    @property
    def binarizer_(self) -> Binarizer:
        """How columns became questions."""
        return self.certificate_.binarizer

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
        """What each leaf (by node number) predicts."""
        return self._state.leaf_curves.by_leaf

    @property
    def leaf_risks_(self) -> dict[int, float]:
        """The risk score of each leaf (by node number)."""
        times = self.event_times_
        return {leaf: curve.hazard(times).sum() for leaf, curve in self.leaf_curves_.items()}

    @property
    def history_(self) -> tuple[Snapshot, ...]:
        """Where the search stood whenever a bound had moved."""
        return self._state.history

    @property
    def roles_(self) -> Roles | None:
        """Which columns held the outcome, if it came in the same table."""
        return self._state.roles

    @property
    def regularization_interval_(self) -> Interval:
        """The penalties per leaf for which a tree of a path is optimal."""
        interval = self._state.regularization_interval
        if interval is None:
            raise AttributeError("only the trees of a regularization path know their interval")
        return interval


def keep_roles(model: FittedTree, roles: Roles) -> None:
    """Let a fitted model remember which columns of a user's file hold what."""
    model._fitted = replace(model._state, roles=roles)
