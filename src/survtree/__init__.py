"""Optimal sparse survival trees: a shallow tree, a curve in each leaf, and a proof."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from survtree._base.versions import SURVTREE_VERSION as _SURVTREE_VERSION

if TYPE_CHECKING:
    from survtree._base import (
        ClusterError,
        DataWarning,
        DeviceError,
        InternalError,
        SearchStoppedWarning,
        TailWeightWarning,
    )
    from survtree._model.estimator import OptimalSurvivalTree
    from survtree._model.model_file import export_json, load
    from survtree._model.near_optimal import NearOptimalTrees
    from survtree._model.path import RegularizationPath, regularization_path
    from survtree._model.recipe import Recipe
    from survtree._model.stability import Stability, bootstrap
    from survtree._model.tuning import NestedScore, OptimalSurvivalTreeCV
    from survtree._proof.certificate import Certificate
    from survtree._proof.checker import Verdict, check_proof
    from survtree._proof.guess import Guess
    from survtree._proof.recheck import Verification
    from survtree._questions.binarizer import Binarizer
    from survtree._scoring.curves import StepFunction
    from survtree._search.cluster.context import cluster
    from survtree._search.progress import FitsSnapshot, Snapshot
    from survtree._show.curve_table import curve_table
    from survtree._show.export_latex import export_latex
    from survtree._show.export_python import export_python
    from survtree._show.export_sql import export_sql
    from survtree._show.export_text import export_dot, export_text
    from survtree._show.leaf_table import leaf_table
    from survtree._show.picture import Picture
    from survtree._show.plot_curves import plot_curves
    from survtree._show.plot_quality import plot_calibration, plot_gap
    from survtree._show.plot_tree import plot_tree

__version__ = _SURVTREE_VERSION

# Where the public names are. They are imported at first use: the command line answers
# --help without scikit-learn.
_HOMES = {
    "Binarizer": "_questions.binarizer",
    "Certificate": "_proof.certificate",
    "ClusterError": "_base",
    "DataWarning": "_base",
    "DeviceError": "_base",
    "FitsSnapshot": "_search.progress",
    "Guess": "_proof.guess",
    "InternalError": "_base",
    "NearOptimalTrees": "_model.near_optimal",
    "NestedScore": "_model.tuning",
    "OptimalSurvivalTree": "_model.estimator",
    "OptimalSurvivalTreeCV": "_model.tuning",
    "Picture": "_show.picture",
    "Recipe": "_model.recipe",
    "RegularizationPath": "_model.path",
    "SearchStoppedWarning": "_base",
    "Snapshot": "_search.progress",
    "Stability": "_model.stability",
    "StepFunction": "_scoring.curves",
    "TailWeightWarning": "_base",
    "Verdict": "_proof.checker",
    "Verification": "_proof.recheck",
    "bootstrap": "_model.stability",
    "check_proof": "_proof.checker",
    "cluster": "_search.cluster.context",
    "curve_table": "_show.curve_table",
    "export_dot": "_show.export_text",
    "export_json": "_model.model_file",
    "export_latex": "_show.export_latex",
    "export_python": "_show.export_python",
    "export_sql": "_show.export_sql",
    "export_text": "_show.export_text",
    "leaf_table": "_show.leaf_table",
    "load": "_model.model_file",
    "plot_calibration": "_show.plot_quality",
    "plot_curves": "_show.plot_curves",
    "plot_gap": "_show.plot_quality",
    "plot_tree": "_show.plot_tree",
    "regularization_path": "_model.path",
}

__all__ = [
    "Binarizer",
    "Certificate",
    "ClusterError",
    "DataWarning",
    "DeviceError",
    "FitsSnapshot",
    "Guess",
    "InternalError",
    "NearOptimalTrees",
    "NestedScore",
    "OptimalSurvivalTree",
    "OptimalSurvivalTreeCV",
    "Picture",
    "Recipe",
    "RegularizationPath",
    "SearchStoppedWarning",
    "Snapshot",
    "Stability",
    "StepFunction",
    "TailWeightWarning",
    "Verdict",
    "Verification",
    "bootstrap",
    "check_proof",
    "cluster",
    "curve_table",
    "export_dot",
    "export_json",
    "export_latex",
    "export_python",
    "export_sql",
    "export_text",
    "leaf_table",
    "load",
    "plot_calibration",
    "plot_curves",
    "plot_gap",
    "plot_tree",
    "regularization_path",
]


def __getattr__(name: str) -> Any:
    if name in ("datasets", "metrics"):
        return _import_module(f"survtree.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'survtree' has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f"survtree.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "datasets", "metrics"})
