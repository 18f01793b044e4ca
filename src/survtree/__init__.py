"""Optimal sparse survival trees: a shallow tree, a curve in each leaf, and a proof."""

from importlib.metadata import version as _version

from survtree._binarizer import Binarizer
from survtree._certificate import Certificate, Guess, Verification
from survtree._curves import StepFunction
from survtree._estimator import OptimalSurvivalTree
from survtree._export import export_text
from survtree._path import RegularizationPath, regularization_path
from survtree._problem import InternalError, SearchStoppedWarning
from survtree._progress import Snapshot
from survtree._stability import Stability, bootstrap
from survtree._tuning import NestedScore, OptimalSurvivalTreeCV

__version__ = _version("survtree")

__all__ = [
    "Binarizer",
    "Certificate",
    "Guess",
    "InternalError",
    "NestedScore",
    "OptimalSurvivalTree",
    "OptimalSurvivalTreeCV",
    "RegularizationPath",
    "SearchStoppedWarning",
    "Snapshot",
    "Stability",
    "StepFunction",
    "Verification",
    "bootstrap",
    "export_text",
    "regularization_path",
]
