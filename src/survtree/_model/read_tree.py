"""The tree in what users pass to exports, tables and pictures: also in searches and pipelines."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from survtree._model.fitted import FittedTree

NEEDED = "model must be a fitted tree, or a fitted search or pipeline with one in it"


def tree_of(model: Any) -> FittedTree:
    """A fitted tree; of searches the best one, of pipelines the last step."""
    while not isinstance(model, FittedTree):
        if isinstance(model, type):
            raise TypeError(
                f"{NEEDED}; got the class {model.__name__}. Pass what its fit returned."
            )
        if not hasattr(model, "best_estimator_") and not isinstance(model, Pipeline):
            raise TypeError(f"{NEEDED}; got {type(model).__name__}. {_remedy(model)}")
        model = model[-1] if isinstance(model, Pipeline) else model.best_estimator_
    check_is_fitted(model)
    return model


def _remedy(model: Any) -> str:
    if hasattr(model, "table") and hasattr(model, "at"):
        return "Pass one of its trees, for example path.at(0.01)."
    if hasattr(model, "refit"):
        return "Fit it, with refit=True, which keeps the best tree."
    return "Pass an OptimalSurvivalTree or OptimalSurvivalTreeCV after fit."


def shown_tree_of(model: Any) -> FittedTree:
    """The same to be shown: columns that a pipeline made of others have the names it gives them."""
    tree, inner = tree_of(model), model
    while not isinstance(inner, Pipeline):
        if inner is tree or not hasattr(inner, "best_estimator_"):
            return tree
        inner = inner.best_estimator_
    if hasattr(tree, "feature_names_in_") or len(inner) == 1:
        return tree
    try:
        names = [str(name) for name in inner[:-1].get_feature_names_out()]
    except (AttributeError, ValueError):  # of transformers that do not name their columns
        return tree
    shown = copy(tree)
    shown.feature_names_in_ = np.array(names, dtype=object)
    questions = replace(tree.questions_, names=tuple(names))
    shown._fitted = tree._state.with_binarizer(questions_=questions)
    return shown
