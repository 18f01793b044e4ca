"""What a fit leaves behind: the state of every fitted tree, which never changes."""

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._data.frames import library_of
from survtree._model.after_search import chosen_shrinkage, ibs_ratio
from survtree._model.leaks import leaks_of
from survtree._model.lone_leaf import OneLeafReason, why_one_leaf
from survtree._model.prepare import Prepared
from survtree._model.recipe import UNKNOWN, Origin
from survtree._proof.certificate import Certificate
from survtree._proof.recheck_model import ModelFacts
from survtree._scoring.curves import LeafCurves, PredictedCurve, curves_by_node
from survtree._scoring.shrinkage import shrunken_curves
from survtree._search.problem import Problem
from survtree._search.progress import Snapshot
from survtree._search.solve import Solution

Floats = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A tree with its certificate, the curves of its leaves, and how it was found.

    ``regularization_interval`` is known of the trees of a path: the penalties per leaf for which
    the tree is optimal. ``shrinkage`` is in rows. ``prepared`` holds the training rows; it stays in
    the process of the fit.
    """

    certificate: Certificate  # the tree, its questions, its objective and bounds
    leaf_curves: LeafCurves = field(repr=False)
    one_leaf_reason: OneLeafReason = field(repr=False)
    ibs_ratio: float
    unique_times: Floats = field(repr=False)
    event_times: Floats = field(repr=False)
    history: tuple[Snapshot, ...] = field(default=(), repr=False)
    regularization_interval: Interval | None = None
    shrinkage: float = 0.0
    asked_shrinkage: float | None = None  # None: the teacher's curves were to choose it
    frame_library: str = "polars"  # of the frame of the fit, for tables of results
    warnings: tuple[str, ...] = ()  # what in the table would mislead
    group_names: tuple[str, ...] = ()  # by risk; empty texts, or nothing, where none are given
    origin: Origin = UNKNOWN  # how to run the fit again
    prepared: Prepared | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        prepared: Prepared,
        solution: Solution,
        certificate: Certificate,
        shrinkage: float | None = None,
        **rest: Any,
    ) -> "Fitted":
        """The state after a search.

        The curves of the leaves, and why there is no split, are found when first asked for. The
        shrinkage may be given where it is already known which one would be chosen.
        """
        problem, exact, tree = prepared.problem, prepared.exact, solution.tree
        curves = LeafCurves(lambda: curves_by_node(exact, problem.leaf_of_row(tree), tree))
        # The search has found the distinct times of its rows already.
        times = solution if exact is problem.events else exact
        return cls(
            certificate=certificate,
            leaf_curves=curves,
            one_leaf_reason=OneLeafReason(lambda: why_one_leaf(problem, solution)),
            ibs_ratio=ibs_ratio(problem, solution),
            unique_times=times.unique_times,
            event_times=times.event_times,
            shrinkage=chosen_shrinkage(prepared, tree, curves) if shrinkage is None else shrinkage,
            asked_shrinkage=prepared.shrinkage,
            frame_library=library_of(prepared.X),
            warnings=(*prepared.cautions, *leaks_of(prepared, tree)),
            prepared=prepared,
            origin=Origin.of(prepared),
            **rest,
        )

    @property
    def problem(self) -> Problem | None:
        """What was solved, with the training rows; None without them."""
        return None if self.prepared is None else self.prepared.problem

    @cached_property
    def predicted_curves(self) -> dict[int, PredictedCurve]:
        """What each leaf (by node number) predicts."""
        return shrunken_curves(self.certificate.tree, self.leaf_curves.by_leaf, self.shrinkage)

    @cached_property
    def stated(self) -> Certificate:
        """The certificate with all that its recheck compares with the rows."""
        facts = ModelFacts(self.leaf_curves, self.ibs_ratio, self.shrinkage, self.asked_shrinkage)
        return replace(self.certificate, model=facts)

    def at(self, regularization: float) -> "Fitted":
        """The same tree with objective and bounds for another penalty of its interval."""
        prepared = self.prepared and self.prepared.at(regularization)
        return replace(self, certificate=self.certificate.at(regularization), prepared=prepared)

    def with_binarizer(self, **attributes: Any) -> "Fitted":
        """The same with other roles or names of the columns of its table."""
        binarizer = copy(self.certificate.binarizer)
        for name, value in attributes.items():
            setattr(binarizer, name, value)
        return replace(self, certificate=replace(self.certificate, binarizer=binarizer))
