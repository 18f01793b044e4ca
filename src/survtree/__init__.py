"""Optimal sparse survival trees: a shallow tree, a curve in each leaf, and a proof."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from survtree._binarizer import Binarizer
    from survtree._certificate import Certificate, Guess, Verification
    from survtree._curves import StepFunction
    from survtree._estimator import OptimalSurvivalTree
    from survtree._export.dot import export_dot
    from survtree._export.latex import export_latex
    from survtree._export.python import export_python
    from survtree._export.sql import export_sql
    from survtree._export.text import export_text
    from survtree._leaf_facts import leaf_table
    from survtree._model_file import export_json, load
    from survtree._path import RegularizationPath, regularization_path
    from survtree._plots.calibration import plot_calibration
    from survtree._plots.curves import plot_curves
    from survtree._plots.gap import plot_gap
    from survtree._plots.picture import Picture
    from survtree._plots.tree import plot_tree
    from survtree._problem import InternalError, SearchStoppedWarning
    from survtree._progress import Snapshot
    from survtree._proof_check import Verdict, check_proof
    from survtree._stability import Stability, bootstrap
    from survtree._tuning import NestedScore, OptimalSurvivalTreeCV

__version__ = _version("survtree")

# Where the public names are. They are imported when first asked for: the command line answers
# --help without scikit-learn.
_HOMES = {
    "Binarizer": "_binarizer",
    "Certificate": "_certificate",
    "Guess": "_certificate",
    "InternalError": "_problem",
    "NestedScore": "_tuning",
    "OptimalSurvivalTree": "_estimator",
    "OptimalSurvivalTreeCV": "_tuning",
    "Picture": "_plots.picture",
    "RegularizationPath": "_path",
    "SearchStoppedWarning": "_problem",
    "Snapshot": "_progress",
    "Stability": "_stability",
    "StepFunction": "_curves",
    "Verdict": "_proof_check",
    "Verification": "_certificate",
    "bootstrap": "_stability",
    "check_proof": "_proof_check",
    "export_json": "_model_file",
    "export_dot": "_export.dot",
    "export_latex": "_export.latex",
    "export_python": "_export.python",
    "export_sql": "_export.sql",
    "export_text": "_export.text",
    "leaf_table": "_leaf_facts",
    "load": "_model_file",
    "plot_calibration": "_plots.calibration",
    "plot_curves": "_plots.curves",
    "plot_gap": "_plots.gap",
    "plot_tree": "_plots.tree",
    "regularization_path": "_path",
}

__all__ = [
    "Binarizer",
    "Certificate",
    "Guess",
    "InternalError",
    "NestedScore",
    "OptimalSurvivalTree",
    "OptimalSurvivalTreeCV",
    "Picture",
    "RegularizationPath",
    "SearchStoppedWarning",
    "Snapshot",
    "Stability",
    "StepFunction",
    "Verdict",
    "Verification",
    "bootstrap",
    "check_proof",
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
