"""Everything the answer depends on, frozen, and its fingerprint. Never knows how it is solved."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from survtree._binarizer import Binarizer
from survtree._event_table import EventTable


class InternalError(RuntimeError):
    """An invariant of survtree broke: a bug, never the user's fault. Names a replay file."""


class SearchStoppedWarning(UserWarning):
    """The search ended before the tree was proven best; the tree and both bounds are valid."""


@dataclass(frozen=True)
class Problem:
    """A table of yes/no answers, its outcome, and what the user calls a good tree."""

    features: NDArray[np.uint8] = field(repr=False)  # rows x questions, 0 or 1, row-major
    events: EventTable = field(repr=False)
    binarizer: Binarizer = field(repr=False)
    regularization: float
    max_depth: int | None
    min_samples_leaf: int

    def fingerprint(self) -> str:
        """SHA-256 of names, answers, times, events and weights, in the order of the rows."""
        digest = hashlib.sha256()
        for name in self.binarizer.names:
            raw = name.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "little") + raw)
        digest.update(repr(self.features.shape).encode())
        events = self.events
        for array, dtype in (
            (self.features, "|u1"),
            (events.event, "|u1"),
            (events.time, "<f8"),
            (events.weight, "<f8"),
        ):
            digest.update(np.ascontiguousarray(array, dtype=dtype).data)
        return digest.hexdigest()
