"""Other trees of a fit: those that are as good as its tree, and those that are nearly as good."""

from typing import TYPE_CHECKING, Any

from survtree._base.tree import Tree
from survtree._model.checks import (
    check_has_rows,
    check_is_optimum,
    check_limit,
    check_no_leaf_limit,
)
from survtree._search.solve import optimal_trees

if TYPE_CHECKING:
    from survtree._model.near_optimal import NearOptimalTrees


class TreeLists:
    """What an ``OptimalSurvivalTree`` says of trees beside its own."""

    def optimal_trees(self: Any, limit: int = 100) -> list[Tree]:
        """Every distinct tree that attains the optimum, at most ``limit``; the first is ``tree_``.

        Columns that separate the training rows in the same way count as one. This needs the
        training rows, which a fitted model keeps in memory but does not pickle.
        """
        state = self._state
        limit = check_limit(limit)
        problem = check_has_rows("optimal_trees", state.problem)
        check_no_leaf_limit(problem)
        check_is_optimum("optimal_trees", state.certificate)
        return optimal_trees(problem, self.objective_, limit)

    def near_optimal(
        self: Any,
        within: float = 0.01,
        limit: int = 10_000,
        *,
        slack: float | None = None,
        time_limit: float | None = None,
    ) -> "NearOptimalTrees":
        """All trees that are nearly as good as this one, the best first.

        These are the trees within the limits of the fit whose objective is at most (1 + within) x
        that of the optimum. Trees that part the training rows alike count as one. This needs the
        training rows, which a fitted model keeps in memory but does not pickle.

        Parameters
        ----------
        within : float, default=0.01
            By how much the objective may exceed the optimum, as a share of it.
        limit : int, default=10_000
            The most trees to list; if there are more, these are the best ones.
        slack : float or None, default=None
            In place of ``within``: by how much the objective may exceed the optimum, as it is.
        time_limit : float or None, default=None
            Seconds after which each search ends with what it has found. The ``memory_limit`` and
            ``node_limit`` of the fit hold for each search as well.

        Examples
        --------
        >>> from survtree import OptimalSurvivalTree
        >>> from survtree.datasets import load
        >>> X, y = load("veterans", encoding="paper")
        >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.01).fit(X, y)
        >>> near = model.near_optimal(within=0.05)
        >>> near[0].objective_ == model.objective_, near.is_complete
        (True, True)
        """
        from survtree._model.near_optimal import near_optimal_trees

        return near_optimal_trees(self, within, limit, slack, time_limit)
