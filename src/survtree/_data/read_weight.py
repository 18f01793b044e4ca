"""Weights of rows, as users have them."""

from typing import Any

import numpy as np

from survtree._data.read_outcome import numbers_of
from survtree._data.table import Floats

MAX_WEIGHT_RATIO = 1e12
MAX_WEIGHT = 1e100  # sums of weights and their squares stay in range


def check_weight(
    sample_weight: Any, n_rows: int, role: str = "sample_weight", table: str = "X"
) -> Floats:
    """A weight for each row of the table, 0 or more; 1 if none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = numbers_of(role, sample_weight)
    if len(weight) != n_rows:
        raise ValueError(
            f"{role} must have one entry per row; {table} has {n_rows}, it has {len(weight)}. "
            f"Take it from the rows of {table}."
        )
    is_bad = ~(np.isfinite(weight) & (weight >= 0))
    if is_bad.any():
        row = int(np.argmax(is_bad))
        raise ValueError(
            f"{role} must be finite and not negative; row {row} has {weight[row]}. To leave a row "
            "out, give it 0."
        )
    _check_sizes(weight[weight > 0], role)
    return weight


def _check_sizes(weight: Floats, role: str) -> None:
    """Weights above 0, of which there must be some, and which must not differ too much."""
    if len(weight) == 0:
        raise ValueError(
            f"{role} must be above 0 in some row; it is 0 in all, which leaves no row. Leave it "
            "out to count all rows once."
        )
    if weight.max() > MAX_WEIGHT_RATIO * weight.min():
        raise ValueError(
            f"{role} must not span more than a factor of {MAX_WEIGHT_RATIO:g}, beyond which losses "
            f"lose digits; got {weight.min():g} to {weight.max():g}. Rescale or clip it."
        )
    if weight.max() > MAX_WEIGHT or weight.min() < 1 / MAX_WEIGHT:
        raise ValueError(
            f"{role} must lie between {1 / MAX_WEIGHT:g} and {MAX_WEIGHT:g}; got {weight.min():g} "
            f"to {weight.max():g}. Only ratios of weights matter: divide it by its mean."
        )
