"""What everything that shows or carries a tree knows of a fitted model."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._proof.certificate import Certificate
from survtree._questions.binarizer import Binarizer
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurve
from survtree._search.progress import Snapshot

Floats = NDArray[np.float64]


class Roles(NamedTuple):
    """Which columns of a table hold the outcome; ``event_values`` are those of an event, if told.

    A model does not need them to predict. They are for those who give it the same table again.
    """

    time: str
    event: str
    event_values: tuple[str, ...] = ()
    weight: str | None = None


class FittedTree(Protocol):
    """A fitted ``OptimalSurvivalTree`` or ``OptimalSurvivalTreeCV``."""

    tree_: Tree
    binarizer_: Binarizer
    certificate_: Certificate
    unique_times_: Floats
    event_times_: Floats
    ibs_ratio_: float
    history_: tuple[Snapshot, ...]
    roles_: Roles | None

    @property
    def questions_(self) -> Questions:
        """What is asked of the columns."""
        ...

    @property
    def leaf_curves_(self) -> dict[int, LeafCurve]:
        """What each leaf (by node number) predicts."""
        ...

    @property
    def leaf_risks_(self) -> dict[int, float]:
        """The risk score of each leaf (by node number)."""
        ...

    def apply(self, X: Any) -> NDArray[np.intp]:
        """The leaf of each row."""
        ...
