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

__version__ = _version("survtree")

__all__ = [
    "Binarizer",
    "Certificate",
    "Guess",
    "InternalError",
    "OptimalSurvivalTree",
    "RegularizationPath",
    "SearchStoppedWarning",
    "Snapshot",
    "StepFunction",
    "Verification",
    "export_text",
    "regularization_path",
]
