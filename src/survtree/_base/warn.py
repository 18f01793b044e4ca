"""Warnings that point to the code of the user, however deep in the package they arise."""

import sys
import warnings


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line that called the package."""
    warnings.warn(message, category, stacklevel=callers_level())


def callers_level() -> int:
    """The stack level of the code that called the package, seen from a caller of this function."""
    level, frame = 1, sys._getframe(1)
    inside = ("survtree", "sklearn")  # scikit-learn wraps transform
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in inside:
        level, frame = level + 1, frame.f_back
    return level
