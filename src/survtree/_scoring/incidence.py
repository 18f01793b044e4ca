"""Curves of a leaf with competing risks: incidences of all causes, with standard errors and limits.

Of the rows at risk at time t_j, Y_j, d_kj end by cause k. S is the Kaplan-Meier curve of all causes
together, and Aalen and Johansen's incidence of cause k is

    F_k(t) = sum over t_j <= t of S(t_j-) d_kj / Y_j,

so that S and all F_k add up to 1. Its variance is that of the delta method, which is also the sum
of the squared influences of the rows: what a row does to the hazards of one time is uncorrelated
with what it does to those of another. With h_j the share of the rows at risk that end at t_j,

    var F_k(t) = sum over t_j <= t of ( sum over causes c of d_cj A_c^2 - B^2 / Y_j ) / Y_j^2,
    A_c = [c is k] S(t_j-) - (F_k(t) - F_k(t_j)) / (1 - h_j),   B = sum over causes c of d_cj A_c.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from survtree._base.numbers import Interval
from survtree._data.causes import Causes
from survtree._data.table import EventTable, Floats, Places, weight_at
from survtree._scoring.curves import LeafCurve, PredictedCurve, StepFunction, z_of


@dataclass(frozen=True)
class CompetingCurve(LeafCurve):
    """The curves of a leaf whose rows may end by several causes, of which one is the target.

    ``survival`` is 1 - F of the target: the share that has not had it, whether or not another
    cause came first. ``event_free`` is the share free of all causes. ``hazard`` is the
    cause-specific cumulative hazard of the target.
    """

    by_cause: Floats  # weights of the rows that end by each cause, causes x times
    named: Causes
    n_rows_by_cause: tuple[int, ...]

    @property
    def present(self) -> Floats:
        """Weight of all rows that end at each time."""
        return np.asarray(self.by_cause.sum(axis=0) + self.censored)

    @property
    def target(self) -> int:
        """The cause that the tree is about, counted from 1."""
        return self.named.target

    @property
    def causes(self) -> Causes:
        """The names of the causes."""
        return self.named

    def weights_by_end(self) -> list[tuple[int, Floats]]:
        """What rows end by, 0 being censored, and the weights of those that do so at each time."""
        return [*((k + 1, weight) for k, weight in enumerate(self.by_cause)), (0, self.censored)]

    @cached_property
    def _at_risk_of_all(self) -> Floats:
        return self.present[::-1].cumsum()[::-1]

    @cached_property
    def _free(self) -> tuple[Floats, Floats]:
        """The share free of all causes just before each time, and from it on."""
        share = self.by_cause.sum(axis=0) / self._at_risk_of_all
        after = (1.0 - share).cumprod()
        return np.append(1.0, after[:-1]), after

    @cached_property
    def event_free(self) -> StepFunction:
        """Kaplan-Meier of all causes together."""
        steps = self.by_cause.any(axis=0)
        return StepFunction(self.times[steps], self._free[1][steps], before=1.0)

    def _had(self, cause: int) -> Floats:
        """The incidence of a cause at each time."""
        share = self.by_cause[cause - 1] / self._at_risk_of_all
        return np.asarray((self._free[0] * share).cumsum())

    def incidence(self, cause: int | None = None) -> StepFunction:
        """Aalen-Johansen, of the target unless another cause (counted from 1) is named."""
        place = self.target if cause is None else cause
        steps = self.by_cause[place - 1] > 0
        return StepFunction(self.times[steps], self._had(place)[steps], before=0.0)

    @cached_property
    def survival(self) -> StepFunction:
        """1 - the incidence of the target."""
        return self.incidence().reversed()

    def standard_error(self, cause: int | None = None) -> Floats:
        """Of the incidence of a cause, at each of ``times``."""
        place = self.target if cause is None else cause
        had, pull, at_risk = self._had(place), self._pull, self._at_risk_of_all
        own, ended = self.by_cause[place - 1], self.by_cause.sum(axis=0)
        alone = self._free[0]  # what a row of the cause itself adds
        # With x = F(t) - F(t_j) the summand is a quadratic in x; x is expanded so that sums over
        # t_j <= t can be running ones.
        constant = (own * alone**2 - (own * alone) ** 2 / at_risk) / at_risk**2
        linear = 2 * alone * pull * (own * ended / at_risk - own) / at_risk**2
        square = pull**2 * (ended - ended**2 / at_risk) / at_risk**2
        sums = [
            part.cumsum()
            for part in (
                constant - linear * had + square * had**2,
                linear - 2 * square * had,
                square,
            )
        ]
        variance = sums[0] + sums[1] * had + sums[2] * had**2
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    @cached_property
    def _pull(self) -> Floats:
        """1 / (1 - h) at each time; 0 where nobody is left, after which nothing happens."""
        left = 1.0 - self.by_cause.sum(axis=0) / self._at_risk_of_all
        return np.asarray(np.divide(1.0, left, out=np.zeros_like(left), where=left > 0))

    def incidence_band(
        self, cause: int | None = None, confidence: float = 0.95
    ) -> tuple[StepFunction, StepFunction]:
        """Pointwise limits of the incidence of a cause, on the scale of log(-log F); 0 before."""
        place = self.target if cause is None else cause
        steps = self.by_cause[place - 1] > 0
        had, error = self._had(place)[steps], self.standard_error(place)[steps]
        is_open = (had > 0) & (had < 1)
        depth = -np.log(had, out=np.full_like(had, -1.0), where=is_open)
        spread = np.exp(
            np.divide(z_of(confidence) * error, had * depth, out=np.zeros_like(had), where=is_open)
        )
        low, high = np.where(is_open, (had**spread, had ** (1 / spread)), had)
        times = self.times[steps]
        return StepFunction(times, low, before=0.0), StepFunction(times, high, before=0.0)

    def incidence_at(
        self, time: float, cause: int | None = None, confidence: float = 0.95
    ) -> Interval:
        """F(time) of a cause with its limits, of which nothing is known before its first event."""
        low, high = self.incidence_band(cause, confidence)
        if len(low.x) == 0 or time < low.x[0]:
            return Interval(0.0, np.nan, np.nan)
        return Interval(float(self.incidence(cause)(time)), float(low(time)), float(high(time)))

    def band(self, confidence: float = 0.95) -> tuple[StepFunction, StepFunction]:
        """Pointwise limits of ``survival``: 1 minus those of the target's incidence."""
        low, high = self.incidence_band(confidence=confidence)
        return (
            StepFunction(high.x, 1.0 - high.y, before=1.0),
            StepFunction(low.x, 1.0 - low.y, before=1.0),
        )

    def restricted_mean(self, until: float, confidence: float = 0.95) -> Interval:
        """Mean time up to a time without the target: the area under ``survival`` until then."""
        here = self.times < until
        times, had = self.times[here], self._had(self.target)[here]
        lengths = np.diff(times, append=until)
        later = (had * lengths)[::-1].cumsum()[::-1]  # area under F from each time on
        mean = until - float((had * lengths).sum())
        at_risk, alone = self._at_risk_of_all[here], self._free[0][here]
        own, ended = self.events[here], self.by_cause.sum(axis=0)[here]
        pulled = self._pull[here] * (later - had * (until - times))
        of_own, of_other = alone * (until - times) - pulled, -pulled
        other = ended - own
        moved = own * of_own + other * of_other
        terms = (own * of_own**2 + other * of_other**2 - moved**2 / at_risk) / at_risk**2
        half = z_of(confidence) * float(np.sqrt(max(terms.sum(), 0.0)))
        return Interval(mean, max(0.0, mean - half), min(until, mean + half))

    def merged(self, other: LeafCurve) -> "CompetingCurve":
        """The curves of the rows of both."""
        assert isinstance(other, CompetingCurve)
        times, place = np.unique(np.append(self.times, other.times), return_inverse=True)
        by_cause = [
            weight_at(place, np.append(mine, theirs), len(times))
            for mine, theirs in zip(self.by_cause, other.by_cause, strict=True)
        ]
        return CompetingCurve(
            n_rows=self.n_rows + other.n_rows,
            n_events=self.n_events + other.n_events,
            times=times,
            events=by_cause[self.target - 1],
            censored=weight_at(place, np.append(self.censored, other.censored), len(times)),
            by_cause=np.array(by_cause),
            named=self.named,
            n_rows_by_cause=tuple(
                mine + theirs
                for mine, theirs in zip(self.n_rows_by_cause, other.n_rows_by_cause, strict=True)
            ),
        )


@dataclass(frozen=True)
class PredictedIncidences(PredictedCurve):
    """What a leaf predicts with competing risks: ``survival`` is 1 - F of the target.

    All are means of the curves of the nodes on the leaf's path with the same weights, so the
    incidences and ``event_free`` add up to 1.
    """

    incidences: tuple[StepFunction, ...]  # of all causes
    event_free: StepFunction


def shrunken_incidences(
    shares: Mapping[int, list[tuple[int, float]]], curves: Mapping[int, LeafCurve]
) -> dict[int, PredictedIncidences]:
    """The predicted curves of each leaf, given what each node of its path counts."""
    return {
        leaf: _mean([(_competing(curves[node]), share) for node, share in path])
        for leaf, path in shares.items()
    }


def _competing(curve: LeafCurve) -> CompetingCurve:
    assert isinstance(curve, CompetingCurve)
    return curve


def _mean(path: list[tuple[CompetingCurve, float]]) -> PredictedIncidences:
    """The means of all curves of a path; the first curve is that of all rows."""
    root = path[0][0]

    def mean(of: Callable[[CompetingCurve], StepFunction]) -> StepFunction:
        if len(path) == 1:
            return of(root)
        times = of(root).x  # every end in a leaf is one of the root
        values = sum(share * of(curve)(times) for curve, share in path)
        return StepFunction(times, values, before=of(root).before)

    causes = range(1, len(root.by_cause) + 1)
    incidences = tuple(mean(partial(CompetingCurve.incidence, cause=cause)) for cause in causes)
    had = incidences[root.target - 1]
    return PredictedIncidences(
        survival=had.reversed(),
        hazard=mean(lambda c: c.hazard),
        incidences=incidences,
        event_free=mean(lambda c: c.event_free),
    )


def competing_curve(events: EventTable, rows: Places) -> CompetingCurve:
    """The curves of some of the rows."""
    assert events.cause is not None
    assert events.causes is not None
    places, when = np.unique(events.when[rows], return_inverse=True)
    weight, cause = events.weight[rows], events.cause[rows]
    by_cause = [
        weight_at(when, weight * (cause == k + 1), len(places))
        for k in range(len(events.causes.names))
    ]
    target = events.causes.target
    return CompetingCurve(
        n_rows=events.count(rows),
        n_events=events.count(rows[events.event[rows]]),
        times=events.unique_times[places],
        events=by_cause[target - 1],
        censored=weight_at(when, weight * (cause == 0), len(places)),
        by_cause=np.array(by_cause),
        named=events.causes,
        n_rows_by_cause=tuple(events.count(rows[cause == k + 1]) for k in range(len(by_cause))),
    )
