"""What a certificate says of a search that assumed a reference model to be right."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from survtree._search.solve import Solution


@dataclass(frozen=True)
class Guess:
    """What a search with a reference model assumed, and what holds even if that is wrong.

    ``loss`` is that of the reference on the training rows. If the assumption holds for the best
    tree, no tree is below ``conditional_bound``; ``lower_bound`` holds in any case. The
    difference between the two is the most that a wrong guess can cost.
    """

    reference: str
    loss: float
    conditional_bound: float
    lower_bound: float
    n_closed: int

    @classmethod
    def of(cls, reference: str, losses: NDArray[np.float64], solution: Solution) -> "Guess":
        """What a search assumed that used the losses of a reference."""
        return cls(
            reference=reference,
            loss=float(losses.sum()),
            conditional_bound=solution.guessed_bound,
            lower_bound=solution.lower_bound,
            n_closed=solution.counts["pruned_by_guess"],
        )

    assumption = (
        "on no group of rows that answer all questions alike does the best tree lose less than the "
        "reference"
    )

    def __str__(self) -> str:
        return (
            f"assumed: {self.assumption} ({self.reference}, loss {self.loss:.6f})\n"
            f"if so, no tree is below {self.conditional_bound:.6f}\n"
            f"if not, no tree is below {self.lower_bound:.6f}\n"
            f"subsets closed by the guess alone: {self.n_closed:,}"
        )
