"""Predictions of a fitted tree for new rows: leaves, curves, quantiles, risk scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from survtree._data.read_rows import warn_of_unseen
from survtree._data.table import Table
from survtree._model.checks import check_share
from survtree._model.fitted import FittedTree
from survtree._scoring.concordance import concordance_of_risks
from survtree._scoring.curves import StepFunction
from survtree._scoring.read_curves import check_times

Floats = NDArray[np.float64]


class TreePredictor(FittedTree):
    """The prediction methods of a tree estimator."""

    def apply(self, X: Any) -> NDArray[np.intp]:
        """The leaf (as node number of ``tree_``) each row ends in."""
        return self._leaves(self.binarizer_.read(X, self))

    def _leaves(self, table: Table) -> NDArray[np.intp]:
        questions = self.questions_
        asked = {questions.asked[j].column for j in self.tree_.question[self.tree_.question >= 0]}
        warn_of_unseen(table, {j: self.binarizer_.seen_[j] for j in asked})
        return self.tree_.apply(table.n_rows, lambda j: questions.answer(j, table))

    def decision_path(self, X: Any) -> Any:
        """Sparse matrix (row, node): is the node on the row's way from the root to its leaf?"""
        leaf_of_row = self.apply(X)
        return csr_array(self.tree_.ancestors().astype(np.int8))[leaf_of_row]

    def predict(self, X: Any) -> Floats:
        """Risk score, higher is worse: the leaf's cumulative hazard summed over all event times.

        It is the number of events to expect among as many rows of this leaf as there were rows.
        """
        return self._per_row(self.apply(X), self.leaf_risks_)

    def predict_survival_function(
        self, X: Any, times: ArrayLike | None = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Survival curves of the rows.

        A StepFunction per row (rows of one leaf share one), or with ``return_array`` a matrix
        (row, time). ``times`` are the columns; by default ``unique_times_``.
        """
        return self._functions(X, "survival", times, return_array)

    def predict_cumulative_hazard_function(
        self, X: Any, times: ArrayLike | None = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Cumulative hazard (Nelson-Aalen) of the rows; as ``predict_survival_function``."""
        return self._functions(X, "hazard", times, return_array)

    def predict_quantile(self, X: Any, quantile: float = 0.5) -> Floats:
        """First time by which this share of the row's leaf had the event; inf if never reached."""
        share = check_share(quantile)
        quantiles = {leaf: c.quantile(share) for leaf, c in self.leaf_curves_.items()}
        return self._per_row(self.apply(X), quantiles)

    def predict_median(self, X: Any) -> Floats:
        """Median survival time; inf where the curve stays above one half."""
        return self.predict_quantile(X, 0.5)

    def score(self, X: Any, y: Any) -> float:
        """Harrell's concordance index of the predicted risk."""
        study = self.binarizer_.read_with_outcome(X, y, None, self)
        risks = self._per_row(self._leaves(study.table), self.leaf_risks_)
        return concordance_of_risks(study.events, risks)

    def report(self, file: Any, X: Any = None, y: Any = None, **options: Any) -> None:
        """Write the model as one HTML page; ``options`` are those of the page.

        sample_weight, title, times, cv, command, random_state: see ``docs/how-to/share-a-report``.
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

    def _per_row(self, leaf_of_row: NDArray[np.intp], value_of_leaf: Mapping[int, float]) -> Floats:
        by_node = np.full(self.tree_.n_nodes, np.nan)
        by_node[list(value_of_leaf)] = list(value_of_leaf.values())
        return by_node[leaf_of_row]

    def _functions(
        self, X: Any, kind: str, times: ArrayLike | None, return_array: bool
    ) -> NDArray[Any]:
        curves = self.leaf_curves_
        at = self.unique_times_ if times is None else check_times(times)
        functions: dict[int, StepFunction] = {
            leaf: getattr(curve, kind).at_times(at) for leaf, curve in curves.items()
        }
        leaf_of_row = self.apply(X)
        if return_array:
            by_node = np.full((self.tree_.n_nodes, len(at)), np.nan)
            for leaf, function in functions.items():
                by_node[leaf] = function.y
            return by_node[leaf_of_row]
        shared = np.empty(self.tree_.n_nodes, dtype=object)
        for leaf, function in functions.items():
            shared[leaf] = function
        out: NDArray[Any] = shared[leaf_of_row]
        return out


def functions_of(model: TreePredictor, X: Any) -> list[StepFunction]:
    """The survival curve of each row; rows of a leaf share one."""
    curves = model.leaf_curves_
    return [curves[leaf].survival for leaf in model.apply(X).tolist()]
