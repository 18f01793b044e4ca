"""What is asked of tables, pictures and files of a fitted model."""

import importlib.util
import numbers
from typing import Any

import narwhals as nw
import numpy as np

from survtree._validation.words import did_you_mean

BACKENDS = ("polars", "pandas", "pyarrow")


def check_confidence(confidence: Any) -> float:
    """A share strictly between 0 and 1."""
    is_number = isinstance(confidence, numbers.Real) and not isinstance(confidence, bool)
    if not is_number or not 0 < float(confidence) < 1:
        raise ValueError(
            "confidence must be a number between 0 and 1, both excluded; got "
            f"{confidence!r}. Pass 0.95 for limits of 95 %."
        )
    return float(confidence)


def check_until(until: Any) -> float:
    """A positive time."""
    is_number = isinstance(until, numbers.Real) and not isinstance(until, bool)
    if not is_number or not 0 < float(until) < np.inf:
        raise ValueError(
            f"until must be a finite time above 0; got {until!r}. Pass the time up to which the "
            "restricted mean counts."
        )
    return float(until)


def frame_of(columns: dict[str, list[Any]], backend: Any) -> Any:
    """A table in the library of the user's choice."""
    if backend not in BACKENDS:
        raise ValueError(
            f"backend must be one of {', '.join(map(repr, BACKENDS))}; got {backend!r}."
            f"{did_you_mean(backend, BACKENDS)}"
        )
    if importlib.util.find_spec(backend) is None:
        raise ValueError(
            f"backend must be a library that is installed; {backend!r} is not. Install it, or "
            "leave backend out."
        )
    return nw.from_dict(columns, backend=backend).to_native()
