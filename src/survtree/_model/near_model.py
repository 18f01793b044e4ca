"""Full models of trees that a search beside that of the fit has found.

Such a model has the options, columns and rows of the fit. Leaf curves, shrinkage and warnings are
its own, made as a fit would make them; its certificate says which tree it is.
"""

from dataclasses import replace

from survtree._base.tree import Tree
from survtree._model.estimator import OptimalSurvivalTree
from survtree._model.lone_leaf import OneLeafReason, why_chosen_leaf
from survtree._model.prepare import Prepared, copy_feature_names
from survtree._model.state import Fitted
from survtree._proof.choice import Choice
from survtree._search.solve import known_solution


def model_at(
    model: OptimalSurvivalTree, prepared: Prepared, tree: Tree, place: int, shrinkage: float
) -> OptimalSurvivalTree:
    """The model of the tree at a place of the list of near-optimal trees of a fit.

    The shrinkage is the one that a fit would choose: ``near_curves`` knows it more quickly.
    """
    if tree.is_same(model.tree_):
        return _with_options_of(model, replace(model._state, history=(), group_names=()))
    certificate = model._state.certificate
    choice = Choice(place=place)
    bound = certificate.objective
    state = _state(model, prepared, tree, choice, bound, "near_optimal", shrinkage)
    return _with_options_of(model, state)


def model_of_best(
    model: OptimalSurvivalTree,
    prepared: Prepared,
    tree: Tree,
    choice: Choice,
    lower_bound: float,
    status: str,
) -> OptimalSurvivalTree:
    """The model of the best tree under a condition, or of the best that was found in time."""
    return _with_options_of(model, _state(model, prepared, tree, choice, lower_bound, status))


def _state(
    model: OptimalSurvivalTree,
    prepared: Prepared,
    tree: Tree,
    choice: Choice,
    lower_bound: float,
    status: str,
    shrinkage: float | None = None,
) -> Fitted:
    of_fit = model._state
    tolerance = of_fit.certificate.tolerance
    solution = known_solution(prepared.problem, tree, lower_bound, status, tolerance)
    if status == "near_optimal" and solution.objective <= lower_bound + tolerance:
        # A tie: as good as the tree of the fit, up to rounding.
        solution = replace(solution, status="optimal", lower_bound=solution.objective)
    certificate = replace(
        of_fit.certificate,
        **{name: getattr(solution, name) for name in ("objective", "loss", "lower_bound")},
        status=solution.status,
        tree=tree,
        n_leaves=len(tree.leaves),
        seconds=0.0,
        counts={},
        exact_loss=prepared.exact_loss(tree),
        guess=None,
        proof=None,
        choice=choice,
    )
    state = Fitted.of(prepared, solution, certificate, shrinkage)
    reason = why_chosen_leaf(choice) if len(tree.leaves) == 1 else ""
    state = replace(state, frame_library=of_fit.frame_library, origin=of_fit.origin)
    return replace(state, one_leaf_reason=OneLeafReason(lambda: reason))


def _with_options_of(model: OptimalSurvivalTree, state: Fitted) -> OptimalSurvivalTree:
    other = OptimalSurvivalTree(**model.get_params(deep=False))
    copy_feature_names(model, other)
    other._fitted = state
    return other
