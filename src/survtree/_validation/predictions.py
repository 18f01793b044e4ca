"""What is asked of a fitted model."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from survtree._problem import Problem
from survtree._proof import ProofLog
from survtree._validation.options import check_option
from survtree._validation.outcome import numbers_of
from survtree._validation.words import did_you_mean

PATH_OPTIONS = (
    *("max_depth", "min_samples_leaf", "max_leaves", "thresholds", "missing", "encoding"),
    *("max_levels", "time_buckets", "time_limit", "memory_limit", "node_limit"),
)


def check_times(times: ArrayLike, role: str = "times") -> NDArray[np.float64]:
    """Times at which curves are asked for, or told: ascending, finite."""
    array = numbers_of(role, np.atleast_1d(np.asarray(times)))
    if not np.isfinite(array).all():
        place = int(np.argmax(~np.isfinite(array)))
        raise ValueError(f"{role} must be finite; place {place} has {array[place]}. Leave it out.")
    if (np.diff(array) < 0).any():
        place = int(np.argmax(np.diff(array) < 0))
        raise ValueError(
            f"{role} must be ascending; {array[place + 1]:g} comes after {array[place]:g}. Sort "
            "them first."
        )
    return array


def check_share(quantile: Any) -> float:
    """A share strictly between 0 and 1."""
    if not isinstance(quantile, numbers.Real) or not 0 < float(quantile) < 1:
        raise ValueError(
            f"quantile must be a number between 0 and 1, both excluded; got {quantile!r}. Pass 0.5 "
            "for the median."
        )
    return float(quantile)


def check_limit(limit: Any) -> int:
    """A positive count."""
    if isinstance(limit, bool) or not isinstance(limit, numbers.Integral) or limit < 1:
        raise ValueError(f"limit must be a positive integer; got {limit!r}.")
    return int(limit)


def check_has_proof(proof: ProofLog | None, status: str) -> ProofLog:
    """The proof of a certificate, or an error that says how to get one."""
    if proof is None:
        raise ValueError(
            f"write_proof needs a full proof; the certificate has its numbers only (status "
            f"{status!r}). Fit with certificate='full' until the status is 'optimal'; a loaded "
            "model has no proof."
        )
    return proof


def check_trees_can_be_listed(problem: Problem | None, status: str) -> Problem:
    """The problem, if the fit was proven optimal and still has its rows."""
    if problem is None:
        raise ValueError(
            "optimal_trees needs the training rows; this model was loaded without them. Fit it "
            "again."
        )
    if problem.max_leaves is not None:
        raise ValueError(
            f"optimal_trees needs a fit without a limit on leaves; max_leaves is "
            f"{problem.max_leaves}. Fit again with max_leaves=None and a higher regularization."
        )
    if status != "optimal":
        raise ValueError(
            f"optimal_trees needs a proven optimum; the status of this fit is {status!r}. "
            "Fit again without limits."
        )
    return problem


def check_price(regularization: Any, lowest: float) -> float:
    """A price that a path covers."""
    price = check_option("regularization", regularization)
    if price < lowest:
        raise ValueError(
            f"regularization must be at least {lowest:g}, the smallest that this path was made "
            f"for; got {price:g}. Make a path with a smaller min_regularization."
        )
    return float(price)


def check_path_options(options: Mapping[str, Any]) -> None:
    """Options of the estimator that make sense for a path."""
    for name in options:
        if name not in PATH_OPTIONS:
            raise TypeError(
                f"regularization_path takes the options {', '.join(PATH_OPTIONS)}; got {name!r}."
                f"{did_you_mean(name, PATH_OPTIONS)}"
            )


def check_number_of_leaves(n_leaves: float, most: int) -> None:
    """Of the largest tree that a path may have."""
    if n_leaves > most:
        raise ValueError(
            f"min_regularization must be high enough for trees of at most {most:,} leaves; at this "
            f"price {n_leaves:,.0f} could pay. Raise it, or pass max_leaves."
        )
