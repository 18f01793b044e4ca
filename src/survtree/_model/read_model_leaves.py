"""Leaves in model files: the counts of their rows, by cause if there are several."""

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from survtree._base.checks import require
from survtree._data.causes import Causes
from survtree._model.read_model_options import LARGEST, Exact, NotNegative, Positive, Text
from survtree._scoring.curves import LeafCurve
from survtree._scoring.incidence import CompetingCurve

Count = Annotated[int, Meta(ge=0, le=LARGEST)]


class NamedCauses(Struct):
    """With competing risks: the names of the causes, that of the target, and of censored rows."""

    names: list[Text]
    target: Positive
    censored: Text

    def __post_init__(self) -> None:
        is_apart = 1 < len(self.names) == len({*self.names, self.censored}) - 1
        require(is_apart, "causes.names must be two or more, with names that differ", self.names)
        is_one = self.target <= len(self.names)
        require(is_one, "causes.target must be the number of one of the names", self.target)

    def causes(self) -> Causes:
        """The same as a model has them."""
        return Causes(tuple(self.names), self.target, self.censored)


class OneCause(Struct):
    """The labels of the event and of censored rows, of a fit whose outcome was not event flags."""

    name: Text
    censored: Text

    def __post_init__(self) -> None:
        is_apart = self.name != self.censored
        require(is_apart, "one_cause.name must differ from the label of censored rows", self.name)

    def causes(self) -> Causes:
        """The same as a model has them."""
        return Causes((self.name,), 1, self.censored)


class Leaf(Exact):
    """Weights of events and of censored rows at each distinct time, and Kaplan-Meier survival.

    With competing risks events are those of the target, survival is 1 - its incidence, and the
    weights of all causes, and how many rows ended by each, are there too.
    """

    node: Count
    n_rows: Positive
    n_events: Count
    times: list[NotNegative]
    events: list[NotNegative]
    censored: list[NotNegative]
    survival: list[NotNegative]
    by_cause: list[list[NotNegative]] | None = None
    n_rows_by_cause: list[Count] | None = None

    def __post_init__(self) -> None:
        sizes = [len(each) for each in (self.times, self.events, self.censored, self.survival)]
        wanted = "times, events, censored and survival must have one length"
        require(min(sizes) == max(sizes) > 0, wanted, sizes)
        if self.by_cause is None:
            require(self.n_rows_by_cause is None, "n_rows_by_cause must come with by_cause", "it")
            self.check(None)

    def check(self, causes: Causes | None) -> None:
        """Whether the numbers are those of some rows, which may have ended by several causes."""
        self._check_causes(causes)
        curve, n_times = self.curve(causes), len(self.times)
        require((np.diff(curve.times) > 0).all(), "times must ascend", self.times)
        is_enough = self.n_rows >= max(n_times, self.n_events)
        require(is_enough, "n_rows must not be below the number of times or events", self.n_rows)
        require((curve.present > 0).all(), "each time must have rows", self.events)
        is_counted = bool(curve.events.any()) == (self.n_events > 0)
        require(
            is_counted, "n_events must be 0 if no time has events, and only then", self.n_events
        )
        is_same = np.allclose(curve.survival(curve.times), self.survival, rtol=0, atol=1e-9)
        require(is_same, "survival must be the Kaplan-Meier curve of the counts", self.survival)

    def _check_causes(self, causes: Causes | None) -> None:
        n_causes = 0 if causes is None else len(causes.names)
        found, counts = self.by_cause or [], self.n_rows_by_cause or []
        is_right = len(found) == len(counts) == n_causes
        require(is_right, f"by_cause must be of {n_causes} causes", (len(found), len(counts)))
        sizes = [len(each) for each in found]
        require(set(sizes) <= {len(self.times)}, "by_cause must have a weight at each time", sizes)
        if causes is None:
            return
        is_target = found[causes.target - 1] == self.events
        require(is_target, "events must be those of the target cause", self.events)
        is_counted = counts[causes.target - 1] == self.n_events and sum(counts) <= self.n_rows
        require(is_counted, "n_rows_by_cause must agree with n_events and n_rows", counts)

    def curve(self, causes: Causes | None) -> LeafCurve:
        """The curves of the leaf's own rows."""
        lists = (self.times, self.events, self.censored)
        times, events, censored = (np.array(each, dtype=float) for each in lists)
        if causes is None:
            return LeafCurve(self.n_rows, self.n_events, times, events, censored)
        return CompetingCurve(
            self.n_rows,
            self.n_events,
            times,
            events,
            censored,
            by_cause=np.array(self.by_cause, dtype=float),
            named=causes,
            n_rows_by_cause=tuple(self.n_rows_by_cause or ()),
        )
